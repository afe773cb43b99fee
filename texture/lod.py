"""Level of detail: from derivatives or an operand to the levels that are read and the weight between them.

A LOD is an integer in 1/256 levels relative to the view's BASE_LEVEL.
"""

import math
from typing import Final

import numpy as np

from ..base.kernel import kernel

_ONE = np.int64(256)
_LOWEST = np.float64(-(1 << 20))
_HIGHEST = np.float64(1 << 20)

MIP_NONE: Final = 0
MIP_POINT: Final = 1
MIP_LINEAR: Final = 2

CLAMPED_LEVEL: Final = 1     # [TEX-MIP-NONE] alternative
EACH_TERM: Final = 2         # [TEX-LOD-SUM] alternative
MIN_WINS: Final = 4          # [TEX-LOD-CLAMP-ORDER] alternative


@kernel
def log2_of_square(square):
    """log2 of a length given its square: -2^20 for 0, 2^20 for infinity, 0 for NaN.  [TEX-LOD-LOG2]"""
    if square != square:
        return np.float64(0.0)
    if square == 0.0:
        return _LOWEST
    if square == np.inf:
        return _HIGHEST
    return np.float64(0.5) * math.log2(square)


@kernel
def lod_to_fixed(lod):
    """LOD in 1/256 levels, nearest even; NaN is 0.  [TEX-LOD-RNE]"""
    if lod != lod:
        return np.int64(0)
    lod = lod if lod > _LOWEST else _LOWEST
    lod = lod if lod < _HIGHEST else _HIGHEST
    return np.int64(np.rint(lod * np.float64(256.0)))


@kernel
def biased_lod(lod, bias, sampler_bias, variant):
    """LOD + shader bias + S# LOD_BIAS (in 1/256), exact sum rounded once.  [TEX-LOD-SUM]"""
    if variant & EACH_TERM:
        return lod_to_fixed(np.float64(lod)) + lod_to_fixed(np.float64(bias)) + sampler_bias
    return lod_to_fixed(np.float64(lod) + np.float64(bias) + np.float64(sampler_bias) / np.float64(256.0))


@kernel
def clamp_lod(lod, min_lod, max_lod, view_min, variant):
    """S# MIN_LOD and MAX_LOD (MAX wins), then T# MIN_LOD.  [TEX-LOD-CLAMP-ORDER] [TEX-RESOURCE-MIN-LOD]"""
    if variant & MIN_WINS:
        lod = max(min(lod, max_lod), min_lod)
    else:
        lod = min(max(lod, min_lod), max_lod)
    return max(lod, view_min) if view_min > 0 else lod


@kernel
def pick_levels(lod, last, mip_filter, variant):
    """(level, next level, weight of the next in 1/256) of a clamped LOD; levels count from the view's first.

    [TEX-MIP-POINT] [TEX-MIP-WEIGHT] [TEX-MIP-NONE]
    """
    lod = min(max(lod, np.int64(0)), np.int64(last) * _ONE)
    if mip_filter == MIP_NONE:
        level = (lod >> 8) if variant & CLAMPED_LEVEL else np.int64(0)
        return level, level, np.int64(0)
    level = lod >> 8
    if mip_filter == MIP_LINEAR:
        return level, min(level + 1, np.int64(last)), np.int64(lod & 255)
    level = (lod + 128) >> 8
    return level, level, np.int64(0)


@kernel
def gradient_squares(ddx, ddy, sizes, dims):
    """Squared lengths of two derivative vectors, scaled by the base level's sizes."""
    x = np.float64(0.0)
    y = np.float64(0.0)
    for axis in range(dims):
        a = np.float64(ddx[axis]) * np.float64(sizes[axis])
        b = np.float64(ddy[axis]) * np.float64(sizes[axis])
        x += a * a
        y += b * b
    return x, y


@kernel
def aniso_taps(major, minor, max_log2, threshold):
    """log2 of the number of taps along the major axis; lengths squared, threshold in 1/8.  [TEX-ANISO]"""
    if max_log2 == 0 or not major > minor:
        return np.int64(0)
    ratio = math.sqrt(major / minor) if minor > 0.0 else np.float64(16.0)
    wanted = ratio - np.float64(threshold) * np.float64(0.125)
    taps = np.int64(0)
    while taps < max_log2 and np.float64(np.int64(1) << taps) < wanted:
        taps += 1
    return taps
