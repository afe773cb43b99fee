"""From registers to the state of a draw: one file per hardware block, each remembered by its words."""

from .draw import DrawState, decode_state

__all__ = ["DrawState", "decode_state"]
