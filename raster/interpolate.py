"""Attributes of a batch: barycentrics from the snapped vertices, then P0 + I*P10 + J*P20 as v_interp computes it."""

import numpy as np

from ..base.floats import fma
from ..base.kernel import callback, kernel
from ..base.pointers import float32_at, float64_at, int32_at
from .batch import first_lane
from .context import COEFFICIENTS, GROUP, PLANES, QUADS, SIGNATURE, Word, context_at, state_ints
from .depth import order_float
from .layout import (
    BATCH_LANES,
    PS_IN_ATTRIBUTES,
    PS_IN_FACE,
    PS_IN_ROWS,
    PS_IN_W,
    PS_IN_X,
    PS_IN_Y,
    PS_IN_Z,
    RECORD_WORDS,
    ROW,
    TILE,
    PixelFlag,
    R,
    RecordFlag,
    S,
)
from .plane import pixel_offset, plane_gradients, plane_row, plane_value

_X0, _Y0, _X1, _Y1, _X2, _Y2 = int(R.X0), int(R.Y0), int(R.X1), int(R.Y1), int(R.X2), int(R.Y2)
_Z0, _Z1, _Z2, _TRIANGLE, _FLAGS = int(R.Z0), int(R.Z1), int(R.Z2), int(R.TRIANGLE), int(R.FLAGS)
_BACK = int(RecordFlag.BACK)
_PS_FLAGS, _PS_INPUTS, _FLAT, _LINEAR, _INPUT = (int(S.PS_FLAGS), int(S.PS_INPUTS), int(S.FLAT), int(S.LINEAR),
                                                 int(S.INPUT))
_LATE, _BITS = int(S.LATE), int(S.SUBPIXEL_BITS)
_POSITION, _FACE = int(PixelFlag.POSITION), int(PixelFlag.FACE)
_DEFAULT = 32
_W = Word  # words of the table, below
_RECORDS, _RECORD_COUNT, _TRIANGLES, _TRIANGLE_COUNT = (int(_W.RECORDS), int(_W.RECORD_COUNT), int(_W.TRIANGLES),
                                                        int(_W.TRIANGLE_COUNT))
_SCREEN_XY, _SCREEN_ZW, _VERTICES, _PARAMS, _STRIDE = (int(_W.SCREEN_XY), int(_W.SCREEN_ZW), int(_W.VERTICES),
                                                       int(_W.PARAMS), int(_W.PARAM_STRIDE))
_PLANES, _ATTRIBUTES, _WEIGHTS, _INPUTS = (int(_W.PLANES), int(_W.ATTRIBUTES), int(_W.WEIGHTS), int(_W.INPUTS))
_PIXEL, _LANE_DEPTH, _SLOT, _SLOT_RECORD = (int(_W.LANE_PIXEL), int(_W.LANE_DEPTH), int(_W.SLOT),
                                            int(_W.SLOT_RECORD))
_TILE_X, _TILE_Y, _ROW = int(_W.TILE_X), int(_W.TILE_Y), int(_W.ROW)

# columns of a record's planes: change along x and y of I/w, J/w, 1/w, depth, I, J; values at vertex 0; offsets
(_IX, _IY, _JX, _JY, _WX, _WY, _W0, _BASE_X, _BASE_Y, _DEPTH0, _DEPTHX, _DEPTHY,
 _LIX, _LIY, _LJX, _LJY) = range(16)


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
def setup_slot(context, slot, r):
    """Coefficients of record r for the pixels of the tile.  [RAST-BARYCENTRIC]"""
    state = state_ints(context, context[_ROW])
    record = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))
    triangle = int32_at(context[_TRIANGLES] + np.int64(16) * np.int64(record[_TRIANGLE]), np.int64(4))
    screen_xy = int32_at(context[_SCREEN_XY], np.int64(2) * context[_VERTICES])
    screen_zw = float32_at(context[_SCREEN_ZW], np.int64(2) * context[_VERTICES])
    planes = float64_at(context[_PLANES] + slot * np.int64(8 * PLANES), np.int64(PLANES))
    bits = state[_BITS]
    x0, y0, x1, y1, x2, y2 = record[_X0], record[_Y0], record[_X1], record[_Y1], record[_X2], record[_Y2]
    z1, z2 = order_float(record[_Z1]), order_float(record[_Z2])
    v0, v1, v2 = np.int64(triangle[0]), np.int64(triangle[1]), np.int64(triangle[2])
    if (screen_xy[2 * v1] != x1) | (screen_xy[2 * v1 + 1] != y1):
        # the record's slots 1 and 2 were exchanged to turn it: I belongs to the triangle's slot 1 all the same
        x1, y1, z1, x2, y2, z2 = x2, y2, z2, x1, y1, z1
    zero = np.float32(0)
    w0, w1, w2 = screen_zw[2 * v0 + 1], screen_zw[2 * v1 + 1], screen_zw[2 * v2 + 1]
    z0 = order_float(record[_Z0])
    planes[_IX], planes[_IY] = plane_gradients(x0, y0, x1, y1, x2, y2, zero, w1, zero, bits)
    planes[_JX], planes[_JY] = plane_gradients(x0, y0, x1, y1, x2, y2, zero, zero, w2, bits)
    planes[_WX], planes[_WY] = plane_gradients(x0, y0, x1, y1, x2, y2, w0, w1, w2, bits)
    planes[_W0] = np.float64(w0)
    planes[_BASE_X] = pixel_offset(context[_TILE_X], x0, bits)
    planes[_BASE_Y] = pixel_offset(context[_TILE_Y], y0, bits)
    planes[_DEPTH0] = np.float64(z0)
    planes[_DEPTHX], planes[_DEPTHY] = plane_gradients(x0, y0, x1, y1, x2, y2, z0, z1, z2, bits)
    one = np.float32(1)
    planes[_LIX], planes[_LIY] = plane_gradients(x0, y0, x1, y1, x2, y2, zero, one, zero, bits)
    planes[_LJX], planes[_LJY] = plane_gradients(x0, y0, x1, y1, x2, y2, zero, zero, one, bits)
    _setup_attributes(context, slot, state, v0, v1, v2)


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


@kernel
def _weights(context, planes, first, count, step, perspective, linear):
    """Barycentrics and 1/(1/w) of `count` lanes that share a record, `step` lanes apart."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    weights = float32_at(context[_WEIGHTS], np.int64(4 * ROW))
    base_x, base_y = planes[_BASE_X], planes[_BASE_Y]
    zero, one = np.float64(0), np.float64(1)
    if perspective:
        across = float32_at(context[_INPUTS] + np.int64(4 * PS_IN_W * ROW), np.int64(ROW))
        ix, iy, jx, jy = planes[_IX], planes[_IY], planes[_JX], planes[_JY]
        wx, wy, w0 = planes[_WX], planes[_WY], planes[_W0]
        for n in range(count):
            at = np.uint64(first + n * step)
            place = pixel[at]
            x = base_x + np.float64(np.int32(place & np.int32(TILE - 1)))
            y = base_y + np.float64(np.int32(place >> np.int32(6)))
            w = one / plane_point(w0, wx, wy, x, y)
            weights[at] = np.float32(plane_point(zero, ix, iy, x, y) * w)
            weights[at + np.uint64(ROW)] = np.float32(plane_point(zero, jx, jy, x, y) * w)
            across[at] = np.float32(w)
    if linear:
        ix, iy, jx, jy = planes[_LIX], planes[_LIY], planes[_LJX], planes[_LJY]
        for n in range(count):
            at = np.uint64(first + n * step)
            place = pixel[at]
            x = base_x + np.float64(np.int32(place & np.int32(TILE - 1)))
            y = base_y + np.float64(np.int32(place >> np.int32(6)))
            weights[at + np.uint64(2 * ROW)] = np.float32(plane_point(zero, ix, iy, x, y))
            weights[at + np.uint64(3 * ROW)] = np.float32(plane_point(zero, jx, jy, x, y))


@kernel
def _positions(context, planes, first, count, step, position):
    """Window depth of lanes that share a record, as the early test computes it; X, Y, Z if the shader reads them."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    depth = float32_at(context[_LANE_DEPTH], np.int64(BATCH_LANES))
    base_x, base_y = planes[_BASE_X], planes[_BASE_Y]
    z0, zx, zy = np.float32(planes[_DEPTH0]), planes[_DEPTHX], planes[_DEPTHY]
    for n in range(count):
        at = np.uint64(first + n * step)
        place = pixel[at]
        row = plane_row(z0, zy, base_y + np.float64(np.int32(place >> np.int32(6))))
        depth[at] = plane_value(row, zx, base_x + np.float64(np.int32(place & np.int32(TILE - 1))))
    if position:
        inputs = float32_at(context[_INPUTS], np.int64(PS_IN_ROWS * ROW))
        half = np.float32(0.5)
        tile_x, tile_y = np.float32(context[_TILE_X]), np.float32(context[_TILE_Y])
        for n in range(count):
            at = np.uint64(first + n * step)
            place = pixel[at]
            x, y = np.float32(np.int32(place & np.int32(TILE - 1))), np.float32(np.int32(place >> np.int32(6)))
            inputs[at + np.uint64(PS_IN_X * ROW)] = np.float32(np.float32(tile_x + x) + half)
            inputs[at + np.uint64(PS_IN_Y * ROW)] = np.float32(np.float32(tile_y + y) + half)
            inputs[at + np.uint64(PS_IN_Z * ROW)] = depth[at]


@kernel
def _attributes(context, state, slot, first, count, step):
    """Attributes of lanes that share a record."""
    attributes = float32_at(context[_ATTRIBUTES] + slot * np.int64(4 * COEFFICIENTS), np.int64(COEFFICIENTS))
    linear = state[_LINEAR]
    for component in range(np.int64(4) * state[_PS_INPUTS]):
        place = np.int64(3) * component
        p0, p10, p20 = attributes[place], attributes[place + 1], attributes[place + 2]
        target = float32_at(context[_INPUTS] + np.int64(4 * ROW) * (component + np.int64(PS_IN_ATTRIBUTES)),
                            np.int64(ROW))
        pair = np.int64(2) if linear >> (component >> np.int64(2)) & np.int64(1) else np.int64(0)
        weights = float32_at(context[_WEIGHTS] + pair * np.int64(4 * ROW), np.int64(2 * ROW))
        if (p10 == np.float32(0)) & (p20 == np.float32(0)):
            for n in range(count):
                target[np.uint64(first + n * step)] = p0
        else:
            for n in range(count):
                at = np.uint64(first + n * step)
                target[at] = interpolated(p0, p10, p20, weights[at], weights[at + np.uint64(ROW)])


@kernel
def _fill(context, state, slot, first, count, step):
    """All inputs of `count` lanes that share a record, `step` lanes apart."""
    planes = float64_at(context[_PLANES] + slot * np.int64(8 * PLANES), np.int64(PLANES))
    flags, linear = state[_PS_FLAGS], state[_LINEAR]
    position = flags & np.int64(_POSITION) != 0
    moving = ((np.int64(1) << state[_PS_INPUTS]) - np.int64(1)) & ~state[_FLAT]
    _weights(context, planes, first, count, step, position | (moving & ~linear != 0), moving & linear != 0)
    if position | (state[_LATE] != 0):
        _positions(context, planes, first, count, step, position)
    if flags & np.int64(_FACE):
        r = np.int64(int32_at(context[_SLOT_RECORD], np.int64(QUADS))[slot])
        word = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))[_FLAGS]
        face = np.float32(-1) if word & np.int32(_BACK) else np.float32(1)
        row = float32_at(context[_INPUTS] + np.int64(4 * PS_IN_FACE * ROW), np.int64(ROW))
        for n in range(count):
            row[np.uint64(first + n * step)] = face
    _attributes(context, state, slot, first, count, step)


@callback(SIGNATURE)
def interpolate(table, lanes, unused0, unused1, unused2):
    """Fill the shader's inputs for the whole batch: whole waves of one record at once, else quad by quad."""
    context = context_at(table)
    state = state_ints(context, context[_ROW])
    slots = int32_at(context[_SLOT], np.int64(QUADS))
    quads = lanes >> np.int64(2)
    group = np.int64(GROUP)
    first = np.int64(0)
    while first < quads:
        slot = slots[first]
        end = first
        while (end < quads) and (slots[end] == slot) and (slots[end + group - 1] == slot):
            end += group
        if end > first:
            _fill(context, state, np.int64(slot), first * 4, (end - first) * 4, np.int64(1))
            first = end
        else:
            for quad in range(first, first + group):
                _fill(context, state, np.int64(slots[quad]), first_lane(quad), np.int64(4), group)
            first += group
