"""Packets that decide what is executed next: indirect buffers, conditions, predication."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..base.errors import DecodeError, InputError, UnsupportedError
from .compare import holds
from .packet import bad_packet, packet_dwords
from .places import address_of
from .queries import samples_between

if TYPE_CHECKING:
    from .processor import CommandProcessor

Fields = Mapping[str, Any]
MAX_NESTING: Final = 2  # [PM4-IB-NESTING]
_MOST_JUMPS: Final = 1 << 16
_IF_THEN, _IF_THEN_ELSE = 1, 2
_CLEAR, _ZPASS, _PRIMCOUNT, _BOOL64, _BOOL32 = range(5)


def indirect_buffer(cp: "CommandProcessor", f: Fields) -> None:
    """Call a stream, or jump to it and never come back."""
    address = address_of(f["base_lo"] & ~3, f["base_hi"])
    stream = cp.fetch(address, f["size"])
    if f["chain"]:
        cp.jump(address, stream)
        return
    if cp.depth > MAX_NESTING:
        raise DecodeError(f"INDIRECT_BUFFER nested more than {MAX_NESTING} deep, at {address:#x}")
    cp.call(address, stream)


def cond_indirect_buffer(cp: "CommandProcessor", f: Fields) -> None:
    """Jump to one of two streams by a 64-bit condition.  [PM4-COND-IB-JUMPS]"""
    if f["mode"] not in (_IF_THEN, _IF_THEN_ELSE):
        raise DecodeError(f"COND_INDIRECT_BUFFER.MODE has the reserved value {f['mode']}")
    mask, reference = (f[f"{name}_lo"] | f[f"{name}_hi"] << 32 for name in ("mask", "reference"))
    words = cp.memory.view(address_of(f["addr_lo"] & ~7, f["addr_hi"]), 8, np.uint32).tolist()
    met = holds("COND_INDIRECT_BUFFER", f["function"], words[0] | words[1] << 32, mask, reference)
    if not met and f["mode"] == _IF_THEN:
        return
    way = "then" if met else "else"
    address = address_of(f[f"{way}_lo"] & ~3, f[f"{way}_hi"])
    cp.jumps += 1
    if cp.jumps > _MOST_JUMPS:
        raise InputError(f"COND_INDIRECT_BUFFER: {cp.jumps} conditional jumps in one submission; it would not end")
    cp.jump(address, cp.fetch(address, f[f"{way}_size"]), loops=True)


def _skip(cp: "CommandProcessor", name: str, count: int, execute: bool) -> None:
    """Leave out the next `count` dwords unless `execute`; they must be whole packets."""
    stream, first = cp.behind
    position = first
    while position < first + count:
        size = int(packet_dwords(int(stream[position]))) if position < stream.size else 0
        if position >= stream.size or position + size > first + count:
            raise DecodeError(f"{name}.EXEC_COUNT = {count:#x} ends inside a packet or behind the stream")
        if size == 0:
            raise bad_packet(stream, position)
        position += size
    if not execute:
        cp.skip(count)


def cond_exec(cp: "CommandProcessor", f: Fields) -> None:
    """Execute the next dwords only if a dword in memory is not 0."""
    value = cp.memory.word(address_of(f["addr_lo"] & ~3, f["addr_hi"]))
    _skip(cp, "COND_EXEC", f["exec_count"], value != 0)


def pred_exec(cp: "CommandProcessor", f: Fields) -> None:
    """Execute the next dwords only on some GPUs of a linked group; this is GPU 0."""
    _skip(cp, "PRED_EXEC", f["exec_count"], bool(f["device_select"] & 1))


def set_predication(cp: "CommandProcessor", f: Fields) -> None:
    """Say whether packets with header bit 0 are executed from here on.  [PM4-PREDICATION]"""
    operation = f["pred_op"]
    if operation == _CLEAR:
        cp.skipping = False
        cp.visible = False
        return
    address = address_of(f["addr_lo"] & ~15, f["addr_hi"])
    if operation == _ZPASS:
        visible = samples_between(cp, "SET_PREDICATION", address) != 0
        cp.visible = visible = visible or (bool(f["continue"]) and cp.visible)
    elif operation in (_BOOL64, _BOOL32):
        visible = any(cp.memory.view(address, 8 if operation == _BOOL64 else 4, np.uint32).tolist())
    elif operation == _PRIMCOUNT:
        raise UnsupportedError("SET_PREDICATION.PRED_OP by streamout overflow", operation)
    else:
        raise DecodeError(f"SET_PREDICATION.PRED_OP has the reserved value {operation}")
    cp.skipping = visible != bool(f["pred_bool"])
