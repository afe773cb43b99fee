"""DCC keys, CMASK nibbles, FMASK words and clear registers, against pixels worked out by hand."""

import struct

import numpy as np
import pytest

from refgpu import metadata
from refgpu.base.errors import DecodeError, InputError, UnsupportedError
from refgpu.metadata import color_keys
from refgpu.metadata.color_clear import COLOR_FORMATS, color_format

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, SRGB, FLOAT = range(8)
STD, ALT, STD_REV, ALT_REV = range(4)
F16_ONE = 0x3C00


def pack(*fields: tuple[int, int]) -> int:
    """Fields (value, width), lowest first."""
    word = shift = 0
    for value, width in fields:
        word |= value << shift
        shift += width
    return word


@pytest.mark.parametrize(("key", "halves"), [
    (0x00, [0, 0, 0, 0]), (0x40, [0, 0, 0, F16_ONE]), (0x80, [F16_ONE] * 3 + [0]), (0xC0, [F16_ONE] * 4)])
@pytest.mark.jit_off
def test_clear_keys_of_half_floats(key, halves):
    # cases B35
    pixel = metadata.dcc_clear_pixel(key, 12, FLOAT, STD)
    assert list(struct.unpack("<4H", pixel.to_bytes(8, "little"))) == halves


@pytest.mark.parametrize(("format_", "number_type", "swap", "color", "alpha"), [
    (10, UNORM, STD, 0x00FFFFFF, 0xFF000000),
    (10, UNORM, ALT, 0x00FFFFFF, 0xFF000000),
    (10, UNORM, STD_REV, 0xFFFFFF00, 0x000000FF),
    (10, UNORM, ALT_REV, 0xFFFFFF00, 0x000000FF),
    (10, SRGB, STD, 0x00FFFFFF, 0xFF000000),
    (10, SNORM, STD, 0x007F7F7F, 0x7F000000),
    (10, SINT, STD, 0x007F7F7F, 0x7F000000),
    (10, UINT, STD, 0x00FFFFFF, 0xFF000000),
    (9, UNORM, STD, 0x3FFFFFFF, 0xC0000000),
    (9, UNORM, ALT_REV, 0xFFFFFC00, 0x000003FF),
    (6, FLOAT, STD, 0x1E0 << 22 | 0x3C0 << 11 | 0x3C0, 0),
    (7, FLOAT, STD, 0x3C0 << 21 | 0x3C0 << 10 | 0x1E0, 0),
    (16, UNORM, STD, 0xFFFF, 0),
    (1, UNORM, STD, 0xFF, 0),
    (1, UNORM, STD_REV, 0xFF, 0),
    (1, UNORM, ALT_REV, 0, 0xFF),
    (4, FLOAT, STD, 0x3F800000, 0),
    (4, UINT, ALT_REV, 0, 0xFFFFFFFF),
    (5, FLOAT, STD, F16_ONE, F16_ONE << 16),
    (5, FLOAT, STD_REV, F16_ONE << 16, F16_ONE),
    (14, FLOAT, STD, pack((0x3F800000, 32), (0x3F800000, 32), (0x3F800000, 32)), 0x3F800000 << 96),
    (17, UNORM, ALT, 0x7FFF, 0x8000),
    (18, UNORM, STD, 0x07FF, 0xF800),
    (19, UNORM, ALT_REV, 0xFFF0, 0x000F),
])
def test_clear_keys_split_a_pixel_in_colour_and_alpha(format_, number_type, swap, color, alpha):
    pixels = [metadata.dcc_clear_pixel(key, format_, number_type, swap) for key in (0x00, 0x40, 0x80, 0xC0)]
    assert pixels == [0, alpha, color, color | alpha]
    keys = [metadata.dcc_clear_key(pixel, format_, number_type, swap) for pixel in pixels]
    # formats without alpha (or without colour) say the same with two keys: the lower one is given
    assert keys == [0, 0x40 if alpha else 0, 0x80 if color else 0,
                    0xC0 if color and alpha else 0x80 if color else 0x40]


def test_three_channels_have_no_alpha():
    # cases B37
    assert metadata.alpha_channel(3, STD) is None
    assert metadata.dcc_clear_pixel(0x40, 6, FLOAT, STD) == 0


def test_a_pixel_that_no_key_means():
    assert metadata.dcc_clear_key(0x80808080, 10, UNORM, STD) is None
    with pytest.raises(InputError, match="0x100 does not fit in 8 bits"):
        metadata.dcc_clear_key(0x100, 1, UNORM, STD)


@pytest.mark.jit_off
def test_every_key_has_one_state():
    keys = np.arange(256, dtype=np.uint32)
    states = np.empty(256, np.int64)
    color_keys.dcc_states_of(keys, states)
    special = {0x00: color_keys.CLEARED, 0x40: color_keys.CLEARED, 0x80: color_keys.CLEARED, 0xC0: color_keys.CLEARED,
               0x10: color_keys.SINGLE, 0x20: color_keys.REGISTER, 0xFF: color_keys.EXPANDED}
    assert {int(k): int(s) for k, s in zip(keys, states, strict=True) if s != color_keys.UNDOCUMENTED} == special


@pytest.mark.parametrize("key", [0x10, 0x20, 0xFF, 0x41, 0x02])
def test_other_keys_are_no_constants(key):
    with pytest.raises(DecodeError, match=f"DCC key 0x{key:02x} is not one of the clear keys"):
        metadata.dcc_clear_pixel(key, 10, UNORM, STD)


def test_formats_are_words_and_reserved_ones_raise():
    assert {f.bpp for f in COLOR_FORMATS.values()} == {8, 16, 32, 64, 128}
    for number, widths in ((6, [11, 11, 10]), (9, [10, 10, 10, 2]), (8, [2, 10, 10, 10]), (17, [5, 5, 5, 1])):
        assert list(color_format(number).widths) == widths
        assert "_".join(map(str, reversed(widths))) == color_format(number).name
    for number in (0, 13, 15, 23, 32, -1):
        with pytest.raises(DecodeError, match=f"CB_COLOR_INFO.FORMAT = {number} is reserved"):
            color_format(number)
    with pytest.raises(UnsupportedError, match="5_9_9_9 = 0x18"):
        metadata.dcc_clear_pixel(0, 24, FLOAT, STD)
    with pytest.raises(UnsupportedError, match="NUMBER_TYPE = 0x2"):
        metadata.dcc_clear_pixel(0xC0, 10, USCALED, STD)
    with pytest.raises(DecodeError, match="FLOAT with a channel of 8 bits"):
        metadata.dcc_clear_pixel(0xC0, 10, FLOAT, STD)
    with pytest.raises(DecodeError, match="COMP_SWAP = 4 is reserved"):
        metadata.dcc_clear_pixel(0xC0, 10, UNORM, 4)
    with pytest.raises(DecodeError, match="NUMBER_TYPE = 8 is reserved"):
        metadata.dcc_clear_pixel(0xC0, 10, 8, STD)


def test_clear_registers_hold_a_pixel():
    assert metadata.clear_register_pixel(0xFF0000FF, 5, 32) == 0xFF0000FF
    assert metadata.clear_register_pixel(0x12345678, 5, 16) == 0x5678
    assert metadata.clear_register_pixel(0x12345678, 5, 8) == 0x78
    assert metadata.clear_register_pixel(0x11111111, 0x22222222, 64) == 0x2222222211111111
    assert metadata.clear_register_pixel(0x11111111, 0x22222222, 128) == 0x22222222111111111111111111111111
    with pytest.raises(InputError, match="bpp: 24"):
        metadata.clear_register_pixel(0, 0, 24)
    with pytest.raises(InputError, match="CLEAR_WORD1: 0x100000000"):
        metadata.clear_register_pixel(0, 1 << 32, 64)


@pytest.mark.jit_off
def test_cmask_nibbles():
    states = np.empty(16, np.int64)
    color_keys.cmask_states_of(np.arange(16, dtype=np.uint32), states)
    assert states.tolist() == [color_keys.CLEARED] * 4 + [color_keys.UNDOCUMENTED] * 8 + [color_keys.EXPANDED] * 4
    assert [int(color_keys.cmask_fmask(n)) for n in (0xC, 0xD, 0xE, 0xF, 0x0)] == [0, 1, 2, 3, 0]
    assert [metadata.cmask_expanded_byte(frags) for frags in (1, 2, 4, 8)] == [0xFF, 0xDD, 0xEE, 0xFF]
    with pytest.raises(InputError, match="frags: 3"):
        metadata.cmask_expanded_byte(3)


@pytest.mark.jit_off
@pytest.mark.parametrize(("samples", "identity"), [(2, 0x02), (4, 0xE4), (8, 0x76543210)])
def test_fmask_names_a_fragment_for_each_sample(samples, identity):
    assert metadata.fmask_identity(samples) == identity
    bits = metadata.fmask_bits(samples)
    found = [int(color_keys.fmask_fragment(np.uint32(identity), sample, bits)) for sample in range(samples)]
    assert found == list(range(samples))
    assert [int(color_keys.fmask_fragment(np.uint32(0), sample, bits)) for sample in range(samples)] == [0] * samples


@pytest.mark.jit_off
def test_a_fragment_that_is_not_stored_reads_as_the_first():
    assert int(color_keys.fmask_fragment(np.uint32(0x88888883), 1, 4)) == 0
    assert int(color_keys.fmask_fragment(np.uint32(0xF8888883), 0, 4)) == 3
    assert int(color_keys.fmask_fragment(np.uint32(0xF8888883), 7, 4)) == 7
    with pytest.raises(InputError, match="samples: 16"):
        metadata.fmask_bits(16)
