import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pm4_machine import BASE, HIGH, Machine, dma, indirect

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError, RefGpuError, UnsupportedError
from refgpu.pm4.table import definitions
from refgpu.registers import BANKS, RegisterFile

CAPTURES = Path(__file__).resolve().parents[2] / "shared" / "captures"
dwords = st.integers(0, 0xFFFFFFFF)


def test_register_packets_of_every_bank():
    machine = Machine()
    machine.run(
        pm4.packet("SET_CONTEXT_REG", 0x205, 0x01001A48),
        pm4.packet("SET_CONTEXT_REG_INDEX", 0x20000318, [1, 2, 3]),
        pm4.packet("SET_SH_REG", 0x8, [0x2010, 0x80]),
        pm4.packet("SET_SH_REG_INDEX", 0x30000007, 0xFFFF),
        pm4.packet("SET_UCONFIG_REG", 0x24A, 0xD4D4),
        pm4.packet("SET_UCONFIG_REG_INDEX", 0x20000243, 1),
        pm4.packet("SET_CONFIG_REG", 0x5, 9),
        pm4.packet("CONTEXT_REG_RMW", 0x205, 0x3, 0xFFFFFFFE),
    )
    registers = machine.registers
    assert registers.word("PA_SU_SC_MODE_CNTL") == 0x01001A4A
    assert [registers.get("context", 0x318 + i) for i in range(3)] == [1, 2, 3]
    assert (registers.word("SPI_SHADER_PGM_LO_PS"), registers.word("SPI_SHADER_PGM_HI_PS")) == (0x2010, 0x80)
    assert registers.word("SPI_SHADER_PGM_RSRC3_PS") == 0xFFFF
    assert registers.word("GE_INDX_OFFSET") == 0xD4D4
    assert registers.word("VGT_INDEX_TYPE") == 1
    assert registers.get("config", 5) == 9
    assert registers.unknown() == [("config", 5, 9)]


@pytest.mark.jit_off
def test_generation_counts_only_real_changes():
    machine = Machine()
    before = machine.registers.generation("context")
    machine.run(pm4.packet("SET_CONTEXT_REG", 0x8E, 0xFFFFFFFF), pm4.packet("NOP"), pm4.packet("NOP", 1, 2))
    assert machine.registers.generation("context") == before
    machine.run(pm4.packet("SET_CONTEXT_REG", 0x8E, [0xF, 0xFFFFFFFF]))
    assert machine.registers.generation("context") == before + 1
    assert machine.registers.word("CB_TARGET_MASK") == 0xF


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        ("SET_CONTEXT_REG", 0xFFFFFFFF, "context.*0xffffffff"),  # prosper issue 2031
        ("SET_CONTEXT_REG", 0x2000, "context.*0x2000"),
        ("SET_CONTEXT_REG", 0x1FFF, r"context.*0x1fff\.\.0x2000"),
        ("SET_SH_REG", 0x400, "sh.*0x400"),
        ("SET_UCONFIG_REG", 0x4000, "uconfig.*0x4000"),
        ("SET_SH_REG", 0x00010008, "reserved bits"),
    ],
)
def test_bad_register_offset_changes_nothing(name, target, message):
    machine = Machine()
    machine.registers["CB_BLEND0_CONTROL"] = 0
    before = machine.registers.storage.copy()
    with pytest.raises(DecodeError, match=message) as caught:
        machine.run(pm4.packet("NOP"), pm4.packet(name, target, [0x40000000, 0x40000000]))
    assert (caught.value.packet_index, caught.value.packet_offset, caught.value.packet_name) == (1, 1, name)
    assert np.array_equal(machine.registers.storage, before)


def test_draws_carry_their_packet():
    machine = Machine()
    machine.run(
        pm4.packet("NUM_INSTANCES", 0),
        pm4.packet("DRAW_INDEX_AUTO", 6, 2),
        pm4.packet("NUM_INSTANCES", 3),
        pm4.packet("INDEX_TYPE", 1),
        pm4.packet("DRAW_INDEX_2", 100, 0x40, HIGH, 36, 0),
        pm4.packet("SET_UCONFIG_REG_INDEX", 0x20000243, 2),
        pm4.packet("INDEX_BASE", 0x81, HIGH),
        pm4.packet("INDEX_BUFFER_SIZE", 50),
        pm4.packet("DRAW_INDEX_OFFSET_2", 50, 7, 12, 0x20),
        pm4.packet("DISPATCH_DIRECT", 4, 5, 6, 0x47),
    )
    assert machine.calls == [
        pm4.DrawCall(False, 0, 0, 6, 6, 0, 1, 2, 2),
        pm4.DrawCall(True, BASE + 0x40, 1, 36, 100, 0, 3, 0, 9),
        pm4.DrawCall(True, BASE + 0x80, 2, 12, 50, 7, 3, 0x20, 23),
        pm4.DispatchCall(4, 5, 6, 0x47, 28),
    ]
    assert machine.processor.index_buffer_size == 50


def test_draws_that_cannot_be():
    machine = Machine()
    with pytest.raises(DecodeError, match="INDEX_TYPE has the reserved value 3"):
        machine.run(pm4.packet("INDEX_TYPE", 3), pm4.packet("DRAW_INDEX_2", 3, 0, HIGH, 3, 0))
    with pytest.raises(UnsupportedError, match="SOURCE_SELECT = 0x1"):
        machine.run(pm4.packet("DRAW_INDEX_AUTO", 3, 1))
    with pytest.raises(InputError, match="48-bit"):
        machine.run(pm4.packet("INDEX_TYPE", 0), pm4.packet("DRAW_INDEX_2", 3, 0, 0x00018001, 3, 0))
    with pytest.raises(DecodeError, match="needs 5 body dwords, has 2"):
        machine.run(pm4.packet("DRAW_INDEX_2", 3, 0))
    assert machine.calls == []


def test_dma_fill_and_copy():
    machine = Machine()
    machine.run(
        dma(0x40300000, 0x000000F0, BASE, 16),
        dma(0x40300000, 0x12345678, BASE + 4, 4),
        dma(0x60300000, BASE + 2, BASE + 0x100, 7),
        dma(0, BASE, BASE + 0x200, 8),
        dma(0x40300000, 0xFFFFFFFF, BASE, 0),
    )
    assert machine.words(0, 5) == [0xF0, 0x12345678, 0xF0, 0xF0, 0]
    assert machine.memory.view(BASE + 0x100, 8).tolist() == [0, 0, 0x78, 0x56, 0x34, 0x12, 0xF0, 0]
    assert machine.words(0x200, 3) == [0xF0, 0x12345678, 0]


def test_dma_prefetch_touches_nothing():
    machine = Machine()
    heard = []

    class Watcher:
        def before_read(self, address, nbytes):
            heard.append(address)

        before_write = before_read

    machine.memory.watch(Watcher())
    unmapped = 0xFFFF_8000_0000_0000
    machine.run(dma(0x60200000, unmapped, unmapped, 64), dma(0x60300000, unmapped, unmapped, 64))
    machine.run(dma(0x60200000, unmapped, 0x1000, 64))
    assert heard == []


@pytest.mark.parametrize(
    ("packet", "error", "message"),
    [
        (dma(0x40300000, 1, BASE, 6), UnsupportedError, "multiple of 4 = 0x6"),
        (dma(0x60300000, BASE, BASE + 4, 8), UnsupportedError, "overlapping"),
        (dma(0x60300002, BASE, BASE + 64, 8), UnsupportedError, "SRC_INDIRECT"),
        (dma(0x60300000, BASE, BASE + 64, 8 | 1 << 28), UnsupportedError, "SAIC of memory"),
        (dma(0x60300000, BASE, BASE + 64, 8 | 1 << 29), UnsupportedError, "DAIC of memory"),
        (dma(0x40100000, 0, 0xFFFE, 4), InputError, "GDS bytes 0xfffe..0x10002: it ends at 0x10000"),
        (dma(0x20300000, 0xFFFC, BASE, 8), InputError, "GDS bytes 0xfffc..0x10004"),
        (dma(0x60000000, BASE, 0x2C08, 6 | 1 << 27), InputError, "6 bytes to registers"),
        (dma(0, 0x2C08, BASE, 6 | 1 << 26), InputError, "6 bytes from registers"),
        (dma(0, 0x2FFF, BASE, 8 | 1 << 26), DecodeError, "bank sh has no dword offset 0x3ff..0x400"),
        (dma(0x40300000, 1, BASE + 0xFFFC, 8), InputError, "0x80010000fffc"),
        (dma(0x60300000, 0x1000, BASE, 8), InputError, "0x1000: nothing is mapped"),
        (pm4.packet("WRITE_DATA", 4 << 8, 0, 0, 1), UnsupportedError, "WRITE_DATA.DST_SEL = 0x4"),
        (pm4.packet("COPY_DATA", 4, 0, 0, 0, 0), UnsupportedError, "SRC_SEL = 0x4"),
        (pm4.packet("RELEASE_MEM", 0x514, 6 << 29, 0, HIGH, 0, 0, 0), DecodeError, "DATA_SEL has the reserved value 6"),
        (pm4.packet("WAIT_REG_MEM", 0x17, 0, HIGH, 0, 0, 4), DecodeError, "FUNCTION has the reserved value 7"),
        (pm4.packet("EVENT_WRITE", 0x115, 0), InputError, "needs an address"),
        (pm4.packet("EVENT_WRITE", 0x115, 0xFF48, HIGH), InputError, "0x80010000ff48: .* ends before"),
        (pm4.packet("EVENT_WRITE", 0x320, 0, HIGH), UnsupportedError, "SAMPLE_STREAMOUTSTATS: streamout"),
        (pm4.packet("CLEAR_STATE", 1), UnsupportedError, "CMD = 0x1"),
        (pm4.packet("REWIND", 0), InputError, "forever"),
        (pm4.packet("DRAW_INDIRECT", 0, 0, 0, 2), InputError, "no SET_BASE 1 of shader type graphics"),
        (pm4.packet("DRAW_INDIRECT_COUNT_MULTI", 0), UnsupportedError, "PM4 packet DRAW_INDIRECT_COUNT_MULTI"),
        (pm4.packet("MEM_SEMAPHORE", 0), UnsupportedError, "PM4 packet MEM_SEMAPHORE"),
        (pm4.packet("SET_SH_REG_OFFSET", 0, 0), UnsupportedError, "PM4 packet SET_SH_REG_OFFSET"),
        (pm4.packet("LOAD_CONTEXT_REG_INDEX", 1, 0, 0, 1), InputError, "SET_BASE 4"),
        (pm4.packet("WRITE_DATA", 0, 0x20000, 0, 1), DecodeError, "dword address 0x20000"),
    ],
)
def test_refused_packets_say_where(packet, error, message):
    machine = Machine()
    before = machine.memory.view(BASE, 0x10000).copy()
    with pytest.raises(error, match=message) as caught:
        machine.run(pm4.packet("NOP", 0), packet)
    assert caught.value.packet_offset == 2
    assert str(caught.value).startswith(f"packet 1, {packet.name} at dword 0x2: ")
    assert np.array_equal(machine.memory.view(BASE, 0x10000), before)


def test_write_data_and_copy_data():
    machine = Machine()
    sh = BANKS["sh"].base_dword + 8
    machine.run(
        pm4.packet("WRITE_DATA", 5 << 8, 0x10, HIGH, [1, 2, 3]),
        pm4.packet("WRITE_DATA", 5 << 8 | 1 << 16, 0x20, HIGH, [4, 5, 6]),
        pm4.packet("WRITE_DATA", 0, sh, 0, [0x77, 0x88]),
        pm4.packet("COPY_DATA", 0 | 5 << 8 | 1 << 16, sh, 0, 0x30, HIGH),
        pm4.packet("COPY_DATA", 1 | 0 << 8, 0x14, HIGH, sh + 1, 0),
        pm4.packet("COPY_DATA", 5 | 2 << 8, 0xABCD, 0, 0x40, HIGH),
    )
    assert machine.words(0x10, 3) == [1, 2, 3]
    assert machine.words(0x20, 3) == [6, 0, 0]
    assert machine.words(0x30, 2) == [0x77, 0x88]
    assert machine.registers.word("SPI_SHADER_PGM_LO_PS") == 0x77
    assert machine.registers.word("SPI_SHADER_PGM_HI_PS") == 2
    assert machine.words(0x40, 2) == [0xABCD, 0]


def test_fence_then_wait():
    machine = Machine()
    release = pm4.packet("RELEASE_MEM", 0x40C514, 0x23000000, 0x24, HIGH, 5, 9, 0)
    wait = pm4.packet("WAIT_REG_MEM", 0x13, 0x24, HIGH, 5, 0xFFFFFFFF, 4)
    machine.run(release, wait, pm4.packet("PFP_SYNC_ME", 0))
    machine.run(pm4.packet("RELEASE_MEM", 0x514, 2 << 29, 0x30, HIGH, 1, 2, 0))
    assert machine.words(0x24, 2) == [5, 0]
    assert machine.words(0x30, 2) == [1, 2]
    late = pm4.packet("WAIT_REG_MEM", 0x13, 0x24, HIGH, 6, 0xFF, 4)
    with pytest.raises(InputError, match=r"memory 0x800100000024 holds 0x5, and \(value & 0xff\) == 0x6 is false"):
        machine.run(late)


@given(st.integers(0, 6), dwords, dwords, st.sampled_from([0, 0xFF, 0xFFFFFFFF]))
def test_wait_conditions(function, value, reference, mask):
    machine = Machine()
    machine.memory.write(BASE, np.uint32(value))
    machine.registers.set("sh", 8, value)
    masked = value & mask
    signs = (True, masked < reference, masked <= reference, masked == reference, masked != reference)
    met = (*signs, masked >= reference, masked > reference)[function]
    for space, low, high in ((1, 0, HIGH), (0, BANKS["sh"].base_dword + 8, 0)):
        wait = pm4.packet("WAIT_REG_MEM", function | space << 4, low, high, reference, mask, 4)
        if met:
            machine.run(wait)
        else:
            with pytest.raises(InputError, match="wait forever"):
                machine.run(wait)


def test_load_registers_from_memory():
    machine = Machine()
    machine.memory.write(BASE + 0x100, np.array([0x3F000000, 7], np.uint32))
    machine.memory.write(BASE + 0x200, np.array([0xB, 1, 0x8E, 2], np.uint32))
    machine.run(
        pm4.packet("LOAD_CONTEXT_REG_INDEX", 0x100, HIGH, 0xA, 2),
        pm4.packet("SET_BASE", 4, 0x200, HIGH),
    )
    assert [machine.registers.get("context", 0xA + i) for i in range(2)] == [0x3F000000, 7]
    machine.run(pm4.packet("LOAD_CONTEXT_REG_INDEX", 1, 0, 1 << 31, 2))
    assert machine.registers.word("DB_DEPTH_CLEAR") == 1
    assert machine.registers.word("CB_TARGET_MASK") == 2


def test_nesting_and_chains():
    machine = Machine()

    def place(offset, *packets):
        stream = pm4.encode(packets)
        machine.memory.write(BASE + offset, stream)
        return BASE + offset, stream.size

    def draw(count):
        return pm4.packet("DRAW_INDEX_AUTO", count, 2)

    leaf = place(0x100, draw(3))
    tail = place(0x300, draw(5))
    middle = place(0x200, draw(2), indirect(*leaf), indirect(*tail, chain=1), draw(99))
    machine.run(draw(1), indirect(*middle), draw(6))
    assert [call.index_count for call in machine.calls] == [1, 2, 3, 5, 6]
    assert [call.stream_address for call in machine.calls] == [None, BASE + 0x200, BASE + 0x100, BASE + 0x300, None]
    machine.calls.clear()
    machine.processor.submit((0xFFFF_8001_0000_0200, middle[1]))
    assert [call.index_count for call in machine.calls] == [2, 3, 5]

    third = place(0x400, indirect(*middle))
    with pytest.raises(DecodeError, match="nested more than 2 deep") as caught:
        machine.run(indirect(*third))
    assert caught.value.stream_address == BASE + 0x200
    assert caught.value.packet_offset == 3
    loop = place(0x500, draw(1), indirect(BASE + 0x500, 7, chain=1))
    with pytest.raises(DecodeError, match="chains back"):
        machine.run(indirect(*loop))
    other = place(0x600, indirect(BASE + 0x700, 4, chain=1))
    place(0x700, indirect(BASE + 0x600, 4, chain=1))
    with pytest.raises(DecodeError, match="chains back"):
        machine.processor.submit(other)
    into = place(0x800, indirect(BASE + 0x500, 7, chain=1))
    with pytest.raises(DecodeError, match="chains back"):
        machine.processor.submit(into)
    with pytest.raises(InputError, match="0x1000: nothing is mapped"):
        machine.run(indirect(0x1000, 4))
    machine.calls.clear()
    machine.run(draw(7))  # usable after errors
    assert machine.calls[0].stream_address is None


@given(st.lists(st.integers(1, 200), min_size=1, max_size=12), st.data())
def test_splitting_into_chained_buffers_changes_nothing(counts, data):
    packets = []
    for count in counts:
        packets += [pm4.packet("SET_CONTEXT_REG", count, count), pm4.packet("DRAW_INDEX_AUTO", count, 2)]
    whole, split = Machine(), Machine()
    whole.run(*packets)
    cut = data.draw(st.integers(0, len(packets)))
    rest = pm4.encode(packets[cut:])
    split.memory.map(0x1000, rest) if rest.size else None
    chain = [indirect(0x1000, rest.size, chain=1)] if rest.size else []
    split.run(*packets[:cut], *chain)
    assert np.array_equal(whole.registers.storage, split.registers.storage)
    assert [call.index_count for call in whole.calls] == [call.index_count for call in split.calls]


def test_what_came_before_an_error_stays_done():
    machine = Machine()
    stream = pm4.encode(
        [
            pm4.packet("SET_CONTEXT_REG", 0x8E, 0xF),
            dma(0x40300000, 7, BASE, 4),
            pm4.packet("DRAW_INDEX_AUTO", 3, 2),
        ]
    )
    bad = np.concatenate([stream, [0xC0006900, 1, 0xC000FF00, 1, 0xC0006900, 5]]).astype(np.uint32)
    with pytest.raises(DecodeError, match=r"packet 4, header 0xc000ff00 at dword 0xf: .*opcode 0xff") as caught:
        machine.processor.submit(bad)
    assert caught.value.packet_index == 4
    assert machine.registers.word("CB_TARGET_MASK") == 0xF
    assert machine.words(0, 1) == [7]
    assert len(machine.calls) == 1
    with pytest.raises(DecodeError, match="SET_CONTEXT_REG has 4 dwords, the stream ends after 2"):
        machine.processor.submit([0xC0026900, 0x8E])


def test_registers_are_the_draw_s_own():
    machine = Machine()
    seen = []
    machine.draw = lambda call: seen.append(machine.registers.word("CB_TARGET_MASK"))
    draw = pm4.packet("DRAW_INDEX_AUTO", 3, 2)
    machine.run(
        pm4.packet("SET_CONTEXT_REG", 0x8E, 1),
        draw,
        pm4.packet("SET_CONTEXT_REG", 0x8E, 2),
        draw,
        pm4.packet("CLEAR_STATE", 0),
        draw,
    )
    assert seen == [1, 2, 0xFFFFFFFF]


headers = st.tuples(st.sampled_from(sorted(definitions())), st.integers(0, 7))
likely_dwords = st.one_of(
    dwords,
    st.sampled_from([0xFFFF1000, 0x80000000, 0x40, HIGH, BASE & 0xFFFFFFFF]),
    headers.map(lambda pair: 0xC0000000 | pair[1] << 16 | pair[0] << 8),
)


@given(st.lists(likely_dwords, max_size=40))
def test_random_streams_end_in_a_result_or_an_error(stream):
    machine = Machine()
    try:
        machine.processor.submit(np.array(stream, np.uint32))
    except RefGpuError as error:
        assert hasattr(error, "packet_offset")  # noqa: PT017


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the capture collection is not part of the package")
def test_driver_streams_write_the_listed_registers():
    """Every main stream's register writes equal the listing's, packet for packet, up to the last draw."""
    checked = 0
    for path in sorted(CAPTURES.glob("*/pm4_*_main.jsonl")):
        registers = RegisterFile("gfx1030" if "gfx1030" in path.parent.name else "gfx1010")
        machine = Machine()
        machine.registers = registers
        machine.processor = pm4.CommandProcessor(registers, machine.memory, machine)
        packets = [p for p in pm4.decode(np.fromfile(path.with_suffix(".bin"), np.uint32)) if p.name.startswith("SET_")]
        machine.run(*[p for p in packets if p.name != "SET_BASE"])
        last = {}
        for line in path.read_text().splitlines():
            for address, _, value in json.loads(line).get("set", []):
                last[address // 4] = value
        for dword, value in last.items():
            assert registers.get(*registers.at_dword(dword)) == value, (path, hex(dword))
            checked += 1
        assert {name for name, _, _ in registers.unknown()} <= {"uconfig"}
    assert checked > 10000
