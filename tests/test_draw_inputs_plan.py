"""The in-place model: drawing by the plan equals drawing from fresh copies, whatever the host's schedule."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refgpu.base.errors import InputError
from refgpu.draw_inputs import Access, Range, Timeline, plan
from refgpu.draw_inputs.planning import MISALIGNED, NOT_IMPORTED
from refgpu.memory import Memory

SIZE = 24
GPU, AT_COMPLETION = (Access.READ, Access.GPU_WRITE), (Access.COMPLETION, Access.WRITE_BACK)


class Emulator:
    """Executes what was recorded as late and in as odd an order as the kinds of access allow; `pick` chooses."""

    def __init__(self, pick, blind=None):
        self.pick = pick
        self.blind = blind  # a kind of pending write that this emulator's planner overlooks
        self.memory = np.zeros(SIZE, np.uint8)
        self.timeline = Timeline()
        self.operations = []
        self.draws = []
        self.numbers = itertools.count()

    def record(self, kind, address, nbytes, value, after=()):
        operation = {"id": next(self.numbers), "kind": kind, "at": slice(address, address + nbytes), "value": value,
                     "submission": self.timeline.recording, "after": set(after)}  # fmt: skip
        self.operations.append(operation)
        return operation

    def runnable(self):
        waiting = {operation["id"] for operation in self.operations}
        labels = [operation for operation in self.operations if operation["kind"] is Access.LABEL][:1]
        return labels + [o for o in self.operations if o["kind"] in GPU and not o["after"] & waiting
                         and self.timeline.state(o["submission"]) != "recorded"]  # fmt: skip

    def execute(self, operation):
        self.operations.remove(operation)
        if operation["kind"] is Access.READ:
            operation["value"][:] = self.memory[operation["at"]]
        else:
            self.memory[operation["at"]] = operation["value"]

    def step(self):
        ready = self.runnable()
        if ready:
            self.execute(ready[self.pick(len(ready))])

    def complete(self, submission):
        if self.timeline.state(submission) == "recorded":
            self.timeline.submit()
        for number in range(submission + 1):
            mine = [o for o in self.operations if o["submission"] == number]
            while any(o["kind"] not in AT_COMPLETION and o in self.operations for o in mine):
                ready = [o for o in self.runnable() if o["submission"] <= number]
                self.execute(ready[self.pick(len(ready))])
            for operation in mine:
                if operation["kind"] in AT_COMPLETION:
                    self.execute(operation)
        self.timeline.complete(submission)

    def write(self, kind, address, nbytes, value):
        order = self.timeline.order(kind, address, nbytes)
        if order.waits:
            self.complete(max(order.waits))
        if kind is Access.CPU_STORE:
            self.memory[address : address + nbytes] = value
            return
        ahead = {(barrier.kind, barrier.address, barrier.submission) for barrier in order.barriers}
        after = [o["id"] for o in self.operations if (o["kind"], o["at"].start, o["submission"]) in ahead]
        self.timeline.write(kind, address, nbytes)
        self.record(kind, address, nbytes, value, after)

    def draw(self, address, nbytes, alignment=1):
        image = np.zeros(nbytes, np.uint8)
        wanted = Range(address, nbytes, alignment)
        (decided,) = plan([wanted], [(0, SIZE)], self.timeline)
        overlooked = self.blind.value if self.blind else ""
        reasons = [reason for reason in decided.reasons if reason != overlooked]
        if not reasons:
            self.record(Access.READ, address, nbytes, image)
        else:
            if decided.waits:
                self.complete(max(decided.waits))
            image[:] = self.memory[address : address + nbytes]
        self.draws.append(image)
        return decided


places = st.tuples(st.integers(0, SIZE - 6), st.integers(1, 6))
writes = st.tuples(st.sampled_from([kind for kind in Access if kind is not Access.READ]), places)
events = st.lists(st.one_of(
    writes, st.tuples(st.just("draw"), places), st.tuples(st.sampled_from(["step", "submit", "complete"]), st.none())
), max_size=25)  # fmt: skip


def play(sequence, pick, blind=None):
    """The emulator, the draws and memory of a machine that does everything at once."""
    emulator, memory, expected = Emulator(pick, blind), np.zeros(SIZE, np.uint8), []
    for number, (what, place) in enumerate(sequence, 1):
        if what == "step":
            emulator.step()
        elif what == "submit":
            emulator.timeline.submit()
        elif what == "complete":
            in_flight = [n for n in range(emulator.timeline.recording) if emulator.timeline.state(n) == "in flight"]
            if in_flight:
                emulator.complete(in_flight[0])
        elif what == "draw":
            expected.append(memory[place[0] : sum(place)].copy())
            emulator.draw(*place, alignment=2 if number % 5 == 0 else 1)
        else:
            memory[place[0] : sum(place)] = number
            emulator.write(what, *place, number)
    emulator.complete(emulator.timeline.recording)
    return emulator, expected, memory


@settings(max_examples=200)
@given(events, st.randoms(use_true_random=False))
def test_drawing_by_the_plan_equals_drawing_from_fresh_copies(sequence, random):
    emulator, expected, memory = play(sequence, random.randrange)
    assert [image.tolist() for image in emulator.draws] == [image.tolist() for image in expected]
    assert emulator.memory.tolist() == memory.tolist()
    assert not emulator.operations


@pytest.mark.parametrize("kind", [Access.GPU_WRITE, Access.LABEL, Access.COMPLETION, Access.WRITE_BACK])
@pytest.mark.parametrize("submitted", [False, True])
def test_every_reason_is_needed(kind, submitted):
    """An emulator that overlooks one kind of pending write draws old bytes."""
    sequence = [(kind, (4, 2)), *([("submit", None)] if submitted else []), ("draw", (5, 4))]
    sequence += [("submit", None), ("step", None)]
    last = lambda count: count - 1  # noqa: E731 - the newest operation first
    emulator, expected, _ = play(sequence, last)
    assert emulator.draws[0].tolist() == expected[0].tolist() == [1, 0, 0, 0]
    emulator, expected, _ = play(sequence, last, blind=kind)
    assert emulator.draws[0].tolist() == [0, 0, 0, 0]
    (decided,) = plan([Range(5, 4, 1)], [(0, SIZE)], timeline_of(sequence[:-3]))
    assert (decided.in_place, decided.reasons, decided.waits) == (False, (kind.value,), (0,))


def timeline_of(sequence):
    timeline = Timeline()
    for what, place in sequence:
        if what == "submit":
            timeline.submit()
        else:
            timeline.write(what, *place)
    return timeline


def test_reasons_and_neighbours():
    timeline = Timeline()
    timeline.write(Access.GPU_WRITE, 0x100, 0x10)
    timeline.submit()
    timeline.write(Access.LABEL, 0x120, 4)
    timeline.write(Access.COMPLETION, 0x120, 4)
    regions = [(0x100, 0x40), (0x140, 0x40)]

    def one(address, nbytes, alignment=4, strides=()):
        (decided,) = plan([Range(address, nbytes, alignment, frozenset(strides))], regions, timeline, note=False)
        return decided.in_place, decided.reasons, decided.waits

    assert one(0x110, 0x10) == (True, (), ())
    assert one(0x10F, 1, 1) == (False, ("a pending GPU write",), (0,))
    assert one(0x11C, 5)[1:] == (("a queued label store", "a completion label"), (1,))
    assert one(0x100, 0x30)[2] == (0, 1)
    assert one(0x112, 4) == (False, (MISALIGNED,), ())
    assert one(0x130, 4, 4, [8, 6]) == (False, (MISALIGNED,), ())
    assert one(0x13C, 8) == (False, (NOT_IMPORTED,), ())
    assert one(0xFC, 8)[1] == (NOT_IMPORTED, "a pending GPU write")
    timeline.complete(0)
    assert one(0x100, 0x10) == (True, (), ())


def test_a_noted_read_makes_later_writes_wait():
    timeline = Timeline()
    plan([Range(0x100, 0x10, 4)], [(0x100, 0x100)], timeline)
    assert timeline.order(Access.CPU_STORE, 0x10F, 1).waits == (0,)
    assert timeline.order(Access.LABEL, 0x108, 4).waits == (0,)
    assert timeline.order(Access.CPU_STORE, 0x110, 4).waits == ()
    assert timeline.order(Access.COMPLETION, 0x108, 4) == timeline.order(Access.WRITE_BACK, 0x108, 4)
    assert timeline.order(Access.COMPLETION, 0x108, 4).waits == ()
    (barrier,) = timeline.order(Access.GPU_WRITE, 0x108, 4).barriers
    assert (barrier.kind, barrier.submission) == (Access.READ, 0)
    assert (timeline.state(0), timeline.submit(), timeline.state(0)) == ("recorded", 0, "in flight")
    timeline.complete(0)
    assert timeline.state(0) == "completed"
    assert timeline.order(Access.CPU_STORE, 0x100, 16).waits == ()


def test_whole_memory_can_be_imported():
    memory = Memory()
    memory.map(0x1000, 0x100)
    memory.map(0x1100, 0x100)
    inside, across = plan([Range(0x10F0, 0x10, 4), Range(0x10F0, 0x20, 4)], memory)
    assert inside.in_place
    assert across.reasons == (NOT_IMPORTED,)


def test_misuse():
    timeline = Timeline()
    with pytest.raises(InputError, match="not in flight"):
        timeline.complete(0)
    with pytest.raises(InputError, match="no submission 1"):
        timeline.state(1)
    for method in (timeline.order, timeline.write):
        with pytest.raises(InputError, match="for writes"):
            method(Access.READ, 0, 4)


@pytest.mark.parametrize("pick", [lambda count: 0, lambda count: count - 1], ids=["oldest", "newest"])
@pytest.mark.parametrize("submits", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("steps", [0, 1])
def test_accesses_to_the_same_bytes_by_three(steps, submits, pick):
    kinds = ["draw", *(kind for kind in Access if kind is not Access.READ)]
    for first, second, third in itertools.product(kinds, repeat=3):
        sequence = [(first, (4, 4))]
        for submit, what in zip(submits, (second, third), strict=True):
            sequence += [("submit", None)] * submit + [("step", None)] * steps + [(what, (6, 4))]
        emulator, expected, memory = play([*sequence, ("submit", None), *[("step", None)] * 3], pick)
        assert [image.tolist() for image in emulator.draws] == [image.tolist() for image in expected], sequence
        assert emulator.memory.tolist() == memory.tolist(), sequence
