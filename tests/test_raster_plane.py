"""The depth plane against exact rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from refgpu.raster.plane import pixel_offset, plane_gradients, plane_row, plane_value

coordinate = st.integers(-(2**15), 2**15)
depth = st.floats(0, 1, width=32)


def value_at(triangle, z, pixel_x, pixel_y, bits=8):
    (x0, y0), (x1, y1), (x2, y2) = triangle
    along_x, along_y = plane_gradients(x0, y0, x1, y1, x2, y2, *map(np.float32, z), bits)
    row = plane_row(np.float32(z[0]), along_y, pixel_offset(pixel_y, y0, bits))
    return plane_value(row, along_x, pixel_offset(pixel_x, x0, bits))


@pytest.mark.jit_off
@given(st.tuples(*[st.tuples(coordinate, coordinate)] * 3), st.tuples(depth, depth, depth),
       st.floats(0, 1), st.floats(0, 1))
def test_plane_is_within_one_ulp_of_the_exact_plane(triangle, z, u, v):
    (x0, y0), (x1, y1), (x2, y2) = triangle
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    assume(area != 0)
    w1, w2 = min(u, 1 - u), min(v, 1 - v)  # a pixel near a point of the triangle
    pixel_x = int(x0 + w1 * (x1 - x0) + w2 * (x2 - x0)) // 256
    pixel_y = int(y0 + w1 * (y1 - y0) + w2 * (y2 - y0)) // 256
    px, py = Fraction(2 * pixel_x + 1, 2) * 256, Fraction(2 * pixel_y + 1, 2) * 256
    w1 = ((px - x0) * (y2 - y0) - (x2 - x0) * (py - y0)) / area
    w2 = ((x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)) / area
    exact = Fraction(z[0]) + w1 * (Fraction(z[1]) - Fraction(z[0])) + w2 * (Fraction(z[2]) - Fraction(z[0]))
    got = value_at(triangle, z, pixel_x, pixel_y)
    assert abs(Fraction(float(got)) - exact) <= Fraction(float(np.spacing(np.float32(max(*z, abs(exact))))))


@pytest.mark.jit_off
@given(depth, st.integers(0, 1000), st.integers(0, 1000))
def test_constant_depth_stays_exact(z, pixel_x, pixel_y):
    triangle = (17, -1000), (70001, 33), (-5, 65537)
    assert value_at(triangle, (z, z, z), pixel_x, pixel_y) == np.float32(z)


def test_slope_of_one_in_1024_is_exact():
    # z = x / 1024: three vertices on the plane, centres at .5
    assert value_at(((0, 0), (1024 * 256, 0), (0, 1024 * 256)), (0.0, 1.0, 0.0), 100, 7) == np.float32(100.5 / 1024)
