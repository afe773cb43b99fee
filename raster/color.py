"""Colour targets: from a shaded batch to packed words in the tile."""

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import float32_at, int32_at, int64_at, uint32_at
from ..texture.channels import unorm_encode
from ..texture.number_types import BITS, COMPONENT, LSB, TYPE, UNORM, WIDTH
from ..texture.number_types import ROW as FORMAT_COLUMNS
from ..texture.texels import pack_texel
from .context import Word
from .layout import BATCH_LANES, ROW, TILE_PIXELS

_WORDS_OUT, _PIXEL, _COLOR_TABLE = int(Word.WORDS), int(Word.LANE_PIXEL), int(Word.COLOR_TABLE)


@kernel
def format_row_of(context, row):
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
def pack_lanes(context, base, format_row, round_mode, first, end):
    """Packed words of lanes first..end into the batch's words, from the four rows at address `base`."""
    words = uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    if _is_unorm_word(format_row):
        for lane in range(first, end):
            words[np.uint64(lane)] = np.uint32(0)
        for component in range(4):
            start = np.int64(COMPONENT + 4 * component)
            width, shift = format_row[start + WIDTH], np.uint32(format_row[start + LSB])
            if width == 0:
                continue
            values = float32_at(base + np.int64(component) * np.int64(4 * ROW), np.int64(ROW))
            for lane in range(first, end):
                at = np.uint64(lane)
                field = np.uint32(unorm_encode(values[at], width, round_mode) << shift)
                words[at] = np.uint32(words[at] | field)
        return
    outputs = uint32_at(base, np.int64(4 * ROW))
    for lane in range(first, end):
        w0, w1, w2, w3 = pack_texel(outputs[lane], outputs[lane + ROW], outputs[lane + 2 * ROW],
                                    outputs[lane + 3 * ROW], format_row, round_mode)
        words[lane] = w0
        words[lane + ROW] = w1
        words[lane + 2 * ROW] = w2
        words[lane + 3 * ROW] = w3


@kernel
def store_lanes(context, target, count, live, first, end):
    """Packed words of lanes first..end into the target, where `live` is not 0."""
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    words = uint32_at(context[_WORDS_OUT], np.int64(4 * ROW))
    for word in range(count):
        source, base = np.uint64(word * np.int64(ROW)), np.uint64(word * np.int64(TILE_PIXELS))
        for lane in range(first, end):
            at = np.uint64(lane)
            if live[at] != np.int32(0):
                target[base + np.uint64(pixel[at])] = words[source + at]
