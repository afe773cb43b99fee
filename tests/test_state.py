"""Decoding of draw state: fields land where the pipeline looks, and what is not modelled is refused by name."""

import numpy as np
import pytest

from refgpu import shaders
from refgpu.base.errors import DecodeError, UnsupportedError
from refgpu.raster.layout import C, F, S
from refgpu.registers import RegisterFile
from refgpu.shaders import PixelShader, VertexShader
from refgpu.state import decode_state

FLAT = shaders.flat(1, 1, 1, 1)
RECT = shaders.clear_rect()


@pytest.fixture
def registers():
    r = RegisterFile("gfx1013")
    r["CB_COLOR_CONTROL"] = 0x00CC0010
    r["CB_TARGET_MASK"] = r["CB_SHADER_MASK"] = 0xF
    r["CB_COLOR0_INFO"] = 10 << 2
    r["CB_COLOR0_ATTRIB2"] = 63 << 14 | 31
    r["SPI_SHADER_COL_FORMAT"] = 9
    r["PA_SU_VTX_CNTL"] = 0x2D
    return r


def test_targets_and_their_common_extent(registers):
    registers["DB_Z_INFO"] = 3 | 24 << 4
    registers["DB_DEPTH_CONTROL"] = 0x76
    registers["DB_DEPTH_SIZE_XY"] = 49 | 99 << 16
    registers["DB_DEPTH_VIEW"] = 0x02002001
    registers["DB_Z_READ_BASE"] = registers["DB_Z_WRITE_BASE"] = 0x01020304
    registers["DB_Z_READ_BASE_HI"] = registers["DB_Z_WRITE_BASE_HI"] = 0x80
    state = decode_state(registers, RECT, FLAT)
    assert (state.width, state.height) == (50, 32)
    assert state.depth.z_address == 0x8001_0203_0400
    assert (state.depth.slice, state.depth.slices) == (1, 2)
    assert state.colors[0].format == 10
    assert state.colors[1:] == (None,) * 7
    row = state.rows_i[0]
    assert (row[S.Z_FORMAT], row[S.Z_ENABLE], row[S.Z_WRITE], row[S.ZFUNC]) == (3, 1, 1, 7)
    assert row[S.COLOR + C.MASK] == 0xF
    assert row[S.DEFER] == 1


def test_z_read_only_blocks_the_write_only(registers):
    registers["DB_Z_INFO"] = 3
    registers["DB_DEPTH_CONTROL"] = 0x76
    registers["DB_DEPTH_VIEW"] = 1 << 24
    row = decode_state(registers, RECT, FLAT).rows_i[0]
    assert (row[S.Z_ENABLE], row[S.Z_WRITE]) == (1, 0)


def test_z_disabled_neither_tests_nor_writes(registers):
    registers["DB_Z_INFO"] = 3
    registers["DB_DEPTH_CONTROL"] = 0x74
    state = decode_state(registers, RECT, FLAT)
    assert state.depth is None
    assert state.rows_i[0, S.Z_WRITE] == 0


def test_backface_enable_0_copies_the_front_state(registers):  # cases.md B25
    registers["DB_STENCIL_INFO"] = 1
    registers["DB_DEPTH_CONTROL"] = 1 | 7 << 8
    row = decode_state(registers, RECT, FLAT).rows_i[0]
    assert row[S.STENCIL_FRONT] == row[S.STENCIL_BACK] == 7
    registers["DB_DEPTH_CONTROL"] = 1 | 7 << 8 | 1 << 7
    row = decode_state(registers, RECT, FLAT).rows_i[0]
    assert (row[S.STENCIL_FRONT], row[S.STENCIL_BACK]) == (7, 0)


def test_inverted_depth_limits_are_sorted(registers):  # cases.md B14
    registers.set_float("PA_SC_VPORT_ZMIN_0", 1.0)
    registers.set_float("PA_SC_VPORT_ZMAX_0", 0.0)
    row = decode_state(registers, RECT, FLAT).rows_f[0]
    assert (row[F.ZMIN], row[F.ZMAX]) == (0.0, 1.0)


def test_cb_mode_0_writes_nothing(registers):
    registers["CB_COLOR_CONTROL"] = 0x00CC0000
    state = decode_state(registers, RECT, FLAT)
    assert state.colors == (None,) * 8
    assert state.rows_i[0, S.COLOR + C.MASK] == 0


@pytest.mark.parametrize(("window", "offset", "expected"), [
    (0x80000000, 0x00050003, (0, 0, 64, 32)),
    (0x00000000, 0x00050003, (3, 5, 64, 32)),
    (0x00000000, 0xFFFEFFFF, (0, 0, 39, 18)),
    (0x8000000A, 0, (10, 0, 64, 32)),
])
def test_scissors_intersect_and_take_the_window_offset(registers, window, offset, expected):
    registers["PA_SC_WINDOW_SCISSOR_TL"] = window
    registers["PA_SC_WINDOW_SCISSOR_BR"] = 40 | 20 << 16 if offset == 0xFFFEFFFF else 0x40004000
    registers["PA_SC_WINDOW_OFFSET"] = offset
    registers["PA_SC_GENERIC_SCISSOR_TL"] = 0x80000000
    row = decode_state(registers, RECT, FLAT).rows_i[0]
    assert tuple(row[S.SCISSOR_X0 : S.SCISSOR_Y1 + 1]) == expected


def test_empty_screen_scissor_leaves_no_pixel(registers):  # cases.md B12
    registers["PA_SC_SCREEN_SCISSOR_BR"] = 0
    row = decode_state(registers, RECT, FLAT).rows_i[0]
    assert tuple(row[S.SCISSOR_X0 : S.SCISSOR_Y1 + 1]) == (0, 0, 0, 0)


@pytest.mark.parametrize(("register", "value", "feature"), [
    ("PA_SC_AA_CONFIG", 2, "PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES"),
    ("PA_SU_SC_MODE_CNTL", 1 << 3 | 1 << 5, "PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE"),
    ("PA_CL_CLIP_CNTL", 1, "PA_CL_CLIP_CNTL.UCP_ENA_0"),
    ("PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", 1, "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL.OVER_RAST_ENABLE"),
    ("CB_COLOR0_INFO", 10 << 2 | 1 << 28, "CB_COLOR0_INFO.DCC_ENABLE"),
    ("CB_COLOR0_VIEW", 1 << 26, "CB_COLOR0_VIEW.MIP_LEVEL"),
    ("CB_COLOR_CONTROL", 0x00CC0020, "CB_COLOR_CONTROL.MODE"),
    ("PA_SC_EDGERULE", 0, "PA_SC_EDGERULE.ER_TRI"),
    ("PA_SC_CLIPRECT_RULE", 0, "PA_SC_CLIPRECT_RULE.CLIP_RULE"),
    ("DB_SHADER_CONTROL", 1, "DB_SHADER_CONTROL.Z_EXPORT_ENABLE"),
    ("DB_ALPHA_TO_MASK", 1, "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE"),
    ("VGT_SHADER_STAGES_EN", 4, "VGT_SHADER_STAGES_EN.HS_EN"),
    ("VGT_STRMOUT_CONFIG", 1, "VGT_STRMOUT_CONFIG.STREAMOUT_0_EN"),
    ("PA_CL_VS_OUT_CNTL", 1, "PA_CL_VS_OUT_CNTL uses distance 0"),
])
def test_what_is_not_modelled_is_named(registers, register, value, feature):
    registers[register] = value
    with pytest.raises(UnsupportedError) as caught:
        decode_state(registers, RECT, FLAT)
    assert feature in str(caught.value)


def test_htile_is_refused_until_the_metadata_floor_joins(registers):
    registers["DB_Z_INFO"] = 3 | 1 << 29
    registers["DB_DEPTH_CONTROL"] = 0x76
    with pytest.raises(UnsupportedError, match=r"DB_Z_INFO\.TILE_SURFACE_ENABLE"):
        decode_state(registers, RECT, FLAT)


def test_view_that_ends_before_it_starts(registers):
    registers["CB_COLOR0_VIEW"] = 5
    with pytest.raises(DecodeError, match="SLICE_MAX = 0"):
        decode_state(registers, RECT, FLAT)


def test_attribute_beyond_the_vertex_shaders_exports(registers):
    with pytest.raises(UnsupportedError, match=r"SPI_PS_INPUT_CNTL_0\.OFFSET = 0 .*exports 0 parameters"):
        decode_state(registers, RECT, shaders.attribute(0))


def test_default_values_need_no_parameter(registers):
    registers["SPI_PS_INPUT_CNTL_0"] = 0x20 | 1 << 8
    row = decode_state(registers, RECT, shaders.attribute(0)).rows_i[0]
    assert row[S.INPUT] == 33


def test_blend_or_partial_mask_or_kill_prevents_deferral(registers):
    assert decode_state(registers, RECT, FLAT).rows_i[0, S.DEFER] == 1
    registers["CB_BLEND0_CONTROL"] = 1 << 30
    assert decode_state(registers, RECT, FLAT).rows_i[0, S.DEFER] == 0
    registers["CB_BLEND0_CONTROL"] = 0
    registers["CB_TARGET_MASK"] = 0x7
    assert decode_state(registers, RECT, FLAT).rows_i[0, S.DEFER] == 0
    registers["CB_TARGET_MASK"] = 0xF
    kill = PixelShader(FLAT.callback, "kill", flags=4)
    row = decode_state(registers, RECT, kill).rows_i[0]
    assert (row[S.DEFER], row[S.LATE]) == (0, 1)


def test_equal_words_are_decoded_once(registers):
    first = decode_state(registers, RECT, FLAT)
    other = RegisterFile("gfx1013")
    for name, value in registers.changed():
        other[name] = value
    assert decode_state(other, RECT, FLAT).targets_key == first.targets_key
    registers["PA_SU_SC_MODE_CNTL"] = 3
    assert decode_state(registers, RECT, FLAT).rows_i[0, S.SC_MODE] == 3


def test_sixteen_rows_only_when_the_vertex_chooses_the_viewport(registers):
    misc = VertexShader(RECT.callback, "misc", flags=1)
    assert decode_state(registers, misc, FLAT).rows_i.shape[0] == 1
    registers["PA_CL_VS_OUT_CNTL"] = 1 << 21 | 1 << 19
    registers.set_float("PA_CL_VPORT_XSCALE_3", 7.5)
    state = decode_state(registers, misc, FLAT)
    assert state.rows_i.shape[0] == 16
    assert state.rows_f[3, F.XSCALE] == np.float32(7.5)


def test_an_empty_scissor_is_named(registers):  # cases.md B12
    assert decode_state(registers, RECT, FLAT).warnings == ()
    registers["PA_SC_SCREEN_SCISSOR_BR"] = 0
    assert "PA_SC_SCREEN_SCISSOR is empty" in decode_state(registers, RECT, FLAT).warnings[0]
    registers["PA_SC_SCREEN_SCISSOR_BR"] = 0x40004000
    registers["PA_SC_WINDOW_SCISSOR_TL"] = 0x80000000 | 200
    assert "no pixel in common" in decode_state(registers, RECT, FLAT).warnings[0]


def test_a_second_source_needs_a_second_export(registers):
    registers["CB_BLEND0_CONTROL"] = 1 << 30 | 15
    with pytest.raises(UnsupportedError, match="CB_BLEND0_CONTROL: a second source"):
        decode_state(registers, RECT, FLAT)


def test_downconversion_with_blending_is_refused(registers):
    registers["SX_PS_DOWNCONVERT"] = 5
    assert decode_state(registers, RECT, FLAT).rows_i[0, S.DEFER] == 1
    registers["CB_BLEND0_CONTROL"] = 1 << 30 | 1
    with pytest.raises(UnsupportedError, match=r"SX_PS_DOWNCONVERT\.MRT0 with blending = 0x5"):
        decode_state(registers, RECT, FLAT)


def test_coarse_shading_is_refused_unless_the_shader_is_constant():
    registers = RegisterFile("gfx1030")
    registers["SPI_PS_INPUT_CNTL_0"] = 0x20
    varying = shaders.attribute(0)
    registers["DB_VRS_OVERRIDE_CNTL"] = 1 << 4 | 1 << 6   # combiner mode 0: the rate is not used
    decode_state(registers, RECT, varying)
    registers["DB_VRS_OVERRIDE_CNTL"] = 1 | 1 << 4 | 1 << 6
    decode_state(registers, RECT, FLAT)
    with pytest.raises(UnsupportedError, match=r"DB_VRS_OVERRIDE_CNTL .* = 0x51"):
        decode_state(registers, RECT, varying)
