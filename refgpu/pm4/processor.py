"""The command processor: takes packets in order, keeps registers, moves data, and hands draws to the machine."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, InputError, RefGpuError, UnsupportedError
from ..memory import Memory, normalize
from ..registers import RegisterFile, enum_names
from . import memory_packets
from .calls import DispatchCall, DrawCall, Sink
from .packet import Packet, as_stream, bad_packet, check_body, packet_dwords
from .register_run import PACKETS, POSITION, bank_table, run_register_packets
from .table import SET_PACKETS, definitions

MAX_NESTING: Final = 2  # [PM4-IB-NESTING]
_AUTO_INDEX: Final = 2  # SOURCE_SELECT of a draw without an index buffer
_NO_EFFECT: Final = frozenset(
    {"NOP", "TYPE2", "CONTEXT_CONTROL", "PFP_SYNC_ME", "ACQUIRE_MEM", "SURFACE_SYNC", "FRAME_CONTROL"}
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
        self._handlers: dict[str, Callable[[Packet, Mapping[str, Any]], None]] = {
            "SET_BASE": self._set_base,
            "CLEAR_STATE": self._clear_state,
            "INDEX_BUFFER_SIZE": self._index_buffer_size,
            "INDEX_BASE": self._index_base,
            "INDEX_TYPE": self._index_type,
            "NUM_INSTANCES": self._num_instances,
            "DRAW_INDEX_2": self._draw_index_2,
            "DRAW_INDEX_OFFSET_2": self._draw_index_offset_2,
            "DRAW_INDEX_AUTO": self._draw_index_auto,
            "DISPATCH_DIRECT": self._dispatch_direct,
            "INDIRECT_BUFFER": self._indirect_buffer,
            "EVENT_WRITE": self._event_write,
            "REWIND": self._rewind,
            "CONTEXT_REG_RMW": self._context_reg_rmw,
            "DMA_DATA": lambda _, f: memory_packets.dma_data(memory, f),
            "WRITE_DATA": lambda _, f: memory_packets.write_data(memory, registers, f),
            "COPY_DATA": lambda _, f: memory_packets.copy_data(memory, registers, f),
            "RELEASE_MEM": lambda _, f: memory_packets.release_mem(memory, f),
            "WAIT_REG_MEM": lambda _, f: memory_packets.wait_reg_mem(memory, registers, f),
            "LOAD_CONTEXT_REG_INDEX": lambda _, f: self._load("context", f),
            "LOAD_SH_REG_INDEX": lambda _, f: self._load("sh", f),
            "LOAD_UCONFIG_REG_INDEX": lambda _, f: self._load("uconfig", f),
        }

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
            try:
                packet = self._take(stream, position)
                self._do(packet)
                if self._chained is not None and (self._chained[0], self._chained[1].size) in seen:
                    raise DecodeError(f"INDIRECT_BUFFER chains back to {self._chained[0]:#x}, which would never end")
            except RefGpuError as error:
                self._locate(error, stream, position)
                raise
            cursor[POSITION] = position + packet.words.size
            cursor[PACKETS] += 1

    @staticmethod
    def _take(stream: _Stream, position: int) -> Packet:
        header = int(stream[position])
        size = int(packet_dwords(header))
        known = header >> 30 == 2 or (header >> 8) & 0xFF in definitions()
        if size == 0 or position + size > stream.size or not known:
            raise bad_packet(stream, position)
        return Packet(stream[position : position + size], position)

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

    def _do(self, packet: Packet) -> None:
        name = packet.name
        if name in _NO_EFFECT:
            return
        check_body(packet)
        if name in SET_PACKETS:
            self._refuse_registers(packet)
        handler = self._handlers.get(name)
        if handler is None:
            raise UnsupportedError(f"PM4 packet {name}")
        handler(packet, packet.fields)

    def _refuse_registers(self, packet: Packet) -> None:
        """Say why a register write could not be done; those that could never get here."""
        target = int(packet.body[0])
        bank = SET_PACKETS[packet.name]
        if target >> 16 & 0xFFF:
            raise DecodeError(f"{packet.name}: bank {bank}, offset dword {target:#010x} has reserved bits set")
        self.registers.check(bank, target & 0xFFFF, packet.body.size - 1)

    def _set_base(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self.bases[f["base_index"]] = memory_packets.address_of(f["addr_lo"] & ~7, f["addr_hi"])

    def _clear_state(self, packet: Packet, f: Mapping[str, Any]) -> None:
        if f["cmd"]:
            raise UnsupportedError("CLEAR_STATE.CMD", f["cmd"])
        self.registers.clear_state()

    def _index_buffer_size(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self.index_buffer_size = f["size"]

    def _index_base(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self.index_base = memory_packets.address_of(f["base_lo"] & ~1, f["base_hi"])

    def _index_type(self, packet: Packet, f: Mapping[str, Any]) -> None:
        if f["swap_mode"]:
            raise UnsupportedError("INDEX_TYPE.SWAP_MODE", f["swap_mode"])
        self.registers["VGT_INDEX_TYPE"] = f["index_type"]

    def _num_instances(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self.registers["VGT_NUM_INSTANCES"] = f["count"]

    def _context_reg_rmw(self, packet: Packet, f: Mapping[str, Any]) -> None:
        old = self.registers.get("context", f["reg_offset"])
        self.registers.set("context", f["reg_offset"], old & ~f["mask"] | f["data"] & f["mask"])

    def _load(self, bank: str, f: Mapping[str, Any]) -> None:
        if f["index"] and 4 not in self.bases:
            raise InputError("an offset from SET_BASE 4 is used, but no SET_BASE 4 came before")
        memory_packets.load_registers(self.memory, self.registers, bank, self.bases[4] if f["index"] else 0, f)

    def _index_kind(self) -> int:
        kind = self.registers["VGT_INDEX_TYPE"].INDEX_TYPE
        if kind == 3:
            raise DecodeError("VGT_INDEX_TYPE.INDEX_TYPE has the reserved value 3")
        return kind

    def _draw(self, packet: Packet, indexed: bool, address: int, count: int, max_size: int, offset: int) -> None:
        initiator = int(packet.body[-1] if indexed else packet.body[1])
        source = initiator & 3
        if source != (0 if indexed else _AUTO_INDEX):
            raise UnsupportedError(f"{packet.name} with VGT_DRAW_INITIATOR.SOURCE_SELECT", source)
        instances = max(self.registers.word("VGT_NUM_INSTANCES"), 1)  # [PM4-NO-INSTANCES]
        kind = self._index_kind() if indexed else 0
        call = DrawCall(
            indexed, address, kind, count, max_size, offset, instances, initiator, packet.offset, self._address
        )
        self.sink.draw(call)

    def _draw_index_2(self, packet: Packet, f: Mapping[str, Any]) -> None:
        address = memory_packets.address_of(f["base_lo"], f["base_hi"])
        self._draw(packet, True, address, f["index_count"], f["max_size"], 0)

    def _draw_index_offset_2(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self._draw(packet, True, self.index_base, f["index_count"], f["max_size"], f["index_offset"])

    def _draw_index_auto(self, packet: Packet, f: Mapping[str, Any]) -> None:
        self._draw(packet, False, 0, f["vertex_count"], f["vertex_count"], 0)

    def _dispatch_direct(self, packet: Packet, f: Mapping[str, Any]) -> None:
        call = DispatchCall(f["dim_x"], f["dim_y"], f["dim_z"], f["dispatch_initiator"], packet.offset, self._address)
        self.sink.dispatch(call)

    def _indirect_buffer(self, packet: Packet, f: Mapping[str, Any]) -> None:
        address = memory_packets.address_of(f["base_lo"] & ~3, f["base_hi"])
        stream = self._fetch(address, f["size"])
        if f["chain"]:
            self._chained = address, stream
            return
        if self._depth > MAX_NESTING:
            raise DecodeError(f"INDIRECT_BUFFER nested more than {MAX_NESTING} deep, at {address:#x}")
        self._run(stream, address)

    def _event_write(self, packet: Packet, f: Mapping[str, Any]) -> None:
        name = enum_names("VGT_EVENT_TYPE").get(f["event_type"], "")
        if name in _COUNTER_EVENTS and f["address"]:
            raise UnsupportedError(f"EVENT_WRITE of {name} to memory")

    def _rewind(self, packet: Packet, f: Mapping[str, Any]) -> None:
        if not f["valid"]:
            raise InputError("REWIND would wait forever: its VALID bit is 0 and nothing else writes this stream")
