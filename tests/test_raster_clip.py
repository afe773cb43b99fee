"""Clipping and culling against exact rationals, and the counts that consoles gave."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raster_helpers import RECTS, all_records, build, coverage, draw, state

from refgpu.base.errors import UnsupportedError
from refgpu.raster.clip import between, cut_parameter, depth_distances, linear_parameter
from refgpu.raster.layout import GeometryVariant, R, RecordFlag, S

NEAR_OFF, FAR_OFF, CLIP_OFF, DX = 1 << 26, 1 << 27, 1 << 16, 1 << 19
ROOF = [(-0.75, -0.75, 0.5), (0.75, -0.75, 0.5), (0, 0.75, 0.5)]


def z_words(geometry):
    return [np.array(r[R.Z0 : R.Z0 + 3], np.int32).view(np.float32).tolist() for r in all_records(geometry)]


def test_clip_distance_on_the_console():
    rows = [(*v, 1, v[0]) for v in ROOF]
    geometry = build(draw(rows, DISTANCE_COUNT=1, CLIP_DISTANCES=1))
    image = coverage(geometry)
    assert image.sum() == 9216
    assert image.max() == 1
    assert not image[:, :128].any()
    assert coverage(build(draw(rows, DISTANCE_COUNT=1))).sum() == 18432


def test_cull_distance_on_the_console():
    left = [(-0.875, -0.375, 0.5, 1, -1), (-0.125, -0.375, 0.5, 1, -1), (-0.5, 0.375, 0.5, 1, -1)]
    right = [(-x, y, z, w, 1) for x, y, z, w, _ in left]
    image = coverage(build(draw(left + right, DISTANCE_COUNT=1, CULL_DISTANCES=1)))
    assert image.sum() == 4608
    assert not image[:, :128].any()


@pytest.mark.jit_off
@pytest.mark.parametrize(("distances", "drawn"), [((-1, -1, -1), 0), ((-1, -1, 0), 1), ((np.nan,) * 3, 0),
                                                  ((np.nan, np.nan, 1), 1), ((-0.0,) * 3, 1)])
def test_cull_distance_needs_all_vertices(distances, drawn):
    rows = [(*v, 1, d) for v, d in zip(ROOF, distances, strict=True)]
    assert len(all_records(build(draw(rows, DISTANCE_COUNT=1, CULL_DISTANCES=1)))) == drawn


def test_distances_belong_to_their_own_number():
    rows = [(*v, 1, 1, -1, v[0]) for v in ROOF]
    assert coverage(build(draw(rows, DISTANCE_COUNT=3, CLIP_DISTANCES=0b100))).sum() == 9216
    assert build(draw(rows, DISTANCE_COUNT=3, CLIP_DISTANCES=0b010)).counts["records"] == 0
    assert coverage(build(draw(rows, DISTANCE_COUNT=3, CULL_DISTANCES=0b101))).sum() == 18432


@pytest.mark.jit_off
@pytest.mark.parametrize(("z", "clip", "drawn"), [
    (-0.5, DX, 0), (-0.5, 0, 1), (-1.5, 0, 0), (1.5, DX, 0), (1.5, 0, 0), (-0.0, DX, 1), (1.0, DX, 1),
    (-0.5, DX | NEAR_OFF, 1), (1.5, DX | NEAR_OFF, 0), (1.5, DX | FAR_OFF, 1), (-0.5, DX | FAR_OFF, 0),
    (1.5, DX | CLIP_OFF, 1), (-9.0, NEAR_OFF | FAR_OFF, 1),
])
def test_depth_planes(z, clip, drawn):
    assert len(all_records(build(draw([(x, y, z) for x, y, _ in ROOF], CLIP=clip)))) == drawn


def test_rasterization_kill():
    assert build(draw(ROOF, CLIP=DX | 1 << 22)).counts["records"] == 0


@pytest.mark.jit_off
def test_the_w_plane_is_at_the_smallest_normal_number():
    tiny = np.float32(2.0**-126)
    fronts = [float(depth_distances(np.float32(0), np.float32(w), 0)[2]) for w in (0, tiny / 2, tiny, 2 * tiny, -1)]
    assert [front >= 0 for front in fronts] == [False, False, True, True, False]


@pytest.mark.jit_off
@pytest.mark.parametrize("clip", [DX, DX | NEAR_OFF | FAR_OFF])
def test_nothing_behind_the_eye_is_drawn(clip):
    behind = [(x, y, 0.5, w) for (x, y, _), w in zip(ROOF, (-1, -2, 0), strict=True)]
    assert build(draw(behind, CLIP=clip)).counts["records"] == 0


def test_a_vertex_behind_the_eye():
    # seen from above: a floor that runs from w = 3 back behind the eye; its horizon is y = 0 on the screen
    floor = [(-1, 1, 0.0, 3), (1, 1, 0.0, 3), (0, 1, 0.0, -2)]
    geometry = build(draw([(x, y, z * w, w) for x, y, z, w in floor], CLIP=DX | NEAR_OFF | FAR_OFF, GB_VERT_CLIP=4,
                          GB_HORZ_CLIP=4))
    image = coverage(geometry)
    assert image.max() == 1
    rows = np.flatnonzero(image.any(axis=1))
    assert (rows.min(), rows.max()) == (171, 255)  # y / w from 1/3 on: pixel centres from 170.67 to the border


@pytest.mark.parametrize("adj", [1.0, 2.0, 50.0])
def test_the_guard_band_only_moves_where_pieces_begin(adj):
    big = [(-3, -3, 0.25), (9, -3, 0.25), (-3, 9, 0.25)]
    geometry = build(draw(big, width=64, height=64, GB_VERT_CLIP=adj, GB_HORZ_CLIP=adj), width=64, height=64)
    assert (coverage(geometry, 64, 64) == 1).all()
    assert geometry.counts["clipped"] == int(adj < 9)
    assert {z for words in z_words(geometry) for z in words} == {0.25}


def test_discard_band():
    outside = [(x + 1.76, y, z) for x, y, z in ROOF]
    assert len(all_records(build(draw(outside, SCISSOR_X1=256)))) == 0
    shifted = build(draw(outside, GB_HORZ_DISC=4, XOFFSET=0))
    assert len(all_records(shifted)) == 1
    assert len(all_records(build(draw(outside, XOFFSET=0)))) == 0


near_far = st.floats(-2, 3, width=32)


@pytest.mark.jit_off
@given(st.tuples(near_far, near_far, near_far))
def test_depth_of_new_vertices_against_rationals(zs):
    """Clipping z = ax + by + c to [0, 1]: every vertex of every piece lies on the plane and inside."""
    vertices = [(x, y, z) for (x, y, _), z in zip(ROOF, zs, strict=True)]
    geometry = build(draw(vertices))
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = [tuple(map(Fraction, map(float, v))) for v in vertices]
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    for record in all_records(geometry):
        for row in geometry.triangles[record[R.TRIANGLE], :3]:
            sx, sy = (Fraction(int(c), 256 * 128) - 1 for c in geometry.screen_xy[row])
            w1 = ((sx - x0) * (y2 - y0) - (x2 - x0) * (sy - y0)) / area
            w2 = ((x1 - x0) * (sy - y0) - (sx - x0) * (y1 - y0)) / area
            exact = z0 + w1 * (z1 - z0) + w2 * (z2 - z0)
            got = Fraction(float(geometry.screen_zw[row, 0]))
            assert abs(got - exact) < Fraction(1, 2000)  # half a 1/256 step of x and y on the steepest plane
            assert Fraction(-1, 10**6) <= got <= 1 + Fraction(1, 10**6)


@pytest.mark.jit_off
@given(st.floats(0, 1e6, width=32), st.floats(-1e6, -2**-20, width=32), st.floats(-1e3, 1e3, width=32),
       st.floats(-1e3, 1e3, width=32))
def test_a_new_vertex_is_within_rounding_of_the_exact_one(inside, outside, a, b):
    exact_t = Fraction(inside) / (Fraction(inside) - Fraction(outside))
    t = cut_parameter(np.float32(inside), np.float32(outside))
    assert abs(Fraction(float(t)) - exact_t) <= exact_t / 2**22 + Fraction(1, 2**148)
    got = Fraction(float(between(np.float32(a), np.float32(b), t)))
    exact = Fraction(a) + exact_t * (Fraction(b) - Fraction(a))
    assert abs(got - exact) <= (abs(Fraction(a)) + abs(Fraction(b))) / 2**21 + Fraction(1, 2**140)


@given(st.lists(st.tuples(*[st.integers(-300, 300).map(lambda n: n / 100)] * 3), min_size=3, max_size=3))
def test_pieces_cover_what_the_whole_covers(vertices):
    """Flat depth, guard band at the border: pieces of a triangle overlap nowhere and lose no pixel inside."""
    size = 32
    flat = [(x, y, 0.5) for x, y, _ in vertices]
    whole = coverage(build(draw(flat, width=size, height=size), width=size, height=size), size, size)
    cut = coverage(build(draw(flat, width=size, height=size, GB_VERT_CLIP=1, GB_HORZ_CLIP=1), width=size,
                         height=size), size, size)
    assert cut.max() <= 1
    assert np.abs(whole - cut).sum() <= 4  # cuts are snapped to 1/256, so an edge may move by half a step


def two_inputs(rows, same=False):
    si, sf = state(PARAMETER_COUNT=2, PS_INPUTS=2, FLAT=0b10)
    si[:, S.INPUT + 1] = 0 if same else 1
    return draw(rows, states=(si, sf))


def test_flat_parameter_of_a_clipped_provoking_vertex():
    rows = [(*v, 1, *([i + 1.0] * 8)) for i, v in enumerate([(-0.5, -0.5, -1), (0.5, -0.5, 0.5), (0, 0.5, 0.5)])]
    geometry = build(two_inputs(rows))
    pieces = all_records(geometry)
    assert len(pieces) == 2
    for record in pieces:
        corner = geometry.triangles[record[R.TRIANGLE], 0]
        assert geometry.params[corner, 4:8].tolist() == [1.0] * 4        # flat: the clipped vertex's value
        assert 1.0 < geometry.params[corner, 0] < 3.0                    # smooth: interpolated


def test_a_parameter_read_flat_and_smooth_is_refused_when_clipped():
    rows = [(*v, 1, *([i + 1.0] * 8)) for i, v in enumerate([(-0.5, -0.5, -1), (0.5, -0.5, 0.5), (0, 0.5, 0.5)])]
    with pytest.raises(UnsupportedError, match="FLAT_SHADE"):
        build(two_inputs(rows, same=True))


@pytest.mark.jit_off
def test_bias_of_a_clipped_triangle():
    # w = 1 everywhere: z from 0.25 to 1.75, cut at 1; exponent 0 comes from the whole, -1 or 0 from the pieces
    rows = [(-0.9, -0.9, 0.25), (-0.9, 0.9, 0.25), (0.9, -0.9, 4.25)]
    columns = {"SC_MODE": 1 << 11, "BIAS_FORMAT": 0x1E9, "BIAS_FRONT_OFFSET": float(2**16)}
    whole = build(draw(rows, **columns))
    pieces = build(draw(rows, VARIANTS=int(GeometryVariant.BIAS_OF_PIECES), **columns))
    for geometry, unit in ((whole, 2.0**-21), (pieces, 2.0**-23)):
        biases = set()
        for record in all_records(geometry):
            z = np.array(record[R.Z0 : R.Z0 + 3], np.int32).view(np.float32)
            plain = geometry.screen_zw[geometry.triangles[record[R.TRIANGLE], :3], 0]
            biases |= set(np.round((z - plain) * 2**16).tolist())
        assert biases == {float(2**16 * unit) * 2**16}


@pytest.mark.jit_off
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("component", range(4))
def test_not_a_number_and_infinity(bad, component):
    rows = [list((*v, 1)) for v in ROOF]
    rows[1][component] = bad
    with_clip = build(draw(rows))
    assert with_clip.counts["records"] == 0 or (component == 3 and bad == np.inf)
    open_clip = build(draw(rows, CLIP=CLIP_OFF | DX))
    if np.isnan(bad):
        assert open_clip.counts["records"] == 0
    for geometry in (with_clip, open_clip):
        for record in all_records(geometry):
            assert np.abs(record[:6].astype(np.int64)).max() <= 2**23


def test_huge_vertices_saturate_when_nothing_clips():
    rows = [(-1e30, -1e30, 0.5), (1e30, -1e30, 0.5), (0, 1e30, 0.5)]
    record, = all_records(build(draw(rows, CLIP=CLIP_OFF | DX)))
    assert sorted(set(record[:6].tolist())) == [-(2**23), 128 * 256, 2**23 - 1]


@pytest.mark.jit_off
def test_rects_are_never_cut():
    rows = [(-3, -3, 0.5), (-3, 3, 0.5), (3, -3, 0.5)]
    record, = all_records(build(draw(rows, RECTS, GB_VERT_CLIP=1, GB_HORZ_CLIP=1)))
    assert record[R.FLAGS] & RecordFlag.RECT
    assert build(draw([(x, y, 2.0) for x, y, _ in rows], RECTS)).counts["records"] == 0


def test_attributes_that_are_linear_on_the_screen():
    """An edge from w = 1 to w = 3 cut in the middle of clip space is cut at 3/4 of its length on the screen."""
    t = np.float32(0.5)
    assert linear_parameter(t, np.float32(1), np.float32(3)) == np.float32(0.75)
    assert linear_parameter(t, np.float32(1), np.float32(-3)) == t
    rows = [(-0.5, -0.5, 0.5, 1, *[0.0] * 4), (1.5, -1.5, -0.5, 3, *[1.0] * 4), (-0.5, 0.5, 0.5, 1, *[0.0] * 4)]
    for clip, value in ((DX, 0.5), (DX | 1 << 24, 0.75)):
        geometry = build(draw(rows, CLIP=clip, PARAMETER_COUNT=1, PS_INPUTS=1, LINEAR=1))
        used = {row for r in all_records(geometry) for row in geometry.triangles[r[R.TRIANGLE], :3]}
        assert {float(v) for row in used for v in geometry.params[row]} == {0.0, value}
