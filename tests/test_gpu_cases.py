"""Public bug reports (cases.md) and facts (measured.md) as whole draws: registers, commands and memory in, bits out."""

import numpy as np
import pytest
from scene import (
    ALWAYS,
    BIAS_Z24,
    BIAS_Z32F,
    COLOR_ADDRESS,
    DEPTH_ADDRESS,
    GEQUAL,
    INDEX_ADDRESS,
    LESS,
    RECTLIST,
    TRIFAN,
    TRISTRIP,
    TWO_SIDED_BIAS,
    VERTEX_ADDRESS,
    Scene,
    vsharp,
)

from refgpu import Gpu, pm4, shaders, texture
from refgpu.base.errors import DecodeError

CCW = [(-0.9, -0.5), (-0.5, 0.5), (-0.1, -0.5)]  # as seen on the screen, with y down; in the left half
CW = [(0.1, -0.5), (0.9, -0.5), (0.5, 0.5)]      # in the right half
FULL = [(-1, -1), (3, -1), (-1, 3)]
QUAD = [(-1, -1), (1, -1), (-1, 1), (1, 1)]      # z order
SPARE = 0x1_6000_0000
QUADSTRIP = 20


def at(points, z):
    return [(*point, z) for point in points]


def values(scene):
    """Stored depth words."""
    return set(scene.gpu.depth().words().ravel().tolist())


def box(scene):
    """Covered pixels: x0, y0, x1, y1 with the end outside, and how many."""
    covered = scene.covered()
    if not covered.any():
        return None
    y, x = np.nonzero(covered)
    assert covered.sum() == (np.ptp(x) + 1) * (np.ptp(y) + 1)
    return int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1


def depth_scene(func=ALWAYS, clear=0.0, size=16, **fields):
    scene = Scene(size, size, z_format=3)
    scene.clear_depth(clear)
    scene.depth_state(func)
    if fields:
        scene.registers.set_fields("DB_DEPTH_CONTROL", **fields)
    return scene


def stencil_scene(stored, operations, reference, func=ALWAYS, size=16):
    scene = Scene(size, size, stencil=True)
    scene.clear_stencil(stored)
    scene.registers.set_fields("DB_DEPTH_CONTROL", STENCIL_ENABLE=1, STENCILFUNC=func)
    scene.registers["DB_STENCIL_CONTROL"] = operations
    scene.registers["DB_STENCILREFMASK"] = reference
    return scene


def stencil_after(*arguments, **options):
    scene = stencil_scene(*arguments, **options)
    scene.draw(FULL)
    (value,) = set(scene.gpu.stencil().read().ravel().tolist())
    return value


def bits_shader(scene, *words):
    """Pixel shader that exports these 32-bit words."""
    for n, word in enumerate(words):
        scene.registers[f"SPI_SHADER_USER_DATA_PS_{n}"] = word & 0xFFFFFFFF
    return shaders.user_data_color(0)


def stored(format_, number_type, words=None, color=None, swap=0):
    """First pixel's words after a full-screen draw."""
    scene = Scene(8, 8, color=0)
    scene.color_target(0, format_, number_type, swap=swap)
    if words is None:
        scene.draw(FULL, color)
    else:
        scene.draw(FULL, pixel=bits_shader(scene, *words))
    pixel = scene.gpu.color(0).words()[0, 0, 0]
    return np.atleast_1d(pixel).tolist()


def as_word(value):
    return int(np.float32(value).view(np.uint32))


# --- Raster ---------------------------------------------------------------------------------------------------------


def bias_scene(format_word, z_format, func, mode=TWO_SIDED_BIAS, **offsets):
    scene = Scene(64, 64, z_format=z_format)
    if z_format == 3:
        scene.clear_depth(0.5)
    scene.depth_state(func)
    scene.registers["PA_SU_SC_MODE_CNTL"] = mode
    scene.registers["PA_SU_POLY_OFFSET_DB_FMT_CNTL"] = format_word
    for name, value in offsets.items():
        scene.registers.set_float(f"PA_SU_POLY_OFFSET_{name}", value)
    return scene


@pytest.mark.parametrize(("front", "back", "mode", "left", "right"), [
    (-64.0, 64.0, TWO_SIDED_BIAS, {0x3EFFFF80}, set()),
    (64.0, -64.0, TWO_SIDED_BIAS, set(), {0x3EFFFF80}),
    (-64.0, -64.0, TWO_SIDED_BIAS & ~0x1000, {0x3EFFFF80}, set()),
])
def test_b01_bias_of_each_face(front, back, mode, left, right):
    scene = bias_scene(BIAS_Z32F, 3, LESS, mode, FRONT_OFFSET=front, BACK_OFFSET=back)
    scene.draw(at(CCW + CW, 0.5))
    words = scene.gpu.depth().words()[0]
    assert set(words[:, :32].ravel().tolist()) - {0x3F000000} == left
    assert set(words[:, 32:].ravel().tolist()) - {0x3F000000} == right


def test_b02_title_words():
    scene = bias_scene(BIAS_Z32F, 3, ALWAYS, FRONT_OFFSET=-4.0, FRONT_SCALE=-16.0)
    scene.draw(at(CCW, 0.25))
    assert values(scene) == {0x3F000000, 0x3E7FFFF8}


def test_b03_slope_in_sixteenths():
    scene = bias_scene(BIAS_Z32F, 3, ALWAYS, FRONT_SCALE=16.0, BACK_SCALE=16.0)
    scene.draw([(-1, -1, 0), (3, -1, 128 / 1024), (-1, 3, 0)])
    assert np.array_equal(scene.gpu.depth().read()[0, 7], (np.arange(64, dtype=np.float32) + 1.5) / 1024)


@pytest.mark.parametrize(("offset", "code"), [(0.0, 8388608), (1.0, 8388608), (2.0, 8388609)])
def test_b05_unit_of_z24(offset, code):
    scene = bias_scene(BIAS_Z24, 2, ALWAYS, FRONT_OFFSET=offset)
    scene.draw(at(CCW, 0.5))
    assert {value & 0xFFFFFF for value in values(scene)} == {0, code}


@pytest.mark.parametrize(("z", "word"), [(0.25, 0x3EC00000), (0.75, 0x3F600000)])
def test_b06_bias_clamp(z, word):
    scene = bias_scene(BIAS_Z32F, 3, ALWAYS, FRONT_OFFSET=1e9, CLAMP=0.125)
    scene.draw(at(CCW, z))
    assert values(scene) == {0x3F000000, word}


@pytest.mark.parametrize(("mode", "left", "right"), [
    (0x2, True, False), (0x3, False, False), (0x6, False, True), (0x1, False, True), (0x0, True, True),
])
def test_b07_culling(mode, left, right):
    scene = Scene(64, 64)
    scene.registers["PA_SU_SC_MODE_CNTL"] = mode
    scene.draw(CCW + CW)
    covered = scene.covered()
    assert (covered[:, :32].any(), covered[:, 32:].any()) == (left, right)


def test_b08_negative_yscale():
    scene = Scene(1920, 1080)
    for name, value in (("XSCALE", 960), ("XOFFSET", 960), ("YSCALE", -540), ("YOFFSET", 540)):
        scene.registers.set_float(f"PA_CL_VPORT_{name}", value)
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRISTRIP
    scene.draw([(-1, 1), (1, 1), (-1, 0.5), (1, 0.5)])
    assert box(scene) == (0, 0, 1920, 270)


@pytest.mark.parametrize("prim_type", [RECTLIST, 7])
@pytest.mark.parametrize("corners", [  # measured.md 2.13: the right angle may be any vertex
    [(-1, -1), (1, -1), (-1, 1)], [(1, 1), (-1, -1), (1, -1)], [(-1, 1), (1, 1), (1, -1)],
])
def test_b09_rectangle_of_the_whole_target(corners, prim_type):
    scene = Scene(1920, 1080)
    scene.registers["VGT_PRIMITIVE_TYPE"] = prim_type
    scene.registers["PA_SU_SC_MODE_CNTL"] = 0x243  # both faces culled: rectangles are not
    scene.draw(corners)
    assert scene.covered().sum() == 2_073_600


def test_b12_empty_screen_scissor():
    scene = Scene(64, 64)
    scene.registers["PA_SC_SCREEN_SCISSOR_TL"] = scene.registers["PA_SC_SCREEN_SCISSOR_BR"] = 0
    scene.draw(FULL)
    assert not scene.covered().any()


@pytest.mark.parametrize("word", [0x0020003C, 0x01FF01FF])
def test_b13_screen_offset_moves_nothing(word):
    pictures = []
    for value in (0, word):
        scene = Scene(64, 64)
        scene.registers["PA_SU_HARDWARE_SCREEN_OFFSET"] = value
        scene.draw(CCW + CW)
        pictures.append(scene.gpu.color(0).words())
    assert np.array_equal(*pictures)
    assert pictures[0].any()


def test_b14_reverse_z_viewport():
    scene = depth_scene()
    scene.viewport(0, 0, 16, 16, zmin=1.0, zmax=0.0)
    scene.registers.set_float("PA_SC_VPORT_ZMIN_0", 1.0)
    scene.registers.set_float("PA_SC_VPORT_ZMAX_0", 0.0)
    scene.draw(at(FULL, 0.25))
    assert values(scene) == {0x3F400000}


def test_b15_depth_clamp():
    scene = depth_scene(clear=0.5)
    scene.registers.set_fields("PA_CL_CLIP_CNTL", ZCLIP_NEAR_DISABLE=1, ZCLIP_FAR_DISABLE=1)
    scene.draw(at(FULL, -0.25))
    assert values(scene) == {0}
    scene.registers.set_fields("DB_RENDER_OVERRIDE", DISABLE_VIEWPORT_CLAMP=1)
    scene.clear_depth(0.5)
    scene.draw(at(FULL, -0.25))
    assert values(scene) & {0xBE800000, 0x3F000000} == set()


def test_b17_quad_strip():
    scene = Scene(64, 64)
    scene.registers["VGT_PRIMITIVE_TYPE"] = QUADSTRIP
    scene.draw(QUAD)
    assert box(scene) == (0, 0, 64, 64)


@pytest.mark.parametrize(("last", "value"), [(0, 1.0), (1, 3.0)])
def test_b18_provoking_vertex(last, value):
    scene = Scene(16, 16, color=14, number_type=7)
    scene.registers["SPI_PS_INPUT_CNTL_0"] = 1 << 10  # FLAT_SHADE
    scene.registers.set_fields("PA_SU_SC_MODE_CNTL", PROVOKING_VTX_LAST=last)
    scene.draw(FULL, attributes=[[(v,) * 4 for v in (1.0, 2.0, 3.0)]], pixel=shaders.attribute(0))
    assert set(scene.gpu.color(0).read().ravel().tolist()) == {value}


def test_m22_top_left_rule():
    """Corners exactly on samples: left and top edges belong, right and bottom ones do not."""
    scene = Scene(16, 16)
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRISTRIP
    scene.draw([((x + 0.5) / 8 - 1, (y + 0.5) / 8 - 1) for x, y in ((2, 3), (9, 3), (2, 12), (9, 12))])
    assert box(scene) == (2, 3, 9, 12)


@pytest.mark.parametrize(("word", "edge", "first"), [
    (0x2D, 10.5 + 1 / 512, 10),   # 1/256, round to even: 2688.5 becomes 2688
    (0x2D, 10.5 + 3 / 512, 11),   # 2689.5 becomes 2690
    (0x35, 10.5 + 1 / 512, 11),   # 1/1024 keeps it
    (0x05, 10.5 + 1 / 64, 10),    # 1/16 loses a 64th
    (0x2D, 10.5 + 1 / 64, 11),
])
def test_m21_snapping(word, edge, first):
    scene = Scene(32, 32)
    scene.registers["PA_SU_VTX_CNTL"] = word
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRISTRIP
    x = edge / 16 - 1
    scene.draw([(x, -1), (1, -1), (x, 1), (1, 1)])
    assert box(scene) == (first, 0, 32, 32)


def test_m28_guard_band_does_not_move_the_picture():
    pictures = []
    for adjust in (1.0, 8.0, 1000.0):
        scene = Scene(64, 64)
        for name in ("VERT", "HORZ"):
            scene.registers.set_float(f"PA_CL_GB_{name}_CLIP_ADJ", adjust)
        scene.draw([(-3, -2), (2.5, -2), (-3, 3.5)])
        pictures.append(scene.covered())
    assert 0 < pictures[0].sum() < 64 * 64
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[0], pictures[2])


def test_m210_opengl_clip_space_and_kill():
    scene = depth_scene()
    scene.registers["PA_CL_CLIP_CNTL"] = 0  # DX_CLIP_SPACE_DEF clear: -w .. w
    scene.registers.set_float("PA_CL_VPORT_ZSCALE", 0.5)
    scene.registers.set_float("PA_CL_VPORT_ZOFFSET", 0.5)
    scene.draw(at(FULL, -0.5))
    assert values(scene) == {0x3E800000}
    scene.draw(at(FULL, -1.5))
    assert values(scene) == {0x3E800000}
    scene.registers.set_fields("PA_CL_CLIP_CNTL", DX_RASTERIZATION_KILL=1)
    scene.draw(at(FULL, 0.5))
    assert values(scene) == {0x3E800000}


def test_m210_near_and_far_clip():
    scene = Scene(16, 16)
    scene.draw(at(FULL, -0.25) + at(FULL, 1.25))
    assert not scene.covered().any()


@pytest.mark.parametrize(("changes", "expected"), [
    ({"PA_SC_SCREEN_SCISSOR_TL": 3 | 5 << 16}, (3, 5, 64, 64)),
    ({"PA_SC_SCREEN_SCISSOR_TL": 0xFFFD | 5 << 16}, (0, 5, 64, 64)),
    ({"PA_SC_SCREEN_SCISSOR_BR": 30 | 20 << 16}, (0, 0, 30, 20)),
    ({"PA_SC_WINDOW_SCISSOR_TL": 0x80000000 | 3 | 5 << 16, "PA_SC_WINDOW_OFFSET": 7 | 9 << 16}, (3, 5, 64, 64)),
    ({"PA_SC_WINDOW_SCISSOR_TL": 3 | 5 << 16, "PA_SC_WINDOW_OFFSET": 7 | 9 << 16}, (10, 14, 64, 64)),
    ({"PA_SC_WINDOW_SCISSOR_TL": 13 | 15 << 16, "PA_SC_WINDOW_OFFSET": 0xFFF90000 | 0xFFFB}, (8, 8, 64, 64)),
    ({"PA_SC_GENERIC_SCISSOR_TL": 0x80000000 | 4, "PA_SC_GENERIC_SCISSOR_BR": 40 | 50 << 16}, (4, 0, 40, 50)),
    ({"PA_SC_VPORT_SCISSOR_0_BR": 8 | 9 << 16}, (0, 0, 8, 9)),
    ({"PA_SC_VPORT_SCISSOR_0_BR": 8 | 9 << 16, "PA_SC_MODE_CNTL_0": 0}, (0, 0, 64, 64)),
    ({"PA_SC_GENERIC_SCISSOR_TL": 0x80000000 | 40, "PA_SC_VPORT_SCISSOR_0_BR": 40 | 9 << 16}, None),
    ({"PA_SC_GENERIC_SCISSOR_TL": 0x80000000 | 4, "PA_SC_VPORT_SCISSOR_0_BR": 40 | 9 << 16}, (4, 0, 40, 9)),
])
def test_m212_scissors(changes, expected):
    scene = Scene(64, 64)
    for name, word in changes.items():
        scene.registers[name] = word
    scene.draw(FULL)
    assert box(scene) == expected


@pytest.mark.parametrize(("z", "word"), [(-1, 0x3E800000), (2, 0x3F400000)])
def test_m29_viewport_clamp(z, word):
    scene = depth_scene()
    scene.viewport(0, 0, 16, 16, zmin=0.25, zmax=0.75)
    scene.registers.set_fields("PA_CL_CLIP_CNTL", ZCLIP_NEAR_DISABLE=1, ZCLIP_FAR_DISABLE=1)
    scene.draw(at(FULL, z))
    assert values(scene) == {word}


def test_m213_rectangle_away_from_the_border():
    scene = Scene(64, 64)
    scene.registers["VGT_PRIMITIVE_TYPE"] = RECTLIST
    scene.draw([(0.5, 0.75), (-0.5, -0.25), (0.5, -0.25)])
    assert box(scene) == (16, 24, 48, 56)


def test_m214_strips_and_fans():
    for prim_type, vertices in ((TRISTRIP, QUAD), (TRIFAN, [QUAD[0], QUAD[1], QUAD[3], QUAD[2]])):
        scene = Scene(64, 64)
        scene.registers["VGT_PRIMITIVE_TYPE"] = prim_type
        scene.registers["PA_SU_SC_MODE_CNTL"] = 0x241  # a strip's odd triangles face as its even ones
        scene.draw(vertices)
        assert box(scene) == (0, 0, 64, 64)


# --- Depth and stencil ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("control", "word"), [(0x0, 0x3E800000), (0x76, 0x3F666666)])
def test_b19_depth_clear_enable_makes_no_write(control, word):
    scene = depth_scene(clear=0.25)
    scene.registers["DB_RENDER_CONTROL"] = 1
    scene.registers["DB_DEPTH_CONTROL"] = control
    scene.registers.set_float("DB_DEPTH_CLEAR", 0.9)
    scene.draw(at(FULL, 0.5))
    assert values(scene) == {word}


@pytest.mark.parametrize(("clear", "expected"), [(0.0, 0.3), (1.0, 1.0)])
def test_b21_no_implicit_clear(clear, expected):
    scene = depth_scene(GEQUAL, clear)
    scene.draw(at(FULL, 0.3))
    assert values(scene) == {as_word(expected)}


@pytest.mark.parametrize(("operation", "expected"), [(2, 0xFF), (3, 0x00), (4, 0x5A)])
def test_b22_three_replacing_operations(operation, expected):
    assert stencil_after(0x11, operation << 4, 0x5AFFFF00) == expected


@pytest.mark.parametrize(("operation", "before", "expected"),
                         [(5, 0xF0, 0xFF), (8, 0xF0, 0x10), (6, 0x10, 0x00), (9, 0x10, 0xF0)])
def test_b24_operand_of_add_and_subtract(operation, before, expected):
    assert stencil_after(before, operation << 4, 0x20FFFF00) == expected


def test_b25_backface_state_ignored():
    scene = stencil_scene(0x11, 3 << 4, 0x01FFFF5A)
    scene.registers.set_fields("DB_DEPTH_CONTROL", BACKFACE_ENABLE=0, STENCILFUNC_BF=0)
    scene.draw(CW)
    assert set(scene.gpu.stencil().read().ravel().tolist()) == {0x11, 0x5A}
    scene = stencil_scene(0x11, 3 << 4, 0x01FFFF5A)
    scene.registers.set_fields("DB_DEPTH_CONTROL", BACKFACE_ENABLE=1, STENCILFUNC_BF=0)
    scene.draw(CW)
    assert set(scene.gpu.stencil().read().ravel().tolist()) == {0x11}


@shaders.pixel(depth=True)
def tenth(inputs, outputs, live, constants, lanes):
    for lane in range(lanes):
        outputs[4, lane] = 0.1


@pytest.mark.parametrize(("word", "expected"), [(0x10, 0.6), (0x1, 0.1)])
def test_b27_exported_depth(word, expected):
    scene = depth_scene()
    scene.registers["DB_SHADER_CONTROL"] = word
    scene.registers["SPI_SHADER_Z_FORMAT"] = 1
    scene.draw(at(FULL, 0.6), pixel=tenth)
    assert values(scene) == {as_word(expected)}


def test_b28_slices_of_one_base():
    scene = depth_scene()
    views = {0x02000000: 0.25, 0x02002001: 0.5, 0x02004002: 0.75}  # STENCIL_READ_ONLY, slices 0, 1, 2
    for word, z in views.items():
        scene.registers["DB_DEPTH_VIEW"] = word
        scene.draw(at(FULL, z))
    for word, z in views.items():
        scene.registers["DB_DEPTH_VIEW"] = word
        assert values(scene) == {as_word(z)}


@pytest.mark.parametrize(("func", "z"), [(func, z) for func in range(8) for z in (0.25, 0.5, 0.75)])
def test_m31_compare_functions(func, z):
    passes = (False, z < 0.5, z == 0.5, z <= 0.5, z > 0.5, z != 0.5, z >= 0.5, True)[func]
    scene = depth_scene(func, 0.5)
    scene.draw(at(FULL, z))
    assert values(scene) == {as_word(z if passes else 0.5)}
    assert scene.covered().all() == passes


def test_m31_z_write_needs_z_enable():
    scene = depth_scene(clear=0.5)
    scene.depth_state(enable=False)
    scene.draw(at(FULL, 0.25))
    assert values(scene) == {0x3F000000}
    assert scene.covered().all()


def test_m32_all_operations():
    s, op, ref, mask = 0xC5, 0x3A, 0x96, 0x7E
    results = [s, 0, 0xFF, ref, op, min(s + op, 255), max(s - op, 0), ~s, s + op, s - op, s & op, s | op, s ^ op,
               ~(s & op), ~(s | op), ~(s ^ op)]
    for operation, result in enumerate(results):
        reference = op << 24 | mask << 16 | 0xFF00 | ref
        assert stencil_after(s, operation << 4, reference) == (s & ~mask | result & mask) & 0xFF, operation


@pytest.mark.parametrize("func", range(8))
def test_m33_reference_is_on_the_left(func):
    for ref, before in ((0x12, 0x23), (0x23, 0x12), (0x13, 0x23)):  # compared under mask 0x0F
        a, b = ref & 0xF, before & 0xF
        passes = (False, a < b, a == b, a <= b, a > b, a != b, a >= b, True)[func]
        assert stencil_after(before, 7 << 4, 0x00FF0F00 | ref, func) == (before ^ 0xFF if passes else before)


def test_m32_fail_zfail_and_back_face():
    scene = Scene(64, 64, z_format=3, stencil=True)
    scene.clear_depth(0.5)
    scene.clear_stencil(0x10)
    scene.depth_state(LESS)
    scene.registers.set_fields("DB_DEPTH_CONTROL", STENCIL_ENABLE=1, BACKFACE_ENABLE=1, STENCILFUNC=ALWAYS,
                               STENCILFUNC_BF=0)
    scene.registers["DB_STENCIL_CONTROL"] = 3 << 8 | 3 << 12  # front ZFAIL and back FAIL: REPLACE_TEST
    scene.registers["DB_STENCILREFMASK"] = 0x01FFFF21
    scene.registers["DB_STENCILREFMASK_BF"] = 0x01FFFF32
    scene.draw(at(CCW, 0.75) + at(CW, 0.25))
    stencil = scene.gpu.stencil().read()[0]
    assert set(stencil[:, :32].ravel().tolist()) == {0x10, 0x21}
    assert set(stencil[:, 32:].ravel().tolist()) == {0x10, 0x32}
    assert values(scene) == {0x3F000000}
    assert not scene.covered().any()


def test_m37_read_only_views():
    scene = depth_scene(clear=0.5)
    scene.registers["DB_DEPTH_VIEW"] = 1 << 24
    scene.draw(at(FULL, 0.25))
    assert values(scene) == {0x3F000000}
    assert scene.covered().all()


@pytest.mark.parametrize(("clear", "passes"), [(0.1, False), (0.25, True), (0.5, True), (0.75, True), (0.8, False)])
def test_m38_depth_bounds_on_the_stored_depth(clear, passes):
    scene = depth_scene(clear=clear, DEPTH_BOUNDS_ENABLE=1)
    scene.registers.set_float("DB_DEPTH_BOUNDS_MIN", 0.25)
    scene.registers.set_float("DB_DEPTH_BOUNDS_MAX", 0.75)
    scene.draw(at(FULL, 0.9))
    assert values(scene) == {as_word(0.9 if passes else clear)}


@pytest.mark.parametrize(("z_format", "z", "code"),
                         [(1, 0.5, 32768), (1, 0.3, 19661), (2, 0.5, 8388608), (2, 1.0, 0xFFFFFF), (1, 1.0, 0xFFFF)])
def test_m310_unorm_depth(z_format, z, code):
    scene = Scene(16, 16, z_format=z_format)
    scene.depth_state()
    scene.draw(at(FULL, z))
    assert {word & 0xFFFFFF for word in values(scene)} == {code}


# --- Colour formats and blending ------------------------------------------------------------------------------------


def test_b63_snorm_minus_one():
    assert stored(10, 1, color=(-1, -1, -1, -1)) == [0x81818181]
    assert stored(12, 1, color=(-1, -1, -1, -1)) == [0x80018001, 0x80018001]


def test_b66_integer_stores_saturate():
    assert stored(10, 5, (300, -300, 5, -5)) == [0xFB05807F]
    assert stored(12, 4, (0x12345, 7, 0, 0xFFFFFFFF)) == [0x0007FFFF, 0xFFFF0000]


def test_b68_alternate_order():
    color = (1.0, 0.0, 0.2, 0.4)
    assert stored(10, 0, color=color) == [0x663300FF]
    assert stored(10, 0, color=color, swap=1) == [0x66FF0033]
    assert stored(12, 0, color=color, swap=1) == [0x00003333, 0x6666FFFF]


def blend_scene(control, destination, constant=(0, 0, 0, 0)):
    scene = Scene(8, 8, color=14, number_type=7)
    scene.memory.write(COLOR_ADDRESS, np.tile(np.array(destination, np.float32), 64 * 64))
    scene.registers["CB_BLEND0_CONTROL"] = control
    for name, value in zip(("RED", "GREEN", "BLUE", "ALPHA"), constant, strict=True):
        scene.registers.set_float(f"CB_BLEND_{name}", value)
    return scene


@pytest.mark.parametrize(("control", "expected"),
                         [(0x65010504, (0.5, 0, 0.5, 0.75)), (0x45010504, (0.5, 0, 0.5, 0.5))])
def test_b69_separate_alpha(control, expected):
    scene = blend_scene(control, (0, 0, 1, 0.5))
    scene.draw(FULL, (1, 0, 0, 0.5))
    assert tuple(scene.gpu.color(0).read()[0, 3, 3].tolist()) == expected


SOURCE, DESTINATION, CONSTANT = (0.5, 0.25, 1.0, 0.75), (0.25, 0.5, 0.125, 0.5), (0.125, 0.5, 0.25, 0.75)


def factor(number, channel):
    s, d, c = SOURCE, DESTINATION, CONSTANT
    saturated = 1.0 if channel == 3 else min(s[3], 1 - d[3])
    return {0: 0.0, 1: 1.0, 2: s[channel], 3: 1 - s[channel], 4: s[3], 5: 1 - s[3], 6: d[3], 7: 1 - d[3],
            8: d[channel], 9: 1 - d[channel], 10: saturated, 13: c[channel], 14: 1 - c[channel], 19: c[3],
            20: 1 - c[3]}[number]  # fmt: skip


@pytest.mark.parametrize("function", range(5))
def test_m510_factors_and_functions(function):
    numbers = [*range(11), 13, 14, 19, 20]
    for number, other in zip(numbers, numbers[3:] + numbers[:3], strict=True):
        scene = blend_scene(1 << 30 | number | function << 5 | other << 8, DESTINATION, CONSTANT)
        scene.draw(FULL, SOURCE)
        for channel, (s, d) in enumerate(zip(SOURCE, DESTINATION, strict=True)):
            a, b = s * factor(number, channel), d * factor(other, channel)
            expected = (a + b, a - b, min(s, d), max(s, d), b - a)[function]
            assert scene.gpu.color(0).read()[0, 5, 5, channel] == expected, (number, other, channel)


@pytest.mark.parametrize("mask", range(16))
def test_m511_write_mask(mask):
    scene = Scene(8, 8)
    scene.memory.fill(COLOR_ADDRESS, 4 * 64 * 64, 0x44332211)
    scene.registers["CB_TARGET_MASK"] = mask
    scene.draw(FULL, (0, 1, 0, 1))
    keep = sum(0xFF << 8 * n for n in range(4) if not mask >> n & 1)
    assert (scene.gpu.color(0).words()[0] == (0x44332211 & keep | 0xFF00FF00 & ~keep)).all()


@pytest.mark.parametrize(("format_", "word"), [(9, 0xB458D123), (8, 0x00B458D3)])
def test_m59_packed_integers(format_, word):
    assert stored(format_, 4, (0x123, 0x234, 0x345, 2)) == [word]


@pytest.mark.parametrize(("format_", "number_type", "swap", "expected"), [
    (1, 0, 0, 0xFF), (2, 0, 0, 0xFFFF), (2, 7, 0, 0x3C00), (3, 0, 0, 0x00FF), (5, 0, 0, 0x0000FFFF),
    (5, 7, 0, 0x00003C00), (4, 7, 0, 0x3F800000), (16, 0, 0, 0x301F), (16, 0, 2, 0xF806), (17, 0, 0, 0x181F),
    (19, 0, 0, 0x630F), (9, 0, 0, 0x4CD003FF), (8, 0, 0, 0x664CD003), (10, 0, 2, 0xFF003366), (10, 0, 3, 0x3300FF66),
])  # fmt: skip
def test_m59_fields_of_formats(format_, number_type, swap, expected):
    """Names list fields from the most significant bit."""
    assert stored(format_, number_type, color=(1.0, 0.0, 0.2, 0.4), swap=swap) == [expected]


@pytest.mark.parametrize(("truncate", "word"), [(0, 0x80808080), (1, 0x7F7F7F7F)])
def test_m58_round_mode(truncate, word):
    scene = Scene(8, 8)
    scene.registers.set_fields("CB_COLOR0_INFO", ROUND_MODE=truncate)
    scene.draw(FULL, (0.5,) * 4)
    assert (scene.gpu.color(0).words() == word).all()


def test_m510_force_dst_alpha_and_bypass():
    scene = blend_scene(1 << 30 | 6, DESTINATION)  # source times destination alpha
    scene.registers.set_fields("CB_COLOR0_ATTRIB", FORCE_DST_ALPHA_1=1)
    scene.draw(FULL, SOURCE)
    assert tuple(scene.gpu.color(0).read()[0, 1, 1].tolist()) == SOURCE
    scene = blend_scene(1 << 30, DESTINATION)
    scene.registers.set_fields("CB_COLOR0_INFO", BLEND_BYPASS=1)
    scene.draw(FULL, SOURCE)
    assert tuple(scene.gpu.color(0).read()[0, 1, 1].tolist()) == SOURCE


# --- Draw inputs and commands ---------------------------------------------------------------------------------------


def submit(scene, *packets):
    scene.gpu.submit(pm4.encode(packets))


def halves_of(address):
    return address & 0xFFFFFFFF, address >> 32


def index_buffer(scene, data, offset=0):
    data = np.asarray(data)
    scene.memory.map(INDEX_ADDRESS, 0x1000)
    scene.memory.write(INDEX_ADDRESS + offset, data)
    return INDEX_ADDRESS + offset


def test_b70_auto_count_is_the_packet_s():
    scene = Scene(64, 64)
    left = [(-1, -1), (0, -1), (-1, 1), (-1, 1), (0, -1), (0, 1)]
    scene.bind(left + [(x + 1, y) for x, y in left] + [(0, 0)] * 1012)
    submit(scene, pm4.packet("DRAW_INDEX_AUTO", 6, 2))
    assert box(scene) == (0, 0, 32, 64)
    assert scene.gpu.counters().input_vertices == 6


@pytest.mark.parametrize(("index_type", "expected"), [(0, 0), (1, 64 * 64), (0x441, 64 * 64)])
def test_b71_index_size(index_type, expected):
    scene = Scene(64, 64)
    scene.bind(QUAD)
    address = index_buffer(scene, np.array([0, 1, 2, 2, 1, 3], np.uint32))
    submit(scene, pm4.packet("SET_UCONFIG_REG_INDEX", 0x20000243, index_type),
           pm4.packet("DRAW_INDEX_2", 12, *halves_of(address), 6, 0))
    assert scene.covered().sum() == expected


def test_m82_bytes_as_indices():
    scene = Scene(64, 64)
    scene.bind(QUAD)
    address = index_buffer(scene, np.array([0, 1, 2, 2, 1, 3], np.uint8), 1)
    submit(scene, pm4.packet("INDEX_TYPE", 2), pm4.packet("DRAW_INDEX_2", 6, *halves_of(address), 6, 0))
    assert scene.covered().all()


@pytest.mark.parametrize("kind", ["DRAW_INDEX_2", "DRAW_INDEX_OFFSET_2", "DRAW_INDEX_AUTO"])
def test_b73_index_offset(kind):
    scene = Scene(64, 64)
    scene.bind([(0, 0)] * 0xD4D4 + FULL)
    address = index_buffer(scene, np.array([9, 9, 0, 1, 2], np.uint16))
    draw = {
        "DRAW_INDEX_2": pm4.packet("DRAW_INDEX_2", 3, *halves_of(address + 4), 3, 0),
        "DRAW_INDEX_OFFSET_2": pm4.packet("DRAW_INDEX_OFFSET_2", 5, 2, 3, 0),
        "DRAW_INDEX_AUTO": pm4.packet("DRAW_INDEX_AUTO", 3, 2),
    }[kind]
    submit(scene, pm4.packet("SET_UCONFIG_REG", 0x24A, 0xD4D4), pm4.packet("INDEX_BASE", *halves_of(address)),
           pm4.packet("INDEX_BUFFER_SIZE", 5), draw)
    assert scene.covered().all()


def test_b74_records_past_the_end():
    """Attribute of three records for a draw of six vertices: the second triangle's are 0, not the neighbours."""
    scene = Scene(64, 64, color=14, number_type=7)
    scene.memory.map(SPARE, 0x1000)
    scene.memory.write(SPARE, np.full(64, 0.5, np.float32))
    for format_, w in ((77, 0.0), (74, 1.0)):  # 32_32_32_32_FLOAT, 32_32_32_FLOAT
        position = scene.buffer([(-1, -1), (0, -1), (-1, 1), (0, -1), (1, -1), (0, 1)])
        attribute = texture.Buffer.from_words(vsharp(SPARE, 16, 3, format_), scene.memory)
        scene.gpu.bind("vs", shaders.vertex(position=position, attributes=[attribute]))
        scene.gpu.bind("ps", shaders.attribute(0))
        scene.gpu.draw_auto(6)
        pixels = scene.gpu.color(0).read()[0]
        assert pixels[2, 2].tolist() == [0.5, 0.5, 0.5, 0.5 if format_ == 77 else 1.0]
        assert pixels[2, 34].tolist() == [0, 0, 0, w]


def test_b76_two_components_as_four():
    scene = Scene(16, 16, color=14, number_type=7)
    scene.memory.map(SPARE, 0x1000)
    scene.memory.write(SPARE, np.array([0.25, 0.75] * 3, np.float32))
    attribute = texture.Buffer.from_words(vsharp(SPARE, 8, 3, 64), scene.memory)
    scene.gpu.bind("vs", shaders.vertex(position=scene.buffer(FULL), attributes=[attribute]))
    scene.gpu.bind("ps", shaders.attribute(0))
    scene.gpu.draw_auto(3)
    assert scene.gpu.color(0).read()[0, 4, 4].tolist() == [0.25, 0.75, 0, 1]


def test_b80_b81_dma_fills():
    scene = Scene(16, 16)
    scene.memory.map(SPARE, 0x1000)
    scene.memory.fill(SPARE, 0x1000, 0xEEEEEEEE)
    submit(
        scene,
        pm4.packet("DMA_DATA", 2 << 29 | 1 << 20, 0, 0, 0xC64, 0, 4),  # to the GDS
        pm4.packet("DMA_DATA", 2 << 29, 0xCAFEF00D, 0, *halves_of(SPARE + 8), 4),
        pm4.packet("DMA_DATA", 2 << 29 | 3 << 20, 0x12345678, 0, *halves_of(SPARE + 16), 8),
    )
    e = 0xEEEEEEEE
    assert scene.memory.view(SPARE, 28, np.uint32).tolist() == [e, e, 0xCAFEF00D, e, 0x12345678, 0x12345678, e]


def test_m86_dma_between_draws():
    """A fill over the depth plane is seen by the draw after it, and not by the one before."""
    scene = depth_scene(LESS, 1.0, 64)
    scene.bind(at(FULL, 0.5))
    draw = pm4.packet("DRAW_INDEX_AUTO", 3, 2)
    submit(scene, draw, pm4.packet("DMA_DATA", 2 << 29, as_word(0.25), 0, *halves_of(DEPTH_ADDRESS), 65536), draw)
    assert values(scene) == {0x3E800000}
    assert scene.covered().all()


def test_b82_register_offset_of_all_ones():
    scene = Scene(16, 16)
    scene.bind(FULL)
    with pytest.raises(DecodeError, match="0xffffffff"):
        submit(scene, pm4.packet("SET_CONTEXT_REG", 0xFFFFFFFF, 0x45010504))
    assert scene.registers.word("CB_BLEND0_CONTROL") == 0
    submit(scene, pm4.packet("DRAW_INDEX_AUTO", 3, 2))
    assert scene.covered().all()


def test_b83_indices_and_halves_two_bytes_off():
    scene = Scene(64, 64)
    scene.memory.map(VERTEX_ADDRESS, 0x1000)
    scene.memory.write(VERTEX_ADDRESS + 2, np.array([(*p, 0, 1) for p in QUAD], np.float16))
    buffer = texture.Buffer.from_words(vsharp(VERTEX_ADDRESS + 2, 8, 4, 71), scene.memory)
    scene.gpu.bind("vs", shaders.vertex(position=buffer))
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    address = index_buffer(scene, np.array([0, 1, 2, 0xFFFF, 2, 1, 3], np.uint16), 2)
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRISTRIP
    scene.registers["VGT_MULTI_PRIM_IB_RESET_INDX"] = 0xFFFF
    scene.registers["GE_MULTI_PRIM_IB_RESET_EN"] = 1
    submit(scene, pm4.packet("INDEX_TYPE", 0), pm4.packet("DRAW_INDEX_2", 7, *halves_of(address), 7, 0))
    assert box(scene) == (0, 0, 64, 64)


@pytest.mark.parametrize(("enable", "reset", "drawn"), [
    (0, 0xFFFFFFFF, False), (1, 0xFFFFFFFF, True), (1, 0x1234FFFF, True), (3, 0xFFFF, True),
    (3, 0xFFFFFFFF, False),  # MATCH_ALL_BITS: no 16-bit index equals that
])
def test_m84_restart_compares_the_bits_of_an_index(enable, reset, drawn):
    scene = Scene(64, 64)
    scene.bind(FULL)
    address = index_buffer(scene, np.array([0xFFFF, 0, 1, 2], np.uint16))
    scene.registers["VGT_PRIMITIVE_TYPE"] = TRIFAN
    scene.registers["VGT_MULTI_PRIM_IB_RESET_INDX"] = reset
    scene.registers["GE_MULTI_PRIM_IB_RESET_EN"] = enable
    scene.gpu.draw_indexed(4, address)
    assert scene.covered().all() == drawn
    assert scene.covered().any() == drawn


def test_m24_zpass_counter():
    scene = Scene(z_format=3)
    scene.clear_depth(1.0)
    scene.depth_state(LESS)
    scene.memory.map(SPARE, 0x1000)
    scene.bind([(-0.75, -0.75), (0.75, -0.75), (0, 0.75)])
    first, second = (pm4.packet("EVENT_WRITE", 21 | 1 << 8, *halves_of(SPARE + offset)) for offset in (0, 8))
    submit(scene, pm4.packet("SET_CONTEXT_REG", 0x1, 0x11000102), first, pm4.packet("DRAW_INDEX_AUTO", 3, 2), second)
    begin, end = scene.memory.view(SPARE, 256, np.uint64).reshape(16, 2).T
    assert (end - begin).sum() == 18432


def test_m86_instances_blend_in_order():
    scene = blend_scene(1 << 30 | 1 | 1 << 8, (0, 0, 0, 0))
    scene.bind(FULL, SOURCE)
    submit(scene, pm4.packet("NUM_INSTANCES", 4), pm4.packet("DRAW_INDEX_AUTO", 3, 2))
    assert scene.gpu.color(0).read()[0, 1, 1].tolist() == [4 * value for value in SOURCE]


def test_b85_default_masks_write_all():
    fresh = Gpu().registers
    assert (fresh.word("CB_TARGET_MASK"), fresh.word("CB_SHADER_MASK")) == (0xFFFFFFFF, 0xFFFFFFFF)


def test_m81_fillers_and_nops():
    scene = Scene(16, 16)
    scene.bind(FULL)
    scene.gpu.submit(np.array([0x80000000, 0xFFFF1000, 0xC0001000, 0xDEADBEEF, 0xC0012D00, 3, 2], np.uint32))
    assert scene.covered().all()
