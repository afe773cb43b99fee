"""gather4 and image_load."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texture_scene import BASE, BORDER, CLAMP, WRAP, make_image

import refgpu
from refgpu import InputError
from refgpu.base.claims import Variant
from refgpu.texture.gather import gather4
from refgpu.texture.images import Image
from refgpu.texture.loading import load
from refgpu.texture.samplers import Sampler
from refgpu.texture.surface import surface_layout

GRID = np.arange(20, dtype=np.float32).reshape(1, 4, 5)


def smp(clamp=CLAMP, **fields):
    return Sampler.from_fields(**({"CLAMP_X": clamp, "CLAMP_Y": clamp} | fields))


@pytest.mark.jit_off
def test_gather_order():
    got = gather4(make_image([GRID]), smp(FORCE_UNNORMALIZED=1), [[2.5, 1.5], [2.25, 1.75]])
    assert got[0].tolist() == [12, 13, 8, 7]
    assert got[1].tolist() == [11, 12, 7, 6]


@pytest.mark.jit_off
def test_gather_takes_the_component_after_dst_sel():
    words = np.array([[[0x44332211]]], np.uint32)
    image = make_image([words], 60, DST_SEL_X=6, DST_SEL_Y=1)
    assert [gather4(image, smp(), [[0.5, 0.5]], channel)[0, 0] for channel in range(4)] == [0x33, 1, 0x33, 0x44]
    with pytest.raises(InputError, match="channel 4"):
        gather4(image, smp(), [[0.5, 0.5]], 4)


def test_gathers_ignore_filters():
    image = make_image([GRID])
    plain = gather4(image, smp(FORCE_UNNORMALIZED=1), [[2.3, 1.9]])
    for fields in ({"FILTER_MODE": 2}, {"XY_MAG_FILTER": 1, "XY_MIN_FILTER": 1}):
        assert (gather4(image, smp(FORCE_UNNORMALIZED=1, **fields), [[2.3, 1.9]]) == plain).all()


def test_gather_wraps_compares_and_borders():
    image = make_image([GRID])
    corner = [[0.0, 0.0]]
    assert gather4(image, smp(WRAP), corner)[0].tolist() == [4, 0, 15, 19]
    white = smp(BORDER, BORDER_COLOR_TYPE=2)
    assert gather4(image, white, corner)[0].tolist() == [1, 0, 1, 1]
    greater = smp(WRAP, DEPTH_COMPARE_FUNC=4)
    assert gather4(image, greater, corner, compare=5)[0].tolist() == [1, 1, 0, 0]
    assert gather4(image, smp(WRAP), corner, offset=(1, 1))[0].tolist() == [5, 6, 1, 0]


def test_gather_levels_and_layers():
    levels = [np.zeros((3, 4, 4), np.float32), np.arange(12, dtype=np.float32).reshape(3, 2, 2)]
    image = make_image(levels, kind="2da")
    got = gather4(image, smp(MIP_FILTER=1), [[0.5, 0.5, 2]], lod=1)
    assert got[0].tolist() == [10, 11, 9, 8]
    with pytest.raises(InputError, match="gather4 reads 2D"):
        gather4(make_image([GRID], kind="3d"), smp(), [[0, 0, 0]])


def test_gather_at_a_cube_corner():
    data = np.arange(6 * 4, dtype=np.float32).reshape(6, 2, 2)
    image = make_image([data], kind="cube")
    got = gather4(image, smp(), [[1.0, 1.0, 4]])[0]
    assert got[1] == data[4, 0, 0]
    assert got[3] == np.float32((data[4, 0, 0] + data[1, 0, 1] + data[2, 1, 0]) / 3)


@pytest.mark.jit_off
def test_loads():
    levels = [np.arange(32, dtype=np.float32).reshape(2, 4, 4), np.arange(100, 108, dtype=np.float32).reshape(2, 2, 2)]
    image = make_image(levels, kind="2da")
    assert load(image, [[1, 2, 1], [3, 3, 0]])[:, 0].tolist() == [25, 15]
    assert load(image, [[1, 1, 1], [0, 0, 0]], lod=1)[:, 0].tolist() == [107, 100]
    assert load(image, [[1, 1, 1], [0, 0, 0]], lod=[1, 0])[:, 0].tolist() == [107, 0]
    volume = make_image([levels[0]], kind="3d")
    assert load(volume, [[1, 2, 1]])[0, 0] == 25
    line = make_image([np.arange(4, dtype=np.float32).reshape(1, 1, 4)], kind="1d")
    assert load(line, [[2]])[0, 0] == 2
    integers = make_image([np.array([[[0xFFFFFFFF]]], np.uint32)], 20)
    assert load(integers, [[0, 0]]).tolist() == [[0xFFFFFFFF, 0, 0, 1]]


@pytest.mark.jit_off
def test_loads_outside():
    image = make_image([GRID], DST_SEL_W=1)
    outside = [[-1, 0], [5, 0], [0, 4], [1 << 30, 0]]
    assert load(image, outside).tolist() == [[0, 0, 0, 1]] * 4
    assert load(image, [[0, 0]], lod=1).tolist() == [[0, 0, 0, 1]]
    zero = Variant({"TEX-LOAD-OUTSIDE": "zero"})
    assert load(image, outside, variant=zero).tolist() == [[0] * 4] * 4
    assert load(Image.from_words([0] * 8, None), [[0, 0]]).tolist() == [[0] * 4]
    with pytest.raises(InputError, match="expected integers"):
        load(image, [[0.5, 0.5]])


@given(st.sampled_from([1, 2, 4, 8]), st.sampled_from([24, 27]), st.integers(0, 99))
def test_msaa_loads(samples, swizzle, seed):
    # measured.md 6.2: LAST_LEVEL is log2 of the samples; every sample is reached
    layout = surface_layout(swizzle, 32, 5, 3, 2, samples)
    shape = layout.untile(np.zeros(layout.nbytes, np.uint8)).shape
    data = np.random.default_rng(seed).integers(0, 1 << 32, shape, np.uint32)
    memory = refgpu.Memory()
    memory.map(BASE, layout.tile(data))
    log2 = samples.bit_length() - 1
    image = Image.from_fields(memory, BASE_ADDRESS=BASE >> 8, FORMAT=20, TYPE=15, WIDTH=4, HEIGHT=2, DEPTH=1,
                              SW_MODE=swizzle, LAST_LEVEL=log2, MAX_MIP=log2)
    cells = data.reshape(2, samples, 3, 5)
    places = [(x, y, z, s) for z in range(2) for y in range(3) for x in range(5) for s in range(samples)]
    coords = [p if samples > 1 else p[:3] for p in places]
    got = load(image, coords)[:, 0]
    assert got.tolist() == [cells[z, s, y, x] for x, y, z, s in places]
