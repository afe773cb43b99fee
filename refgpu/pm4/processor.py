"""The command processor: takes packets in order, keeps registers, moves data, and hands draws to the machine."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, InputError, RefGpuError, UnsupportedError
from ..memory import Memory, normalize
from ..registers import RegisterFile, enum_names
from . import memory_packets
from .calls import DispatchCall, DrawCall, Sink
from .packet import as_stream, bad_packet, packet_dwords
from .register_run import PACKETS, POSITION, bank_table, run_register_packets
from .table import SET_PACKETS, Definition, definitions

MAX_NESTING: Final = 2  # [PM4-IB-NESTING]
# SOURCE_SELECT of a draw with and without an index buffer.
_FROM_MEMORY: Final = 0
_AUTO_INDEX: Final = 2
_NO_EFFECT: Final = frozenset(
    {"NOP", "CONTEXT_CONTROL", "PFP_SYNC_ME", "ACQUIRE_MEM", "SURFACE_SYNC", "FRAME_CONTROL"}
)  # [PM4-IN-ORDER]
# Events that write memory when they have an address; the others only order work.
_COUNTER_EVENTS: Final = frozenset({"ZPASS_DONE", "PIXEL_PIPE_STAT_DUMP", "SAMPLE_PIPELINESTAT"})
_Stream = npt.NDArray[np.uint32]


class CommandProcessor:
    """Executes PM4 streams.

    Parameters
    ----------
    registers : RegisterFile
    memory : Memory
    sink : Sink
        Receives `DrawCall` and `DispatchCall`, and reads registers itself.
    """

    def __init__(self, registers: RegisterFile, memory: Memory, sink: Sink):
        self.registers = registers
        self.memory = memory
        self.sink = sink
        self.index_base = 0
        self.index_buffer_size = 0
        self.bases: dict[int, int] = {}
        self._banks = bank_table()
        self._cursor = np.zeros(2, np.int64)
        self._address: int | None = None
        self._depth = 0
        self._chained: tuple[int, _Stream] | None = None
        self._position = 0
        raw: dict[str, Callable[[list[int]], None]] = {
            "SET_BASE": self._set_base,
            "INDEX_BUFFER_SIZE": self._index_buffer_size,
            "INDEX_BASE": self._index_base,
            "NUM_INSTANCES": self._num_instances,
            "DRAW_INDEX_2": self._draw_index_2,
            "DRAW_INDEX_OFFSET_2": self._draw_index_offset_2,
            "DRAW_INDEX_AUTO": self._draw_index_auto,
            "DISPATCH_DIRECT": self._dispatch_direct,
            "CONTEXT_REG_RMW": self._context_reg_rmw,
        }
        by_field: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "CLEAR_STATE": self._clear_state,
            "INDEX_TYPE": self._index_type,
            "INDIRECT_BUFFER": self._indirect_buffer,
            "EVENT_WRITE": self._event_write,
            "REWIND": self._rewind,
            "DMA_DATA": lambda f: memory_packets.dma_data(memory, f),
            "WRITE_DATA": lambda f: memory_packets.write_data(memory, registers, f),
            "COPY_DATA": lambda f: memory_packets.copy_data(memory, registers, f),
            "RELEASE_MEM": lambda f: memory_packets.release_mem(memory, f),
            "WAIT_REG_MEM": lambda f: memory_packets.wait_reg_mem(memory, registers, f),
            "LOAD_CONTEXT_REG_INDEX": lambda f: self._load("context", f),
            "LOAD_SH_REG_INDEX": lambda f: self._load("sh", f),
            "LOAD_UCONFIG_REG_INDEX": lambda f: self._load("uconfig", f),
        }
        # By opcode, over the body's dwords. Draws and what sits between them take the dwords as they are.
        self._handlers: dict[int, tuple[int, Callable[[list[int]], None]]] = {}
        for opcode, definition in definitions().items():
            name = definition.name
            if name in raw:
                self._handlers[opcode] = len(definition.dwords), raw[name]
            elif name in by_field:
                self._handlers[opcode] = len(definition.dwords), _decoded(definition, by_field[name])
            elif name in _NO_EFFECT:
                self._handlers[opcode] = 0, _nothing
            elif name in SET_PACKETS:
                self._handlers[opcode] = 1, partial(self._refuse_registers, name)

    def submit(self, stream: Any) -> None:
        """Execute a stream: dwords (array, sequence or bytes), or ``(address, dword count)`` in guest memory.

        Raises
        ------
        RefGpuError
            The text begins with the packet's index, name and dword offset, and the guest address of its stream; the
            same are in the attributes `packet_index`, `packet_name`, `packet_offset` and `stream_address`.
            Everything before that packet is done, nothing behind it.
        """
        if self._depth:
            raise InputError("submit was called while a stream is being executed")
        if isinstance(stream, tuple):
            address, count = stream
            place = normalize(address)
            self._run(self._fetch(place, int(count)), place)
        else:
            self._run(as_stream(stream), None)

    def _fetch(self, address: int, dwords: int) -> _Stream:
        if address % 4:
            raise InputError(f"a command stream at {address:#x} is not aligned to 4 bytes")
        return as_stream(self.memory.view(address, 4 * dwords, np.uint32))

    def _run(self, stream: _Stream, address: int | None) -> None:
        """One stream and what it chains to."""
        outer = self._cursor, self._address
        self._depth += 1
        seen = {(address, stream.size)}
        try:
            while True:
                self._cursor = np.zeros(2, np.int64)
                self._address = address
                self._chained = None
                self._execute(stream, seen)
                if self._chained is None:
                    return
                address, stream = self._chained
                seen.add((address, stream.size))
        finally:
            self._depth -= 1
            self._cursor, self._address = outer
            self._chained = None

    def _execute(self, stream: _Stream, seen: set[tuple[int | None, int]]) -> None:
        registers, cursor = self.registers, self._cursor
        while self._chained is None:
            run_register_packets(
                stream, cursor, self._banks, registers.storage, registers.written, registers.generations
            )
            position = int(cursor[POSITION])
            if position >= stream.size:
                return
            self._position = position
            try:
                size = self._do(stream, position)
                if self._chained is not None and (self._chained[0], self._chained[1].size) in seen:
                    raise DecodeError(f"INDIRECT_BUFFER chains back to {self._chained[0]:#x}, which would never end")
            except RefGpuError as error:
                self._locate(error, stream, position)
                raise
            cursor[POSITION] = position + size
            cursor[PACKETS] += 1

    def _do(self, stream: _Stream, position: int) -> int:
        """Execute the packet at `position`; returns its dwords."""
        header = int(stream[position])
        size = int(packet_dwords(header))
        opcode = header >> 8 & 0xFF
        definition = definitions().get(opcode)
        if size == 0 or position + size > stream.size or definition is None:
            raise bad_packet(stream, position)
        if opcode not in self._handlers:
            raise UnsupportedError(f"PM4 packet {definition.name}")
        need, handler = self._handlers[opcode]
        if size <= need:
            definition.check(size - 1)
        handler(stream[position + 1 : position + size].tolist())
        return size

    def _locate(self, error: RefGpuError, stream: _Stream, position: int) -> None:
        """Say where an error happened, once, at the innermost stream."""
        if hasattr(error, "packet_offset"):
            return
        header = int(stream[position])
        definition = definitions().get((header >> 8) & 0xFF) if header >> 30 == 3 else None
        name = definition.name if definition else f"header {header:#010x}"
        where = f" of the stream at {self._address:#x}" if self._address is not None else ""
        place = {
            "packet_index": int(self._cursor[PACKETS]),
            "packet_name": name,
            "packet_offset": position,
            "stream_address": self._address,
        }
        for key, value in place.items():
            setattr(error, key, value)
        error.args = (f"packet {place['packet_index']}, {name} at dword {position:#x}{where}: {error}",)

    def _refuse_registers(self, name: str, body: list[int]) -> None:
        """Say why a register write could not be done; those that could never get here."""
        bank = SET_PACKETS[name]
        if body[0] >> 16 & 0xFFF:
            raise DecodeError(f"{name}: bank {bank}, offset dword {body[0]:#010x} has reserved bits set")
        self.registers.check(bank, body[0] & 0xFFFF, len(body) - 1)

    def _set_base(self, body: list[int]) -> None:
        self.bases[body[0] & 0xF] = memory_packets.address_of(body[1] & ~7, body[2])

    def _index_buffer_size(self, body: list[int]) -> None:
        self.index_buffer_size = body[0]

    def _index_base(self, body: list[int]) -> None:
        self.index_base = memory_packets.address_of(body[0] & ~1, body[1])

    def _num_instances(self, body: list[int]) -> None:
        self.registers["VGT_NUM_INSTANCES"] = body[0]

    def _context_reg_rmw(self, body: list[int]) -> None:
        offset, mask, data = body[0] & 0xFFFF, body[1], body[2]
        old = self.registers.get("context", offset)
        self.registers.set("context", offset, old & ~mask | data & mask)

    def _draw_index_2(self, body: list[int]) -> None:
        max_size, low, high, count, initiator = body[:5]
        self._draw_indexed(memory_packets.address_of(low, high), count, max_size, 0, initiator)

    def _draw_index_offset_2(self, body: list[int]) -> None:
        max_size, offset, count, initiator = body[:4]
        self._draw_indexed(self.index_base, count, max_size, offset, initiator)

    def _draw_indexed(self, address: int, count: int, max_size: int, offset: int, initiator: int) -> None:
        self._check_source(initiator, _FROM_MEMORY)
        kind = self.registers.word("VGT_INDEX_TYPE") & 3
        if kind == 3:
            raise DecodeError("VGT_INDEX_TYPE.INDEX_TYPE has the reserved value 3")
        instances = self._instances()
        place = self._position, self._address
        self.sink.draw(DrawCall(True, address, kind, count, max_size, offset, instances, initiator, *place))

    def _draw_index_auto(self, body: list[int]) -> None:
        count, initiator = body[:2]
        self._check_source(initiator, _AUTO_INDEX)
        place = self._position, self._address
        self.sink.draw(DrawCall(False, 0, 0, count, count, 0, self._instances(), initiator, *place))

    @staticmethod
    def _check_source(initiator: int, expected: int) -> None:
        if initiator & 3 != expected:
            raise UnsupportedError("this draw packet with VGT_DRAW_INITIATOR.SOURCE_SELECT", initiator & 3)

    def _instances(self) -> int:
        """Instances of a draw.  [PM4-NO-INSTANCES]"""
        return max(self.registers.word("VGT_NUM_INSTANCES"), 1)

    def _dispatch_direct(self, body: list[int]) -> None:
        x, y, z, initiator = body[:4]
        self.sink.dispatch(DispatchCall(x, y, z, initiator, self._position, self._address))

    def _clear_state(self, f: Mapping[str, Any]) -> None:
        if f["cmd"]:
            raise UnsupportedError("CLEAR_STATE.CMD", f["cmd"])
        self.registers.clear_state()

    def _index_type(self, f: Mapping[str, Any]) -> None:
        if f["swap_mode"]:
            raise UnsupportedError("INDEX_TYPE.SWAP_MODE", f["swap_mode"])
        self.registers["VGT_INDEX_TYPE"] = f["index_type"]

    def _load(self, bank: str, f: Mapping[str, Any]) -> None:
        if f["index"] and 4 not in self.bases:
            raise InputError("an offset from SET_BASE 4 is used, but no SET_BASE 4 came before")
        memory_packets.load_registers(self.memory, self.registers, bank, self.bases[4] if f["index"] else 0, f)

    def _indirect_buffer(self, f: Mapping[str, Any]) -> None:
        address = memory_packets.address_of(f["base_lo"] & ~3, f["base_hi"])
        stream = self._fetch(address, f["size"])
        if f["chain"]:
            self._chained = address, stream
            return
        if self._depth > MAX_NESTING:
            raise DecodeError(f"INDIRECT_BUFFER nested more than {MAX_NESTING} deep, at {address:#x}")
        self._run(stream, address)

    def _event_write(self, f: Mapping[str, Any]) -> None:
        name = enum_names("VGT_EVENT_TYPE").get(f["event_type"], "")
        if name in _COUNTER_EVENTS and f["address"]:
            raise UnsupportedError(f"EVENT_WRITE of {name} to memory")

    def _rewind(self, f: Mapping[str, Any]) -> None:
        if not f["valid"]:
            raise InputError("REWIND would wait forever: its VALID bit is 0 and nothing else writes this stream")


def _nothing(body: list[int]) -> None:
    """A packet that only orders work.  [PM4-IN-ORDER]"""


def _decoded(definition: Definition, handler: Callable[[Mapping[str, Any]], None]) -> Callable[[list[int]], None]:
    return lambda body: handler(definition.decode(body))
