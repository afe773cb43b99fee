"""Coefficients of a record for the pixels of a tile: planes of the barycentrics, P0 P10 P20 of each component."""

import numpy as np

from ..base.floats import fma
from ..base.kernel import kernel
from ..base.pointers import float32_at, float64_at, int32_at, prefetch
from .context import COEFFICIENTS, PLANES, Word, state_ints
from .depth import order_float
from .layout import RECORD_WORDS, PixelFlag, R, S
from .plane import edge_gradients, pixel_offset, plane_edges, plane_row

_X0, _Y0, _X1, _Y1, _X2, _Y2 = int(R.X0), int(R.Y0), int(R.X1), int(R.Y1), int(R.X2), int(R.Y2)
_Z0, _Z1, _Z2, _TRIANGLE = int(R.Z0), int(R.Z1), int(R.Z2), int(R.TRIANGLE)
_PS_FLAGS, _PS_INPUTS, _FLAT, _LINEAR, _INPUT = (int(S.PS_FLAGS), int(S.PS_INPUTS), int(S.FLAT), int(S.LINEAR),
                                                 int(S.INPUT))
_LATE, _BITS, _POSITION = int(S.LATE), int(S.SUBPIXEL_BITS), int(PixelFlag.POSITION)
_DEFAULT = 32
_W = Word  # words of the table, below
_RECORDS, _TRIANGLES, _SCREEN_ZW, _VERTICES = (int(_W.RECORDS), int(_W.TRIANGLES), int(_W.SCREEN_ZW),
                                               int(_W.VERTICES))
_PARAMS, _STRIDE, _PLANES, _ATTRIBUTES = (int(_W.PARAMS), int(_W.PARAM_STRIDE), int(_W.PLANES), int(_W.ATTRIBUTES))
_TILE_X, _TILE_Y, _ROW = int(_W.TILE_X), int(_W.TILE_Y), int(_W.ROW)

# columns of a record's planes: change along x and y of I/w, J/w, 1/w, depth, I, J; values at vertex 0; offsets
(IX, IY, JX, JY, WX, WY, W0, BASE_X, BASE_Y, DEPTH0, DEPTHX, DEPTHY, LIX, LIY, LJX, LJY) = range(16)


@kernel
def interpolated(p0, p10, p20, i, j):
    """v_interp_p1, v_interp_p2: two fused steps in float32.  [RAST-INTERP-FMA]"""
    return fma(p20, j, fma(p10, i, p0))


@kernel
def default_component(value, component):
    """SPI_PS_INPUT_CNTL.DEFAULT_VAL: 0000, 0001, 1110 or 1111.  [RAST-INPUT-DEFAULT]"""
    if component == 3:
        return np.float32(1) if value & 1 else np.float32(0)
    return np.float32(1) if value & 2 else np.float32(0)


@kernel
def plane_point(v0, along_x, along_y, offset_x, offset_y):
    """Value of a plane at a point, float64, in the order of `plane`."""
    return plane_row(v0, along_y, offset_y) + along_x * offset_x


@kernel
def needs(state):
    """What the shader's inputs need: weights with and without perspective, window position or depth."""
    moving = ((np.int64(1) << state[_PS_INPUTS]) - np.int64(1)) & ~state[_FLAT]
    reads = state[_PS_FLAGS] & np.int64(_POSITION) != 0
    linear = state[_LINEAR]
    return reads | (moving & ~linear != 0), moving & linear != 0, reads | (state[_LATE] != 0)


@kernel
def setup_slot(context, slot, r):
    """Coefficients of record r for the pixels of the tile.  [RAST-BARYCENTRIC]"""
    state = state_ints(context, context[_ROW])
    perspective, linear, position = needs(state)
    if not (perspective | linear | position | (state[_PS_INPUTS] != 0)):
        return
    record = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))
    triangle = int32_at(context[_TRIANGLES] + np.int64(16) * np.int64(record[_TRIANGLE]), np.int64(4))
    screen_zw = float32_at(context[_SCREEN_ZW], np.int64(2) * context[_VERTICES])
    planes = float64_at(context[_PLANES] + slot * np.int64(8 * PLANES), np.int64(PLANES))
    bits = state[_BITS]
    x0, y0 = record[_X0], record[_Y0]
    v0, v1, v2 = np.int64(triangle[0]), np.int64(triangle[1]), np.int64(triangle[2])
    dx1, dy1, dx2, dy2, unit = plane_edges(x0, y0, record[_X1], record[_Y1], record[_X2], record[_Y2], bits)
    planes[BASE_X] = pixel_offset(context[_TILE_X], x0, bits)
    planes[BASE_Y] = pixel_offset(context[_TILE_Y], y0, bits)
    zero, one = np.float32(0), np.float32(1)
    if perspective:
        w0, w1, w2 = screen_zw[2 * v0 + 1], screen_zw[2 * v1 + 1], screen_zw[2 * v2 + 1]
        planes[IX], planes[IY] = edge_gradients(dx1, dy1, dx2, dy2, unit, zero, w1, zero)
        planes[JX], planes[JY] = edge_gradients(dx1, dy1, dx2, dy2, unit, zero, zero, w2)
        planes[WX], planes[WY] = edge_gradients(dx1, dy1, dx2, dy2, unit, w0, w1, w2)
        planes[W0] = np.float64(w0)
    if position:
        z0, z1, z2 = order_float(record[_Z0]), order_float(record[_Z1]), order_float(record[_Z2])
        planes[DEPTH0] = np.float64(z0)
        planes[DEPTHX], planes[DEPTHY] = edge_gradients(dx1, dy1, dx2, dy2, unit, z0, z1, z2)
    if linear:
        planes[LIX], planes[LIY] = edge_gradients(dx1, dy1, dx2, dy2, unit, zero, one, zero)
        planes[LJX], planes[LJY] = edge_gradients(dx1, dy1, dx2, dy2, unit, zero, zero, one)
    _setup_attributes(context, slot, state, v0, v1, v2)


@kernel
def prefetch_triangle(context, r):
    """Ask for the triangle of record r."""
    record = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))
    prefetch(context[_TRIANGLES] + np.int64(16) * np.int64(record[_TRIANGLE]))


@kernel
def prefetch_vertices(context, r):
    """Ask for the 1/w and the parameters that `setup_slot` will read for record r."""
    record = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))
    triangle = int32_at(context[_TRIANGLES] + np.int64(16) * np.int64(record[_TRIANGLE]), np.int64(4))
    for corner in range(3):
        vertex = np.int64(triangle[corner])
        prefetch(context[_SCREEN_ZW] + np.int64(8) * vertex)
        prefetch(context[_PARAMS] + np.int64(4) * context[_STRIDE] * vertex)


@kernel
def _setup_attributes(context, slot, state, v0, v1, v2):
    """P0, P10, P20 of every component; the differences are rounded to float32.  [RAST-INTERP-DELTA]"""
    stride = context[_STRIDE]
    params = float32_at(context[_PARAMS], stride * context[_VERTICES])
    attributes = float32_at(context[_ATTRIBUTES] + slot * np.int64(4 * COEFFICIENTS), np.int64(COEFFICIENTS))
    flat = state[_FLAT]
    place = np.int64(0)
    for k in range(state[_PS_INPUTS]):
        source = state[_INPUT + k]
        constant = (flat >> np.int64(k) & np.int64(1) != 0) | (source >= _DEFAULT)
        for component in range(4):
            if source >= _DEFAULT:
                p0 = default_component(source - np.int64(_DEFAULT), np.int64(component))
            else:
                p0 = params[v0 * stride + 4 * source + component]
            p10, p20 = np.float32(0), np.float32(0)
            if not constant:
                p10 = np.float32(params[v1 * stride + 4 * source + component] - p0)
                p20 = np.float32(params[v2 * stride + 4 * source + component] - p0)
            attributes[place] = p0
            attributes[place + 1] = p10
            attributes[place + 2] = p20
            place += 3
