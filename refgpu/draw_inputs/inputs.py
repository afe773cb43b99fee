"""Index state of one draw: what its packet and the registers say, and the vertex indices that it uses."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.bits import sign_extend
from ..base.claims import Variant
from ..base.errors import InputError, UnsupportedError
from ..memory import Memory, normalize
from ..pm4 import DrawCall
from ..registers import RegisterFile
from .indices import index_bounds, index_dtype, restart_index

_ALL = 1 << 32


class DrawInputs:
    """Decoded index state.

    Attributes
    ----------
    prim_type, count, instances : int
    indices : array or None
        View of guest memory; shorter than `count` where max_size is: the rest reads as 0.
    index_address : int
        Where `indices` lie; 0 without.
    index_offset : int
        GE_INDX_OFFSET as a signed number.
    restart : int or None
        Raw index that ends a primitive.
    clamp : (int, int)
        GE_MIN_VTX_INDX and GE_MAX_VTX_INDX.
    """

    __slots__ = ("_known", "_ranges", "clamp", "count", "index_address", "index_offset", "indices", "instances",
                 "prim_type", "restart")

    def __init__(self, prim_type: int, count: int, instances: int, indices: npt.NDArray[Any] | None,
                 index_address: int, index_offset: int, restart: int | None, clamp: tuple[int, int]):
        self.prim_type = prim_type
        self.count = count
        self.instances = instances
        self.indices = indices
        self.index_address = index_address
        self.index_offset = index_offset
        self.restart = restart
        self.clamp = clamp
        self._known = False
        self._ranges: list[tuple[int, int]] = []

    def _raw_bounds(self) -> tuple[int, int] | None:
        if self.count == 0:
            return None
        if self.indices is None:
            return 0, self.count - 1
        found = index_bounds(self.indices, self.restart)
        if self.count > self.indices.size and self.restart != 0:
            return 0, 0 if found is None else found[1]  # [DRAW-MAX-SIZE]
        return found

    def index_ranges(self) -> list[tuple[int, int]]:
        """Lowest and highest vertex index as a pair; no pair without indices, two where the sum wraps.

        Restarts are left out, GE_INDX_OFFSET is added.  [DRAW-INDEX-OFFSET]

        Raises
        ------
        UnsupportedError
            GE_MIN_VTX_INDX or GE_MAX_VTX_INDX would change an index: whether before or after the offset is not known.
        """
        if not self._known:
            raw = self._raw_bounds()
            if raw is not None:
                low, high = raw[0] + self.index_offset, raw[1] + self.index_offset
                least, most = self.clamp
                if least and min(raw[0], low) < least:
                    raise UnsupportedError("GE_MIN_VTX_INDX that changes an index", least)
                if most < _ALL - 1 and max(raw[1], high) > most:
                    raise UnsupportedError("GE_MAX_VTX_INDX that changes an index", most)
                self._ranges = wrapped(low, high)
            self._known = True
        return self._ranges

    def highest_index(self) -> int:
        """Highest vertex index, 0 when the draw uses none."""
        ranges = self.index_ranges()
        return max((high for _, high in ranges), default=0)

    def lowest_index(self) -> int:
        """Lowest vertex index, 0 when the draw uses none."""
        return min((low for low, _ in self.index_ranges()), default=0)


def wrapped(low: int, high: int) -> list[tuple[int, int]]:
    """The numbers low..high modulo 2^32 as one or two ranges."""
    if high - low >= _ALL - 1:
        return [(0, _ALL - 1)]
    first, last = low % _ALL, high % _ALL
    return [(first, last)] if first <= last else [(0, last), (first, _ALL - 1)]


def decode_inputs(call: DrawCall, registers: RegisterFile, memory: Memory,
                  variant: Variant | None = None) -> DrawInputs:
    """Index state of a draw.

    Parameters
    ----------
    call : DrawCall
    registers : RegisterFile
    memory : Memory
    variant : Variant, optional

    Raises
    ------
    DecodeError, InputError
        Reserved index type, misaligned index buffer, indices that are not mapped; the message names the address.
    """
    prim_type = registers.word("VGT_PRIMITIVE_TYPE") & 0x3F
    offset = sign_extend(registers.word("GE_INDX_OFFSET"), 32)
    clamp = registers.word("GE_MIN_VTX_INDX"), registers.word("GE_MAX_VTX_INDX")
    count, instances = call.index_count, call.instance_count
    if not call.indexed:
        return DrawInputs(prim_type, count, instances, None, 0, offset, None, clamp)
    dtype = np.dtype(index_dtype(call.index_type))
    size = dtype.itemsize
    first = normalize(call.index_address) + call.index_offset * size
    if first % size:
        raise InputError(f"index buffer at {first:#x} is not aligned to its {size}-byte indices")
    available = max(0, min(count, call.max_size - call.index_offset))
    indices = memory.view(first, available * size, dtype)
    restart = restart_index(registers, 8 * size, variant)
    return DrawInputs(prim_type, count, instances, indices, first, offset, restart, clamp)
