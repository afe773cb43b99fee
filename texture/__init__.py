"""Floor 2: formats, descriptors, surface addresses and sampling."""
