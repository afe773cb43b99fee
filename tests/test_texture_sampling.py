"""Sampling against measured bits, hand-worked taps and a sampler over exact rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from texture_exact import small_float, snorm, to_float32, unorm
from texture_scene import (
    BASE,
    BORDER,
    CLAMP,
    HALF,
    MIRROR,
    MIRROR_BORDER,
    MIRROR_HALF,
    MIRROR_ONCE,
    WRAP,
    f32,
    make_image,
    rational_sample,
)

import refgpu
from refgpu import InputError, UnsupportedError
from refgpu.base.claims import Variant
from refgpu.texture.images import Image
from refgpu.texture.samplers import Sampler
from refgpu.texture.sampling import sample


def smp(linear=0, clamp=CLAMP, **fields):
    default = {"XY_MAG_FILTER": linear, "XY_MIN_FILTER": linear, "CLAMP_X": clamp, "CLAMP_Y": clamp, "CLAMP_Z": clamp}
    return Sampler.from_fields(**(default | fields))


def texels(values):
    """One-row float32 image."""
    return make_image([np.array(values, np.float32)[None, None]])


def at(image, sampler, x, y=0.5, **options):
    """X of samples at texel coordinates x of one row (sampler: unnormalized)."""
    x = np.atleast_1d(np.asarray(x, np.float32))
    return sample(image, sampler, np.stack([x, np.full(x.shape, y, np.float32)], axis=1), **options)[:, 0]


STEP = texels([0, 0, 1, 0, 0, 0, 0, 0])
TEXEL = {"FORCE_UNNORMALIZED": 1}


# --- measured -------------------------------------------------------------------------------------------------------

@pytest.mark.jit_off
def test_measured_weights():
    # measured.md 6.8, cases.md B43: texels [1, 0] at 2, 3
    sampler = smp(1, **TEXEL)
    assert at(STEP, sampler, 3.0029296875)[0] == np.float32(0.49609375)
    centre = 2.5
    for sixteenths, weight in ((1.5, 2), (2.5, 2), (3.5, 4), (0.5, 0), (255.5, 256)):
        got = at(STEP, sampler, centre + sixteenths / 256)[0]
        assert got == np.float32(1 - weight / 256), sixteenths


@pytest.mark.jit_off
def test_trunc_coord():
    # measured.md 6.12
    ramp = texels(np.arange(8))
    below = [3 - 2.0**-12, 3 - 2.0**-20, 3 - 2.0**-8]
    assert at(ramp, smp(**TEXEL), below).tolist() == [3, 3, 2]
    assert at(ramp, smp(TRUNC_COORD=1, **TEXEL), below).tolist() == [2, 2, 2]
    negative = smp(clamp=BORDER, TRUNC_COORD=1, BORDER_COLOR_TYPE=2, **TEXEL)
    tail = texels([5, 6])
    assert at(tail, negative, -(2.0**-12))[0] == 1
    assert at(tail, negative, -(2.0**-12), variant=Variant({"TEX-TRUNC-COORD": "toward_zero"}))[0] == 5


def volume():
    data = np.zeros((2, 2, 2), np.float32)
    data[1] = 10
    return make_image([data], kind="3d")


def test_z_filter():
    # measured.md 6.10, cases.md B45
    places = [[0.5, 0.5, w] for w in (0.25, 0.375, 0.5, 0.625)]
    point = smp(1, Z_FILTER=1)
    assert sample(volume(), point, places)[:, 0].tolist() == [0, 0, 10, 10]
    for filter_ in (0, 2):
        assert sample(volume(), smp(1, Z_FILTER=filter_), places)[:, 0].tolist() == [0, 2.5, 5, 7.5]
    assert sample(volume(), smp(0, Z_FILTER=0), places)[:, 0].tolist() == [0, 0, 10, 10]
    assert sample(volume(), smp(0, Z_FILTER=2), places)[:, 0].tolist() == [0, 2.5, 5, 7.5]
    for filter_ in (0, 1, 2):   # nothing on 2D
        assert at(STEP, smp(1, Z_FILTER=filter_, **TEXEL), 2.75)[0] == 0.75


@pytest.mark.jit_off
def test_border_goes_through_dst_sel():
    # measured.md 6.11, cases.md B46
    outside = [[-1.0, 0.5]]
    words = np.zeros((1, 1, 1), np.uint32)
    xyz1 = make_image([words], 56, DST_SEL_W=1)
    assert sample(xyz1, smp(0, BORDER), outside).tolist() == [[0, 0, 0, 1]]
    zero_x = make_image([words], 56, DST_SEL_X=0)
    assert sample(zero_x, smp(0, BORDER, BORDER_COLOR_TYPE=2), outside).tolist() == [[0, 1, 1, 1]]
    swapped = make_image([words], 56, DST_SEL_X=6, DST_SEL_Z=4)
    red = np.array([[1, 0, 0, 1]], np.float32)
    table = smp(0, BORDER, BORDER_COLOR_TYPE=3)
    assert sample(swapped, table, outside, border_table=red).tolist() == [[0, 0, 1, 1]]


# --- clamp modes ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("clamp", "expected"), [
    (WRAP, [1, 2, 3, 1, 2, 3, 1, 2, 3]), (MIRROR, [3, 2, 1, 1, 2, 3, 3, 2, 1]),
    (CLAMP, [1, 1, 1, 1, 2, 3, 3, 3, 3]), (MIRROR_ONCE, [3, 2, 1, 1, 2, 3, 3, 3, 3]),
    (HALF, [1, 1, 1, 1, 2, 3, 9, 9, 9]), (MIRROR_HALF, [3, 2, 1, 1, 2, 3, 9, 9, 9]),
    (BORDER, [9, 9, 9, 1, 2, 3, 9, 9, 9]), (MIRROR_BORDER, [3, 2, 1, 1, 2, 3, 9, 9, 9])])
def test_clamp_modes_by_hand(clamp, expected):
    image = texels([1, 2, 3])
    sampler = smp(0, clamp, BORDER_COLOR_TYPE=3)
    border = np.full((1, 4), 9, np.float32)
    x = np.arange(-3, 6) + np.float32(0.5)
    coords = np.stack([x / np.float32(3), np.full(9, 0.5)], axis=1)
    assert sample(image, sampler, coords, border_table=border)[:, 0].tolist() == expected


def test_mirror_once_half_border():
    image, border = texels([1, 2]), np.full((1, 4), 9, np.float32)
    sampler = smp(1, MIRROR_HALF, BORDER_COLOR_TYPE=3, **TEXEL)
    assert at(image, sampler, [0.0, -0.5, 2.0, 5.0], border_table=border).tolist() == [1, 1, 5.5, 5.5]
    other = Variant({"TEX-MIRROR-ONCE-HALF": "coordinate"})
    assert at(image, sampler, [0.0, -0.5], border_table=border, variant=other).tolist() == [5, 1]


def test_half_border_far_edge():
    image, border = texels([1, 2]), np.full((1, 4), 9, np.float32)
    sampler = smp(0, HALF, BORDER_COLOR_TYPE=3, **TEXEL)
    assert at(image, sampler, [-7.0, 0.0, 2.0, 7.0], border_table=border).tolist() == [1, 1, 9, 9]
    last = Variant({"TEX-HALF-BORDER-EDGE": "last_texel"})
    assert at(image, sampler, [2.0, 7.0], border_table=border, variant=last).tolist() == [2, 2]
    bilinear = smp(1, HALF, BORDER_COLOR_TYPE=3, **TEXEL)
    assert at(image, bilinear, [-7.0, 0.0, 2.0, 7.0], border_table=border).tolist() == [5, 5, 5.5, 5.5]


def test_range_reduction():
    """Far from 0, u * n in float32 would lose the fraction that u itself still has."""
    image = texels(np.arange(3))
    far = np.float32(2.0**22 + 0.5)
    assert sample(image, smp(0, WRAP), [[far, 0.5]])[0, 0] == 1
    ramp = make_image([np.arange(4096, dtype=np.float32)[None, None]])
    u = np.float32(1000 + 1 / 8192 * 7)
    reduced = sample(ramp, smp(0, WRAP), [[u, 0.5]])[0, 0]
    plain = sample(ramp, smp(0, WRAP), [[u, 0.5]], variant=Variant({"TEX-RANGE-REDUCTION": "none"}))[0, 0]
    assert reduced == int(np.float32(u - 1000) * 4096)
    assert plain == int(np.float32(u * np.float32(4096)) % 4096)


class Row:
    """values(x, y) for `rational_sample`."""

    def __init__(self, table, offsets=None):
        self.table = table
        self.sizes = table.shape[::-1]
        self.offsets = offsets or [0] * table.ndim

    def __call__(self, *place):
        return self.table[place[::-1]]


UNIT = st.floats(-2.5, 3.5, width=32)
COORD = UNIT | st.integers(-4096, 8192).map(lambda k: k / 4096) | st.integers(-600, 1400).map(lambda k: k / 640)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 7), st.integers(0, 7), st.booleans(), st.booleans(),
       st.lists(st.tuples(COORD, COORD), min_size=1, max_size=8), st.tuples(st.integers(-4, 4), st.integers(-4, 4)),
       st.integers(0, 1000))
@example(5, 1, 0, 0, True, False, [(0.3333333, 0.5)], (0, 0), 1)
def test_against_the_rational_sampler(width, height, clamp_x, clamp_y, linear, trunc, coords, offset, seed):
    codes = np.random.default_rng(seed).integers(0, 256, (1, height, width))
    image = make_image([codes], 1)
    sampler = smp(int(linear), CLAMP_X=clamp_x, CLAMP_Y=clamp_y, TRUNC_COORD=int(trunc), BORDER_COLOR_TYPE=3)
    border = np.full((1, 4), 0.7, np.float32)
    got = sample(image, sampler, np.array(coords, np.float32), offset=offset, border_table=border)[:, 0]
    table = np.array([[unorm(int(c), 8) for c in line] for line in codes[0]], object)
    values = Row(table, list(offset))
    for point, value in zip(coords, got, strict=True):
        expected = rational_sample(values, point, (clamp_x, clamp_y), (linear, linear), f32(0.7), trunc=trunc)
        assert value == expected, point


CASES_3D = st.lists(st.tuples(UNIT, UNIT, UNIT), min_size=1, max_size=4)


@given(st.integers(0, 7), st.booleans(), st.integers(0, 2), CASES_3D, st.integers(0, 99))
def test_volumes_against_the_rational_sampler(clamp, linear, z_filter, coords, seed):
    codes = np.random.default_rng(seed).integers(0, 1 << 16, (3, 2, 4))
    image = make_image([codes], 8, kind="3d")
    sampler = smp(int(linear), clamp, Z_FILTER=z_filter, BORDER_COLOR_TYPE=2)
    got = sample(image, sampler, np.array(coords, np.float32))[:, 0]
    table = np.array([[[snorm(int(c), 16) for c in row] for row in plane] for plane in codes], object)
    linear_z = linear if z_filter == 0 else z_filter == 2
    for point, value in zip(coords, got, strict=True):
        expected = rational_sample(Row(table), point, [clamp] * 3, (linear, linear, linear_z), Fraction(1))
        assert value == expected, point


@given(st.lists(st.integers(0, 0x3BF), min_size=4, max_size=4), st.integers(0, 1024), st.integers(0, 1024))
def test_bilinear_is_the_exact_mean(codes, x, y):
    """float10 blue of format 36 (10_11_11): converted formats take the same path."""
    image = make_image([(np.array(codes, np.uint32) << 22).reshape(1, 2, 2)], 36)
    got = sample(image, smp(1), np.array([[x / 1024, y / 1024]], np.float32))[0, 2]
    table = np.array([[small_float(c, 5) for c in codes[:2]], [small_float(c, 5) for c in codes[2:]]], object)
    assert got == rational_sample(Row(table), (x / 1024, y / 1024), [CLAMP] * 2, (True, True), Fraction(0))


# --- laws -----------------------------------------------------------------------------------------------------------

@given(st.integers(0, 255), st.tuples(COORD, COORD), st.integers(0, 3))
def test_constant_textures_stay_constant(code, point, clamp):
    image = make_image([np.full((1, 3, 5), code)], 1)
    got = sample(image, smp(1, clamp), np.array([point], np.float32))[0, 0]
    assert got == to_float32(unorm(code, 8))


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=6, max_size=6), st.tuples(COORD, COORD))
def test_results_stay_in_range(values, point):
    image = make_image([np.array(values, np.float32).reshape(1, 2, 3)])
    got = sample(image, smp(1), np.array([point], np.float32))[0, 0]
    assert np.isnan(got) or min(values) <= got <= max(values)


@pytest.mark.jit_off
def test_zero_weight_taps_are_skipped():
    image = texels([1, np.nan, np.inf, 2])
    assert at(image, smp(1, **TEXEL), [0.5, 3.5, 2.5]).tolist() == [1, 2, np.inf]
    assert np.isnan(at(image, smp(1, **TEXEL), 1.0)[0])


@pytest.mark.jit_off
def test_point_samples_keep_all_bits():
    words = np.array([0x80000000, 1, 0x7FC12345, 0x7F812345], np.uint32)
    image = make_image([words[None, None]])
    got = at(image, smp(0, **TEXEL), [0.5, 1.5, 2.5, 3.5])
    assert (got.view(np.uint32) == words).all()


def test_texel_centres_return_texels():
    codes = np.arange(256).reshape(1, 16, 16)
    image = make_image([codes], 1)
    y, x = np.mgrid[:16, :16]
    coords = np.stack([(x.ravel() + 0.5) / 16, (y.ravel() + 0.5) / 16], axis=1)
    for linear in (0, 1):
        got = sample(image, smp(linear), coords)[:, 0]
        assert (got == np.array([to_float32(unorm(c, 8)) for c in range(256)])).all()


# --- layers, offsets, swizzles, formats -----------------------------------------------------------------------------

@pytest.mark.jit_off
def test_layers():
    data = np.arange(4, dtype=np.float32).reshape(4, 1, 1)
    image = make_image([data], kind="2da", BASE_ARRAY=1)
    layers = [0.0, 0.5, 1.5, 0.51, -3.0, 9.0, np.nan]
    got = sample(image, smp(0), [[0.5, 0.5, layer] for layer in layers])[:, 0]
    assert got.tolist() == [1, 1, 3, 2, 1, 3, 1]       # nearest even of the layer, from BASE_ARRAY on
    line = make_image([data], kind="1da")
    assert sample(line, smp(0), [[0.5, 1.0], [0.5, 2.0]])[:, 0].tolist() == [1, 2]   # cases.md B57


@pytest.mark.jit_off
def test_offsets():
    ramp = texels(np.arange(8))
    assert at(ramp, smp(0, **TEXEL), 3.5, offset=(2, 0))[0] == 5
    assert at(ramp, smp(0, WRAP, **TEXEL), 0.5, offset=(-1, 0))[0] == 7
    assert at(ramp, smp(1, **TEXEL), 3.0, offset=(-1, 0))[0] == 1.5
    both = at(ramp, smp(0, **TEXEL), [1.5, 1.5], offset=[[1, 0], [3, 0]])
    assert both.tolist() == [2, 4]
    with pytest.raises(InputError, match=r"-32\.\.31"):
        at(ramp, smp(0, **TEXEL), 0.5, offset=(32, 0))


def test_bc_swizzle_undoes_the_view():
    """The drivers' rule of texture.md 8: BC_SWIZZLE is chosen so that DST_SEL gives RGBA back."""
    rgba = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)
    # WXYZ: X of the texel is alpha, so the view picks R from Y, G from Z, B from W and A from X
    views = {0: (4, 5, 6, 7), 1: (4, 6, 7, 5), 2: (7, 6, 5, 4), 3: (5, 6, 7, 4), 4: (6, 5, 4, 7), 5: (5, 4, 7, 6)}
    for swizzle, view in views.items():
        image = make_image([np.zeros((1, 1, 1), np.uint32)], 56, BC_SWIZZLE=swizzle,
                           **{f"DST_SEL_{c}": s for c, s in zip("XYZW", view, strict=True)})
        got = sample(image, smp(0, BORDER, BORDER_COLOR_TYPE=3), [[-1.0, 0.5]], border_table=rgba)
        assert got[0].tolist() == rgba[0].tolist(), swizzle


@pytest.mark.jit_off
def test_border_table():
    # cases.md B49: entry 2 at A + 32
    memory = refgpu.Memory()
    memory.map(0x5000, np.array([[0] * 4, [0] * 4, [0.25, 0.5, 0.75, 1]], np.float32))
    image = make_image([np.zeros((1, 1, 1), np.uint32)], 56, memory=memory)
    sampler = Sampler.from_words([6 | 6 << 3, 0xFFF << 12, 0, 0xC0000002])
    assert sample(image, sampler, [[2.0, 0.5]], border_table=0x5000).tolist() == [[0.25, 0.5, 0.75, 1]]
    with pytest.raises(InputError, match="BORDER_COLOR_PTR = 2"):
        sample(image, sampler, [[2.0, 0.5]])
    with pytest.raises(InputError, match="BORDER_COLOR_PTR = 2"):
        sample(image, sampler, [[2.0, 0.5]], border_table=np.zeros((2, 4), np.float32))
    integers = make_image([np.zeros((1, 1, 1), np.uint32)], 60, memory=memory, BASE=0x1000)
    assert sample(integers, smp(0, BORDER, BORDER_COLOR_TYPE=2), [[2.0, 0.5]]).tolist() == [[1, 1, 1, 1]]


def test_border_component_that_the_format_lacks():
    image = texels([1])
    white = smp(0, BORDER, BORDER_COLOR_TYPE=2)
    assert sample(image, white, [[-1.0, 0.5], [0.5, 0.5]]).tolist() == [[1, 1, 1, 1], [1, 0, 0, 1]]


@pytest.mark.jit_off
def test_integer_formats_are_point_sampled():
    image = make_image([np.array([[[5, 0xFFFFFFFB]]], np.uint32)], 21)
    got = sample(image, smp(1, MIP_FILTER=2), [[0.45, 0.5], [0.55, 0.5]], lod=0.5)
    assert got.dtype == np.int32
    assert got.tolist() == [[5, 0, 0, 1], [-5, 0, 0, 1]]


def test_min_max_reduction():
    image = make_image([np.array([[[1, 5], [3, 2]]], np.float32)])
    centre = [[0.5, 0.5]]
    assert sample(image, smp(1, FILTER_MODE=1), centre)[0, 0] == 1
    assert sample(image, smp(1, FILTER_MODE=2), centre)[0, 0] == 5
    # measured.md 6.13: within 1/512 texel of a centre the other texels have no weight
    near = np.array([[(0.5 + 1 / 1024) / 2, 0.25], [(0.5 + 3 / 1024) / 2, 0.25]], np.float32)
    assert sample(image, smp(1, FILTER_MODE=2), near)[:, 0].tolist() == [1, 5]


def test_null_and_empty_images():
    null = Image.from_words([0] * 8, refgpu.Memory())
    assert sample(null, smp(), [[0.5, 0.5]]).tolist() == [[0] * 4]     # cases.md B60
    empty = make_image([np.ones((1, 2, 2), np.float32)], BASE_LEVEL=2)
    assert not sample(empty, smp(), [[0.5, 0.5]]).any()


def test_force_degamma():
    # cases.md B61
    image = make_image([np.array([[[188 * 0x01010101]]], np.uint32)], 56)
    got = sample(image, smp(0, FORCE_DEGAMMA=1), [[0.5, 0.5]])[0]
    assert got.view(np.uint32)[:3].tolist() == [0x3F010000] * 3
    assert got[3] == to_float32(unorm(188, 8))
    srgb = make_image([np.array([[[188 * 0x01010101]]], np.uint32)], 130)
    assert sample(srgb, smp(0, SKIP_DEGAMMA=1), [[0.5, 0.5]])[0, 0] == to_float32(unorm(188, 8))
    assert sample(srgb, smp(0), [[0.5, 0.5]])[0, 0] == np.float32(0.50390625)
    with pytest.raises(UnsupportedError, match="FORCE_DEGAMMA"):
        sample(make_image([np.zeros((1, 1, 1), np.uint32)], 50), smp(0, FORCE_DEGAMMA=1), [[0.5, 0.5]])


# --- comparison -----------------------------------------------------------------------------------------------------

@pytest.mark.jit_off
def test_compare_functions():
    image = texels([0.5])
    point = [[0.5, 0.5]] * 3
    expected = {0: [0, 0, 0], 1: [1, 0, 0], 2: [0, 1, 0], 3: [1, 1, 0], 4: [0, 0, 1], 5: [1, 0, 1], 6: [0, 1, 1],
                7: [1, 1, 1]}
    for func, want in expected.items():
        got = sample(image, smp(0, DEPTH_COMPARE_FUNC=func), point, compare=[0.25, 0.5, 0.75])
        assert got[:, 0].tolist() == want
        assert got[0, 1:].tolist() == [0, 0, 1]
    # cases.md B50: without _C the function means nothing
    assert sample(texels([0.15]), smp(0, DEPTH_COMPARE_FUNC=7), [[0.5, 0.5]])[0, 0] == np.float32(0.15)
    through = Variant({"TEX-COMPARE-NEVER": "texel"})
    assert sample(image, smp(0), point[:1], compare=0.1, variant=through)[0, 0] == 0.5


def test_pcf_by_address_mode():
    # cases.md B52: row depth [0.2, 0.8], u = 0, reference 0.5 GREATER
    image = texels([0.2, 0.8])
    expected = {CLAMP: 1.0, WRAP: 0.5, MIRROR: 1.0, BORDER: 0.5}
    for clamp, want in expected.items():
        sampler = smp(1, clamp, DEPTH_COMPARE_FUNC=4, BORDER_COLOR_TYPE=2, CLAMP_Y=CLAMP)
        assert sample(image, sampler, [[0.0, 0.5]], compare=0.5)[0, 0] == want


# --- memory ---------------------------------------------------------------------------------------------------------

def test_working_copies_follow_writes():
    memory = refgpu.Memory()
    image = make_image([np.ones((1, 4, 4), np.float32)], memory=memory)
    assert sample(image, smp(), [[0.1, 0.1]])[0, 0] == 1
    memory.write(BASE, np.full(4, 7, np.float32))
    assert sample(image, smp(), [[0.1, 0.1]])[0, 0] == 7


def test_pipe_bank_xor_in_the_base():
    from refgpu.texture.surface import surface_layout
    layout = surface_layout(27, 32, 64, 64, pipe_bank_xor=0x83)
    pattern = np.arange(64 * 64, dtype=np.uint32).reshape(1, 64, 64)
    memory = refgpu.Memory()
    memory.map(BASE, layout.tile(pattern))
    image = Image.from_fields(memory, BASE_ADDRESS=(BASE >> 8) | 0x83, FORMAT=20, TYPE=9, WIDTH=63, HEIGHT=63,
                              SW_MODE=27)
    got = sample(image, smp(), [[(x + 0.5) / 64, (y + 0.5) / 64] for x, y in ((0, 0), (5, 9), (63, 63))])[:, 0]
    assert got.tolist() == [0, 5 + 9 * 64, 64 * 64 - 1]


def test_image_outside_memory():
    image = Image.from_fields(refgpu.Memory(), BASE_ADDRESS=0x1234, FORMAT=56, TYPE=9, WIDTH=7, HEIGHT=7)
    with pytest.raises(InputError, match=r"T# at 0x123400, 8x8 8_8_8_8_UNORM"):
        sample(image, smp(), [[0.5, 0.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3e38, -3e38])
@pytest.mark.parametrize("clamp", range(8))
def test_wild_coordinates(bad, clamp):
    image = make_image([np.ones((1, 4, 4), np.float32)])
    got = sample(image, smp(1, clamp, BORDER_COLOR_TYPE=2), [[bad, bad], [0.5, bad]], lod=[0, bad])
    assert (got[:, 0] == 1).all()
    cube = make_image([np.ones((6, 4, 4), np.float32)], kind="cube")
    for wrap in (0, 1):
        got = sample(cube, smp(1, CLAMP, DISABLE_CUBE_WRAP=wrap), [[bad, bad, bad], [1.5, bad, 3]], offset=(-31, 31))
        assert (got[:, 0] == 1).all()


def test_bad_arguments():
    image = texels([1, 2])
    with pytest.raises(InputError, match=r"coords: expected shape \[n, 2\]"):
        sample(image, smp(), [[0.5]])
    with pytest.raises(InputError, match="not both"):
        sample(image, smp(), [[0.5, 0.5]], lod=0, ddx=[[0, 0]], ddy=[[0, 0]])
    with pytest.raises(UnsupportedError, match="COMPRESSION_EN"):
        sample(make_image([np.ones((1, 1, 1), np.float32)], COMPRESSION_EN=1), smp(), [[0.5, 0.5]])
    with pytest.raises(InputError, match="MSAA"):
        sample(Image.from_fields(None, FORMAT=56, TYPE=14), smp(), [[0.5, 0.5]])


@given(st.integers(0, 7), st.booleans(), st.booleans(), st.sampled_from(["2d", "3d", "2da", "1d"]), st.booleans(),
       st.sampled_from([22, 1, 130, 36, 60]), st.integers(0, 999))
def test_staged_blocks_equal_single_samples(clamp, linear, normalized, kind, per_sample, format_, seed):
    """`filter_fast` gives the bits of `filtering`, whatever the shape, filter, format, offset and level."""
    from refgpu.texture import filter_fast, filtering
    from refgpu.texture.sampling import _offsets, bind, choose_levels
    rng = np.random.default_rng(seed)
    shape = {"2d": (1, 4, 5), "3d": (3, 4, 5), "2da": (3, 4, 5), "1d": (1, 1, 5)}[kind]
    levels = [rng.integers(0, 1 << 30, shape, np.uint32),
              rng.integers(0, 1 << 30, (max(1, shape[0] >> (kind == "3d")), max(1, shape[1] >> 1), 2), np.uint32)]
    image = make_image(levels, format_, kind)
    sampler = smp(int(linear), clamp, MIP_FILTER=2, BORDER_COLOR_TYPE=2, FORCE_UNNORMALIZED=int(not normalized))
    binding = bind(image, sampler)
    count = 300
    coords = rng.uniform(-2, 3, (count, binding.dims)).astype(np.float32) * np.float32(1 if normalized else 5)
    lods = rng.uniform(-1, 2, count if per_sample else 1).astype(np.float32)
    choice, axes = choose_levels(binding, count, lods, None, None, None)
    offsets = _offsets(rng.integers(-4, 4, (count if per_sample else 1, binding.dims)), binding.dims, count)
    results = np.zeros((2, count, 4), np.float32)
    flat, copy = binding.copy.texels.reshape(-1), binding.copy
    filter_fast.blend_points(flat, copy.levels, binding.border, copy.divisors, binding.state, coords, offsets, choice,
                             results[0])
    filtering.sample_points(flat, copy.levels, binding.border, copy.divisors, binding.state, coords, offsets, choice,
                            np.zeros(1, np.float32), axes, results[1])
    assert (results[0].view(np.uint32) == results[1].view(np.uint32)).all()


def test_a_filtered_nan_has_no_payload():
    """FLOAT16 NaNs with payloads: blended they lose it, alone they keep it."""
    image = make_image([np.array([[[0x7E55, 0x7D01]]], np.uint32)], 13)
    blended = sample(image, smp(1), np.array([[0.5, 0.5]], np.float32))
    assert blended.view(np.uint32)[0, 0] == 0x7FC00000
    alone = sample(image, smp(0), np.array([[0.25, 0.5]], np.float32))
    assert alone.view(np.uint32)[0, 0] == 0x7FCAA000


@pytest.mark.parametrize("field", ["PERF_MIP", "PERF_Z", "MIP_POINT_PRECLAMP", "MC_COORD_TRUNC"])
def test_sampler_fields_without_a_rule_are_refused(field):
    with pytest.raises(UnsupportedError, match=rf"S#\.{field}"):
        sample(texels([0, 1]), smp(1, **{field: 1}), np.array([[0.5, 0.5]], np.float32))
