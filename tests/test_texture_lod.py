"""Levels of detail: measured weights, clamps, biases, gradients."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texture_scene import CLAMP, make_image

from refgpu import InputError
from refgpu.base.claims import Variant
from refgpu.texture.samplers import Sampler
from refgpu.texture.sampling import get_lod, sample

NONE, POINT, LINEAR = range(3)


def smp(mip=LINEAR, **fields):
    default = {"CLAMP_X": CLAMP, "CLAMP_Y": CLAMP, "MIP_FILTER": mip}
    return Sampler.from_fields(**(default | fields))


def ramp(count=4, **fields):
    """Level k is the constant k."""
    side = 1 << (count - 1)
    return make_image([np.full((1, side >> k, side >> k), k, np.float32) for k in range(count)], **fields)


def level(image, sampler, lod=None, **options):
    lods = None if lod is None else np.atleast_1d(np.asarray(lod, np.float32))
    count = 1 if lods is None else lods.size
    return sample(image, sampler, np.full((count, 2), 0.5, np.float32), lod=lods, **options)[:, 0].tolist()


@pytest.mark.jit_off
def test_lod_weights():
    # measured.md 6.9, cases.md B43; ties to even on the 1/256 grid
    assert level(ramp(2), smp(), [0.49, 0.5, 1.5 / 256, 2.5 / 256, 3.5 / 256]) == [
        125 / 256, 0.5, 2 / 256, 2 / 256, 4 / 256]
    assert level(ramp(2), smp(), [np.nan, np.inf, -np.inf]) == [0, 1, 0]


@given(st.floats(-2, 6, width=32))
def test_trilinear_follows_the_grid(lod):
    expected = min(max(round(lod * 256) / 256, 0), 3)
    assert level(ramp(), smp(), lod) == [expected]


@pytest.mark.jit_off
def test_mip_point():
    # measured.md 6.9: the upper level at exactly .5; cases.md B44
    for mip in (POINT, 3):
        assert level(ramp(), smp(mip), [0.49, 0.5, 1.49, 1.5, 9]) == [0, 1, 1, 2, 3]
    sampler = Sampler.from_words([CLAMP | CLAMP << 3, 0xFFF << 12, 0x04000000, 0])
    assert level(ramp(2), sampler, 0.5) == [1]
    sampler = Sampler.from_words([CLAMP | CLAMP << 3, 0xFFF << 12, 0x01000000, 0])
    assert level(ramp(2), sampler, 0.5) == [0]


@pytest.mark.jit_off
def test_mip_none():
    assert level(ramp(), smp(NONE, MIN_LOD=0x200), [0, 2.75]) == [0, 0]
    clamped = Variant({"TEX-MIP-NONE": "clamped"})
    assert level(ramp(), smp(NONE, MIN_LOD=0x200), [0, 2.75], variant=clamped) == [2, 2]


@pytest.mark.jit_off
def test_lod_clamps():
    # cases.md B48: MIN_LOD u4.8, 0x180 is 1.5
    assert level(ramp(), smp(MIN_LOD=0x180), [0, 2]) == [1.5, 2]
    assert level(ramp(), smp(MAX_LOD=0x180), [0, 2]) == [0, 1.5]
    crossed = smp(MIN_LOD=0x200, MAX_LOD=0x100)
    assert level(ramp(), crossed, 0) == [1]
    assert level(ramp(), crossed, 0, variant=Variant({"TEX-LOD-CLAMP-ORDER": "min_wins"})) == [2]
    assert level(ramp(), smp(), 15.99) == [3]


@pytest.mark.jit_off
def test_resource_min_lod():
    # cases.md B58
    view = {"BASE_LEVEL": 1, "LAST_LEVEL": 3}
    for min_lod, expected in ((0x180, 1.5), (0x100, 1), (0x0C0, 1), (0xFFF, 3)):
        assert level(ramp(MIN_LOD=min_lod, **view), smp(), 0) == [expected]
    assert level(ramp(MIN_LOD=1), smp(), 0) == [1 / 256]


@pytest.mark.jit_off
def test_biases():
    # cases.md B48: LOD_BIAS 0x3F80 is -0.5
    bias = Sampler.from_words([CLAMP | CLAMP << 3, 0xFFF << 12, 2 << 26 | 0x3F80, 0])
    assert level(ramp(), bias, 2) == [1.5]
    assert level(ramp(), smp(LOD_BIAS=0x180)) == [1.5]
    assert level(ramp(), smp(), 1, bias=0.25) == [1.25]
    # 0.75/512 twice: the sum rounds to 1/256, each term alone to 0
    tiny = np.float32(0.75 / 512)
    assert level(ramp(), smp(), tiny, bias=tiny) == [1 / 256]
    assert level(ramp(), smp(), tiny, bias=tiny, variant=Variant({"TEX-LOD-SUM": "each"})) == [0]


def test_levels_stay_inside_the_view():
    image = ramp(BASE_LEVEL=1, LAST_LEVEL=2)
    assert level(image, smp(), [-3, 0, 0.5, 7]) == [1, 1, 1.5, 2]


def test_mag_or_min():
    step = np.zeros((1, 4, 4), np.float32)
    step[0, :, 2:] = 1
    image = make_image([step, np.full((1, 2, 2), 5, np.float32)])
    sampler = smp(NONE, XY_MAG_FILTER=1, XY_MIN_FILTER=0)
    coords = [[0.5, 0.5]] * 3
    got = sample(image, sampler, coords, lod=[-1, 0, 1 / 256])[:, 0]
    assert got.tolist() == [0.5, 0.5, 1]
    assert sample(image, smp(NONE, XY_MAG_FILTER=1, MIN_LOD=1), coords[:1], lod=-1)[0, 0] == 1
    one_level = make_image([step])     # a one-level texture still minifies
    assert sample(one_level, sampler, coords[:1], lod=3)[0, 0] == 1


def test_gradients():
    image = ramp(4)      # 8x8
    across = [[0.5, 0.5]]
    for size, expected in ((1, 0), (2, 1), (4, 2), (2.0**1.5, 1.5), (0, 0), (64, 3)):
        got = sample(image, smp(), across, ddx=[[size / 8, 0]], ddy=[[0, 0]])[0, 0]
        assert got == expected, size
    longer = sample(image, smp(), across, ddx=[[1 / 8, 0]], ddy=[[3 / 8, 4 / 8]])[0, 0]
    assert longer == np.float32(round(math.log2(5) * 256) / 256)
    wild = sample(image, smp(), across * 2, ddx=[[np.nan, 0], [np.inf, 0]], ddy=[[0, 0], [0, 0]])[:, 0]
    assert wild.tolist() == [0, 3]
    biased = sample(image, smp(), across, ddx=[[1 / 8, 0]], ddy=[[0, 0]], bias=1.5)[0, 0]
    assert biased == 1.5
    with pytest.raises(InputError, match="go together"):
        sample(image, smp(), across, ddx=[[0, 0]])


def test_anisotropic_taps():
    """Ratio 4 with 4 taps: the LOD of the minor axis, taps along the major one."""
    image = ramp(4)
    sampler = smp(XY_MAG_FILTER=3, XY_MIN_FILTER=3, MAX_ANISO_RATIO=4)
    slopes = {"ddx": [[4 / 8, 0]], "ddy": [[0, 1 / 8]]}
    assert sample(image, sampler, [[0.5, 0.5]], **slopes)[0, 0] == 0
    two = smp(XY_MAG_FILTER=3, XY_MIN_FILTER=3, MAX_ANISO_RATIO=1)
    assert sample(image, two, [[0.5, 0.5]], **slopes)[0, 0] == 1
    row = make_image([np.arange(8, dtype=np.float32)[None, None]])
    got = sample(row, sampler, [[0.5, 0.5]], ddx=[[4 / 8, 0]], ddy=[[0, 1]])[0, 0]
    assert got == 3.5       # the mean of the ramp around its middle
    edge = sample(row, smp(XY_MAG_FILTER=2, XY_MIN_FILTER=2, MAX_ANISO_RATIO=4), [[0.125, 0.5]],
                  ddx=[[4 / 8, 0]], ddy=[[0, 1]])[0, 0]
    assert edge == (0 + 0 + 1 + 2) / 4    # taps at texels -0.5, 0.5, 1.5, 2.5
    single = smp(XY_MIN_FILTER=3, MAX_ANISO_RATIO=4, ANISO_OVERRIDE=1)
    assert sample(row, single, [[0.125, 0.5]], ddx=[[4 / 8, 0]], ddy=[[0, 1]])[0, 0] == 0.5


def test_get_lod():
    image = ramp(4)
    slopes = {"ddx": [[2.0**1.5 / 8, 0], [1000, 0]], "ddy": [[0, 0], [0, 0]]}
    assert get_lod(image, smp(), **slopes)[0].tolist() == [1.5, 1.5]
    assert get_lod(image, smp(), **slopes)[1, 0] == 3
    assert get_lod(image, smp(POINT), **slopes)[0].tolist() == [2, 1.5]
    assert get_lod(image, smp(NONE), **slopes)[0].tolist() == [0, 1.5]
    assert get_lod(image, smp(LOD_BIAS=0x100, MAX_LOD=0x200), **slopes)[0].tolist() == [2, 2.5]


def test_trilinear_is_one_mean():
    """Both levels bilinear, off the grid, one rounding."""
    from fractions import Fraction

    from texture_exact import to_float32, unorm
    from texture_scene import rational_axis
    a, b = np.array([[[10, 200], [77, 3]]]), np.array([[[91]]])
    image = make_image([a, b], 1)
    u, v, lod = np.float32(0.4321), np.float32(0.6789), np.float32(0.3141)
    got = sample(image, smp(XY_MAG_FILTER=1, XY_MIN_FILTER=1), [[u, v]], lod=lod)[0, 0]
    mean = Fraction(0)
    for x, wx in rational_axis(u, 2, CLAMP, True):
        for y, wy in rational_axis(v, 2, CLAMP, True):
            mean += wx * wy * unorm(int(a[0, y, x]), 8)
    mip = Fraction(round(float(lod) * 256), 256)
    assert got == to_float32(mean * (1 - mip) + mip * unorm(91, 8))
