"""Targets lie in guest memory in the hardware's own layout, and working copies are invisible."""

import numpy as np
import pytest
from scene import ALWAYS, COLOR_ADDRESS, DEPTH_ADDRESS, LINEAR, R_X, STENCIL_ADDRESS, Z_X, Scene, vsharp

from refgpu import UnsupportedError, shaders, texture

TRIANGLE = [(-1, -1, 0.25), (0.5, -1, 0.25), (-1, 0.75, 0.25)]


@pytest.mark.parametrize("swizzle", [LINEAR, R_X])
@pytest.mark.parametrize(("format_", "number_type", "bits"),
                         [(10, 0, 32), (14, 7, 128), (12, 7, 64), (1, 0, 8), (16, 0, 16)])
def test_bytes_lie_where_the_address_equations_say(swizzle, format_, number_type, bits):
    scene = Scene(100, 70, color=format_, number_type=number_type, swizzle=swizzle)
    scene.draw(TRIANGLE)
    words = scene.gpu.color(0).words()[0]
    assert scene.covered().any()
    layout = texture.surface_layout(swizzle, bits, 100, 70)
    data = scene.memory.view(COLOR_ADDRESS, layout.nbytes)
    for y, x in ((0, 0), (3, 5), (40, 2), (69, 99), (20, 70)):
        start = int(layout.offset(x, y))
        stored = np.zeros(16, np.uint8)
        stored[: bits // 8] = data[start : start + bits // 8]
        expected = np.atleast_1d(words[y, x])
        assert np.array_equal(stored.view(np.uint32)[: expected.size], expected)


def test_pipe_bank_xor_moves_the_bytes_and_not_the_picture():
    pictures = []
    for xor in (0, 0x5):
        scene = Scene(200, 200, swizzle=R_X)
        scene.registers["CB_COLOR0_BASE"] = COLOR_ADDRESS >> 8 | xor
        scene.draw(TRIANGLE)
        pictures.append(scene.gpu.color(0).words())
        layout = texture.surface_layout(R_X, 32, 200, 200, pipe_bank_xor=xor)
        data = scene.memory.view(COLOR_ADDRESS, layout.nbytes)
        assert np.array_equal(layout.untile(data), pictures[-1])
    assert np.array_equal(*pictures)


@pytest.mark.parametrize(("z_format", "dtype", "word"),
                         [(1, np.uint16, 0x4000), (2, np.uint32, 0x400000), (3, np.uint32, 0x3E800000)])
def test_depth_and_stencil_planes(z_format, dtype, word):
    scene = Scene(100, 70, z_format=z_format, stencil=True)
    scene.depth_state(ALWAYS)
    scene.registers.set_fields("DB_DEPTH_CONTROL", STENCIL_ENABLE=1, STENCILFUNC=ALWAYS)
    scene.registers["DB_STENCIL_CONTROL"] = 3 << 4
    scene.registers["DB_STENCILREFMASK"] = 0x01FFFF77
    scene.draw(TRIANGLE)
    covered = scene.covered()
    layout = texture.surface_layout(Z_X, 8 * np.dtype(dtype).itemsize, 100, 70)
    plane = layout.untile(scene.memory.view(DEPTH_ADDRESS, layout.nbytes))[0]
    assert (plane[covered] == word).all()
    assert not plane[~covered].any()
    layout = texture.surface_layout(Z_X, 8, 100, 70)
    plane = layout.untile(scene.memory.view(STENCIL_ADDRESS, layout.nbytes))[0]
    assert np.array_equal(plane == 0x77, covered)


def test_padding_and_other_bytes_keep_their_values():
    scene = Scene(100, 70, swizzle=R_X)
    layout = texture.surface_layout(R_X, 32, 100, 70)
    scene.memory.fill(COLOR_ADDRESS, layout.nbytes + 4096, 0xDEADBEEF)
    before = np.array(scene.memory.view(COLOR_ADDRESS, layout.nbytes + 4096, np.uint32))
    scene.draw([(-1, -1), (3, -1), (-1, 3)])
    scene.gpu.finish()
    changed = np.flatnonzero(scene.memory.view(COLOR_ADDRESS, layout.nbytes + 4096, np.uint32) != before)
    y, x = np.mgrid[:70, :100]
    assert np.array_equal(np.sort(layout.offset(x, y).ravel() // 4), changed)


def test_a_write_by_others_is_seen_by_the_next_draw_and_lost_by_none():
    scene = Scene(64, 64)
    scene.draw([(-1, -1), (3, -1), (-1, 3)], color=(1, 0, 0, 1))
    row = 64 * 4
    scene.memory.write(COLOR_ADDRESS + 5 * row, np.full(64, 0x11223344, np.uint32))
    scene.registers["CB_TARGET_MASK"] = 0x2  # green only
    scene.draw([(-1, -1), (3, -1), (-1, 3)], color=(0, 1, 0, 1))
    words = scene.gpu.color(0).words()[0]
    assert (words[5] == 0x1122FF44).all()
    assert (words[6] == 0xFF00FFFF).all()


def test_submit_returns_with_a_shared_array_up_to_date():
    scene = Scene(64, 64, color=0)
    target = np.zeros((64, 64), np.uint32)
    scene.memory.map(0x1_7000_0000, target)
    scene.color_target(0, 10)
    scene.registers["CB_COLOR0_BASE"] = 0x1_7000_0000 >> 8
    scene.bind([(-1, -1), (3, -1), (-1, 3)])
    scene.gpu.submit(np.array([0xC0012D00, 3, 2], np.uint32))
    assert (target == 0xFFFFFFFF).all()


def test_slices_of_one_base_are_apart():  # cases.md B28
    scene = Scene(64, 64, z_format=3)
    scene.depth_state(ALWAYS)
    for index, view in enumerate((0x00000000, 0x00002001, 0x00004002)):
        scene.registers["DB_DEPTH_VIEW"] = view
        scene.draw([(-1, -1, 0.25 * (index + 1)), (3, -1, 0.25 * (index + 1)), (-1, 3, 0.25 * (index + 1))])
    for index, view in enumerate((0x00000000, 0x00002001, 0x00004002)):
        scene.registers["DB_DEPTH_VIEW"] = view
        assert (scene.gpu.depth().read() == np.float32(0.25 * (index + 1))).all()


def test_draw_reads_a_vertex_buffer_that_a_draw_wrote():
    """The target of one draw is the next one's vertex buffer: 32_32_32_32_FLOAT pixels are positions."""
    scene = Scene(64, 1, color=14, number_type=7)
    position = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]

    @shaders.pixel(position=True)
    def corners(inputs, outputs, live, constants, lanes):
        for lane in range(lanes):
            vertex = int(inputs[0, lane]) % 3
            for channel in range(4):
                outputs[channel, lane] = constants[4 * vertex + channel]

    scene.draw(position, pixel=corners.with_constants(np.array(position, np.float32).ravel()))

    vertices = texture.Buffer.from_words(vsharp(COLOR_ADDRESS, 16, 64), scene.memory)
    scene.gpu.bind("vs", shaders.vertex(position=vertices))
    target = scene.registers
    scene.color_target(1, 10)
    target["CB_COLOR0_INFO"] = 0
    target["CB_TARGET_MASK"] = target["CB_SHADER_MASK"] = 0xF0
    target["SPI_SHADER_COL_FORMAT"] = 0x90

    @shaders.pixel(exports=2)
    def grey(inputs, outputs, live, constants, lanes):
        for lane in range(lanes):
            for channel in range(8):
                outputs[channel, lane] = 0.5

    scene.gpu.bind("ps", grey)
    scene.gpu.draw_auto(3)
    assert (scene.gpu.color(1).words() == 0x80808080).all()


def test_memory_mapped_anew_is_loaded_anew():
    scene = Scene(32, 32)
    scene.draw([(-1, -1), (3, -1), (-1, 3)])
    scene.gpu.finish()
    nbytes = 16 * (32 + 256) * (32 + 256)
    scene.memory.unmap(COLOR_ADDRESS)
    scene.memory.map(COLOR_ADDRESS, np.full(nbytes, 0x77, np.uint8))
    scene.draw([(-1, -1), (0, -1), (-1, 0)], color=(0, 0, 0, 0))
    words = scene.gpu.color(0).words()[0]
    assert words[0, 0] == 0
    assert (words[20:] == 0x77777777).all()


def test_targets_that_share_bytes_are_refused():
    scene = Scene(32, 32, z_format=3)
    scene.depth_state(ALWAYS)
    scene.registers["CB_COLOR0_BASE"] = DEPTH_ADDRESS >> 8
    with pytest.raises(UnsupportedError, match="share memory"):
        scene.draw(TRIANGLE)


def test_srgb_export_of_infinity_is_white():
    scene = Scene(8, 8, number_type=6)
    scene.draw([(-1, -1), (3, -1), (-1, 3)], color=(np.inf, 2.0, 1.0, np.inf))
    assert (scene.gpu.color(0).words() == 0xFFFFFFFF).all()
