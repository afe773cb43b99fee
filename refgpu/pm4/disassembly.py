"""Streams as text and as JSON: packet names, register names, decoded fields."""

from collections.abc import Iterator
from typing import Any

from ..base.errors import DecodeError
from ..registers import Table, table_for
from .packet import Packet, decode
from .table import SET_PACKETS


def _register_writes(packet: Packet, table: Table) -> Iterator[tuple[str, int]]:
    bank = SET_PACKETS[packet.name]
    first = int(packet.body[0]) & 0xFFFF
    for i, value in enumerate(packet.body[1:].tolist()):
        yield table.name_at(bank, first + i) or f"{bank}:{first + i:#x}", value


def as_record(packet: Packet, profile: str = "gfx1013") -> dict[str, Any]:
    """One packet for JSON.

    Returns
    -------
    dict
        ``offset``, ``name``, ``dwords``; then ``registers`` (name and value pairs) of a register packet, ``fields`` of
        another, or ``body`` when the packet is shorter than its fields.
    """
    record: dict[str, Any] = {"offset": packet.offset, "name": packet.name, "dwords": packet.size}
    if packet.predicate:
        record["predicate"] = True
    if packet.compute:
        record["compute"] = True
    if packet.is_pad:
        return record
    if packet.name in SET_PACKETS:
        record["registers"] = [list(pair) for pair in _register_writes(packet, table_for(profile))]
        return record
    try:
        record["fields"] = packet.fields
    except DecodeError:
        record["body"] = packet.body.tolist()
    return record


def _value(value: Any) -> str:
    if isinstance(value, list):
        shown = " ".join(f"{word:#x}" for word in value[:8])
        return f"[{shown}{' ...' if len(value) > 8 else ''}]"
    return f"{value:#x}" if value > 9 else str(value)


def _register_lines(packet: Packet, table: Table) -> Iterator[str]:
    for name, value in _register_writes(packet, table):
        line = f"          {name} = {value:#010x}"
        if name in table:
            register = table[name]
            shown = [
                f"{field.name}={field.meaning or field.value}" for field in register.describe(value) if field.value
            ]
            if len(register.fields) > 1 and shown:
                line += f"  {' '.join(shown)}"
            if register.reserved(value):
                line += f"  reserved bits {register.reserved(value):#x}"
        yield line


def disassemble(dwords: Any, profile: str = "gfx1013") -> list[str]:
    """A stream as lines of text; runs of fillers make one line.

    Parameters
    ----------
    dwords : ndarray of uint32, sequence of int, or bytes
    profile : str
        Whose register names to use.

    Raises
    ------
    DecodeError
        As `decode`.
    """
    table = table_for(profile)
    lines: list[str] = []
    pads = 0
    packets = decode(dwords)
    for i, packet in enumerate(packets):
        if packet.is_pad:
            pads += 1
            if i + 1 == len(packets) or not packets[i + 1].is_pad:
                lines.append(f"{packet.offset - pads + 1:#08x}  {pads} dwords of padding")
                pads = 0
            continue
        flags = "".join(f" {name}" for name in ("predicate", "compute") if getattr(packet, name))
        line = f"{packet.offset:#08x}  {packet.name}{flags}"
        if packet.name in SET_PACKETS:
            lines += [line, *_register_lines(packet, table)]
            continue
        record = as_record(packet, profile)
        fields = record.get("fields", {"body": record.get("body", [])})
        lines.append(f"{line}  {' '.join(f'{name}={_value(value)}' for name, value in fields.items())}".rstrip())
    return lines
