"""Counts that a console measured (facts: measured.md 2.3, VPS5 examples), through the whole machine."""

import numpy as np
import pytest
from scene import ALWAYS, LESS, Scene

from refgpu import shaders

FIRST = [(-0.75, -0.75), (0.75, -0.75), (0, 0.75)]
LEFT = [(-0.90, -0.75), (0.10, -0.75), (-0.40, 0.75)]
RIGHT = [(0.10, -0.75), (0.90, -0.75), (0.50, 0.75)]


@pytest.mark.parametrize(("triangles", "pixels"), [(FIRST, 18432), (LEFT, 12288), (RIGHT, 9830)])
def test_covered_pixels(triangles, pixels):
    scene = Scene()
    scene.draw(triangles)
    assert scene.covered().sum() == pixels


def test_union_of_two_with_a_hidden_copy_and_stencil_replace():
    scene = Scene(z_format=3, stencil=True)
    scene.clear_depth(1.0)
    scene.depth_state(LESS)
    scene.registers.set_fields("DB_DEPTH_CONTROL", STENCIL_ENABLE=1, STENCILFUNC=ALWAYS)
    scene.registers["DB_STENCIL_CONTROL"] = 3 << 4  # ZPASS: REPLACE_TEST
    scene.registers["DB_STENCILREFMASK"] = 0x01FFFF5A
    z = 0.25
    scene.draw([(*p, z) for p in LEFT + RIGHT] + [(*p, 0.75) for p in LEFT])
    assert scene.covered().sum() == 22118
    assert (scene.gpu.stencil().read()[0] == 0x5A).sum() == 22118
    depth = scene.gpu.depth().read()[0]
    assert (depth == np.float32(0.25)).sum() == 22118


def clip_shader(buffer_rows, distances):
    """Positions and one distance per vertex out of the constants."""
    rows = np.array([[*p, d] for p, d in zip(buffer_rows, distances, strict=True)], np.float32)

    @shaders.vertex_function(distances=1)
    def run(inputs, outputs, constants, lanes):
        for lane in range(lanes):
            vertex = inputs[0, lane] % (constants.size // 3)
            outputs[0, lane] = constants[3 * vertex]
            outputs[1, lane] = constants[3 * vertex + 1]
            outputs[2, lane] = 0.0
            outputs[3, lane] = 1.0
            outputs[4, lane] = constants[3 * vertex + 2]

    return run.with_constants(rows)


def test_clip_distance_x():
    scene = Scene()
    scene.registers["PA_CL_VS_OUT_CNTL"] = 1 | 1 << 22
    scene.gpu.bind("vs", clip_shader(FIRST, [p[0] for p in FIRST]))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    scene.gpu.draw_auto(3)
    covered = scene.covered()
    assert covered.sum() == 9216
    assert not covered[:, :128].any()


def test_cull_distance():
    scene = Scene()
    left = [(-0.875, -0.375), (-0.125, -0.375), (-0.5, 0.375)]
    right = [(-x, y) for x, y in left]
    scene.registers["PA_CL_VS_OUT_CNTL"] = 1 << 8 | 1 << 22
    scene.gpu.bind("vs", clip_shader(left + right, [-1] * 3 + [1] * 3))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    scene.gpu.draw_auto(6)
    assert scene.covered().sum() == 4608


def test_two_half_width_viewports():
    scene = Scene()
    scene.viewport(0, 0, 128, 256, 0)
    scene.viewport(128, 0, 128, 256, 1)
    scene.registers["PA_CL_VS_OUT_CNTL"] = 1 << 19 | 1 << 21

    @shaders.vertex_function(misc=True)
    def run(inputs, outputs, constants, lanes):
        for lane in range(lanes):
            vertex = inputs[0, lane] % 3
            outputs[0, lane] = constants[2 * vertex]
            outputs[1, lane] = constants[2 * vertex + 1]
            outputs[2, lane] = 0.0
            outputs[3, lane] = 1.0
            outputs[6, lane] = constants[6 + min(inputs[0, lane] // 3, 1)]

    viewport_bits = np.array([0 << 16, 1 << 16], np.uint32).view(np.float32)
    scene.gpu.bind("vs", run.with_constants([*np.ravel(FIRST), *viewport_bits]))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    scene.gpu.draw_auto(6)
    covered = scene.covered()
    assert covered[:, :128].sum() == 9216
    assert covered[:, 128:].sum() == 9216


@pytest.mark.parametrize(("z", "triangle", "pixels", "word"), [(0.25, LEFT, 12288, 0x3EC00000),
                                                               (0.75, RIGHT, 9830, 0x3F600000)])
def test_bias_clamp_words(z, triangle, pixels, word):
    scene = Scene(z_format=3)
    scene.clear_depth(1.0)
    scene.depth_state(ALWAYS)
    r = scene.registers
    r["PA_SU_SC_MODE_CNTL"] = 0x01001A48
    r["PA_SU_POLY_OFFSET_DB_FMT_CNTL"] = 0x1E9
    r.set_float("PA_SU_POLY_OFFSET_CLAMP", 0.125)
    for face in ("FRONT", "BACK"):
        r.set_float(f"PA_SU_POLY_OFFSET_{face}_OFFSET", 1e9)
    scene.draw([(*p, z) for p in triangle])
    assert (scene.gpu.depth().words()[0] == word).sum() == pixels


def test_depth_clamp_stores_plus_zero():
    scene = Scene(z_format=3)
    scene.clear_depth(1.0)
    scene.depth_state(LESS)
    scene.registers.set_fields("PA_CL_CLIP_CNTL", ZCLIP_NEAR_DISABLE=1)
    scene.draw([(*p, -0.25) for p in LEFT] + [(*p, 0.25) for p in RIGHT])
    words = scene.gpu.depth().words()[0]
    assert (words == 0x00000000).sum() == 12288
    assert (words == 0x3E800000).sum() == 9830
