"""What a draw reads before any shader runs, where it lies, and when an emulator may read it in place.

`decode_inputs` gives the index state of a draw, `draw_ranges` the bytes that it and its attributes read, and `plan`
tells for each range whether it can be read in guest memory itself, given the `Timeline` of accesses not done yet.
"""

from .indices import INDEX_TYPES, index_bounds, index_stream, restart_index
from .inputs import DrawInputs, decode_inputs
from .planning import Plan, plan
from .ranges import (
    Attribute,
    Range,
    draw_ranges,
    index_range,
    instance_index,
    instance_indices,
    merge_ranges,
    vertex_ranges,
)
from .timeline import Access, Order, Pending, Timeline

__all__ = [
    "INDEX_TYPES",
    "Access",
    "Attribute",
    "DrawInputs",
    "Order",
    "Pending",
    "Plan",
    "Range",
    "Timeline",
    "decode_inputs",
    "draw_ranges",
    "index_bounds",
    "index_range",
    "index_stream",
    "instance_index",
    "instance_indices",
    "merge_ranges",
    "plan",
    "restart_index",
    "vertex_ranges",
]
