"""Guest memory: an address space of regions that are arrays, files mapped by the OS, or anonymous pages.

Reads hand out views of the bytes themselves. Writes go through `Memory`, so that whoever keeps a decoded texture or a
resident surface learns that its bytes changed.
"""

import bisect
import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .base.errors import InputError
from .memory_region import ADDRESS_MASK, Region, file_pages, normalize, zero_pages

__all__ = ["Memory", "Region", "Watcher", "normalize"]


class Watcher(Protocol):
    """What `Memory.watch` takes: told before guest bytes are read or written by anyone but the Gpu itself."""

    def before_read(self, address: int, nbytes: int) -> None:
        """Make the bytes what they must be, for example by executing queued draws."""

    def before_write(self, address: int, nbytes: int) -> None:
        """Finish whatever still needs the old bytes."""


def _bytes_of(array: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    if not array.flags.c_contiguous:
        raise InputError("an array is shared as it lies in memory, so it must be C-contiguous")
    return array.reshape(-1).view(np.uint8)


class Memory:
    """The guest address space.

    Ranges are in bytes. Addresses may be 48-bit or sign-extended (``0xffff8000...``).  [PM4-ADDRESS-48-BIT]
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._regions: list[Region] = []
        self._watchers: list[Watcher] = []
        self._version = 0
        self._layout = 0

    @property
    def layout(self) -> int:
        """A number that moves when a region is mapped or unmapped."""
        return self._layout

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions in address order."""
        return tuple(self._regions)

    def map(
        self,
        address: int,
        source: int | npt.NDArray[Any] | str | os.PathLike[str],
        *,
        offset: int = 0,
        nbytes: int | None = None,
        read_only: bool = False,
        name: str = "",
    ) -> Region:
        """Add a region.

        Parameters
        ----------
        address : int
            Guest address of its first byte.
        source : int, ndarray, str or path
            A size in bytes (zero pages, allocated when touched), an array (shared, not copied) or a file, which is
            mapped and never loaded as a whole; writes to a file's region stay in this process.
        offset, nbytes : int
            For a file: which part of it; the rest of the file by default.
        read_only : bool
            Guest writes are an InputError. An array that NumPy marks read-only is so in any case.
        name : str
            For reports.

        Raises
        ------
        InputError
            Overlap with another region, no such file, an empty range, or one that leaves the address space.
        """
        start = normalize(address)
        if isinstance(source, np.ndarray):
            data = _bytes_of(source)
        elif isinstance(source, str | os.PathLike):
            data = file_pages(Path(source), offset, nbytes)
            name = name or Path(source).name
        else:
            data = zero_pages(int(source))
        region = Region(start, data, read_only or not data.flags.writeable, name)
        self._insert(region)
        return region

    def _insert(self, region: Region) -> None:
        if region.nbytes == 0 or region.end > ADDRESS_MASK + 1:
            raise InputError(f"region {region.address:#x}..{region.end:#x} is empty or leaves the 48-bit address space")
        place = bisect.bisect_left(self._starts, region.address)
        for other in self._regions[max(place - 1, 0) : place + 1]:
            if other.address < region.end and region.address < other.end:
                raise InputError(f"{region} overlaps {other}")
        self._starts.insert(place, region.address)
        self._regions.insert(place, region)
        self._version += 1
        region.mapped = self._version
        self._layout += 1

    def unmap(self, address: int) -> None:
        """Remove the region that starts at `address`; InputError when none does."""
        start = normalize(address)
        place = bisect.bisect_left(self._starts, start)
        if place == len(self._starts) or self._starts[place] != start:
            raise InputError(f"no region starts at {start:#x}")
        for watcher in self._watchers:
            watcher.before_write(start, self._regions[place].nbytes)
        del self._starts[place], self._regions[place]
        self._layout += 1

    def region_at(self, address: int) -> Region | None:
        """The region that holds a byte, or None."""
        start = normalize(address)
        place = bisect.bisect_right(self._starts, start) - 1
        if place >= 0 and start < self._regions[place].end:
            return self._regions[place]
        return None

    def _find(self, start: int, nbytes: int, what: str) -> Region:
        """The one region that holds all of a range."""
        region = self.region_at(start)
        if nbytes < 0:
            raise InputError(f"cannot {what} {nbytes} bytes at {start:#x}")
        if region is None:
            raise InputError(f"cannot {what} {nbytes} bytes at {start:#x}: nothing is mapped there")
        if start + nbytes > region.end:
            raise InputError(f"cannot {what} {nbytes} bytes at {start:#x}: {region} ends before")
        return region

    def watch(self, watcher: Watcher) -> None:
        """Have `watcher` told before reads and writes by anyone but the Gpu itself."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Undo `watch`."""
        self._watchers.remove(watcher)

    def view(self, address: int, nbytes: int, dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
        """Guest bytes as a read-only array over the same memory.

        Parameters
        ----------
        address, nbytes : int
        dtype : dtype
            `nbytes` must be a multiple of its size; the address need not be aligned.

        Returns
        -------
        ndarray, shape (nbytes / itemsize,)

        Raises
        ------
        InputError
            Some byte is not mapped, or the range lies in more than one region.
        """
        start = normalize(address)
        kind = np.dtype(dtype)
        if nbytes % kind.itemsize:
            raise InputError(f"{nbytes} bytes at {start:#x} are not a whole number of {kind}")
        if nbytes == 0:
            return np.empty(0, kind)
        region = self._find(start, nbytes, "read")
        for watcher in self._watchers:
            watcher.before_read(start, nbytes)
        first = start - region.address
        found = region.data[first : first + nbytes].view(kind)
        found.flags.writeable = False
        return found

    def make_true(self, address: int, nbytes: int) -> None:
        """Tell the watchers that mapped bytes are about to be read, as `view` does."""
        for watcher in self._watchers:
            watcher.before_read(address, nbytes)

    def word(self, address: int) -> int:
        """The 32-bit word at an address."""
        return int(self.view(address, 4, np.uint32)[0])

    def write(self, address: int, array: npt.ArrayLike) -> None:
        """Copy an array's bytes to guest memory; InputError, and nothing written, outside mapped writable memory."""
        data = _bytes_of(np.ascontiguousarray(array))
        if data.size:
            self._writable(address, data.size)[:] = data

    def fill(self, address: int, nbytes: int, pattern: int) -> None:
        """Repeat a 32-bit pattern over a range; a rest of 1 to 3 bytes gets the pattern's low bytes."""
        if not 0 <= int(pattern) <= 0xFFFFFFFF:
            raise InputError(f"fill pattern {int(pattern):#x} does not fit in 32 bits")
        if nbytes == 0:
            return
        target = self._writable(address, nbytes)
        whole = nbytes & ~3
        target[:whole].view(np.uint32)[:] = pattern
        target[whole:] = np.array([pattern], "<u4").view(np.uint8)[: nbytes - whole]

    def _writable(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Bytes about to be overwritten, after everyone was told."""
        start = normalize(address)
        self._check_writable(start, nbytes)
        for watcher in self._watchers:
            watcher.before_write(start, nbytes)
        return self.own_bytes(start, nbytes)

    def _check_writable(self, start: int, nbytes: int) -> Region:
        region = self._find(start, nbytes, "write")
        if region.read_only:
            raise InputError(f"cannot write {nbytes} bytes at {start:#x}: {region} is read-only")
        return region

    def own_bytes(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Writable bytes for the Gpu's own write-back: watchers are not told, the version moves."""
        start = normalize(address)
        region = self._check_writable(start, nbytes)
        self._stamp(region, start, nbytes)
        first = start - region.address
        return region.data[first : first + nbytes]

    def write_back(self, address: int, array: npt.NDArray[Any]) -> None:
        """`write` for the Gpu itself: watchers are not told, the version moves."""
        data = _bytes_of(array)
        if data.size:
            self.own_bytes(address, data.size)[:] = data

    def pointer(self, address: int, nbytes: int, *, write: bool = False) -> tuple[int, npt.NDArray[np.uint8]]:
        """Host address of guest bytes for kernels, and the array that keeps them alive; watchers are not told.

        Parameters
        ----------
        address, nbytes : int
        write : bool
            The kernel will write: the range must be writable, and its version moves.
        """
        start = normalize(address)
        region = self._check_writable(start, nbytes) if write else self._find(start, nbytes, "read")
        if write and nbytes:
            self._stamp(region, start, nbytes)
        return int(region.data.ctypes.data) + start - region.address, region.data

    def touch(self, address: int, nbytes: int) -> None:
        """Say that bytes changed without `write`: the owner of a shared array stored into it."""
        start = normalize(address)
        region = self._find(start, nbytes, "touch")
        if nbytes:
            for watcher in self._watchers:
                watcher.before_write(start, nbytes)
            self._stamp(region, start, nbytes)

    def _stamp(self, region: Region, start: int, nbytes: int) -> None:
        self._version += 1
        region.stamp(start, nbytes, self._version)

    def version(self, address: int, nbytes: int) -> int:
        """A number that moves when any byte of the range may have changed (64 KiB granules; never misses one)."""
        start = normalize(address)
        return self._find(start, nbytes, "read").version(start, nbytes) if nbytes else 0

    def __repr__(self) -> str:
        return f"<Memory {len(self._regions)} regions, {sum(region.nbytes for region in self._regions)} bytes>"
