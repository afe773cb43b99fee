import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu.base.errors import DecodeError, InputError
from refgpu.registers import BANKS, RegisterFile, enum_names, lookup, table_for

PROFILES = ("gfx1013", "gfx1010", "gfx1030", "gfx1035")


def test_state_word_of_the_two_face_bias():
    registers = RegisterFile()
    registers["PA_SU_SC_MODE_CNTL"] = 0x01001A48
    fields = registers["PA_SU_SC_MODE_CNTL"]
    assert int(fields) == 0x01001A48
    set_fields = {name: value for name, value in fields.items() if value}
    # 0x01001A48 written out by hand: bits 24, 12, 11, 9, 6, 3.
    assert set_fields == {
        "POLY_MODE": 1,
        "POLYMODE_FRONT_PTYPE": 2,
        "POLYMODE_BACK_PTYPE": 2,
        "POLY_OFFSET_FRONT_ENABLE": 1,
        "POLY_OFFSET_BACK_ENABLE": 1,
        "KEEP_TOGETHER_ENABLE": 1,
    }
    assert fields.POLY_OFFSET_BACK_ENABLE == 1
    assert registers.get("context", 0x205) == 0x01001A48


@pytest.mark.parametrize("profile", PROFILES)
def test_fields_lie_inside_the_word_and_do_not_overlap(profile):
    table = table_for(profile)
    assert len(table) > 900
    for name, register in table.items():
        covered = 0
        for bits in register.fields.values():
            mask = ((1 << bits.width) - 1) << bits.lsb
            assert bits.width > 0, name
            assert mask <= 0xFFFFFFFF, name
            assert not covered & mask, name
            covered |= mask
        assert register.reserved(0xFFFFFFFF) == 0xFFFFFFFF & ~covered
        assert table.at(register.bank, register.offset) is register


# Offsets as the bug reports in cases.md and the captured streams give them.
@pytest.mark.parametrize(
    ("name", "bank", "offset"),
    [
        ("DB_RENDER_CONTROL", "context", 0x000),
        ("PA_SC_CLIPRECT_RULE", "context", 0x083),
        ("PA_SU_HARDWARE_SCREEN_OFFSET", "context", 0x08D),
        ("CB_TARGET_MASK", "context", 0x08E),
        ("PA_SC_VPORT_ZMIN_0", "context", 0x0B4),
        ("VGT_MULTI_PRIM_IB_RESET_INDX", "context", 0x103),
        ("PA_CL_VPORT_XSCALE", "context", 0x10F),
        ("SPI_SHADER_COL_FORMAT", "context", 0x1C5),
        ("DB_DEPTH_CONTROL", "context", 0x200),
        ("PA_SU_SC_MODE_CNTL", "context", 0x205),
        ("PA_SU_POLY_OFFSET_DB_FMT_CNTL", "context", 0x2DE),
        ("CB_COLOR0_BASE", "context", 0x318),
        ("SPI_SHADER_PGM_LO_PS", "sh", 0x008),
        ("VGT_PRIMITIVE_TYPE", "uconfig", 0x242),
        ("VGT_INDEX_TYPE", "uconfig", 0x243),
        ("GE_INDX_OFFSET", "uconfig", 0x24A),
    ],
)
def test_known_offsets(name, bank, offset):
    register = lookup(name)
    assert (register.bank, register.offset) == (bank, offset)
    assert lookup(f"{bank}:{offset:#x}") is register


def test_generations_differ_where_the_fact_book_says():
    old, new = table_for("gfx1013"), table_for("gfx1030")
    assert old is table_for("gfx1010")
    assert new is table_for("gfx1035")
    assert "PS_INVOKE_DISABLE" not in old["DB_RENDER_CONTROL"].fields
    assert new["DB_RENDER_CONTROL"].fields["PS_INVOKE_DISABLE"].lsb == 13
    assert "PA_SC_HORIZ_GRID" in old
    assert "PA_SC_HORIZ_GRID" not in new
    with pytest.raises(InputError, match="PA_SC_HORIZ_GRID"):
        new["PA_SC_HORIZ_GRID"]
    with pytest.raises(InputError, match="gfx900"):
        table_for("gfx900")


@pytest.mark.parametrize("profile", PROFILES)
def test_clear_state(profile):
    registers = RegisterFile(profile)
    registers.write("context", 0, np.full(0x400, 0x55555555, np.uint32))
    registers["GE_INDX_OFFSET"] = 0xD4D4
    registers["SPI_SHADER_USER_DATA_PS_2"] = 7
    registers.clear_state()
    expected = {
        "CB_TARGET_MASK": 0xFFFFFFFF,
        "CB_SHADER_MASK": 0xFFFFFFFF,
        "PA_SC_CLIPRECT_RULE": 0xFFFF,
        "DB_DEPTH_CONTROL": 0,
        "VGT_MULTI_PRIM_IB_RESET_INDX": 0,
        "PA_SC_AA_MASK_X0Y0_X1Y0": 0xFFFFFFFF,
        "PA_SC_VPORT_SCISSOR_15_BR": 0x40004000,
        "PA_SU_VTX_CNTL": 5,
        "PA_SC_EDGERULE": 0xAA99AAAA,
    }
    assert {name: registers.word(name) for name in expected} == expected
    for name in ("PA_SC_VPORT_ZMAX_0", "PA_SC_VPORT_ZMAX_15", "PA_CL_GB_VERT_CLIP_ADJ", "PA_CL_GB_HORZ_DISC_ADJ"):
        assert registers.float(name) == 1.0
    assert np.count_nonzero(registers.words("context")) == 81
    assert registers.word("GE_INDX_OFFSET") == 0xD4D4
    assert registers.word("SPI_SHADER_USER_DATA_PS_2") == 7
    assert registers.unknown() == []


def test_power_on_values():
    registers = RegisterFile()
    assert registers.word("GE_MAX_VTX_INDX") == 0xFFFFFFFF
    assert registers.word("VGT_NUM_INSTANCES") == 1
    assert np.count_nonzero(registers.words("uconfig")) == 2
    assert not registers.words("sh").any()
    assert registers.changed() == []


def test_unknown_offset_is_kept_and_listed():
    registers = RegisterFile("gfx1010")
    registers.set("uconfig", 0x7B, 0x20)
    registers.set("context", 0x205, 3)
    registers.set("context", 0x3FF, 9)
    assert registers.get("uconfig", 0x7B) == 0x20
    assert registers.unknown() == [("context", 0x3FF, 9), ("uconfig", 0x7B, 0x20)]
    assert ("uconfig:0x7b", 0x20) in registers.changed()
    with pytest.raises(DecodeError, match=r"uconfig dword offset 0x7b"):
        lookup("uconfig:0x7b")


@pytest.mark.parametrize(
    ("bank", "offset"), [("context", 0xFFFFFFFF), ("sh", 0x400), ("uconfig", 0x4000), ("config", -1)]
)
def test_offset_outside_the_bank_names_both(bank, offset):
    registers = RegisterFile()
    before = registers.storage.copy()
    for use in (lambda: registers.set(bank, offset, 1), lambda: registers.get(bank, offset)):
        with pytest.raises(DecodeError, match=rf"{bank}.*{offset:#x}"):
            use()
    with pytest.raises(DecodeError, match=r"context.*0x1fff\.\.0x2000"):
        registers.write("context", 0x1FFF, [1, 2])
    assert np.array_equal(registers.storage, before)


def test_bad_names_and_values():
    registers = RegisterFile()
    with pytest.raises(InputError, match="did you mean PA_SU_SC_MODE_CNTL"):
        registers["PA_SU_SC_MOD_CNTL"]
    with pytest.raises(InputError, match="does not fit in 32 bits"):
        registers["PA_SU_SC_MODE_CNTL"] = 1 << 32
    with pytest.raises(InputError, match="does not fit in 32 bits"):
        registers.set("context", 0, -1)
    with pytest.raises(InputError, match="no register bank 'gfx'"):
        registers.set("gfx", 0, 0)
    for text in ("context:", "context:0xZZ", "gfx:1", ""):
        with pytest.raises(InputError):
            lookup(text)


def test_signed_fields_and_enums():
    register = lookup("PA_SU_POLY_OFFSET_DB_FMT_CNTL")
    assert register.decode(0x1E9).POLY_OFFSET_NEG_NUM_DB_BITS == -23
    assert register.decode(0xF0).POLY_OFFSET_NEG_NUM_DB_BITS == -16
    shown = {field.name: (field.value, field.meaning) for field in lookup("DB_DEPTH_CONTROL").describe(0x76)}
    assert shown["ZFUNC"] == (7, "FRAG_ALWAYS")
    assert shown["Z_ENABLE"] == (1, "")
    assert enum_names("VGT_DI_PRIM_TYPE")[17] == "DI_PT_RECTLIST"
    registers = RegisterFile()
    registers.set_fields("DB_DEPTH_CONTROL", Z_ENABLE=1, ZFUNC=7, Z_WRITE_ENABLE=1)
    assert registers.word("DB_DEPTH_CONTROL") == 0x76
    with pytest.raises(InputError):
        registers.set_fields("DB_DEPTH_CONTROL", ZFUNC=8)


def test_generation_moves_only_when_a_value_changes():
    registers = RegisterFile()
    start = registers.generation("context"), registers.generation("sh")
    registers["PA_SU_VTX_CNTL"] = registers.word("PA_SU_VTX_CNTL")
    registers.write("context", 0x100, [0, 0, 0])
    assert (registers.generation("context"), registers.generation("sh")) == start
    registers["PA_SU_VTX_CNTL"] = 0x2D
    assert registers.generation("context") == start[0] + 1
    assert registers.generation("sh") == start[1]


def test_copy_and_views_are_safe():
    registers = RegisterFile()
    kept = registers.copy()
    registers["CB_TARGET_MASK"] = 0xF
    assert kept.word("CB_TARGET_MASK") == 0xFFFFFFFF
    assert registers.changed(kept) == [("CB_TARGET_MASK", 0xF)]
    assert registers.words("context")[0x8E] == 0xF
    with pytest.raises(ValueError, match="read-only"):
        registers.words("context")[0] = 1


@pytest.mark.parametrize("bank", BANKS)
def test_dword_addresses(bank):
    registers = RegisterFile()
    found = BANKS[bank]
    assert registers.at_dword(found.base_dword) == (bank, 0)
    assert registers.at_dword(found.base_dword + found.size - 1) == (bank, found.size - 1)
    with pytest.raises(DecodeError, match="0x20000"):
        registers.at_dword(0x20000)


@given(st.floats(width=32, allow_nan=False))
def test_float_words(value):
    registers = RegisterFile()
    registers.set_float("PA_CL_VPORT_XSCALE", value)
    assert registers.word("PA_CL_VPORT_XSCALE") == struct.unpack("<I", struct.pack("<f", value))[0]
    assert registers.float("PA_CL_VPORT_XSCALE") == value


def test_import_reads_no_table():
    code = (
        "import refgpu.registers, refgpu.registers.table as t\n"
        "assert t.table_of.cache_info().currsize == 0 and t._enums.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
