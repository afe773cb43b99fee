"""BC1 to BC7 against Pillow's DDS reader and exact rationals."""

import io
import struct
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image as PillowImage
from texture_exact import half_up, to_float32
from texture_scene import CLAMP, make_image

from refgpu import InputError
from refgpu.texture.formats import decode
from refgpu.texture.loading import load
from refgpu.texture.samplers import Sampler
from refgpu.texture.sampling import sample

DXGI = {"BC1_UNORM": 71, "BC2_UNORM": 74, "BC3_UNORM": 77, "BC4_UNORM": 80, "BC5_UNORM": 83, "BC6_UFLOAT": 95,
        "BC6_SFLOAT": 96, "BC7_UNORM": 98}


def pillow(blocks, name):
    """float[n, 16, channels] in 0..255, decoded by Pillow."""
    count, width = len(blocks), 4 * len(blocks)
    header = struct.pack("<4s7I", b"DDS ", 124, 0x1007, 4, width, blocks.size, 0, 0) + bytes(44)
    header += struct.pack("<2I4s5I", 32, 4, b"DX10", 0, 0, 0, 0, 0) + struct.pack("<5I", 0x1000, 0, 0, 0, 0)
    header += struct.pack("<5I", DXGI[name], 3, 0, 1, 0)
    picture = np.asarray(PillowImage.open(io.BytesIO(header + blocks.tobytes())))
    return picture.reshape(4, count, 4, -1).transpose(1, 0, 2, 3).reshape(count, 16, -1).astype(np.float64)


def random_blocks(size, count=400, seed=1):
    return np.random.default_rng(seed).integers(0, 256, (count, size), np.uint8)


def test_bc7_equals_pillow():
    for mode in range(8):
        blocks = random_blocks(16, 300, mode)
        blocks[:, 0] = (blocks[:, 0].astype(int) >> (mode + 1) << (mode + 1) | 1 << mode).astype(np.uint8)
        ours = decode("BC7_UNORM", blocks)
        assert (np.rint(ours * 255) == pillow(blocks, "BC7_UNORM")).all(), mode
        assert (ours == (np.rint(ours * 255) / 255).astype(np.float32)).all()
    reserved = np.zeros((1, 16), np.uint8)
    assert not decode("BC7_UNORM", reserved).any()


def test_bc6_is_what_pillow_shows():
    """Pillow shows 8 bits; it leaves out the sign extension after the deltas, so signed deltas are left out here."""
    codes = random_blocks(16, 1500)
    for name, modes in (("BC6_UFLOAT", range(32)), ("BC6_SFLOAT", (0x03, 0x1E))):
        blocks = codes.copy()
        if name == "BC6_SFLOAT":
            blocks[:, 0] = blocks[:, 0] & 0xE0 | np.resize(list(modes), len(blocks))
        ours = np.clip(np.nan_to_num(decode(name, blocks)[..., :3], posinf=9, neginf=-9), 0, 1) * 255
        assert np.abs(ours - pillow(blocks, name)).max() < 1.2


def bc6_block(mode, **endpoints):
    """A one-subset block of mode 0x03 or 0x07 with all indices 0."""
    value, at = mode, 5
    for name in ("r0", "g0", "b0"):
        value |= (endpoints.get(name, 0) & 0x3FF) << at
        at += 10
    if mode == 0x07:
        for channel in "rgb":
            value |= (endpoints.get(f"{channel}1", 0) & 0x1FF) << at
            value |= (endpoints.get(f"{channel}0", 0) >> 10 & 1) << (at + 9)
            at += 10
    return np.frombuffer(value.to_bytes(16, "little"), np.uint8)[None]


def test_bc6_by_hand():
    # mode 0x03, 10 bits: 0x3FF unquantizes to 0xFFFF, * 31 >> 6 = 0x7BFF = 65504; 0x200: 0x8020 * 31 >> 6 = 0x3E0F
    got = decode("BC6_UFLOAT", bc6_block(0x03, r0=0x3FF, g0=0x200))[0, 5]
    assert got.tolist() == [65504.0, float(np.uint16(0x3E0F).view(np.float16)), 0.0, 1.0]
    # signed: -512 is the lowest, |x| >= 511 gives 0x7FFF; * 31 >> 5 = 0x7BFF with the sign bit
    got = decode("BC6_SFLOAT", bc6_block(0x03, r0=0x200, g0=0x1FF, b0=0x3FF))[0, 5]
    assert got[:2].tolist() == [-65504.0, 65504.0]
    assert got[2] == -float(np.uint16(((1 << 15) + 0x4000 >> 9) * 31 >> 5).view(np.float16))
    # a delta that leaves the 11 bits wraps and is sign-extended: 1023 + 1 = -1024; index 15 reads the second endpoint
    block = bc6_block(0x07, r0=0x3FF, r1=1)
    block = np.frombuffer((int.from_bytes(block.tobytes(), "little") | 7 << 65).to_bytes(16, "little"), np.uint8)[None]
    got = decode("BC6_SFLOAT", block)[0]
    assert got[0, 0] != got[1, 0]
    assert got[1, 0] == 65504.0
    assert decode("BC6_UFLOAT", np.full((1, 16), 0x13, np.uint8))[0].tolist() == [[0, 0, 0, 1]] * 16


def rational_colors(block, four):
    c0, c1, indices = struct.unpack("<HHI", block)
    ends = [[Fraction(c >> 11, 31), Fraction(c >> 5 & 63, 63), Fraction(c & 31, 31)] for c in (c0, c1)]
    if four or c0 > c1:
        mix = [(1, 0), (0, 1), (Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))]
    else:
        mix = [(1, 0), (0, 1), (Fraction(1, 2), Fraction(1, 2)), (0, 0)]
    texels = []
    for texel in range(16):
        index = indices >> 2 * texel & 3
        a, b = mix[index]
        alpha = Fraction(0 if not (four or c0 > c1) and index == 3 else 1)
        texels.append([a * x + b * y for x, y in zip(*ends, strict=True)] + [alpha])
    return texels


def rational_ramp(block, is_signed):
    e = list(struct.unpack("<bb" if is_signed else "<BB", block[:2]))
    eight, top, bottom = e[0] > e[1], (127 if is_signed else 255), (-127 if is_signed else 0)
    a, b = (Fraction(max(v, bottom), top) for v in e)
    if eight:
        table = [a, b] + [((7 - k) * a + k * b) / 7 for k in range(1, 7)]
    else:
        table = [a, b] + [((5 - k) * a + k * b) / 5 for k in range(1, 5)] + [Fraction(bottom, top), Fraction(1)]
    bits = int.from_bytes(block[2:8], "little")
    return [table[bits >> 3 * texel & 7] for texel in range(16)]


@pytest.mark.parametrize("name", ["BC1_UNORM", "BC2_UNORM", "BC3_UNORM"])
def test_color_blocks_are_exact_rationals(name):
    blocks = random_blocks(8 if name == "BC1_UNORM" else 16, 120)
    got = decode(name, blocks)
    for block, texels in zip(blocks, got, strict=True):
        raw = block.tobytes()
        expected = rational_colors(raw[-8:], name != "BC1_UNORM")
        if name == "BC2_UNORM":
            alpha = int.from_bytes(raw[:8], "little")
            expected = [[*t[:3], Fraction(alpha >> 4 * k & 15, 15)] for k, t in enumerate(expected)]
        elif name == "BC3_UNORM":
            expected = [[*t[:3], a] for t, a in zip(expected, rational_ramp(raw[:8], False), strict=True)]
        assert texels.tolist() == [[float(to_float32(v)) for v in t] for t in expected]
    assert np.abs(got * 255 - pillow(blocks, name)).max() < 1.5


@pytest.mark.parametrize("name", ["BC4_UNORM", "BC4_SNORM", "BC5_UNORM", "BC5_SNORM"])
def test_ramps_are_exact_rationals(name):
    blocks = random_blocks(8 if name[2] == "4" else 16, 120)
    blocks[0, :2], blocks[1, :2], blocks[2, :2] = (0x80, 0x81), (0x81, 0x80), (0x80, 0x80)
    got = decode(name, blocks)
    is_signed = name.endswith("SNORM")
    for block, texels in zip(blocks, got, strict=True):
        x = rational_ramp(block[:8].tobytes(), is_signed)
        y = rational_ramp(block[8:].tobytes(), is_signed) if name[2] == "5" else [Fraction(0)] * 16
        assert texels.tolist() == [[float(to_float32(a)), float(to_float32(b)), 0, 1]
                                   for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("kind", [1, 2, 3, 7])
def test_srgb_blocks(kind):
    blocks = random_blocks(8 if kind == 1 else 16, 60)
    linear, curved = decode(f"BC{kind}_UNORM", blocks), decode(f"BC{kind}_SRGB", blocks)
    assert (linear[..., 3] == curved[..., 3]).all()
    table = decode("8_SRGB", np.arange(256))[:, 0]
    if kind == 7:
        assert (curved[..., :3] == table[np.rint(linear[..., :3] * 255).astype(int)]).all()
    else:
        exact = [rational_colors(b.tobytes()[-8:], kind != 1) for b in blocks]
        codes = np.array([[[half_up(v * 255) for v in t[:3]] for t in block] for block in exact])
        assert (curved[..., :3] == table[codes]).all()


def test_blocks_as_images():
    """5 x 6 texels need 2 x 2 blocks; mips shrink to one block; filtering goes through the same path."""
    blocks = random_blocks(8, 4, 7)
    words = blocks.view(np.uint32).reshape(1, 2, 2, 2)
    # make_image counts blocks as elements: T# sizes are texels
    image = make_image([words], "BC1_UNORM", WIDTH=4, HEIGHT=5)
    texels = decode("BC1_UNORM", blocks).reshape(2, 2, 4, 4, 4).transpose(0, 2, 1, 3, 4).reshape(8, 8, 4)
    places = [(x, y) for y in range(6) for x in range(5)]
    assert (load(image, places) == np.array([texels[y, x] for x, y in places])).all()
    assert (load(image, [(5, 0), (0, 6)]) == 0).all()
    sampler = Sampler.from_fields(CLAMP_X=CLAMP, CLAMP_Y=CLAMP, XY_MAG_FILTER=1, FORCE_UNNORMALIZED=1)
    got = sample(image, sampler, [[4.0, 4.0]])[0, 0]
    exact = [rational_colors(b.tobytes(), False) for b in blocks]
    mean = sum(exact[2 * (y // 4) + x // 4][4 * (y % 4) + x % 4][0] for x in (3, 4) for y in (3, 4)) / 4
    assert got == to_float32(mean)


def test_block_shapes():
    assert decode("BC1_UNORM", np.zeros((2, 3, 8), np.uint8)).shape == (2, 3, 16, 4)
    with pytest.raises(InputError, match=r"uint8\[\.\.\., 16\]"):
        decode("BC7_UNORM", np.zeros((2, 8), np.uint8))
