"""SPI_SHADER_COL_FORMAT: what an export keeps of a float, and what the target then stores."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_raster_blend import RGBA8, RGBA32F, draw

from refgpu.raster import export
from refgpu.texture.formats import decode_color

f32 = np.float32
anything = st.one_of(st.integers(0, 2**32 - 1).map(lambda bits: np.uint32(bits).view(np.float32)),
                     st.floats(-1, 1, width=32).map(np.float32), st.floats(-70000, 70000, width=32).map(np.float32))
HALVES = np.sort(np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64))  # 0 .. 65504


def toward_zero(value):
    """The half at or next to zero from a value, by search in the list of all halves."""
    if np.isnan(value) or np.isinf(value):
        return value
    size = HALVES[np.searchsorted(HALVES, abs(float(value)), side="right") - 1]
    return f32(np.copysign(size, value))


@pytest.mark.jit_off
@given(anything)
@example(f32(65519.9))
@example(np.uint32(0x3F801000).view(np.float32))
@example(f32(1e30))
@example(f32(-70000))
@example(f32(np.inf))
@example(f32(6e-8))
@example(f32(5e-8))
@example(f32(-6.1e-5))
@example(f32(2.0**-14))
@example(f32(-0.0))
def test_half_export_rounds_toward_zero(value):
    got = export.half_toward_zero(value)
    wanted = toward_zero(value)
    if np.isnan(value):
        assert np.isnan(got)
    else:
        assert np.float32(got).view(np.uint32) == np.float32(wanted).view(np.uint32)


@pytest.mark.jit_off
@given(st.floats(-1.5, 1.5, width=32))
@example(0.5)
@example(1.0)
def test_norm_exports_are_rounded_half_up(value):
    exact = Fraction(float(f32(value)))
    code = (min(max(exact, 0), 1) * 65535 + Fraction(1, 2)).__floor__()
    assert export.export_norm(f32(value), 0.0, 65535.0) == f32(code / 65535)
    clamped = min(max(exact, -1), 1) * 32767
    code = (clamped + Fraction(1, 2)).__floor__() if clamped >= 0 else -(-clamped + Fraction(1, 2)).__floor__()
    assert export.export_norm(f32(value), -1.0, 32767.0) == f32(code / 32767)


@pytest.mark.jit_off
def test_half_then_unorm8():
    value = f32(128.55 / 255)      # 129 of 255; the half below it is 128.496 of 255
    assert draw((value, 0, 0, 1), (0, 0, 0, 0), format_=RGBA8, export=9)[0, 0, 0] & 255 == 129
    assert draw((value, 0, 0, 1), (0, 0, 0, 0), format_=RGBA8, export=4)[0, 0, 0] & 255 == 128


@pytest.mark.jit_off
@pytest.mark.parametrize(("kind", "expected"), [
    (1, (0.3, 0, 0, 1)), (2, (0.3, 0.6, 0, 1)), (3, (0.3, 0, 0, 0.2)), (9, (0.3, 0.6, 0.9, 0.2)),
])
def test_narrow_exports(kind, expected):
    got = draw((0.3, 0.6, 0.9, 0.2), (0, 0, 0, 0), format_=RGBA32F, export=kind)[0, 0].view(np.float32)
    np.testing.assert_array_equal(got, np.array(expected, np.float32))


@pytest.mark.jit_off
def test_integers_travel_as_bits_and_saturate():
    bits = np.array([0x123, 0x234, 0x345, 2], np.uint32).view(np.float32)
    assert draw(bits, np.zeros(4, np.uint32), format_=(9, 4), export=9)[0, 0, 0] == 0xB458D123     # measured.md 5.9
    assert draw(bits, np.zeros(4, np.uint32), format_=(8, 4), export=9)[0, 0, 0] == 0x00B458D3
    bits = np.array([70000, 5, 65535, 65536], np.uint32).view(np.float32)
    assert draw(bits, np.zeros(4, np.uint32), format_=(14, 4), export=7)[0, 0].tolist() == [65535, 5, 65535, 65535]
    bits = np.array([-40000, 40000, -1, 7], np.int32).view(np.float32)
    assert draw(bits, np.zeros(4, np.int32), format_=(14, 5), export=8)[0, 0].view(np.int32).tolist() == [
        -32768, 32767, -1, 7]


@pytest.mark.jit_off
@pytest.mark.parametrize(("format_", "swap", "word"), [
    (RGBA8, 0, 0xFF804000), (RGBA8, 1, 0xFF004080), (RGBA8, 2, 0x004080FF), (RGBA8, 3, 0x804000FF),
])
def test_component_swap(format_, swap, word):
    assert draw((0, 0.25, 0.5, 1), (0, 0, 0, 0), format_=format_, swap=swap, export=4)[3, 0, 0] == word


@pytest.mark.parametrize("format_", [
    (1, 0), (2, 0), (3, 0), (5, 0), (9, 0), (16, 0), (17, 0), (19, 0), (10, 6), (10, 1), (6, 7), (4, 7), (11, 7),
    (12, 7), (12, 0),
])
def test_formats_store_what_the_encoder_says(format_):
    from refgpu.texture.formats import encode_color
    color = np.array([0.2, 0.4, 0.7, 0.9], np.float32)
    got = draw(color, (0, 0, 0, 0), format_=format_, export=9)
    wanted = encode_color(*format_, 0, color).ravel()
    assert (got == wanted).all()
    assert np.isfinite(decode_color(*format_, 0, wanted)).all()


def test_the_export_cuts_to_the_half_that_a_store_would_pack():
    """The vector form of v_cvt_pkrtz in raster and the bit form in texture are one rule: every sign, exponent, edge."""
    from refgpu.base.floats import bits_float, float_bits
    from refgpu.base.kernel import kernel
    from refgpu.texture.number_types import ROUND_TRUNCATE
    from refgpu.texture.small_floats import float_bits_to_half, half_to_float_bits

    cut, pack, widen = export.half_toward_zero, float_bits_to_half, half_to_float_bits

    @kernel
    def both(bits, one, two):
        for n in range(bits.size):
            one[n] = float_bits(cut(bits_float(bits[n])))
            two[n] = widen(pack(bits[n], ROUND_TRUNCATE))

    high = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    bits = np.concatenate([high | np.uint32(low) for low in (0, 1, 0x1FFF, 0x2000, 0x3FFF, 0xFFFF)])
    bits = bits[~np.isnan(bits.view(np.float32))]
    one, two = np.zeros_like(bits), np.zeros_like(bits)
    both(bits, one, two)
    assert np.array_equal(one, two)
