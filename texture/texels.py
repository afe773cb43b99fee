"""Whole elements, by a format row: up to four uint32 words to four registers and back.

`row` is int64[ROW], a row of FORMAT_TABLE or COLOR_TABLE, so one machine code serves every format.
"""

import numpy as np

from ..base.kernel import kernel
from .channels import decode_bits, encode_bits, field_mask
from .number_types import COMPONENT, FLAG_INTEGER, FLAG_SHARED, FLAGS, LSB, TYPE, WIDTH, WORD
from .small_floats import pack_9995, shared_to_float_bits

_FLOAT_ONE = np.uint32(0x3F800000)


@kernel
def pick(w0, w1, w2, w3, index):
    """One of four words."""
    low = w1 if index & 1 else w0
    high = w3 if index & 1 else w2
    return high if index & 2 else low


@kernel
def missing_register(row, channel):
    """Register of a component that the format lacks: 0, and 1 (of the format's type) for W.  [FMT-MISSING]"""
    if channel != 3:
        return np.uint32(0)
    return np.uint32(1) if row[FLAGS] & FLAG_INTEGER else _FLOAT_ONE


@kernel
def unpack_channel(w0, w1, w2, w3, row, channel):
    """Register of one component of an element."""
    start = COMPONENT + 4 * channel
    width = row[start + WIDTH]
    if width == 0:
        return missing_register(row, channel)
    word = np.uint32(pick(w0, w1, w2, w3, row[start + WORD]))
    field = np.uint32(np.uint32(word >> np.uint32(row[start + LSB])) & field_mask(width))
    if row[FLAGS] & FLAG_SHARED:
        return shared_to_float_bits(field, np.uint32(word >> np.uint32(27)))
    return decode_bits(field, width, row[start + TYPE])


@kernel
def unpack_texel(w0, w1, w2, w3, row):
    """Four registers of one element; what the format lacks reads as 0, 0, 0, 1.  [FMT-MISSING]"""
    w0, w1, w2, w3 = np.uint32(w0), np.uint32(w1), np.uint32(w2), np.uint32(w3)
    return (unpack_channel(w0, w1, w2, w3, row, np.int64(0)), unpack_channel(w0, w1, w2, w3, row, np.int64(1)),
            unpack_channel(w0, w1, w2, w3, row, np.int64(2)), unpack_channel(w0, w1, w2, w3, row, np.int64(3)))


@kernel
def pack_channel(register, row, channel, round_mode):
    """(word index, that word's bits) of one component; the bits are 0 where the format has none."""
    start = COMPONENT + 4 * channel
    width = row[start + WIDTH]
    if width == 0:
        return np.int64(0), np.uint32(0)
    field = encode_bits(register, width, row[start + TYPE], round_mode)
    return row[start + WORD], np.uint32(field << np.uint32(row[start + LSB]))


@kernel
def pack_texel(x, y, z, w, row, round_mode):
    """Four words of one element from four registers; components that the format lacks are dropped."""
    if row[FLAGS] & FLAG_SHARED:
        return pack_9995(x, y, z), np.uint32(0), np.uint32(0), np.uint32(0)
    w0, w1, w2, w3 = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    x, y, z, w = np.uint32(x), np.uint32(y), np.uint32(z), np.uint32(w)
    for channel in range(4):
        place, bits = pack_channel(pick(x, y, z, w, channel), row, channel, round_mode)
        if place == 0:
            w0 = np.uint32(w0 | bits)
        elif place == 1:
            w1 = np.uint32(w1 | bits)
        elif place == 2:
            w2 = np.uint32(w2 | bits)
        else:
            w3 = np.uint32(w3 | bits)
    return w0, w1, w2, w3


@kernel
def channel_bits(row, mask, word):
    """Bits of one word that the components in `mask` occupy: what a masked write may change."""
    bits = np.uint32(0)
    for channel in range(4):
        start = COMPONENT + 4 * channel
        width = row[start + WIDTH]
        if (mask >> channel) & 1 and width and row[start + WORD] == word:
            bits = np.uint32(bits | np.uint32(field_mask(width) << np.uint32(row[start + LSB])))
    if row[FLAGS] & FLAG_SHARED and bits:
        bits = np.uint32(bits | np.uint32(0xF8000000))
    return bits


@kernel
def unpack_texels(words, row, out):
    """From words uint32[n, 1 to 4] to registers uint32[n, 4]."""
    count = words.shape[1]
    for i in range(words.shape[0]):
        w1 = words[i, 1] if count > 1 else np.uint32(0)
        w2 = words[i, 2] if count > 2 else np.uint32(0)
        w3 = words[i, 3] if count > 3 else np.uint32(0)
        for channel in range(4):
            out[i, channel] = unpack_channel(words[i, 0], w1, w2, w3, row, channel)


@kernel
def pack_texels(registers, row, round_mode, out):
    """From registers uint32[n, 4] to words uint32[n, 1 to 4]."""
    count = out.shape[1]
    for i in range(registers.shape[0]):
        w0, w1, w2, w3 = pack_texel(registers[i, 0], registers[i, 1], registers[i, 2], registers[i, 3], row, round_mode)
        out[i, 0] = w0
        if count > 1:
            out[i, 1] = w1
        if count > 2:
            out[i, 2] = w2
        if count > 3:
            out[i, 3] = w3
