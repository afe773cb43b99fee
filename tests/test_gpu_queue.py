"""Draws wait and are executed together, and one that fails takes nothing with it that came before."""

import numpy as np
import pytest
from scene import RECTLIST, TRILIST, Scene

from refgpu.base.errors import InputError

FULL = [(-1, -1), (3, -1), (-1, 3)]
CROOKED = [(-1, -1), (0.5, 1), (1, -0.25)]  # a rect without a right angle


def blended_scene():
    scene = Scene(32, 32)
    scene.registers["CB_BLEND0_CONTROL"] = 0x40000101  # source + destination
    return scene


def test_a_bad_rect_keeps_the_draws_before_it_and_drops_the_ones_after_it():
    scene = blended_scene()
    quarter = (0.25, 0, 0, 0)
    scene.draw(FULL, quarter)
    scene.draw(FULL, quarter)
    scene.registers["VGT_PRIMITIVE_TYPE"] = RECTLIST
    scene.draw(CROOKED, quarter)
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRILIST
    scene.gpu.draw_auto(3)
    with pytest.raises(InputError, match=r"draw 2.*rect 0"):
        scene.gpu.finish()
    red = scene.gpu.color(0).words()[0] & 0xFF
    assert (red == 128).all()  # 0 + 64, + 64: each draw once


def test_the_gpu_goes_on_after_a_failed_draw():
    scene = Scene(32, 32)
    scene.registers["VGT_PRIMITIVE_TYPE"] = RECTLIST
    scene.draw(CROOKED)
    with pytest.raises(InputError):
        scene.gpu.finish()
    assert not scene.covered().any()
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRILIST
    scene.draw(FULL)
    assert scene.covered().all()


def test_queued_draws_read_their_inputs_before_others_overwrite_them():
    scene = Scene(32, 32)
    scene.draw(FULL)
    address = scene._next_vertex - 0x1000
    scene.memory.write(address, np.zeros((3, 4), np.float32))
    assert scene.covered().all()


def test_discarding_needs_kills_and_helper_lanes_stay_helpers():
    from refgpu import shaders

    def drop(inputs, outputs, live, constants, lanes):
        for lane in range(lanes):
            live[lane] = 0
            for channel in range(4):
                outputs[channel, lane] = 1.0

    def revive(inputs, outputs, live, constants, lanes):
        for lane in range(lanes):
            live[lane] = 1
            for channel in range(4):
                outputs[channel, lane] = 1.0

    small = [(-1, -1), (0.1, -1), (-1, 0.1)]
    scene = Scene(32, 32)
    scene.draw(small)
    expected = scene.covered()
    scene = Scene(32, 32)
    scene.draw(small, pixel=shaders.pixel(kills=True)(revive))
    assert np.array_equal(scene.covered(), expected)
    scene = Scene(32, 32)
    scene.draw(small, pixel=shaders.pixel()(drop))
    with pytest.raises(InputError, match=r"'drop' discards .* kills=True"):
        scene.gpu.finish()
