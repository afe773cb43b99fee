"""V#, T# and S# bit by bit, both ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu import DecodeError, InputError
from refgpu.texture.buffers import Buffer
from refgpu.texture.descriptors import PROFILES, table_of
from refgpu.texture.images import Image
from refgpu.texture.samplers import Sampler


def words(whole, count):
    return [whole >> 32 * i & 0xFFFFFFFF for i in range(count)]


def test_vsharp_fields():
    # base 0x123456789ABC, stride 16, NUM_RECORDS 4, w3 of measured.md 6.21
    buffer = Buffer.from_words([0x56789ABC, 0x00101234, 4, 0x01016FAC], None)
    assert buffer.address == 0x123456789ABC
    assert (buffer.STRIDE, buffer.NUM_RECORDS, buffer.FORMAT, buffer.OOB_SELECT) == (16, 4, 22, 0)
    assert (buffer.DST_SEL_X, buffer.DST_SEL_Y, buffer.DST_SEL_Z, buffer.DST_SEL_W) == (4, 5, 6, 7)
    assert buffer.format.name == "32_FLOAT"
    assert Buffer.from_words([0, 0x3FFF << 16, 0, 1 << 24 | 2 << 28], None).STRIDE == 0x3FFF


def test_tsharp_fields():
    raw = [0x00123456, 56 << 20 | 0x180 << 8 | 0x01 | (1919 & 3) << 30, 1919 >> 2 | 1079 << 14 | 1 << 31,
           0x9 << 28 | 3 << 25 | 27 << 20 | 3 << 16 | 1 << 12 | 0xFAC, 5 << 16, 3 << 4 | 4 << 20,
           1 << 21 | 0xAB << 24, 0x00CDEF01]
    image = Image.from_words(raw, None)
    assert image.address == 0x0100123456 << 8
    assert (image.width, image.height, image.FORMAT, image.MIN_LOD, image.TYPE) == (1920, 1080, 56, 0x180, 9)
    assert (image.SW_MODE, image.BC_SWIZZLE, image.BASE_LEVEL, image.LAST_LEVEL, image.MAX_MIP) == (27, 3, 1, 3, 3)
    assert (image.COMPRESSION_EN, image.META_DATA_ADDRESS, image.PERF_MOD) == (1, 0xCDEF01AB, 4)
    assert image.BASE_ARRAY == 5
    assert image.to_words().tolist() == raw


def test_ssharp_fields():
    # cases.md B44, B48: MIP_FILTER is bits 26-27; MIN_LOD u4.8, BIAS s5.8
    assert Sampler.from_words([0, 0, 0x04000000, 0]).MIP_FILTER == 1
    assert Sampler.from_words([0, 0, 0x01000000, 0]).Z_FILTER == 1
    sampler = Sampler.from_words([1 << 27 | 2 << 29, 0x180, 0x3F80, 0xC0000002])
    assert (sampler.min_lod, sampler.lod_bias, sampler.TRUNC_COORD, sampler.FILTER_MODE) == (1.5, -0.5, 1, 2)
    assert (sampler.BORDER_COLOR_TYPE, sampler.BORDER_COLOR_PTR) == (3, 2)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("kind", "count"), [("V#", 4), ("T#", 8), ("S#", 4)])
def test_fields_do_not_overlap(kind, count, profile):
    seen = 0
    for name, bits in table_of(kind, profile).items():
        if name == "PITCH":   # shares its bits with DEPTH
            continue
        mask = ((1 << bits.width) - 1) << bits.lsb
        assert not seen & mask, name
        assert bits.lsb // 32 < count
        seen |= mask


def test_generations_differ():
    assert "PITCH" not in table_of("T#", "gfx1013")
    raw = [0, 56 << 20, 1 << 31, 9 << 28 | 0xFAC, 0x2000 | 1, 0, 0, 0]
    with pytest.raises(DecodeError, match=r"T# word 4 .*reserved bit 13"):
        Image.from_words(raw, None, "gfx1010")
    assert Image.from_words(raw, None, "gfx1030").pitch == 0x2002


@given(st.data(), st.sampled_from(PROFILES))
def test_words_come_back(data, profile):
    fields = {name: data.draw(st.integers(0, (1 << bits.width) - 1)) for name, bits in table_of("T#", profile).items()
              if name not in ("PITCH", "TYPE", "RESOURCE_LEVEL", "BC_SWIZZLE", "DEPTH", "BASE_LEVEL")
              and not name.startswith("DST_SEL")}
    fields |= {"TYPE": data.draw(st.integers(8, 13)), "BC_SWIZZLE": data.draw(st.integers(0, 5)),
               "DEPTH": 0x1FFF}
    image = Image.from_fields(None, profile, **fields)
    again = Image.from_words(image.to_words(), None, profile)
    assert int(again.fields) == int(image.fields)
    assert {name: again.fields[name] for name in fields} == fields


@pytest.mark.parametrize(("word", "value", "match"), [
    (3, 0x01016FAA, "DST_SEL_X = 2"), (3, 0x41016FAC, "TYPE = 1"), (3, 0x00016FAC, "RESOURCE_LEVEL"),
    (3, 0x01096FAC, "reserved bit 19")])
def test_reserved_values_of_vsharp(word, value, match):
    raw = [0, 16 << 16, 4, 0x01016FAC]
    raw[word] = value
    with pytest.raises(DecodeError, match=match):
        Buffer.from_words(raw, None)


@pytest.mark.parametrize(("field", "value", "match"), [
    ("TYPE", 3, "TYPE = 3 is reserved"), ("TYPE", 0, "buffer"), ("BC_SWIZZLE", 6, "BC_SWIZZLE = 6"),
    ("DST_SEL_W", 3, "DST_SEL_W = 3"), ("RESOURCE_LEVEL", 0, "RESOURCE_LEVEL")])
def test_reserved_values_of_tsharp(field, value, match):
    with pytest.raises(DecodeError, match=match):
        Image.from_fields(None, **({"FORMAT": 56, "TYPE": 9} | {field: value}))


def test_reserved_values_of_ssharp():
    for raw, match in (([5 << 9, 0, 0, 0], "MAX_ANISO_RATIO"), ([3 << 29, 0, 0, 0], "FILTER_MODE = 3"),
                       ([0, 0, 0, 1 << 12], "reserved bit 12")):
        with pytest.raises(DecodeError, match=match):
            Sampler.from_words(raw)


def test_reserved_formats_name_the_value():
    with pytest.raises(DecodeError, match="FORMAT = 100"):
        _ = Buffer.from_fields(None, FORMAT=100).format
    with pytest.raises(DecodeError, match="FORMAT = 300"):
        _ = Image.from_fields(None, FORMAT=300, TYPE=9).format


def test_wrong_word_counts():
    for make in (lambda: Buffer.from_words([0] * 5, None), lambda: Image.from_words([0] * 4, None),
                 lambda: Sampler.from_words([0, 0, 0, 1 << 32])):
        with pytest.raises(InputError, match="words of 32 bits"):
            make()
    with pytest.raises(InputError, match="no profile"):
        Buffer.from_words([0] * 4, None, "gfx900")
    with pytest.raises(InputError, match=r"T#\.WIDTH"):
        Image.from_fields(None, WIDTH=1 << 14)
    with pytest.raises(InputError, match="no field"):
        Image.from_fields(None, PITCH=1)


def test_null_image():
    image = Image.from_words(np.zeros(8, np.uint32), None)
    assert image.null
    assert image.empty


def test_sizes_by_type():
    cube = Image.from_fields(None, TYPE=11, BASE_ARRAY=5, DEPTH=5, WIDTH=63, HEIGHT=63)
    assert cube.layers == 6                                    # measured.md 6.4
    volume = Image.from_fields(None, TYPE=10, DEPTH=31, WIDTH=63, HEIGHT=15)
    assert (volume.depth, volume.layers, volume.height) == (32, 1, 16)
    line = Image.from_fields(None, TYPE=8, WIDTH=63, HEIGHT=15)
    assert (line.height, line.depth) == (1, 1)
    msaa = Image.from_fields(None, TYPE=14, LAST_LEVEL=3, MAX_MIP=3)
    assert (msaa.samples, msaa.levels, msaa.last_level) == (8, 1, 0)   # measured.md 6.2
    array = Image.from_fields(None, TYPE=13, BASE_ARRAY=2, DEPTH=4)
    assert array.layers == 3
    assert Image.from_fields(None, TYPE=9, BASE_LEVEL=2, LAST_LEVEL=3, MAX_MIP=1).empty
    with pytest.raises(DecodeError, match="BASE_ARRAY"):
        Image.from_fields(None, TYPE=13, BASE_ARRAY=4, DEPTH=2)
