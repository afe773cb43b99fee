"""The command processor: takes packets in order, hands them to their handlers, can stop at a wait and go on later."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, InputError, RefGpuError, UnsupportedError
from ..memory import Memory, normalize
from ..registers import RegisterFile
from . import control_packets as control
from . import draw_packets as draws
from . import memory_packets as data
from .calls import Sink
from .compare import Blocked
from .control_packets import MAX_NESTING
from .dma import dma_data
from .packet import as_stream, bad_packet, packet_dwords
from .places import GDS_BYTES
from .queries import Statistics, event_write, occlusion_query
from .register_run import PACKETS, POSITION, SKIPPING, bank_table, run_register_packets
from .table import SET_PACKETS, Definition, definition_of, definitions

__all__ = ["MAX_NESTING", "CommandProcessor", "Wait"]

_NO_EFFECT: Final = frozenset(
    {"NOP", "CONTEXT_CONTROL", "PFP_SYNC_ME", "ACQUIRE_MEM", "SURFACE_SYNC", "FRAME_CONTROL"}
)  # [PM4-IN-ORDER]
_Stream = npt.NDArray[np.uint32]
_Handler = Callable[["CommandProcessor", list[int]], None]


@dataclass(frozen=True)
class Wait:
    """What a queue waits for.

    Attributes
    ----------
    packet : str
        Name of the packet.
    place : str
        Where it is: index, dword offset, address of the stream.
    reason : str
        The condition that does not hold.
    """

    packet: str
    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.packet} {self.place} waits: {self.reason}"


@dataclass(slots=True)
class _Frame:
    """One stream being executed; `seen` are the streams that were chained on the way to it."""

    stream: _Stream
    address: int | None
    seen: set[tuple[int | None, int]]
    cursor: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(3, np.int64))


class CommandProcessor:
    """Executes PM4 streams.

    Parameters
    ----------
    registers : RegisterFile
    memory : Memory
    sink : Sink
        Receives `DrawCall` and `DispatchCall`, and reads registers itself; counts if it is a `Counting` too.
    queue : str
        ``"graphics"`` or ``"compute"``; a compute queue has registers of its own and draws nothing.

    Attributes
    ----------
    gds : ndarray of uint8
        The global data share.
    clock : int
        Packets executed so far.  [PM4-CLOCK]
    """

    def __init__(self, registers: RegisterFile, memory: Memory, sink: Sink, queue: str = "graphics"):
        if queue not in ("graphics", "compute"):
            raise InputError(f"no queue {queue!r}; queues: graphics, compute")
        self.registers = registers
        self.memory = memory
        self.sink = sink
        self.queue = queue
        self.gds = np.zeros(GDS_BYTES, np.uint8)
        self.clock = 0
        self.index_base = 0
        self.index_buffer_size = 0
        self.bases: dict[tuple[bool, int], int] = {}
        self.statistics = Statistics()
        self.samples_reset = 0
        self.skipping = False  # predication says no
        self.visible = False   # what the last occlusion predicate found
        self.jumps = 0
        self.compute = False   # shader type bit of the packet being executed
        self.place: tuple[int, int | None] = (0, None)  # its dword offset, and where its stream lies
        self._banks = bank_table()
        self._frames: list[_Frame] = []
        self._next: _Frame | None = None
        self._chained = False
        self._size = 0

    # --- running ------------------------------------------------------------------------------------------------------

    def submit(self, stream: Any) -> None:
        """Execute a stream: dwords (array, sequence or bytes), or ``(address, dword count)`` in guest memory.

        Raises
        ------
        RefGpuError
            The text begins with the packet's index, name and dword offset, and the guest address of its stream; the
            same are in the attributes `packet_index`, `packet_name`, `packet_offset` and `stream_address`.
            Everything before that packet is done, nothing behind it. A wait that is not met is such an error: nothing
            runs beside this stream.
        """
        self.start(stream)
        wait = self.run()
        if wait is not None:
            frame = self._frames[-1]
            self._frames.clear()
            error = InputError(f"{wait.packet} would wait forever: {wait.reason}")
            self._locate(error, frame)
            raise error

    def start(self, stream: Any) -> None:
        """Begin a stream; `run` executes it."""
        if self._frames:
            raise InputError("submit was called while a stream is being executed")
        address = None
        if isinstance(stream, tuple):
            address, count = normalize(stream[0]), int(stream[1])
            words = self.fetch(address, count)
        else:
            words = as_stream(stream)
        self.jumps = 0
        self._frames.append(_Frame(words, address, {(address, words.size)}))

    def abandon(self) -> None:
        """Forget what was started and has not been executed."""
        self._frames.clear()

    def run(self) -> Wait | None:
        """Execute until the stream ends (None) or until a packet waits; called again, it tries that packet again."""
        registers = self.registers
        while self._frames:
            frame = self._frames[-1]
            stream, cursor = frame.stream, frame.cursor
            taken = int(cursor[PACKETS])
            cursor[SKIPPING] = self.skipping
            run_register_packets(
                stream, cursor, self._banks, registers.storage, registers.written, registers.generations
            )
            self.clock += int(cursor[PACKETS]) - taken
            position = int(cursor[POSITION])
            if position >= stream.size:
                self._frames.pop()
                continue
            try:
                self._do(frame, position)
            except Blocked as blocked:
                return Wait(*self._where(frame), str(blocked))
            except RefGpuError as error:
                self._frames.clear()
                self._locate(error, frame)
                raise
            except BaseException:
                self._frames.clear()
                raise
            cursor[POSITION] = position + self._size
            cursor[PACKETS] += 1
            self.clock += 1
            if self._next is not None:
                if self._chained:
                    self._frames.pop()
                self._frames.append(self._next)
        return None

    def _do(self, frame: _Frame, position: int) -> None:
        """Execute the packet at `position`."""
        stream = frame.stream
        header = int(stream[position])
        size = int(packet_dwords(header))
        opcode = header >> 8 & 0xFF
        if size == 0 or position + size > stream.size or opcode not in definitions():
            raise bad_packet(stream, position)
        self._next = None
        self._size = size
        if header & 1 and self.skipping:
            return
        found = _HANDLERS.get((opcode, size - 1)) or _HANDLERS.get((opcode, -1))
        if found is None:
            definition = definition_of(opcode, size - 1)
            raise UnsupportedError(f"PM4 packet {definition.name if definition else opcode}")
        definition, need, handler = found
        if size <= need:
            definition.check(size - 1)
        self.compute = bool(header & 2)
        self.place = position, frame.address
        handler(self, stream[position + 1 : position + size].tolist())

    def _where(self, frame: _Frame) -> tuple[str, str]:
        """Name of the packet a stream has come to, and where that is."""
        position = int(frame.cursor[POSITION])
        header = int(frame.stream[position])
        definition = definition_of(header >> 8 & 0xFF, int(packet_dwords(header)) - 1) if header >> 30 == 3 else None
        name = definition.name if definition else f"header {header:#010x}"
        where = f" of the stream at {frame.address:#x}" if frame.address is not None else ""
        return name, f"at dword {position:#x}{where}"

    def _locate(self, error: RefGpuError, frame: _Frame) -> None:
        """Say where an error happened."""
        name, where = self._where(frame)
        place = {
            "packet_index": int(frame.cursor[PACKETS]),
            "packet_name": name,
            "packet_offset": int(frame.cursor[POSITION]),
            "stream_address": frame.address,
        }
        for key, value in place.items():
            setattr(error, key, value)
        error.args = (f"packet {place['packet_index']}, {name} {where}: {error}",)

    # --- for the handlers ---------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Streams being executed, each called by the one before."""
        return len(self._frames)

    @property
    def behind(self) -> tuple[_Stream, int]:
        """The stream, and the dword behind the packet being executed."""
        return self._frames[-1].stream, self.place[0] + self._size

    def skip(self, count: int) -> None:
        """Leave out dwords behind the packet being executed."""
        self._size += count

    def fetch(self, address: int, dwords: int) -> _Stream:
        """A stream in guest memory."""
        if address % 4:
            raise InputError(f"a command stream at {address:#x} is not aligned to 4 bytes")
        return as_stream(self.memory.view(address, 4 * dwords, np.uint32))

    def call(self, address: int, stream: _Stream) -> None:
        """Execute a stream, then go on behind this packet."""
        self._next, self._chained = _Frame(stream, address, {(address, stream.size)}), False

    def jump(self, address: int, stream: _Stream, loops: bool = False) -> None:
        """Go on with another stream; unless it may loop, DecodeError when that one led here."""
        seen = set() if loops else self._frames[-1].seen
        if (address, stream.size) in seen:
            raise DecodeError(f"INDIRECT_BUFFER chains back to {address:#x}, which would never end")
        self._next, self._chained = _Frame(stream, address, seen | {(address, stream.size)}), True

    def base(self, index: int, why: str) -> int:
        """What SET_BASE set for this packet's shader type."""
        found = self.bases.get((self.compute, index))
        if found is None:
            kind = "compute" if self.compute else "graphics"
            raise InputError(f"{why}, but no SET_BASE {index} of shader type {kind} came before")
        return found


def _nothing(cp: CommandProcessor, body: list[int]) -> None:
    """A packet that only orders work.  [PM4-IN-ORDER]"""


def _refuse_registers(name: str, cp: CommandProcessor, body: list[int]) -> None:
    """Say why a register write could not be done; those that could never get here."""
    bank = SET_PACKETS[name]
    if body[0] >> 16 & 0xFFF:
        raise DecodeError(f"{name}: bank {bank}, offset dword {body[0]:#010x} has reserved bits set")
    cp.registers.check(bank, body[0] & 0xFFFF, len(body) - 1)


# Draws and what sits between them take the dwords as they are.
def _of_bank(load: Callable[[CommandProcessor, str, Mapping[str, Any]], None],
             bank: str) -> Callable[[CommandProcessor, Mapping[str, Any]], None]:
    return lambda processor, fields: load(processor, bank, fields)


_BY_DWORDS: Final[Mapping[str, _Handler]] = {
    "SET_BASE": data.set_base,
    "CONTEXT_REG_RMW": data.context_reg_rmw,
    "INDEX_BUFFER_SIZE": draws.index_buffer_size,
    "INDEX_BASE": draws.index_base,
    "NUM_INSTANCES": draws.num_instances,
    "DRAW_INDEX_2": draws.draw_index_2,
    "DRAW_INDEX_OFFSET_2": draws.draw_index_offset_2,
    "DRAW_INDEX_AUTO": draws.draw_index_auto,
    "DISPATCH_DIRECT": draws.dispatch_direct,
}
_BY_FIELDS: Final[Mapping[str, Callable[[CommandProcessor, Mapping[str, Any]], None]]] = {
    "CLEAR_STATE": data.clear_state,
    "WRITE_DATA": data.write_data,
    "COPY_DATA": data.copy_data,
    "RELEASE_MEM": data.release_mem,
    "WAIT_REG_MEM": data.wait_reg_mem,
    "WAIT_REG_MEM64": data.wait_reg_mem64,
    "REWIND": data.rewind,
    "DMA_DATA": dma_data,
    "EVENT_WRITE": event_write,
    "OCCLUSION_QUERY": occlusion_query,
    "INDIRECT_BUFFER": control.indirect_buffer,
    "COND_INDIRECT_BUFFER": control.cond_indirect_buffer,
    "COND_EXEC": control.cond_exec,
    "PRED_EXEC": control.pred_exec,
    "SET_PREDICATION": control.set_predication,
    "INDEX_TYPE": draws.index_type,
    "DRAW_INDIRECT": draws.draw_indirect,
    "DRAW_INDEX_INDIRECT": draws.draw_index_indirect,
    "DRAW_INDIRECT_MULTI": draws.draw_indirect_multi,
    "DRAW_INDEX_INDIRECT_MULTI": draws.draw_index_indirect_multi,
    "DISPATCH_INDIRECT": draws.dispatch_indirect,
    **{f"LOAD_{bank.upper()}_REG_INDEX": _of_bank(data.load_registers_index, bank)
       for bank in ("context", "sh", "uconfig")},
    **{f"LOAD_{bank.upper()}_REG": _of_bank(data.load_registers, bank) for bank in ("context", "sh", "uconfig")},
}  # fmt: skip


def _by_fields(definition: Definition, handler: Callable[..., None], cp: CommandProcessor, body: list[int]) -> None:
    handler(cp, definition.decode(body))


def _handler(definition: Definition) -> tuple[Definition, int, _Handler] | None:
    name, need = definition.name, len(definition.dwords)
    if name in _BY_DWORDS:
        return definition, need, _BY_DWORDS[name]
    if name in _BY_FIELDS:
        return definition, need, partial(_by_fields, definition, _BY_FIELDS[name])
    if name in _NO_EFFECT:
        return definition, 0, _nothing
    if name in SET_PACKETS:
        return definition, 1, partial(_refuse_registers, name)
    return None


def _handlers() -> dict[tuple[int, int], tuple[Definition, int, _Handler]]:
    """Handlers by opcode and body length; length -1 for the form that takes all others."""
    found = {}
    for opcode in definitions():
        for length in (-1, *range(1, 16)):
            definition = definition_of(opcode, length)
            if definition is None or (length != -1 and definition is definitions()[opcode]):
                continue
            handler = _handler(definition)
            if handler is not None:
                found[opcode, length] = handler
    return found


_HANDLERS: Final = _handlers()
