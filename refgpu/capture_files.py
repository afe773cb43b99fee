"""Where the bytes of a capture lie: a folder, whose files are mapped, or a zip, whose members are unpacked."""

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .base.errors import InputError
from .memory_region import file_pages

DOCUMENT = "capture.json"
MAX_DOCUMENT_BYTES = 1 << 26
MAX_ZIP_BYTES = 1 << 30
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
_Bytes = npt.NDArray[np.uint8]


_LONGEST_NAME = 200


def safe_name(name: str) -> str:
    """`name` when it stays inside the capture, else InputError."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name or not path.parts:
        raise InputError(f"file {name!r}: expected a relative path with / inside the capture")
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(f"file {name[:80]!r}: expected at most {_LONGEST_NAME} printable characters")
    return str(path)


class Files(Protocol):
    """Reads a capture's files by name."""

    def read(self, name: str) -> _Bytes:
        """All bytes of a file; a mapping where that can be."""

    def path(self, name: str) -> Path | None:
        """Where the file lies, None when it is packed."""

    def close(self) -> None:
        """Let go of what was opened; what was read stays."""


class Writer(Protocol):
    """Takes a capture's files."""

    def write(self, name: str, data: bytes | _Bytes) -> None:
        """Store one file."""

    def close(self) -> None:
        """Finish."""


class FolderFiles:
    """A folder; files are mapped, not loaded."""

    def __init__(self, folder: Path):
        self.folder = folder.resolve()

    def read(self, name: str) -> _Bytes:
        """Mapped bytes of one file."""
        path = self.path(name)
        return file_pages(path, 0, None) if path.stat().st_size else np.zeros(0, np.uint8)

    def path(self, name: str) -> Path:
        """Where the file lies; InputError when there is none inside the folder."""
        path = (self.folder / safe_name(name)).resolve()
        if not path.is_relative_to(self.folder):
            raise InputError(f"file {name!r} leads outside the capture's folder")
        if not path.is_file():
            raise InputError(f"{self.folder}: has no file {name!r}")
        return path

    def close(self) -> None:
        """Nothing is open."""


class ZipFiles:
    """A zip file; refuses to unpack more than `MAX_ZIP_BYTES` in all."""

    def __init__(self, path: Path):
        self.archive = path
        self._left = MAX_ZIP_BYTES
        self._read: dict[str, _Bytes] = {}
        try:
            self._zip = zipfile.ZipFile(path)
        except _ZIP_ERRORS as error:
            raise InputError(f"{path}: not a readable zip file: {error}") from None

    def read(self, name: str) -> _Bytes:
        """Unpacked bytes of one member."""
        key = safe_name(name)
        if key not in self._read:
            self._read[key] = self._unpack(key)
        return self._read[key]

    def path(self, name: str) -> None:
        """Members have no place of their own."""

    def close(self) -> None:
        """Close the archive."""
        self._zip.close()

    def _unpack(self, name: str) -> _Bytes:
        try:
            size = self._zip.getinfo(name).file_size
        except KeyError:
            raise InputError(f"{self.archive}: has no member {name!r}") from None
        if size > self._left:
            raise InputError(
                f"{self.archive}: unpacks to more than {MAX_ZIP_BYTES} bytes; unpack it and load the folder instead"
            )
        self._left -= size
        try:
            with self._zip.open(name) as member:
                data = member.read(size + 1)
        except _ZIP_ERRORS as error:
            raise InputError(f"{self.archive}: member {name!r} cannot be unpacked: {error}") from None
        if len(data) != size:
            raise InputError(f"{self.archive}: member {name!r} has {len(data)} bytes, its header says {size}")
        return np.frombuffer(bytearray(data), np.uint8)


def open_files(path: Path) -> Files:
    """The files of a capture at `path`: a folder or a zip."""
    if path.is_dir():
        return FolderFiles(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file or folder")
    return ZipFiles(path)


class FolderWriter:
    """Writes a capture as a folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, name: str, data: bytes | _Bytes) -> None:
        """Write one file."""
        path = self.folder / safe_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        # the data may be a map of this very file, so it is replaced, never cut
        unfinished = path.with_name(path.name + ".part")
        with unfinished.open("wb") as file:
            file.write(np.frombuffer(data, np.uint8).data)
        unfinished.replace(path)

    def close(self) -> None:
        """Nothing is left to do."""


class ZipWriter:
    """Writes a capture as a zip with fixed time stamps, so equal captures give equal files."""

    def __init__(self, path: Path):
        self._buffer = io.BytesIO()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._path = path

    def write(self, name: str, data: bytes | _Bytes) -> None:
        """Add one member."""
        info = zipfile.ZipInfo(safe_name(name), (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        self._zip.writestr(info, np.frombuffer(data, np.uint8).tobytes())

    def close(self) -> None:
        """Finish the file."""
        self._zip.close()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(self._buffer.getvalue())
