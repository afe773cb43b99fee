"""Several queues side by side: each runs until it waits, and one may write what another waits for."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..base.errors import InputError
from .processor import CommandProcessor, Wait


class _Side:
    """One queue and the streams it still has to execute."""

    def __init__(self, processor: CommandProcessor, streams: Iterable[Any]):
        self.processor = processor
        self.streams = list(streams)
        self.number = -1
        self.wait: Wait | None = None

    @property
    def done(self) -> bool:
        return self.wait is None and self.number + 1 >= len(self.streams)

    def run(self) -> bool:
        """Execute as far as it goes; returns whether it got any further."""
        before = self.number, self.processor.clock
        while not self.done:
            if self.wait is None:
                self.number += 1
                self.processor.start(self.streams[self.number])
            self.wait = self.processor.run()
            if self.wait is not None:
                break
        return (self.number, self.processor.clock) != before


def run_queues(queues: Mapping[str, tuple[CommandProcessor, Iterable[Any]]]) -> None:
    """Execute the streams of several queues to their ends.  [PM4-QUEUE-ORDER]

    Parameters
    ----------
    queues : mapping
        Name to processor and its streams, each as `CommandProcessor.submit` takes them, in order. All processors share
        one memory.

    Raises
    ------
    RefGpuError
        From a packet; the name of its queue is added as a note. All queues then forget what they had not executed.
    InputError
        A deadlock: every queue that is not done waits. The message names each, its packet and what it waits for.
    """
    sides = {name: _Side(processor, streams) for name, (processor, streams) in queues.items()}
    try:
        while not all(side.done for side in sides.values()):
            moved = False
            for name, side in sides.items():
                try:
                    moved |= not side.done and side.run()
                except Exception as error:
                    error.add_note(f"queue {name}, stream {side.number}")
                    raise
            if not moved:
                waiting = [f"{name} (stream {side.number}): {side.wait}" for name, side in sides.items() if side.wait]
                raise InputError(f"deadlock: nothing meets what {' and '.join(waiting)}")
    finally:
        for side in sides.values():
            side.processor.abandon()
