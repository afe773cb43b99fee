"""Predication, conditional execution, conditional jumps, waits that another writer meets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pm4_machine import BASE, HIGH, Machine, draw_auto, indirect

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError, UnsupportedError

VALID = 1 << 63
ZPASS, PRIMCOUNT, BOOL64, BOOL32 = 1, 2, 3, 4
DRAW_IF, WAIT_NOT, CONTINUE = 1 << 8, 1 << 12, 1 << 31


def predicate(operation, draw_if=True, offset=0, flags=0):
    return pm4.packet("SET_PREDICATION", operation << 16 | (DRAW_IF if draw_if else 0) | flags, offset, HIGH)


def counts_of(machine):
    return [call.index_count for call in machine.calls]


@pytest.mark.parametrize(("value", "operation", "true"), [
    (0, BOOL32, False), (1 << 32, BOOL32, False), (1 << 31, BOOL32, True),
    (0, BOOL64, False), (1 << 32, BOOL64, True), (5, BOOL64, True),
])  # fmt: skip
@pytest.mark.parametrize("draw_if", [False, True])
def test_predication_by_a_value(value, operation, true, draw_if):
    machine = Machine()
    machine.write(0, value, dtype=np.uint64)
    machine.run(
        predicate(operation, draw_if),
        draw_auto(1, predicate=True), draw_auto(2),
        pm4.packet("SET_CONTEXT_REG", 0x8E, 5, predicate=True), pm4.packet("SET_CONTEXT_REG", 0x8F, 6),
        pm4.packet("WRITE_DATA", 5 << 8, 0x40, HIGH, 7, predicate=True),
        predicate(0), draw_auto(3, predicate=True),
    )  # fmt: skip
    taken = true == draw_if
    assert counts_of(machine) == ([1, 2, 3] if taken else [2, 3])
    assert machine.registers.word("CB_TARGET_MASK") == (5 if taken else 0xFFFFFFFF)
    assert machine.registers.word("CB_SHADER_MASK") == 6
    assert machine.words(0x40, 1) == [7 if taken else 0]


def query(machine, offset, *, backends=16, passed=0, backend=3):
    pairs = np.full((backends, 2), VALID | 100, np.uint64)
    pairs[backend, 1] += np.uint64(passed)
    machine.memory.write(BASE + offset, pairs)


def test_predication_by_samples():
    machine = Machine()
    query(machine, 0, passed=0)
    query(machine, 0x400, passed=2)
    machine.run(
        predicate(ZPASS), draw_auto(1, predicate=True),
        predicate(ZPASS, offset=0x400), draw_auto(2, predicate=True),
        predicate(ZPASS, offset=0, flags=CONTINUE), draw_auto(3, predicate=True),
        predicate(ZPASS, False), draw_auto(4, predicate=True),
        predicate(0), predicate(ZPASS, offset=0, flags=CONTINUE), draw_auto(5, predicate=True),
    )  # fmt: skip
    assert counts_of(machine) == [2, 3, 4]
    small = Machine("gfx1035")
    query(small, 0, backends=4, passed=1)
    small.run(predicate(ZPASS), draw_auto(1, predicate=True))
    assert counts_of(small) == [1]
    machine.memory.write(BASE + 0x38, np.uint64(5))
    with pytest.raises(InputError, match="SET_PREDICATION would wait forever: the end count of render backend 3"):
        machine.run(predicate(ZPASS))


def test_predication_refusals():
    machine = Machine()
    with pytest.raises(UnsupportedError, match="streamout overflow = 0x2"):
        machine.run(predicate(PRIMCOUNT))
    with pytest.raises(DecodeError, match="PRED_OP has the reserved value 7"):
        machine.run(predicate(7))
    with pytest.raises(InputError, match="nothing is mapped"):
        machine.processor.submit(pm4.packet("SET_PREDICATION", BOOL32 << 16, 0, 1).words)
    machine.run(predicate(BOOL32), draw_auto(1, predicate=True))  # memory holds 0
    with pytest.raises(DecodeError, match="unknown opcode 0xff"):
        machine.processor.submit([0xC000FF01, 0])  # skipping is no reason to take what no chip knows


@given(st.lists(st.integers(1, 9), max_size=6), st.data())
def test_cond_exec_leaves_out_whole_packets(counts, data):
    packets = [draw_auto(count) for count in counts]
    inside = data.draw(st.integers(0, len(counts)))
    value = data.draw(st.sampled_from([0, 1, 0x80]))
    machine = Machine()
    machine.write(0, value)
    machine.run(pm4.packet("COND_EXEC", 0, HIGH, 0, 3 * inside), *packets)
    assert counts_of(machine) == (counts if value else counts[inside:])
    machine.calls.clear()
    machine.run(pm4.packet("PRED_EXEC", 3 * inside | value << 24), *packets)
    assert counts_of(machine) == (counts if value & 1 else counts[inside:])


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(("count", "message"), [(2, "inside a packet"), (7, "behind the stream"), (4, "inside")])
def test_cond_exec_of_part_of_a_packet(value, count, message):
    machine = Machine()
    machine.write(0, value)
    with pytest.raises(DecodeError, match=message):
        machine.run(pm4.packet("COND_EXEC", 0, HIGH, 0, count), draw_auto(1), draw_auto(2))
    with pytest.raises(DecodeError, match="type 0"):
        machine.processor.submit([*pm4.packet("COND_EXEC", 0, HIGH, 0, 2).words.tolist(), 0, 0])
    assert machine.calls == []


def conditional(then, otherwise=(0, 0), *, mode=2, function=3, offset=0, mask=(1 << 64) - 1, reference=1):
    def halves(value):
        return value & 0xFFFFFFFF, value >> 32

    ways = (*halves(then[0]), then[1], *halves(otherwise[0]), otherwise[1])
    return pm4.packet("COND_INDIRECT_BUFFER", mode | function << 8, offset, HIGH, *halves(mask), *halves(reference),
                      *ways)  # fmt: skip


@pytest.mark.parametrize(("mode", "value", "drawn"), [(1, 1, [1, 7]), (1, 0, [1, 3]), (2, 1, [1, 7]), (2, 0, [1, 8])])
def test_conditional_jump(mode, value, drawn):
    machine = Machine()
    machine.write(0, value, dtype=np.uint64)
    then, otherwise = machine.place(0x100, draw_auto(7)), machine.place(0x200, draw_auto(8))
    machine.run(draw_auto(1), conditional(then, otherwise, mode=mode), draw_auto(3))
    assert counts_of(machine) == drawn
    (packet,) = pm4.decode(conditional(then).words)
    assert packet.name == "COND_INDIRECT_BUFFER"
    assert packet.fields["then_size"] == 3


def test_conditional_jumps_make_loops():
    machine = Machine()
    machine.write(0, 3, dtype=np.uint64)  # counts down through 2 and 1
    done = machine.place(0x300, draw_auto(9))
    body = (
        draw_auto(1),
        pm4.packet("COPY_DATA", 1 | 5 << 8 | 1 << 16, 0x10, HIGH, 0, HIGH),
        pm4.packet("COPY_DATA", 1 | 5 << 8 | 1 << 16, 0x18, HIGH, 0x10, HIGH),
        conditional(done, (BASE + 0x100, 3 + 6 + 6 + 14), reference=1),
    )
    machine.write(0x10, 2, 0, 1, 0)
    machine.processor.submit(machine.place(0x100, *body))
    assert counts_of(machine) == [1, 1, 9]
    machine.write(0, 0, 0)
    loop = machine.place(0x400, conditional((BASE + 0x400, 14), reference=0))
    with pytest.raises(InputError, match="would not end"):
        machine.processor.submit(loop)
    with pytest.raises(DecodeError, match="MODE has the reserved value 0"):
        machine.run(conditional(loop, mode=0))
    with pytest.raises(DecodeError, match="FUNCTION has the reserved value 7"):
        machine.run(conditional(loop, function=7))


def test_a_stream_can_go_on_after_a_wait():
    machine = Machine()
    wait = pm4.packet("WAIT_REG_MEM", 0x13, 0x20, HIGH, 5, 0xFF, 4)
    inner = machine.place(0x100, draw_auto(2), wait, draw_auto(3))
    processor = machine.processor
    processor.start(pm4.encode([draw_auto(1), indirect(*inner), draw_auto(4)]))
    waiting = processor.run()
    assert (waiting.packet, waiting.place) == ("WAIT_REG_MEM", "at dword 0x3 of the stream at 0x800100000100")
    assert "memory 0x800100000020 holds 0x0, and (value & 0xff) == 0x5 is false" in str(waiting)
    assert counts_of(machine) == [1, 2]
    assert processor.run() == waiting  # nothing changed, nothing happens
    with pytest.raises(InputError, match="while a stream"):
        processor.submit([])
    machine.write(0x20, 0x105)
    assert processor.run() is None
    assert counts_of(machine) == [1, 2, 3, 4]


def test_wait_on_64_bits():
    machine = Machine()
    machine.write(0x20, 1, 2)
    for function, reference, mask, met in (
        (3, 0x2_0000_0001, (1 << 64) - 1, True),
        (3, 0x2_0000_0000, 0xF_0000_0000, True),
        (3, 1, (1 << 64) - 1, False),
        (6, 0xFFFFFFFF, (1 << 64) - 1, True),
        (0, 1, 0, True),
    ):
        words = [reference & 0xFFFFFFFF, reference >> 32, mask & 0xFFFFFFFF, mask >> 32]
        wait = pm4.packet("WAIT_REG_MEM64", function | 0x10, 0x20, HIGH, *words, 4)
        if met:
            machine.run(wait)
        else:
            with pytest.raises(InputError, match=r"WAIT_REG_MEM64 would wait forever: .* holds 0x200000001"):
                machine.run(wait)


def test_rewind_waits_for_its_valid_bit():
    machine = Machine()
    stream = machine.place(0x100, draw_auto(1), pm4.packet("REWIND", 0), draw_auto(2))
    machine.processor.start(stream)
    waiting = machine.processor.run()
    assert (waiting.packet, waiting.reason) == ("REWIND", "its VALID bit is 0")
    machine.write(0x100 + 16, 1 << 31)
    machine.write(0x100 + 24, 7)  # what the stream says by then
    assert machine.processor.run() is None
    assert counts_of(machine) == [1, 7]
