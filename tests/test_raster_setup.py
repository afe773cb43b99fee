"""Facing, culling, rects, pixel ranges and which tiles a record goes to."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from raster_helpers import RECTS, all_records, build, coverage, covers, draw, in_order

from refgpu.base.errors import InputError
from refgpu.raster.bins import misses_tile
from refgpu.raster.facing import doubled_area, is_back, is_culled
from refgpu.raster.layout import R, RecordFlag
from refgpu.raster.setup import axis_aligned, pixel_range

CLOCKWISE = [(-0.5, -0.5, 0.5), (0.5, -0.5, 0.5), (0, 0.5, 0.5)]  # on the screen, y down
COUNTERCLOCKWISE = [CLOCKWISE[i] for i in (0, 2, 1)]
CULL_FRONT, CULL_BACK, FACE = 1, 2, 4


@pytest.mark.jit_off
@pytest.mark.parametrize("mode", range(8))
def test_facing_and_culling(mode):
    for vertices, clockwise in ((CLOCKWISE, True), (COUNTERCLOCKWISE, False)):
        front = clockwise == bool(mode & FACE)
        drawn = not mode & (CULL_FRONT if front else CULL_BACK)
        records = all_records(build(draw(vertices, SC_MODE=mode)))
        assert len(records) == drawn
        for record in records:
            assert record[R.FLAGS] == (0 if front else RecordFlag.BACK)


def test_flipping_the_viewport_turns_the_winding():
    record, = all_records(build(draw(CLOCKWISE, YSCALE=-128)))
    assert record[R.FLAGS] == 0  # counterclockwise on the screen: front with FACE 0


@pytest.mark.jit_off
@given(*[st.integers(-(2**23), 2**23 - 1)] * 6)
def test_area_is_exact_and_turns_with_the_order(x0, y0, x1, y1, x2, y2):
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    assert doubled_area(*map(np.int32, (x0, y0, x1, y1, x2, y2))) == area
    assert doubled_area(x0, y0, x2, y2, x1, y1) == -area


@pytest.mark.jit_off
def test_facing_of_both_windings():
    assert [is_back(a, m) for a in (1, -1) for m in (0, FACE)] == [True, False, False, True]
    assert [is_culled(b, m) for b in (False, True) for m in (CULL_FRONT, CULL_BACK)] == [True, False, False, True]


@pytest.mark.jit_off
@given(st.permutations(range(3)), st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), min_size=3,
                                           max_size=3))
def test_records_have_positive_area_and_keep_the_provoking_vertex(order, points):
    vertices = [(points[i][0] / 32, points[i][1] / 32, i / 4) for i in order]
    geometry = build(draw(vertices, CLIP=1 << 16))
    for record in all_records(geometry):
        assert doubled_area(*record[:6]) > 0
        assert record[:2].tolist() == [(points[order[0]][0] + 32) * 1024, (points[order[0]][1] + 32) * 1024]
        rows = geometry.triangles[record[R.TRIANGLE], :3]
        assert geometry.screen_xy[rows].reshape(-1).tolist() == record[:6].tolist()
        assert geometry.screen_zw[rows, 0].view(np.int32).tolist() == record[R.Z0 : R.Z0 + 3].tolist()


@pytest.mark.jit_off
def test_zero_area_is_not_drawn():
    geometry = build(draw([(-1, -1, 0), (0, 0, 0), (1, 1, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]))
    assert (geometry.counts["zero_area"], geometry.counts["records"]) == (2, 0)


@pytest.mark.jit_off
@given(st.integers(-5000, 5000), st.integers(0, 3000), st.integers(0, 10), st.integers(0, 20),
       st.sampled_from([8, 10, 12]))
def test_pixel_range_holds_exactly_the_centres_inside(lowest, size, first, count, bits):
    begin, end = pixel_range(lowest, lowest + size, first, first + count, bits)
    inside = [p for p in range(first, first + count) if lowest * 2 <= (2 * p + 1) << bits <= (lowest + size) * 2]
    assert list(range(begin, end)) == inside


def test_scissor_and_target_cut_the_ranges():
    record, = all_records(build(draw([(-9, -9, 0), (9, -9, 0), (0, 9, 0)], SCISSOR_X0=10, SCISSOR_Y0=20, SCISSOR_X1=99,
                                     SCISSOR_Y1=66)))
    assert (record[R.X_RANGE], record[R.Y_RANGE]) == (10 | 99 << 16, 20 | 66 << 16)
    assert build(draw(CLOCKWISE, SCISSOR_X1=0)).counts["records"] == 0


@pytest.mark.parametrize("corner", range(3))
@pytest.mark.parametrize("mode", [0, CULL_FRONT | CULL_BACK, FACE])
def test_rects_fill_their_box_whichever_vertex_has_the_right_angle(corner, mode):
    points = [(-0.5, -0.5, 0.25), (-0.5, 0.5, 0.5), (0.5, -0.5, 0.75)]
    vertices = points[corner:] + points[:corner]
    geometry = build(draw(vertices, RECTS, SC_MODE=mode))
    image = coverage(geometry)
    assert image.sum() == 128 * 128
    assert image[64:192, 64:192].all()
    record = all_records(geometry)[0]
    assert record[R.FLAGS] == RecordFlag.RECT
    assert doubled_area(*record[:6]) > 0


def test_a_rect_of_a_full_target_covers_every_pixel():  # case B09, on a smaller target
    geometry = build(draw([(-1, -1, 0), (-1, 1, 0), (1, -1, 0)], RECTS, width=192, height=108), width=192, height=108)
    assert (coverage(geometry, 192, 108) == 1).all()


def test_a_rect_without_a_right_angle_is_an_error_that_names_it():
    tilted = [(-0.5, -0.5, 0), (-0.4, 0.5, 0), (0.5, -0.5, 0)]
    with pytest.raises(InputError, match=r"rect 1 of draw 1 .*16384"):
        build(draw(CLOCKWISE), draw([(-1, -1, 0), (-1, 1, 0), (1, -1, 0), *tilted], RECTS))
    image = coverage(build(draw(tilted, 7)))  # 2D_RECTANGLE: the bounding box of any triangle
    assert image.sum() == 128 * 128


@pytest.mark.jit_off
def test_axis_aligned():
    corners = [(0, 0), (0, 5), (7, 0), (7, 5)]
    for missing in range(4):
        a, b, c = [p for i, p in enumerate(corners) if i != missing]
        for order in ((a, b, c), (b, c, a), (c, a, b), (c, b, a)):
            assert axis_aligned(*[v for p in order for v in p])
    assert not axis_aligned(0, 0, 1, 5, 7, 0)
    assert not axis_aligned(0, 0, 0, 5, 7, 1)


coordinate = st.integers(-(2**12), 2**16)


@given(st.tuples(*[st.tuples(coordinate, coordinate)] * 3))
@example(((16256, 0), (51200, 0), (16256, 51200)))  # the left edge runs through the last column of a tile
def test_a_left_out_tile_has_no_covered_pixel(points):
    (x0, y0), (x1, y1), (x2, y2) = points
    if doubled_area(x0, y0, x1, y1, x2, y2) < 0:
        (x1, y1), (x2, y2) = (x2, y2), (x1, y1)
    record = np.zeros((1, 16), np.int32)
    record[0, :6] = x0, y0, x1, y1, x2, y2
    xs, ys = np.meshgrid(np.arange(256), np.arange(256))
    inside = covers(record[0], 8, xs, ys)
    for tile_y in range(4):
        for tile_x in range(4):
            if misses_tile(record, 0, tile_x, tile_y, 8):
                assert not inside[tile_y * 64 : tile_y * 64 + 64, tile_x * 64 : tile_x * 64 + 64].any()


def test_a_long_thin_triangle_leaves_most_tiles_out():
    geometry = build(draw([(-1, -1, 0), (1, 1, 0), (-0.99, -1, 0)], width=1024, height=1024), width=1024, height=1024)
    used = sum(len(records) > 0 for records in in_order(geometry))
    assert 16 <= used <= 48  # of 256
    assert coverage(geometry, 1024, 1024).sum() > 0


@pytest.mark.parametrize(("scale_y", "top"), [(-128, True), (128, False)])
def test_negative_yscale_turns_the_picture_over(scale_y, top):  # case B08
    image = coverage(build(draw([(-1, 1, 0), (1, 1, 0), (0, 0, 0)], YSCALE=scale_y)))
    assert image[:128].any() == top
    assert image[128:].any() != top


def test_screen_offset_does_not_move_the_picture():  # case B13
    plain = coverage(build(draw(CLOCKWISE)))
    for x, y in ((0x3C * 16, 0x20 * 16), (8176, 8176)):
        assert (coverage(build(draw(CLOCKWISE, SCREEN_OFFSET_X=x, SCREEN_OFFSET_Y=y))) == plain).all()


@pytest.mark.parametrize(("vtx", "bits"), [(0x2D, 8), (0x35, 10), (0x3D, 12), (0x05, 8), (0x25, 8)])
def test_console_triangle_at_every_precision(vtx, bits):
    vertices = [(-0.75, -0.75, 0.5), (0.75, -0.75, 0.5), (0, 0.75, 0.5)]
    assert coverage(build(draw(vertices, VTX=vtx, SUBPIXEL_BITS=bits))).sum() == 18432


def test_pixel_centre_zero_shifts_by_half_a_pixel():
    quad = [(-1, -1, 0), (-1, 1, 0), (1, -1, 0)]
    image = coverage(build(draw(quad, RECTS, VTX=0x2C)))
    assert image.sum() == 256 * 256  # centres (0, 0) to (255, 255): the same pixels, edges on the samples
    tri = coverage(build(draw([(-1 + 1 / 128, -1, 0), (1, -1, 0), (-1 + 1 / 128, 1, 0)], VTX=0x2C)))
    assert not tri[:, 0].any()
    assert tri[0, 1]
