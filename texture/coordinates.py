"""From coordinates to texel numbers: range reduction, fixed point with 8 fraction bits, the eight clamp modes."""

from typing import Final

import numpy as np

from ..base.kernel import kernel

WRAP: Final = 0
MIRROR: Final = 1
CLAMP_LAST_TEXEL: Final = 2
MIRROR_ONCE_LAST_TEXEL: Final = 3
CLAMP_HALF_BORDER: Final = 4
MIRROR_ONCE_HALF_BORDER: Final = 5
CLAMP_BORDER: Final = 6
MIRROR_ONCE_BORDER: Final = 7

BORDER: Final = -1
ONE: Final = 256             # one texel, or a whole weight, in 1/256ths
_HALF: Final = 128
_LIMIT = np.float64(1 << 40)
_ZERO = np.float32(0.0)
_TWO = np.float32(2.0)
_HALF_F = np.float32(0.5)

# Alternatives of contested claims, bits of a state word
TRUNC_TO_ZERO: Final = 1       # [TEX-TRUNC-COORD]
MIRROR_COORDINATE: Final = 2   # [TEX-MIRROR-ONCE-HALF]
NO_REDUCTION: Final = 4        # [TEX-RANGE-REDUCTION]
HALF_BORDER_LAST: Final = 8    # [TEX-HALF-BORDER-EDGE]
POINT_CROSSES_EDGE: Final = 16  # [TEX-CUBE-POINT-EDGE]


@kernel
def reduce_coordinate(u, clamp):
    """A normalized coordinate brought near [0, 1) before it is scaled: wrap and mirror only.  [TEX-RANGE-REDUCTION]"""
    u = np.float32(u)
    if clamp == WRAP:
        return np.float32(u - np.float32(np.floor(u)))
    if clamp == MIRROR:
        return np.float32(u - np.float32(_TWO * np.float32(np.floor(np.float32(u * _HALF_F)))))
    return u


@kernel
def quantize_coordinate(p, trunc, variant):
    """Texel coordinate in 1/256 texels: nearest even, or floor with TRUNC_COORD; NaN is 0.  [TEX-COORD-GRID]"""
    scaled = np.float64(np.float32(p)) * np.float64(ONE)
    if scaled != scaled:
        return np.int64(0)
    scaled = scaled if scaled < _LIMIT else _LIMIT
    scaled = scaled if scaled > -_LIMIT else -_LIMIT
    if not trunc:
        return np.int64(np.rint(scaled))
    if variant & TRUNC_TO_ZERO:
        return np.int64(np.trunc(scaled))
    return np.int64(np.floor(scaled))


@kernel
def texel_coordinate(u, size, clamp, unnormalized, trunc, variant):
    """Coordinate of one axis in 1/256 texels.  [TEX-COORD-PRODUCT]"""
    if unnormalized:
        q = quantize_coordinate(u, trunc, variant)
    else:
        reduced = np.float32(u) if variant & NO_REDUCTION else reduce_coordinate(u, clamp)
        q = quantize_coordinate(np.float32(reduced * np.float32(size)), trunc, variant)
    whole = np.int64(size) * ONE
    if clamp == CLAMP_HALF_BORDER:
        q = min(max(q, np.int64(0)), whole)
    elif clamp == MIRROR_ONCE_HALF_BORDER:
        if variant & MIRROR_COORDINATE:
            q = min(abs(q), whole)
        else:
            q = min(max(q, -whole), whole)
    return q


@kernel
def wrap_texel(index, size, clamp, variant):
    """Texel number inside 0..size-1, or BORDER.  [TEX-CLAMP-MODES]"""
    index = np.int64(index)
    size = np.int64(size)
    if clamp == WRAP:
        return index % size
    if clamp == MIRROR:
        index = index % (2 * size)
        return index if index < size else 2 * size - 1 - index
    once = clamp in (MIRROR_ONCE_LAST_TEXEL, MIRROR_ONCE_BORDER)
    once = once or (clamp == MIRROR_ONCE_HALF_BORDER and not variant & MIRROR_COORDINATE)
    if once and index < 0:
        index = -1 - index
    if clamp in (CLAMP_LAST_TEXEL, MIRROR_ONCE_LAST_TEXEL):
        return min(max(index, np.int64(0)), size - 1)
    return index if 0 <= index < size else np.int64(BORDER)


@kernel
def axis_taps(u, size, clamp, linear, unnormalized, trunc, offset, variant):
    """Texels (first, second) of one axis and the second's weight in 1/256; BORDER where the border is read.

    [TEX-WEIGHT-RNE] [TEX-OFFSET]
    """
    q = texel_coordinate(u, size, clamp, unnormalized, trunc, variant)
    if linear:
        q -= _HALF
        index = (q >> 8) + offset
        return (wrap_texel(index, size, clamp, variant), wrap_texel(index + 1, size, clamp, variant),
                np.int64(q & (ONE - 1)))
    index = q >> 8
    if clamp == CLAMP_HALF_BORDER and variant & HALF_BORDER_LAST:
        index = min(index, np.int64(size) - 1)
    first = wrap_texel(index + offset, size, clamp, variant)
    return first, first, np.int64(0)


@kernel
def layer_of(coordinate, layers):
    """Array layer: nearest even, clamped; NaN is 0.  [TEX-LAYER-RNE]"""
    value = np.float64(np.float32(coordinate))
    if not value > 0.0:
        return np.int64(0)
    highest = np.float64(layers - 1)
    value = np.rint(value)
    return np.int64(value if value < highest else highest)
