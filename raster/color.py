"""Colour targets: pack, unpack, blend, mask and store the lanes of a batch."""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import callback, kernel
from ..base.pointers import float32_at, int32_at, int64_at, uint32_at
from ..texture.channels import unorm_encode
from ..texture.number_types import BITS, COMPONENT, LSB, TYPE, UNORM, WIDTH
from ..texture.number_types import MASK as FORMAT_MASK
from ..texture.number_types import ROW as FORMAT_COLUMNS
from ..texture.texels import channel_bits, pack_texel, unpack_texel
from .batch import first_lane
from .blend import COPY, blend_component, clamp_color, rop3_word
from .context import GROUP, SIGNATURE, Word, context_at, state_floats, state_ints
from .export import quantize_export
from .layout import BATCH_LANES, PS_OUT_ROWS, ROW, TARGETS, TILE_PIXELS, C, F, S

_COLOR, _COUNT, _ROP3 = int(S.COLOR), int(C.COUNT), int(S.ROP3)
_MASK, _EXPORT, _INFO, _BLEND, _WORDS, _SLOT, _FLAGS = (int(C.MASK), int(C.EXPORT), int(C.INFO), int(C.BLEND),
                                                        int(C.WORDS), int(C.EXPORT_SLOT), int(C.FLAGS))
_RED, _GREEN, _BLUE, _ALPHA = int(F.BLEND_RED), int(F.BLEND_GREEN), int(F.BLEND_BLUE), int(F.BLEND_ALPHA)
_OUTPUTS, _WORDS_OUT, _LIVE, _PIXEL = int(Word.OUTPUTS), int(Word.WORDS), int(Word.LIVE), int(Word.LANE_PIXEL)
_STATE_ROW, _CHANGED, _COLORS, _TILE_INDEX = (int(Word.ROW), int(Word.CHANGED), int(Word.COLORS),
                                              int(Word.TILE_INDEX))
_FORCE_ALPHA, _NO_ROP3 = 1, 2
_BLEND_CLAMP = 1 << 15
_CB_SRGB, _CB_FLOAT = 6, 7             # CB_COLORn_INFO.NUMBER_TYPE
_FORMAT_ROW, _COLOR_TABLE = int(C.FORMAT_ROW), int(Word.COLOR_TABLE)


@kernel
def _format(context, row):
    """The target's row of texture.formats.COLOR_TABLE."""
    return int64_at(context[_COLOR_TABLE] + row * np.int64(8 * FORMAT_COLUMNS), np.int64(FORMAT_COLUMNS))


@kernel
def _is_unorm_word(format_row):
    """Whether a pixel is one word of UNORM fields."""
    plain = format_row[BITS] <= 32
    for component in range(4):
        start = np.int64(COMPONENT + 4 * component)
        plain = plain & ((format_row[start + WIDTH] == 0) | (format_row[start + TYPE] == UNORM))
    return plain


@kernel
def _pack_lanes(context, slot, format_row, round_mode, lanes):
    """Packed words of every lane into the batch's words."""
    base = context[_OUTPUTS] + slot * np.int64(16 * ROW)
    words = uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    if _is_unorm_word(format_row):
        for lane in range(lanes):
            words[np.uint64(lane)] = np.uint32(0)
        for component in range(4):
            start = np.int64(COMPONENT + 4 * component)
            width, shift = format_row[start + WIDTH], np.uint32(format_row[start + LSB])
            if width == 0:
                continue
            values = float32_at(base + np.int64(component) * np.int64(4 * ROW), np.int64(ROW))
            for lane in range(lanes):
                at = np.uint64(lane)
                field = np.uint32(unorm_encode(values[at], width, round_mode) << shift)
                words[at] = np.uint32(words[at] | field)
        return
    outputs = uint32_at(base, np.int64(4 * ROW))
    for lane in range(lanes):
        w0, w1, w2, w3 = pack_texel(outputs[lane], outputs[lane + ROW], outputs[lane + 2 * ROW],
                                    outputs[lane + 3 * ROW], format_row, round_mode)
        words[lane] = w0
        words[lane + ROW] = w1
        words[lane + 2 * ROW] = w2
        words[lane + 3 * ROW] = w3


@kernel
def _store_lanes(context, target, count, lanes):
    """Live lanes' packed words into the target."""
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    words = uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    for word in range(count):
        source, base = np.uint64(word * np.int64(ROW)), np.uint64(word * np.int64(TILE_PIXELS))
        for lane in range(lanes):
            at = np.uint64(lane)
            if live[at] != np.int32(0):
                target[base + np.uint64(pixel[at])] = words[source + at]


@kernel
def _color_range(info):
    """Range that BLEND_CLAMP clamps to."""
    return (np.float32(-1) if info >> np.int64(8) & np.int64(7) == 1 else np.float32(0)), np.float32(1)


@kernel
def _clamp4(r, g, b, a, low, high):
    return clamp_color(r, low, high), clamp_color(g, low, high), clamp_color(b, low, high), clamp_color(a, low, high)


@kernel
def _blended(state, floats, column, r, g, b, a, tr, tg, tb, ta, dr, dg, db, da):
    """Colour blended over the stored one (d); t is the second source."""
    info, control = state[column + _INFO], state[column + _BLEND]
    low, high = _color_range(info)
    cr, cg, cb, ca = floats[_RED], floats[_GREEN], floats[_BLUE], floats[_ALPHA]
    clamps = info & np.int64(_BLEND_CLAMP) != 0
    if clamps:
        r, g, b, a = _clamp4(r, g, b, a, low, high)
        tr, tg, tb, ta = _clamp4(tr, tg, tb, ta, low, high)
        cr, cg, cb, ca = _clamp4(cr, cg, cb, ca, low, high)
    if state[column + _FLAGS] & np.int64(_FORCE_ALPHA):
        da = np.float32(1)
    no, yes = np.int64(0), np.int64(1)
    r, g, b, a = (blend_component(control, no, r, a, dr, da, tr, ta, cr, ca),
                  blend_component(control, no, g, a, dg, da, tg, ta, cg, ca),
                  blend_component(control, no, b, a, db, da, tb, ta, cb, ca),
                  blend_component(control, yes, a, a, da, da, ta, ta, ca, ca))
    if clamps:
        r, g, b, a = _clamp4(r, g, b, a, low, high)
    return r, g, b, a


@kernel
def _merge_lanes(context, target, state, floats, column, slot, second, format_row, round_mode, lanes):
    """Live lanes in order, with blending, write mask and ROP3."""
    info, count, control = state[column + _INFO], state[column + _WORDS], state[column + _BLEND]
    mask, rop3 = state[column + _MASK], state[_ROP3]
    number_type = info >> np.int64(8) & np.int64(7)
    if (state[column + _FLAGS] & np.int64(_NO_ROP3) != 0) | (number_type == _CB_SRGB) | (number_type == _CB_FLOAT):
        rop3 = np.int64(COPY)
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    outputs = float32_at(context[_OUTPUTS], np.int64(PS_OUT_ROWS * ROW))
    bits0, bits1 = channel_bits(format_row, mask, np.int64(0)), channel_bits(format_row, mask, np.int64(1))
    bits2, bits3 = channel_bits(format_row, mask, np.int64(2)), channel_bits(format_row, mask, np.int64(3))
    zero, plane = np.uint32(0), np.int64(TILE_PIXELS)
    for quad in range(lanes >> np.int64(2)):
        lane = first_lane(quad)
        for _ in range(4):
            if live[lane] != np.int32(0):
                place = np.int64(pixel[lane])
                at = slot * np.int64(4 * ROW) + lane
                r, g, b, a = outputs[at], outputs[at + ROW], outputs[at + 2 * ROW], outputs[at + 3 * ROW]
                old0, old1, old2, old3 = target[place], zero, zero, zero
                if count > 1:
                    old1 = target[plane + place]
                if count > 2:
                    old2, old3 = target[2 * plane + place], target[3 * plane + place]
                if control != 0:
                    at = second * np.int64(4 * ROW) + lane
                    dr, dg, db, da = unpack_texel(old0, old1, old2, old3, format_row)
                    r, g, b, a = _blended(state, floats, column, r, g, b, a, outputs[at], outputs[at + ROW],
                                          outputs[at + 2 * ROW], outputs[at + 3 * ROW], bits_float(dr), bits_float(dg),
                                          bits_float(db), bits_float(da))
                new0, new1, new2, new3 = pack_texel(float_bits(r), float_bits(g), float_bits(b), float_bits(a),
                                                    format_row, round_mode)
                target[place] = _merge_word(rop3, new0, old0, bits0)
                if count > 1:
                    target[plane + place] = _merge_word(rop3, new1, old1, bits1)
                if count > 2:
                    target[2 * plane + place] = _merge_word(rop3, new2, old2, bits2)
                    target[3 * plane + place] = _merge_word(rop3, new3, old3, bits3)
            lane += np.int64(GROUP)


@kernel
def _merge_word(rop3, new, old, bits):
    """One word through ROP3 and the write mask."""
    if rop3 != COPY:
        new = rop3_word(rop3, new, old)
    return np.uint32(np.uint32(old & np.uint32(~bits)) | np.uint32(new & bits))


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
        format_row = _format(context, state[column + _FORMAT_ROW])
        round_mode = state[column + _INFO] >> np.int64(18) & np.int64(1)
        if overwrites(state, column, format_row):
            _pack_lanes(context, slot, format_row, round_mode, lanes)
            _store_lanes(context, target, count, lanes)
        else:
            if (second != slot) & (state[column + _BLEND] != 0):
                quantize_export(context, second, state[_COLOR + _COUNT + _EXPORT], lanes)
            _merge_lanes(context, target, state, floats, column, slot, second, format_row, round_mode, lanes)
