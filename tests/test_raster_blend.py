"""Blending, write masks and ROP3: rules against NumPy float32, and through the tile half."""

from itertools import product

import numpy as np
import pytest
import tile_scene
from hypothesis import given
from hypothesis import strategies as st

from refgpu.base.kernel import callback
from refgpu.base.pointers import float32_at
from refgpu.raster import blend
from refgpu.raster.layout import ROW, C, S
from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets
from refgpu.shaders.abi import CONSTANTS_BYTE, SIGNATURE
from refgpu.texture.formats import color_format, decode_color, encode_color

f32 = np.float32
unit = st.floats(0, 1, width=32)
QUAD = [((0, 0), (4 * 256, 0), (0, 4 * 256)), ((0, 4 * 256), (4 * 256, 0), (4 * 256, 4 * 256))]
RGBA8, RGBA32F = (10, 0), (14, 7)


@callback(SIGNATURE)
def two_colors(inputs, outputs, constants, lanes, live):
    """Exports the 8 floats behind the block's header."""
    values = float32_at(constants + CONSTANTS_BYTE, 8)
    for component in range(8):
        row = float32_at(outputs + np.int64(4) * ROW * component, lanes)
        for lane in range(lanes):
            row[lane] = values[component]


def draw(source, destination, *, second=(0, 0, 0, 0), format_=RGBA32F, swap=0, triangles=None, mask=15, export=9,
         constant=(0, 0, 0, 0), **columns):
    """Words of a 4x4 target after drawing `source` over `destination`, as [y, x, word]."""
    layout = color_format(*format_, swap)
    words = encode_color(*format_, swap, np.asarray(destination))
    targets = empty_targets(4, 4, color_words=(layout.words,))
    targets.colors[0][:] = words.reshape(1, -1, 1)
    block = np.zeros(CONSTANTS_BYTE + 32, np.uint8)
    block[CONSTANTS_BYTE:].view(np.float32)[:] = [*source, *second]
    norm = format_[1] in (0, 1, 6)
    state = {"PS_ADDRESS": two_colors.address, "PS_CONSTANTS": block.__array_interface__["data"][0], "PS_EXPORTS": 2,
             "c0_MASK": mask, "c0_EXPORT": export, "c0_WORDS": layout.words, "c0_FORMAT_ROW": layout.row,
             "c0_INFO": format_[0] << 2 | format_[1] << 8 | swap << 11 | norm << 15}
    state |= dict(zip(("BLEND_RED", "BLEND_GREEN", "BLEND_BLUE", "BLEND_ALPHA"), constant, strict=True)) | columns
    triangles = QUAD if triangles is None else triangles
    geometry = tile_scene.geometry(triangles, np.zeros((len(triangles), 3)), [tile_scene.state(**state)], targets)
    run_tiles(geometry, targets, 1)
    planes = [tile_scene.plane(targets, targets.colors[0][:, w])[0] for w in range(layout.words)]
    return np.stack(planes, -1)


def factor(code, s, t, d, c, alpha):
    """One component's factor by API definitions; s, t, d, c are whole colours."""
    k, one = alpha, f32(1)
    rgb = alpha != 3
    values = {0: f32(0), 1: one, 2: s[k], 3: one - s[k], 4: s[3], 5: one - s[3], 6: d[3], 7: one - d[3], 8: d[k],
              9: one - d[k], 10: min(s[3], one - d[3]) if rgb else one, 13: c[k], 14: one - c[k], 15: t[k],
              16: one - t[k], 17: t[3], 18: one - t[3], 19: c[3], 20: one - c[3]}
    return f32(values[code])


def model(word, s, t, d, c):
    """CB_BLENDn_CONTROL in float32, every step rounded."""
    result = []
    for k in range(4):
        part = word >> 16 if k == 3 and word >> 29 & 1 else word
        src, function, dst = part & 31, part >> 5 & 7, part >> 8 & 31
        if src in (11, 12):
            src, dst = (4, 5) if src == 11 else (5, 4)
        left, right = f32(s[k] * factor(src, s, t, d, c, k)), f32(d[k] * factor(dst, s, t, d, c, k))
        result.append([f32(left + right), f32(left - right), min(s[k], d[k]), max(s[k], d[k]),
                       f32(right - left)][function])
    return np.array(result, np.float32)


FACTORS = [code for code in range(21) if code not in (11, 12)]
SOURCE, SECOND, TARGET, CONSTANT = (np.array(v, np.float32) for v in (
    (0.9, 0.3, 0.1, 0.7), (0.2, 0.6, 0.8, 0.4), (0.15, 0.55, 0.35, 0.45), (0.05, 0.95, 0.65, 0.25)))


@pytest.mark.parametrize("function", range(5))
def test_every_factor_pair_through_the_tile(function):
    for src, dst in product(FACTORS, FACTORS[::3]) if function else product(FACTORS, FACTORS):
        word = 1 << 30 | src | function << 5 | dst << 8
        got = draw(SOURCE, TARGET, second=SECOND, constant=CONSTANT, c0_BLEND=word)
        np.testing.assert_array_equal(got[1, 2].view(np.float32), model(word, SOURCE, SECOND, TARGET, CONSTANT))


@pytest.mark.jit_off
@pytest.mark.parametrize("word", [
    0x40000504, 0x65010504, 0x40000000 | 11, 0x40000000 | 12, 0x60000000 | 10 | 1 << 8 | 10 << 16 | 1 << 24,
    0x40000000 | 15 | 16 << 8, 0x60000000 | 19 | 4 << 5 | 14 << 8 | 17 << 16 | 1 << 21 | 18 << 24,
])
def test_some_words_in_plain_python_too(word):
    got = draw(SOURCE, TARGET, second=SECOND, constant=CONSTANT, c0_BLEND=word)
    for pixel in got.reshape(-1, 4):
        np.testing.assert_array_equal(pixel.view(np.float32), model(word, SOURCE, SECOND, TARGET, CONSTANT))


@pytest.mark.jit_off
def test_separate_alpha_of_the_case():
    # cases.md B69: colour As/1-As, alpha 1/1-As
    got = draw((1, 0, 0, 0.5), (0, 0, 1, 0.5), c0_BLEND=0x65010504)[0, 0].view(np.float32)
    assert got.tolist() == [0.5, 0, 0.5, 0.75]
    got = draw((1, 0, 0, 0.5), (0, 0, 1, 0.5), c0_BLEND=0x65010504 & ~(1 << 29))[0, 0].view(np.float32)
    assert got.tolist() == [0.5, 0, 0.5, 0.5]


@pytest.mark.jit_off
def test_blending_unorm_clamps_source_constant_and_result():
    got = draw((2, -1, np.nan, 1), (0.2, 0.4, 0.6, 0.8), format_=RGBA8, c0_BLEND=0x40000101)[0, 0, 0]  # one, one
    assert got == 255 | 102 << 8 | 153 << 16 | 255 << 24
    got = draw((1, 1, 1, 1), (0, 0, 0, 0), format_=RGBA8, constant=(5, 0.5, -2, 2), c0_BLEND=0x4000000D)[0, 0, 0]
    assert got == 255 | 128 << 8 | 0 << 16 | 255 << 24


@pytest.mark.jit_off
def test_blending_snorm_clamps_to_minus_one():
    got = draw((-3, np.nan, 0.5, 2), (0.25, 0.5, 0.75, 1), format_=(10, 1), c0_BLEND=0x40000001)[0, 0, 0]  # one, zero
    assert got == 0x81 | 0 << 8 | 64 << 16 | 127 << 24


@pytest.mark.jit_off
def test_force_dst_alpha_and_a_format_without_alpha():
    word = 0x40000000 | 6  # dst alpha, zero
    assert draw((0.5, 0.5, 0.5, 0.5), (0, 0, 0, 0.25), c0_BLEND=word)[0, 0].view(np.float32)[0] == 0.125
    assert draw((0.5, 0.5, 0.5, 0.5), (0, 0, 0, 0.25), c0_BLEND=word, c0_FLAGS=1)[0, 0].view(np.float32)[0] == 0.5
    rgb = draw((1, 1, 1, 0), (0, 0, 0, 0), format_=(16, 0), c0_BLEND=word)[0, 0, 0]   # 5_6_5
    assert rgb == 0xFFFF


@pytest.mark.jit_off
@given(unit, unit, unit, unit)
def test_the_equations_round_every_step(source, source_factor, target, target_factor):
    s, a, d, b = map(np.float32, (source, source_factor, target, target_factor))
    for function, expected in enumerate((f32(f32(s * a) + f32(d * b)), f32(f32(s * a) - f32(d * b)), min(s, d),
                                         max(s, d), f32(f32(d * b) - f32(s * a)))):
        assert blend.blend_equation(function, s, a, d, b) == expected
    assert blend.complemented(s, True) == f32(f32(1) - s)


@pytest.mark.jit_off
def test_overlapping_triangles_blend_in_order():
    # four layers of alpha 1/2 in one draw: each sees the one before
    box = QUAD[:1] * 4
    got = draw((1, 0, 0, 0.5), (0, 0, 0, 0), triangles=box, c0_BLEND=0x40000504)
    assert got[0, 0].view(np.float32)[0] == 1 - 0.5**4
    assert got[3, 3].view(np.float32)[0] == 0


@pytest.mark.jit_off
@pytest.mark.parametrize("mask", range(16))
def test_write_mask(mask):
    got = draw((0.25, 0.5, 0.75, 1), (1, 1, 1, 0), format_=RGBA8, mask=mask)[2, 1, 0]
    new, old = 64 | 128 << 8 | 191 << 16 | 255 << 24, 0x00FFFFFF
    bits = sum(255 << 8 * k for k in range(4) if mask >> k & 1)
    assert got == (new & bits) | (old & ~bits)


@pytest.mark.parametrize(("format_", "swap"), [
    (RGBA8, 1), (RGBA8, 2), (RGBA8, 3), ((16, 0), 0), ((9, 0), 0), ((12, 7), 0), ((6, 7), 0), (RGBA32F, 0),
    ((5, 1), 0), ((10, 6), 0),
])
def test_masked_channels_of_other_formats(format_, swap):
    source, destination = (0.25, 0.5, 0.75, 1), (0.8, 0.6, 0.4, 0)
    layout = color_format(*format_, swap)
    new = decode_color(*format_, swap, encode_color(*format_, swap, np.array(source, np.float32))).ravel()
    old = decode_color(*format_, swap, encode_color(*format_, swap, np.array(destination, np.float32))).ravel()
    for mask in (15, 5, 8):
        words = draw(source, destination, format_=format_, swap=swap, mask=mask)[0, 3]
        got = decode_color(*format_, swap, words).ravel()
        wanted = [new[k] if mask & layout.mask & 1 << k else old[k] for k in range(4)]
        np.testing.assert_array_equal(got, np.array(wanted, np.float32))


@pytest.mark.jit_off
@given(st.integers(0, 255), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_rop3_bit_by_bit(rop3, source, destination):
    rop3 = rop3 & 15 | (rop3 & 15) << 4
    wanted = sum((rop3 >> (2 * (source >> bit & 1) + (destination >> bit & 1)) & 1) << bit for bit in range(32))
    assert int(blend.rop3_word(rop3, np.uint32(source), np.uint32(destination))) == wanted


@pytest.mark.jit_off
def test_rop3_through_the_tile():
    new, old = 64 | 128 << 8 | 191 << 16 | 255 << 24, 51 | 102 << 8 | 153 << 16 | 204 << 24
    arguments = (0.25, 0.5, 0.75, 1), (0.2, 0.4, 0.6, 0.8)
    assert draw(*arguments, format_=RGBA8, ROP3=0x66)[0, 0, 0] == new ^ old
    assert draw(*arguments, format_=RGBA8, ROP3=0x88)[0, 0, 0] == new & old
    assert draw(*arguments, format_=RGBA8, ROP3=0x66, c0_FLAGS=2)[0, 0, 0] == new      # DISABLE_ROP3
    assert draw(*arguments, ROP3=0x66)[0, 0].view(np.float32).tolist() == [0.25, 0.5, 0.75, 1]  # float: ignored
    assert draw(*arguments, format_=RGBA8, ROP3=0x66, mask=1)[0, 0, 0] == (new ^ old) & 255 | old & ~255


def test_columns_used_here_exist():
    assert C.FLAGS < C.COUNT
    assert S.COLOR + 8 * C.COUNT == S.COUNT
