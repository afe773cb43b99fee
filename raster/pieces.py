"""Triangles that do not go straight to setup: clipped ones, and those whose vertices chose different viewports."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .assembly import draw_end, draw_of, is_rect
from .bias import depth_slope, largest_magnitude
from .clip import CODE_DROP, CODE_NAN, CODE_PLANES, PLANES, clip_polygon
from .draw_table import D
from .facing import doubled_area
from .layout import GeometryVariant, S, VertexFlag
from .vertex_stage import store_window_position
from .viewport import viewport_of

_DX_LINEAR_ATTR_CLIP_ENA: Final = 1 << 24
_PRIM: Final = int(D.PRIM_TYPE)
_FIRST_TRIANGLE: Final = int(D.FIRST_TRIANGLE)
_VERTEX_FLAGS: Final = int(S.VERTEX_FLAGS)
_VIEWPORT_FLAG: Final = int(VertexFlag.VIEWPORT)
_VIEWPORTS: Final = int(D.VIEWPORTS)
_CLIP: Final = int(S.CLIP)
_SUBPIXEL_BITS: Final = int(S.SUBPIXEL_BITS)
_VARIANTS: Final = int(S.VARIANTS)
_DISTANCES: Final = int(S.DISTANCE_COUNT)
_PARAMETERS: Final = int(S.PARAMETER_COUNT)
_PS_INPUTS: Final = int(S.PS_INPUTS)
_FLAT: Final = int(S.FLAT)
_LINEAR: Final = int(S.LINEAR)
_INPUT: Final = int(S.INPUT)
_BIAS_OF_PIECES: Final = int(GeometryVariant.BIAS_OF_PIECES)
_GUARD_BAND: Final = 15 << 3
_LARGEST: Final = np.float32(np.finfo(np.float32).max)
_ZERO: Final = np.float32(0)
_PARAMETER_FLOATS: Final = 128

POSITION: Final = 0               # columns of a polygon's vertex
DISTANCE: Final = 4
PARAMETER: Final = 12
POLYGON_VERTICES: Final = 3 + PLANES
POLYGON_FLOATS: Final = PARAMETER + _PARAMETER_FLOATS

STRAIGHT: Final = 0               # what `route` says: to setup as it is
GONE: Final = 1                   # wholly outside, or not a number
APART: Final = 2                  # through this module

LOST: Final = -1                  # what `make_pieces` says instead of a number of vertices
MIXED_INPUT: Final = -2           # a parameter is read both as flat and interpolated


@kernel
def mixes_viewports(d, draws, misc, r0, r1, r2):
    """Whether the vertices of a triangle were transformed with different viewports."""
    viewports = draws[d, _VIEWPORTS]
    viewport = viewport_of(misc[r0], viewports)
    return viewport_of(misc[r1], viewports) != viewport or viewport_of(misc[r2], viewports) != viewport


@kernel
def route(c0, c1, c2, mixed, rect):
    """Where a triangle goes, by the codes of its vertices.  [RAST-NAN] [RAST-RECT-CLIP]"""
    everywhere = np.int64(c0) & np.int64(c1) & np.int64(c2)
    anywhere = np.int64(c0) | np.int64(c1) | np.int64(c2)
    if everywhere & CODE_DROP or (anywhere & CODE_NAN and not mixed):
        return GONE
    if mixed or (anywhere & CODE_PLANES and not rect):
        return APART
    return STRAIGHT


@kernel
def planes_crossed(codes):
    """How many planes cut a triangle: the upper limit of vertices and triangles that clipping adds."""
    count = np.int64(0)
    for plane in range(PLANES):
        count += (np.int64(codes) >> plane) & 1
    return count


@kernel
def count_pieces(begin, end, draws, state_i, triangles, codes, misc):
    """What clipping needs for triangles [begin, end): vertex rows and triangle rows at most, and how many it takes."""
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    rows = np.int64(0)
    pieces = np.int64(0)
    apart = np.int64(0)
    for t in range(begin, end):
        while t >= draw_end(d, draws):
            d += 1
        r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        mixed = False
        if state_i[triangles[t, 3], _VERTEX_FLAGS] & _VIEWPORT_FLAG:
            mixed = mixes_viewports(d, draws, misc, r0, r1, r2)
        if route(codes[r0], codes[r1], codes[r2], mixed, is_rect(draws[d, _PRIM])) == APART:
            planes = planes_crossed(codes[r0] | codes[r1] | codes[r2])
            rows += 3 + planes
            pieces += 1 + planes
            apart += 1
    return rows, pieces, apart


@kernel
def flat_parameter(state_i, attribute):
    """Whether the pixel shader reads this attribute as the provoking vertex's value."""
    return (state_i[_FLAT] >> attribute) & 1 != 0


@kernel
def prepare_parameters(state_i, linear):
    """Mark the floats of parameters that are linear on the screen; False when a parameter is read in two ways."""
    linear[: 4 * state_i[_PARAMETERS]] = 0
    correct = state_i[_CLIP] & _DX_LINEAR_ATTR_CLIP_ENA != 0
    for a in range(state_i[_PS_INPUTS]):
        parameter = state_i[_INPUT + a]
        if parameter >= state_i[_PARAMETERS]:
            continue
        for b in range(a):
            if state_i[_INPUT + b] == parameter and (
                    ((state_i[_FLAT] >> a) ^ (state_i[_FLAT] >> b)) & 1
                    or (((state_i[_LINEAR] >> a) ^ (state_i[_LINEAR] >> b)) & 1 and not flat_parameter(state_i, a))):
                return False
        if correct and (state_i[_LINEAR] >> a) & 1 and not flat_parameter(state_i, a):
            linear[4 * parameter : 4 * parameter + 4] = 1
    return True


@kernel
def load_polygon(polygon, t, triangles, positions, distances, params, distance_count, floats):
    """Copy three vertices into a polygon."""
    for i in range(3):
        row = np.int64(triangles[t, i])
        for k in range(4):
            polygon[i, POSITION + k] = positions[row, k]
        for k in range(8):
            polygon[i, DISTANCE + k] = distances[row, k] if k < distance_count else _ZERO
        for k in range(floats):
            polygon[i, PARAMETER + k] = params[row, k]


@kernel
def make_pieces(codes, t, triangles, first_row, positions, distances, params, screen_xy, screen_zw, state_i, state_f,
                polygon, spare, linear):
    """Clip a triangle into vertex rows [first_row, ...); returns their number, LOST or MIXED_INPUT.

    An infinite component makes the new vertices NaN, and all is LOST. Row first_row is the first corner of every piece
    and has the provoking vertex's flat parameters.
    [RAST-CLIP-NONFINITE] [RAST-CLIP-FLAT]
    """
    state_row = np.int64(triangles[t, 3])
    state = state_i[state_row]
    floats = 4 * state[_PARAMETERS]
    load_polygon(polygon, t, triangles, positions, distances, params, state[_DISTANCES], floats)
    clear = prepare_parameters(state, linear)
    count = clip_polygon(polygon, spare, codes, state, state_f[state_row], PARAMETER + floats, linear)
    if count and not clear and codes & CODE_PLANES:
        return MIXED_INPUT
    for i in range(count):
        if not store_window_position(first_row + i, polygon[i, 0], polygon[i, 1], polygon[i, 2], polygon[i, 3], state_i,
                                     state_f, state_row, screen_xy, screen_zw):
            return LOST
        for k in range(floats):
            params[first_row + i, k] = polygon[i, PARAMETER + k]
        for k in range(floats, params.shape[1]):
            params[first_row + i, k] = _ZERO
    if count:
        provoking = np.int64(triangles[t, 0])
        for a in range(state[_PS_INPUTS]):
            parameter = state[_INPUT + a]
            if flat_parameter(state, a) and parameter < state[_PARAMETERS]:
                for k in range(4 * parameter, 4 * parameter + 4):
                    params[first_row, k] = params[provoking, k]
    return count


@kernel
def original_bias_inputs(codes, t, triangles, positions, screen_xy, screen_zw, state_i):
    """Slope and largest |z| of a triangle before clipping, and whether its window position means anything.

    [RAST-BIAS-CLIPPED]
    """
    r0, r1, r2 = np.int64(triangles[t, 0]), np.int64(triangles[t, 1]), np.int64(triangles[t, 2])
    state_row = np.int64(triangles[t, 3])
    if codes & _GUARD_BAND or state_i[state_row, _VARIANTS] & _BIAS_OF_PIECES:
        return False, _ZERO, _ZERO
    for i in range(3):
        row = np.int64(triangles[t, i])
        if not positions[row, 3] > _ZERO or not abs(screen_zw[row, 0]) <= _LARGEST:
            return False, _ZERO, _ZERO
    x0, y0 = screen_xy[r0, 0], screen_xy[r0, 1]
    x1, y1 = screen_xy[r1, 0], screen_xy[r1, 1]
    x2, y2 = screen_xy[r2, 0], screen_xy[r2, 1]
    if doubled_area(x0, y0, x1, y1, x2, y2) == 0:
        return False, _ZERO, _ZERO
    z0, z1, z2 = screen_zw[r0, 0], screen_zw[r1, 0], screen_zw[r2, 0]
    slope = depth_slope(x0, y0, x1, y1, x2, y2, z0, z1, z2, state_i[state_row, _SUBPIXEL_BITS])
    return True, slope, largest_magnitude(z0, z1, z2)




@kernel
def fan_triangles(triangles, first, pieces, row, state_row):
    """Rows of `triangles` for a polygon: a fan around its first vertex."""
    for i in range(pieces):
        triangles[first + i, 0] = np.int32(row)
        triangles[first + i, 1] = np.int32(row + i + 1)
        triangles[first + i, 2] = np.int32(row + i + 2)
        triangles[first + i, 3] = np.int32(state_row)


@kernel
def clip_chunk(begin, end, draws, state_i, state_f, triangles, codes, misc, positions, distances, screen_xy, screen_zw,
               params, row, piece, next_apart, polygon, spare, linear, apart, apart_bias):
    """Make the pieces of those triangles in [begin, end) that do not go straight to setup.

    Vertices go to rows from `row` on, triangles to rows from `piece` on. `apart` gets the first piece of each and
    their number (or LOST, MIXED_INPUT), `apart_bias` whether the bias is the whole triangle's, its slope, largest |z|.
    """
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    for t in range(begin, end):
        while t >= draw_end(d, draws):
            d += 1
        r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        state_row = np.int64(triangles[t, 3])
        mixed = False
        if state_i[state_row, _VERTEX_FLAGS] & _VIEWPORT_FLAG:
            mixed = mixes_viewports(d, draws, misc, r0, r1, r2)
        if route(codes[r0], codes[r1], codes[r2], mixed, is_rect(draws[d, _PRIM])) != APART:
            continue
        crossed = np.int64(codes[r0] | codes[r1] | codes[r2]) & CODE_PLANES
        corners = make_pieces(crossed, t, triangles, row, positions, distances, params, screen_xy, screen_zw, state_i,
                              state_f, polygon, spare, linear)
        apart[next_apart, 0] = np.int32(piece)
        apart[next_apart, 1] = np.int32(corners if corners < 0 else max(corners - 2, np.int64(0)))
        given, slope, largest_z = False, _ZERO, _ZERO
        if corners >= 3:
            if crossed and not mixed:
                given, slope, largest_z = original_bias_inputs(crossed, t, triangles, positions, screen_xy, screen_zw,
                                                               state_i)
            fan_triangles(triangles, piece, corners - 2, row, state_row)
            row += corners
            piece += corners - 2
        apart_bias[next_apart, 0] = np.float32(1 if given else 0)
        apart_bias[next_apart, 1] = slope
        apart_bias[next_apart, 2] = largest_z
        next_apart += 1
