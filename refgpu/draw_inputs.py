"""What a draw reads before any shader runs: its indices, in place, and how many vertices and instances."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .base.bits import sign_extend
from .base.errors import DecodeError, InputError
from .base.kernel import kernel
from .memory import Memory
from .pm4 import DrawCall
from .registers import RegisterFile

INDEX_TYPES: dict[int, type[np.unsignedinteger[Any]]] = {0: np.uint16, 1: np.uint32, 2: np.uint8}


@dataclass(frozen=True, slots=True)
class DrawInputs:
    """Decoded index state.

    Attributes
    ----------
    prim_type, count, instances : int
    indices : array or None
        View of guest memory; shorter than `count` where max_size is: the rest reads as 0.
    index_offset : int
        GE_INDX_OFFSET as a signed number.
    restart : int or None
        Raw index that ends a primitive.
    highest_index : callable
        Highest vertex index the draw uses, found on demand.
    """

    prim_type: int
    count: int
    instances: int
    indices: npt.NDArray[Any] | None
    index_offset: int
    restart: int | None
    highest_index: Callable[[], int]


@kernel
def _highest(indices, restart):
    highest = np.int64(0)
    for place in range(indices.size):
        index = np.int64(indices[place])
        if index != restart and index > highest:
            highest = index
    return highest


def restart_index(registers: RegisterFile, index_bits: int) -> int | None:
    """Raw index that ends a primitive, or None when restart is off.  [DRAW-RESTART-BITS]"""
    control = registers["GE_MULTI_PRIM_IB_RESET_EN"]
    if not control.RESET_EN:
        return None
    index = registers.word("VGT_MULTI_PRIM_IB_RESET_INDX")
    mask = (1 << index_bits) - 1
    if control.MATCH_ALL_BITS:
        return index if index <= mask else None
    return index & mask


def decode_inputs(call: DrawCall, registers: RegisterFile, memory: Memory) -> DrawInputs:
    """Index state of a draw; InputError names addresses that are not mapped."""
    prim_type = registers["VGT_PRIMITIVE_TYPE"].PRIM_TYPE
    offset = sign_extend(registers.word("GE_INDX_OFFSET"), 32)
    count, instances = call.index_count, call.instance_count
    if not call.indexed:
        return DrawInputs(prim_type, count, instances, None, offset, None,
                          lambda: (max(count - 1, 0) + offset) & 0xFFFFFFFF)
    dtype = INDEX_TYPES.get(call.index_type)
    if dtype is None:
        raise DecodeError(f"VGT_INDEX_TYPE.INDEX_TYPE = {call.index_type} is reserved")
    size = np.dtype(dtype).itemsize
    first = call.index_address + call.index_offset * size
    if first % size:
        raise InputError(f"index buffer at {first:#x} is not aligned to its {size}-byte indices")
    available = max(0, min(count, call.max_size - call.index_offset))
    indices = memory.view(first, available * size, dtype)
    restart = restart_index(registers, 8 * size)

    def highest() -> int:
        found = int(_highest(indices, np.int64(-1 if restart is None else restart)))
        return (found + offset) & 0xFFFFFFFF

    return DrawInputs(prim_type, count, instances, indices, offset, restart, highest)


def index_stream(data: npt.ArrayLike, index_type: int, count: int, restart: int | None = None,
                 offset: int = 0) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp]]:
    """Indices of a draw, and where primitive restart breaks them.

    Parameters
    ----------
    data : bytes or array
        Index buffer.
    index_type : int
        0 is 16-bit, 1 is 32-bit, 2 is 8-bit.
    count : int
        Indices drawn; those past the buffer's end read as 0.
    restart : int, optional
        Raw index that ends a primitive.
    offset : int
        GE_INDX_OFFSET.

    Returns
    -------
    indices : uint32[n]
        Vertex indices without the restarts.
    breaks : intp[k]
        Places in `indices` where a new primitive run starts.
    """
    if index_type not in INDEX_TYPES:
        raise DecodeError(f"VGT_INDEX_TYPE.INDEX_TYPE = {index_type} is reserved")
    raw = np.frombuffer(bytes(data), np.uint8) if isinstance(data, bytes | bytearray | memoryview) else np.asarray(data)
    raw = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    dtype = np.dtype(INDEX_TYPES[index_type])
    whole = min(count, raw.size // dtype.itemsize)
    fetched = np.zeros(count, np.int64)
    fetched[:whole] = raw[: whole * dtype.itemsize].view(dtype)
    ends = np.zeros(count, np.bool_) if restart is None else fetched == restart
    kept = np.flatnonzero(~ends)
    breaks = np.searchsorted(kept, np.flatnonzero(ends))
    return ((fetched[kept] + offset) & 0xFFFFFFFF).astype(np.uint32), breaks.astype(np.intp)
