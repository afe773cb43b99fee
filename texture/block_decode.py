"""BC1 to BC7: one 4x4 block to sixteen texels, as numerators over one divisor a component.

BC6H and BC7 are integer-exact by specification; BC1 to BC5 are exact rationals, kept as integers.  [BC-EXACT]
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.kernel import kernel
from .block_tables import (
    ANCHORS,
    BC6_BITS,
    BC6_LAYOUT,
    BC6_MODE_OF_CODE,
    BC6_ONE_SUBSET,
    BC7_MODES,
    PARTITIONS,
    WEIGHTS,
)
from .channels import signed_field
from .format_table import Format
from .small_floats import half_to_float_bits
from .srgb import SRGB_DECODE

_BC1, _BC2, _BC3, _BC4, _BC5, _BC6, _BC7 = range(1, 8)
_COLOR_UNIT: Final = 6        # thirds and halves of endpoints
_ALPHA_UNIT: Final = 35       # sevenths and fifths


@kernel
def _bits(words, first, at, count):
    """`count` (up to 16) bits of a block from bit `at`; `first` is its first word."""
    low = np.int64(words[first + (at >> 5)]) >> (at & 31)
    if (at & 31) + count > 32:
        low |= np.int64(words[first + (at >> 5) + 1]) << (32 - (at & 31))
    return low & ((np.int64(1) << count) - 1)


@kernel
def _color_block(words, first, four_colors, out):
    """BC1 colours: numerators over 6*31 and 6*63; alpha is 0 for the transparent index.  [BC-COLOR-RULE]"""
    c0, c1 = np.int64(words[first]) & 0xFFFF, np.int64(words[first]) >> 16
    indices = np.int64(words[first + 1])
    opaque = four_colors or c0 > c1
    for texel in range(16):
        index = (indices >> (2 * texel)) & 3
        if opaque:
            a = 6 - 2 * (index - 1) if index >= 2 else (6 if index == 0 else 0)
            b = 6 - a
        else:
            a = 6 if index == 0 else 3 if index == 2 else 0
            b = 6 if index == 1 else 3 if index == 2 else 0
        for channel in range(3):
            shift = 11 if channel == 0 else 5 if channel == 1 else 0
            mask = 63 if channel == 1 else 31
            out[texel, channel] = np.float32(a * ((c0 >> shift) & mask) + b * ((c1 >> shift) & mask))
        out[texel, 3] = np.float32(0.0) if not opaque and index == 3 else np.float32(1.0)


@kernel
def _ramp_block(words, first, signed, channel, out):
    """BC4: numerators over 35 * 255 or 35 * 127.  [BC-SIGNED-LOWEST]"""
    e0, e1 = _bits(words, first, 0, 8), _bits(words, first, 8, 8)
    highest = np.int64(255)
    lowest = np.int64(0)
    if signed:
        e0, e1 = signed_field(e0, 8), signed_field(e1, 8)
        highest, lowest = np.int64(127), np.int64(-127)
    eight = e0 > e1
    e0, e1 = max(e0, lowest), max(e1, lowest)
    for texel in range(16):
        index = _bits(words, first, 16 + 3 * texel, 3)
        if index < 2:
            value = 35 * (e1 if index else e0)
        elif eight:
            value = 5 * ((8 - index) * e0 + (index - 1) * e1)
        elif index < 6:
            value = 7 * ((6 - index) * e0 + (index - 1) * e1)
        else:
            value = 35 * (highest if index == 7 else lowest)
        out[texel, channel] = np.float32(value)


@kernel
def _bc7_block(words, first, out):
    """BC7: 8-bit numerators; a reserved mode gives zeros."""
    mode = np.int64(0)
    while mode < 8 and _bits(words, first, mode, 1) == 0:
        mode += 1
    if mode == 8:
        out[:, :] = np.float32(0.0)
        return
    row = BC7_MODES[mode]
    subsets, at = row[0], mode + 1
    partition = _bits(words, first, at, row[1])
    at += row[1]
    rotation = _bits(words, first, at, row[2])
    at += row[2]
    selector = _bits(words, first, at, row[3])
    at += row[3]
    ends = np.zeros((6, 4), np.int64)
    for channel in range(4):
        width = row[4] if channel < 3 else row[5]
        for end in range(2 * subsets):
            ends[end, channel] = _bits(words, first, at, width) if width else np.int64(255)
            at += width
    for end in range(2 * subsets):
        bit = np.int64(0)
        if row[6]:
            bit = _bits(words, first, at + end, 1)
        elif row[7]:
            bit = _bits(words, first, at + end // 2, 1)
        for channel in range(4):
            width = row[4] if channel < 3 else row[5]
            if width:
                value = ends[end, channel]
                if row[6] or row[7]:
                    value = value << 1 | bit
                    width += 1
                value <<= 8 - width
                ends[end, channel] = value | value >> width
    at += 2 * subsets if row[6] else subsets if row[7] else 0
    second = at + 16 * row[8] - subsets
    for texel in range(16):
        subset = PARTITIONS[subsets - 1, partition, texel]
        less = np.int64(texel == ANCHORS[subsets - 1, partition, subset])
        index = _bits(words, first, at, row[8] - less)
        at += row[8] - less
        color_weight, alpha_weight = WEIGHTS[row[8], index], WEIGHTS[row[8], index]
        if row[9]:
            less = np.int64(texel == 0)
            other = _bits(words, first, second, row[9] - less)
            second += row[9] - less
            alpha_weight = WEIGHTS[row[9], other]
            if selector:
                color_weight, alpha_weight = alpha_weight, color_weight
        for channel in range(4):
            weight = color_weight if channel < 3 else alpha_weight
            a, b = ends[2 * subset, channel], ends[2 * subset + 1, channel]
            out[texel, channel] = np.float32((a * (64 - weight) + b * weight + 32) >> 6)
        if rotation:
            swap = out[texel, 3]
            out[texel, 3] = out[texel, rotation - 1]
            out[texel, rotation - 1] = swap


@kernel
def _unquantize(value, bits, signed):
    if signed:
        if bits >= 16:
            return value
        size = abs(value)
        if size >= (np.int64(1) << (bits - 1)) - 1:
            size = np.int64(0x7FFF)
        elif size:
            size = ((size << 15) + 0x4000) >> (bits - 1)
        return -size if value < 0 else size
    if bits >= 15 or value == 0:
        return value
    if value == (np.int64(1) << bits) - 1:
        return np.int64(0xFFFF)
    return ((value << 16) + 0x8000) >> bits


@kernel
def _bc6_block(words, first, signed, out):
    """BC6H: float32 of the halves; a reserved mode gives 0, 0, 0, 1."""
    code = _bits(words, first, 0, 5)
    mode = BC6_MODE_OF_CODE[code]
    for texel in range(16):
        for channel in range(3):
            out[texel, channel] = np.float32(0.0)
        out[texel, 3] = np.float32(1.0)
    if mode < 0:
        return
    at = np.int64(5 if code & 2 else 2)
    ends = np.zeros(12, np.int64)
    for place in range(BC6_LAYOUT.shape[1]):
        where = BC6_LAYOUT[mode, place, 0]
        if where < 0:
            break
        ends[where] |= _bits(words, first, at, 1) << BC6_LAYOUT[mode, place, 1]
        at += 1
    subsets = np.int64(1 if mode >= BC6_ONE_SUBSET else 2)
    partition = np.int64(0)
    if subsets == 2:
        partition = _bits(words, first, at, 5)
        at += 5
    width = BC6_BITS[mode, 0]
    mask = (np.int64(1) << width) - 1
    for channel in range(3):
        delta = BC6_BITS[mode, 1 + channel]
        for end in range(1, 4):
            if delta:
                ends[3 * end + channel] = (ends[channel] + signed_field(ends[3 * end + channel], delta)) & mask
        for end in range(4):
            if signed:
                ends[3 * end + channel] = signed_field(ends[3 * end + channel], width)
            ends[3 * end + channel] = _unquantize(ends[3 * end + channel], width, signed)
    index_bits = np.int64(4 if subsets == 1 else 3)
    for texel in range(16):
        subset = PARTITIONS[subsets - 1, partition, texel]
        less = np.int64(texel == ANCHORS[subsets - 1, partition, subset])
        weight = WEIGHTS[index_bits, _bits(words, first, at, index_bits - less)]
        at += index_bits - less
        for channel in range(3):
            value = (ends[6 * subset + channel] * (64 - weight) + ends[6 * subset + 3 + channel] * weight + 32) >> 6
            if not signed:
                half = value * 31 >> 6
            elif value < 0:
                half = (-value * 31 >> 5) | 0x8000
            else:
                half = value * 31 >> 5
            out[texel, channel] = np.uint32(half_to_float_bits(np.uint32(half))).view(np.float32)


@kernel
def decode_block(words, first, kind, signed, out):
    """Sixteen texels [16, 4] of the block whose first word is `first`."""
    if kind == _BC7:
        _bc7_block(words, first, out)
    elif kind == _BC6:
        _bc6_block(words, first, signed, out)
    elif kind == _BC1:
        _color_block(words, first, False, out)
    elif kind <= _BC3:
        _color_block(words, first + 2, True, out)
        if kind == _BC3:
            _ramp_block(words, first, False, 3, out)
        else:
            for texel in range(16):
                out[texel, 3] = np.float32(_bits(words, first, 4 * texel, 4))
    else:
        for texel in range(16):
            out[texel, 1], out[texel, 2], out[texel, 3] = np.float32(0.0), np.float32(0.0), np.float32(1.0)
        _ramp_block(words, first, signed, 0, out)
        if kind == _BC5:
            _ramp_block(words, first + 2, signed, 1, out)


@kernel
def _decode_level(words, size, kind, signed, blocks_x, blocks_y, width, height, out):
    """All blocks of a level, slices one after the other, into [slice, y, x, 4] without padding."""
    texels = np.zeros((16, 4), np.float32)
    slices = words.size // (size * blocks_x * blocks_y)
    for slice in range(slices):
        for by in range(blocks_y):
            for bx in range(blocks_x):
                decode_block(words, ((slice * blocks_y + by) * blocks_x + bx) * size, kind, signed, texels)
                for texel in range(16):
                    x, y = 4 * bx + (texel & 3), 4 * by + (texel >> 2)
                    if x < width and y < height:
                        for channel in range(4):
                            out[(slice * height + y) * width + x, channel] = texels[texel, channel]


def divisors_of_blocks(format_: Format) -> npt.NDArray[np.float64]:
    """What the numerators of each component are divided by."""
    kind, signed = int(format_.name[2]), format_.name.endswith("SNORM")
    ramp = float(_ALPHA_UNIT * (127 if signed else 255))
    color = (_COLOR_UNIT * 31.0, _COLOR_UNIT * 63.0, _COLOR_UNIT * 31.0)
    alpha = {_BC1: 1.0, _BC2: 15.0, _BC3: ramp}
    if kind in alpha:
        return np.array([*color, alpha[kind]])
    return np.array({_BC4: [ramp, 1, 1, 1], _BC5: [ramp, ramp, 1, 1], _BC6: [1.0] * 4, _BC7: [255.0] * 4}[kind])


def decode_blocks(format_: Format, words: npt.NDArray[np.uint32], width: int, height: int,
                  srgb: bool) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Numerators and divisors of a level of blocks.  [BC-SRGB]

    Parameters
    ----------
    format_ : Format
    words : uint32[slices, blocks down, blocks across, 2 or 4]
    width, height : int
        Texels that exist.
    srgb : bool
        Colours go through the sRGB table: interpolated values as 8-bit codes, half up.

    Returns
    -------
    texels : float32[slices * height * width, 4]
    divisors : float64[4]
    """
    slices, down, across, size = words.shape
    out = np.empty((slices * height * width, 4), np.float32)
    signed = format_.name.endswith(("SNORM", "SFLOAT"))
    _decode_level(np.ascontiguousarray(words).reshape(-1), np.int64(size), np.int64(int(format_.name[2])), signed,
                  np.int64(across), np.int64(down), np.int64(width), np.int64(height), out)
    divisors = divisors_of_blocks(format_)
    if srgb:
        codes = np.floor(out[:, :3].astype(np.float64) * 255 / divisors[:3] + 0.5).astype(np.int64)
        out[:, :3] = SRGB_DECODE[codes].view(np.float32)
        divisors[:3] = 1.0
    return out, divisors


def decode_texels(format_: Format, blocks: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """float32[n, 16, 4] of n blocks given as words uint32[n, 2 or 4]."""
    numerators, divisors = decode_blocks(format_, blocks[None, None], 4 * blocks.shape[0], 4,
                                         format_.name.endswith("SRGB"))
    values = (numerators.astype(np.float64) / divisors).astype(np.float32)
    return values.reshape(4, blocks.shape[0], 4, 4).transpose(1, 0, 2, 3).reshape(-1, 16, 4)
