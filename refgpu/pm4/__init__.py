"""PM4 command streams: packets, their fields, and the processor that executes them."""

from .calls import INDEX_BYTES, Counters, Counting, DispatchCall, DrawCall, Sink
from .disassembly import as_record, disassemble
from .packet import Packet, Packets, decode, encode, packet
from .processor import CommandProcessor, Wait
from .queues import run_queues

__all__ = [
    "INDEX_BYTES",
    "CommandProcessor",
    "Counters",
    "Counting",
    "DispatchCall",
    "DrawCall",
    "Packet",
    "Packets",
    "Sink",
    "Wait",
    "as_record",
    "decode",
    "disassemble",
    "encode",
    "packet",
    "run_queues",
]
