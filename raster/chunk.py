"""A chunk of triangles: space that clipping needs, and setup of all of them into records."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .assembly import draw_of, is_rect, triangles_per_primitive
from .bins import count_record
from .clip import CODE_PLANES
from .draw_table import RECT_LIST, D
from .layout import S, VertexFlag
from .pieces import APART, GONE, LOST, MIXED_INPUT, make_pieces, mixes_viewports, original_bias_inputs, planes_crossed
from .pieces import route as route_of
from .setup import BAD_RECT, CULLED, DRAWN, ZERO_AREA, setup_triangle

_DX_RASTERIZATION_KILL: Final = 1 << 22
_PRIM: Final = int(D.PRIM_TYPE)
_INSTANCES: Final = int(D.INSTANCES)
_TRIANGLES: Final = int(D.TRIANGLES)
_FIRST_TRIANGLE: Final = int(D.FIRST_TRIANGLE)
_CLIP: Final = int(S.CLIP)
_LAYER: Final = int(S.LAYER)
_VERTEX_FLAGS: Final = int(S.VERTEX_FLAGS)
_LAYER_FLAG: Final = int(VertexFlag.LAYER)
_NO_SLOPE: Final = np.float32(0)

COUNTS: Final = ("outside", "clipped", "culled", "zero_area", "empty", "wrong_layer")
_OUTSIDE: Final = 0
_CLIPPED: Final = 1
_CULLED: Final = 2
_ZERO_AREA: Final = 3
_EMPTY: Final = 4
_WRONG_LAYER: Final = 5

ERROR_NONE: Final = 0
ERROR_RECT: Final = 1
ERROR_INPUT: Final = 2


@kernel
def draw_end(d, draws):
    """First triangle of the pass that comes after draw d."""
    return draws[d, _FIRST_TRIANGLE] + draws[d, _TRIANGLES] * draws[d, _INSTANCES]


@kernel
def count_pieces(begin, end, draws, state_i, triangles, codes, misc):
    """Vertex rows and triangle rows that clipping needs for triangles [begin, end), at most."""
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    rows = np.int64(0)
    pieces = np.int64(0)
    for t in range(begin, end):
        while t >= draw_end(d, draws):
            d += 1
        r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        mixed = mixes_viewports(d, draws, state_i[triangles[t, 3], _VERTEX_FLAGS], misc, r0, r1, r2)
        if route_of(codes[r0], codes[r1], codes[r2], mixed, is_rect(draws[d, _PRIM])) == APART:
            planes = planes_crossed(codes[r0] | codes[r1] | codes[r2])
            rows += 3 + planes
            pieces += 1 + planes
    return rows, pieces


@kernel
def tally(outcome, counts):
    """Count a triangle that setup did not draw."""
    if outcome == CULLED:
        counts[_CULLED] += 1
    elif outcome == ZERO_AREA:
        counts[_ZERO_AREA] += 1
    elif outcome != DRAWN:
        counts[_EMPTY] += 1


@kernel
def setup_chunk(begin, end, draws, state_i, state_f, triangles, codes, misc, positions, distances, screen_xy, screen_zw,
                params, extra_row, extra_triangle, polygon, spare, linear, tiles_x, tiles_y, layers, scratch,
                tile_counts, counts):
    """Set up triangles [begin, end): records into `scratch`, their number per tile, and what became of the others.

    Returns the number of records in `scratch`, an ERROR_*, and the triangle that had it.
    """
    tile_counts[:] = 0
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    n = np.int64(0)
    for t in range(begin, end):
        while t >= draw_end(d, draws):
            d += 1
        r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        state_row = np.int64(triangles[t, 3])
        if state_i[state_row, _CLIP] & _DX_RASTERIZATION_KILL:
            counts[_OUTSIDE] += 1
            continue
        flags = state_i[state_row, _VERTEX_FLAGS]
        rect = np.int64(0)
        if is_rect(draws[d, _PRIM]):
            rect = np.int64(1) if draws[d, _PRIM] == RECT_LIST else np.int64(2)
        mixed = mixes_viewports(d, draws, flags, misc, r0, r1, r2)
        route = route_of(codes[r0], codes[r1], codes[r2], mixed, rect)
        if route == GONE:
            counts[_OUTSIDE] += 1
            continue
        layer = state_i[state_row, _LAYER]
        if flags & _LAYER_FLAG:
            layer += np.int64(misc[r0]) & 0x7FF
        if layer >= layers:
            counts[_WRONG_LAYER] += 1
            continue
        primitive = (t - draws[d, _FIRST_TRIANGLE]) // triangles_per_primitive(draws[d, _PRIM])
        if route != APART:
            outcome = setup_triangle(t, rect, primitive, layer, False, _NO_SLOPE, _NO_SLOPE, triangles, screen_xy,
                                     screen_zw, state_i, state_f, scratch[n])
            if outcome == DRAWN:
                count_record(scratch[n], state_i, tiles_x, tiles_y, tile_counts)
                n += 1
            elif outcome == BAD_RECT:
                return n, ERROR_RECT, np.int64(t)
            else:
                tally(outcome, counts)
            continue
        crossed = np.int64(codes[r0] | codes[r1] | codes[r2]) & CODE_PLANES
        corners = make_pieces(crossed, triangles[t], extra_row, positions, distances, params, screen_xy, screen_zw,
                              state_i[state_row], state_f[state_row], polygon, spare, linear)
        if corners == MIXED_INPUT:
            return n, ERROR_INPUT, np.int64(t)
        if corners == LOST or corners == 0:
            counts[_OUTSIDE] += 1
            continue
        given, slope, largest_z = original_bias_inputs(crossed, triangles[t], positions, screen_xy, screen_zw,
                                                       state_i[state_row])
        counts[_CLIPPED] += 1
        for i in range(1, corners - 1):
            triangles[extra_triangle, 0] = np.int32(extra_row)
            triangles[extra_triangle, 1] = np.int32(extra_row + i)
            triangles[extra_triangle, 2] = np.int32(extra_row + i + 1)
            triangles[extra_triangle, 3] = np.int32(state_row)
            outcome = setup_triangle(extra_triangle, rect, primitive, layer, given and not mixed, slope, largest_z,
                                     triangles, screen_xy, screen_zw, state_i, state_f, scratch[n])
            if outcome == DRAWN:
                count_record(scratch[n], state_i, tiles_x, tiles_y, tile_counts)
                n += 1
                extra_triangle += 1
            elif outcome == BAD_RECT:
                return n, ERROR_RECT, np.int64(t)
        extra_row += corners
    return n, ERROR_NONE, np.int64(-1)
