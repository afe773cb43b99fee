"""CB: blending, write mask and ROP3 of a shaded batch, and the stage that writes it to all targets.

A pixel may occur twice in a batch, so it is cut into segments of quads that all differ; inside a segment whole
rows of lanes are computed at once.
"""

import numpy as np

from ..base.floats import bits_float
from ..base.kernel import callback, kernel
from ..base.pointers import float32_at, int32_at, uint32_at
from ..texture.channels import unorm_decode
from ..texture.number_types import COMPONENT, LSB, TYPE, UNORM, WIDTH, WORD
from ..texture.number_types import MASK as FORMAT_MASK
from ..texture.texels import channel_bits, unpack_channel
from .batch import first_lane
from .blend import (
    COPY,
    OPERAND_CONSTANT,
    OPERAND_CONSTANT_ALPHA,
    OPERAND_SATURATE,
    OPERAND_SECOND,
    OPERAND_SECOND_ALPHA,
    OPERAND_SOURCE,
    OPERAND_SOURCE_ALPHA,
    OPERAND_TARGET,
    OPERAND_TARGET_ALPHA,
    blend_equation,
    clamp_color,
    complemented,
    control_fields,
    factor_operand,
    rop3_word,
    saturate_factor,
)
from .color import format_row_of, pack_lanes, store_lanes
from .context import GROUP, SIGNATURE, Word, context_at, state_floats, state_ints
from .export import quantize_export
from .layout import BATCH_LANES, ROW, TARGETS, TILE_PIXELS, C, F, S

_COLOR, _COUNT, _ROP3 = int(S.COLOR), int(C.COUNT), int(S.ROP3)
_MASK, _EXPORT, _INFO, _BLEND, _WORDS, _SLOT, _FLAGS = (int(C.MASK), int(C.EXPORT), int(C.INFO), int(C.BLEND),
                                                        int(C.WORDS), int(C.EXPORT_SLOT), int(C.FLAGS))
_FORMAT_ROW, _RED, _ALPHA = int(C.FORMAT_ROW), int(F.BLEND_RED), int(F.BLEND_ALPHA)
_OUTPUTS, _WORDS_OUT, _LIVE, _PIXEL = int(Word.OUTPUTS), int(Word.WORDS), int(Word.LIVE), int(Word.LANE_PIXEL)
_STATE_ROW, _CHANGED, _COLORS, _TILE_INDEX = (int(Word.ROW), int(Word.CHANGED), int(Word.COLORS),
                                              int(Word.TILE_INDEX))
_OLD, _BLENDED, _ACTIVE, _STAMPS, _STAMP = (int(Word.OLD_WORDS), int(Word.BLENDED), int(Word.ACTIVE), int(Word.STAMPS),
                                            int(Word.STAMP))
_QUAD_COUNT = int(Word.QUAD_COUNT)
_FORCE_ALPHA, _NO_ROP3 = 1, 2
_BLEND_CLAMP = 1 << 15
_CB_SNORM, _CB_SRGB, _CB_FLOAT = 1, 6, 7   # CB_COLORn_INFO.NUMBER_TYPE
_ROW_BYTES = 4 * ROW
# rows of the blend scratch: results, destination colour, first and second factor, constants' operands
_RESULT, _TARGET, _FACTOR = 0, 4, 8


@kernel
def _gather(context, target, count, first, end):
    """Stored words of lanes first..end."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    old = uint32_at(context[_OLD], np.int64(4 * ROW))
    for word in range(count):
        base, row = np.uint64(word * np.int64(TILE_PIXELS)), np.uint64(word * np.int64(ROW))
        for lane in range(first, end):
            at = np.uint64(lane)
            old[row + at] = target[base + np.uint64(pixel[at])]


@kernel
def _decode(context, format_row, first, end):
    """Stored colour of lanes first..end as float32 rows; what the format lacks is 0, alpha 1."""
    old = uint32_at(context[_OLD], np.int64(4 * ROW))
    for component in range(4):
        row = float32_at(context[_BLENDED] + np.int64(_TARGET + component) * np.int64(_ROW_BYTES), np.int64(ROW))
        start = np.int64(COMPONENT + 4 * component)
        width, shift = format_row[start + WIDTH], np.uint32(format_row[start + LSB])
        if (format_row[start + TYPE] == UNORM) & (width > 0) & (width <= 16):
            source = np.uint64(format_row[start + WORD] * np.int64(ROW))
            mask = np.uint32((np.int64(1) << width) - np.int64(1))
            for lane in range(first, end):
                at = np.uint64(lane)
                row[at] = unorm_decode(np.uint32(np.uint32(old[source + at] >> shift) & mask), width)
        else:
            for lane in range(first, end):
                row[lane] = bits_float(unpack_channel(old[lane], old[lane + ROW], old[lane + 2 * ROW],
                                                      old[lane + 3 * ROW], format_row, np.int64(component)))


@kernel
def _fill(row, first, end, value):
    for lane in range(first, end):
        row[np.uint64(lane)] = value


@kernel
def _clamp(base, low, high, first, end):
    """Clamp four rows."""
    for component in range(4):
        row = float32_at(base + np.int64(component) * np.int64(_ROW_BYTES), np.int64(ROW))
        for lane in range(first, end):
            row[np.uint64(lane)] = clamp_color(row[np.uint64(lane)], low, high)


@kernel
def _operand_row(context, operand, place, component, source, second, constant, constant_alpha, first, end):
    """Address of the row that holds an operand; constants and saturation are written to scratch row `place`."""
    target = context[_BLENDED] + np.int64(_TARGET) * np.int64(_ROW_BYTES)
    here, alpha = component * np.int64(_ROW_BYTES), np.int64(3 * _ROW_BYTES)
    if operand == OPERAND_SOURCE:
        return source + here
    if operand == OPERAND_SOURCE_ALPHA:
        return source + alpha
    if operand == OPERAND_TARGET:
        return target + here
    if operand == OPERAND_TARGET_ALPHA:
        return target + alpha
    if operand == OPERAND_SECOND:
        return second + here
    if operand == OPERAND_SECOND_ALPHA:
        return second + alpha
    address = context[_BLENDED] + place * np.int64(_ROW_BYTES)
    row = float32_at(address, np.int64(ROW))
    if operand == OPERAND_SATURATE:
        mine, theirs = float32_at(source + alpha, np.int64(ROW)), float32_at(target + alpha, np.int64(ROW))
        for lane in range(first, end):
            row[lane] = saturate_factor(mine[lane], theirs[lane])
    elif operand == OPERAND_CONSTANT:
        _fill(row, first, end, constant)
    elif operand == OPERAND_CONSTANT_ALPHA:
        _fill(row, first, end, constant_alpha)
    else:
        _fill(row, first, end, np.float32(0))
    return address


@kernel
def _equation(function, result, source, left, left_complement, target, right, right_complement, first, end):
    """One component of lanes first..end."""
    for lane in range(first, end):
        at = np.uint64(lane)
        result[at] = blend_equation(function, source[at], complemented(left[at], left_complement), target[at],
                                    complemented(right[at], right_complement))


@kernel
def _blend(context, state, floats, column, source, second, format_row, first, end):
    """Blend lanes first..end; returns the address of the result's rows."""
    info, control = state[column + _INFO], state[column + _BLEND]
    low = np.float32(-1) if info >> np.int64(8) & np.int64(7) == _CB_SNORM else np.float32(0)
    high = np.float32(1)
    clamps = info & np.int64(_BLEND_CLAMP) != 0
    constant_alpha = floats[_ALPHA]
    _decode(context, format_row, first, end)
    scratch = context[_BLENDED]
    if state[column + _FLAGS] & np.int64(_FORCE_ALPHA):
        _fill(float32_at(scratch + np.int64((_TARGET + 3) * _ROW_BYTES), np.int64(ROW)), first, end, high)
    if clamps:
        _clamp(source, low, high, first, end)
        _clamp(second, low, high, first, end)
        constant_alpha = clamp_color(constant_alpha, low, high)
    for component in range(4):
        k = np.int64(component)
        alpha = np.int64(1) if component == 3 else np.int64(0)
        constant = floats[_RED + k]
        if clamps:
            constant = clamp_color(constant, low, high)
        left, function, right = control_fields(control, alpha)
        left_operand, left_complement = factor_operand(left, alpha)
        right_operand, right_complement = factor_operand(right, alpha)
        left_row = _operand_row(context, np.int64(left_operand), np.int64(_FACTOR), k, source, second, constant,
                                constant_alpha, first, end)
        right_row = _operand_row(context, np.int64(right_operand), np.int64(_FACTOR + 1), k, source, second, constant,
                                 constant_alpha, first, end)
        here, length = k * np.int64(_ROW_BYTES), np.int64(ROW)
        _equation(function, float32_at(scratch + here, length), float32_at(source + here, length),
                  float32_at(left_row, length), left_complement,
                  float32_at(scratch + np.int64(_TARGET * _ROW_BYTES) + here, length),
                  float32_at(right_row, length), right_complement, first, end)
    if clamps:
        _clamp(scratch, low, high, first, end)
    return scratch


@kernel
def merged_word(rop3, new, old, bits):
    """One word through ROP3 and the write mask."""
    if rop3 != COPY:
        new = rop3_word(rop3, new, old)
    return np.uint32(np.uint32(old & np.uint32(~bits)) | np.uint32(new & bits))


@kernel
def _merge(context, target, state, floats, column, source, second, format_row, round_mode, live, first, end):
    """Lanes first..end, all of different pixels, with blending, ROP3 and write mask."""
    info, count = state[column + _INFO], state[column + _WORDS]
    rop3 = state[_ROP3]
    number_type = info >> np.int64(8) & np.int64(7)
    if (state[column + _FLAGS] & np.int64(_NO_ROP3) != 0) | (number_type == _CB_SRGB) | (number_type == _CB_FLOAT):
        rop3 = np.int64(COPY)
    _gather(context, target, count, first, end)
    if state[column + _BLEND] != 0:
        source = _blend(context, state, floats, column, source, second, format_row, first, end)
    pack_lanes(context, source, format_row, round_mode, first, end)
    old, words = uint32_at(context[_OLD], np.int64(4 * ROW)), uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    for word in range(count):
        bits = channel_bits(format_row, state[column + _MASK], word)
        row = np.uint64(word * np.int64(ROW))
        for lane in range(first, end):
            at = row + np.uint64(lane)
            words[at] = merged_word(rop3, words[at], old[at], bits)
    store_lanes(context, target, count, live, first, end)


@kernel
def _segment_end(context, first):
    """End of the longest run of quads from `first` on that are all different."""
    stamps = int32_at(context[_STAMPS], np.int64(TILE_PIXELS))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    context[_STAMP] += np.int64(1)
    stamp = np.int32(context[_STAMP])
    quad = first
    while quad < context[_QUAD_COUNT]:
        place = pixel[first_lane(quad)]
        if stamps[place] == stamp:
            break
        stamps[place] = stamp
        quad += np.int64(1)
    return quad


@kernel
def _merge_segments(context, target, state, floats, column, source, second, format_row, round_mode, lanes):
    """The batch in order, segment by segment."""
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    active = int32_at(context[_ACTIVE], np.int64(BATCH_LANES))
    quad, group = np.int64(0), np.int64(GROUP)
    while quad < context[_QUAD_COUNT]:
        end = _segment_end(context, quad)
        first_of_wave = quad // group * np.int64(64)
        end_of_wave = min((end + group - np.int64(1)) // group * np.int64(64), lanes)
        for lane in range(first_of_wave, end_of_wave):
            active[lane] = np.int32(0)
        for inside in range(quad, end):
            lane = first_lane(inside)
            for corner in range(4):
                at = lane + np.int64(corner) * group
                active[at] = live[at]
        _merge(context, target, state, floats, column, source, second, format_row, round_mode, active, first_of_wave,
               end_of_wave)
        quad = end


@kernel
def overwrites(state, column, format_row):
    """Whether a target's old bits do not matter: no blending, no ROP3, every component written."""
    if (state[column + _BLEND] != 0) | (state[_ROP3] != COPY):
        return False
    return state[column + _MASK] & format_row[FORMAT_MASK] == format_row[FORMAT_MASK]


@callback(SIGNATURE)
def write_colors(table, lanes, unused0, unused1, unused2):
    """Merge the shaded batch into every colour target."""
    context = context_at(table)
    row = context[_STATE_ROW]
    state, floats = state_ints(context, row), state_floats(context, row)
    second = state[_COLOR + _COUNT + _SLOT]
    for n in range(TARGETS):
        column = np.int64(_COLOR) + np.int64(_COUNT) * np.int64(n)
        if state[column + _MASK] == 0:
            continue
        context[_CHANGED] |= np.int64(2) << np.int64(n)
        slot, count = state[column + _SLOT], state[column + _WORDS]
        quantize_export(context, slot, state[column + _EXPORT], lanes)
        nbytes = count * np.int64(4 * TILE_PIXELS)
        target = uint32_at(context[_COLORS + n] + context[_TILE_INDEX] * nbytes, count * np.int64(TILE_PIXELS))
        format_row = format_row_of(context, state[column + _FORMAT_ROW])
        round_mode = state[column + _INFO] >> np.int64(18) & np.int64(1)
        source = context[_OUTPUTS] + slot * np.int64(4 * _ROW_BYTES)
        if overwrites(state, column, format_row):
            pack_lanes(context, source, format_row, round_mode, np.int64(0), lanes)
            store_lanes(context, target, count, int32_at(context[_LIVE], np.int64(BATCH_LANES)), np.int64(0), lanes)
        else:
            if (second != slot) & (state[column + _BLEND] != 0):
                quantize_export(context, second, state[_COLOR + _COUNT + _EXPORT], lanes)
            other = context[_OUTPUTS] + second * np.int64(4 * _ROW_BYTES)
            _merge_segments(context, target, state, floats, column, source, other, format_row, round_mode, lanes)
