"""Border colours: the four types, and the channel order that BC_SWIZZLE gives them."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from .format_table import Format
from .images import Image
from .samplers import Sampler

_TRANSPARENT_BLACK, _OPAQUE_BLACK, _OPAQUE_WHITE, _TABLE = range(4)
# Slot k of the texel receives the component at place k  [TEX-BC-SWIZZLE]
BC_SWIZZLE: Final = ((0, 1, 2, 3), (0, 3, 1, 2), (3, 2, 1, 0), (3, 0, 1, 2), (2, 1, 0, 3), (1, 0, 3, 2))
_FIXED: Final = {_TRANSPARENT_BLACK: (0, 0, 0, 0), _OPAQUE_BLACK: (0, 0, 0, 1), _OPAQUE_WHITE: (1, 1, 1, 1)}
_ENTRY_NBYTES: Final = 16


def border_color(image: Image, sampler: Sampler, format_: Format, table: Any = None) -> npt.NDArray[np.float32]:
    """Border registers X, Y, Z, W before DST_SEL.  [TEX-BORDER-TYPES] [TEX-BORDER-LACKING]

    Parameters
    ----------
    table : int or array, optional
        Guest address of the border colour table (TA_BC_BASE_ADDR << 8), or its entries [n, 4] as float32 or uint32.

    Returns
    -------
    float32[4]
        Integers as their bits for integer formats.

    Raises
    ------
    InputError
        BORDER_COLOR_TYPE 3 without a table, or an entry outside of it.
    """
    kind = sampler.fields["BORDER_COLOR_TYPE"]
    if kind == _TABLE:
        registers = _entry(image, sampler, table)
    elif format_.integer:
        registers = np.array(_FIXED[kind], np.uint32).view(np.float32)
    else:
        registers = np.array(_FIXED[kind], np.float32)
    return np.ascontiguousarray(registers[list(BC_SWIZZLE[image.fields["BC_SWIZZLE"]])])


def _entry(image: Image, sampler: Sampler, table: Any) -> npt.NDArray[np.float32]:
    index = sampler.fields["BORDER_COLOR_PTR"]
    if table is None:
        raise InputError(f"S#.BORDER_COLOR_TYPE = 3: BORDER_COLOR_PTR = {index} needs a border colour table "
                         "(border_table, TA_BC_BASE_ADDR)")
    if isinstance(table, int | np.integer):
        raw = image.memory.view(int(table) + _ENTRY_NBYTES * index, _ENTRY_NBYTES)
        return np.frombuffer(bytes(raw), np.float32)
    entries = np.asarray(table)
    if entries.ndim != 2 or entries.shape[1] != 4 or index >= entries.shape[0]:
        raise InputError(f"S#.BORDER_COLOR_PTR = {index}: the table has shape {list(entries.shape)}")
    if entries.dtype.kind in "iu":
        return np.ascontiguousarray(entries[index], np.uint32).view(np.float32)
    return np.ascontiguousarray(entries[index], np.float32)
