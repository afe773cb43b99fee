"""What commands print: text for people or one JSON document, and progress on a terminal only."""

import json
import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self


class Output:
    """Where a command's words go.

    Parameters
    ----------
    as_json, quiet : bool
        The options ``--json`` and ``-q``.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False):
        self.as_json = as_json
        self.quiet = quiet

    def text(self, *lines: str) -> None:
        """Lines for people."""
        if not (self.as_json or self.quiet):
            for line in lines:
                print(line)

    def result(self, data: Mapping[str, Any]) -> None:
        """The command's result for programs; call it once."""
        if self.as_json:
            print(json.dumps(data, indent=2, default=str))

    def table(self, rows: Iterable[Iterable[object]], indent: str = "") -> None:
        """Rows in columns as wide as they need to be."""
        texts = [[str(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        for row in texts:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.text((indent + "  ".join(cells)).rstrip())

    def progress(self, label: str, total: int) -> "Progress":
        """Progress of long work, shown when stderr is a terminal."""
        return Progress(label, total, not self.quiet and sys.stderr.isatty())


class Progress:
    """``with output.progress("draws", 10) as progress: progress.step()``."""

    def __init__(self, label: str, total: int, shown: bool):
        self.label, self.total, self.shown = label, total, shown
        self.done = 0

    def step(self, name: str = "") -> None:
        """One more is being done."""
        self.done += 1
        if self.shown:
            print(f"\r\x1b[K{self.label} {self.done}/{self.total} {name}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self.shown and self.done:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
