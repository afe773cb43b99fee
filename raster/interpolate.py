"""Attributes of a batch: barycentrics from the snapped vertices, then P0 + I*P10 + J*P20 as v_interp computes it.

Whole waves of one record are done at once; a wave of several records gathers their coefficients quad by quad first.
"""

import numpy as np

from ..base.kernel import callback, kernel
from ..base.pointers import float32_at, float64_at, int32_at
from .batch import first_lane
from .coefficients import (
    BASE_X,
    BASE_Y,
    DEPTH0,
    DEPTHX,
    DEPTHY,
    IX,
    IY,
    JX,
    JY,
    LIX,
    LIY,
    LJX,
    LJY,
    W0,
    WX,
    WY,
    interpolated,
    needs,
    plane_point,
)
from .context import COEFFICIENTS, GROUP, PLANES, QUADS, SIGNATURE, Word, context_at, state_ints
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
from .plane import plane_row, plane_value

_FLAGS, _BACK = int(R.FLAGS), int(RecordFlag.BACK)
_PS_FLAGS, _PS_INPUTS, _LINEAR = int(S.PS_FLAGS), int(S.PS_INPUTS), int(S.LINEAR)
_POSITION, _FACE = int(PixelFlag.POSITION), int(PixelFlag.FACE)
_W = Word  # words of the table, below
_RECORDS, _PLANES, _ATTRIBUTES, _WEIGHTS, _INPUTS = (int(_W.RECORDS), int(_W.PLANES), int(_W.ATTRIBUTES),
                                                     int(_W.WEIGHTS), int(_W.INPUTS))
_PIXEL, _LANE_DEPTH, _SLOT, _SLOT_RECORD = (int(_W.LANE_PIXEL), int(_W.LANE_DEPTH), int(_W.SLOT),
                                            int(_W.SLOT_RECORD))
_TILE_X, _TILE_Y, _ROW = int(_W.TILE_X), int(_W.TILE_Y), int(_W.ROW)
_WAVE_PLANES, _WAVE_P = int(_W.WAVE_PLANES), int(_W.WAVE_P)


@kernel
def _weights(context, planes, first, count, step, perspective, linear):
    """Barycentrics and 1/(1/w) of `count` lanes that share a record, `step` lanes apart."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    weights = float32_at(context[_WEIGHTS], np.int64(4 * ROW))
    base_x, base_y = planes[BASE_X], planes[BASE_Y]
    zero, one = np.float64(0), np.float64(1)
    if perspective:
        across = float32_at(context[_INPUTS] + np.int64(4 * PS_IN_W * ROW), np.int64(ROW))
        ix, iy, jx, jy = planes[IX], planes[IY], planes[JX], planes[JY]
        wx, wy, w0 = planes[WX], planes[WY], planes[W0]
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
        ix, iy, jx, jy = planes[LIX], planes[LIY], planes[LJX], planes[LJY]
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
    base_x, base_y = planes[BASE_X], planes[BASE_Y]
    z0, zx, zy = np.float32(planes[DEPTH0]), planes[DEPTHX], planes[DEPTHY]
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
    flags = state[_PS_FLAGS]
    perspective, linear, depth = needs(state)
    _weights(context, planes, first, count, step, perspective, linear)
    if depth:
        _positions(context, planes, first, count, step, flags & np.int64(_POSITION) != 0)
    if flags & np.int64(_FACE):
        r = np.int64(int32_at(context[_SLOT_RECORD], np.int64(QUADS))[slot])
        word = int32_at(context[_RECORDS] + r * np.int64(4 * RECORD_WORDS), np.int64(RECORD_WORDS))[_FLAGS]
        face = np.float32(-1) if word & np.int32(_BACK) else np.float32(1)
        row = float32_at(context[_INPUTS] + np.int64(4 * PS_IN_FACE * ROW), np.int64(ROW))
        for n in range(count):
            row[np.uint64(first + n * step)] = face
    _attributes(context, state, slot, first, count, step)


@kernel
def _gather_planes(context, slots, first):
    """Coefficients of the 16 quads from `first` on, column by column."""
    planes = float64_at(context[_PLANES], np.int64(QUADS * PLANES))
    wave = float64_at(context[_WAVE_PLANES], np.int64(PLANES * GROUP))
    for quad in range(GROUP):
        base = np.int64(slots[first + quad]) * np.int64(PLANES)
        for column in range(PLANES):
            wave[column * GROUP + quad] = planes[base + column]


@kernel
def _wave_weights(context, lane, perspective, linear):
    """`_weights` for a wave whose quads belong to several records; `lane` is its first."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    weights = float32_at(context[_WEIGHTS], np.int64(4 * ROW))
    across = float32_at(context[_INPUTS] + np.int64(4 * PS_IN_W * ROW), np.int64(ROW))
    wave = float64_at(context[_WAVE_PLANES], np.int64(PLANES * GROUP))
    zero, one = np.float64(0), np.float64(1)
    for corner in range(4):
        first = np.int64(lane) + np.int64(corner * GROUP)
        if perspective:
            for quad in range(GROUP):
                n = np.uint64(quad)
                at = np.uint64(first) + n
                place = pixel[at]
                x = wave[n + np.uint64(BASE_X * GROUP)] + np.float64(np.int32(place & np.int32(TILE - 1)))
                y = wave[n + np.uint64(BASE_Y * GROUP)] + np.float64(np.int32(place >> np.int32(6)))
                w = one / plane_point(wave[n + np.uint64(W0 * GROUP)], wave[n + np.uint64(WX * GROUP)],
                                      wave[n + np.uint64(WY * GROUP)], x, y)
                i = plane_point(zero, wave[n + np.uint64(IX * GROUP)], wave[n + np.uint64(IY * GROUP)], x, y)
                j = plane_point(zero, wave[n + np.uint64(JX * GROUP)], wave[n + np.uint64(JY * GROUP)], x, y)
                weights[at] = np.float32(i * w)
                weights[at + np.uint64(ROW)] = np.float32(j * w)
                across[at] = np.float32(w)
        if linear:
            for quad in range(GROUP):
                n = np.uint64(quad)
                at = np.uint64(first) + n
                place = pixel[at]
                x = wave[n + np.uint64(BASE_X * GROUP)] + np.float64(np.int32(place & np.int32(TILE - 1)))
                y = wave[n + np.uint64(BASE_Y * GROUP)] + np.float64(np.int32(place >> np.int32(6)))
                i = plane_point(zero, wave[n + np.uint64(LIX * GROUP)], wave[n + np.uint64(LIY * GROUP)], x, y)
                j = plane_point(zero, wave[n + np.uint64(LJX * GROUP)], wave[n + np.uint64(LJY * GROUP)], x, y)
                weights[at + np.uint64(2 * ROW)] = np.float32(i)
                weights[at + np.uint64(3 * ROW)] = np.float32(j)


@kernel
def _wave_attributes(context, state, slots, first):
    """`_attributes` for a wave whose quads belong to several records."""
    attributes = float32_at(context[_ATTRIBUTES], np.int64(QUADS * COEFFICIENTS))
    p = float32_at(context[_WAVE_P], np.int64(3 * GROUP))
    linear, lane = state[_LINEAR], np.int64(4) * np.int64(first)
    for component in range(np.int64(4) * state[_PS_INPUTS]):
        for quad in range(GROUP):
            base = np.int64(slots[first + quad]) * np.int64(COEFFICIENTS) + np.int64(3) * component
            p[quad] = attributes[base]
            p[GROUP + quad] = attributes[base + 1]
            p[2 * GROUP + quad] = attributes[base + 2]
        target = float32_at(context[_INPUTS] + np.int64(4 * ROW) * (component + np.int64(PS_IN_ATTRIBUTES)),
                            np.int64(ROW))
        pair = np.int64(2) if linear >> (component >> np.int64(2)) & np.int64(1) else np.int64(0)
        weights = float32_at(context[_WEIGHTS] + pair * np.int64(4 * ROW), np.int64(2 * ROW))
        for corner in range(4):
            start = lane + np.int64(corner * GROUP)
            for quad in range(GROUP):
                n = np.uint64(quad)
                at = np.uint64(start) + n
                p0, p10, p20 = p[n], p[n + np.uint64(GROUP)], p[n + np.uint64(2 * GROUP)]
                moved = interpolated(p0, p10, p20, weights[at], weights[at + np.uint64(ROW)])
                target[at] = p0 if (p10 == np.float32(0)) & (p20 == np.float32(0)) else moved


@kernel
def _fill_wave(context, state, slots, first):
    """All inputs of a wave whose quads belong to several records."""
    perspective, linear, depth = needs(state)
    if depth | (state[_PS_FLAGS] & np.int64(_FACE) != 0):
        for quad in range(first, first + np.int64(GROUP)):
            _fill(context, state, np.int64(slots[quad]), first_lane(quad), np.int64(4), np.int64(GROUP))
        return
    _gather_planes(context, slots, first)
    _wave_weights(context, np.int64(4) * first, perspective, linear)
    _wave_attributes(context, state, slots, first)


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
            _fill_wave(context, state, slots, first)
            first += group
