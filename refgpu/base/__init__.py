"""Floor 0: the jit decorator, errors, claims, bit fields and pointers. Imports nothing above it."""
