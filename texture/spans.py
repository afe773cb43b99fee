"""Planes of many texels at once: one component of a run of words to float32 and back, the number type chosen once.

The loops call the scalar rules of `channels`; picking the type outside the loop lets LLVM vectorize them.
"""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import kernel
from .channels import (
    decode_bits,
    encode_bits,
    field_mask,
    sint_encode,
    snorm_decode,
    snorm_encode,
    uint_encode,
    unorm_decode,
    unorm_encode,
)
from .number_types import (
    COMPONENT,
    FLAG_SHARED,
    FLAGS,
    FLOAT,
    LSB,
    ROUND_HALF,
    SHARED_EXPONENT,
    SINT,
    SNORM,
    TYPE,
    UINT,
    UNORM,
    WIDTH,
    WORD,
)
from .small_floats import (
    float_bits_to_half,
    float_bits_to_unsigned_e5,
    half_to_float_bits,
    pack_9995,
    shared_to_float_bits,
    widen_e5,
)
from .texels import missing_register


@kernel
def decode_plane(words, lsb, width, number_type, out):
    """uint32[n] words to float32[n]: the field at `lsb` of each, decoded (integers as their bits)."""
    shift = np.uint32(lsb)
    mask = field_mask(width)
    size = out.size
    if number_type == FLOAT and width == 32:
        for i in range(size):
            out[i] = bits_float(words[i])
    elif number_type == UNORM:
        for i in range(size):
            out[i] = unorm_decode(np.uint32(np.uint32(words[i] >> shift) & mask), width)
    elif number_type == SNORM:
        for i in range(size):
            out[i] = snorm_decode(np.uint32(np.uint32(words[i] >> shift) & mask), width)
    elif number_type == UINT:
        for i in range(size):
            out[i] = bits_float(np.uint32(np.uint32(words[i] >> shift) & mask))
    elif number_type == FLOAT and width == 16:
        for i in range(size):
            out[i] = bits_float(half_to_float_bits(np.uint32(np.uint32(words[i] >> shift) & mask)))
    elif number_type == FLOAT:
        for i in range(size):
            out[i] = bits_float(widen_e5(np.uint32(np.uint32(words[i] >> shift) & mask), width - 5))
    elif number_type == SHARED_EXPONENT:
        for i in range(size):
            field = np.uint32(np.uint32(words[i] >> shift) & mask)
            out[i] = bits_float(shared_to_float_bits(field, np.uint32(words[i] >> np.uint32(27))))
    else:
        for i in range(size):
            out[i] = bits_float(decode_bits(np.uint32(np.uint32(words[i] >> shift) & mask), width, number_type))


@kernel
def encode_plane(values, lsb, width, number_type, round_mode, words):
    """float32[n] (integers as their bits) into uint32[n]: OR the encoded field at `lsb` into each word."""
    shift = np.uint32(lsb)
    size = values.size
    if number_type == FLOAT and width == 32:
        for i in range(size):
            words[i] = float_bits(values[i])
    elif number_type == UNORM and round_mode == ROUND_HALF:
        for i in range(size):
            words[i] = np.uint32(words[i] | np.uint32(unorm_encode(values[i], width, ROUND_HALF) << shift))
    elif number_type == SNORM and round_mode == ROUND_HALF:
        for i in range(size):
            words[i] = np.uint32(words[i] | np.uint32(snorm_encode(values[i], width, ROUND_HALF) << shift))
    elif number_type == FLOAT and width == 16 and round_mode == ROUND_HALF:
        for i in range(size):
            words[i] = np.uint32(words[i] | np.uint32(float_bits_to_half(float_bits(values[i]), ROUND_HALF) << shift))
    elif number_type == FLOAT and round_mode == ROUND_HALF:
        for i in range(size):
            field = float_bits_to_unsigned_e5(float_bits(values[i]), width - 5, ROUND_HALF)
            words[i] = np.uint32(words[i] | np.uint32(field << shift))
    elif number_type == UINT:
        for i in range(size):
            words[i] = np.uint32(words[i] | np.uint32(uint_encode(float_bits(values[i]), width) << shift))
    elif number_type == SINT:
        for i in range(size):
            words[i] = np.uint32(words[i] | np.uint32(sint_encode(float_bits(values[i]), width) << shift))
    else:
        for i in range(size):
            field = encode_bits(float_bits(values[i]), width, number_type, round_mode)
            words[i] = np.uint32(words[i] | np.uint32(field << shift))


@kernel
def unpack_planes(words, row, out):
    """From words uint32[words, n] to float32[4, n]; what the format lacks is 0, 0, 0, 1."""
    for channel in range(4):
        start = COMPONENT + 4 * channel
        width = row[start + WIDTH]
        if width == 0:
            fill = bits_float(missing_register(row, channel))
            for i in range(out.shape[1]):
                out[channel, i] = fill
        else:
            decode_plane(words[row[start + WORD]], row[start + LSB], width, row[start + TYPE], out[channel])


@kernel
def pack_planes(values, row, round_mode, words):
    """From float32[4, n] to words uint32[words, n], overwritten."""
    for word in range(words.shape[0]):
        for i in range(words.shape[1]):
            words[word, i] = np.uint32(0)
    if row[FLAGS] & FLAG_SHARED:
        for i in range(words.shape[1]):
            words[0, i] = pack_9995(float_bits(values[0, i]), float_bits(values[1, i]), float_bits(values[2, i]))
        return
    for channel in range(4):
        start = COMPONENT + 4 * channel
        width = row[start + WIDTH]
        if width:
            encode_plane(values[channel], row[start + LSB], width, row[start + TYPE], round_mode,
                         words[row[start + WORD]])
