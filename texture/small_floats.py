"""Floats of 16, 11 and 10 bits and the shared exponent of 5_9_9_9, on bit patterns: integers in, integers out."""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import kernel
from .number_types import ROUND_EVEN

_SCALE_UP = np.float32(2.0**112)   # moves a 5-bit exponent's bias of 15 to float32's 127
_ONE = np.uint32(1)
_ABS = np.uint32(0x7FFFFFFF)
_INF = np.uint32(0x7F800000)
_E5_INF = np.uint32(0x1F)
_MAX_9995 = np.float32(65408.0)
_HALF = np.float64(0.5)


@kernel
def widen_e5(magnitude, mantissa_bits):
    """float32 bits of an unsigned 5-bit-exponent float; denormals, infinity, NaN payload kept.  [FMT-SMALL-FLOAT]"""
    shift = np.uint32(23 - mantissa_bits)
    moved = np.uint32(np.uint32(magnitude) << shift)
    scaled = float_bits(np.float32(bits_float(moved) * _SCALE_UP))
    special = np.uint32(moved | _INF)
    return special if np.uint32(np.uint32(magnitude) >> np.uint32(mantissa_bits)) == _E5_INF else scaled


@kernel
def narrow_e5(magnitude, mantissa_bits, round_mode):
    """Non-negative float32 bits to an unsigned 5-bit-exponent float.  [FMT-FLOAT-TRUNCATE]

    Toward zero a finite value never becomes infinite; ROUND_EVEN overflows to infinity. NaN stays a (quiet) NaN.
    """
    magnitude = np.uint32(magnitude)
    mantissa = np.uint32(mantissa_bits)
    shift = np.uint32(np.uint32(23) - mantissa)
    infinity = np.uint32(_E5_INF << mantissa)
    even = round_mode == ROUND_EVEN
    # normal: drop the low mantissa bits, then move the bias
    lost = np.uint32((_ONE << shift) - _ONE)
    tie = np.uint32(np.uint32(magnitude >> shift) & _ONE)
    bump = np.uint32(np.uint32(lost >> _ONE) + tie) if even else np.uint32(0)
    normal = np.int64(np.uint32(np.uint32(magnitude + bump) >> shift)) - (np.int64(112) << np.int64(mantissa))
    highest = np.int64(infinity) if even else np.int64(infinity) - 1
    if normal > highest:
        normal = highest
    # denormal: a count of the smallest step, 2^-14 / 2^mantissa_bits
    steps = np.float64(bits_float(magnitude)) * np.float64(np.int64(16384) << np.int64(mantissa))
    if not steps < 4096.0:
        steps = 0.0
    counted = np.int64(np.rint(steps)) if even else np.int64(np.floor(steps))
    result = counted if magnitude < np.uint32(0x38800000) else normal
    if magnitude >= _INF:
        payload = np.uint32(np.uint32(magnitude >> shift) & np.uint32((_ONE << mantissa) - _ONE))
        quiet = np.uint32(_ONE << np.uint32(mantissa - _ONE))
        result = np.int64(infinity)
        if magnitude > _INF:
            result = np.int64(np.uint32(infinity | payload | quiet))
    return np.uint32(result)


@kernel
def half_to_float_bits(half):
    """float32 bits of a half.  [FMT-HALF-EXACT]"""
    half = np.uint32(half)
    sign = np.uint32(np.uint32(half & np.uint32(0x8000)) << np.uint32(16))
    return np.uint32(sign | widen_e5(np.uint32(half & np.uint32(0x7FFF)), np.int64(10)))


@kernel
def float_bits_to_half(bits, round_mode):
    """Half of float32 bits; toward zero as v_cvt_pkrtz_f16_f32, or ROUND_EVEN.  [FMT-FLOAT-TRUNCATE]"""
    bits = np.uint32(bits)
    sign = np.uint32(np.uint32(bits >> np.uint32(16)) & np.uint32(0x8000))
    return np.uint32(sign | narrow_e5(np.uint32(bits & _ABS), np.int64(10), round_mode))


@kernel
def float_bits_to_unsigned_e5(bits, mantissa_bits, round_mode):
    """float10 or float11 of float32 bits: negatives become 0, NaN stays NaN.  [FMT-UFLOAT-NEGATIVE]"""
    bits = np.uint32(bits)
    magnitude = np.uint32(bits & _ABS)
    if bits != magnitude and magnitude <= _INF:
        magnitude = np.uint32(0)
    return narrow_e5(magnitude, mantissa_bits, round_mode)


@kernel
def _clamp_9995(bits):
    value = bits_float(bits)
    if not value > np.float32(0.0):
        return np.float32(0.0)
    return _MAX_9995 if value > _MAX_9995 else value


@kernel
def pack_9995(red, green, blue):
    """5_9_9_9 word of three float32 bit patterns.  [FMT-5999-ENCODE]"""
    r = _clamp_9995(red)
    g = _clamp_9995(green)
    b = _clamp_9995(blue)
    top = r if r > g else g
    top = b if b > top else top
    exponent = np.int64(np.uint32(float_bits(top) >> np.uint32(23))) - 127
    shared = np.int64(0) if exponent < -16 else exponent + 16
    step = np.float64(bits_float(np.uint32((127 + 24 - shared) << 23)))
    if np.floor(np.float64(top) * step + _HALF) == 512.0:
        shared += 1
        step = step * _HALF
    word = np.uint32(np.uint32(shared) << np.uint32(27))
    word = np.uint32(word | np.uint32(np.int64(np.floor(np.float64(r) * step + _HALF))))
    word = np.uint32(word | np.uint32(np.int64(np.floor(np.float64(g) * step + _HALF)) << 9))
    return np.uint32(word | np.uint32(np.int64(np.floor(np.float64(b) * step + _HALF)) << 18))


@kernel
def shared_to_float_bits(mantissa, exponent):
    """float32 bits of one 9-bit mantissa of 5_9_9_9 and its exponent.  [FMT-5999-DECODE]"""
    scale = bits_float(np.uint32(np.uint32(np.uint32(exponent) + np.uint32(127 - 24)) << np.uint32(23)))
    return float_bits(np.float32(np.float32(np.uint32(mantissa)) * scale))
