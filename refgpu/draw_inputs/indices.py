"""The index stream: index sizes, primitive restart, the lowest and highest index at memory speed."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.claims import Variant
from ..base.errors import DecodeError, InputError
from ..base.kernel import kernel
from ..registers import RegisterFile

INDEX_TYPES: Final[dict[int, type[np.unsignedinteger[Any]]]] = {0: np.uint16, 1: np.uint32, 2: np.uint8}
_CHUNK: Final = 1 << 20  # indices; shorter streams are not worth another thread
Indices = npt.NDArray[np.unsignedinteger[Any]]


@kernel
def _extremes(indices, zero, ones):
    """Lowest and highest index; `zero` and `ones` have the indices' type, so that lanes stay narrow."""
    low, high = ones, zero
    for place in range(indices.size):
        index = indices[place]
        high = index if index > high else high
        low = index if index < low else low
    return np.int64(low), np.int64(high)


@kernel
def _extremes_between(indices, restart, zero, ones):
    """As `_extremes`, restarts left out; low > high when there is nothing else."""
    low, high = ones, zero
    for place in range(indices.size):
        index = indices[place]
        up = zero if index == restart else index
        down = ones if index == restart else index
        high = up if up > high else high
        low = down if down < low else low
    return np.int64(low), np.int64(high)


def index_bounds(indices: Indices, restart: int | None = None, threads: int = 1) -> tuple[int, int] | None:
    """Lowest and highest index, restarts left out.

    Parameters
    ----------
    indices : uint8, uint16 or uint32 array
    restart : int, optional
        Raw index that ends a primitive.
    threads : int
        How many may share a long stream.

    Returns
    -------
    (int, int) or None
        None when no index is left.
    """
    dtype = indices.dtype.type
    if dtype not in INDEX_TYPES.values():
        raise InputError(f"indices: expected uint8, uint16 or uint32, got {indices.dtype}")
    zero, ones = dtype(0), dtype(np.iinfo(dtype).max)

    def scan(part: Indices) -> tuple[int, int]:
        found = (_extremes(part, zero, ones) if restart is None or restart > int(ones)
                 else _extremes_between(part, dtype(restart), zero, ones))
        return int(found[0]), int(found[1])

    parts = min(threads, indices.size // _CHUNK)
    if parts > 1:
        with ThreadPoolExecutor(parts) as pool:
            found = list(pool.map(scan, np.array_split(indices, parts)))
    else:
        found = [scan(indices)]
    low, high = min(pair[0] for pair in found), max(pair[1] for pair in found)
    return (low, high) if indices.size and low <= high else None


def restart_index(registers: RegisterFile, index_bits: int, variant: Variant | None = None) -> int | None:
    """Raw index that ends a primitive, or None when restart is off.  [DRAW-RESTART-MATCH]"""
    control = registers["GE_MULTI_PRIM_IB_RESET_EN"]
    if not control.RESET_EN:
        return None
    index = registers.word("VGT_MULTI_PRIM_IB_RESET_INDX")
    mask = (1 << index_bits) - 1
    if (variant or Variant())["DRAW-RESTART-MATCH"] == "register_or_ones":
        return index & mask if control.MATCH_ALL_BITS else mask
    if control.MATCH_ALL_BITS:
        return index if index <= mask else None
    return index & mask


def index_dtype(index_type: int) -> type[np.unsignedinteger[Any]]:
    """Type of the indices; DecodeError for the reserved INDEX_TYPE 3."""
    dtype = INDEX_TYPES.get(index_type)
    if dtype is None:
        raise DecodeError(f"VGT_INDEX_TYPE.INDEX_TYPE = {index_type} is reserved")
    return dtype


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
        Indices drawn; those past the buffer's end read as 0.  [DRAW-MAX-SIZE]
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
    dtype = np.dtype(index_dtype(index_type))
    if count < 0:
        raise InputError(f"count {count}: expected at least 0")
    raw = np.frombuffer(bytes(data), np.uint8) if isinstance(data, bytes | bytearray | memoryview) else np.asarray(data)
    raw = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
    whole = min(count, raw.size // dtype.itemsize)
    fetched = np.zeros(count, np.int64)
    fetched[:whole] = raw[: whole * dtype.itemsize].view(dtype)
    ends = np.zeros(count, np.bool_) if restart is None else fetched == restart
    kept = np.flatnonzero(~ends)
    breaks = np.searchsorted(kept, np.flatnonzero(ends))
    return ((fetched[kept] + offset) & 0xFFFFFFFF).astype(np.uint32), breaks.astype(np.intp)
