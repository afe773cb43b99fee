"""Where metadata lies: the public addrlib's own answers, figures for other pipe counts, and laws of the mapping."""

import csv
import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu import metadata
from refgpu.base.errors import DecodeError, InputError, UnsupportedError
from refgpu.metadata.config import address_config
from refgpu.metadata.equations import Kind, not_pipe_aligned, pipe_aligned

DATA = Path(__file__).parent / "data" / "metadata"
ORACLE = Path(os.environ.get("REFGPU_ORACLE", Path(__file__).resolve().parents[2] / "shared" / "oracle"))

SIZES = {"pitch": "pitch", "height_aligned": "height", "base_align": "base_align", "meta_blk_width": "block_width",
         "meta_blk_height": "block_height", "meta_blk_num_per_slice": "blocks_per_slice", "slice_size": "slice_nbytes",
         "htile_bytes": "nbytes", "cmask_bytes": "nbytes", "dcc_bytes": "nbytes", "total_bytes": "nbytes",
         "depth": "depth", "meta_blk_depth": "block_depth", "meta_blk_size": "block_nbytes",
         "compress_blk_width": "compress_width", "compress_blk_height": "compress_height",
         "compress_blk_depth": "compress_depth"}


@cache
def table(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def layout_of(kind: str, config: dict[str, str]) -> metadata.Layout:
    surface = [int(config[name]) for name in ("width", "height", "slices")]
    options = {"gb_addr_config": int(config["gb_addr_config"], 16), "profile": config["asic"],
               "pipe_xor": int(config.get("pipe_xor", "0"))}
    number = {name: int(config[name]) for name in ("samples", "frags", "bpp", "mips", "swizzle_mode") if name in config}
    if kind == "htile":
        number.pop("swizzle_mode", None)
        return metadata.htile_layout(*surface, **number, **options)
    if kind == "cmask":
        return metadata.cmask_layout(*surface, **number, **options)
    return metadata.dcc_layout(*surface, pipe_aligned=config.get("pipe_aligned", "1") == "1",
                               resource=config.get("resource", "2d"), **number, **options)


def wrong_sizes(kind: str, config: dict[str, str]) -> list[str]:
    layout = layout_of(kind, config)
    found = {name: getattr(layout, SIZES[name]) for name in config if name in SIZES}
    assert len(found) >= 2
    if "mip" in config:
        mip = layout.mips[int(config["mip"])]
        first = [m.in_tail for m in layout.mips].index(True) if layout.mips[-1].in_tail else len(layout.mips)
        found |= {"mip_offset": mip.offset, "mip_slice_size": mip.nbytes, "mip_in_tail": int(mip.in_tail),
                  "first_mip_in_tail": first}
    return [f"{config} {name}: {value}" for name, value in found.items() if value != int(config[name])]


def wrong_rows(kind: str, layout: metadata.Layout, rows: np.ndarray) -> int:
    """Rows x, y, slice, byte offset(, bit position) that the layout contradicts, in either direction."""
    x, y, z, offset = rows.T[:4]
    wrong = layout.offset(x, y, z) != offset
    if kind == "cmask":
        nibble = 2 * offset + rows[:, 4] // 4
        wrong |= layout.nibble(x, y, z) != nibble
        back = layout.tile_of_nibble(nibble)
    else:
        back = layout.tile(offset)
    if kind == "dcc":
        wrong |= layout.offset(*back) != offset
    else:
        wrong |= (back[0] != x // 8 * 8) | (back[1] != y // 8 * 8) | (back[2] != z)
    return int(wrong.sum())


@pytest.mark.parametrize(("kind", "name"), [("htile", "htile"), ("cmask", "cmask"), ("dcc", "dcc"),
                                            ("dcc", "dcc_sizes"), ("htile", "htile_mips"), ("dcc", "dcc_mips")])
def test_sizes_are_those_of_addrlib(kind, name):
    rows = table(DATA / f"{name}.csv")
    assert len(rows) > 60
    assert [wrong for config in rows for wrong in wrong_sizes(kind, config)] == []


@pytest.mark.parametrize(("word", "frags", "log2"), [
    (0x444, 8, 13), (0x4C4, 8, 14), (0x4C4, 4, 13), (0x5C5, 8, 15), (0x5C6, 8, 16), (0x4C6, 8, 16), (0x4C6, 4, 16),
    (0x242, 8, 12), (0x2C2, 8, 12), (0x2C3, 8, 13)])
def test_dcc_metablocks_grow_with_compressed_fragments(word, frags, log2):
    # evaluated by hand from the size rule in facts/addressing.md 4; no profile's own config compresses more than 2
    layout = metadata.dcc_layout(16, 16, frags=frags, gb_addr_config=word, profile="gfx1030")
    assert layout.base_align == layout.block_nbytes == 1 << log2
    compressed = min(frags, 1 << (word >> 6 & 3))
    assert layout.block_width * layout.block_height * 4 * compressed == 256 << log2


def test_mips_round_up():
    layout = metadata.htile_layout(2049, 16, mips=2)  # 2049 / 2 is 1025: two metablocks across
    assert [mip.nbytes for mip in layout.mips] == [3 * 32768, 2 * 32768]
    assert [mip.offset for mip in layout.mips] == [2 * 32768, 0]


@pytest.mark.parametrize("kind", ["htile", "cmask", "dcc"])
def test_addresses_are_those_of_addrlib(kind):
    configs, rows = table(DATA / f"{kind}.csv"), np.load(DATA / "rows.npz")[kind].astype(np.int64)
    wrong = {number: bad for number, config in enumerate(configs)
             if (bad := wrong_rows(kind, layout_of(kind, config), rows[rows[:, 0] == number][:, 1:]))}
    assert wrong == {}
    assert set(rows[:, 0]) == set(range(len(configs)))


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.is_dir(), reason="needs the full address tables: REFGPU_ORACLE=folder")
def test_every_row_and_size_of_the_full_tables():
    rows_seen = fields_seen = 0
    wrong = []
    for kind in ("htile", "cmask", "dcc"):
        for config in table(ORACLE / kind / "configs.csv"):
            with gzip.open(ORACLE / kind / config["file"], "rt") as file:
                rows = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int64, ndmin=2)
            rows_seen += len(rows)
            if kind != "dcc":
                config = {name: value for name, value in config.items() if name not in ("bpp", "swizzle_mode")}
            wrong += wrong_sizes(kind, config)
            fields_seen += sum(name in SIZES for name in config)
            if bad := wrong_rows(kind, layout_of(kind, config), rows):
                wrong.append(f"{kind} {config['cfg_id']}: {bad} rows")
        for name in ("mip_info.csv", "info_only.csv"):
            for config in table(ORACLE / kind / name) if (ORACLE / kind / name).exists() else ():
                wrong += wrong_sizes(kind, config)
    assert wrong == []
    assert rows_seen > 700_000
    assert fields_seen > 4000


def parse_equations():
    for line in (DATA / "equations.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        head, terms = line.split(" : ")
        kind, profile, pipes, packers, detail = head.split()
        equation = tuple(frozenset((bit[0], int(bit[1:])) for bit in term.split("^") if bit != "0")
                         for term in terms.split())
        yield kind, profile, int(pipes), int(packers), int(detail), equation


def test_the_rule_gives_the_known_equations_for_other_pipe_counts():
    count = 0
    for kind, profile, pipes, packers, detail, expected in parse_equations():
        word = pipes | 1 << 6 | packers << 8
        config, log2 = address_config(profile, word), detail.bit_length() - 1
        if kind == "htile":
            layout = metadata.htile_layout(8, 8, samples=detail, gb_addr_config=word, profile=profile)
        elif kind == "cmask":
            layout = metadata.cmask_layout(8, 8, gb_addr_config=word, profile=profile)
        else:
            layout = metadata.dcc_layout(8, 8, gb_addr_config=word, profile=profile, bpp=8 * detail,
                                         pipe_aligned=kind == "dcc")
        block = layout.block_width.bit_length() - 1, layout.block_height.bit_length() - 1
        if kind == "dcc-unaligned":
            found = not_pipe_aligned(config, *block, log2)
        elif kind == "htile":
            found = pipe_aligned(config, Kind.HTILE, *block, 2, log2)
        else:
            found = pipe_aligned(config, Kind(kind), *block, log2)
        assert found == expected, (kind, profile, pipes, packers, detail)
        count += 1
    assert count > 80


@st.composite
def layouts_with_and_without_xor(draw):
    """Any layout of two blocks by two and three slices, and the same without a pipe xor."""
    profile = draw(st.sampled_from(["gfx1013", "gfx1010", "gfx1030", "gfx1035"]))
    pipes = draw(st.integers(0, 6))
    packers = draw(st.integers(max(0, pipes - 2), min(5, pipes))) if profile in ("gfx1030", "gfx1035") else 0
    options = {"slices": 3, "profile": profile, "pipe_xor": draw(st.integers(0, 255)),
               "gb_addr_config": pipes | draw(st.integers(0, 3)) << 6 | packers << 8}
    kind = draw(st.sampled_from(["htile", "cmask", "dcc"]))
    if kind == "htile":
        options["samples"] = draw(st.sampled_from([1, 2, 4, 8]))
    elif kind == "cmask":
        options["samples"], options["frags"] = draw(st.sampled_from([(1, 1), (4, 4), (8, 8), (16, 4)]))
    else:
        options["bpp"], options["pipe_aligned"] = draw(st.sampled_from([8, 16, 32, 64, 128])), draw(st.booleans())
    make = {"htile": metadata.htile_layout, "cmask": metadata.cmask_layout, "dcc": metadata.dcc_layout}[kind]
    one = make(1, 1, **options)
    size = one.block_width + 1, one.block_height + 1
    return make(*size, **options), make(*size, **options | {"pipe_xor": 0})


def layouts():
    return layouts_with_and_without_xor().map(lambda pair: pair[0])


@given(layouts(), st.integers(0, 2), st.integers(0, 1), st.integers(0, 1))
def test_a_metablock_is_a_bijection(layout, z, column, row):
    x = column * layout.block_width + np.arange(0, layout.block_width, layout.tile_width)
    y = row * layout.block_height + np.arange(0, layout.block_height, layout.tile_height)
    if layout.kind is Kind.CMASK:
        elements, step, block = layout.nibble(x, y[:, None], z), 1, 2 * layout.block_nbytes
        back = layout.tile_of_nibble(elements)
    else:
        elements, step, block = layout.offset(x, y[:, None], z), 4 if layout.kind is Kind.HTILE else 1, \
            layout.block_nbytes
        back = layout.tile(elements)
    first = (z * 4 + row * 2 + column) * block
    seen, times = np.unique(elements, return_counts=True)
    np.testing.assert_array_equal(seen, np.arange(first, first + block, step))
    assert (times == times[0]).all()  # 8 bpp and 16 bpp keys without RB+ are made of several tiles
    assert times[0] == x.size * y.size * step // block
    if times[0] == 1:
        np.testing.assert_array_equal(back[0], np.broadcast_to(x, elements.shape))
        np.testing.assert_array_equal(back[1], np.broadcast_to(y[:, None], elements.shape))
    assert (back[2] == z).all()


@given(layouts(), st.data())
def test_a_tile_shares_one_element_and_the_next_has_another(layout, data):
    x = data.draw(st.integers(0, layout.pitch - 1))
    y = data.draw(st.integers(0, layout.height - 1))
    where = layout.nibble if layout.kind is Kind.CMASK else layout.offset
    corner = x // layout.tile_width * layout.tile_width, y // layout.tile_height * layout.tile_height
    assert where(x, y, 1) == where(*corner, 1)
    if corner[0] + layout.tile_width < layout.pitch:
        assert where(corner[0] + layout.tile_width, y, 1) != where(x, y, 1)


@given(layouts_with_and_without_xor(), st.data())
def test_the_pipe_xor_moves_every_element_by_the_same_pipes(pair, data):
    layout, plain = pair
    x, y = data.draw(st.integers(0, layout.pitch - 1)), data.draw(st.integers(0, layout.height - 1))
    moved = layout.offset(x, y, 2) ^ plain.offset(x, y, 2)
    assert moved == layout.offset(0, 0) < layout.block_nbytes
    assert moved % 256 == 0
    assert layout.nbytes == 3 * layout.slice_nbytes == 12 * layout.block_nbytes


@pytest.mark.jit_off
def test_addresses_worked_out_by_hand():
    htile = metadata.htile_layout(1024, 512)
    # measured.md 4.7
    x, y = np.array([0, 8, 0, 8, 16, 0, 64, 0, 1016]), np.array([0, 0, 8, 8, 0, 16, 0, 64, 504])
    assert htile.offset(x, y).tolist() == [0, 260, 256, 4, 512, 520, 1040, 2080, 28924]
    assert htile.offset(15, 7) == 260
    assert htile.offset(np.uint16([[8], [0]]), [0, 8]).tolist() == [[260, 4], [0, 256]]
    assert htile.offset(np.zeros(0, int), 0).shape == (0,)
    assert isinstance(htile.offset(15, 7), int)
    assert np.unique(htile.tile_elements()).size == 8192
    assert htile.tile(262) == (8, 0, 0)
    assert htile.tile(np.array([0, 4])) [0].tolist() == [0, 8]
    # measured.md 5.3, 5.5
    dcc = metadata.dcc_layout(512, 512, bpp=32)
    assert [dcc.offset(*p) for p in ((8, 0), (0, 8), (8, 8), (64, 0))] == [257, 256, 1, 1028]
    cmask = metadata.cmask_layout(1024, 512)
    assert [cmask.nibble(*p) for p in ((8, 0), (0, 8), (8, 8))] == [513, 512, 1]
    assert [cmask.offset(*p) for p in ((8, 0), (8, 8))] == [256, 0]
    assert cmask.tile_of_nibble(513) == (8, 0, 0)


@pytest.mark.jit_off
def test_a_small_surface_scatters_its_words_over_a_whole_metablock():
    # cases B30: 16x16, 16 pipes
    layout = metadata.htile_layout(16, 16, gb_addr_config=0x00100044)
    assert layout.tile_elements().tolist() == [[[0, 260], [256, 4]]]
    assert (layout.nbytes, layout.base_align, layout.tiles) == (32768, 32768, (1, 2, 2))


def test_slices_rotate_the_pipes_and_lie_one_after_the_other():
    layout = metadata.htile_layout(16, 16, slices=17)
    z = np.arange(17)
    reversed_bits = np.array([int(f"{i % 16:04b}"[::-1], 2) for i in z])
    assert layout.offset(0, 0, z).tolist() == (z * 32768 + reversed_bits * 256).tolist()
    eight = metadata.htile_layout(16, 16, slices=8, samples=8)
    assert eight.offset(0, 0, np.array([1, 2, 4])).tolist() == [32768 + 1024, 65536 + 512, 4 * 32768 + 256]


def test_the_default_config_is_the_profiles_own():
    for profile, block in (("gfx1013", (1024, 512)), ("gfx1030", (1024, 1024)), ("gfx1035", (512, 512))):
        layout = metadata.htile_layout(16, 16, profile=profile)
        assert (layout.block_width, layout.block_height) == block
    # bits 11 and up do not matter, nor do the packers without RB+
    assert metadata.htile_layout(16, 16, gb_addr_config=0xFFFFFF44).nbytes == 32768


@pytest.mark.parametrize("arguments", [(0, 16), (16, 0), (16385, 16), (16, 16385), (-1, 16), (16, 16, 0),
                                       (16, 16, 8193), (1.5, 16), ("16", 16), (16, 16, 1, 3), (16, 16, 1, 16)])
def test_sizes_out_of_range_raise(arguments):
    with pytest.raises(InputError, match=r"width|height|slices|samples"):
        metadata.htile_layout(*arguments)


def test_bad_arguments_say_what_is_wrong():
    with pytest.raises(InputError, match="no profile 'gfx900'"):
        metadata.htile_layout(16, 16, profile="gfx900")
    with pytest.raises(DecodeError, match=r"GB_ADDR_CONFIG 0x00000007.*NUM_PIPES = 7"):
        metadata.htile_layout(16, 16, gb_addr_config=7)
    with pytest.raises(UnsupportedError, match="PIPE_INTERLEAVE_SIZE = 0x1"):
        metadata.htile_layout(16, 16, gb_addr_config=0x4C)
    with pytest.raises(DecodeError, match="NUM_PKRS = 0 does not go with NUM_PIPES = 4"):
        metadata.htile_layout(16, 16, gb_addr_config=0x44, profile="gfx1030")
    with pytest.raises(InputError, match="frags: 4 is more than samples 2"):
        metadata.cmask_layout(16, 16, samples=2, frags=4)
    with pytest.raises(InputError, match="bpp: 24"):
        metadata.dcc_layout(16, 16, bpp=24)
    with pytest.raises(InputError, match="pipe_xor"):
        metadata.dcc_layout(16, 16, pipe_xor=-1)
    with pytest.raises(InputError, match="mips: a 16x16 surface has at most 5"):
        metadata.htile_layout(16, 16, mips=6)
    with pytest.raises(InputError, match="frags: 2 of a 3D surface"):
        metadata.dcc_layout(16, 16, frags=2, resource="3d")
    with pytest.raises(InputError, match="resource: '1d'"):
        metadata.dcc_layout(16, 16, resource="1d")
    with pytest.raises(UnsupportedError, match="thick 3D surface with mips"):
        metadata.dcc_layout(16, 16, mips=2, resource="3d", swizzle_mode=25)
    with pytest.raises(InputError, match="mips: 2 with 4 samples"):
        metadata.htile_layout(16, 16, samples=4, mips=2)
    with pytest.raises(UnsupportedError, match="SW_MODE of a surface with DCC = 0x9"):
        metadata.dcc_layout(16, 16, swizzle_mode=9)


def test_coordinates_and_offsets_out_of_range_raise():
    layout = metadata.htile_layout(16, 16)
    assert layout.offset(1023, 511) == 28924
    for place in ((1024, 0), (0, 512), (-1, 0), (0, 0, 1)):
        with pytest.raises(InputError, match="outside 0"):
            layout.offset(*place)
    with pytest.raises(InputError, match=r"offset: 32768 is outside 0\.\.32767"):
        layout.tile(32768)
    with pytest.raises(InputError, match="x: expected integers, got float64"):
        layout.offset(0.5, 0)
    with pytest.raises(InputError, match="shape mismatch"):
        layout.offset(np.arange(3), np.arange(4))
    with pytest.raises(InputError, match="only CMASK has nibbles"):
        layout.nibble(0, 0)
    with pytest.raises(InputError, match="HTILE base 0x100004000 is not a multiple of 0x8000"):
        layout.check_base(0x1_0000_4000)
    layout.check_base(0x1_0000_8000)


def test_addresses_nobody_knows_are_refused():
    for layout in (metadata.htile_layout(64, 64, mips=3), metadata.dcc_layout(64, 64, frags=2),
                   metadata.dcc_layout(64, 64, 8, resource="3d"), metadata.dcc_layout(64, 64, 8, resource="3d",
                                                                                      swizzle_mode=25)):
        assert layout.nbytes > 0
        with pytest.raises(UnsupportedError, match="address of"):
            layout.offset(0, 0)
        with pytest.raises(UnsupportedError, match="address of"):
            layout.tile(0)
