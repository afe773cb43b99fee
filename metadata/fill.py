"""What writes to metadata memory mean, tile by tile: the meaning follows from the bytes and from nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from . import color_keys
from .equations import Kind
from .htile_word import states_of, words_of
from .layout import Layout

STATES = np.array(["cleared", "expanded", "undocumented", "single", "register", "kept", "unknown"])
_KEPT, _UNKNOWN = 5, 6
_ZMASK_BITS, _SMEM_BITS, _CMASK_BITS, _KEY_BITS = 0xF, 0x300, 0xF, 0xFF

Fill = tuple[int, int, int] | tuple[int, int, int, int]
Strings = npt.NDArray[np.str_]
Words = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class FillEffect:
    """What one fill, or several in order, would mean.

    Per-tile arrays are [slice, tile_y, tile_x]. A state is one of

    - "kept": the code that says the state was not written; the tile is what it was before;
    - "cleared": every sample has the clear value;
    - "expanded": memory holds the values (which also cancels a clear that was there);
    - "undocumented": a code whose meaning is not public;
    - "unknown": a masked write changed part of the code, and `before` was not given;
    - for DCC "single" (value in the first pixel of the block) and "register" (CB_COLOR_CLEAR_WORD).

    Attributes
    ----------
    depth, stencil : str array or None
        HTILE only. Stencil is "kept" throughout where HTILE has none.
    color : str array or None
        DCC and CMASK only.
    covers_all : bool
        Whether the fills touch every byte of the metadata, padding and all slices included.
    words : uint32 array
        HTILE word, DCC key or CMASK nibble of each tile afterwards; unwritten bits are those of `before`, or 0.
    written : uint32 array
        Bits of `words` that the fills set.
    """

    depth: Strings | None
    stencil: Strings | None
    color: Strings | None
    covers_all: bool
    words: Words
    written: Words


def fill_effect(layout: Layout, start: int | Sequence[Fill], nbytes: int | None = None, pattern: int | None = None,
                stencil: bool = True, *, mask: int = 0xFFFFFFFF, before: npt.ArrayLike | None = None) -> FillEffect:
    """Tell what a fill of metadata memory means.

    Parameters
    ----------
    layout : Layout
        Of HTILE, CMASK or DCC.
    start : int or sequence of fills
        Byte where the fill begins, from the start of the metadata (it may begin before, and end behind). Or several
        fills in order, each (start, nbytes, pattern) or (start, nbytes, pattern, mask).
    nbytes : int
        Length in bytes; need not be a multiple of 4.
    pattern : int
        32-bit pattern, repeated from `start` on, low byte first.
    stencil : bool
        Whether HTILE has the depth and stencil layout (TILE_STENCIL_DISABLE = 0).
    mask : int
        Bits of the pattern that are written: 0xFFFFFC0F is a read-modify-write clear of depth only.
    before : uint32 array, optional
        Words of the tiles before the first fill.

    Returns
    -------
    FillEffect

    Raises
    ------
    InputError
        A negative length, a pattern or mask that is no 32-bit word, `before` of another shape.
    UnsupportedError
        A layout whose addresses are not known.

    Examples
    --------
    >>> from refgpu import metadata
    >>> layout = metadata.htile_layout(16, 16)
    >>> metadata.fill_effect(layout, 0, 16, 0x000000F0).depth
    array([[['cleared', 'kept'],
            ['kept', 'cleared']]], dtype='<U12')
    """
    if isinstance(start, Sequence):
        if nbytes is not None or pattern is not None:
            raise InputError("fill_effect: nbytes and pattern belong inside a list of fills")
        fills = [_checked(fill, mask) for fill in start]
    else:
        fills = [_checked((start, nbytes, pattern), mask)]
    elements = layout.tile_elements()
    words = np.zeros(layout.tiles, np.uint32) if before is None else words_of(before)
    if words.shape != layout.tiles:
        raise InputError(f"before: shape {words.shape} is not that of the tiles {layout.tiles}")
    written = np.zeros(layout.tiles, np.uint32)
    for fill in fills:
        _apply(layout.kind, elements, fill, words, written)
    known = written if before is None else np.full_like(written, 0xFFFFFFFF)
    covers_all = _covers([(first, first + length) for first, length, _, _ in fills], layout.nbytes)
    depth = stencil_states = color = None
    if layout.kind is Kind.HTILE:
        depth_codes, stencil_codes = states_of(words, stencil)
        depth = _names(depth_codes, _ZMASK_BITS, written, known)
        stencil_states = _names(stencil_codes, _SMEM_BITS if stencil else 0, written, known)
    else:
        codes = np.empty(layout.tiles, np.int64)
        states = color_keys.dcc_states_of if layout.kind is Kind.DCC else color_keys.cmask_states_of
        states(words.reshape(-1), codes.reshape(-1))
        color = _names(codes, _KEY_BITS if layout.kind is Kind.DCC else _CMASK_BITS, written, known)
    return FillEffect(depth, stencil_states, color, covers_all, words, written)


def _checked(fill: Any, mask: int) -> tuple[int, int, int, int]:
    values = tuple(fill) if len(fill) == 4 else (*fill, mask)
    if len(values) != 4 or not all(isinstance(value, int | np.integer) for value in values):
        raise InputError(f"fill {fill!r}: expected integers (start, nbytes, pattern) or (start, nbytes, pattern, mask)")
    start, nbytes, pattern, bits = (int(value) for value in values)
    if nbytes < 0:
        raise InputError(f"nbytes: {nbytes} is negative")
    for name, word in (("pattern", pattern), ("mask", bits)):
        if not 0 <= word <= 0xFFFFFFFF:
            raise InputError(f"{name}: {word:#x} is not a 32-bit word")
    return start, nbytes, pattern, bits


def _apply(kind: Kind, elements: npt.NDArray[np.int64], fill: tuple[int, int, int, int], words: Words,
           written: Words) -> None:
    """Put one fill into the tiles' words, byte by byte.  [META-FILL-BYTES]"""
    start, nbytes, pattern, mask = fill
    for byte in range(4 if kind is Kind.HTILE else 1):
        place = (elements >> 1 if kind is Kind.CMASK else elements) + byte - start
        inside = (place >= 0) & (place < nbytes)
        shift = ((place & 3) << 3).astype(np.uint32)
        value = (np.uint32(pattern) >> shift) & np.uint32(0xFF)
        bits = np.where(inside, (np.uint32(mask) >> shift) & np.uint32(0xFF), np.uint32(0))
        if kind is Kind.CMASK:
            high = ((elements & 1) << 2).astype(np.uint32)
            value, bits = (value >> high) & np.uint32(0xF), (bits >> high) & np.uint32(0xF)
        bits <<= np.uint32(8 * byte)
        words[:] = (words & ~bits) | ((value << np.uint32(8 * byte)) & bits)
        written |= bits


def _names(codes: npt.NDArray[np.int64], bits: int, written: Words, known: Words) -> Strings:
    """State names, where "kept" and "unknown" come from which of the code's bits were written."""
    codes = np.where((known & np.uint32(bits)) == bits, codes, _UNKNOWN)
    return STATES[np.where((written & np.uint32(bits)) == 0, _KEPT, codes)]


def _covers(intervals: list[tuple[int, int]], end: int) -> bool:
    reached = 0
    for first, last in sorted(intervals):
        if first > reached:
            break
        reached = max(reached, last)
    return reached >= end
