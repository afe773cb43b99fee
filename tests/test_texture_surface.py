"""Where texels lie, against the public addrlib's own answers, hand-worked addresses and laws of the mapping."""

import csv
import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refgpu.base.errors import DecodeError, InputError, UnsupportedError
from refgpu.metadata.config import address_config
from refgpu.texture import surface_copy
from refgpu.texture.surface import surface_layout
from refgpu.texture.surface_equations import equation
from refgpu.texture.surface_modes import SWIZZLE_MODES
from refgpu.texture.surface_xor import driver_pipe_bank_xor

ORACLE = Path(os.environ.get("REFGPU_ORACLE", Path(__file__).resolve().parents[2] / "shared" / "oracle")) / "surface"
PROFILES = ("gfx1013", "gfx1010", "gfx1030", "gfx1035")
# what addrlib returns -> attribute
SIZES = {"pitch": "pitch", "height_aligned": "height", "num_slices": "padded_slices", "slice_size": "slice_size",
         "surf_size": "nbytes", "base_align": "base_align", "block_width": "block_width",
         "block_height": "block_height", "block_slices": "block_depth", "first_mip_in_tail": "first_mip_in_tail"}
MIP_SIZES = {"pitch": "pitch", "height": "height", "offset": "descriptor_offset", "macro_block_offset": "offset",
             "mip_tail_offset": "tail_offset", "mip_tail_x": "tail_x", "mip_tail_y": "tail_y"}


def layout_of(config):
    return surface_layout(config["swizzle_mode"], config["bpp"], config["width"], config["height"],
                          slices=config["slices"], samples=config["samples"], mips=config["mips"],
                          resource="3d" if config["volume"] else "2d", profile=PROFILES[config["asic"]],
                          gb_addr_config=config.get("gb_addr_config"), pipe_bank_xor=config["pipe_bank_xor"])


def wrong_sizes(config, layout, mips):
    names = dict(SIZES)
    if config["swizzle_mode"] == 0:
        names.pop("first_mip_in_tail")  # addrlib's answer means nothing there
    wrong = [(config, name) for name, ours in names.items() if getattr(layout, ours) != config[name]]
    for row in mips:
        found = {name: getattr(layout.mips[row["mip"]], ours) for name, ours in MIP_SIZES.items()}
        found["depth"] = layout.padded_slices if config["volume"] else 1
        wrong += [(config, row, name) for name, value in found.items() if value != row[name]]
    return wrong


def wrong_rows(layout, rows):
    x, y, z, sample, mip, expected = rows.T
    return int((layout.offset(x, y, z, sample, mip) != expected).sum())


@cache
def subset():
    tables = np.load(Path(__file__).parent / "data" / "surface" / "addrlib.npz")
    configs = [dict(zip(tables["config_columns"].tolist(), row, strict=True)) for row in tables["configs"].T.tolist()]
    mips = {}
    for row in tables["mips"].T.tolist():
        mips.setdefault(row[0], []).append(dict(zip(tables["mip_columns"].tolist(), row, strict=True)))
    rows = tables["rows"].T.astype(np.int64)
    return configs, mips, rows[np.argsort(rows[:, 0], kind="stable")], tables["driver_xor"].T, tables["slice_xor"].T


def test_sizes_are_those_of_addrlib():
    configs, mips, *_ = subset()
    assert len(configs) == 1612
    wrong = [w for n, config in enumerate(configs) for w in wrong_sizes(config, layout_of(config), mips.get(n, ()))]
    assert wrong == []


def test_addresses_are_those_of_addrlib():
    configs, _, rows, *_ = subset()
    numbers, starts = np.unique(rows[:, 0], return_index=True)
    wrong = {configs[n]["swizzle_mode"]: bad for n, part in zip(numbers, np.split(rows, starts[1:]), strict=True)
             if (bad := wrong_rows(layout_of(configs[n]), part[:, 1:]))}
    assert wrong == {}
    assert len(numbers) > 1590


def test_pipe_bank_xor_of_drivers_and_slices():
    *_, driver, slices = subset()
    assert [driver_pipe_bank_xor(mode, index, profile=PROFILES[asic]) for asic, mode, index, _ in driver.tolist()] == \
        driver[:, 3].tolist()
    for asic, mode, bpp, base, index, expected in slices.tolist():
        if SWIZZLE_MODES[mode].order == "Z" and bpp == 128:
            continue  # addrlib answers, but no such surface exists
        layout = surface_layout(mode, bpp, 8, 8, slices=index + 1, profile=PROFILES[asic], pipe_bank_xor=base)
        assert layout.slice_pipe_bank_xor(index) == expected


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.is_dir(), reason="needs the full address tables: REFGPU_ORACLE=folder")
def test_every_row_and_size_of_the_full_tables():
    layouts, mips, wrong, seen = {}, {}, [], 0
    with (ORACLE / "mips.csv").open() as file:
        for row in csv.DictReader(file):
            mips.setdefault(row["cfg_id"], []).append({name: int(value) for name, value in row.items()})
    files = set()
    with (ORACLE / "configs.csv").open() as file:
        for row in csv.DictReader(file):
            text = {"asic", "resource", "swizzle_name", "coverage", "file"}
            config = {name: int(value, 0) for name, value in row.items() if name not in text}
            config |= {"asic": PROFILES.index(row["asic"]), "volume": int(row["resource"] == "3d")}
            layouts[int(row["cfg_id"])] = layout = layout_of(config)
            wrong += wrong_sizes(config, layout, mips.get(row["cfg_id"], ()))
            files.add(row["file"] if config["rows"] else None)
    for name in files - {None}:
        with gzip.open(ORACLE / name, "rt") as file:
            rows = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64)
        for number in np.unique(rows[:, 0]):
            part = rows[rows[:, 0] == number][:, 1:]
            seen += len(part)
            if bad := wrong_rows(layouts[number], part):
                wrong.append((name, number, bad))
    assert wrong == []
    assert seen > 380000


@pytest.mark.jit_off
@pytest.mark.parametrize(("mode", "bpp", "xy", "expected"), [
    (5, 8, (5, 3), 0x35), (5, 8, (16, 0), 0x200), (5, 8, (0, 16), 0x100),  # B56: 8 bpp is not the order of 32 bpp
    # measured.md 9, worked by hand: 64KB_R_X 4 B is 0 0 X0 X1 Y0 Y1 Y2 X2 | X3^Y3 X4^Y4 Y5^X6 X5^Y6 | Y3 X4 Y6 X6
    (27, 32, (4, 4), 0x80 | 0x40), (27, 32, (8, 8), 0x1000), (27, 32, (64, 32), 0x8000), (27, 32, (96, 0), 0x8C00),
    (24, 32, (1, 3), 0x4 | 0x8 | 0x20), (24, 32, (16, 16), 0x2000), (24, 16, (16, 0), 0x200), (24, 16, (0, 16), 0x1200),
])
def test_hand_worked_addresses(mode, bpp, xy, expected):
    assert surface_layout(mode, bpp, 128, 128).offset(*xy) == expected


def test_origin_of_a_mip_tail_counts_256_byte_blocks():
    # B55: 4x4 RGBA8 4KB_S, levels 0..2: level 0 is element (16, 0), not (4, 0)
    layout = surface_layout(5, 32, 4, 4, mips=3)
    assert layout.nbytes == 4096
    assert layout.first_mip_in_tail == 0
    assert (layout.mips[0].tail_x, layout.mips[0].tail_y) == (16, 0)
    assert layout.offset(0, 0) == 0x800
    assert layout.offset([0, 0], 0, mip=[1, 2]).tolist() == [0x600, 0x500]


def test_small_surfaces_own_a_whole_block():
    layout = surface_layout(24, 32, 16, 16)  # B30's surface: 1 KiB of texels spread over 64 KiB
    y, x = np.indices((16, 16))
    assert layout.nbytes == 65536
    assert layout.offset(x, y).max() > 1024


@pytest.mark.parametrize(("profile", "word", "mode", "thick", "expected"), [
    # the public addrlib's pattern tables, 32 bpp, address bits 8..11
    ("gfx1013", 0x3, 25, False, "x5^y3^z2 x3^y5^z1 x4^y4^z0 x4"),
    ("gfx1013", 0x6, 25, False, "x8^y3^z5 x3^y8^z4 x7^y4^z3 x4^y7^z2"),
    ("gfx1030", 0x345, 25, False, "x7^y3 x3^y7 x6^y4^z2 x4^y6^z1"),
    ("gfx1030", 0x345, 21, False, "x6^y3 x3^y6 x5^y4^z2 x4^y5^z1"),
    ("gfx1030", 0x545, 21, False, "x6^y3^z3 x3^y6^z2 x5^y4^z1 x4^y5^z0"),
    ("gfx1013", 0x5, 17, False, "y3 x3 x6^y4 x4^y6"),
    ("gfx1013", 0x3, 25, True, "x4^y2^z4 x2^y4^z3 x3^y3^z2 y3"),
])
def test_standard_orders_follow_the_number_of_pipes(profile, word, mode, thick, expected):
    config, swizzle = address_config(profile, word), SWIZZLE_MODES[mode]
    rule = equation(config, swizzle, swizzle.block_log2(config), 2, 0, thick)
    names = ["^".join(axis + str(bit) for axis, bit in sorted(terms)) for terms in rule[8:12]]
    assert names == expected.split()


def legal_surfaces():
    for profile in PROFILES[0], *PROFILES[2:]:
        for mode in SWIZZLE_MODES.values():
            for bpp in (8, 16, 32, 64, 128):
                for samples in (1, 2, 4, 8):
                    for resource in ("2d", "3d"):
                        try:
                            layout = surface_layout(mode.number, bpp, 1, 1, samples=samples, resource=resource,
                                                    profile=profile)
                            assert layout.linear or layout.rule
                        except (DecodeError, UnsupportedError):
                            continue
                        yield layout, profile, resource


def test_every_block_is_filled_exactly_once():
    count = 0
    for layout, profile, resource in legal_surfaces():
        if layout.linear:
            continue
        count += 1
        if layout.base_align > 65536 and layout.bpp < 32:
            continue  # the same in 32 bpp, 16 times faster
        whole = surface_layout(layout.mode.number, layout.bpp, layout.block_width, layout.block_height,
                               layout.block_depth, layout.samples, resource=resource, profile=profile)
        z, sample, y, x = np.indices((layout.block_depth, layout.samples, layout.block_height, layout.block_width),
                                     sparse=True)
        places = whole.offset(x, y, z, sample).reshape(-1)
        assert whole.nbytes == layout.base_align == places.size * layout.bpp // 8
        assert np.array_equal(np.sort(places), np.arange(0, layout.base_align, layout.bpp // 8))
    assert count > 300


@st.composite
def surfaces(draw):
    profile = draw(st.sampled_from(PROFILES))
    mode = SWIZZLE_MODES[draw(st.sampled_from([n for n, m in SWIZZLE_MODES.items()
                                               if not m.variable or profile in ("gfx1030", "gfx1035")]))]
    samples = draw(st.sampled_from([1, 2, 4, 8])) if mode.order in "ZR" else 1
    bpp = draw(st.sampled_from([8, 16, 32] + ([64] if mode.order != "Z" or samples == 1 else [])
                               + ([128] if mode.order != "Z" else [])))
    volume = samples == 1 and mode.name not in ("256B_S", "256B_D", "4KB_D", "64KB_D", "4KB_D_X", "64KB_D_T")
    resource = draw(st.sampled_from(["2d", "3d"])) if volume else "2d"
    if resource == "3d" and mode.name == "64KB_D_X":
        bpp = min(bpp, 32)
    width, height, slices = draw(st.integers(1, 70)), draw(st.integers(1, 70)), draw(st.integers(1, 5))
    mips = draw(st.integers(1, max(width, height).bit_length())) if samples == 1 else 1
    xor = draw(st.integers(0, 255)) if mode.pipes else 0
    return surface_layout(mode.number, bpp, width, height, slices, samples, mips, resource, profile=profile,
                          pipe_bank_xor=xor)


def places_of(layout, mip):
    """Byte offsets of all bytes of a mip, in the order of `untile`."""
    size = layout.mips[mip]
    z, sample, y, x = np.indices((size.depth, layout.samples, size.real_height, size.width))
    return layout.offset(x, y, z, sample, mip)[..., None] + np.arange(layout.bpp // 8)


@given(layout=surfaces(), seed=st.integers(0, 99), data=st.data())
@example(layout=surface_layout(0, 32, 5, 5, 3, mips=3), seed=0, data=None)
@example(layout=surface_layout(5, 32, 21, 17, 9, mips=5, resource="3d"), seed=0, data=None)
@example(layout=surface_layout(27, 16, 33, 9, 2, samples=4), seed=0, data=None)
def test_tiling_moves_texels_and_nothing_else(layout, seed, data):
    tiled = np.random.default_rng(seed).integers(0, 256, layout.nbytes, np.uint8)
    everywhere = []
    for mip in range(len(layout.mips)):
        places = places_of(layout, mip)
        everywhere.append(places.reshape(-1))
        texels = layout.untile(tiled, mip=mip)
        assert np.array_equal(texels.reshape(-1).view(np.uint8), tiled[places.reshape(-1)])
        assert np.array_equal(layout.untile(layout.tile(texels, mip=mip), mip=mip), texels)
        first = data.draw(st.integers(0, len(texels) - 1)) if data else len(texels) - 1
        assert np.array_equal(layout.untile(tiled, first, 1, mip), texels[first:first + 1])
        expected, changed = tiled.copy(), ~texels[first:first + 1]
        expected[places[first].reshape(-1)] = changed.reshape(-1).view(np.uint8)
        written = tiled.copy()
        layout.tile_into(changed, written, first, mip)
        assert np.array_equal(written, expected)
    everywhere = np.concatenate(everywhere)
    assert len(np.unique(everywhere)) == len(everywhere)  # no two texels of any mip share a byte


@pytest.mark.jit_off
@pytest.mark.parametrize("profile", ["gfx1013", "gfx1035"])
@pytest.mark.parametrize(("mode", "bpp", "samples"), [(0, 8, 1), (24, 32, 1), (27, 8, 1), (27, 16, 2), (27, 64, 1),
                                                      (27, 128, 1), (9, 32, 1)])
def test_untile_puts_each_element_where_offset_says(profile, mode, bpp, samples):
    layout = surface_layout(mode, bpp, 36, 21, slices=2, samples=samples, profile=profile,
                            pipe_bank_xor=0x41 if mode > 16 else 0)
    tiled = np.random.default_rng(bpp).integers(0, 256, layout.nbytes, np.uint8)
    texels = layout.untile(tiled)
    assert np.array_equal(texels.reshape(-1).view(np.uint8), tiled[places_of(layout, 0).reshape(-1)])
    before = tiled.copy()
    layout.tile_into(texels, tiled)
    assert np.array_equal(tiled, before)


def test_threads_and_kinds_of_buffer_change_nothing(monkeypatch):
    layout = surface_layout(27, 32, 700, 500, slices=3)
    data = np.random.default_rng(3).integers(0, 256, layout.nbytes + 1, np.uint8)
    monkeypatch.setattr(surface_copy, "usable_cores", lambda: 1)
    texels = layout.untile(data)
    for cores in (2, 5):
        monkeypatch.setattr(surface_copy, "usable_cores", lambda cores=cores: cores)
        assert np.array_equal(layout.untile(data), texels)
        assert np.array_equal(layout.tile(texels), layout.tile(texels))
    assert np.array_equal(layout.untile(bytes(data)), texels)
    data[1:] = data[:-1].copy()
    assert np.array_equal(layout.untile(data[1:]), texels)  # an odd address


def test_ignored_bits_of_the_pipe_bank_xor():
    # 64 KiB, 16 pipes: four pipe bits, two ignored, two bank bits
    assert surface_layout(27, 32, 8, 8, pipe_bank_xor=0xFFFF).offset(0, 0) == 0xCF00
    assert surface_layout(17, 32, 8, 8, pipe_bank_xor=0xFF).offset(0, 0) == 0xCF00
    assert surface_layout(21, 32, 8, 8, pipe_bank_xor=0xFF).offset(0, 0) == 0x0F00


@pytest.mark.parametrize(("arguments", "options", "error", "message"), [
    ((3, 32, 8, 8), {}, DecodeError, r"SW_MODE = 3 is reserved"),
    ((28, 32, 8, 8), {}, DecodeError, r"SW_MODE = 28 \(VAR_Z_X\)"),
    ((24, 128, 8, 8), {}, DecodeError, "no 128 bpp"),
    ((24, 64, 8, 8), {"samples": 2}, DecodeError, "no 64 bpp with 2 samples"),
    ((25, 32, 8, 8), {"samples": 2}, DecodeError, r"64KB_S_X\): one sample"),
    ((27, 32, 8, 8), {"samples": 3}, DecodeError, "samples = 3"),
    ((27, 32, 8, 8), {"samples": 4, "mips": 2}, DecodeError, "one mip"),
    ((10, 32, 8, 8), {"resource": "3d"}, DecodeError, "not for 3D"),
    ((9, 32, 8, 8), {"pipe_bank_xor": 1}, DecodeError, "no pipe/bank xor"),
    ((9, 32, 8, 8), {"resource": "1d"}, UnsupportedError, "resource = 1d"),
    ((9, 24, 8, 8), {}, InputError, "bpp: 24"),
    ((9, 32, 0, 8), {}, InputError, r"width: 0 is not in 1\.\.16384"),
    ((9, 32, 8, 8), {"mips": 5}, InputError, r"mips: 5 is not in 1\.\.4"),
])
def test_surfaces_that_cannot_be_are_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        surface_layout(*arguments, **options)


def test_unknown_equations_are_refused_by_name():
    layout = surface_layout(27, 32, 8, 8, gb_addr_config=0x3)
    assert layout.nbytes == 65536
    with pytest.raises(UnsupportedError, match="NUM_PIPES = 3"):
        layout.offset(0, 0)
    with pytest.raises(UnsupportedError, match="3D D 64 bpp"):
        surface_layout(26, 64, 8, 8, 8, resource="3d", profile="gfx1030").untile(np.zeros(65536, np.uint8))


def test_bad_input_is_refused():
    layout = surface_layout(27, 32, 16, 16)
    with pytest.raises(InputError, match="65535 bytes"):
        layout.untile(np.zeros(layout.nbytes - 1, np.uint8))
    with pytest.raises(InputError, match="array: expected contiguous uint32"):
        layout.tile(np.zeros((1, 16, 17), np.uint32))
    with pytest.raises(InputError, match=r"slices 1\.\.1"):
        layout.tile(np.zeros((1, 16, 16), np.uint32), 1)
    with pytest.raises(InputError, match="x: 128"):
        layout.offset(128, 0)
    with pytest.raises(InputError, match="y: expected integers"):
        layout.offset(0, 0.5)
    with pytest.raises(InputError, match="read-only"):
        layout.tile_into(np.zeros((1, 16, 16), np.uint32), np.frombuffer(bytes(65536), np.uint8))
