"""Streams of packets: split into packets without copying, and put together again to equal dwords."""

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, InputError
from ..base.kernel import kernel
from .table import Definition, by_name, definition_of, definitions, known_opcodes

NOP = 0x10
PAD_COUNT = 0x3FFF
PAD_HEADER = 0xFFFF1000
TYPE2_HEADER = 0x80000000


@kernel
def packet_dwords(header):
    """Dwords of the packet that begins with `header`, 0 for a header type that gfx10 lacks.  [PM4-NOP-PAD]"""
    word = np.int64(header)
    kind = word >> np.int64(30)
    if kind == np.int64(2):
        return np.int64(1)
    if kind != np.int64(3):
        return np.int64(0)
    count = (word >> np.int64(16)) & np.int64(PAD_COUNT)
    if count == np.int64(PAD_COUNT) and ((word >> np.int64(8)) & np.int64(0xFF)) == np.int64(NOP):
        return np.int64(1)
    return count + np.int64(2)


@kernel
def _scan(stream, known, starts):
    """Number of whole, known packets and where they end; their offsets go to `starts` while it has room."""
    position = np.int64(0)
    found = np.int64(0)
    end = np.int64(stream.size)
    while position < end:
        header = np.int64(stream[position])
        size = packet_dwords(header)
        if size == 0 or position + size > end:
            break
        if header >> np.int64(30) == np.int64(3) and known[(header >> np.int64(8)) & np.int64(0xFF)] == 0:
            break
        if found < starts.size:
            starts[found] = position
        found += np.int64(1)
        position += size
    return found, position


class Packet:
    """One packet: its header and body dwords as they lie in the stream.

    Attributes
    ----------
    stream : ndarray of uint32
        The stream it lies in.
    offset : int
        Dword offset of the header in the stream.
    size : int
        Dwords of header and body.
    """

    __slots__ = ("offset", "size", "stream")

    def __init__(self, stream: npt.NDArray[np.uint32], offset: int, size: int):
        self.stream = stream
        self.offset = offset
        self.size = size

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        """Header and body, a view of the stream."""
        return self.stream[self.offset : self.offset + self.size]

    @property
    def header(self) -> int:
        """The header dword."""
        return int(self.stream[self.offset])

    @property
    def type(self) -> int:
        """2 for a one-dword filler, 3 for all else."""
        return self.header >> 30

    @property
    def opcode(self) -> int:
        """Packet number, -1 for a filler."""
        return (self.header >> 8) & 0xFF if self.type == 3 else -1

    @property
    def name(self) -> str:
        """Packet name; a filler is called TYPE2."""
        return self.definition.name if self.type == 3 else "TYPE2"

    @property
    def definition(self) -> Definition:
        """Table entry of a type-3 packet."""
        found = definition_of(self.opcode, self.size - 1)
        assert found is not None  # `decode` and `packet` know every opcode they let through
        return found

    @property
    def body(self) -> npt.NDArray[np.uint32]:
        """Dwords behind the header."""
        return self.words[1:]

    @property
    def predicate(self) -> bool:
        """Whether predication may skip it (header bit 0)."""
        return self.type == 3 and bool(self.header & 1)

    @property
    def compute(self) -> bool:
        """Whether its shader type bit says compute (header bit 1)."""
        return self.type == 3 and bool(self.header & 2)

    @property
    def is_pad(self) -> bool:
        """Whether it is a one-dword filler: type 2, or a NOP with count 0x3FFF."""
        return self.size == 1

    @property
    def fields(self) -> dict[str, Any]:
        """Body fields by name; the repeating part is a list.

        Raises
        ------
        DecodeError
            The body is shorter than the packet's fixed part.
        """
        if self.is_pad:
            return {}
        return self.definition.decode(self.body.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packet) and np.array_equal(self.words, other.words)

    def __hash__(self) -> int:
        return hash(self.words.tobytes())

    def __repr__(self) -> str:
        return f"<{self.name} at dword {self.offset:#x}: {' '.join(f'{word:08x}' for word in self.words[:9].tolist())}>"


def as_stream(dwords: Any) -> npt.NDArray[np.uint32]:
    """Dwords as a read-only, aligned uint32 array; shares memory where it can.

    Parameters
    ----------
    dwords : ndarray of uint32, sequence of int, or bytes
    """
    if isinstance(dwords, bytes | bytearray | memoryview):
        if len(dwords) % 4:
            raise InputError(f"a stream of {len(dwords)} bytes is not a whole number of dwords")
        dwords = np.frombuffer(dwords, np.uint32)
    array = np.asarray(dwords)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
        raise InputError(f"a stream is one row of integers, not {array.dtype} of shape {array.shape}")
    if array.size and array.dtype != np.uint32 and (array.min() < 0 or array.max() > 0xFFFFFFFF):
        raise InputError("a stream's dwords lie between 0 and 0xFFFFFFFF")
    stream = np.require(array, np.uint32, ["C_CONTIGUOUS", "ALIGNED"]).view()
    stream.flags.writeable = False
    return stream


def bad_packet(stream: npt.NDArray[np.uint32], position: int) -> DecodeError:
    """Why no packet can be taken from `stream` at `position`."""
    header = int(stream[position])
    size = int(packet_dwords(header))
    if size == 0:
        return DecodeError(f"dword {position:#x}: header {header:#010x} has type {header >> 30}; gfx10 takes 2 and 3")
    opcode = (header >> 8) & 0xFF
    if opcode not in definitions():
        return DecodeError(f"dword {position:#x}: header {header:#010x} has the unknown opcode {opcode:#04x}")
    return DecodeError(
        f"dword {position:#x}: {definitions()[opcode].name} has {size} dwords, "
        f"the stream ends after {stream.size - position}"
    )


class Packets(Sequence[Packet]):
    """The packets of a stream as columns; a `Packet` is made when one is asked for. Equals a list of the same packets.

    Attributes
    ----------
    stream : uint32[dwords]
    offsets : int64[packets]
        Dword offset of each header.
    """

    __slots__ = ("offsets", "stream")

    def __init__(self, stream: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64]):
        self.stream = stream
        self.offsets = offsets

    @property
    def headers(self) -> npt.NDArray[np.uint32]:
        """Header dword of each packet."""
        return self.stream[self.offsets]

    @property
    def opcodes(self) -> npt.NDArray[np.int64]:
        """Packet number of each, -1 for a type-2 filler."""
        headers = self.headers.astype(np.int64)
        return np.where(headers >> 30 == 3, headers >> 8 & 0xFF, -1)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Dwords of each packet, its header included."""
        return np.diff(self.offsets, append=self.stream.size)

    def __len__(self) -> int:
        return self.offsets.size

    @overload
    def __getitem__(self, place: int) -> Packet: ...
    @overload
    def __getitem__(self, place: slice) -> list[Packet]: ...
    def __getitem__(self, place: int | slice) -> Packet | list[Packet]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        start = int(self.offsets[number])
        stop = int(self.offsets[number + 1]) if number + 1 < len(self) else self.stream.size
        return Packet(self.stream, start, stop - start)

    def __iter__(self) -> Iterator[Packet]:
        for start, stop in pairwise([*self.offsets.tolist(), self.stream.size]):
            yield Packet(self.stream, start, stop - start)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} packets in {self.stream.size} dwords>"


def decode(dwords: Any) -> Packets:
    """Split a stream into packets; nothing is executed, indirect buffers are not followed.

    Parameters
    ----------
    dwords : ndarray of uint32, sequence of int, or bytes

    Returns
    -------
    Packets
        A sequence of `Packet`, whose `words` are views of the stream.

    Raises
    ------
    DecodeError
        Unknown opcode or header type, or a packet longer than the stream; names the dword offset.
    """
    stream = as_stream(dwords)
    count, end = _scan(stream, known_opcodes(), np.empty(0, np.int64))
    if end < stream.size:
        raise bad_packet(stream, int(end))
    starts = np.empty(int(count), np.int64)
    _scan(stream, known_opcodes(), starts)
    return Packets(stream, starts)


def encode(packets: Iterable[Packet]) -> npt.NDArray[np.uint32]:
    """The stream of some packets: for what `decode` gave, the same dwords again, padding included."""
    words = [packet.words for packet in packets]
    return np.concatenate(words).astype(np.uint32, copy=False) if words else np.empty(0, np.uint32)


def packet(name: str, *body: int | Sequence[int], predicate: bool = False, compute: bool = False) -> Packet:
    """Make a type-3 packet.

    Parameters
    ----------
    name : str
        As in the table, for example ``SET_CONTEXT_REG``.
    *body : int or sequence of int
        Body dwords; sequences are spread. Without any, a NOP is the one-dword pad.
    predicate, compute : bool
        Header bits 0 and 1.
    """
    if name not in by_name():
        raise InputError(f"no PM4 packet {name!r}")
    words = np.concatenate([np.atleast_1d(np.asarray(part, np.uint64)) for part in body]) if body else np.empty(0)
    if not words.size and name == "NOP":
        return Packet(as_stream([PAD_HEADER]), 0, 1)
    if not 1 <= words.size <= PAD_COUNT:
        raise InputError(f"{name}: a body has 1 to {PAD_COUNT} dwords, not {words.size}")
    header = 0xC0000000 | (words.size - 1) << 16 | by_name()[name].opcode << 8 | compute << 1 | int(predicate)
    return Packet(as_stream(np.concatenate([[header], words.astype(np.int64)])), 0, words.size + 1)
