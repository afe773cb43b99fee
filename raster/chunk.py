"""Setup of a chunk of triangles into records."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .assembly import draw_end, draw_of, is_quad, is_rect
from .bias import biased_depth, depth_slope, largest_magnitude
from .bins import count_tiles, tile_box
from .draw_table import RECT_LIST, D
from .layout import F, R, S, VertexFlag
from .pieces import APART, GONE, MIXED_INPUT, mixes_viewports
from .pieces import route as route_of
from .setup import (
    BAD_RECT,
    CULLED,
    DRAWN,
    ZERO_AREA,
    face_bias,
    has_bias,
    place_triangle,
    snapped_corners,
    turn_triangle,
    window_depths,
    write_identity,
    write_positions,
)

_DX_RASTERIZATION_KILL: Final = 1 << 22
_PRIM: Final = int(D.PRIM_TYPE)
_FIRST_TRIANGLE: Final = int(D.FIRST_TRIANGLE)
_CLIP: Final = int(S.CLIP)
_LAYER: Final = int(S.LAYER)
_SC_MODE: Final = int(S.SC_MODE)
_BIAS_FORMAT: Final = int(S.BIAS_FORMAT)
_SUBPIXEL_BITS: Final = int(S.SUBPIXEL_BITS)
_SCISSOR_X0: Final = int(S.SCISSOR_X0)
_SCISSOR_Y0: Final = int(S.SCISSOR_Y0)
_SCISSOR_X1: Final = int(S.SCISSOR_X1)
_SCISSOR_Y1: Final = int(S.SCISSOR_Y1)
_BIAS_CLAMP: Final = int(F.BIAS_CLAMP)
_FRONT_SCALE: Final = int(F.BIAS_FRONT_SCALE)
_FRONT_OFFSET: Final = int(F.BIAS_FRONT_OFFSET)
_BACK_SCALE: Final = int(F.BIAS_BACK_SCALE)
_BACK_OFFSET: Final = int(F.BIAS_BACK_OFFSET)
_X_RANGE: Final = int(R.X_RANGE)
_Y_RANGE: Final = int(R.Y_RANGE)
_VERTEX_FLAGS: Final = int(S.VERTEX_FLAGS)
_LAYER_FLAG: Final = int(VertexFlag.LAYER)
_VIEWPORT_FLAG: Final = int(VertexFlag.VIEWPORT)
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
def tally(outcome, counts):
    """Count a triangle that setup did not draw."""
    if outcome == CULLED:
        counts[_CULLED] += 1
    elif outcome == ZERO_AREA:
        counts[_ZERO_AREA] += 1
    elif outcome != DRAWN:
        counts[_EMPTY] += 1


@kernel
def setup_chunk(begin, end, draws, state_i, state_f, triangles, codes, misc, screen_xy, screen_zw, apart, apart_bias,
                next_apart, tiles_x, tiles_y, layers, scratch, tile_counts, counts):
    """Set up triangles [begin, end): records into `scratch`, their number per tile, and what became of the others.

    The layer is the draw's plus the one that the provoking vertex chose.  [RAST-LAYER]
    The pieces of triangles that were clipped are in `apart` from row `next_apart` on. Returns the number of records in
    `scratch`, an ERROR_*, and the triangle that had it.
    """
    tile_counts[:] = 0
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    n = np.int64(0)
    for t in range(begin, end):
        while t >= draw_end(d, draws):
            d += 1
        r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        state_row = np.int64(triangles[t, 3])
        rect = np.int64(0)
        if is_rect(draws[d, _PRIM]):
            rect = np.int64(1) if draws[d, _PRIM] == RECT_LIST else np.int64(2)
        flags = state_i[state_row, _VERTEX_FLAGS]
        mixed = False
        if flags & _VIEWPORT_FLAG:
            mixed = mixes_viewports(d, draws, misc, r0, r1, r2)
        route = route_of(codes[r0], codes[r1], codes[r2], mixed, rect)
        if route == GONE:
            counts[_OUTSIDE] += 1
            continue
        if state_i[state_row, _CLIP] & _DX_RASTERIZATION_KILL:
            next_apart += 1 if route == APART else 0
            counts[_OUTSIDE] += 1
            continue
        layer = state_i[state_row, _LAYER]
        if flags & _LAYER_FLAG:
            layer += np.int64(misc[r0]) & 0x7FF
        if layer >= layers:
            next_apart += 1 if route == APART else 0
            counts[_WRONG_LAYER] += 1
            continue
        first, pieces = np.int64(t), np.int64(1)
        given, slope, largest_z = False, _NO_SLOPE, _NO_SLOPE
        if route == APART:
            first, pieces = np.int64(apart[next_apart, 0]), np.int64(apart[next_apart, 1])
            given = apart_bias[next_apart, 0] != 0
            slope, largest_z = apart_bias[next_apart, 1], apart_bias[next_apart, 2]
            next_apart += 1
            if pieces == MIXED_INPUT:
                return n, ERROR_INPUT, np.int64(t)
            if pieces <= 0:
                counts[_OUTSIDE] += 1
                continue
            counts[_CLIPPED] += 1
        primitive = (t - draws[d, _FIRST_TRIANGLE]) >> is_quad(draws[d, _PRIM])
        sc_mode, bits = state_i[state_row, _SC_MODE], state_i[state_row, _SUBPIXEL_BITS]
        scales = state_f[state_row, _FRONT_SCALE], state_f[state_row, _BACK_SCALE]
        offsets = state_f[state_row, _FRONT_OFFSET], state_f[state_row, _BACK_OFFSET]
        for piece in range(first, first + pieces):
            x0, y0, x1, y1, x2, y2 = snapped_corners(triangles, piece, screen_xy)
            outcome, turn, back, begin_x, end_x, begin_y, end_y = place_triangle(
                x0, y0, x1, y1, x2, y2, rect, sc_mode, state_i[state_row, _SCISSOR_X0], state_i[state_row, _SCISSOR_Y0],
                state_i[state_row, _SCISSOR_X1], state_i[state_row, _SCISSOR_Y1], bits)
            if outcome != DRAWN:
                if outcome == BAD_RECT:
                    return n, ERROR_RECT, np.int64(t)
                if route != APART:
                    tally(outcome, counts)
                continue
            turn_triangle(triangles, piece, turn)
            if turn:
                x1, y1, x2, y2 = x2, y2, x1, y1
            z0, z1, z2 = window_depths(triangles, piece, screen_zw)
            if has_bias(back, sc_mode, scales, offsets):
                if not given:
                    slope = depth_slope(x0, y0, x1, y1, x2, y2, z0, z1, z2, bits)
                    largest_z = largest_magnitude(z0, z1, z2)
                bias = face_bias(back, sc_mode, scales, offsets, state_f[state_row, _BIAS_CLAMP],
                                 state_i[state_row, _BIAS_FORMAT], slope, largest_z)
                z0, z1, z2 = biased_depth(z0, bias), biased_depth(z1, bias), biased_depth(z2, bias)
            write_positions(scratch, n, x0, y0, x1, y1, x2, y2, z0, z1, z2)
            write_identity(scratch, n, piece, state_row, back, rect, begin_x, end_x, begin_y, end_y, primitive, layer)
            left, right, top, bottom = tile_box(scratch[n, _X_RANGE], scratch[n, _Y_RANGE])
            if left == right and top == bottom:
                tile_counts[(layer * tiles_y + top) * tiles_x + left] += 1
            else:
                count_tiles(scratch, n, left, right, top, bottom, state_i, tiles_x, tiles_y, tile_counts)
            n += 1
    return n, ERROR_NONE, np.int64(-1)
