"""Block compressed formats."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import UnsupportedError
from .format_table import Format


def decode_blocks(format_: Format, words: npt.NDArray[np.uint32], width: int, height: int,
                  srgb: bool) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """Numerators and divisors of a level of blocks."""
    raise UnsupportedError("T#.FORMAT", format_.name)
