"""Colour targets: pack, unpack, blend, mask and store the lanes of a batch."""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import callback, kernel
from ..base.pointers import float32_at, int32_at, uint32_at
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
_8_8_8_8 = 10


@kernel
def unorm8(value):
    """Code 0..255 of a colour component, uint32: half up from the exact product, NaN is 0.  [CB-UNORM-ROUND]"""
    x = np.float64(value)
    x = x if x > np.float64(0) else np.float64(0)
    x = x if x < np.float64(1) else np.float64(1)
    return np.uint32(np.int32(x * np.float64(255) + np.float64(0.5)))


@kernel
def swapped(component, swap):
    """First bit of a component in an 8_8_8_8 word, uint32: STD RGBA, ALT BGRA, STD_REV ABGR, ALT_REV ARGB."""
    place = component
    if swap == 1:
        place = component if (component == 1) | (component == 3) else np.int64(2) - component
    elif swap == 2:
        place = np.int64(3) - component
    elif swap == 3:
        place = (component + np.int64(1)) & np.int64(3)
    return np.uint32(np.int64(8) * place)


@kernel
def pack_color(info, r, g, b, a):
    """Words of a pixel with this CB_COLORn_INFO."""
    info = np.int64(info)
    if info >> 2 & 31 == _8_8_8_8:
        swap = info >> 11 & 3
        word = np.uint32(0)
        word = np.uint32(word | np.uint32(unorm8(r) << swapped(np.int64(0), swap)))
        word = np.uint32(word | np.uint32(unorm8(g) << swapped(np.int64(1), swap)))
        word = np.uint32(word | np.uint32(unorm8(b) << swapped(np.int64(2), swap)))
        word = np.uint32(word | np.uint32(unorm8(a) << swapped(np.int64(3), swap)))
        return word, np.uint32(0), np.uint32(0), np.uint32(0)
    return float_bits(r), float_bits(g), float_bits(b), float_bits(a)


@kernel
def unpack_color(info, w0, w1, w2, w3):
    """Components of a stored pixel."""
    info = np.int64(info)
    if info >> 2 & 31 == _8_8_8_8:
        swap, word = info >> 11 & 3, np.int64(w0)
        scale = np.float64(255)
        return (np.float32(np.float64(word >> np.int64(swapped(np.int64(0), swap)) & 255) / scale),
                np.float32(np.float64(word >> np.int64(swapped(np.int64(1), swap)) & 255) / scale),
                np.float32(np.float64(word >> np.int64(swapped(np.int64(2), swap)) & 255) / scale),
                np.float32(np.float64(word >> np.int64(swapped(np.int64(3), swap)) & 255) / scale))
    return bits_float(w0), bits_float(w1), bits_float(w2), bits_float(w3)


@kernel
def channel_bits(info, mask):
    """Bits of a pixel's words that a write mask (RGBA from bit 0) lets through."""
    info, mask = np.int64(info), np.int64(mask)
    full = np.int64(0xFFFFFFFF)
    if info >> 2 & 31 == _8_8_8_8:
        swap, word = info >> 11 & 3, np.int64(0)
        for component in range(4):
            if mask >> component & 1:
                word |= np.int64(255) << np.int64(swapped(np.int64(component), swap))
        return np.uint32(word), np.uint32(0), np.uint32(0), np.uint32(0)
    return (np.uint32(full if mask & 1 else 0), np.uint32(full if mask & 2 else 0),
            np.uint32(full if mask & 4 else 0), np.uint32(full if mask & 8 else 0))


@kernel
def _pack_lanes(context, slot, info, lanes):
    """Packed words of every lane into the batch's words."""
    base = context[_OUTPUTS] + slot * np.int64(16 * ROW)
    red, green = float32_at(base, np.int64(ROW)), float32_at(base + np.int64(4 * ROW), np.int64(ROW))
    blue = float32_at(base + np.int64(8 * ROW), np.int64(ROW))
    alpha = float32_at(base + np.int64(12 * ROW), np.int64(ROW))
    words = uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    if info >> np.int64(2) & np.int64(31) == _8_8_8_8:
        for lane in range(lanes):
            at = np.uint64(lane)
            words[at] = pack_color(info, red[at], green[at], blue[at], alpha[at])[0]
        return
    for lane in range(lanes):
        at = np.uint64(lane)
        w0, w1, w2, w3 = pack_color(info, red[at], green[at], blue[at], alpha[at])
        words[at] = w0
        words[at + np.uint64(ROW)] = w1
        words[at + np.uint64(2 * ROW)] = w2
        words[at + np.uint64(3 * ROW)] = w3


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
def _blended(state, floats, column, r, g, b, a, tr, tg, tb, ta, old0, old1, old2, old3):
    """A colour blended over the stored pixel; t is the second source."""
    info, control = state[column + _INFO], state[column + _BLEND]
    low, high = _color_range(info)
    cr, cg, cb, ca = floats[_RED], floats[_GREEN], floats[_BLUE], floats[_ALPHA]
    clamps = info & np.int64(_BLEND_CLAMP) != 0
    if clamps:
        r, g, b, a = _clamp4(r, g, b, a, low, high)
        tr, tg, tb, ta = _clamp4(tr, tg, tb, ta, low, high)
        cr, cg, cb, ca = _clamp4(cr, cg, cb, ca, low, high)
    dr, dg, db, da = unpack_color(info, old0, old1, old2, old3)
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
def _merge_lanes(context, target, state, floats, column, slot, second, lanes):
    """Live lanes in order, with blending, write mask and ROP3."""
    info, count, control = state[column + _INFO], state[column + _WORDS], state[column + _BLEND]
    rop3 = state[_ROP3]
    if (state[column + _FLAGS] & np.int64(_NO_ROP3) != 0) | (info >> np.int64(8) & np.int64(7) >= 6):
        rop3 = np.int64(COPY)
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    outputs = float32_at(context[_OUTPUTS], np.int64(PS_OUT_ROWS * ROW))
    bits = channel_bits(info, state[column + _MASK])
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
                    r, g, b, a = _blended(state, floats, column, r, g, b, a, outputs[at], outputs[at + ROW],
                                          outputs[at + 2 * ROW], outputs[at + 3 * ROW], old0, old1, old2, old3)
                new0, new1, new2, new3 = pack_color(info, r, g, b, a)
                target[place] = _merge_word(rop3, new0, old0, bits[0])
                if count > 1:
                    target[plane + place] = _merge_word(rop3, new1, old1, bits[1])
                if count > 2:
                    target[2 * plane + place] = _merge_word(rop3, new2, old2, bits[2])
                    target[3 * plane + place] = _merge_word(rop3, new3, old3, bits[3])
            lane += np.int64(GROUP)


@kernel
def _merge_word(rop3, new, old, bits):
    """One word through ROP3 and the write mask."""
    if rop3 != COPY:
        new = rop3_word(rop3, new, old)
    return np.uint32(np.uint32(old & np.uint32(~bits)) | np.uint32(new & bits))


@kernel
def overwrites(state, column):
    """Whether a target's old bits do not matter: no blending, no ROP3, every bit written."""
    if (state[column + _BLEND] != 0) | (state[_ROP3] != COPY):
        return False
    bits = channel_bits(state[column + _INFO], state[column + _MASK])
    full = channel_bits(state[column + _INFO], np.int64(15))
    return (bits[0] == full[0]) & (bits[1] == full[1]) & (bits[2] == full[2]) & (bits[3] == full[3])


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
        if overwrites(state, column):
            _pack_lanes(context, slot, state[column + _INFO], lanes)
            _store_lanes(context, target, count, lanes)
        else:
            if (second != slot) & (state[column + _BLEND] != 0):
                quantize_export(context, second, state[_COLOR + _COUNT + _EXPORT], lanes)
            _merge_lanes(context, target, state, floats, column, slot, second, lanes)
