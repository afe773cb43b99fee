"""One component on its way between memory and a register: the rules for every number type.

Registers are uint32, as VGPRs are: float32 bits for most types, the integer itself for UINT and SINT.
"""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import kernel
from .number_types import (
    FLOAT,
    FLOAT_CLAMP,
    ROUND_TRUNCATE,
    SINT,
    SNORM,
    SNORM_NZ,
    SRGB,
    SSCALED,
    UINT,
    UNORM,
    USCALED,
)
from .small_floats import float_bits_to_half, float_bits_to_unsigned_e5, half_to_float_bits, widen_e5
from .srgb import SRGB_DECODE, srgb_encode, srgb_truncate

_HALF = np.float64(0.5)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def field_mask(width):
    """Mask of the low `width` bits, 1 to 32."""
    return np.uint32((np.int64(1) << np.int64(width)) - 1)


@kernel
def signed_field(bits, width):
    """Field read as two's complement, int64."""
    value = np.int64(bits)
    return value - (np.int64(1) << np.int64(width)) if value >> (np.int64(width) - 1) else value


@kernel
def unorm_decode(bits, width):
    """Code / (2^n - 1), rounded once.  [FMT-UNORM-DECODE]"""
    return np.float32(np.float32(np.int32(bits)) / np.float32(np.int32(field_mask(width))))


@kernel
def snorm_decode(bits, width):
    """max(v / (2^(n-1) - 1), -1), rounded once.  [FMT-SNORM-DECODE]"""
    highest = (np.int64(1) << (np.int64(width) - 1)) - 1
    value = np.float32(np.float32(signed_field(bits, width)) / np.float32(highest))
    return value if value > -_ONE else -_ONE


@kernel
def snorm_nz_decode(bits, width):
    """(2v + 1) / (2^n - 1): no exact zero.  [FMT-SNORM-NZ]"""
    return np.float32(np.float32(2 * signed_field(bits, width) + 1) / np.float32(np.int64(field_mask(width))))


@kernel
def decode_bits(bits, width, number_type):
    """Register of a stored field: any number type."""
    bits = np.uint32(bits)
    if number_type == UNORM:
        return float_bits(unorm_decode(bits, width))
    if number_type == UINT:
        return bits
    if number_type == SINT:
        return np.uint32(signed_field(bits, width) & 0xFFFFFFFF)
    if number_type == FLOAT:
        if width == 32:
            return bits
        if width == 16:
            return half_to_float_bits(bits)
        return widen_e5(bits, width - 5)
    if number_type == SRGB:
        return SRGB_DECODE[np.int64(bits)]
    if number_type == SNORM:
        return float_bits(snorm_decode(bits, width))
    if number_type == USCALED:
        return float_bits(np.float32(np.int64(bits)))
    if number_type == SSCALED:
        return float_bits(np.float32(signed_field(bits, width)))
    if number_type == SNORM_NZ:
        return float_bits(snorm_nz_decode(bits, width))
    if number_type == FLOAT_CLAMP:
        return float_bits(clamp_unit(bits_float(bits)))
    return np.uint32(0)


@kernel
def decode_channel(bits, width, number_type):
    """Stored field to float32; integers come as their bits.  See `decode_bits`."""
    return bits_float(decode_bits(bits, width, number_type))


@kernel
def clamp_unit(value):
    """Clamp to [0, 1]; NaN gives 0.  [FMT-NAN-TO-ZERO]"""
    if not value > _ZERO:
        return _ZERO
    return value if value < _ONE else _ONE


@kernel
def clamp_signed(value):
    """Clamp to [-1, 1]; NaN gives 0.  [FMT-NAN-TO-ZERO]"""
    value = value if value == value else _ZERO
    value = value if value > -_ONE else -_ONE
    return value if value < _ONE else _ONE


@kernel
def unorm_encode(value, width, round_mode):
    """floor(c * (2^n - 1) + 1/2) of the exact product, or its floor under ROUND_TRUNCATE.  [FMT-UNORM-ENCODE]"""
    highest = np.float64(np.int64(field_mask(width)))
    scaled = np.float64(clamp_unit(np.float32(value))) * highest
    return np.uint32(np.int32(scaled if round_mode == ROUND_TRUNCATE else scaled + _HALF))


@kernel
def snorm_encode(value, width, round_mode):
    """Value * (2^(n-1) - 1), halves away from zero; -1.0 stores -(2^(n-1) - 1).  [FMT-SNORM-ENCODE]"""
    highest = np.float64((np.int64(1) << (np.int64(width) - 1)) - 1)
    scaled = np.float64(clamp_signed(np.float32(value))) * highest
    if round_mode != ROUND_TRUNCATE:
        scaled = scaled + _HALF if scaled >= 0.0 else scaled - _HALF
    return np.uint32(np.uint32(np.int32(scaled)) & field_mask(width))


@kernel
def snorm_nz_encode(value, width, round_mode):
    """Code whose decoded value is nearest below or at c, halves up.  [FMT-SNORM-NZ]"""
    highest = np.float64(np.int64(field_mask(width)))
    scaled = (np.float64(clamp_signed(np.float32(value))) * highest - 1.0) * _HALF
    if round_mode != ROUND_TRUNCATE:
        scaled = scaled + _HALF
    return np.uint32(np.int64(np.floor(scaled)) & np.int64(field_mask(width)))


@kernel
def scaled_encode(value, lowest, highest, width):
    """Float to the integer toward zero, saturated; NaN gives 0.  [FMT-SCALED-ENCODE]"""
    wide = np.float64(value)
    wide = wide if wide == wide else np.float64(0.0)
    wide = wide if wide > np.float64(lowest) else np.float64(lowest)
    wide = wide if wide < np.float64(highest) else np.float64(highest)
    return np.uint32(np.int64(wide) & np.int64(field_mask(width)))


@kernel
def uint_encode(register, width):
    """Unsigned saturation to the field.  [FMT-INT-SATURATE]"""
    register = np.uint32(register)
    highest = field_mask(width)
    return register if register < highest else highest


@kernel
def sint_encode(register, width):
    """Signed saturation to the field.  [FMT-INT-SATURATE]"""
    value = signed_field(np.uint32(register), 32)
    highest = (np.int64(1) << (np.int64(width) - 1)) - 1
    value = value if value < highest else highest
    value = value if value > -highest - 1 else -highest - 1
    return np.uint32(value & np.int64(field_mask(width)))


@kernel
def encode_bits(register, width, number_type, round_mode):
    """Field to store for a register: any number type; `round_mode` as in `number_types`."""
    register = np.uint32(register)
    if number_type == UNORM:
        return unorm_encode(bits_float(register), width, round_mode)
    if number_type == UINT:
        return uint_encode(register, width)
    if number_type == SINT:
        return sint_encode(register, width)
    if number_type == FLOAT:
        if width == 32:
            return register
        if width == 16:
            return float_bits_to_half(register, round_mode)
        return float_bits_to_unsigned_e5(register, width - 5, round_mode)
    if number_type == FLOAT_CLAMP:
        return register
    value = bits_float(register)
    if number_type == SRGB:
        return srgb_truncate(value) if round_mode == ROUND_TRUNCATE else srgb_encode(value)
    if number_type == SNORM:
        return snorm_encode(value, width, round_mode)
    if number_type == USCALED:
        return scaled_encode(value, np.int64(0), np.int64(field_mask(width)), width)
    if number_type == SSCALED:
        highest = (np.int64(1) << (np.int64(width) - 1)) - 1
        return scaled_encode(value, -highest - 1, highest, width)
    if number_type == SNORM_NZ:
        return snorm_nz_encode(value, width, round_mode)
    return np.uint32(0)


@kernel
def encode_channel(value, width, number_type, round_mode):
    """float32 (or integer bits in one) to the stored field.  See `encode_bits`."""
    return encode_bits(float_bits(np.float32(value)), width, number_type, round_mode)
