"""Depth values: clamp, the stored form, compare functions, depth bounds."""

import numpy as np

from ..base.kernel import kernel
from .layout import F, S

Z16, Z24, Z32F = 1, 2, 3
NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS = range(8)

_CLAMP = int(S.Z_CLAMP)
_ZMIN, _ZMAX = int(F.ZMIN), int(F.ZMAX)


@kernel
def order_bits(value):
    """Bits of a float32 as int32: for values from +0 up their order is the order of the values."""
    return np.float32(value).view(np.int32)


@kernel
def order_float(bits):
    """The float32 with these bits."""
    return np.int32(bits).view(np.float32)


@kernel
def depth_limits(state, floats):
    """Range that window depth is clamped to, lower limit first.  [DEPTH-CLAMP-SORTED] [DEPTH-CLAMP-OFF]"""
    if state[_CLAMP] == 0:
        return np.float32(0), np.float32(1)
    a, b = floats[_ZMIN], floats[_ZMAX]
    low, high = (a, b) if a <= b else (b, a)
    return np.float32(low + np.float32(0)), np.float32(high + np.float32(0))  # -0 becomes +0


@kernel
def clamp_depth(z, low, high):
    """Depth inside its limits; NaN becomes the lower one.  [DEPTH-CLAMP-NAN]"""
    z = z if z > low else low
    return z if z < high else high


@kernel
def unorm_depth(z, top):
    """Integer code of a depth, as float32: half up, from the exact product.  [DEPTH-UNORM-ROUND]"""
    unit = np.float64(z)
    unit = unit if unit > np.float64(0) else np.float64(0)
    unit = unit if unit < np.float64(1) else np.float64(1)
    return np.float32(np.floor(unit * np.float64(top) + np.float64(0.5)))


@kernel
def stored_depth(z, z_format):
    """What the depth target holds for a clamped depth: a float32, or the code of Z16 and Z24 as one."""
    if z_format == Z16:
        return unorm_depth(z, 65535.0)
    if z_format == Z24:
        return unorm_depth(z, 16777215.0)
    return np.float32(z)


@kernel
def read_depth(stored, z_format):
    """Stored depth as a float32 in the units of the API."""
    if z_format == Z16:
        return np.float32(np.float64(stored) / np.float64(65535.0))
    if z_format == Z24:
        return np.float32(np.float64(stored) / np.float64(16777215.0))
    return np.float32(stored)


@kernel
def compare(function, left, right):
    """The eight compare functions, fragment or reference on the left; with NaN only NOTEQUAL and ALWAYS pass."""
    if function == NEVER:
        return False
    if function == LESS:
        return left < right
    if function == EQUAL:
        return left == right
    if function == LEQUAL:
        return left <= right
    if function == GREATER:
        return left > right
    if function == NOTEQUAL:
        return left != right
    if function == GEQUAL:
        return left >= right
    return True


@kernel
def within_bounds(stored, z_format, low, high):
    """Depth bounds test on the depth that is stored before the fragment, limits included.  [DEPTH-BOUNDS]"""
    z = read_depth(stored, z_format)
    return (z >= low) & (z <= high)
