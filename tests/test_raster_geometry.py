"""Whole geometry stage: console counts, shared edges, viewports and layers, order in bins, threads, JIT off."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raster_helpers import FAN, STRIP, all_records, build, coverage, draw, in_order, state

from refgpu.raster.layout import F, R, S, VertexFlag
from refgpu.raster.workspace import Workspace

FIRST = [(-0.75, -0.75, 0.5), (0.75, -0.75, 0.5), (0, 0.75, 0.5)]
LEFT = [(-0.9, -0.75, 0.25), (0.1, -0.75, 0.25), (-0.4, 0.75, 0.25)]
RIGHT = [(0.1, -0.75, 0.75), (0.9, -0.75, 0.75), (0.5, 0.75, 0.75)]


@pytest.mark.jit_off
@pytest.mark.parametrize(("vertices", "pixels"), [(FIRST, 18432), (LEFT, 12288), (RIGHT, 9830)])
def test_console_counts(vertices, pixels):
    assert coverage(build(draw(vertices))).sum() == pixels


def test_console_union():
    image = coverage(build(draw(LEFT), draw(RIGHT), draw(LEFT)))
    assert (image > 0).sum() == 22118


def misc_bits(layer=0, viewport=0):
    return np.array([layer | viewport << 16], np.uint32).view(np.float32)[0]


def viewport_states(count=2):
    si, sf = state(viewports=count, VERTEX_FLAGS=int(VertexFlag.MISC | VertexFlag.VIEWPORT))
    sf[:, F.XSCALE] = 64
    sf[:, F.XOFFSET] = 64 + 128 * np.arange(count)
    return si, sf


def with_misc(vertices, bits):
    return [(*v, 1, 0, 0, b, 0) for v, b in zip(vertices, bits, strict=True)]


def test_two_viewports_on_the_console():
    left, right = misc_bits(viewport=0), misc_bits(viewport=1)
    image = coverage(build(draw(with_misc(FIRST + FIRST, [left] * 3 + [right] * 3), states=viewport_states())))
    assert image[:, :128].sum() == image[:, 128:].sum() == 9216


@pytest.mark.parametrize(("last", "half"), [(0, 1), (1 << 19, 0)])
def test_the_provoking_vertex_chooses_the_viewport(last, half):
    si, sf = viewport_states()
    si[:, S.SC_MODE] = last
    bits = [misc_bits(viewport=v) for v in (1, 1, 0)]
    geometry = build(draw(with_misc(FIRST, bits), states=(si, sf)))
    image = coverage(geometry)
    assert image.sum() == 9216
    assert image[:, 128 * half : 128 * half + 128].sum() == 9216
    assert all_records(geometry)[0][R.STATE] == half


def test_a_viewport_without_a_state_row_is_0():
    bits = [misc_bits(viewport=9)] * 3
    assert coverage(build(draw(with_misc(FIRST, bits), states=viewport_states())))[:, :128].sum() == 9216


def test_layers():
    flags = int(VertexFlag.MISC | VertexFlag.LAYER)
    rows = [row for layer in range(4) for row in with_misc(FIRST, [misc_bits(layer)] + [misc_bits(0)] * 2)]
    geometry = build(draw(rows, VERTEX_FLAGS=flags, LAYER=1), layers=3)
    assert [coverage(geometry, layer=layer).sum() for layer in range(3)] == [0, 18432, 18432]
    assert geometry.counts["wrong_layer"] == 2
    assert [coverage(build(draw(FIRST, LAYER=1), layers=2), layer=layer).sum() for layer in range(2)] == [0, 18432]


points = st.tuples(st.integers(0, 64 * 4), st.integers(0, 64 * 4))  # quarters of a pixel: often on samples and edges


def clip_space(point, size=64):
    return point[0] / 4 * 2 / size - 1, point[1] / 4 * 2 / size - 1, 0.5


@given(points, points, points, points)
def test_two_triangles_with_a_shared_edge_cover_each_pixel_once(a, b, c, d):
    def side(p):
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    if side(c) * side(d) >= 0:
        return
    vertices = [clip_space(p) for p in (a, b, c, b, a, d)]
    one, two = (build(draw(vertices[i : i + 3], width=64, height=64), width=64, height=64) for i in (0, 3))
    both = build(draw(vertices, width=64, height=64), width=64, height=64)
    image = coverage(both, 64, 64)
    assert image.max() <= 1
    assert (image == coverage(one, 64, 64) + coverage(two, 64, 64)).all()


@given(points.filter(lambda p: 0 < p[0] < 256 and 0 < p[1] < 256))
def test_a_fan_around_a_vertex_has_no_hole_and_no_overlap(centre):
    ring = [(0, 0), (96, 0), (256, 0), (256, 130), (256, 256), (31, 256), (0, 256), (0, 77), (0, 0)]
    vertices = [clip_space(p) for p in [centre, *ring]]
    image = coverage(build(draw(vertices, FAN, width=64, height=64), width=64, height=64), 64, 64)
    assert (image == 1).all()


def soup(seed, count=700, **columns):
    """Random triangles of all sizes, some cut by the near plane or the guard band, some not a number."""
    rng = np.random.default_rng(seed)
    rows = np.ones((count, 3, 9), np.float32)
    centre = rng.uniform(-1.2, 1.2, (count, 1, 2))
    rows[..., :2] = centre + rng.uniform(-1, 1, (count, 3, 2)) * rng.choice([0.02, 0.2, 3], (count, 1, 1))
    rows[..., 2] = rng.uniform(-0.5, 1.2, (count, 3))
    rows[..., 3] = rng.choice([1, 1, 1, 0.5, 2, -1], (count, 3))
    rows[..., 4] = rng.uniform(-1, 3, (count, 3))
    rows[..., 5:] = rng.uniform(0, 1, (count, 3, 4))
    rows[::97, 1, 2] = np.nan
    return draw(rows.reshape(-1, 9), DISTANCE_COUNT=1, CLIP_DISTANCES=1, PARAMETER_COUNT=1, SC_MODE=0x1801,
                BIAS_FORMAT=0x1E9, BIAS_BACK_SCALE=3.0, BIAS_BACK_OFFSET=-7.0, GB_VERT_CLIP=1.5, GB_HORZ_CLIP=1.5,
                **columns)


def everything(geometry):
    """All that the tiles can see, as bytes, in an order that does not depend on where bins lie."""
    parts = [*in_order(geometry), geometry.state_i, geometry.state_f]
    for record in all_records(geometry):
        rows = geometry.triangles[record[R.TRIANGLE], :3]
        parts += [geometry.screen_xy[rows], geometry.screen_zw[rows], geometry.params[rows]]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def test_threads_and_workspaces_do_not_change_a_bit():
    workspace = Workspace()
    build(soup(9, 300), threads=2, workspace=workspace)  # leaves old contents behind
    expected = build(soup(1), soup(2), draw(FIRST), threads=1)
    assert expected.counts["clipped"] > 100
    bits = everything(expected)
    for threads in (1, 2, 3):
        again = build(soup(1), soup(2), draw(FIRST), threads=threads, workspace=workspace)
        assert again.counts == expected.counts
        assert everything(again) == bits


def test_records_that_outgrow_their_first_array():
    many = [(-1, -1, 0.5), (1, -1, 0.5), (-1, 1, 0.5)] * 40
    geometry = build(draw(many, width=640, height=640), width=640, height=640)
    assert geometry.counts["records"] == 40 * 55  # tiles on and above the diagonal of 10 x 10
    for records in in_order(geometry):
        assert (np.diff(records[:, R.PRIMITIVE]) == 1).all()


def test_bins_are_in_draw_and_primitive_order():
    geometry = build(draw(FIRST * 600), draw(FIRST, STRIP), draw(FIRST * 2))
    order = [(int(r[R.STATE]), int(r[R.PRIMITIVE])) for r in in_order(geometry)[5]]
    assert order == [*((0, i) for i in range(600)), (1, 0), (2, 0), (2, 1)]
    assert geometry.bin_begin.shape[0] > 1


def test_many_small_draws_equal_one():
    vertices = np.random.default_rng(3).uniform(-1, 1, (300, 3)).astype(np.float32)
    vertices[:, 2] = 0.5
    one = build(draw(vertices))
    many = build(*[draw(vertices[i : i + 3]) for i in range(0, 300, 3)])
    assert [r[:9].tolist() for r in all_records(one)] == [
        r[:9].tolist() for r in sorted(all_records(many), key=lambda r: int(r[R.TRIANGLE]))]


def test_draws_with_different_parameter_counts_share_a_pass():
    plain = draw(FIRST)
    rich = draw([(*v, 1, *range(8)) for v in FIRST], PARAMETER_COUNT=2)
    geometry = build(plain, rich)
    assert geometry.params.shape[1] == 8
    record = next(r for r in in_order(geometry)[5] if r[R.STATE] == 1)
    assert geometry.params[geometry.triangles[record[R.TRIANGLE], 0]].tolist() == list(range(8))


def test_jit_off_gives_the_same_bits(tmp_path):
    code = ("import sys, numpy as np; sys.path.insert(0, 'tests'); from test_raster_geometry import *; "
            "g = build(soup(4, 60), draw(FIRST), threads=2); open(sys.argv[1], 'wb').write(everything(g))")
    root = Path(__file__).resolve().parent.parent
    results = []
    for off in ("0", "1"):
        out = tmp_path / off
        subprocess.run([sys.executable, "-c", code, str(out)], check=True, cwd=root, timeout=300,
                       env={**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(root)})
        results.append(out.read_bytes())
    assert results[0] == results[1]
    assert len(results[0]) > 10000


def test_empty_targets_and_no_draws():
    assert build().counts["records"] == 0
    assert build(draw(FIRST, SCISSOR_X1=0, SCISSOR_Y1=0), width=0, height=0).counts["records"] == 0
