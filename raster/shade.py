"""Shading of a batch: interpolate, call the shader, test late, merge; and the late tests themselves."""

import numpy as np

from ..base.kernel import callback, kernel
from ..base.pointers import call_address, float32_at, int32_at, int64_at, uint8_at
from .batch import count_live, first_lane, pad_waves, put_quad
from .coefficients import setup_slot
from .context import (
    GROUP,
    KILLED,
    QUADS,
    SHADED,
    SIGNATURE,
    STATISTICS,
    ZPASS,
    Word,
    context_at,
    state_floats,
    state_ints,
)
from .fragment import may_write, stays_ordered, test_pixel
from .interpolate import interpolate
from .layout import BATCH_LANES, PS_OUT_ROWS, RECORD_WORDS, ROW, TILE_PIXELS, PixelFlag, R, RecordFlag, S
from .merge import write_colors

_PS_ADDRESS, _PS_FLAGS, _PS_CONSTANTS, _PS_EXPORTS = (int(S.PS_ADDRESS), int(S.PS_FLAGS), int(S.PS_CONSTANTS),
                                                      int(S.PS_EXPORTS))
_PS_Z_EXPORT, _LATE = int(S.PS_Z_EXPORT), int(S.LATE)
_KILL, _BACK, _FLAGS = int(PixelFlag.KILL), int(RecordFlag.BACK), int(R.FLAGS)
_W = Word
_INPUTS, _OUTPUTS, _LIVE, _PIXEL, _LANE_DEPTH = (int(_W.INPUTS), int(_W.OUTPUTS), int(_W.LIVE), int(_W.LANE_PIXEL),
                                                 int(_W.LANE_DEPTH))
_SLOT, _SLOT_RECORD, _SLOT_COUNT, _QUAD_COUNT = (int(_W.SLOT), int(_W.SLOT_RECORD), int(_W.SLOT_COUNT),
                                                 int(_W.QUAD_COUNT))
_STATE_ROW, _RECORDS, _PIXELS, _STENCIL, _ORDERED = (int(_W.ROW), int(_W.RECORDS), int(_W.PIXELS),
                                                     int(_W.TILE_STENCIL), int(_W.ORDERED))
_STATISTICS, _INTERPOLATE, _WRITE_COLORS, _CHANGED = (int(_W.STATISTICS), int(_W.INTERPOLATE), int(_W.WRITE_COLORS),
                                                      int(_W.CHANGED))


@kernel
def _late_tests(context, state, floats):
    """Tests after the shader, in primitive order; a lane that fails is no longer live.  [DEPTH-LATE]"""
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    slots = int32_at(context[_SLOT], np.int64(QUADS))
    slot_records = int32_at(context[_SLOT_RECORD], np.int64(QUADS))
    tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
    stencil = uint8_at(context[_STENCIL], np.int64(TILE_PIXELS))
    depth = float32_at(context[_LANE_DEPTH], np.int64(BATCH_LANES))
    if state[_PS_Z_EXPORT] != 0:
        outputs = float32_at(context[_OUTPUTS], np.int64(PS_OUT_ROWS * ROW))
        first = np.int64(4 * ROW) * state[_PS_EXPORTS]
        for lane in range(BATCH_LANES):
            depth[lane] = outputs[first + lane]
    passed = np.int64(0)
    for quad in range(context[_QUAD_COUNT]):
        record = context[_RECORDS] + np.int64(slot_records[slots[quad]]) * np.int64(4 * RECORD_WORDS)
        back = np.int64(int32_at(record, np.int64(RECORD_WORDS))[_FLAGS]) & np.int64(_BACK)
        lane = first_lane(quad)
        for _ in range(4):
            if live[lane] != np.int32(0):
                if test_pixel(tile, stencil, np.int64(pixel[lane]), depth[lane], state, floats, back):
                    passed += np.int64(1)
                else:
                    live[lane] = np.int32(0)
            lane += np.int64(GROUP)
    if may_write(state):
        context[_CHANGED] |= np.int64(1)
    if not stays_ordered(state, floats):
        context[_ORDERED] = np.int64(0)
    return passed


@callback(SIGNATURE)
def flush(table, unused0, unused1, unused2, unused3):
    """Shade and merge what the batch holds, and empty it."""
    context = context_at(table)
    if context[_QUAD_COUNT] == 0:
        return
    row = context[_STATE_ROW]
    state, floats = state_ints(context, row), state_floats(context, row)
    statistics = int64_at(context[_STATISTICS] + row * np.int64(8 * STATISTICS), np.int64(STATISTICS))
    zero = np.int64(0)
    lanes = pad_waves(context)
    covered = count_live(context, lanes)
    call_address(context[_INTERPOLATE], table, lanes, zero, zero, zero)
    call_address(state[_PS_ADDRESS], context[_INPUTS], context[_OUTPUTS], state[_PS_CONSTANTS], lanes, context[_LIVE])
    statistics[SHADED] += covered
    if state[_PS_FLAGS] & np.int64(_KILL):
        statistics[KILLED] += covered - count_live(context, lanes)
    if state[_LATE] != 0:
        statistics[ZPASS] += _late_tests(context, state, floats)
    call_address(context[_WRITE_COLORS], table, lanes, zero, zero, zero)
    context[_QUAD_COUNT] = zero
    context[_SLOT_COUNT] = zero


@kernel
def add_quad(context, r, place, mask):
    """Append a quad of record r, whose upper left pixel is `place`; the batch must have room."""
    slots = context[_SLOT_COUNT]
    records = int32_at(context[_SLOT_RECORD], np.int64(QUADS))
    fresh = slots == 0
    if not fresh:
        fresh = np.int64(records[slots - 1]) != r
    if fresh:
        records[slots] = np.int32(r)
        setup_slot(context, slots, r)
        slots += np.int64(1)
        context[_SLOT_COUNT] = slots
    quad = context[_QUAD_COUNT]
    put_quad(context, quad, slots - np.int64(1), place, mask)
    context[_QUAD_COUNT] = quad + np.int64(1)


STAGES = ((Word.INTERPOLATE, interpolate), (Word.WRITE_COLORS, write_colors), (Word.FLUSH, flush))
