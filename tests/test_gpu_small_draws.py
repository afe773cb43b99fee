"""Many draws in one pass: what they share and what they do not."""

import numpy as np
import pytest
from scene import COLOR_ADDRESS, Scene, vsharp

from refgpu import pm4, shaders, texture
from refgpu.base.errors import InputError

CORNERS = [(-1, -1), (1, -1), (-1, 1), (-1, 1), (1, -1), (1, 1)]
SQUARE = np.array([(x, y, 0, 1) for x, y in CORNERS], np.float32)
FLOAT_32_32_32_32, FLOAT = 14, 7


def test_each_draw_has_its_own_shader_constants_and_user_data():
    scene = Scene(64, 32)
    scene.bind(SQUARE, pixel=shaders.user_data_color(2))
    stage = scene.registers.register("SPI_SHADER_USER_DATA_PS_2")
    left = pm4.packet("SET_CONTEXT_REG", scene.registers.register("PA_SC_VPORT_SCISSOR_0_BR").offset, 32 | 32 << 16)
    packets = []
    for color in ([0x3F800000, 0, 0, 0], [0, 0x3F800000, 0, 0], [0, 0x3F800000, 0, 0], [0, 0, 0x3F800000, 0]):
        packets += [pm4.packet("SET_SH_REG", stage.offset, color), pm4.packet("DRAW_INDEX_AUTO", 6, 2)]
    scene.gpu.submit(pm4.encode([*packets[:6], left, *packets[6:]]))
    words = scene.gpu.color(0).words()[0]
    assert (words[:, :32] == 0x00FF0000).all()
    assert (words[:, 32:] == 0x0000FF00).all()
    scene.gpu.bind("ps", shaders.flat(1, 0, 0, 0))
    scene.gpu.draw_auto(6)
    scene.gpu.bind("ps", shaders.flat(1, 0, 1, 0))
    scene.gpu.draw_auto(3)
    words = scene.gpu.color(0).words()[0]
    assert set(np.unique(words[:, :32]).tolist()) == {0x000000FF, 0x00FF00FF}


def test_a_draw_may_read_what_the_one_before_it_wrote():
    scene = Scene(64, 32, color=FLOAT_32_32_32_32, number_type=FLOAT)
    scene.bind(SQUARE, (0.25, 0.5, 0.75, 1.0))
    scene.gpu.draw_auto(6)
    written = texture.Buffer.from_words(vsharp(COLOR_ADDRESS, 16, 64), scene.memory)
    half = shaders.weighted([(0, False, (0.5, 0.5, 0.5, 0.5))])
    scene.gpu.bind("vs", shaders.vertex(scene.buffer(SQUARE), [written]))
    scene.gpu.bind("ps", half)
    scene.gpu.draw_auto(6)
    assert scene.memory.view(COLOR_ADDRESS, 16, np.float32).tolist() == [0.125, 0.25, 0.375, 0.5]
    scene.gpu.draw_auto(6)
    scene.gpu.draw_auto(6)
    assert scene.memory.view(COLOR_ADDRESS, 16, np.float32).tolist() == [0.03125, 0.0625, 0.09375, 0.125]


def test_a_shader_notices_that_its_vertices_moved_or_went():
    scene = Scene(64, 32)
    buffer = scene.buffer(SQUARE)
    scene.gpu.bind("vs", shaders.vertex(buffer))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    scene.gpu.draw_auto(3)
    scene.memory.unmap(buffer.address)
    with pytest.raises(InputError, match="index 2 reads 16 bytes"):
        scene.gpu.draw_auto(3)
    scene.memory.map(buffer.address, 0x1000)
    scene.memory.write(buffer.address, SQUARE)
    scene.gpu.draw_auto(6)
    assert scene.covered().all()
    scene.memory.unmap(buffer.address)
    scene.memory.map(buffer.address, 16 * 5)
    scene.gpu.draw_auto(5)
    with pytest.raises(InputError, match="index 5 reads 16 bytes"):
        scene.gpu.draw_auto(6)
