"""Traces: the taps they list make up the result."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from texture_exact import to_float32, unorm
from texture_scene import BORDER, CLAMP, make_image

from refgpu.base import claims
from refgpu.texture.sample_trace import trace
from refgpu.texture.samplers import Sampler


@given(st.floats(-0.5, 1.5, width=32), st.floats(-0.5, 1.5, width=32), st.floats(0, 1.25, width=32))
def test_taps_make_up_the_result(u, v, lod):
    levels = [np.arange(16).reshape(1, 4, 4) * 16, np.arange(4).reshape(1, 2, 2) * 60]
    image = make_image(levels, 1, swizzle=27)
    sampler = Sampler.from_fields(CLAMP_X=BORDER, CLAMP_Y=CLAMP, XY_MAG_FILTER=1, XY_MIN_FILTER=1, MIP_FILTER=2,
                                  BORDER_COLOR_TYPE=2)
    found = trace(image, sampler, [u, v], lod=lod)
    assert sum(tap.weight for tap in found.taps) == 1 << 32
    total = Fraction(0)
    for tap in found.taps:
        code = Fraction(1) if tap.border else unorm(tap.words[0], 8)
        if not tap.border:
            assert tap.words[0] == levels[tap.level][0, tap.y, tap.x]
            assert tap.value[0] == to_float32(code)
        total += code * Fraction(tap.weight, 1 << 32)
    assert found.result[0] == to_float32(total)
    assert all(claims.get(name) for name in found.claims)
    assert ("TEX-BORDER-TYPES" in found.claims) == any(tap.border for tap in found.taps)


def test_trace_of_the_measured_weight():
    image = make_image([np.array([[[0, 0, 255, 0]]])], 1, DST_SEL_Y=4)
    sampler = Sampler.from_fields(CLAMP_X=CLAMP, CLAMP_Y=CLAMP, XY_MAG_FILTER=1, FORCE_UNNORMALIZED=1)
    found = trace(image, sampler, [3.0029296875, 0.5])
    assert [(tap.x, tap.weight * 256 >> 32, tap.words) for tap in found.taps] == [(2, 127, (255,)), (3, 129, (0,))]
    assert found.result[:2].tolist() == [0.49609375] * 2
    assert found.dst_sel == (4, 4, 6, 7)
    assert found.levels == ((0, 256),)
