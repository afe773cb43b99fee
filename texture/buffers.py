"""V#: buffers, their descriptors, and formatted loads."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from ..base.bits import Fields
from ..base.claims import Variant
from ..base.errors import DecodeError, InputError, UnsupportedError
from . import buffer_fetch as fetch_columns
from .buffer_fetch import OOB_FIRST_BYTE, OOB_W_ZERO, RECORD, fetch_lanes, indices_in_bounds
from .descriptors import check_dst_sel, decode_words, encode_fields, words_of
from .format_table import FORMAT_TABLE, Format, buffer_format

_OOB_STRUCTURED_OFFSET, _OOB_RAW = 0, 3


class GuestMemory(Protocol):
    """What this floor asks of guest memory; `refgpu.Memory` has it."""

    def view(self, address: int, nbytes: int) -> npt.NDArray[Any]:
        """Read-only bytes; tells watchers."""

    def region_at(self, address: int) -> Any:
        """The region (with `end`) that holds a byte, or None."""

    def pointer(self, address: int, nbytes: int) -> tuple[int, npt.NDArray[np.uint8]]:
        """Host address, and its owner."""


@dataclass(frozen=True)
class Buffer:
    """A buffer descriptor and the memory it points into.

    Attributes
    ----------
    fields : Fields
        Every field by its hardware name; they are attributes of the Buffer too.
    memory : refgpu.Memory
    profile : str
    """

    fields: Fields
    memory: GuestMemory
    profile: str

    @classmethod
    def from_words(cls, words: Sequence[int] | npt.NDArray[np.integer], memory: GuestMemory,
                   profile: str = "gfx1013") -> Self:
        """Decode the four words of a V#.

        Raises
        ------
        InputError
            Not four words.
        DecodeError
            A reserved bit or value; the message names the field.
        """
        fields = decode_words("V#", words, profile)
        if fields.TYPE:
            raise DecodeError(f"V#.TYPE = {fields.TYPE}: not a buffer")
        check_dst_sel("V#", fields)
        if int(fields) and not fields.RESOURCE_LEVEL:
            raise DecodeError("V#.RESOURCE_LEVEL = 0: must be 1")
        return cls(fields, memory, profile)

    @classmethod
    def from_fields(cls, memory: GuestMemory, profile: str = "gfx1013", **fields: int) -> Self:
        """A V# from named fields; RESOURCE_LEVEL is 1 and DST_SEL is XYZW unless they are given."""
        default = {"RESOURCE_LEVEL": 1, "DST_SEL_X": 4, "DST_SEL_Y": 5, "DST_SEL_Z": 6, "DST_SEL_W": 7}
        return cls.from_words(encode_fields("V#", profile, default | fields), memory, profile)

    def to_words(self) -> npt.NDArray[np.uint32]:
        """The four words."""
        return words_of("V#", int(self.fields))

    def __getattr__(self, name: str) -> int:
        if name.isupper():
            return self.fields[name] if name in self.fields else self._no_field(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _no_field(self, name: str) -> int:
        raise AttributeError(f"V# has no field {name!r} on {self.profile}")

    @property
    def null(self) -> bool:
        """All words zero: loads return 0 in every component.  [DESC-VSHARP-NULL]"""
        return int(self.fields) == 0

    @property
    def address(self) -> int:
        """Guest address of its first byte."""
        return self.fields["BASE_ADDRESS"]

    @property
    def format(self) -> Format:
        """Its format; DecodeError when FORMAT is reserved."""
        return buffer_format(self.fields["FORMAT"])

    def record(self, offset: int = 0, *, soffset: int = 0,
               variant: Variant | None = None) -> tuple[npt.NDArray[np.int64], Any]:
        """What kernels need to load from this buffer.

        Parameters
        ----------
        offset : int
            inst_offset + vgpr offset in bytes: takes part in the bounds check.
        soffset : int
            Moves the address only.  [BUF-OOB-SOFFSET]
        variant : Variant, optional

        Returns
        -------
        record : int64[buffer_fetch.RECORD]
        owner : object
            Keep it while the record is in use: the record holds a host address.

        Raises
        ------
        DecodeError, UnsupportedError
            Reserved FORMAT; SWIZZLE_ENABLE or ADD_TID_ENABLE.
        """
        fields = self.fields
        for name in ("SWIZZLE_ENABLE", "ADD_TID_ENABLE"):
            if fields[name]:
                raise UnsupportedError(f"V#.{name}", 1)
        if not 0 <= offset <= 0xFFFFFFFF or not 0 <= soffset <= 0xFFFFFFFF:
            raise InputError(f"V# load: offset {offset} or soffset {soffset} is not a 32-bit unsigned number")
        chosen = variant or Variant()
        flags = OOB_W_ZERO if chosen["BUF-OOB-W"] == "zero" else 0
        flags |= OOB_FIRST_BYTE if chosen["BUF-OOB-PARTIAL"] == "first_byte" else 0
        if chosen["BUF-OOB-SOFFSET"] == "checked" and fields["OOB_SELECT"] == _OOB_RAW:
            offset, soffset = offset + soffset, 0
        record = np.zeros(RECORD, np.int64)
        pointer, nbytes, owner = self._bytes(soffset)
        record[:fetch_columns.FORMAT] = (
            pointer, nbytes, fields["STRIDE"], fields["NUM_RECORDS"], fields["OOB_SELECT"],
            int(fields) >> 96 & 0xFFF, offset, flags)
        record[fetch_columns.FORMAT:] = FORMAT_TABLE[1 if self.null else self.format.row]
        if not fields["STRIDE"] and fields["OOB_SELECT"] == _OOB_STRUCTURED_OFFSET and fields["NUM_RECORDS"]:
            warnings.warn(f"V# at {self.address:#x}: OOB_SELECT 0 with STRIDE 0 puts every load out of bounds",
                          stacklevel=3)
        return record, owner

    def _bytes(self, soffset: int) -> tuple[int, int, Any]:
        """Host address, readable bytes and owner; nothing is readable where nothing is mapped."""
        start = self.address + soffset
        region = self.memory.region_at(start)
        if region is None or self.null:
            return 0, 0, None
        nbytes = region.end - start
        pointer, owner = self.memory.pointer(start, nbytes)
        return pointer, nbytes, owner

    def extent(self, highest_index: int, offset: int = 0) -> int:
        """Bytes from the base that loads up to `highest_index` may read, by the bounds rule."""
        if self.null:
            return 0
        fields, size = self.fields, self.format.bits // 8
        limit = indices_in_bounds(fields["OOB_SELECT"], offset, size, fields["STRIDE"], fields["NUM_RECORDS"])
        last = min(highest_index, int(limit) - 1)
        return 0 if last < 0 else last * fields["STRIDE"] + offset + size

    def fault(self, index: int, offset: int = 0, soffset: int = 0) -> InputError:
        """The error for an element that is in bounds but not in mapped memory."""
        at = self.address + index * self.fields["STRIDE"] + offset + soffset
        return InputError(f"V# at {self.address:#x} (STRIDE {self.fields['STRIDE']}, NUM_RECORDS "
                          f"{self.fields['NUM_RECORDS']}): index {index} reads {self.format.bits // 8} bytes at "
                          f"{at:#x}, which are not mapped")


def fetch(buffer: Buffer, index: npt.ArrayLike, offset: int = 0, *, soffset: int = 0,
          variant: Variant | None = None) -> npt.NDArray[Any]:
    """buffer_load_format_xyzw: one element for each index.

    Parameters
    ----------
    buffer : Buffer
    index : integer array
        Element indices, 32-bit unsigned.
    offset, soffset : int
        Byte offsets: instruction and VGPR; SGPR.
    variant : Variant, optional

    Returns
    -------
    float32[..., 4], or uint32 or int32 for integer formats

    Raises
    ------
    InputError
        An element within bounds lies outside mapped memory; the message names index and address.
    """
    array = np.asarray(index)
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"index: expected integers, got {array.dtype}")
    indices = (array.astype(np.int64, copy=False) & 0xFFFFFFFF).astype(np.uint32).reshape(-1)
    out = np.empty((indices.size, 4), np.float32)
    record, owner = buffer.record(offset, soffset=soffset, variant=variant)
    if owner is not None and indices.size:
        touched = min(buffer.extent(int(indices.max()), offset), int(record[fetch_columns.NBYTES]))
        buffer.memory.view(buffer.address + soffset, max(touched, 0))
    stopped = fetch_lanes(record, indices, out.reshape(-1), np.int64(4), np.int64(1))
    if stopped >= 0:
        raise buffer.fault(int(indices[stopped]), offset, soffset)
    dtype = np.float32 if buffer.null else buffer.format.dtype
    return out.view(dtype).reshape(*array.shape, 4)
