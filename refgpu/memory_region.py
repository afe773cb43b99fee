"""One mapped range of guest memory: its bytes, their versions, and where bytes come from."""

import mmap
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .base.errors import InputError

ADDRESS_BITS = 48
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
_PAGE_SHIFT = 16  # versions are kept per 64 KiB


class Region:
    """One mapped range.

    Attributes
    ----------
    address : int
        First byte, in the 48-bit form.
    data : ndarray of uint8
        The bytes, writable unless `read_only`.
    read_only : bool
    name : str
        What the bytes are, for reports.
    """

    __slots__ = ("_versions", "address", "data", "mapped", "name", "read_only")

    def __init__(self, address: int, data: npt.NDArray[np.uint8], read_only: bool, name: str):
        self.address = address
        self.data = data
        self.read_only = read_only
        self.name = name
        self.mapped = 0  # version of the whole region when it was mapped
        self._versions: npt.NDArray[np.int64] | None = None

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.data.size

    @property
    def end(self) -> int:
        """First address behind the region."""
        return self.address + self.data.size

    def _pages(self, address: int, nbytes: int) -> slice:
        first = address - self.address
        return slice(first >> _PAGE_SHIFT, ((first + nbytes - 1) >> _PAGE_SHIFT) + 1)

    def stamp(self, address: int, nbytes: int, version: int) -> None:
        """Note that bytes changed."""
        if self._versions is None:
            self._versions = np.zeros((self.data.size >> _PAGE_SHIFT) + 1, np.int64)
        self._versions[self._pages(address, nbytes)] = version

    def version(self, address: int, nbytes: int) -> int:
        """Stamp of the newest change in a range; mapping the region counts as one."""
        if self._versions is None:
            return self.mapped
        return max(self.mapped, int(self._versions[self._pages(address, nbytes)].max()))

    def __repr__(self) -> str:
        kind = "read-only " if self.read_only else ""
        return f"<Region {self.address:#x}..{self.end:#x} {kind}{self.name}>"


def normalize(address: int) -> int:
    """The 48-bit form of an address; a sign-extended one names the same byte.  [PM4-ADDRESS-48-BIT]"""
    number = int(address)
    if not 0 <= number <= ADDRESS_MASK:
        sign_extended = number & ((1 << 64) - 1)
        if not -(1 << 63) <= number < 1 << 64 or sign_extended >> (ADDRESS_BITS - 1) != (1 << 17) - 1:
            raise InputError(f"{number:#x} is not a 48-bit guest address, nor the sign-extended form of one")
        number = sign_extended & ADDRESS_MASK
    return number


def _mapped(handle: int, nbytes: int, offset: int) -> npt.NDArray[np.uint8]:
    """Private writable pages of a file, or zero pages for handle -1; nothing is reserved before it is touched."""
    skip = offset % mmap.ALLOCATIONGRANULARITY
    if sys.platform == "win32":
        pages = mmap.mmap(handle, skip + nbytes, access=mmap.ACCESS_COPY, offset=offset - skip)
    else:
        flags = mmap.MAP_PRIVATE | _NO_RESERVE | (mmap.MAP_ANONYMOUS if handle < 0 else 0)
        pages = mmap.mmap(handle, skip + nbytes, flags, mmap.PROT_READ | mmap.PROT_WRITE, offset=offset - skip)
    return np.frombuffer(pages, np.uint8, nbytes, skip)


def zero_pages(nbytes: int) -> npt.NDArray[np.uint8]:
    """Zero bytes that cost nothing until they are touched."""
    if not 0 < nbytes <= ADDRESS_MASK:
        raise InputError(f"a region of {nbytes} bytes cannot be mapped")
    if nbytes < mmap.PAGESIZE:
        return np.zeros(nbytes, np.uint8)
    try:
        return _mapped(-1, nbytes, 0)
    except (OSError, OverflowError, ValueError):
        raise InputError(f"this machine cannot map a region of {nbytes} bytes") from None


def file_pages(path: Path, offset: int, nbytes: int | None) -> npt.NDArray[np.uint8]:
    """Bytes of a file, mapped; writes stay in this process."""
    try:
        size = path.stat().st_size
        count = size - offset if nbytes is None else nbytes
        if offset < 0 or count <= 0 or offset + count > size:
            raise InputError(f"{path}: has {size} bytes; cannot map {count} of them from byte {offset}")
        with path.open("rb") as file:
            return _mapped(file.fileno(), count, offset)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
