"""Floor 3: from clip-space vertices to bits in the targets."""
