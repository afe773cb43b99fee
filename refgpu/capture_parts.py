"""The parts of a capture: memory regions, initial registers, streams, outputs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .memory_region import file_pages


@dataclass(frozen=True)
class FileRange:
    """Bytes of a file that stay in the file until they are needed."""

    path: Path
    offset: int
    nbytes: int

    def pages(self) -> npt.NDArray[np.uint8]:
        """The bytes, mapped."""
        return file_pages(self.path, self.offset, self.nbytes)


@dataclass
class CaptureRegion:
    """One memory region: bytes given as an array or as part of a file, or (`data` is None) a 32-bit pattern."""

    address: int
    nbytes: int
    data: npt.NDArray[np.uint8] | FileRange | None = None
    fill: int = 0
    read_only: bool = False
    name: str = ""


@dataclass
class CaptureRegister:
    """One register's value before the first stream, by name or by bank and dword offset."""

    value: int
    name: str = ""
    bank: str = ""
    offset: int = 0


@dataclass
class CaptureStream:
    """One command stream: the dwords themselves, or where they lie in memory."""

    words: npt.NDArray[np.uint32] | None = None
    address: int = 0
    dwords: int = 0
    name: str = ""


@dataclass
class CaptureOutput:
    """Something to read after the last stream: a target that the registers describe then, or a range of memory."""

    name: str
    kind: str
    index: int = 0
    address: int = 0
    nbytes: int = 0
