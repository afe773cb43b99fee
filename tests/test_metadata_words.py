"""HTILE words: both layouts, clears, ranges that only ever widen, and the range test."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refgpu import metadata
from refgpu.base.errors import DecodeError, InputError
from refgpu.metadata import htile
from refgpu.metadata.htile_word import DEPTH_ONLY, DEPTH_STENCIL
from refgpu.metadata.range_test import ALL_FAIL, ALL_PASS, UNDECIDED, range_test

words = st.integers(0, 0xFFFFFFFF)
depths = st.floats(0, 1, width=32)
any_floats = st.floats(width=32)


@pytest.mark.parametrize("table", [DEPTH_ONLY, DEPTH_STENCIL])
def test_fields_tile_the_word(table):
    masks = [((1 << bits.width) - 1) << bits.lsb for bits in table.values()]
    assert sum(masks) == 0xFFFFFFFF
    assert np.bitwise_or.reduce(masks) == 0xFFFFFFFF


@given(words, st.booleans())
def test_every_word_decodes_and_encodes_back(word, stencil):
    decoded = metadata.HtileWord.decode(word, stencil=stencil)
    assert decoded.encode() == word
    assert metadata.HtileWord.from_fields(stencil, **decoded.fields()) == decoded
    many = metadata.HtileWord.decode(np.array([word, 0], np.uint32), stencil=stencil)
    assert many.encode().tolist() == [word, 0]
    assert many.zmask.tolist() == [word & 15, 0]


@pytest.mark.parametrize(("word", "stencil", "fields"), [
    (0x00000000, False, {"zmask": 0, "zmin": 0, "zmax": 0}),
    (0xFFFFFFF0, False, {"zmask": 0, "zmin": 0x3FFF, "zmax": 0x3FFF}),
    (0xFFFC000F, False, {"zmask": 15, "zmin": 0, "zmax": 0x3FFF}),
    (0x80020000, False, {"zmask": 0, "zmin": 0x2000, "zmax": 0x2000}),
    (0x000000F0, True, {"zmask": 0, "sr0": 3, "sr1": 3, "smem": 0, "unused": 0, "zdelta": 0, "zbase": 0}),
    (0xFFFC00F0, True, {"zmask": 0, "sr0": 3, "sr1": 3, "smem": 0, "unused": 0, "zdelta": 0, "zbase": 0x3FFF}),
    (0xFFFFF3FF, True, {"zmask": 15, "sr0": 3, "sr1": 3, "smem": 3, "unused": 0, "zdelta": 63, "zbase": 0x3FFF}),
    (0xFFFFF30F, True, {"zmask": 15, "sr0": 0, "sr1": 0, "smem": 3, "unused": 0, "zdelta": 63, "zbase": 0x3FFF}),
    (0xFFFC0030, True, {"zmask": 0, "sr0": 3, "sr1": 0, "smem": 0, "unused": 0, "zdelta": 0, "zbase": 0x3FFF}),
    (0xFFFFF33F, True, {"zmask": 15, "sr0": 3, "sr1": 0, "smem": 3, "unused": 0, "zdelta": 63, "zbase": 0x3FFF}),
    (0x800000F0, True, {"zmask": 0, "sr0": 3, "sr1": 3, "smem": 0, "unused": 0, "zdelta": 0, "zbase": 0x2000}),
    (0x000003F0, True, {"zmask": 0, "sr0": 3, "sr1": 3, "smem": 3, "unused": 0, "zdelta": 0, "zbase": 0}),
    # words of one layout read in the other
    (0xFFFC000F, True, {"zmask": 15, "sr0": 0, "sr1": 0, "smem": 0, "unused": 0, "zdelta": 0, "zbase": 0x3FFF}),
    (0xFFFFFFF0, True, {"zmask": 0, "sr0": 3, "sr1": 3, "smem": 3, "unused": 3, "zdelta": 63, "zbase": 0x3FFF}),
    (0xFFFFF3FF, False, {"zmask": 15, "zmin": 0x3F3F, "zmax": 0x3FFF}),
])
@pytest.mark.jit_off
def test_words_worth_knowing(word, stencil, fields):
    assert metadata.HtileWord.decode(word, stencil=stencil).fields() == fields


@pytest.mark.parametrize(("word", "stencil", "depth", "stencil_state", "limits"), [
    (0x00000000, False, "cleared", "expanded", (0, 0)),
    (0xFFFC000F, False, "expanded", "expanded", (0, 0x3FFF)),
    (0x000000F0, True, "cleared", "cleared", (0, 0)),
    (0xFFFFF3FF, True, "expanded", "expanded", (0, 0x3FFF)),
    (0xFFFC000F, True, "expanded", "cleared", (0x3FFF, 0x3FFF)),
    (0xFFFFFFF0, True, "cleared", "expanded", (0, 0x3FFF)),
    (0xFFFFF3FF, False, "expanded", "expanded", (0x3F3F, 0x3FFF)),
])
@pytest.mark.jit_off
def test_what_words_mean(word, stencil, depth, stencil_state, limits):
    decoded = metadata.HtileWord.decode(word, stencil=stencil)
    assert (decoded.depth_state, decoded.stencil_state, decoded.range()) == (depth, stencil_state, limits)


def test_the_base_of_a_range_is_either_end():
    word = metadata.HtileWord.from_fields(zbase=100, zdelta=7, zmask=15)
    assert word.range(zrange_precision=1) == (93, 100)
    assert word.range(zrange_precision=0) == (100, 107)
    assert word.replace(zbase=3).range(1) == (0, 3)
    assert word.replace(zbase=0x3FFE).range(0) == (0x3FFE, 0x3FFF)
    assert word.replace(zdelta=15).range(1) == (85, 100)
    low, high = metadata.HtileWord.decode([int(word.encode()), 0xF], stencil=True).range(0)
    assert (low.tolist(), high.tolist()) == ([100, 0], [107, 0])


@pytest.mark.parametrize("code", [16, 17, 40, 62, 63])
def test_delta_codes_that_nobody_published_count_as_the_whole_range(code):
    word = metadata.HtileWord.from_fields(zbase=9000, zdelta=code)
    assert word.range(1) == (0, 9000)
    assert word.range(0) == (9000, 0x3FFF)


@pytest.mark.parametrize("code", range(16))
def test_zmask_codes(code):
    word = metadata.HtileWord.from_fields(zmask=code, smem=3)
    if code in (0, 15):
        assert word.depth_state == ("cleared" if code == 0 else "expanded")
        return
    with pytest.raises(DecodeError, match=f"0x0000030{code:x}: ZMASK = {code} "):
        _ = word.depth_state
    with pytest.raises(DecodeError, match=f"ZMASK = {code} "):
        _ = metadata.HtileWord.decode([15, code], stencil=False).depth_state


@pytest.mark.parametrize("code", range(4))
def test_smem_codes(code):
    word = metadata.HtileWord.from_fields(smem=code)
    if code in (0, 3):
        assert word.stencil_state == ("cleared" if code == 0 else "expanded")
        return
    with pytest.raises(DecodeError, match=f"SMEM = {code} "):
        _ = word.stencil_state


@pytest.mark.jit_off
def test_clear_and_expanded_words():
    depth = np.array([0, 0.25, 0.5, 0.75, 1])
    assert metadata.clear_word(depth).tolist() == [0, 0x40010000, 0x80020000, 0xBFFEFFF0, 0xFFFFFFF0]
    assert metadata.clear_word(depth, stencil=True).tolist() == [0xF0, 0x400000F0, 0x800000F0, 0xBFFC00F0, 0xFFFC00F0]
    assert [metadata.clear_word(z, True, vrs_encoding=2) for z in (0, 1)] == [0x30, 0xFFFC0030]
    assert metadata.clear_word(1, True, vrs_encoding=1) == 0xFFFC00F0
    assert (metadata.expanded_word(), metadata.expanded_word(stencil=True)) == (0xFFFC000F, 0xFFFFF3FF)
    assert metadata.expanded_word(True, vrs_encoding=2) == 0xFFFFF33F
    assert metadata.clear_word(0.5) == 0x80020000
    assert isinstance(metadata.clear_word(0.5), int)


@given(depths)
@example(0.5)
def test_clears_round_to_the_nearest_step(depth):
    step = metadata.HtileWord.decode(metadata.clear_word(depth), stencil=False).zmax
    exact = Fraction(depth) * 16383
    assert step == math.floor(exact + Fraction(1, 2))
    assert metadata.clear_word(depth) == step << 18 | step << 4
    assert metadata.clear_word(depth, stencil=True) == step << 18 | 0xF0


@pytest.mark.jit_off
def test_plane_masks_split_the_word():
    assert metadata.plane_mask(True, False) == 0xFFFFFC0F
    assert metadata.plane_mask(False, True) == 0x000003F0
    assert metadata.plane_mask(True, True) == 0xFFFFFFFF
    assert metadata.plane_mask(True, False, has_stencil=False) == 0xFFFFFFFF
    assert metadata.plane_mask(False, True, has_stencil=False) == 0
    assert int(htile.merge(np.uint32(0x12345678), np.uint32(0xFFFC00F0), np.uint32(0xFFFFFC0F))) == 0xFFFC0270
    assert int(htile.merge(np.uint32(0xFFFFF3FF), np.uint32(0xF0), np.uint32(0x3F0))) == 0xFFFFF0FF


@given(any_floats)
@example(-0.0)
@example(1.0)
@example(math.inf)
@example(float(np.float32(8191 / 16383)))
def test_ranges_round_outward(depth):
    low, high = int(htile.z14_below(np.float32(depth))), int(htile.z14_above(np.float32(depth)))
    if math.isnan(depth):
        assert (low, high) == (0, 16383)
        return
    inside = min(max(depth, 0.0), 1.0)
    exact = Fraction(inside) * 16383
    assert (low, high) == (math.floor(exact), math.ceil(exact))


def steps():
    return st.tuples(st.integers(0, 16383), st.integers(0, 16383)).map(sorted)


@given(words, steps(), st.integers(0, 1), st.integers(0, 1))
@example(0xFFFFF3FF, [0, 0], 1, 1)
def test_a_word_holds_the_range_it_is_given(word, limits, has_stencil, zmax_is_base):
    changed = htile.with_range(np.uint32(word), *limits, has_stencil, zmax_is_base)
    low, high = htile.range_z14(changed, has_stencil, zmax_is_base)
    assert low <= limits[0] <= limits[1] <= high
    if not has_stencil or limits[1] - limits[0] < 16:
        assert (low, high) == tuple(limits)
    else:
        assert high == limits[1] if zmax_is_base else low == limits[0]
    kept = 0xFFF if has_stencil else 0xF
    assert int(changed) & kept == word & kept


@given(words, steps(), st.integers(0, 1), st.integers(0, 1))
def test_widening_never_narrows(word, limits, has_stencil, zmax_is_base):
    before = htile.range_z14(np.uint32(word), has_stencil, zmax_is_base)
    changed = htile.widen(np.uint32(word), *limits, has_stencil, zmax_is_base)
    low, high = htile.range_z14(changed, has_stencil, zmax_is_base)
    if before[0] <= before[1]:
        assert low <= min(before[0], limits[0])
        assert high >= max(before[1], limits[1])
    assert htile.zmask(changed) == word & 15
    assert htile.widen(changed, *limits, has_stencil, zmax_is_base) == changed


@given(st.lists(any_floats.filter(lambda z: not math.isnan(z)), min_size=1, max_size=5), st.integers(0, 1),
       st.integers(0, 1))
@example([1.5], 0, 1)
@example([-2.0], 1, 0)
def test_bounds_hold_every_depth_that_went_in(values, has_stencil, zmax_is_base):
    values = [np.float32(value) for value in values]
    word = htile.with_range(np.uint32(0xF), htile.z14_below(values[0]), htile.z14_above(values[0]), has_stencil,
                            zmax_is_base)
    for value in values[1:]:
        word = htile.widen(word, htile.z14_below(value), htile.z14_above(value), has_stencil, zmax_is_base)
    low, high = htile.depth_bounds(word, has_stencil, zmax_is_base)
    assert isinstance(low, float | np.float32)
    assert low <= min(values)
    assert max(values) <= high


@given(depths, st.integers(0, 1))
def test_bounds_hold_a_rounded_clear(depth, has_stencil):
    low, high = htile.depth_bounds(htile.clear_bits(np.float32(depth), has_stencil, 0), has_stencil, 1)
    assert low <= depth <= high
    assert low == -math.inf or high == math.inf or high - low < 2.001 / 16383


@pytest.mark.jit_off
def test_bounds_worked_out_by_hand():
    low, high = htile.depth_bounds(np.uint32(0x80020000), 0, 1)
    assert (np.float32(low), np.float32(high)) == (np.float32(8191 / 16383), np.float32(8193 / 16383))
    assert htile.depth_bounds(np.uint32(0xFFFC000F), 0, 1) == (-math.inf, math.inf)
    word = htile.widen(np.uint32(0x80020000), 8190, 8200, 0, 1)
    assert int(word) == 8190 << 4 | 8200 << 18
    assert int(htile.with_zmask(word, 15)) == int(word) | 15
    assert int(htile.with_smem(np.uint32(0xF0), 3)) == 0x3F0
    assert int(htile.with_smem(np.uint32(0xFFFFFFFF), 0)) == 0xFFFFFCFF
    assert [int(htile.delta_code(d)) for d in (0, 15, 16, 16383)] == [0, 15, 63, 63]


@pytest.mark.jit_off
def test_a_texture_read_of_a_cleared_tile_is_contested():
    word = metadata.clear_word(0.5)
    assert htile.cleared_read(np.uint32(word), np.float32(0.5), 0) == np.float32(0.5)
    assert htile.cleared_read(np.uint32(word), np.float32(0.5), 1) == np.float32(8192 / 16383)
    for depth in (0.0, 1.0):  # drivers clear to these only, where both agree
        for stencil in (False, True):
            word = np.uint32(metadata.clear_word(depth, stencil))
            assert htile.cleared_read(word, np.float32(depth), 0) == htile.cleared_read(word, np.float32(depth), 1)


COMPARE = [lambda new, old: False, lambda new, old: new < old, lambda new, old: new == old,
           lambda new, old: new <= old, lambda new, old: new > old, lambda new, old: new != old,
           lambda new, old: new >= old, lambda new, old: True]
small = st.lists(st.integers(0, 4), min_size=1, max_size=3)


@given(st.integers(0, 7), small, small)
def test_the_range_test_never_disagrees_with_the_samples(function, new, old):
    decision = range_test(function, np.float32(min(new)), np.float32(max(new)), np.float32(min(old)),
                          np.float32(max(old)))
    outcomes = {COMPARE[function](n, o) for n in new for o in old}
    assert decision == UNDECIDED or outcomes == {decision == ALL_PASS}


@pytest.mark.parametrize("function", range(8))
@pytest.mark.jit_off
def test_the_range_test_decides_all_it_can(function):
    for new_low in range(4):
        for new_high in range(new_low, 4):
            for old_low in range(4):
                for old_high in range(old_low, 4):
                    outcomes = {COMPARE[function](n / 2, o / 2) for n in range(2 * new_low, 2 * new_high + 1)
                                for o in range(2 * old_low, 2 * old_high + 1)}
                    expected = UNDECIDED if len(outcomes) == 2 else ALL_PASS if True in outcomes else ALL_FAIL
                    found = range_test(function, np.float32(new_low), np.float32(new_high), np.float32(old_low),
                                       np.float32(old_high))
                    assert found == expected, (function, new_low, new_high, old_low, old_high)


def test_nan_decides_nothing():
    for function in range(1, 7):
        assert range_test(function, np.float32(np.nan), np.float32(np.nan), np.float32(0), np.float32(1)) == UNDECIDED


def test_bad_words_and_depths_raise():
    for depth in (-0.5, 1.5, math.nan, [0.5, 2]):
        with pytest.raises(InputError, match=r"value in \[0, 1\]"):
            metadata.clear_word(depth)
    for word in (-1, 1 << 32, [0, -5]):
        with pytest.raises(InputError, match="outside"):
            metadata.HtileWord.decode(word)
    with pytest.raises(InputError, match="expected 32-bit words, got float64"):
        metadata.HtileWord.decode(1.0)
    with pytest.raises(AttributeError, match=r"no field 'zmin'; fields: zmask, sr0"):
        _ = metadata.HtileWord.decode(0, stencil=True).zmin
    with pytest.raises(InputError, match="no HTILE field 'smem'"):
        metadata.HtileWord.decode(0, stencil=False).replace(smem=1)
    with pytest.raises(InputError, match="zmask: 0x10 does not fit in 4 bits"):
        metadata.HtileWord.from_fields(zmask=16)
    with pytest.raises(InputError, match="zrange_precision: 2"):
        metadata.HtileWord.decode(0).range(2)
    with pytest.raises(DecodeError, match="VRS_HTILE_ENCODING = 3"):
        metadata.clear_word(0, True, vrs_encoding=3)


def test_word_prints_its_fields():
    word = metadata.HtileWord.decode(0xFFFC000F, stencil=False)
    assert repr(word) == "<HTILE 0xfffc000f zmask=0xf zmin=0x0 zmax=0x3fff>"
    assert metadata.HtileWord.decode(1) != metadata.HtileWord.decode(1, stencil=False)
    assert len({metadata.HtileWord.decode(1), metadata.HtileWord.decode(1)}) == 1
