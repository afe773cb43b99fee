"""Floor 1: HTILE, CMASK and DCC: where a word lies, and what it means."""
