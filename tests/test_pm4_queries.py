"""Occlusion counters and pipeline statistics in memory, the clock, GDS, register ranges."""

import numpy as np
import pytest
from pm4_machine import BASE, HIGH, Machine, dma

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError
from refgpu.registers import BANKS

VALID = 1 << 63
ZPASS_DONE, PIXEL_PIPE_STAT_DUMP, PIXEL_PIPE_STAT_RESET = 21, 57, 58
START, STOP, SAMPLE = 25, 26, 30


def event(kind, index=0, offset=None):
    return pm4.packet("EVENT_WRITE", kind | index << 8, *(() if offset is None else (offset, HIGH)))


@pytest.mark.parametrize(("profile", "backends"), [("gfx1013", 16), ("gfx1010", 16), ("gfx1030", 16), ("gfx1035", 4)])
@pytest.mark.parametrize("kind", [ZPASS_DONE, PIXEL_PIPE_STAT_DUMP])
def test_occlusion_counters_per_backend(profile, backends, kind):
    machine = Machine(profile)
    machine.memory.write(BASE, np.full(0x1000, 0xEE, np.uint8))
    machine.seen = pm4.Counters(samples_passed=50)
    machine.run(event(kind, 1, 0x100))
    machine.seen = pm4.Counters(samples_passed=18_482)
    machine.run(event(kind, 1, 0x108), pm4.packet("OCCLUSION_QUERY", 0x100, HIGH, 0x400, HIGH))
    pairs = np.array(machine.words(0x100, 2 * backends, np.uint64), np.uint64).reshape(-1, 2)
    assert (pairs & np.uint64(VALID)).all()
    assert int((pairs[:, 1] - pairs[:, 0]).sum()) == 18_432
    assert machine.words(0x100 + 16 * backends, 1) == [0xEEEEEEEE]
    assert machine.words(0xFC, 1) == [0xEEEEEEEE]
    assert machine.words(0x400, 2) == [18_432, 0]


def test_counters_can_be_reset():
    machine = Machine()
    machine.seen = pm4.Counters(samples_passed=70)
    machine.run(event(PIXEL_PIPE_STAT_RESET), event(ZPASS_DONE, 1, 0))
    assert machine.words(0, 1, np.uint64) == [VALID]


def test_a_query_that_never_ended():
    machine = Machine()
    machine.run(event(ZPASS_DONE, 1, 0x100))
    with pytest.raises(InputError, match="OCCLUSION_QUERY would wait forever: the end count of render backend 0"):
        machine.run(pm4.packet("OCCLUSION_QUERY", 0x100, HIGH, 0x400, HIGH))
    assert machine.words(0x400, 2) == [0, 0]


def test_a_sink_that_cannot_count_counts_nothing():
    machine = Machine()

    class Deaf:
        def draw(self, call):
            pass

    pm4.CommandProcessor(machine.registers, machine.memory, Deaf()).submit(event(ZPASS_DONE, 1, 0).words)
    assert machine.words(0, 1, np.uint64) == [VALID]


def test_pipeline_statistics():
    machine = Machine()

    def at(total):
        machine.seen = pm4.Counters(total, 2 * total, 3 * total, 4 * total, 5 * total, 6 * total, 7 * total, 8 * total)

    at(1)
    machine.run(event(SAMPLE, 2, 0), event(START))
    assert machine.words(0, 11, np.uint64) == [0] * 11
    at(3)
    machine.run(event(START), event(SAMPLE, 2, 0))
    # pixel, clip primitives, clip invocations, vertex, geometry x2, input primitives, input vertices, hull, domain, cs
    assert machine.words(0, 11, np.uint64) == [14, 12, 10, 8, 0, 0, 6, 4, 0, 0, 16]
    at(4)
    machine.run(event(STOP))
    at(9)
    machine.run(event(SAMPLE, 2, 0x80))
    assert machine.words(0x80, 11, np.uint64) == [21, 18, 15, 12, 0, 0, 9, 6, 0, 0, 24]
    machine.run(event(START))
    at(10)
    machine.run(event(SAMPLE, 2, 0))
    assert machine.words(0, 1, np.uint64) == [28]
    with pytest.raises(InputError, match="needs an address"):
        machine.run(event(SAMPLE, 2))


def test_clock_grows_with_the_packets():
    machine = Machine()
    release = pm4.packet("RELEASE_MEM", 0x514, 3 << 29, 0x20, HIGH, 0, 0, 0)
    copy = pm4.packet("COPY_DATA", 9 | 5 << 8 | 1 << 16, 0, 0, 0x30, HIGH)
    machine.run(release, pm4.packet("NOP", 1), pm4.packet("NOP"), copy, copy)
    assert machine.words(0x20, 1, np.uint64) == [0]
    assert machine.words(0x30, 1, np.uint64) == [4]
    machine.run(copy)
    assert machine.words(0x30, 1, np.uint64) == [5]


def test_gds_is_written_and_read():  # cases.md B80
    machine = Machine()
    gds = machine.processor.gds
    machine.write(0x100, 0x11111111, 0x22222222)
    machine.processor.gds[0xC64:0xC68] = 0xFF
    machine.run(
        dma(0x40100000, 0, 0xC64, 4),
        dma(0x60100000, BASE + 0x102, 0x25, 5),
        pm4.packet("WRITE_DATA", 3 << 8, 0x40, 0, [5, 6]),
        pm4.packet("COPY_DATA", 3 | 5 << 8 | 1 << 16, 0x40, 0, 0x200, HIGH),
        pm4.packet("COPY_DATA", 5 | 3 << 8, 9, 0, 0x48, 0),
        dma(0x20300000, 0x24, BASE + 0x300, 8),
        pm4.packet("RELEASE_MEM", 0x514, 5 << 29, 0x400, HIGH, 0x10 | 3 << 16, 0, 0),
    )
    assert gds[0xC60:0xC6C].tolist() == [0] * 12
    assert machine.words(0x200, 2) == [5, 6]
    assert machine.memory.view(BASE + 0x300, 8).tolist() == [0, 0x11, 0x11, 0x22, 0x22, 0x22, 0, 0]
    assert machine.words(0x400, 4) == [5, 6, 9, 0]


def test_dma_between_registers_and_memory():
    machine = Machine()
    first = BANKS["sh"].base_dword + 8
    machine.write(0x100, 7, 8)
    machine.run(dma(0x60000000, BASE + 0x100, first, 8 | 1 << 27), dma(0x00300000, first, BASE + 0x200, 8 | 1 << 26))
    assert [machine.registers.get("sh", 8 + i) for i in range(3)] == [7, 8, 0]
    assert machine.words(0x200, 3) == [7, 8, 0]
    machine.run(dma(0x00300000, first, BASE + 0x300, 8 | 1 << 26 | 1 << 28))
    assert machine.words(0x300, 2) == [7, 7]
    machine.run(dma(0x60000000, BASE + 0x100, first + 4, 8 | 1 << 27 | 1 << 29), dma(0x40000000, 3, first, 8 | 1 << 27))
    assert [machine.registers.get("sh", 8 + i) for i in range(6)] == [3, 3, 0, 0, 8, 0]


def test_load_register_ranges():
    machine = Machine()
    bank = np.arange(0x100, dtype=np.uint32) + 1000
    machine.memory.write(BASE + 0x1000, bank)
    machine.run(pm4.packet("LOAD_CONTEXT_REG", 0x1000, HIGH, 0x8E, 2, 0xA, 1), pm4.packet("LOAD_SH_REG", 0, HIGH))
    assert [machine.registers.get("context", i) for i in (0x8D, 0x8E, 0x8F, 0xA)] == [0xFFFFFFFF & 0, 1142, 1143, 1010]
    with pytest.raises(DecodeError, match="no pairs"):
        machine.run(pm4.packet("LOAD_UCONFIG_REG", 0x1000, HIGH, 0x8E))
    before = machine.registers.storage.copy()
    with pytest.raises(DecodeError, match="0x1fff"):
        machine.run(pm4.packet("LOAD_CONTEXT_REG", 0x1000, HIGH, 0x8E, 1, 0x1FFF, 2))
    with pytest.raises(InputError, match="0x80010000fffc"):
        machine.run(pm4.packet("LOAD_CONTEXT_REG", 0xFFFC - 4 * 0x8E, HIGH, 0, 1, 0x8E, 2))
    assert np.array_equal(machine.registers.storage, before)
