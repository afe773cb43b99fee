"""sRGB of 8 bits as two small tables, so that no power function runs where bits matter."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.floats import float_bits
from ..base.kernel import kernel


def _linear(code: float) -> float:
    """The transfer function on code / 255."""
    s = code / 255.0
    return s / 12.92 if s <= 0.04045 else math.pow((s + 0.055) / 1.055, 2.4)


def _to_bfloat16(value: float) -> np.uint32:
    """float32 bits of `value` rounded to 8 significant bits, ties to even."""
    bits = int(np.float32(value).view(np.uint32))
    return np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000)


def _round_up(value: float) -> np.float32:
    """Smallest float32 that is not below `value`."""
    nearest = np.float32(value)
    return nearest if float(nearest) >= value else np.nextafter(nearest, np.float32(np.inf))


# [FMT-SRGB-DECODE] rounded to bfloat16 as measured
SRGB_DECODE: npt.NDArray[Any] = np.array([_to_bfloat16(_linear(code)) for code in range(256)], np.uint32)
# [FMT-SRGB-ENCODE] the smallest float32 that rounds to code k + 1: exact curve, then half up
SRGB_STEPS: npt.NDArray[Any] = np.array([_round_up(_linear(code + 0.5)) for code in range(255)] + [np.inf], np.float32)
SRGB_FLOORS: npt.NDArray[Any] = np.array([_round_up(_linear(code + 1.0)) for code in range(255)] + [np.inf], np.float32)
# Codes at the start of each bucket of floats from 2^-13 to 1 (7 mantissa bits): at most one step lies inside a bucket
_FIRST = np.uint32(0x39000000)
_ONE_BITS = np.uint32(0x3F800000)
_BUCKET_BITS = np.uint32(16)
_BUCKETS = (np.arange(int(_FIRST), int(_ONE_BITS), 1 << int(_BUCKET_BITS), dtype=np.uint32)).view(np.float32)
STEP_START: npt.NDArray[Any] = np.searchsorted(SRGB_STEPS, _BUCKETS, side="right").astype(np.uint8)
FLOOR_START: npt.NDArray[Any] = np.searchsorted(SRGB_FLOORS, _BUCKETS, side="right").astype(np.uint8)


@kernel
def _bucket(bits):
    """Bucket of a positive float's bits; below the first one no code has been passed."""
    inside = bits if bits > _FIRST else _FIRST
    inside = inside if inside < _ONE_BITS else np.uint32(_ONE_BITS - np.uint32(1))
    return np.int64(np.uint32(np.uint32(inside - _FIRST) >> _BUCKET_BITS))


@kernel
def srgb_encode(value):
    """8-bit sRGB code of a linear float32: NaN and negatives give 0, above 1 gives 255.  [FMT-SRGB-ENCODE]"""
    if not value > np.float32(0.0):
        return np.uint32(0)
    code = np.int64(STEP_START[_bucket(float_bits(value))])
    return np.uint32(code + 1) if code < 255 and value >= SRGB_STEPS[code] else np.uint32(code)


@kernel
def srgb_truncate(value):
    """Largest 8-bit code whose exact linear value does not exceed `value`: ROUND_MODE truncate.  [FMT-SRGB-ENCODE]"""
    if not value > np.float32(0.0):
        return np.uint32(0)
    code = np.int64(FLOOR_START[_bucket(float_bits(value))])
    return np.uint32(code + 1) if code < 255 and value >= SRGB_FLOORS[code] else np.uint32(code)
