"""Rules of one HTILE word, as scalar kernels: what it says of an 8x8 tile, and how it changes.

Two layouts exist: `has_stencil` 0 is depth only (TILE_STENCIL_DISABLE = 1), 1 is depth and stencil. Words go in as any
integer and come out as uint32; z14 is depth in 1/16383 steps. `zmax_is_base` is DB_Z_INFO.ZRANGE_PRECISION.
"""

import math
from typing import Final

import numpy as np

from ..base.kernel import kernel

Z14_MAX: Final = 0x3FFF
ZMASK_CLEARED: Final = 0
ZMASK_EXPANDED: Final = 15
SMEM_CLEARED: Final = 0
SMEM_EXPANDED: Final = 3
DELTA_EXACT: Final = 16  # differences below are coded as they are
DELTA_FULL: Final = 63
CLEARED: Final = 0
EXPANDED: Final = 1
UNDOCUMENTED: Final = 2
VRS_4BIT: Final = 2


@kernel
def zmask(word):
    """ZMASK of a word of either layout."""
    return np.int64(word) & 15


@kernel
def smem(word):
    """SMEM of a depth and stencil word."""
    return (np.int64(word) >> 8) & 3


@kernel
def depth_state(word):
    """CLEARED, EXPANDED, or UNDOCUMENTED for the plane-compressed codes 1 to 14.  [HTILE-ZMASK]"""
    code = zmask(word)
    if code == ZMASK_CLEARED:
        return CLEARED
    return EXPANDED if code == ZMASK_EXPANDED else UNDOCUMENTED


@kernel
def stencil_state(word, has_stencil):
    """CLEARED, EXPANDED or UNDOCUMENTED; without stencil in HTILE the memory always holds.  [HTILE-SMEM]"""
    if not has_stencil:
        return EXPANDED
    code = smem(word)
    if code == SMEM_CLEARED:
        return CLEARED
    return EXPANDED if code == SMEM_EXPANDED else UNDOCUMENTED


@kernel
def with_zmask(word, code):
    """The word with another ZMASK."""
    return np.uint32((np.int64(word) & ~np.int64(15)) | np.int64(code))


@kernel
def with_smem(word, code):
    """A depth and stencil word with another SMEM."""
    return np.uint32((np.int64(word) & ~np.int64(0x300)) | (np.int64(code) << 8))


@kernel
def merge(old, new, mask):
    """Read-modify-write: the bits of `mask` from `new`, the others kept."""
    return np.uint32((np.int64(old) & ~np.int64(mask)) | (np.int64(new) & np.int64(mask)))


@kernel
def plane_mask(depth, stencil, has_stencil):
    """Bits that belong to the aspects chosen; depth owns all but SMEM, SR1, SR0.  [HTILE-PLANE-MASKS]"""
    if not has_stencil:
        return np.uint32(0xFFFFFFFF if depth else 0)
    return np.uint32((0xFFFFFC0F if depth else 0) | (0x000003F0 if stencil else 0))


@kernel
def z14_nearest(depth):
    """Depth in [0, 1] to z14 as clears do: round half up.  [HTILE-CLEAR-WORD]"""
    return np.int64(math.floor(np.float64(depth) * 16383.0 + 0.5))


@kernel
def z14_below(depth):
    """Largest z14 that is not above a depth, within 0..16383; 0 for NaN.  [HTILE-RANGE-OUTWARD]"""
    scaled = np.float64(depth) * 16383.0
    if not scaled > 0.0:
        return np.int64(0)
    return np.int64(16383) if scaled >= 16383.0 else np.int64(math.floor(scaled))


@kernel
def z14_above(depth):
    """Smallest z14 that is not below a depth, within 0..16383; 16383 for NaN.  [HTILE-RANGE-OUTWARD]"""
    scaled = np.float64(depth) * 16383.0
    if not scaled < 16383.0:
        return np.int64(16383)
    return np.int64(0) if scaled <= 0.0 else np.int64(math.ceil(scaled))


@kernel
def delta_code(difference):
    """ZDELTA for zmax - zmin: exact below 16, else the code for the whole range.  [HTILE-DELTA]"""
    return np.int64(difference) if difference < DELTA_EXACT else np.int64(DELTA_FULL)


@kernel
def delta_reach(code):
    """How far a ZDELTA code reaches from the base; codes 16 to 62 count as the whole range.  [HTILE-DELTA]"""
    return np.int64(code) if code < DELTA_EXACT else np.int64(Z14_MAX)


@kernel
def range_z14(word, has_stencil, zmax_is_base):
    """(zmin, zmax) of a tile in z14.  [HTILE-RANGE]"""
    bits = np.int64(word)
    base = (bits >> 18) & Z14_MAX
    if not has_stencil:
        return (bits >> 4) & Z14_MAX, base
    reach = delta_reach((bits >> 12) & 63)
    if zmax_is_base:
        return max(base - reach, np.int64(0)), base
    return base, min(base + reach, np.int64(Z14_MAX))


@kernel
def with_range(word, low, high, has_stencil, zmax_is_base):
    """The word with its range set to [low, high] in z14, or wider where ZDELTA cannot say it.  [HTILE-RANGE]"""
    bits = np.int64(word)
    low = np.int64(low)
    high = np.int64(high)
    if not has_stencil:
        return np.uint32((bits & 15) | (low << 4) | (high << 18))
    base = high if zmax_is_base else low
    return np.uint32((bits & 0xFFF) | (delta_code(high - low) << 12) | (base << 18))


@kernel
def widen(word, low, high, has_stencil, zmax_is_base):
    """The word with its range widened to hold [low, high] in z14; never narrower.  [HTILE-RANGE-OUTWARD]"""
    old_low, old_high = range_z14(word, has_stencil, zmax_is_base)
    new_low = min(old_low, np.int64(low))
    new_high = max(old_high, np.int64(high))
    if new_low == old_low and new_high == old_high:
        return np.uint32(word)
    return with_range(word, new_low, new_high, has_stencil, zmax_is_base)


@kernel
def depth_bounds(word, has_stencil, zmax_is_base):
    """float32 (low, high) that surely hold every depth of the tile: one z14 step out, open at both ends.

    Clears round to nearest, and stored depth may lie outside [0, 1].  [HTILE-RANGE-MARGIN]
    """
    low, high = range_z14(word, has_stencil, zmax_is_base)
    lowest = np.float32(-np.inf)
    highest = np.float32(np.inf)
    if low > 0:
        lowest = np.float32(np.float64(low - 1) / 16383.0)
    if high < Z14_MAX:
        highest = np.float32(np.float64(high + 1) / 16383.0)
    return lowest, highest


@kernel
def clear_bits(depth, has_stencil, vrs_encoding):
    """Word of a tile cleared to a depth in [0, 1], stencil cleared too if HTILE has it.  [HTILE-CLEAR-WORD]"""
    z = z14_nearest(depth)
    if not has_stencil:
        return np.uint32((z << 18) | (z << 4))
    return np.uint32((z << 18) | (0x30 if vrs_encoding == VRS_4BIT else 0xF0))


@kernel
def expanded_bits(has_stencil, vrs_encoding):
    """Word of a tile whose memory holds raw values: full range, no stencil summary.  [HTILE-EXPANDED-WORD]"""
    if not has_stencil:
        return np.uint32(0xFFFC000F)
    return np.uint32(0xFFFFF33F if vrs_encoding == VRS_4BIT else 0xFFFFF3FF)


@kernel
def word_depth(word):
    """Depth that the word of a cleared tile itself names: zmax or zbase, both on top.  [HTILE-CLEARED-READ]"""
    return np.float32(np.float64((np.int64(word) >> 18) & Z14_MAX) / 16383.0)


@kernel
def cleared_read(word, depth_clear, from_word):
    """Depth that a texture read of a cleared tile gives: DB_DEPTH_CLEAR, or the word's own.  [HTILE-CLEARED-READ]"""
    return word_depth(word) if from_word else np.float32(depth_clear)


@kernel
def clear_bits_of(depth, has_stencil, vrs_encoding, out):
    """`clear_bits` of each depth."""
    for i in range(depth.size):
        out[i] = clear_bits(depth[i], has_stencil, vrs_encoding)


@kernel
def states_of(words, has_stencil, depth, stencil):
    """`depth_state` and `stencil_state` of each word."""
    for i in range(words.size):
        depth[i] = depth_state(words[i])
        stencil[i] = stencil_state(words[i], has_stencil)


@kernel
def ranges_of(words, has_stencil, zmax_is_base, low, high):
    """`range_z14` of each word."""
    for i in range(words.size):
        low[i], high[i] = range_z14(words[i], has_stencil, zmax_is_base)
