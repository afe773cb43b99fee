"""Depth bias: units, slope, clamp and faces, on words that documents and consoles give."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from raster_helpers import all_records, build, draw

from refgpu.raster.bias import biased_depth, depth_slope, exponent_of, polygon_offset
from refgpu.raster.layout import R, RecordFlag

Z32F, Z24, Z16, Z24_LOW = 0x1E9, 0xE8, 0xF0, 0xEA


def bits(value):
    return int(np.float32(value).view(np.uint32))


def depths(record):
    return [int(w) & 0xFFFFFFFF for w in record[R.Z0 : R.Z0 + 3]]


def test_one_unit_of_each_format():
    assert polygon_offset(0, 1, 0, 0.5, [Z24, Z16, Z24_LOW, 0]).tolist() == [2**-24, 2**-16, 2**-22, 1.0]
    assert polygon_offset(0, 1, 0, [1.0, 0.75, 0.5, 0.25, 3.0, -3.0], Z32F).tolist() == [
        2**-23, 2**-24, 2**-24, 2**-25, 2**-22, 2**-22]


@pytest.mark.jit_off
@pytest.mark.parametrize("z", [0.0, 1e-40, 2.0**-126])
def test_exponent_of_zero_and_denormals_is_the_smallest(z):
    assert exponent_of(np.float32(z)) == -126
    assert polygon_offset(0, 1, 0, z, Z32F) == np.float32(2.0**-149)


def test_clamp_is_an_upper_or_a_lower_bound():
    assert polygon_offset(0, 1e9, 0, [0.25, 0.75], Z32F, 0.125).tolist() == [0.125, 0.125]
    assert polygon_offset(0, [4, -4], 0, 1, 0, 2).tolist() == [2, -4]
    assert polygon_offset(0, [4, -4], 0, 1, 0, -2).tolist() == [4, -2]
    assert polygon_offset(0, [4, -4], 0, 1, 0, [0, np.nan]).tolist() == [4, -4]


def test_slope_is_in_sixteenths_and_zero_scale_ignores_an_infinite_slope():
    assert polygon_offset(16, 0, 1 / 1024, 1, Z32F) == 1 / 1024
    assert polygon_offset(-17.6, 0, 0.5, 1, 0) == np.float32(np.float32(np.float32(-17.6) / 16) * np.float32(0.5))
    assert polygon_offset(0, 2, np.inf, 1, 0) == 2


@pytest.mark.jit_off
@given(st.floats(-1e9, 1e9, width=32), st.floats(-(2**20), 2**20, width=32), st.floats(0, 1, width=32),
       st.floats(2**-20, 1, width=32), st.sampled_from([Z32F, Z24, Z16, Z24_LOW, 0]))
def test_bias_against_rationals(scale, offset, slope, z, fmt):
    exponent = (fmt & 0xFF) - 256 if fmt & 0x80 else fmt & 0xFF
    if fmt & 0x100:
        exponent += np.frexp(np.float32(z))[1] - 1
    exact = Fraction(offset) * Fraction(2) ** int(exponent) + Fraction(scale) / 16 * Fraction(slope)
    got = Fraction(float(polygon_offset(scale, offset, slope, z, fmt)))
    size = abs(Fraction(offset)) * Fraction(2) ** int(exponent) + abs(Fraction(scale) / 16 * Fraction(slope))
    assert abs(got - exact) <= 3 * size / 2**24 + Fraction(2) ** -149


@pytest.mark.jit_off
@given(st.integers(0, 2**32 - 1))
@example(0x80000000)
def test_bias_zero_leaves_every_bit(word):
    z = np.uint32(word).view(np.float32)
    for zero in (np.float32(0.0), np.float32(-0.0)):
        same = biased_depth(z, zero)
        assert np.float32(same).view(np.uint32) == word or np.isnan(z)


@pytest.mark.jit_off
def test_slope_of_a_plane():
    # z = x / 1024 - y / 256 over pixels
    corners = (0, 0, 1024 * 256, 0, 0, 256 * 256)
    assert depth_slope(*corners, np.float32(0), np.float32(1), np.float32(-1), 8) == np.float32(1 / 256)


COUNTERCLOCKWISE = [(-0.9, -0.8), (-0.5, 0.8), (-0.1, -0.8)]  # on the screen, y down: front with FACE 0
CLOCKWISE = [(0.1, -0.8), (0.9, -0.8), (0.5, 0.8)]


def both_faces(z, **columns):
    """Biased depth words of the front and the back triangle (or None when one is not drawn)."""
    vertices = [(x, y, z) for x, y in COUNTERCLOCKWISE + CLOCKWISE]
    found = {}
    for record in all_records(build(draw(vertices, **columns))):
        found[bool(record[R.FLAGS] & RecordFlag.BACK)] = record
    return [depths(found[back]) if back in found else None for back in (False, True)]


LIVE = 0x01001A48  # both faces biased, polygon mode triangles


@pytest.mark.jit_off
def test_two_faces_opposite_biases():  # case B01
    near, same, far = [0x3EFFFF80] * 3, [0x3F000000] * 3, [bits(0.5 + 2**-18)] * 3
    front, back = {"BIAS_FRONT_OFFSET": -64.0}, {"BIAS_BACK_OFFSET": 64.0}
    state = {"BIAS_FORMAT": Z32F, **front, **back}
    assert both_faces(0.5, SC_MODE=LIVE, **state) == [near, far]
    assert both_faces(0.5, SC_MODE=LIVE & ~0x1000, **state) == [near, same]
    assert both_faces(0.5, SC_MODE=LIVE & ~0x0800, **state) == [same, far]
    assert both_faces(0.5, SC_MODE=LIVE & ~0x1800, **state) == [same, same]
    assert both_faces(0.5, SC_MODE=LIVE | 1, **state) == [None, far]
    assert both_faces(0.5, SC_MODE=LIVE | 2, **state) == [near, None]
    swapped = {"BIAS_FORMAT": Z32F, "BIAS_FRONT_OFFSET": 64.0, "BIAS_BACK_OFFSET": -64.0}
    assert both_faces(0.5, SC_MODE=LIVE, **swapped) == [far, near]


def test_face_bit_swaps_which_triangle_is_front():
    state = {"BIAS_FORMAT": Z32F, "BIAS_FRONT_OFFSET": -64.0, "BIAS_BACK_OFFSET": 64.0}
    vertices = [(x, y, 0.5) for x, y in CLOCKWISE]
    front, = all_records(build(draw(vertices, SC_MODE=LIVE | 4, **state)))
    back, = all_records(build(draw(vertices, SC_MODE=LIVE, **state)))
    assert (front[R.FLAGS] & RecordFlag.BACK, back[R.FLAGS] & RecordFlag.BACK) == (0, 1)
    assert depths(front) == [0x3EFFFF80] * 3
    assert depths(back) == [bits(0.5 + 2**-18)] * 3


def test_title_words_of_a_shadow_map():  # case B02
    got = both_faces(0.25, SC_MODE=LIVE, BIAS_FORMAT=Z32F, BIAS_FRONT_OFFSET=-4.0, BIAS_FRONT_SCALE=-16.0,
                     BIAS_BACK_OFFSET=-4.0, BIAS_BACK_SCALE=-16.0)
    assert got == [[0x3E7FFFF8] * 3] * 2


def test_slope_scale_is_a_sixteenth():  # case B03: z = x / 1024 per pixel
    vertices = [(-1, -1, 0), (-1, 1, 0), (1, -1, 0.25)]
    record, = all_records(build(draw(vertices, SC_MODE=LIVE, BIAS_FORMAT=Z32F, BIAS_FRONT_SCALE=16.0)))
    assert sorted(depths(record)) == sorted(bits(z + 1 / 1024) for z in (0, 0, 0.25))


def test_slope_of_each_face():
    vertices = [(-1, -1, 0), (-1, 1, 0), (1, -1, 0.25)]  # counterclockwise, z = x / 1024
    for order, scale in ((vertices, 16.0), (vertices[::-1], -32.0)):
        record, = all_records(build(draw(order, SC_MODE=LIVE, BIAS_FORMAT=Z32F, BIAS_FRONT_SCALE=16.0,
                                         BIAS_BACK_SCALE=-32.0)))
        assert sorted(depths(record)) == sorted(bits(z + scale / 16 / 1024) for z in (0, 0, 0.25))


def test_bias_of_unorm_formats_is_a_power_of_two():  # case B05: what Z24 then rounds to
    codes = []
    for offset in (0.0, 1.0, 2.0):
        front, _ = both_faces(0.5, SC_MODE=LIVE, BIAS_FORMAT=Z24, BIAS_FRONT_OFFSET=offset)
        z = Fraction(float(np.uint32(front[0]).view(np.float32)))
        codes.append(int(z * (2**24 - 1) + Fraction(1, 2)))
    assert codes == [8388608, 8388608, 8388609]


@pytest.mark.jit_off
def test_clamped_bias_of_the_console():  # case B06
    for z, word in ((0.25, 0x3EC00000), (0.75, 0x3F600000)):
        front, _ = both_faces(z, SC_MODE=LIVE, BIAS_FORMAT=Z32F, BIAS_FRONT_OFFSET=1e9, BIAS_CLAMP=0.125)
        assert front == [word] * 3


@given(st.floats(0, 1, width=32), st.sampled_from([Z32F, Z24, 0]))
def test_zero_registers_leave_depth_alone(z, fmt):
    front, back = both_faces(z, SC_MODE=LIVE, BIAS_FORMAT=fmt, BIAS_CLAMP=0.5)
    assert front == back == [bits(z)] * 3
