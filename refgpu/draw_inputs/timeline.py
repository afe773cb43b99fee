"""Reads and writes of guest memory that are not done yet, by submission: what an emulator must keep to read in place.

An emulator records guest commands into submissions. Each goes through three states: *recorded* (commands are still
being added), *in flight* (handed to the host GPU) and *completed*. Until then its writes may land at any moment that
their kind allows, and its draws read guest memory when they execute, not when they are recorded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ..base.errors import InputError


class Access(Enum):
    """Kinds of access, and when each takes place."""

    READ = "a draw that reads in place"                        # when the GPU executes it
    GPU_WRITE = "a pending GPU write"                          # when the GPU executes it
    LABEL = "a queued label store"                             # by the CPU, at any time until the submission completes
    COMPLETION = "a completion label"                          # by the CPU, when the submission completes
    WRITE_BACK = "a copied buffer that a dispatch writes back"  # by the CPU, when the submission completes
    CPU_STORE = "a store by the CPU"                           # at once


_ON_GPU = (Access.READ, Access.GPU_WRITE)
_AT_COMPLETION = (Access.COMPLETION, Access.WRITE_BACK)


def _conflict(earlier: Access, later: Access) -> str:
    """What a later write of the same bytes needs: ``""``, ``"barrier"`` (GPU order), or ``"wait"`` (completion)."""
    if earlier in _ON_GPU:
        if later is Access.GPU_WRITE:
            return "barrier"
        return "" if later in _AT_COMPLETION else "wait"
    if earlier is Access.LABEL:
        return "wait" if later in (Access.GPU_WRITE, Access.CPU_STORE) else ""
    return "" if later in _AT_COMPLETION else "wait"


@dataclass(frozen=True)
class Pending:
    """One access that is not done: its kind, bytes and submission."""

    kind: Access
    address: int
    nbytes: int
    submission: int

    def overlaps(self, address: int, nbytes: int) -> bool:
        """Whether it shares a byte with a range."""
        return self.address < address + nbytes and address < self.address + self.nbytes


@dataclass(frozen=True)
class Order:
    """What a write needs before it may be recorded or done.

    Attributes
    ----------
    waits : tuple of int
        Submissions that must be completed first.
    barriers : tuple of Pending
        Accesses on the GPU that must be executed first; an execution barrier does it.
    """

    waits: tuple[int, ...]
    barriers: tuple[Pending, ...]


class Timeline:
    """Accesses that are not done yet.

    Attributes
    ----------
    recording : int
        Number of the submission being recorded; numbers count up from 0.
    """

    def __init__(self) -> None:
        self.recording = 0
        self._completed = 0  # all submissions below are
        self._pending: dict[int, dict[Pending, None]] = {0: {}}

    def state(self, submission: int) -> str:
        """``"recorded"``, ``"in flight"`` or ``"completed"``."""
        if not 0 <= submission <= self.recording:
            raise InputError(f"no submission {submission}; the newest is {self.recording}")
        if submission == self.recording:
            return "recorded"
        return "completed" if submission < self._completed else "in flight"

    def submit(self) -> int:
        """The recorded submission goes in flight; returns its number."""
        self.recording += 1
        self._pending[self.recording] = {}
        return self.recording - 1

    def complete(self, submission: int) -> None:
        """A submission and all before it are completed; InputError while it is recorded."""
        if not 0 <= submission < self.recording:
            raise InputError(f"submission {submission} is not in flight")
        for number in range(self._completed, submission + 1):
            del self._pending[number]
        self._completed = max(self._completed, submission + 1)

    def pending(self, address: int, nbytes: int) -> Iterator[Pending]:
        """Accesses to a range that are not done, oldest first."""
        for accesses in self._pending.values():
            for access in accesses:
                if access.overlaps(address, nbytes):
                    yield access

    def read(self, address: int, nbytes: int) -> None:
        """Note a draw of the recorded submission that reads a range in place."""
        self._note(Access.READ, address, nbytes)

    def order(self, kind: Access, address: int, nbytes: int) -> Order:
        """What a write must wait for, so that no earlier access sees it and it does not overtake an earlier write.

        Parameters
        ----------
        kind : Access
            Not READ: `plan` says what a read needs.
        address, nbytes : int
        """
        if kind is Access.READ:
            raise InputError("Timeline.order is for writes; refgpu.draw_inputs.plan is for reads")
        waits: dict[int, None] = {}
        barriers = []
        for access in self.pending(address, nbytes):
            needed = _conflict(access.kind, kind)
            if needed == "wait":
                waits[access.submission] = None
            elif needed == "barrier":
                barriers.append(access)
        return Order(tuple(waits), tuple(one for one in barriers if one.submission not in waits))

    def write(self, kind: Access, address: int, nbytes: int) -> None:
        """Note a write of the recorded submission; what `order` asks for has been done. A CPU store is done at once."""
        if kind is Access.READ:
            raise InputError("Timeline.write is for writes; a read is noted by Timeline.read")
        if kind is not Access.CPU_STORE:
            self._note(kind, address, nbytes)

    def _note(self, kind: Access, address: int, nbytes: int) -> None:
        if nbytes > 0:
            self._pending[self.recording][Pending(kind, address, nbytes, self.recording)] = None
