"""Draws and dispatches whose counts lie in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pm4_machine import BASE, HIGH, Machine

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError, UnsupportedError

VERTEX, INSTANCE, NUMBER, START = 0x8D, 0x8E, 0x8F, 0x90  # user SGPRs of the GS, as SH register offsets
COUNT_FROM_MEMORY, DRAW_INDEX = 1 << 30, 1 << 31


def base(index=1, offset=0, compute=False):
    return pm4.packet("SET_BASE", index, offset, HIGH, compute=compute)


class Drawing(Machine):
    """Notes the user SGPRs at each draw too."""

    def draw(self, call):
        names = (VERTEX, INSTANCE, NUMBER, START)
        self.calls.append((call, tuple(self.registers.get("sh", name) for name in names)))


def test_one_draw_by_its_record():
    machine = Drawing()
    machine.write(0x40, 36, 2, 7, 9)
    machine.run(base(), pm4.packet("DRAW_INDIRECT", 0x40, VERTEX, INSTANCE, 2))
    (call, user), = machine.calls
    assert (call.indexed, call.index_count, call.instance_count, call.packet_offset) == (False, 36, 2, 4)
    assert user == (7, 9, 0, 0)
    assert machine.registers.word("VGT_NUM_INSTANCES") == 2


def test_one_indexed_draw_by_its_record():
    machine = Drawing()
    machine.write(0x48, 6, 3, 10, 0xFFFFFFFE, 5)  # vertex offset -2
    machine.run(
        pm4.packet("INDEX_TYPE", 1), pm4.packet("INDEX_BASE", 0x100, HIGH), pm4.packet("INDEX_BUFFER_SIZE", 64),
        base(offset=0x40), pm4.packet("DRAW_INDEX_INDIRECT", 8, VERTEX | START << 16, INSTANCE | 1 << 28, 0),
        pm4.packet("DRAW_INDEX_INDIRECT", 8, VERTEX | 0x91 << 16, 0, 0),
    )  # fmt: skip
    (call, user), (second, _) = machine.calls
    assert call == (True, BASE + 0x100, 1, 6, 64, 10, 3, 0, 11, None)
    assert user == (0xFFFFFFFE, 5, 0, 10)
    assert machine.registers.get("sh", 0x91) == 0  # START_INDX_ENABLE 0, and location 0 is no register
    assert machine.registers.get("sh", 0) == 0
    assert second.index_offset == 10


def multi(indexed, count, stride, *, flags=0, offset=0, counter=0x80):
    name = "DRAW_INDEX_INDIRECT_MULTI" if indexed else "DRAW_INDIRECT_MULTI"
    initiator = 0 if indexed else 2
    return pm4.packet(name, offset, VERTEX, INSTANCE, NUMBER | flags, count, counter, HIGH, stride, initiator)


@pytest.mark.parametrize("indexed", [False, True])
@given(records=st.lists(st.tuples(*[st.integers(0, 9)] * 5), max_size=5), gap=st.integers(0, 3), data=st.data())
def test_several_draws(indexed, records, gap, data):
    size = 5 if indexed else 4
    in_packet, in_memory = data.draw(st.integers(0, len(records))), data.draw(st.integers(0, 7))
    from_memory = data.draw(st.booleans())
    machine = Drawing()
    for number, record in enumerate(records):
        machine.write(0x200 + 4 * (size + gap) * number, *record[:size])
    machine.write(0x80, in_memory)
    flags = DRAW_INDEX | (COUNT_FROM_MEMORY if from_memory else 0)
    machine.run(base(offset=0x100), multi(indexed, in_packet, 4 * (size + gap), flags=flags, offset=0x100))
    drawn = records[: min(in_packet, in_memory) if from_memory else in_packet]
    expected = []
    for number, record in enumerate(drawn):
        count, instances, first, fourth, fifth = record
        if count and instances:
            vertex, instance = (fourth, fifth) if indexed else (first, fourth)
            expected.append((count, instances, first if indexed else 0, (vertex, instance, number, 0)))
    assert [(c.index_count, c.instance_count, c.index_offset, user) for c, user in machine.calls] == expected


def test_draws_that_cannot_be():
    machine = Machine()
    for packet, error, message in (
        (multi(False, 5, 0x4000), InputError, "cannot read 65552 bytes"),
        (multi(False, 0xFFFFFFFF, 0xFFFFFFFF), UnsupportedError, "COUNT of a multi draw = 0xffffffff"),
        (multi(False, 0xFFFFFFFF, 0), UnsupportedError, "COUNT of a multi draw"),
        (multi(False, 1, 16, flags=1 << 27), UnsupportedError, "USE_VGPRS"),
        (multi(False, 1, 16, flags=COUNT_FROM_MEMORY, counter=0x10000), InputError, "0x800100010000"),
        (multi(False, 1, 16, offset=0xFFFFFFFF), InputError, "0x8001ffffffff"),
        (pm4.packet("DRAW_INDIRECT", 0, VERTEX, INSTANCE, 0), UnsupportedError, "SOURCE_SELECT = 0x0"),
        (pm4.packet("DRAW_INDEX_INDIRECT", 0, VERTEX, INSTANCE, 2), UnsupportedError, "SOURCE_SELECT = 0x2"),
        (pm4.packet("DISPATCH_INDIRECT", 0xFFF8, 0), InputError, "0x80010000fff8"),
    ):
        with pytest.raises(error, match=message):
            machine.run(base(), packet)
    machine.write(0, 3, 1, 0, 0)
    with pytest.raises(DecodeError, match="bank sh has no dword offset 0x400"):
        machine.run(base(), pm4.packet("DRAW_INDIRECT", 0, 0x400, 0, 2))
    assert machine.calls == []
    machine.run(multi(False, 0, 0xFFFFFFFF))  # no draw, so nothing is read
    assert machine.calls == []


def test_dispatch_by_memory():
    machine = Machine()
    machine.write(0x50, 4, 5, 6)
    machine.run(base(compute=True), base(offset=0x1000), pm4.packet("DISPATCH_INDIRECT", 0x50, 0x41, compute=True))
    assert machine.calls == [pm4.DispatchCall(4, 5, 6, 0x41, 8)]
    compute = Machine(queue="compute")
    compute.write(0x50, 1, 2, 3)
    compute.run(pm4.packet("DISPATCH_INDIRECT", 0x50, HIGH, 0x41, compute=True))
    (call,) = compute.calls
    assert call[:5] == (1, 2, 3, 0x41, 0)
    assert call.registers is compute.registers


def test_instances_of_an_indirect_draw_stay_in_the_register():
    machine = Machine()
    machine.write(0, 3, 4, 0, 0)
    machine.run(base(), pm4.packet("DRAW_INDIRECT", 0, 0, 0, 2), pm4.packet("DRAW_INDEX_AUTO", 3, 2))
    assert [call.instance_count for call in machine.calls] == [4, 4]


def test_counts_are_read_when_the_packet_is_reached():
    machine = Machine()
    machine.run(
        base(),
        pm4.packet("WRITE_DATA", 5 << 8, 0x20, HIGH, [12, 1, 0, 0]),
        pm4.packet("DRAW_INDIRECT", 0x20, 0, 0, 2),
        pm4.packet("WRITE_DATA", 5 << 8, 0x20, HIGH, np.array([13, 1, 0, 0])),
        pm4.packet("DRAW_INDIRECT", 0x20, 0, 0, 2),
    )
    assert [call.index_count for call in machine.calls] == [12, 13]
