"""Coverage of the tile half against exact edge tests on rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
import tile_scene
from hypothesis import given, settings
from hypothesis import strategies as st

from refgpu.raster.coverage import edge_setup, owns_its_samples, span_cut
from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets

SIZE = 64


def counts(triangles, *, bits=8, flags=None, scissor=None, size=SIZE, stencil_ops=5):
    """How often each pixel is covered: stencil incremented on every pass."""
    targets = empty_targets(size, size, stencil=True)
    front = {"STENCIL_FRONT": 7}
    row_i, row_f = tile_scene.state(SUBPIXEL_BITS=bits, STENCIL_ENABLE=1, **front)
    for face in (30, 38):
        row_i[0, face : face + 8] = 7, 0, stencil_ops, 0, 0, 255, 255, 1
    geometry = tile_scene.geometry(triangles, np.zeros((len(triangles), 3)), [(row_i, row_f)], targets, flags=flags,
                                   scissor=scissor)
    statistics = run_tiles(geometry, targets, 1)
    result = tile_scene.plane(targets, targets.stencil)[0]
    assert statistics[0, 0] == statistics[0, 1] == result.sum()
    return result


def exact(triangle, size=SIZE, bits=8):
    """Top-left rule at pixel centres, every number a Fraction."""
    unit = 1 << bits
    points = [(Fraction(int(x), unit), Fraction(int(y), unit)) for x, y in triangle]
    (x0, y0), (x1, y1), (x2, y2) = points
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    result = np.zeros((size, size), np.uint8)
    if area == 0:
        return result
    if area < 0:
        points = [points[0], points[2], points[1]]
    columns = range(max(0, int(min(x for x, _ in points)) - 1), min(size, int(max(x for x, _ in points)) + 1))
    rows = range(max(0, int(min(y for _, y in points)) - 1), min(size, int(max(y for _, y in points)) + 1))
    for j in rows:
        for i in columns:
            px, py = Fraction(2 * i + 1, 2), Fraction(2 * j + 1, 2)
            inside = True
            for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
                side = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
                top = by == ay and bx > ax
                left = by < ay
                inside = inside and (side > 0 or (side == 0 and (top or left)))
            result[j, i] = inside
    return result


half_pixels = st.integers(-8, 2 * 24 + 8).map(lambda v: v * 128)   # vertices on pixel centres and pixel corners
any_place = st.integers(-2000, 24 * 256 + 2000)
corner = st.one_of(st.tuples(half_pixels, half_pixels), st.tuples(any_place, any_place))


@settings(max_examples=40)
@given(st.tuples(corner, corner, corner))
def test_coverage_is_the_exact_top_left_rule(triangle):
    np.testing.assert_array_equal(counts([triangle], size=24), exact(triangle, 24))


@pytest.mark.jit_off
@pytest.mark.parametrize(("triangle", "pixels"), [
    (((128, 128), (128 + 4 * 256, 128), (128, 128 + 4 * 256)), 10),        # all edges through centres: 4+3+2+1
    (((128, 128), (128 + 4 * 256, 128 + 4 * 256), (128, 128 + 4 * 256)), 6),  # 0+1+2+3: left owns, bottom does not
    (((0, 0), (8 * 256, 0), (0, 8 * 256)), 28),                             # diagonal through centres is a right edge
    (((88, 128), (168, 128), (128, 188)), 1),                               # one sample, on the top edge of a speck
    (((88, 128), (168, 128), (128, 68)), 0),                                # ... and on the bottom edge
    (((8 * 256, 0), (8 * 256, 8 * 256), (0, 8 * 256)), 36),                 # ... and here a left one
])
def test_hand_counted_triangles(triangle, pixels):
    covered = counts([triangle], size=16)
    np.testing.assert_array_equal(covered, exact(triangle, 16))
    assert covered.sum() == pixels


@settings(max_examples=25)
@given(corner, corner, corner, corner)
def test_two_triangles_that_share_an_edge_cover_no_pixel_twice(a, b, c, d):
    def side(p):
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    if side(c) * side(d) >= 0:
        return  # both on one side: they overlap
    total = counts([(a, b, c), (b, a, d)], size=24)
    assert total.max(initial=0) <= 1
    np.testing.assert_array_equal(total, exact((a, b, c), 24) + exact((b, a, d), 24))


@settings(max_examples=8)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1), st.sampled_from([(128 + 12 * 256, 128 + 12 * 256), (3000, 2900)]))
def test_a_fan_has_no_hole_and_no_overlap(spokes, seed, centre):
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * np.pi, spokes))
    if np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() > np.pi * 0.95:
        return  # not star shaped around the centre
    rim = [(int(centre[0] + 256 * 14 * np.cos(t)), int(centre[1] + 256 * 14 * np.sin(t))) for t in angles]
    fan = [(centre, rim[k], rim[(k + 1) % spokes]) for k in range(spokes)]
    total = counts(fan, size=24)
    assert total.max() == 1
    outline = sum(exact(t, 24).astype(int) for t in fan)
    np.testing.assert_array_equal(total, outline)


@pytest.mark.parametrize("bits", [8, 10, 12])
def test_finer_subpixels(bits):
    unit = 1 << bits
    triangle = ((unit // 2 + 1, unit // 2), (20 * unit + 3, 7 * unit + 1), (5 * unit, 21 * unit - 1))
    np.testing.assert_array_equal(counts([triangle], bits=bits, size=24), exact(triangle, 24, bits))


@pytest.mark.parametrize("triangle", [
    ((-(1 << 23), -(1 << 23)), ((1 << 23) - 1, 77), (-5, (1 << 23) - 1)),
    ((-(1 << 23), 12 * 256 + 128), ((1 << 23) - 1, 12 * 256 + 127), (12 * 256, (1 << 23) - 1)),
    ((12 * 256 + 128, -(1 << 23)), (12 * 256 + 129, (1 << 23) - 1), (-(1 << 23), 40)),
])
def test_huge_triangles_stay_exact(triangle):
    np.testing.assert_array_equal(counts([triangle], size=24), exact(triangle, 24))


@pytest.mark.jit_off
def test_scissor_cuts_columns_and_rows():
    triangle = ((0, 0), (30 * 256, 0), (0, 30 * 256))
    expected = exact(triangle, 24)
    expected[:3], expected[9:], expected[:, :5], expected[:, 11:] = 0, 0, 0, 0
    np.testing.assert_array_equal(counts([triangle], size=24, scissor=(5, 3, 11, 9)), expected)


@pytest.mark.jit_off
def test_rect_fills_the_box_of_its_vertices():
    # left and top edges through centres belong to it, right and bottom ones do not; the diagonal does not matter
    triangle = ((128 + 2 * 256, 128 + 3 * 256), (128 + 9 * 256, 128 + 3 * 256), (128 + 2 * 256, 128 + 7 * 256))
    expected = np.zeros((24, 24), np.uint8)
    expected[3:7, 2:9] = 1
    np.testing.assert_array_equal(counts([triangle], size=24, flags=tile_scene.rect_flags(1)), expected)


def test_small_and_wide_triangles_across_tiles():
    random = np.random.default_rng(3)
    triangles = random.integers(-256 * 4, 256 * 132, (40, 1, 2)) + random.integers(-256 * 6, 256 * 6, (40, 3, 2))
    triangles = np.concatenate([triangles, random.integers(-256 * 40, 256 * 170, (1, 3, 2))])
    expected = sum(exact(t, 128).astype(int) for t in triangles)
    np.testing.assert_array_equal(counts(triangles, size=128), expected)


@pytest.mark.jit_off
@given(st.integers(-(2**40), 2**40), st.integers(-(2**25), 2**25))
def test_span_is_where_the_edge_value_is_not_negative(k, a):
    begin, end = span_cut(np.int64(k), np.int64(a), np.int32(0), np.int32(64))
    inside = [x for x in range(64) if k + a * x >= 0]
    assert list(range(begin, end)) == inside


@pytest.mark.jit_off
@given(st.tuples(*[st.integers(-(2**22), 2**22)] * 4), st.integers(0, 63), st.integers(0, 63))
def test_edge_steps_keep_the_sign(corners, x, y):
    ax, ay, bx, by = map(np.int32, corners)
    k, a, b = edge_setup(ax, ay, bx, by, 64, 128, 8)
    px, py = (2 * (64 + x) + 1) * 128, (2 * (128 + y) + 1) * 128
    value = (int(bx) - int(ax)) * (py - int(ay)) - (int(by) - int(ay)) * (px - int(ax))
    inside = value > 0 or (value == 0 and bool(owns_its_samples(ax, ay, bx, by)))
    assert (int(k) + int(a) * x + int(b) * y >= 0) == inside
