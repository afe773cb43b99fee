"""What writes to metadata memory mean, against a model that writes the bytes into an array and looks."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu import metadata
from refgpu.base.errors import InputError, UnsupportedError

WHOLE = 32768


def memory_after(size: int, fills: list[tuple[int, int, int, int]], before: bytes) -> bytes:
    memory = bytearray(before)
    for start, nbytes, pattern, mask in fills:
        for index in range(nbytes):
            if 0 <= start + index < size:
                value, bits = pattern >> index % 4 * 8 & 255, mask >> index % 4 * 8 & 255
                memory[start + index] = memory[start + index] & ~bits | value & bits
    return bytes(memory)


def grid(effect_array: np.ndarray) -> list[str]:
    return effect_array.reshape(-1).tolist()


@pytest.mark.jit_off
def test_a_small_surface_needs_the_whole_metablock():
    # cases B30: words of the tiles lie at 0, 260, 256, 4
    layout = metadata.htile_layout(16, 16, gb_addr_config=0x00100044)
    effect = metadata.fill_effect(layout, 0, 16, 0x000000F0)
    assert effect.depth.tolist() == [[["cleared", "kept"], ["kept", "cleared"]]]
    assert effect.stencil.tolist() == effect.depth.tolist()
    assert not effect.covers_all
    effect = metadata.fill_effect(layout, 0, 264, 0x000000F0)
    assert grid(effect.depth) == grid(effect.stencil) == ["cleared"] * 4
    assert not effect.covers_all
    assert not metadata.fill_effect(layout, 0, WHOLE - 1, 0xF0).covers_all
    assert metadata.fill_effect(layout, 0, WHOLE, 0xF0).covers_all
    assert grid(metadata.fill_effect(layout, 0, 260, 0xF0).depth) == ["cleared", "kept", "cleared", "cleared"]


@pytest.mark.parametrize(("pattern", "depth", "stencil"), [
    (0x00000000, "cleared", "cleared"),      # cases B29
    (0x000003F0, "cleared", "expanded"),     # stencil stays what memory holds
    (0x000000F0, "cleared", "cleared"),
    (0xFFFFFFFF, "expanded", "expanded"),
    (0xFFFFF3FF, "expanded", "expanded"),    # cases B33
    (0xFFFC00F0, "cleared", "cleared"),
    (0xFFFC000F, "expanded", "cleared"),     # a depth-only word in the wrong layout
    (0x00000005, "undocumented", "cleared"),
    (0x00000100, "cleared", "undocumented"),
])
def test_patterns_over_depth_and_stencil(pattern, depth, stencil):
    effect = metadata.fill_effect(metadata.htile_layout(256, 256), 0, WHOLE, pattern)
    assert effect.depth.shape == effect.stencil.shape == (1, 32, 32)
    assert set(grid(effect.depth)) == {depth}
    assert set(grid(effect.stencil)) == {stencil}
    assert effect.covers_all
    assert effect.color is None
    assert (effect.words == pattern).all()
    assert (effect.written == 0xFFFFFFFF).all()


@pytest.mark.parametrize(("pattern", "depth"), [(0, "cleared"), (0xFFFFFFF0, "cleared"), (0xFFFC000F, "expanded"),
                                                (0x80020000, "cleared"), (0x1, "undocumented")])
def test_depth_only_words_leave_stencil_alone(pattern, depth):
    effect = metadata.fill_effect(metadata.htile_layout(64, 64), 0, WHOLE, pattern, stencil=False)
    assert set(grid(effect.depth)) == {depth}
    assert set(grid(effect.stencil)) == {"kept"}


def test_fills_in_order_as_a_driver_makes_them():
    # captures: HTILE initialized, then cleared to 1.0
    layout = metadata.htile_layout(256, 256)
    fills = [(0, WHOLE, 0xFFFC000F), (0, WHOLE, 0xFFFFFFF0)]
    effect = metadata.fill_effect(layout, fills, stencil=False)
    assert set(grid(effect.depth)) == {"cleared"}
    assert (effect.words == metadata.clear_word(1.0)).all()
    assert set(grid(metadata.fill_effect(layout, fills[::-1], stencil=False).depth)) == {"expanded"}
    halves = [(0, WHOLE // 2, 0xF0), (WHOLE // 2, WHOLE // 2, 0xF0)]
    assert metadata.fill_effect(layout, halves).covers_all
    assert not metadata.fill_effect(layout, [halves[0], (WHOLE // 2 + 1, WHOLE, 0xF0)]).covers_all
    assert metadata.fill_effect(layout, halves[::-1]).covers_all
    nothing = metadata.fill_effect(layout, [])
    assert set(grid(nothing.depth)) == {"kept"}
    assert not nothing.covers_all


def test_a_fill_short_by_four_bytes_misses_one_word():
    layout = metadata.htile_layout(1024, 512)
    effect = metadata.fill_effect(layout, 0, layout.nbytes - 4, 0)
    missed = np.argwhere(effect.depth != "cleared")
    assert missed.tolist() == [[0, y // 8, x // 8] for x, y, _ in [layout.tile(layout.nbytes - 4)]]
    assert effect.depth[tuple(missed[0])] == "kept"
    assert not effect.covers_all


def test_masked_writes_clear_one_aspect():
    layout = metadata.htile_layout(16, 16)
    depth_mask, stencil_mask = metadata.plane_mask(True, False), metadata.plane_mask(False, True)
    before = np.full(layout.tiles, 0xFFFFF3FF, np.uint32)
    depth = metadata.fill_effect(layout, 0, WHOLE, 0xFFFC00F0, mask=depth_mask, before=before)
    assert set(grid(depth.depth)) == {"cleared"}
    assert set(grid(depth.stencil)) == {"kept"}
    assert (depth.words == 0xFFFC03F0).all()
    stencil = metadata.fill_effect(layout, [(0, WHOLE, 0xF0, stencil_mask)], before=before)
    assert set(grid(stencil.depth)) == {"kept"}
    assert set(grid(stencil.stencil)) == {"cleared"}
    assert (stencil.words == 0xFFFFF0FF).all()
    both = metadata.fill_effect(layout, [(0, WHOLE, 0xFFFC00F0, depth_mask), (0, WHOLE, 0xF0, stencil_mask)],
                                before=before)
    assert set(grid(both.depth)) == set(grid(both.stencil)) == {"cleared"}
    assert (both.words == 0xFFFC00F0).all()


def test_part_of_a_code_is_unknown_without_what_was_before():
    layout = metadata.htile_layout(8, 8)
    assert grid(metadata.fill_effect(layout, 0, 4, 0, mask=0x3).depth) == ["unknown"]
    assert grid(metadata.fill_effect(layout, 0, 4, 0, mask=0x3, before=[[[0xF]]]).depth) == ["undocumented"]
    assert grid(metadata.fill_effect(layout, 0, 4, 0, mask=0x3, before=[[[0x3]]]).depth) == ["cleared"]
    assert grid(metadata.fill_effect(layout, 0, 4, 0, mask=0xFFFF0000).depth) == ["kept"]
    assert grid(metadata.fill_effect(layout, 0, 4, 0, mask=0).stencil) == ["kept"]


def test_misaligned_fills_shift_the_pattern():
    layout = metadata.htile_layout(8, 8)
    # begins at byte 1: the word's bytes 1..3 are the pattern's bytes 0..2
    effect = metadata.fill_effect(layout, 1, 100, 0x44332211)
    assert effect.words.tolist() == [[[0x33221100]]]
    assert effect.written.tolist() == [[[0xFFFFFF00]]]
    assert grid(effect.depth) == ["kept"]
    assert grid(effect.stencil) == ["undocumented"]
    # begins 3 bytes before the metadata
    effect = metadata.fill_effect(layout, -3, 4, 0xF0FFFFFF)
    assert (effect.words.tolist(), effect.written.tolist()) == ([[[0xF0]]], [[[0xFF]]])
    assert grid(effect.depth) == ["cleared"]
    assert grid(effect.stencil) == ["kept"]


FILL = st.tuples(st.integers(-8, 600), st.integers(0, 600), st.integers(0, 0xFFFFFFFF),
                 st.sampled_from([0xFFFFFFFF, 0xFFFFFC0F, 0x3F0, 0xFF00FF00]))


@given(st.lists(FILL, max_size=4), st.integers(0, 0xFFFFFFFF), st.booleans())
def test_htile_words_are_the_bytes_in_memory(fills, old, stencil):
    layout = metadata.htile_layout(40, 24)
    memory = memory_after(layout.nbytes, fills, struct.pack("<I", old) * (layout.nbytes // 4))
    effect = metadata.fill_effect(layout, fills, stencil=stencil, before=np.full(layout.tiles, old, np.uint32))
    changed = metadata.fill_effect(layout, fills, stencil=stencil)
    for tile_y in range(3):
        for tile_x in range(5):
            at = layout.offset(8 * tile_x, 8 * tile_y)
            word = struct.unpack_from("<I", memory, at)[0]
            where = 0, tile_y, tile_x
            assert effect.words[where] == word
            zmask, smem = word & 15, word >> 8 & 3
            touched = changed.written[where]
            expected = "kept" if not touched & 15 else {0: "cleared", 15: "expanded"}.get(zmask, "undocumented")
            assert effect.depth[where] == expected
            expected = {0: "cleared", 3: "expanded"}.get(smem, "undocumented")
            assert effect.stencil[where] == ("kept" if not stencil or not touched & 0x300 else expected)
            for byte in range(4):
                hit = any(start <= at + byte < start + nbytes for start, nbytes, _, _ in fills)
                assert hit or touched >> 8 * byte & 0xFF == 0


@given(st.lists(FILL, min_size=1, max_size=3), st.sampled_from(["cmask", "dcc"]))
def test_keys_and_nibbles_are_the_bytes_in_memory(fills, kind):
    layout = metadata.cmask_layout(40, 24) if kind == "cmask" else metadata.dcc_layout(40, 24)
    memory = memory_after(layout.nbytes, fills, bytes(layout.nbytes))
    effect = metadata.fill_effect(layout, fills, before=np.zeros(layout.tiles, np.uint32))
    for tile_y in range(3):
        for tile_x in range(5):
            if kind == "cmask":
                nibble = layout.nibble(8 * tile_x, 8 * tile_y)
                expected = memory[nibble // 2] >> nibble % 2 * 4 & 15
            else:
                expected = memory[layout.offset(8 * tile_x, 8 * tile_y)]
            assert effect.words[0, tile_y, tile_x] == expected


def test_colour_keys_of_some_slices():
    # cases B39: slices 40 and 41 of 64
    layout = metadata.dcc_layout(256, 256, 64, bpp=64)
    effect = metadata.fill_effect(layout, 40 * layout.slice_nbytes, 2 * layout.slice_nbytes, 0x40404040)
    assert (effect.color[40:42] == "cleared").all()
    assert (effect.words[40:42] == 0x40).all()
    assert (effect.color[:40] == "kept").all()
    assert (effect.color[42:] == "kept").all()
    assert effect.depth is None
    assert effect.stencil is None


@pytest.mark.parametrize(("pattern", "state"), [(0, "cleared"), (0xC0C0C0C0, "cleared"), (0x20202020, "register"),
                                                (0x10101010, "single"), (0xFFFFFFFF, "expanded"),
                                                (0x01010101, "undocumented")])
def test_colour_key_states(pattern, state):
    layout = metadata.dcc_layout(64, 64)
    assert set(grid(metadata.fill_effect(layout, 0, layout.nbytes, pattern).color)) == {state}


def test_cmask_states():
    # cases B40; 0xCC: cleared by DCC, not by CMASK
    layout = metadata.cmask_layout(64, 64)
    for pattern, state in ((0, "cleared"), (0xFFFFFFFF, "expanded"), (0xCCCCCCCC, "expanded"),
                           (0x44444444, "undocumented")):
        assert set(grid(metadata.fill_effect(layout, 0, layout.nbytes, pattern).color)) == {state}
    halves = metadata.fill_effect(layout, 0, layout.nbytes, 0x0F0F0F0F)
    assert halves.color[0, 0, 0] == "expanded"  # nibble 0
    assert halves.color[0, 1, 1] == "cleared"   # (8, 8) is nibble 1


def test_an_eight_bpp_surface_has_keys_for_both_halves():
    # without RB+ two 8x8 tiles that touch at a corner share a key: all are listed
    layout = metadata.dcc_layout(32, 32, bpp=8)
    assert layout.tiles == (1, 4, 4)
    effect = metadata.fill_effect(layout, 0, 256, 0)
    assert effect.color[0, :2, :2].tolist() == [["cleared", "kept"], ["kept", "cleared"]]


def test_bad_fills_raise():
    layout = metadata.htile_layout(16, 16)
    for arguments, message in [((0, -1, 0), "nbytes: -1 is negative"), ((0, 4, 1 << 32), "pattern: 0x100000000"),
                               ((0, 4, -1), "pattern: -0x1"), ((0.5, 4, 0), "expected integers"),
                               ((0,), "expected integers"), (([(0, 4)],), "expected integers"),
                               (([(0, 4, 0)], 4, 0), "belong inside a list")]:
        with pytest.raises(InputError, match=message):
            metadata.fill_effect(layout, *arguments)
    with pytest.raises(InputError, match="mask: 0x100000000"):
        metadata.fill_effect(layout, 0, 4, 0, mask=1 << 32)
    with pytest.raises(InputError, match=r"before: shape \(1, 1, 1\) is not that of the tiles \(1, 2, 2\)"):
        metadata.fill_effect(layout, 0, 4, 0, before=[[[0]]])
    with pytest.raises(UnsupportedError, match="address of"):
        metadata.fill_effect(metadata.htile_layout(64, 64, mips=2), 0, 4, 0)
