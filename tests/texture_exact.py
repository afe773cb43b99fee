"""Exact rational arithmetic for texture tests: shares no code with refgpu."""

from fractions import Fraction
from math import floor

import numpy as np


def nearest_even(value):
    """Integer nearest to a rational, ties to even."""
    return round(value)


def to_float32(value):
    """A rational rounded once to float32 (round half even), as a NumPy float32."""
    if value == 0:
        return np.float32(0.0)
    magnitude = abs(value)
    exponent = 0
    while magnitude >= 2:
        magnitude /= 2
        exponent += 1
    while magnitude < 1:
        magnitude *= 2
        exponent -= 1
    exponent = max(exponent, -126)
    step = Fraction(2) ** (exponent - 23)
    rounded = nearest_even(abs(value) / step) * step
    return np.float32(float(rounded if value > 0 else -rounded))


def small_float(bits, mantissa_bits, signed=False):
    """Value of a 5-bit-exponent float: Fraction, or "inf"/"-inf"/"nan"."""
    sign = 1
    if signed:
        sign = -1 if bits >> (mantissa_bits + 5) else 1
        bits &= (1 << (mantissa_bits + 5)) - 1
    exponent, mantissa = bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1)
    if exponent == 31:
        return "nan" if mantissa else ("inf" if sign > 0 else "-inf")
    scale = Fraction(1, 1 << mantissa_bits)
    if exponent == 0:
        return sign * mantissa * scale / (1 << 14)
    return sign * (1 + mantissa * scale) * Fraction(2) ** (exponent - 15)


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def unorm(bits, width):
    return Fraction(bits, (1 << width) - 1)


def snorm(bits, width):
    return max(Fraction(signed(bits, width), (1 << (width - 1)) - 1), Fraction(-1))


def half_up(value):
    return floor(value + Fraction(1, 2))
