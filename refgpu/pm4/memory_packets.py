"""Packets that move or await a few dwords: WRITE_DATA, COPY_DATA, RELEASE_MEM, WAIT_REG_MEM, REWIND, LOAD_*_REG."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import DecodeError, InputError, UnsupportedError
from .compare import Blocked, holds, sign_of
from .places import address_of, dwords, gds_bytes, read_register, write_registers

if TYPE_CHECKING:
    from .processor import CommandProcessor

Fields = Mapping[str, Any]
_REGISTER, _GDS, _PERF = 0, 3, 4
_MEMORY = (1, 2, 5)
_GPU_CLOCK, _SYSTEM_CLOCK = 9, 10


def _store(cp: "CommandProcessor", packet: str, select: int, low: int, high: int, data: list[int]) -> None:
    """Dwords to what DST_SEL names."""
    if select == _REGISTER:
        write_registers(cp, low, data)
    elif select in _MEMORY:
        cp.memory.write(address_of(low & ~3, high), np.array(data, np.uint32))
    elif select == _GDS:
        gds_bytes(cp, low & ~3, 4 * len(data))[:] = np.array(data, "<u4").view(np.uint8)
    else:
        raise UnsupportedError(f"{packet}.DST_SEL", select)


def write_data(cp: "CommandProcessor", f: Fields) -> None:
    """Body dwords to memory, registers or GDS."""
    data: list[int] = f["data"]
    if f["addr_incr"] and data:
        data = data[-1:]  # all land on the same address, in order
    _store(cp, "WRITE_DATA", f["dst_sel"], f["dst_lo"], f["dst_hi"], data)


def copy_data(cp: "CommandProcessor", f: Fields) -> None:
    """One or two dwords between memory, registers, GDS, the clock and the packet itself.  [PM4-CLOCK]"""
    count = 1 + f["count_sel"]
    source = f["src_sel"]
    if source == _REGISTER:
        data = [read_register(cp, f["src_lo"] + i) for i in range(count)]
    elif source in (1, 2):
        data = cp.memory.view(address_of(f["src_lo"] & ~3, f["src_hi"]), 4 * count, np.uint32).tolist()
    elif source == _GDS:
        data = dwords(gds_bytes(cp, f["src_lo"] & ~3, 4 * count))
    elif source == 5:
        data = [f["src_lo"], f["src_hi"]][:count]
    elif source in (_GPU_CLOCK, _SYSTEM_CLOCK):
        data = [cp.clock & 0xFFFFFFFF, cp.clock >> 32][:count]
    else:
        raise UnsupportedError("COPY_DATA.SRC_SEL", source)
    _store(cp, "COPY_DATA", f["dst_sel"], f["dst_lo"], f["dst_hi"], data)


def release_mem(cp: "CommandProcessor", f: Fields) -> None:
    """The write behind an end-of-pipe event; in a model that runs in order it is due at once.  [PM4-IN-ORDER]"""
    select = f["data_sel"]
    if select == 0:
        return
    if f["dst_sel"] > 1:
        raise DecodeError(f"RELEASE_MEM.DST_SEL has the reserved value {f['dst_sel']}")
    if select in (1, 2):
        data = [f["data_lo"], f["data_hi"]][:select]
    elif select in (3, 4):
        data = [cp.clock & 0xFFFFFFFF, cp.clock >> 32]
    elif select == 5:  # [PM4-RELEASE-GDS]
        data = dwords(gds_bytes(cp, 4 * (f["data_lo"] & 0xFFFF), 4 * (f["data_lo"] >> 16)))
    else:
        raise DecodeError(f"RELEASE_MEM.DATA_SEL has the reserved value {select}")
    cp.memory.write(address_of(f["addr_lo"] & ~3, f["addr_hi"]), np.array(data, np.uint32))


def _wait(cp: "CommandProcessor", packet: str, f: Fields, dword_count: int, reference: int, mask: int) -> None:
    if f["operation"]:
        raise UnsupportedError(f"{packet}.OPERATION", f["operation"])
    if f["mem_space"] == 1:
        address = address_of(f["addr_lo"] & ~3, f["addr_hi"])
        words = cp.memory.view(address, 4 * dword_count, np.uint32).tolist()
        place = f"memory {address:#x}"
    elif f["mem_space"] == 0:
        words = [read_register(cp, f["addr_lo"] + i) for i in range(dword_count)]
        place = f"register at dword {f['addr_lo']:#x}"
    else:
        raise DecodeError(f"{packet}.MEM_SPACE has the reserved value {f['mem_space']}")
    value = sum(word << 32 * i for i, word in enumerate(words))
    if not holds(packet, f["function"], value, mask, reference):
        raise Blocked(f"{place} holds {value:#x}, and (value & {mask:#x}) {sign_of(f['function'])} {reference:#x} "
                      "is false")


def wait_reg_mem(cp: "CommandProcessor", f: Fields) -> None:
    """Go on when a condition holds.  [PM4-IN-ORDER]"""
    if f["function"]:
        _wait(cp, "WAIT_REG_MEM", f, 1, f["reference"], f["mask"])


def wait_reg_mem64(cp: "CommandProcessor", f: Fields) -> None:
    """`wait_reg_mem` on 64 bits."""
    if f["function"]:
        reference, mask = (f[f"{name}_lo"] | f[f"{name}_hi"] << 32 for name in ("reference", "mask"))
        _wait(cp, "WAIT_REG_MEM64", f, 2, reference, mask)


def rewind(cp: "CommandProcessor", f: Fields) -> None:
    """Go on when the packet's own VALID bit is set: the stream is read again until somebody has set it."""
    if not f["valid"]:
        raise Blocked("its VALID bit is 0")


def load_registers_index(cp: "CommandProcessor", bank: str, f: Fields) -> None:
    """Registers from memory: consecutive values, or pairs of offset and value."""
    base = 0
    if f["index"]:
        base = cp.base(4, "an offset from it is used")
    address = base + (f["addr_lo"] << 2) + (f["addr_hi"] << 32)
    count = f["num_dwords"]
    if f["data_format"] == 0:
        cp.registers.write(bank, f["reg_offset"], cp.memory.view(address, 4 * count, np.uint32))
        return
    pairs = cp.memory.view(address, 8 * count, np.uint32).reshape(-1, 2).tolist()
    for offset, _ in pairs:
        cp.registers.check(bank, offset, 1)
    for offset, value in pairs:
        cp.registers.set(bank, offset, value)


def load_registers(cp: "CommandProcessor", bank: str, f: Fields) -> None:
    """Ranges of registers from a copy of the bank in memory.  [PM4-LOAD-REG-LAYOUT]"""
    ranges: list[int] = f["range"]
    if len(ranges) % 2:
        raise DecodeError(f"LOAD_{bank.upper()}_REG: {len(ranges)} dwords behind the address are no pairs")
    base = address_of(f["addr_lo"] & ~3, f["addr_hi"])
    found = []
    for first, count in zip(ranges[::2], ranges[1::2], strict=True):
        offset, dword_count = first & 0xFFFF, count & 0x3FFF
        cp.registers.check(bank, offset, dword_count)
        found.append((offset, cp.memory.view(base + 4 * offset, 4 * dword_count, np.uint32).copy()))
    for offset, values in found:
        cp.registers.write(bank, offset, values)


def set_base(cp: "CommandProcessor", body: list[int]) -> None:
    """Remember a base address, for graphics and compute packets apart."""
    cp.bases[cp.compute, body[0] & 0xF] = address_of(body[1] & ~7, body[2])


def context_reg_rmw(cp: "CommandProcessor", body: list[int]) -> None:
    """Change some bits of a context register."""
    offset, mask, data = body[0] & 0xFFFF, body[1], body[2]
    old = cp.registers.get("context", offset)
    cp.registers.set("context", offset, old & ~mask | data & mask)


def clear_state(cp: "CommandProcessor", f: Fields) -> None:
    """Context registers to their CLEAR_STATE values."""
    if f["cmd"]:
        raise UnsupportedError("CLEAR_STATE.CMD", f["cmd"])
    cp.registers.clear_state()


def check_event(f: Fields) -> None:
    """InputError unless an event that writes has its address."""
    if len(f["address"]) < 2:
        raise InputError("EVENT_WRITE: an event that writes needs an address, two dwords")
