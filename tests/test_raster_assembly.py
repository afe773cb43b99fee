"""Which vertices make which triangles: strips, fans, quads, restart, provoking vertex, index fetch in place."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raster_helpers import FAN, LISTS, QUAD_STRIP, QUADS, RECTS, STRIP, all_records, build, coverage, draw, i64

from refgpu.base.errors import UnsupportedError
from refgpu.base.kernel import callback
from refgpu.base.pointers import int32_at
from refgpu.raster.assembly import fetch_index, split_at_restarts, triangle_corners, triangle_count
from refgpu.raster.layout import USER_DATA_WORDS, R

TYPES = (LISTS, FAN, STRIP, RECTS, QUADS, QUAD_STRIP)
LAST = 1 << 19  # PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST


def triangles(prim_type, vertices, last=0):
    return [tuple(int(c) for c in triangle_corners(prim_type, last, i))
            for i in range(int(triangle_count(prim_type, vertices)))]


@pytest.mark.jit_off
def test_corners_in_the_documents_order():
    assert triangles(LISTS, 7) == [(0, 1, 2), (3, 4, 5)]
    assert triangles(STRIP, 5) == [(0, 1, 2), (1, 3, 2), (2, 3, 4)]
    assert triangles(FAN, 5) == [(1, 2, 0), (2, 3, 0), (3, 4, 0)]
    assert triangles(QUADS, 8) == [(0, 1, 2), (0, 2, 3), (4, 5, 6), (4, 6, 7)]
    assert triangles(QUAD_STRIP, 6) == [(0, 1, 3), (0, 3, 2), (2, 3, 5), (2, 5, 4)]


@pytest.mark.jit_off
def test_provoking_vertex_last():
    assert [t[0] for t in triangles(LISTS, 6, 1)] == [2, 5]
    assert [t[0] for t in triangles(STRIP, 5, 1)] == [2, 3, 4]
    assert [t[0] for t in triangles(FAN, 5, 1)] == [2, 3, 4]
    assert [t[0] for t in triangles(QUADS, 8, 1)] == [3, 3, 7, 7]
    assert [t[0] for t in triangles(QUAD_STRIP, 6, 1)] == [3, 3, 5, 5]


def turned(triangle):
    """A triangle from its smallest vertex on: equal for equal windings."""
    at = triangle.index(min(triangle))
    return triangle[at:] + triangle[:at]


@pytest.mark.jit_off
@given(st.sampled_from((LISTS, FAN, STRIP, RECTS, QUAD_STRIP)), st.integers(0, 30))
def test_provoking_rotation_keeps_the_winding(prim_type, vertices):
    first, last = triangles(prim_type, vertices), triangles(prim_type, vertices, 1)
    assert [turned(t) for t in first] == [turned(t) for t in last]


@pytest.mark.jit_off
@given(st.integers(0, 30))
def test_quads_keep_their_outline_whatever_the_diagonal(vertices):
    for last in (0, 1):
        tris = triangles(QUADS, vertices, last)
        for q in range(vertices // 4):
            edges = [edge for t in tris[2 * q : 2 * q + 2] for edge in zip(t, t[1:] + t[:1], strict=True)]
            outline = {e for e in edges if (e[1], e[0]) not in edges}
            assert outline == {(4 * q + i, 4 * q + (i + 1) % 4) for i in range(4)}


@pytest.mark.jit_off
@given(st.sampled_from(TYPES), st.lists(st.integers(0, 5), max_size=40), st.sampled_from([0, 1]),
       st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_restart_splits_into_independent_runs(prim_type, indices, last, dtype):
    restart = 5
    buffer = np.array(indices, dtype)
    table = np.empty((100, 3), np.int32)
    total = split_at_restarts(buffer.ctypes.data, buffer.itemsize, buffer.size, buffer.size, restart, prim_type, last,
                              table)
    got = [tuple(buffer[row]) for row in table[:total]]
    expected, run = [], []
    for index in [*indices, restart]:
        if index == restart:
            expected += [tuple(run[c] for c in t) for t in triangles(prim_type, len(run), last)]
            run = []
        else:
            run.append(index)
    assert got == expected


@pytest.mark.jit_off
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_indices_are_zero_extended_and_zero_past_the_end(dtype):
    buffer = np.array([1, np.iinfo(dtype).max], dtype)
    got = [int(fetch_index(buffer.ctypes.data, buffer.itemsize, buffer.size, i)) for i in range(4)]
    assert got == [1, np.iinfo(dtype).max, 0, 0]


def grid(n=8):
    """n x n vertices over the target; their index tells their place."""
    at = np.linspace(-1, 1, n)
    return [(x, y, 0.5) for y in at for x in at]


def corner_sets(geometry):
    """Snapped corners of every drawn triangle in order."""
    return [tuple(sorted((int(r[2 * i]), int(r[2 * i + 1])) for i in range(3))) for r in all_records(geometry)]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("offset", [0, 3, -1])
def test_an_indexed_draw_equals_the_unrolled_one(dtype, offset):
    vertices = grid()
    indices = np.array([9, 10, 18, 18, 10, 19, 40, 41, 50, 9, 50, 10], dtype)
    unrolled = [vertices[i + offset] for i in indices.tolist()]
    indexed = build(draw(vertices, indices=indices, index_offset=offset))
    assert corner_sets(indexed) == corner_sets(build(draw(unrolled)))
    assert indexed.counts["vertices_shaded"] == len(set(indices.tolist()))


def test_sparse_indices_are_shaded_by_position():
    vertices = grid()
    indices = np.array([2**32 - 1, 0, 8], np.uint32)  # the offset brings the first to 8
    geometry = build(draw(vertices, indices=indices, index_offset=9))
    assert geometry.counts["vertices_shaded"] == 3
    assert corner_sets(geometry) == corner_sets(build(draw([vertices[i] for i in (8, 9, 17)])))


def test_reads_past_the_index_buffer_are_vertex_0():
    vertices = grid()
    short = np.array([9, 10], np.uint16)
    got = build(draw(vertices, indices=short, count=3))
    assert corner_sets(got) == corner_sets(build(draw([vertices[i] for i in (9, 10, 0)])))


@pytest.mark.parametrize("spread", [1, 1000])
def test_restart_strip(spread):
    vertices = np.repeat(grid(), spread, axis=0)[: 65 * spread]
    order = [0, 1, 8, 9, 0xFFFF, 20, 21, 28, 0xFFFF, 0xFFFF, 3]
    indices = np.array([i if i == 0xFFFF else i * spread for i in order], np.uint32)
    geometry = build(draw(vertices, STRIP, indices=indices, restart=0xFFFF))
    assert len(corner_sets(geometry)) == 3
    assert corner_sets(geometry)[2] == corner_sets(build(draw([vertices[i * spread] for i in (20, 21, 28)])))[0]
    assert [int(r[R.PRIMITIVE]) for r in all_records(geometry)] == [0, 1, 2]


@callback(numba.void(i64, i64, i64, i64, i64))
def largest_index(inputs, outputs, constants, lanes, live):
    """Writes the largest vertex index that it was given behind the user data."""
    index, largest = int32_at(inputs, lanes), int32_at(constants + 4 * USER_DATA_WORDS, 1)
    for lane in range(lanes):
        largest[0] = max(largest[0], index[lane])


@pytest.mark.parametrize("spread", [1, 1000])
def test_the_restart_index_is_never_shaded(spread):
    indices = np.array([0, spread, 2 * spread, 0xFFFFFF, 0, spread, 2 * spread], np.uint32)
    one = draw(grid(), STRIP, indices=indices, restart=0xFFFFFF)
    seen = np.zeros(USER_DATA_WORDS + 1, np.int32)
    one.vertex_shader, one.vertex_constants = largest_index.address, seen.ctypes.data
    build(one)
    assert seen[USER_DATA_WORDS] == 2 * spread


def test_instances_repeat_the_list():
    vertices = np.array([(-1, -1, 0), (-0.5, -1, 0), (-1, -0.5, 0), (0, 0, 0), (0.5, 0, 0), (0, 0.5, 0)])
    geometry = build(draw(vertices, count=3, instances=2, per_instance=3))
    assert corner_sets(geometry) == corner_sets(build(draw(vertices)))
    assert geometry.counts["vertices"] == 6


def test_quad_strip_in_z_order_is_a_full_quad():  # case B17
    geometry = build(draw([(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)], QUAD_STRIP, width=64, height=64), width=64,
                     height=64)
    assert (coverage(geometry, 64, 64) == 1).all()
    assert [int(r[R.PRIMITIVE]) for r in all_records(geometry)] == [0, 0]
    diagonal = {tuple(c) for r in all_records(geometry) for c in r[:6].reshape(3, 2).tolist()}
    assert len(diagonal) == 4
    shared = [set(map(tuple, r[:6].reshape(3, 2).tolist())) for r in all_records(geometry)]
    assert shared[0] & shared[1] == {(0, 0), (64 * 256, 64 * 256)}


@pytest.mark.parametrize(("last", "value"), [(0, 1.0), (LAST, 3.0)])
def test_flat_attribute_comes_from_the_provoking_vertex(last, value):  # case B18
    rows = [(-1, -1, 0, 1, 1, 1, 1, 1), (1, -1, 0, 1, 2, 2, 2, 2), (0, 1, 0, 1, 3, 3, 3, 3)]
    geometry = build(draw(rows, PARAMETER_COUNT=1, SC_MODE=last, FLAT=1, PS_INPUTS=1))
    record, = all_records(geometry)
    assert geometry.params[geometry.triangles[record[R.TRIANGLE], 0]].tolist() == [value] * 4


@pytest.mark.parametrize("prim_type", [1, 2, 3, 9, 10, 12, 18, 21])
def test_other_primitives_are_refused_by_name(prim_type):
    with pytest.raises(UnsupportedError, match=r"VGT_PRIMITIVE_TYPE\.PRIM_TYPE"):
        build(draw(grid(), prim_type))


def test_too_many_vertices_are_refused():
    with pytest.raises(UnsupportedError, match="vertices in one pass"):
        build(draw(grid(), count=2**32 - 1, instances=2**32 - 1))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_an_incomplete_primitive_draws_nothing(count):
    geometry = build(draw(grid(), count=count), draw(grid(), STRIP, count=count, instances=5))
    assert geometry.counts["records"] == 0
    assert geometry.counts["vertices_shaded"] == 0
    assert build().counts["records"] == 0
