"""PA_SU depth bias: one value per triangle, from the registers of the face that it shows."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ..base.floats import float_bits
from ..base.kernel import kernel
from .plane import plane_gradients

_POLY_OFFSET_FRONT_ENABLE: Final = 1 << 11
_POLY_OFFSET_BACK_ENABLE: Final = 1 << 12
_DB_IS_FLOAT_FMT: Final = 1 << 8
_SIXTEENTH: Final = np.float32(0.0625)


@kernel
def bias_enabled(back, sc_mode):
    """Whether the face has a bias at all: POLY_OFFSET_FRONT_ENABLE or POLY_OFFSET_BACK_ENABLE.  [RAST-BIAS-FACE]"""
    return np.int64(sc_mode) & (_POLY_OFFSET_BACK_ENABLE if back else _POLY_OFFSET_FRONT_ENABLE) != 0


@kernel
def exponent_of(magnitude):
    """Unbiased exponent of |z|, at least -126 (zero and denormals).  [RAST-BIAS-EXPONENT]"""
    field = (np.int64(float_bits(magnitude)) >> 23) & 0xFF
    return max(field - 127, np.int64(-126))


@kernel
def bias_unit(largest_z, fmt):
    """What one unit of OFFSET is worth: a power of two, float64.

    `fmt` is PA_SU_POLY_OFFSET_DB_FMT_CNTL: 2^NEG_NUM_DB_BITS, times 2^exponent of the largest |z| when
    DB_IS_FLOAT_FMT is set. A zero word gives 1: an absolute bias.  [RAST-BIAS-UNIT]
    """
    word = np.int64(fmt)
    power = ((word & 0xFF) ^ 0x80) - 0x80
    if word & _DB_IS_FLOAT_FMT:
        power += exponent_of(largest_z)
    return np.int64((power + 1023) << 52).view(np.float64)


@kernel
def larger(a, b):
    """The larger of two float32; the first when one is NaN."""
    return np.float32(b) if b > a else np.float32(a)


@kernel
def largest_magnitude(z0, z1, z2):
    """Largest |z| of three."""
    return larger(larger(abs(z0), abs(z1)), abs(z2))


@kernel
def depth_slope(x0, y0, x1, y1, x2, y2, z0, z1, z2, fraction_bits):
    """max(|dz/dx|, |dz/dy|) per pixel of the snapped triangle's plane, float32.  [RAST-BIAS-SLOPE]"""
    along_x, along_y = plane_gradients(x0, y0, x1, y1, x2, y2, z0, z1, z2, fraction_bits)
    return larger(np.float32(abs(along_x)), np.float32(abs(along_y)))


@kernel
def clamp_bias(bias, clamp):
    """PA_SU_POLY_OFFSET_CLAMP: an upper bound when positive, a lower one when negative.  [RAST-BIAS-CLAMP]"""
    if (clamp > 0 and bias > clamp) or (clamp < 0 and bias < clamp):
        return clamp
    return bias


@kernel
def depth_bias(scale, offset, clamp, slope, largest_z, fmt):
    """OFFSET units plus SCALE sixteenths of the slope, clamped, float32.  [RAST-BIAS-UNIT] [RAST-BIAS-SLOPE]"""
    bias = np.float32(np.float64(offset) * bias_unit(largest_z, fmt))
    if scale != 0:  # 0 times an infinite slope is 0
        bias = np.float32(bias + np.float32(np.float32(scale * _SIXTEENTH) * slope))
    return np.float32(clamp_bias(bias, clamp))


@kernel
def biased_depth(z, bias):
    """Depth plus the bias; a bias of 0 leaves every bit of z.  [RAST-BIAS-ZERO]"""
    if bias == 0:
        return np.float32(z)
    return np.float32(z + bias)


@kernel
def _bias_all(scale, offset, clamp, slope, largest_z, fmt, out):
    for i in range(out.size):
        out[i] = depth_bias(scale[i], offset[i], clamp[i], slope[i], abs(largest_z[i]), fmt[i])


def polygon_offset(scale: npt.ArrayLike, offset: npt.ArrayLike, slope: npt.ArrayLike, largest_z: npt.ArrayLike,
                   fmt: npt.ArrayLike, clamp: npt.ArrayLike = 0.0) -> npt.NDArray[np.float32]:
    """Depth bias of triangles, as the setup unit computes it; arguments broadcast.

    Parameters
    ----------
    scale, offset : float32
        PA_SU_POLY_OFFSET_{FRONT,BACK}_{SCALE,OFFSET}, raw register values (SCALE is 16 times the API's slope factor).
    slope : float32
        max(|dz/dx|, |dz/dy|) per pixel.
    largest_z : float32
        The vertex depth of largest magnitude; its sign does not matter.
    fmt : int
        PA_SU_POLY_OFFSET_DB_FMT_CNTL.
    clamp : float32
        PA_SU_POLY_OFFSET_CLAMP.

    Returns
    -------
    float32
        What is added to the depth of each vertex.
    """
    floats = np.broadcast_arrays(*(np.asarray(a, np.float32) for a in (scale, offset, clamp, slope, largest_z)),
                                 np.asarray(fmt, np.int64))
    shape = floats[0].shape
    out = np.empty(int(np.prod(shape)), np.float32)
    _bias_all(*(np.ascontiguousarray(a).reshape(-1) for a in floats), out)
    return out.reshape(shape)
