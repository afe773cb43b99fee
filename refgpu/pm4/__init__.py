"""PM4 command streams: packets, their fields, and the processor that executes them."""
