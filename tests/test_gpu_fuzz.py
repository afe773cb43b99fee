"""Hostile input: whatever registers and packets hold, the result is a result or a RefGpuError, and no byte outside
the targets changes."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scene import COLOR_ADDRESS, DEPTH_ADDRESS, Scene, vsharp

from refgpu import shaders, texture
from refgpu.base.errors import DecodeError, InputError, RefGpuError

FULL_SCREEN = [(-1, -1, 0.5, 1), (3, -1, 0.5, 1), (-1, 3, 0.5, 1)]
DRAW_REGISTERS = [
    "PA_CL_CLIP_CNTL", "PA_CL_VTE_CNTL", "PA_SU_VTX_CNTL", "PA_SU_SC_MODE_CNTL", "PA_CL_VS_OUT_CNTL",
    "PA_CL_VPORT_XSCALE", "PA_CL_VPORT_YOFFSET", "PA_CL_VPORT_ZSCALE", "PA_CL_GB_HORZ_CLIP_ADJ",
    "PA_CL_GB_VERT_DISC_ADJ", "PA_SC_SCREEN_SCISSOR_TL", "PA_SC_SCREEN_SCISSOR_BR", "PA_SC_WINDOW_OFFSET",
    "PA_SC_VPORT_SCISSOR_0_BR", "PA_SC_VPORT_ZMIN_0", "PA_SU_POLY_OFFSET_DB_FMT_CNTL", "PA_SU_POLY_OFFSET_CLAMP",
    "PA_SU_POLY_OFFSET_FRONT_SCALE", "PA_SU_POLY_OFFSET_FRONT_OFFSET", "DB_DEPTH_CONTROL", "DB_STENCIL_CONTROL",
    "DB_STENCILREFMASK", "DB_RENDER_CONTROL", "DB_RENDER_OVERRIDE", "DB_SHADER_CONTROL", "DB_Z_INFO",
    "DB_DEPTH_VIEW", "DB_DEPTH_SIZE_XY", "DB_Z_WRITE_BASE", "DB_DEPTH_BOUNDS_MIN", "DB_DEPTH_CLEAR",
    "CB_COLOR0_INFO", "CB_COLOR0_BASE", "CB_COLOR0_VIEW", "CB_COLOR0_ATTRIB2", "CB_COLOR0_ATTRIB3",
    "CB_BLEND0_CONTROL", "CB_BLEND_RED", "CB_COLOR_CONTROL", "CB_TARGET_MASK", "SPI_SHADER_COL_FORMAT",
    "SPI_PS_INPUT_CNTL_0", "VGT_PRIMITIVE_TYPE", "GE_INDX_OFFSET", "VGT_SHADER_STAGES_EN", "PA_SC_AA_CONFIG",
    "PA_SU_HARDWARE_SCREEN_OFFSET",
]
word = st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 255), st.sampled_from(
    [0, 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x7F7FFFFF, 1, 0x00800000]))
coordinate = st.one_of(st.floats(width=32), st.sampled_from([0.0, 1.0, -1.0, 1e30, -1e30, float("nan"), float("inf")]))


def small_scene():
    scene = Scene(32, 32, z_format=3, stencil=True)
    scene.guard = scene.memory.map(0x1_5000_0000, np.full(4096, 0xA5, np.uint8))
    scene.bind(FULL_SCREEN, attributes=[[(1, 1, 1, 1)] * 3], pixel=shaders.attribute(0))
    return scene


def one_line(action):
    """Whether the action works, or is refused in one line."""
    try:
        action()
    except RefGpuError as error:
        return len(str(error)) > 0 and "\n" not in str(error)
    return True


def untouched(scene):
    return bool((scene.memory.view(0x1_5000_0000, 4096) == 0xA5).all())


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(DRAW_REGISTERS), word), min_size=1, max_size=5))
@example([("CB_COLOR0_ATTRIB2", 0)])
@example([("DB_DEPTH_SIZE_XY", 0x3FFF3FFF), ("DB_Z_INFO", 0x183), ("DB_DEPTH_CONTROL", 0x76)])
@example([("PA_SU_VTX_CNTL", 0x3F), ("PA_CL_VPORT_XSCALE", 0x7F7FFFFF)])
def test_random_registers(changes):
    scene = small_scene()
    for name, value in changes:
        scene.registers[name] = value
    assert one_line(lambda: (scene.gpu.draw_auto(3), scene.gpu.finish()))
    assert untouched(scene)


@settings(max_examples=100)
@given(st.lists(st.tuples(coordinate, coordinate, coordinate, coordinate), min_size=3, max_size=9))
def test_random_vertices(vertices):
    scene = small_scene()
    scene.draw(vertices, attributes=[[(1, 1, 1, 1)] * len(vertices)], pixel=shaders.attribute(0))
    scene.gpu.finish()
    assert untouched(scene)


packet = st.one_of(
    st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4),
    st.tuples(st.integers(0, 255), st.lists(word, min_size=1, max_size=8)).map(
        lambda made: [0xC0000000 | len(made[1]) - 1 << 16 | made[0] << 8, *made[1]]),
    st.tuples(st.integers(0, 0x3FF), word).map(lambda made: [0xC0016900, made[0], made[1]]),
)


@settings(max_examples=150)
@given(st.lists(packet, max_size=6))
def test_random_streams(packets):
    scene = small_scene()
    stream = [dword for words in packets for dword in words]
    assert one_line(lambda: scene.gpu.submit(np.array(stream, np.uint32)))
    assert untouched(scene)


def test_what_came_before_a_bad_packet_is_done():
    scene = small_scene()
    scene.gpu.registers["VGT_NUM_INSTANCES"] = 1
    draw = [0xC0012D00, 3, 2]
    with pytest.raises(DecodeError, match="dword 0x3"):
        scene.gpu.submit(np.array([*draw, 0xC000FF00, 0], np.uint32))
    assert scene.covered().all()


@pytest.mark.parametrize("target", ["COLOR", "DEPTH"])
def test_targets_outside_memory_are_named(target):
    scene = small_scene()
    scene.depth_state()
    if target == "COLOR":
        scene.registers["CB_COLOR0_BASE"] = 0x00990000
    else:
        scene.registers["DB_Z_READ_BASE"] = scene.registers["DB_Z_WRITE_BASE"] = 0x00990000
    with pytest.raises(InputError, match="0x99000000"):
        scene.gpu.draw_auto(3)


def test_indices_past_the_buffer_and_outside_memory():
    scene = small_scene()
    with pytest.raises(InputError, match="0x990000000"):
        scene.gpu.draw_indexed(3, 0x9_9000_0000)
    scene.memory.map(0x9_9000_0000, np.array([0, 1, 2, 60000], np.uint16))
    with pytest.raises(InputError, match="0x990000000"):
        scene.gpu.draw_indexed(9, 0x9_9000_0000)
    scene.gpu.draw_indexed(4, 0x9_9000_0000)   # index 60000 is out of NUM_RECORDS: reads 0
    scene.gpu.finish()
    assert scene.covered().all()


def test_vertices_outside_memory_are_named():
    scene = small_scene()
    scene.memory.map(0x1_6000_0000, 4096)
    scene.gpu.bind("vs", shaders.vertex(position=texture.Buffer.from_words(vsharp(0x1_6000_0FF0, 16, 3), scene.memory)))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    with pytest.raises(InputError, match="0x160000ff0"):
        scene.gpu.draw_auto(3)


def test_addresses_of_the_scene_are_what_the_tests_think():
    scene = small_scene()
    assert scene.gpu.color(0).surface.address == COLOR_ADDRESS
    assert scene.gpu.depth().surface.address == DEPTH_ADDRESS


@pytest.mark.parametrize("draw", [lambda gpu: gpu.draw_auto(-1), lambda gpu: gpu.draw_auto(3, -1),
                                  lambda gpu: gpu.draw_auto(3.5), lambda gpu: gpu.draw_indexed(-3, 0x1000)])
def test_counts_that_no_packet_can_hold_are_refused(draw):
    with pytest.raises(InputError, match="count"):
        draw(small_scene().gpu)


def test_threads_that_are_no_number_are_refused(monkeypatch):
    monkeypatch.setenv("REFGPU_THREADS", "abc")
    with pytest.raises(InputError, match="REFGPU_THREADS = 'abc'"):
        Scene(threads=None)


def test_a_stand_in_with_a_number_beyond_floats_is_refused():
    scene = small_scene()
    with pytest.raises(InputError, match="stand-in of kind 'flat'"):
        shaders.from_description({"kind": "flat", "color": [10**400, 0, 0, 1]}, scene.memory)
