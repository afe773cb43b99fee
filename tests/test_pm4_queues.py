"""Graphics and compute queues that wait for each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pm4_machine import HIGH, Machine, draw_auto

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError


def release(offset, value):
    return pm4.packet("RELEASE_MEM", 0x514, 1 << 29, offset, HIGH, value, 0, 0)


def wait(offset, value):
    return pm4.packet("WAIT_REG_MEM", 0x13, offset, HIGH, value, 0xFFFFFFFF, 4)


def dispatch(count):
    return pm4.packet("DISPATCH_DIRECT", count, 1, 1, 1, compute=True)


class Pair:
    """Two queues over one memory; `order` notes who was asked for what."""

    def __init__(self):
        self.graphics = Machine()
        self.compute = Machine(queue="compute", memory=self.graphics.memory)
        self.order = []
        for name in ("graphics", "compute"):
            machine = getattr(self, name)
            machine.draw = lambda call, name=name: self.order.append((name, call[3]))
            machine.dispatch = lambda call, name=name: self.order.append((name, call.x))

    def run(self, graphics, compute):
        pm4.run_queues({
            "graphics": (self.graphics.processor, [pm4.encode(stream) for stream in graphics]),
            "compute": (self.compute.processor, [pm4.encode(stream) for stream in compute]),
        })  # fmt: skip


def test_each_waits_for_the_other():
    pair = Pair()
    pair.run(
        [[draw_auto(1), release(0, 1), wait(4, 2), draw_auto(2)], [draw_auto(3)]],
        [[wait(0, 1), dispatch(7), release(4, 2), dispatch(8)]],
    )
    assert pair.order == [("graphics", 1), ("compute", 7), ("compute", 8), ("graphics", 2), ("graphics", 3)]


def test_a_compute_queue_has_registers_of_its_own():
    pair = Pair()
    write = pm4.packet("SET_SH_REG", 0x8, 0x77)
    pair.run([[write]], [[dispatch(1)]])
    assert pair.graphics.registers.get("sh", 8) == 0x77
    assert pair.compute.registers.get("sh", 8) == 0


def test_deadlock_names_both_sides():
    pair = Pair()
    with pytest.raises(InputError) as caught:
        pair.run([[draw_auto(1), wait(0, 1), release(4, 1)]], [[], [wait(4, 1), release(0, 1)]])
    message = str(caught.value)
    assert message.startswith("deadlock: ")
    assert "graphics (stream 0): WAIT_REG_MEM at dword 0x3 waits: memory 0x800100000000 holds 0x0" in message
    assert "compute (stream 1): WAIT_REG_MEM at dword 0x0 waits: memory 0x800100000004 holds 0x0" in message
    assert pair.order == [("graphics", 1)]
    pair.run([[draw_auto(5)]], [[]])  # nothing is left over
    assert pair.order[-1] == ("graphics", 5)


def test_one_side_alone_can_wait_forever():
    pair = Pair()
    with pytest.raises(InputError, match=r"^deadlock: nothing meets what compute \(stream 0\): WAIT_REG_MEM"):
        pair.run([[draw_auto(1)]], [[wait(0, 1)]])


def test_errors_name_the_queue():
    pair = Pair()
    with pytest.raises(DecodeError, match="SET_SH_REG") as caught:
        pair.run([[wait(0, 1)]], [[dispatch(2)], [pm4.packet("SET_SH_REG", 0x400, 1)]])
    assert caught.value.__notes__ == ["queue compute, stream 1"]
    assert pair.order == [("compute", 2)]
    pair.run([[draw_auto(1)]], [[]])


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), max_size=8))
def test_a_chain_of_labels_gives_one_order(steps):
    """Each step runs on one of the queues and starts when the label says that the step before is done."""
    pair = Pair()
    streams = {False: [], True: []}
    for number, (compute, work) in enumerate(steps):
        ask = dispatch if compute else draw_auto
        streams[compute] += [wait(0, number), *[ask(10 * number + i) for i in range(work)], release(0, number + 1)]
    pair.run([streams[False]], [streams[True]])
    expected = [("compute" if compute else "graphics", 10 * number + i)
                for number, (compute, work) in enumerate(steps) for i in range(work)]  # fmt: skip
    assert pair.order == expected
    assert pair.graphics.words(0, 1) == [len(steps)]


def test_unknown_queue():
    with pytest.raises(InputError, match="no queue 'copy'"):
        Machine(queue="copy")
