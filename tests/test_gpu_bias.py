"""Two faces with biases of their own, in one draw, in primitive order (cases.md B01 to B06, measured.md 1)."""

import numpy as np
import pytest
from scene import ALWAYS, BIAS_Z16, BIAS_Z24, BIAS_Z32F, LESS, TWO_SIDED_BIAS, Scene

FRONT = [(-0.9, -0.5), (-0.5, 0.5), (-0.1, -0.5)]  # counter-clockwise on the screen (y down): front with FACE = 0
BACK = [(0.1, -0.5), (0.9, -0.5), (0.5, 0.5)]


def biased_scene(format_word=BIAS_Z32F, z_format=3, mode=TWO_SIDED_BIAS, clear=0.5, **offsets):
    scene = Scene(64, 64, z_format=z_format)
    if z_format == 3:
        scene.clear_depth(clear)
    scene.depth_state(LESS)
    scene.registers["PA_SU_SC_MODE_CNTL"] = mode
    scene.registers["PA_SU_POLY_OFFSET_DB_FMT_CNTL"] = format_word
    for name, value in offsets.items():
        scene.registers.set_float(f"PA_SU_POLY_OFFSET_{name}", value)
    return scene


def halves(scene):
    """Stored words left and right, without the cleared ones."""
    words = scene.gpu.depth().words()[0]
    return set(words[:, :32].ravel()) - {0x3F000000}, set(words[:, 32:].ravel()) - {0x3F000000}


def draw_both(scene, z=0.5):
    scene.draw([(*p, z) for p in FRONT + BACK])
    return halves(scene)


@pytest.mark.parametrize(("front", "back", "expected"), [
    (-64.0, 64.0, ({0x3EFFFF80}, set())),
    (64.0, -64.0, (set(), {0x3EFFFF80})),
    (-64.0, -64.0, ({0x3EFFFF80}, {0x3EFFFF80})),
    (64.0, 64.0, (set(), set())),
    (-64.0, 0.0, ({0x3EFFFF80}, set())),
    (0.0, -64.0, (set(), {0x3EFFFF80})),
])
def test_each_face_takes_its_own_offset(front, back, expected):
    scene = biased_scene(FRONT_OFFSET=front, BACK_OFFSET=back)
    assert draw_both(scene) == expected


@pytest.mark.parametrize(("enable", "expected"), [
    (0x01000A48, ({0x3EFFFF80}, set())),   # bit 12 clear: bias 0 for back faces
    (0x01001248, (set(), {0x3EFFFF80})),   # bit 11 clear
    (0x01000248, (set(), set())),
])
def test_a_clear_enable_bit_means_no_bias_for_that_face(enable, expected):
    scene = biased_scene(mode=enable, FRONT_OFFSET=-64.0, BACK_OFFSET=-64.0)
    assert draw_both(scene) == expected


@pytest.mark.parametrize(("cull", "expected"), [(1, (set(), {0x3EFFFFC0})), (2, ({0x3EFFFF80}, set()))])
def test_a_culled_face_leaves_only_the_other_ones_values(cull, expected):
    scene = biased_scene(mode=TWO_SIDED_BIAS | cull, FRONT_OFFSET=-64.0, BACK_OFFSET=-32.0)
    assert draw_both(scene) == expected


def test_face_bit_swaps_front_and_back():
    scene = biased_scene(mode=TWO_SIDED_BIAS | 4, FRONT_OFFSET=-64.0, BACK_OFFSET=64.0)
    assert draw_both(scene) == (set(), {0x3EFFFF80})


def test_reverse_z_title_words():  # B02
    scene = biased_scene(FRONT_OFFSET=-4.0, FRONT_SCALE=-16.0, BACK_OFFSET=-4.0, BACK_SCALE=-16.0)
    assert draw_both(scene, 0.25) == ({0x3E7FFFF8}, {0x3E7FFFF8})


def test_slope_scale_is_in_sixteenths():  # B03: plane z = x / 1024 per pixel, slope 1 adds 1/1024 to every pixel
    width = 64
    scene = Scene(width, 64, z_format=3)
    scene.depth_state(ALWAYS)
    scene.registers["PA_SU_SC_MODE_CNTL"] = TWO_SIDED_BIAS
    scene.registers["PA_SU_POLY_OFFSET_DB_FMT_CNTL"] = BIAS_Z32F
    for face in ("FRONT", "BACK"):
        scene.registers.set_float(f"PA_SU_POLY_OFFSET_{face}_SCALE", 16.0)
    z1 = width / 1024
    scene.draw([(-1, -1, 0), (3, -1, 2 * z1), (-1, 3, 0)])
    expected = np.tile((np.arange(width) + 0.5) / 1024 + 1 / 1024, (64, 1)).astype(np.float32)
    assert np.array_equal(scene.gpu.depth().read()[0], expected)


@pytest.mark.parametrize(("offset", "code"), [(0.0, 8388608), (1.0, 8388608), (2.0, 8388609)])
def test_z24_unit_is_2_to_the_minus_24(offset, code):  # B05
    scene = biased_scene(BIAS_Z24, 2, FRONT_OFFSET=offset)
    scene.depth_state(ALWAYS)
    scene.draw([(*p, 0.5) for p in FRONT])
    words = scene.gpu.depth().words()[0]
    assert set(words[words != 0]) == {code}


def test_z16_unit_is_2_to_the_minus_16():
    scene = biased_scene(BIAS_Z16, 1, FRONT_OFFSET=3.0)
    scene.depth_state(ALWAYS)
    scene.draw([(*p, 0.25) for p in FRONT])
    words = scene.gpu.depth().words()[0]
    assert set(words[words != 0]) == {int((0.25 + 3 / 65536) * 65535 + 0.5)}


def test_absolute_mode():
    scene = biased_scene(0, FRONT_OFFSET=-0.125, BACK_OFFSET=-0.25)
    assert draw_both(scene) == ({0x3EC00000}, {0x3E800000})


def test_primitive_order_is_kept_across_faces():
    """Back face first in the stream, then front, at one place: the later one wins with LEQUAL-like equal depth."""
    scene = biased_scene(FRONT_OFFSET=-64.0, BACK_OFFSET=-64.0)
    scene.depth_state(ALWAYS)
    colors = [(1, 0, 0, 1)] * 3 + [(0, 1, 0, 1)] * 3
    back = [FRONT[0], FRONT[2], FRONT[1]]
    from refgpu import shaders
    for order, winner in (((FRONT, back), [0, 1, 0, 1]), ((back, FRONT), [0, 1, 0, 1])):
        scene.draw([(*p, 0.5) for triangle in order for p in triangle], attributes=[colors],
                   pixel=shaders.attribute(0))
        covered = scene.gpu.color(0).read()[0][scene.covered()]
        assert covered.size
        assert (covered == np.array(winner)).all()
