"""Stand-in shaders called directly, batch in and batch out."""

import numpy as np
import pytest

from refgpu import shaders
from refgpu.base.errors import InputError
from refgpu.base.pointers import call_address
from refgpu.raster.layout import PS_IN_ROWS, ROW, PixelFlag

pytestmark = pytest.mark.jit_off


def run(shader, inputs, output_rows, lanes=64, user_data=None):
    words = np.zeros(32, np.uint32) if user_data is None else user_data
    block = shader.block(None, words)
    outputs = np.full((output_rows, ROW), np.nan, np.float32)
    live = np.ones(lanes, np.int32)
    call_address(shader.callback.address, inputs.ctypes.data, outputs.ctypes.data, block.ctypes.data, lanes,
                 live.ctypes.data)
    shader.check(block)
    return outputs[:, :lanes], live


def pixel_inputs(seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (PS_IN_ROWS, ROW)).astype(np.float32)


def test_flat_colour_fills_every_lane():
    outputs, _ = run(shaders.flat(0.25, 0.5, 0.75, 1.0), pixel_inputs(), 4)
    assert (outputs == np.array([[0.25], [0.5], [0.75], [1.0]], np.float32)).all()


def test_attribute_passes_its_four_rows():
    inputs = pixel_inputs()
    outputs, _ = run(shaders.attribute(3), inputs, 4, lanes=128)
    assert np.array_equal(outputs, inputs[shaders.ATTRIBUTE : shaders.ATTRIBUTE + 4, :128])


def test_user_data_colour_reads_four_registers():
    data = np.zeros(32, np.uint32)
    data[2:6] = np.array([0.1, 0.2, 0.3, 1.0], np.float32).view(np.uint32)
    outputs, _ = run(shaders.user_data_color(2), pixel_inputs(), 4, user_data=data)
    assert (outputs == np.array([[0.1], [0.2], [0.3], [1.0]], np.float32)).all()


def test_a_users_pixel_shader_reads_constants_and_discards():
    @shaders.pixel(attributes=1, kills=True)
    def cut(inputs, outputs, live, constants, lanes):
        for lane in range(lanes):
            for channel in range(4):
                outputs[channel, lane] = inputs[shaders.ATTRIBUTE + channel, lane] * constants[channel]
            if outputs[0, lane] < 0:
                live[lane] = 0

    assert cut.flags == PixelFlag.KILL
    inputs = pixel_inputs(1)
    scale = np.array([1, 2, 3, 4], np.float32)
    outputs, live = run(cut.with_constants(scale), inputs, 4)
    expected = inputs[shaders.ATTRIBUTE : shaders.ATTRIBUTE + 4, :64] * scale[:, None]
    assert np.array_equal(outputs, expected)
    assert np.array_equal(live == 1, expected[0] >= 0)


def test_derivatives_are_differences_inside_each_quad():
    x = np.zeros(128, np.float32)
    y = np.zeros(128, np.float32)
    for lane in range(128):  # lane = group * 64 + corner * 16 + quad
        group, corner, quad = lane // 64, lane % 64 // 16, lane % 16
        x[lane] = 2 * (quad + 16 * group) + corner % 2
        y[lane] = 10 * quad + corner // 2
    values = (x * x + 3 * y).astype(np.float32)
    result = np.zeros(128, np.float32)
    corner = np.arange(128) % 64 // 16
    left = x - corner % 2
    shaders.ddx_fine(values, result, 128)
    assert np.array_equal(result, (left + 1) ** 2 - left**2)
    shaders.ddx(values, result, 128)
    assert np.array_equal(result, (left + 1) ** 2 - left**2)
    shaders.ddy(values, result, 128)
    assert (result == 3).all()
    shaders.ddy_fine(values, result, 128)
    assert (result == 3).all()


def test_coarse_and_fine_derivatives_differ_in_the_lower_row():
    values = np.zeros(64, np.float32)
    values[16:32] = 1   # upper right
    values[48:64] = 5   # lower right
    result = np.zeros(64, np.float32)
    shaders.ddx(values, result, 64)
    assert (result == 1).all()
    shaders.ddx_fine(values, result, 64)
    assert (result[:32] == 1).all()
    assert (result[32:] == 5).all()


def nothing(inputs, outputs, constants, lanes):
    pass


@pytest.mark.parametrize("make", [lambda: shaders.attribute(32), lambda: shaders.user_data_color(29),
                                  lambda: shaders.vertex_function(parameters=33)(nothing)])
def test_impossible_shaders_are_refused(make):
    with pytest.raises(InputError):
        make()
