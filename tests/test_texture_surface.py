"""Where texels lie, against the public addrlib's own answers, hand-worked addresses and laws of the mapping."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu.base.errors import DecodeError, InputError
from refgpu.texture.surface import surface_layout


def texels_of(layout, seed=0):
    shape = layout.untile(np.zeros(layout.nbytes, np.uint8))
    return np.random.default_rng(seed).integers(0, np.iinfo(shape.dtype).max, shape.shape, shape.dtype, endpoint=True)


@pytest.mark.jit_off
@pytest.mark.parametrize("profile", ["gfx1013", "gfx1030", "gfx1035"])
@pytest.mark.parametrize(("mode", "bpp"), [(0, 8), (0, 32), (24, 8), (24, 32), (27, 16), (27, 64), (27, 128)])
def test_untile_puts_each_element_where_offset_says(profile, mode, bpp):
    config = {"gfx1013": 0x00100044, "gfx1030": 0x444, "gfx1035": 0x242}[profile]
    layout = surface_layout(mode, bpp, 37, 21, slices=3, gb_addr_config=config, profile=profile,
                            pipe_bank_xor=0x41 if mode else 0)
    data = np.random.default_rng(bpp).integers(0, 256, layout.nbytes, np.uint8)
    slices, y, x = np.indices((3, 21, 37))
    places = layout.offset(x, y, slices)[..., None] + np.arange(bpp // 8)
    texels = layout.untile(data)
    assert np.array_equal(texels.view(np.uint8).reshape(places.shape), data[places])
    assert np.array_equal(layout.untile(data, 1, 1), texels[1:2])


@given(mode=st.sampled_from([0, 24, 27]), bpp=st.sampled_from([8, 16, 32, 64]), width=st.integers(1, 300),
       height=st.integers(1, 70), slices=st.integers(1, 3), xor=st.integers(0, 255), seed=st.integers(0, 99))
def test_tiling_changes_texels_and_nothing_else(mode, bpp, width, height, slices, xor, seed):
    layout = surface_layout(mode, bpp, width, height, slices=slices, pipe_bank_xor=xor if mode else 0)
    texels = texels_of(layout, seed)
    assert np.array_equal(layout.untile(layout.tile(texels)), texels)
    data = np.random.default_rng(seed).integers(0, 256, layout.nbytes, np.uint8)
    before = data.copy()
    layout.tile_into(layout.untile(data), data)
    assert np.array_equal(data, before)
    layout.tile_into(texels[-1:], data, slices - 1)
    assert np.array_equal(layout.untile(data), np.concatenate([layout.untile(before)[:-1], texels[-1:]]))
    layout.tile_into(layout.untile(before, slices - 1), data, slices - 1)
    assert np.array_equal(data, before)


def test_bad_input_is_refused():
    layout = surface_layout(27, 32, 16, 16)
    with pytest.raises(InputError, match="65535 bytes"):
        layout.untile(np.zeros(layout.nbytes - 1, np.uint8))
    with pytest.raises(InputError, match="array: expected contiguous uint32"):
        layout.tile(np.zeros((1, 16, 17), np.uint32))
    with pytest.raises(InputError, match=r"slices 1\.\.1"):
        layout.tile(np.zeros((1, 16, 16), np.uint32), 1)
    with pytest.raises(InputError, match="x: outside"):
        layout.offset(128, 0)
    with pytest.raises(DecodeError, match="SW_MODE = 3"):
        surface_layout(3, 32, 16, 16)
