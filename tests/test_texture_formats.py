"""Formats against exact rationals, hand-worked words and console measurements."""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import floor, log2

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from texture_exact import half_up, signed, small_float, snorm, to_float32, unorm

from refgpu import DecodeError, InputError, UnsupportedError
from refgpu.texture import number_types as n
from refgpu.texture.format_table import COLOR_TABLE, FORMAT_TABLE, FORMATS, buffer_format, color_format, format_of
from refgpu.texture.formats import decode, decode_color, encode, encode_color
from refgpu.texture.spans import pack_planes, unpack_planes

getcontext().prec = 40
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
ANY_FLOAT = st.integers(0, 0xFFFFFFFF).map(lambda bits: np.uint32(bits).view(np.float32))


def bits_of(values):
    return np.ascontiguousarray(values, np.float32).view(np.uint32)


def x_of(format_, words):
    """First component of one-component words."""
    return decode(format_, np.asarray(words, np.uint32))[:, 0]


def x_to(format_, values, **options):
    four = np.zeros((len(values), 4), format_of(format_).dtype)
    four[:, 0] = values
    return encode(format_, four, **options)


# --- the table ------------------------------------------------------------------------------------------------------

def test_components_tile_the_element():
    for format_ in FORMATS.values():
        if format_.block or format_.name.startswith("X24"):
            continue
        bits = [0] * format_.bits
        for c in format_.components:
            if c is not None:
                for bit in range(c.width):
                    bits[32 * c.word + c.lsb + bit] += 1
        if format_.flags & n.FLAG_SHARED:
            bits[27:] = [1] * 5
        assert bits == [1] * format_.bits, format_.name


@pytest.mark.parametrize(("name", "number"), [
    ("8_UNORM", 1), ("16_FLOAT", 13), ("8_8_SINT", 19), ("32_UINT", 20), ("32_FLOAT", 22), ("16_16_FLOAT", 29),
    ("10_11_11_UNORM", 30), ("10_11_11_FLOAT", 36), ("11_11_10_FLOAT", 43), ("10_10_10_2_UNORM", 44),
    ("2_10_10_10_SINT", 55), ("8_8_8_8_UNORM", 56), ("32_32_FLOAT", 64), ("16_16_16_16_FLOAT", 71),
    ("32_32_32_FLOAT", 74), ("32_32_32_32_FLOAT", 77), ("8_8_8_8_SRGB", 130), ("5_9_9_9_FLOAT", 132),
    ("4_4_UNORM", 137), ("32_FLOAT_CLAMP", 140), ("X24_8_32_FLOAT", 146), ("BC1_UNORM", 169), ("BC7_SRGB", 182)])
def test_numbers_and_names(name, number):
    assert format_of(name).number == number
    assert format_of(number).name == name
    assert format_of("IMG_FMT_" + name).number == number


def test_names_list_fields_from_the_high_bits_down():
    # measured.md 5.9: what a console stores for UINT (0x123, 0x234, 0x345, 2)
    values = np.array([[0x123, 0x234, 0x345, 2]], np.uint32)
    assert encode_color(9, 4, 0, values)[0, 0] == 0xB458D123
    assert encode_color(8, 4, 0, values)[0, 0] == 0x00B458D3
    five = format_of("5_6_5_UNORM").components
    assert [(c.lsb, c.width) for c in five if c] == [(0, 5), (5, 6), (11, 5)]


@pytest.mark.parametrize("bad", [0, 155, 183, 264, 293, 300, -1, "8_UNROM", "9_9_9_UNORM"])
def test_reserved_formats_are_errors(bad):
    with pytest.raises(DecodeError, match=str(bad)):
        format_of(bad)


@pytest.mark.parametrize("number", [131, 138, 147, 160, 271, 285, 286])
def test_undecoded_formats_say_so(number):
    with pytest.raises(UnsupportedError, match=str(number)):
        format_of(number)


def test_buffer_formats_end_at_77():
    assert buffer_format(77).bits == 128
    for number in (0, 78, 128):
        with pytest.raises(DecodeError, match="V# FORMAT"):
            buffer_format(number)


@pytest.mark.parametrize(("swap", "word"), [(0, 0x44332211), (1, 0x44112233), (2, 0x11223344), (3, 0x33221144)])
def test_swaps_of_four_components(swap, word):
    # stored low byte first: STD RGBA, ALT BGRA, STD_REV ABGR, ALT_REV ARGB; ALT: cases.md B41, B68
    values = np.array([[0x11, 0x22, 0x33, 0x44]], np.uint32)
    assert encode_color(10, 4, swap, values)[0, 0] == word
    assert (decode_color(10, 4, swap, [[word]]) == values).all()


@pytest.mark.parametrize(("format_", "swap", "channels"), [
    (1, 0, "r"), (1, 1, "g"), (1, 2, "b"), (1, 3, "a"), (3, 0, "rg"), (3, 1, "ra"), (3, 2, "gr"), (3, 3, "ar"),
    (16, 0, "rgb"), (16, 1, "rga"), (16, 2, "bgr"), (16, 3, "agr")])
def test_swaps_of_fewer_components(format_, swap, channels):
    made = color_format(format_, 0, swap)
    order = sorted((c.lsb, "rgba"[k]) for k, c in enumerate(made.components) if c is not None)
    assert "".join(name for _, name in order) == channels
    assert made.mask == sum(1 << "rgba".index(name) for name in channels)


def test_clear_word_of_an_alt_target():
    assert decode_color(10, 0, 1, [[0x00FFFF00]]).tolist() == [[1, 1, 0, 0]]  # cases.md B41


@pytest.mark.parametrize(("format_", "number_type"), [(13, 0), (15, 0), (0, 0), (23, 0), (4, 0), (10, 7), (16, 4)])
def test_colour_combinations_without_meaning(format_, number_type):
    with pytest.raises(DecodeError, match="CB_COLORn_INFO"):
        color_format(format_, number_type, 0)


def test_tables_agree_with_the_formats():
    assert FORMAT_TABLE.shape == (293, n.ROW)
    assert (FORMAT_TABLE[56, [n.BITS, n.MASK]] == (32, 15)).all()
    made = color_format(10, 6, 1)
    row = COLOR_TABLE[made.row]
    assert row[n.COMPONENT:].reshape(4, 4).tolist() == [[0, 16, 8, 9], [0, 8, 8, 9], [0, 0, 8, 9], [0, 24, 8, 0]]


# --- norms ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("format_", "width"), [(1, 8), (7, 16)])
def test_every_unorm_code_is_the_rounded_quotient(format_, width):
    codes = np.arange(1 << width)
    expected = np.array([to_float32(unorm(int(c), width)) for c in codes])
    assert (bits_of(x_of(format_, codes)) == bits_of(expected)).all()
    assert (x_to(format_, expected) == codes).all()


@pytest.mark.jit_off
def test_unorm_words():
    assert x_of(7, [0x80FF])[0] == np.float32(33023 / 65535)  # cases.md B59
    assert decode(30, [0x7FF | 0x400 << 11 | 0x200 << 22])[0].tolist() == [
        1.0, float(np.float32(1024 / 2047)), float(np.float32(512 / 1023)), 1.0]


@pytest.mark.parametrize(("format_", "width"), [(2, 8), (8, 16)])
def test_every_snorm_code(format_, width):
    codes = np.arange(1 << width)
    expected = np.array([to_float32(snorm(int(c), width)) for c in codes])
    assert (bits_of(x_of(format_, codes)) == bits_of(expected)).all()
    back = x_to(format_, expected)
    assert (back == np.where(codes == 1 << (width - 1), codes + 1, codes)).all()


@pytest.mark.jit_off
def test_snorm_minus_one_never_stores_the_lowest_code():
    assert x_to(2, [-1.0])[0] == 0x81       # measured.md 7.2
    assert x_to(8, [-1.0])[0] == 0x8001
    assert decode(51, [2 << 30])[0, 3] == -1.0
    assert decode(51, [3 << 30])[0, 3] == -1.0


def test_snorm_nz_has_no_zero():
    from refgpu.texture.channels import decode_channel, encode_channel
    values = [decode_channel(np.uint32(c), 8, n.SNORM_NZ) for c in range(256)]
    assert [values[0], values[0x7F], values[0x80]] == [np.float32(1 / 255), 1.0, -1.0]  # cases.md B64
    assert all(v == to_float32(Fraction(2 * signed(c, 8) + 1, 255)) for c, v in enumerate(values))
    assert [int(encode_channel(v, 8, n.SNORM_NZ, n.ROUND_HALF)) for v in values] == list(range(256))


@given(FINITE, st.sampled_from([(1, 8), (7, 16), (141, 24), (137, 4)]))
@example(0.5, (1, 8))
@example(np.float32(1.5 / 255), (1, 8))
def test_unorm_store_is_half_up_of_the_exact_product(value, case):
    format_, width = case
    value = np.float32(value)
    exact = min(max(Fraction(float(value)), 0), 1) * ((1 << width) - 1)
    mask = (1 << width) - 1
    assert int(x_to(format_, [value])[0]) & mask == half_up(exact)
    assert int(x_to(format_, [value], round_mode=n.ROUND_TRUNCATE)[0]) & mask == floor(exact)


@given(st.floats(-1.5, 1.5, width=32), st.sampled_from([(2, 8), (8, 16)]))
@example(0.5, (2, 8))
def test_snorm_store_rounds_halves_away_from_zero(value, case):
    format_, width = case
    exact = min(max(Fraction(value), -1), 1) * ((1 << (width - 1)) - 1)
    expected = half_up(abs(exact)) * (1 if exact >= 0 else -1)
    assert signed(int(x_to(format_, [value])[0]), width) == expected


@pytest.mark.jit_off
def test_nan_stores_zero_in_norms():
    for format_ in (1, 2, 7, 8, 130, 3, 4):
        assert x_to(format_, [np.nan])[0] == 0


# --- integers -------------------------------------------------------------------------------------------------------

@pytest.mark.jit_off
def test_integer_stores_saturate():
    assert x_to(6, [300])[0] == 0x7F        # cases.md B66
    assert x_to(6, [-300])[0] == 0x80
    assert x_to(5, [300])[0] == 0xFF
    assert x_to(12, [-40000])[0] == 0x8000
    assert x_to(48, [0x124])[0] == 3        # 2-bit X of 10_10_10_2: saturates, truncation would give 0
    assert x_to(20, [0xFFFFFFFF])[0] == 0xFFFFFFFF


@pytest.mark.jit_off
def test_integer_loads_keep_type_and_sign():
    assert decode(6, [0x80]).tolist() == [[-128, 0, 0, 1]]
    assert decode(6, [0x80]).dtype == np.int32
    assert decode(60, [0x80FF0201]).tolist() == [[1, 2, 0xFF, 0x80]]
    assert decode(55, [2 << 30]).tolist() == [[0, 0, 0, -2]]


@pytest.mark.jit_off
def test_scaled_formats():
    assert decode(58 + 1, [0x80]).tolist() == [[-128.0, 0, 0, 0]]
    assert decode(25, [0x00018000]).tolist() == [[32768.0, 1.0, 0, 1]]
    assert decode(53, [2 << 30 | 0x200])[0].tolist() == [-512.0, 0, 0, -2.0]
    assert [int(v) for v in x_to(3, [-1.0, 3.99, 300.0])] == [0, 3, 255]
    assert [int(v) for v in x_to(4, [-3.99, -300.0])] == [0xFD, 0x80]


# --- floats ---------------------------------------------------------------------------------------------------------

def check_small(format_, count, mantissa, is_signed, decoded):
    for code in range(count):
        want, got = small_float(code, mantissa, is_signed), decoded[code]
        if isinstance(want, str):
            assert str(got) == want, code
        else:
            assert Fraction(float(got)) == want, code


def test_every_half():
    codes = np.arange(1 << 16)
    decoded = x_of(13, codes)
    check_small(13, 1 << 16, 10, True, decoded)
    nan = np.isnan(decoded)
    assert (bits_of(decoded)[nan] >> 13 & 0x3FF == codes[nan] & 0x3FF).all()  # payload kept
    for mode in (n.ROUND_HALF, n.ROUND_EVEN):
        back = x_to(13, decoded, round_mode=mode)
        assert (back[~nan] == codes[~nan]).all()
        assert ((back[nan] & 0x7C00) == 0x7C00).all()
        assert ((back[nan] & 0x3FF) != 0).all()


@pytest.mark.parametrize(("format_", "lsb", "width"), [(36, 0, 11), (36, 22, 10)])
def test_every_float11_and_float10(format_, lsb, width):
    codes = np.arange(1 << width)
    channel = 0 if lsb == 0 else 2
    decoded = decode(format_, (codes << lsb).astype(np.uint32))[:, channel]
    check_small(format_, 1 << width, width - 5, False, decoded)
    four = np.zeros((codes.size, 4), np.float32)
    four[:, channel] = decoded
    back = encode(format_, four) >> lsb
    nan = np.isnan(decoded)
    assert (back[~nan] == codes[~nan]).all()
    assert ((back[nan] >> (width - 5)) == 31).all()
    assert (back[nan] & ((1 << (width - 5)) - 1) != 0).all()


def test_float11_words():
    assert decode(36, [0x3C0 | 0x3C0 << 11 | 0x1E0 << 22]).tolist() == [[1, 1, 1, 1]]   # formats.md
    assert decode(43, [0x1E0 | 0x3C0 << 10 | 0x3C0 << 21]).tolist() == [[1, 1, 1, 1]]
    assert x_of(36, [0x7BF])[0] == 65024
    assert decode(36, [0x3DF << 22])[0, 2] == 64512


def narrow(value, mantissa, even):
    """Exact rule for a non-negative rational: bits of the 5-bit-exponent float."""
    top = (Fraction(2) - Fraction(1, 1 << mantissa)) * 2**15
    exponent = max(-14, floor(log2(float(value)))) if value else -14
    if value and Fraction(2) ** exponent > value:
        exponent = max(-14, exponent - 1)
    step = Fraction(2) ** exponent / (1 << mantissa)
    count = round(value / step) if even else floor(value / step)
    if count * step > top:
        return (31 << mantissa) if even else (31 << mantissa) - 1
    code = 0
    low = count * step
    if low >= Fraction(1, 1 << 14):
        exponent = floor(log2(float(low)))
        code = ((exponent + 15) << mantissa) + int((low / Fraction(2) ** exponent - 1) * (1 << mantissa))
    else:
        code = int(low * (1 << 14) * (1 << mantissa))
    return code


@given(st.floats(0, 131072, width=32), st.booleans())
@example(65504.0, False)
@example(65520.0, True)
@example(65519.998, True)
@example(float(np.float32(2.0**-25)), True)
@example(float(np.float32(1.5 * 2.0**-24)), True)
@example(1e30, False)
@example(float(np.float32(6.1e-5)), True)
def test_float_stores(value, even):
    value = float(np.float32(value))
    exact = Fraction(value)
    mode = n.ROUND_EVEN if even else n.ROUND_HALF
    assert int(x_to(13, [value], round_mode=mode)[0]) == narrow(exact, 10, even)
    assert int(x_to(13, [-value], round_mode=mode)[0]) == narrow(exact, 10, even) | 0x8000
    word = int(encode(36, np.array([[value, value, value, 0]], np.float32), round_mode=mode)[0])
    assert word & 0x7FF == narrow(exact, 6, even)
    assert word >> 22 == narrow(exact, 5, even)


@pytest.mark.jit_off
def test_float_store_specials():
    inf = np.float32(np.inf)
    assert [int(v) for v in x_to(13, [inf, -inf, 1e10, -1e10])] == [0x7C00, 0xFC00, 0x7BFF, 0xFBFF]
    assert int(x_to(13, [1e10], round_mode=n.ROUND_EVEN)[0]) == 0x7C00
    # formats.md: negatives, -Inf and -0 store 0 in float11; NaN stays, +Inf stays, overflow is the largest finite
    assert [int(v) for v in x_to(36, [-1.0, -inf, -0.0, inf, 1e9])] == [0, 0, 0, 0x7C0, 0x7BF]
    nan = int(x_to(36, [np.nan])[0])
    assert nan >> 6 == 31
    assert nan & 0x3F


@pytest.mark.jit_off
def test_float32_keeps_all_bits():
    words = np.array([0x7FC12345, 0x7F812345, 0x00000001, 0x80000000, 0xFF800000], np.uint32)
    assert (decode(22, words).view(np.uint32)[:, 0] == words).all()
    assert (encode(22, decode(22, words)) == words).all()


@pytest.mark.jit_off
def test_depth_upgrade_format_clamps():
    words = bits_of([-1.0, 0.25, 2.0, np.nan])
    assert x_of(140, words).tolist() == [0, 0.25, 1, 0]


# --- shared exponent ------------------------------------------------------------------------------------------------

def shared_oracle(values):
    """EXT_texture_shared_exponent over rationals."""
    clamped = [min(max(Fraction(v), 0), 65408) for v in values]
    top = max(clamped)
    exponent = -16
    while exponent < 15 and top >= Fraction(2) ** (exponent + 1):
        exponent += 1
    e = exponent + 16
    if half_up(top / Fraction(2) ** (e - 24)) == 512:
        e += 1
    m = [half_up(v / Fraction(2) ** (e - 24)) for v in clamped]
    return m[0] | m[1] << 9 | m[2] << 18 | e << 27


@given(st.tuples(*[st.floats(-10, 70000, width=32) | st.floats(0, 2.0**-14, width=32)] * 3))
@example((0.0, 0.0, 0.0))
@example((65408.0, 1.0, 70000.0))
@example((511.75, 0.0, 0.0))
def test_shared_exponent_store(values):
    values = [float(np.float32(v)) for v in values]
    word = int(encode(132, np.array([[*values, 0]], np.float32))[0])
    assert word == shared_oracle(values)
    back = decode(132, [word])[0]
    e = word >> 27
    assert [Fraction(float(v)) for v in back[:3]] == [
        (word >> 9 * c & 511) * Fraction(2) ** (e - 24) for c in range(3)]


@pytest.mark.jit_off
def test_shared_exponent_words():
    assert decode(132, [0x999320C8]).tolist() == [[6.25, 12.5, 3.125, 1]]   # formats.md
    assert int(encode(132, [[6.25, 12.5, 3.125, 1]])[0]) == 0x999320C8
    assert decode(132, [0xF8000001])[0, 0] == 128.0                          # exponent 31 is an ordinary number
    assert int(encode(132, [[np.nan, 1.0, -np.inf, 0]])[0]) == shared_oracle([0, 1, 0])


# --- sRGB -----------------------------------------------------------------------------------------------------------

def curve(s):
    """The sRGB transfer function to linear, 40 digits."""
    s = Decimal(s.numerator) / Decimal(s.denominator)
    if s <= Decimal("0.04045"):
        return s / Decimal("12.92")
    return ((s + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4")


@pytest.mark.jit_off
def test_srgb_decode_measured_words():
    # measured.md 6.18, gfx1035; cases.md B61, B65
    words = {1: 0x399F0000, 64: 0x3D520000, 128: 0x3E5D0000, 188: 0x3F010000, 254: 0x3F7E0000, 255: 0x3F800000, 0: 0}
    for code, expected in words.items():
        assert int(decode(128, [code]).view(np.uint32)[0, 0]) == expected


def test_srgb_decode_is_the_curve_at_eight_significant_bits():
    for code in range(1, 256):
        exact = Fraction(curve(Fraction(code, 255)))
        exponent = floor(log2(float(exact)))
        step = Fraction(2) ** (exponent - 7)
        assert Fraction(float(decode(128, [code])[0, 0])) == round(exact / step) * step, code


def test_srgb_store_switches_exactly_where_the_curve_does():
    for code in range(255):
        edge = Fraction(curve(Fraction(2 * code + 1, 510)))
        above = np.float32(float(edge))
        while Fraction(float(above)) < edge:
            above = np.nextafter(above, np.float32(2))
        while Fraction(float(np.nextafter(above, np.float32(0)))) >= edge:
            above = np.nextafter(above, np.float32(0))
        below = np.nextafter(above, np.float32(0))
        assert [int(v) for v in x_to(128, [below, above])] == [code, code + 1]


@pytest.mark.jit_off
def test_srgb_alpha_is_linear():
    assert decode(130, [0x80808080])[0, 3] == np.float32(128 / 255)
    assert int(encode(130, [[0, 0, 0, 0.5]])[0]) == 0x80000000
    assert [int(v) for v in x_to(128, [-1.0, 2.0, 1.0, 0.0])] == [0, 255, 255, 0]


def test_srgb_round_trip():
    codes = np.arange(256)
    assert (x_to(128, x_of(128, codes)) == codes).all()


# --- whole texels ---------------------------------------------------------------------------------------------------

@pytest.mark.jit_off
def test_missing_components():
    assert decode(1, [0xFF]).tolist() == [[1, 0, 0, 1]]          # cases.md B76: (x, y, 0, 1)
    assert decode(5, [0xFF]).tolist() == [[255, 0, 0, 1]]
    assert decode(64, [[0x3F800000, 0x40000000]]).tolist() == [[1, 2, 0, 1]]


@pytest.mark.jit_off
def test_depth_and_stencil_planes():
    x, y, z, w = decode(141, [0xAB << 24 | 0xFFFFFF]).view(np.uint32)[0]
    assert [x, y, z, w] == [0x3F800000, 0xAB, 0, 0x3F800000]
    assert decode(144, [0x123456 << 8 | 0xAB]).tolist() == [[0xAB, 0x123456, 0, 1]]
    assert decode(146, [[0x3F000000, 0xFFFFFF12]]).view(np.uint32)[0].tolist() == [0x3F000000, 0x12, 0, 0x3F800000]


@given(st.sampled_from([f.number for f in FORMATS.values() if not f.block]), st.data())
def test_words_survive_a_round_trip(number, data):
    """A stored element decodes and encodes to itself, but for codes that mean the same value."""
    format_ = FORMATS[number]
    count = max(1, format_.bits // 32)
    words = np.array([[data.draw(st.integers(0, (1 << min(32, format_.bits)) - 1)) for _ in range(count)]], np.uint32)
    if count == 1:
        words = words[:, 0]
    if format_.name.startswith("X24"):
        words[0, 1] &= 0xFF
    first = decode(number, words)
    again = decode(number, encode(number, first))
    nan = np.isnan(first) if first.dtype == np.float32 else np.zeros(first.shape, bool)
    assert (first[~nan].view(np.uint32) == again[~nan].view(np.uint32)).all()
    assert (np.isnan(again[nan]) if nan.any() else np.ones(1, bool)).all()


@given(st.sampled_from([(c.row, c.words) for c in (color_format(f, t, s) for f, t, s in (
    (10, 0, 1), (10, 6, 0), (10, 1, 2), (12, 7, 0), (6, 7, 0), (14, 4, 3), (12, 5, 1), (16, 0, 2), (24, 7, 0),
    (2, 1, 3), (22, 7, 0), (9, 4, 1)))]), st.lists(ANY_FLOAT, min_size=32, max_size=32), st.sampled_from([0, 1, 2]))
def test_planes_equal_texels(case, values, mode):
    """The run loops give the bits of the scalar rules."""
    from refgpu.texture.texels import pack_texels, unpack_texels
    row, words = COLOR_TABLE[case[0]], case[1]
    values = np.array(values, np.float32).reshape(4, 8)
    planes = np.empty((words, 8), np.uint32)
    pack_planes(values, row, mode, planes)
    texels = np.empty((8, words), np.uint32)
    pack_texels(np.ascontiguousarray(values.T).view(np.uint32), row, mode, texels)
    assert (texels == planes.T).all()
    out = np.empty((4, 8), np.float32)
    unpack_planes(planes, row, out)
    registers = np.empty((8, 4), np.uint32)
    unpack_texels(texels, row, registers)
    assert (registers == out.view(np.uint32).T).all()


def test_channel_bits_of_a_masked_write():
    from refgpu.texture.texels import channel_bits
    assert channel_bits(COLOR_TABLE[color_format(10, 0, 1).row], 0b0001, 0) == 0x00FF0000
    assert channel_bits(COLOR_TABLE[color_format(16, 0, 0).row], 0b1010, 0) == 0x07E0
    assert channel_bits(COLOR_TABLE[color_format(14, 7, 0).row], 0b0100, 2) == 0xFFFFFFFF


def test_shapes_and_errors():
    assert decode(56, np.zeros((3, 5), np.uint32)).shape == (3, 5, 4)
    assert encode(77, np.zeros((3, 5, 4), np.float32)).shape == (3, 5, 4)
    assert decode_color(12, 7, 0, np.zeros((2, 3, 2), np.uint32)).shape == (2, 3, 4)
    with pytest.raises(InputError, match=r"\[\.\.\., 2\]"):
        decode(64, np.zeros(3, np.uint32))
    with pytest.raises(InputError, match="expected integers"):
        decode(56, [1.5])
    with pytest.raises(InputError, match="expected integers"):
        encode(60, [[1.5, 0, 0, 0]])
    with pytest.raises(InputError, match="round_mode"):
        encode(56, [[0, 0, 0, 0]], round_mode=7)


@pytest.mark.jit_off
def test_ties_of_one_and_two_bit_fields():
    """2^n - 1 is odd, so 0.5 is the only tie, and only short fields tell half up from half even."""
    assert int(encode(134, [[0, 0, 0, 0.5]])[0]) == 0x8000
    assert int(encode(134, [[0, 0, 0, np.nextafter(np.float32(0.5), np.float32(0))]])[0]) == 0
    assert int(encode(51, [[0, 0, 0, 0.5]])[0]) >> 30 == 1
    assert int(encode(51, [[0, 0, 0, -0.5]])[0]) >> 30 == 3
