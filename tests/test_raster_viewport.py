"""Viewport transform and snapping against exact rationals."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refgpu.base.errors import InputError
from refgpu.raster.layout import GeometryVariant
from refgpu.raster.viewport import reciprocal_w, scale_offset, snap_positions, step_bits, subpixel_bits, window_xy

TRUNC, ROUND, EVEN, ODD = range(4)
FRACTION_BITS = {0: 4, 1: 3, 2: 2, 3: 1, 4: 0, 5: 8, 6: 10, 7: 12}


def word(quant=5, mode=EVEN, pix_center=1):
    return quant << 3 | mode << 1 | pix_center


def rounded(value: Fraction, mode: int, variants: int) -> int:
    below, rest = floor(value), value - floor(value)
    if mode == TRUNC:
        return below + 1 if variants & GeometryVariant.SNAP_TO_ZERO and value < 0 and rest else below
    if mode == ROUND:
        if variants & GeometryVariant.SNAP_ROUND_AWAY and value < 0 and rest == Fraction(1, 2):
            return below
        return floor(value + Fraction(1, 2))
    if mode == EVEN:
        return round(value)
    odd = below if below % 2 else below + 1
    if rest == 0:
        return below
    if variants & GeometryVariant.SNAP_JAM_ODD or rest == Fraction(1, 2):
        return odd
    return round(value)


def expected(value, quant, mode, pix_center, centre, variants):
    bits = FRACTION_BITS[quant]
    step = rounded(Fraction(float(value)) * 2**bits, mode, variants)
    shift = max(8 - bits, 0)
    low, high = -(2**23) // 2**shift, (2**23 - 1) // 2**shift
    step = min(max(step, low + centre * 2**bits), high + centre * 2**bits)
    return (step << shift) + (0 if pix_center else 2 ** (bits + shift - 1))


@pytest.mark.jit_off
@given(st.one_of(st.floats(-70000, 70000, width=32), st.integers(-(2**20), 2**20).map(lambda n: n / 8192)),
       st.integers(0, 7), st.integers(0, 3), st.booleans(), st.sampled_from([0, 16, 960, 8176]),
       st.sampled_from([0, 2, 4, 8]))
@example(0.5 / 256, 5, EVEN, True, 0, 0)
@example(-0.5 / 256, 5, ROUND, True, 0, 0)
@example(-0.5 / 256, 5, ROUND, True, 0, 4)
@example(-0.25 / 256, 5, TRUNC, True, 0, 0)
@example(-0.25 / 256, 5, TRUNC, True, 0, 2)
@example(2.5, 4, ODD, True, 0, 0)
@example(2.25, 4, ODD, True, 0, 8)
@example(3000.0, 7, EVEN, True, 0, 0)
@example(3000.0, 7, EVEN, True, 3008, 0)
def test_snapping_is_exact_in_every_mode(value, quant, mode, pix_center, centre, variants):
    value = np.float32(value)
    got = snap_positions(value, word(quant, mode, int(pix_center)), centre=centre, variants=variants)
    assert int(got) == expected(value, quant, mode, pix_center, centre, variants)


@pytest.mark.jit_off
@pytest.mark.parametrize("quant", range(8))
def test_step_and_record_bits(quant):
    assert step_bits(word(quant)) == FRACTION_BITS[quant]
    assert subpixel_bits(word(quant)) == max(FRACTION_BITS[quant], 8)


@pytest.mark.jit_off
@pytest.mark.parametrize(("quant", "low", "high"), [
    (5, -(2**23), 2**23 - 1), (6, -(2**23), 2**23 - 1), (7, -(2**23), 2**23 - 1),
    (0, -(2**23), 2**23 - 16), (4, -(2**23), 2**23 - 256),
])
def test_snapping_saturates(quant, low, high):
    values = np.array([-np.inf, -1e30, 1e30, np.inf], np.float32)
    assert snap_positions(values, word(quant)).tolist() == [low, low, high, high]


def test_a_nan_position_is_an_input_error():
    with pytest.raises(InputError, match="NaN"):
        snap_positions([np.nan], word())


finite = st.floats(-1e6, 1e6, width=32)


def nearest(value: Fraction) -> np.float32:
    """float32 nearest to a rational, ties to even: through float64 with an exactness check."""
    guess = np.float32(float(value))
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(near, key=lambda f: (abs(Fraction(float(f)) - value), int(f.view(np.uint32)) & 1))


@pytest.mark.jit_off
@given(finite, finite, finite)
def test_scale_and_offset_round_separately_or_fused(value, scale, offset):
    value, scale, offset = map(np.float32, (value, scale, offset))
    product = nearest(Fraction(float(value)) * Fraction(float(scale)))
    two = nearest(Fraction(float(product)) + Fraction(float(offset)))
    one = nearest(Fraction(float(value)) * Fraction(float(scale)) + Fraction(float(offset)))
    assert scale_offset(value, scale, offset, 3, 0) == two
    assert scale_offset(value, scale, offset, 3, int(GeometryVariant.VTE_FUSED)) == one
    assert scale_offset(value, scale, offset, 1, 0) == product
    assert scale_offset(value, scale, offset, 2, 0) == nearest(Fraction(float(value)) + Fraction(float(offset)))
    assert scale_offset(value, scale, offset, 0, 0) == value


@pytest.mark.jit_off
def test_rounding_once_differs_from_rounding_twice():
    value, scale, offset = np.float32(1 + 2**-12), np.float32(1 + 2**-12), np.float32(-1)
    assert scale_offset(value, scale, offset, 3, 0) == np.float32(2**-11)
    assert scale_offset(value, scale, offset, 3, int(GeometryVariant.VTE_FUSED)) == np.float32(2**-11 + 2**-24)


@pytest.mark.jit_off
def test_formats_of_the_position():
    w = np.float32(3)
    assert reciprocal_w(w, 1 << 10) == np.float32(1) / np.float32(3)
    assert reciprocal_w(w, 0) == w
    third = np.float32(1) / np.float32(3)
    assert window_xy(np.float32(6), third, np.float32(2), np.float32(1), 0x43F, 0, 0) == 5
    assert window_xy(np.float32(6), third, np.float32(2), np.float32(1), 0x53F, 0, 0) == 13  # VTX_XY_FMT
