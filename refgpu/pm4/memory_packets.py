"""Packets that move data: DMA_DATA, WRITE_DATA, COPY_DATA, RELEASE_MEM, WAIT_REG_MEM, LOAD_*_REG_INDEX."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..base.errors import DecodeError, InputError, UnsupportedError
from ..memory import Memory, normalize
from ..registers import RegisterFile

_COMPARE: Mapping[int, tuple[str, Callable[[int, int], bool]]] = MappingProxyType(
    {
        1: ("<", operator.lt),
        2: ("<=", operator.le),
        3: ("==", operator.eq),
        4: ("!=", operator.ne),
        5: (">=", operator.ge),
        6: (">", operator.gt),
    }
)
_REGISTER_MASK = 0x3FFFF


def address_of(low: int, high: int) -> int:
    """48-bit guest address from the two dwords of a packet."""
    return normalize(low | high << 32)


def read_register(registers: RegisterFile, dword: int) -> int:
    """Register at a dword address of the whole register space."""
    return registers.get(*registers.at_dword(dword & _REGISTER_MASK))


def write_register(registers: RegisterFile, dword: int, values: list[int]) -> None:
    """Consecutive registers from a dword address of the whole register space on."""
    bank, offset = registers.at_dword(dword & _REGISTER_MASK)
    registers.write(bank, offset, values)


def dma_data(memory: Memory, f: Mapping[str, Any]) -> None:
    """Fill, copy or prefetch.  [PM4-DMA-FILL] [PM4-DMA-PREFETCH]"""
    nbytes = f["byte_count"]
    for name in ("src_indirect", "dst_indirect", "sas", "das", "saic", "daic"):
        if f[name]:
            raise UnsupportedError(f"DMA_DATA.{name.upper()}", f[name])
    if f["dst_sel"] == 1 or f["src_sel"] == 1:
        raise UnsupportedError("DMA_DATA with GDS", 1)
    if nbytes == 0 or f["dst_sel"] == 2:
        return
    target = address_of(f["dst_lo"], f["dst_hi"])
    if f["src_sel"] == 2:
        if nbytes % 4:
            raise UnsupportedError("DMA_DATA.BYTE_COUNT of a fill that is no multiple of 4", nbytes)
        memory.fill(target, nbytes, f["src_lo"])
        return
    source = address_of(f["src_lo"], f["src_hi"])
    if source == target:
        return
    if source < target + nbytes and target < source + nbytes:
        raise UnsupportedError(f"DMA_DATA copy of {nbytes} bytes between overlapping ranges, target", target)
    memory.write(target, memory.view(source, nbytes))


def write_data(memory: Memory, registers: RegisterFile, f: Mapping[str, Any]) -> None:
    """Body dwords to memory or registers."""
    data: list[int] = f["data"]
    if f["addr_incr"] and data:
        data = data[-1:]  # all land on the same address, in order
    if f["dst_sel"] == 0:
        write_register(registers, f["dst_lo"], data)
    elif f["dst_sel"] in (1, 2, 5):
        memory.write(address_of(f["dst_lo"] & ~3, f["dst_hi"]), np.array(data, np.uint32))
    else:
        raise UnsupportedError("WRITE_DATA.DST_SEL", f["dst_sel"])


def copy_data(memory: Memory, registers: RegisterFile, f: Mapping[str, Any]) -> None:
    """One or two dwords between memory, registers and the packet itself."""
    count = 1 + f["count_sel"]
    source = f["src_sel"]
    if source == 0:
        data = [read_register(registers, f["src_lo"] + i) for i in range(count)]
    elif source in (1, 2):
        data = memory.view(address_of(f["src_lo"] & ~3, f["src_hi"]), 4 * count, np.uint32).tolist()
    elif source == 5:
        data = [f["src_lo"], f["src_hi"]][:count]
    else:
        raise UnsupportedError("COPY_DATA.SRC_SEL", source)
    if f["dst_sel"] == 0:
        write_register(registers, f["dst_lo"], data)
    elif f["dst_sel"] in (1, 2, 5):
        memory.write(address_of(f["dst_lo"] & ~3, f["dst_hi"]), np.array(data, np.uint32))
    else:
        raise UnsupportedError("COPY_DATA.DST_SEL", f["dst_sel"])


def release_mem(memory: Memory, f: Mapping[str, Any]) -> None:
    """The write behind an end-of-pipe event; in a model that runs in order it is due at once.  [PM4-IN-ORDER]"""
    if f["data_sel"] == 0:
        return
    if f["data_sel"] > 2:
        raise UnsupportedError("RELEASE_MEM.DATA_SEL", f["data_sel"])
    if f["dst_sel"] > 1:
        raise DecodeError(f"RELEASE_MEM.DST_SEL has the reserved value {f['dst_sel']}")
    data = np.array([f["data_lo"], f["data_hi"]][: f["data_sel"]], np.uint32)
    memory.write(address_of(f["addr_lo"] & ~3, f["addr_hi"]), data)


def wait_reg_mem(memory: Memory, registers: RegisterFile, f: Mapping[str, Any]) -> None:
    """Check a condition; nothing runs beside this stream, so an unmet one would never be met.  [PM4-IN-ORDER]"""
    if f["function"] == 0:
        return
    if f["function"] not in _COMPARE:
        raise DecodeError(f"WAIT_REG_MEM.FUNCTION has the reserved value {f['function']}")
    if f["operation"]:
        raise UnsupportedError("WAIT_REG_MEM.OPERATION", f["operation"])
    if f["mem_space"] == 1:
        address = address_of(f["addr_lo"] & ~3, f["addr_hi"])
        value, place = memory.word(address), f"memory {address:#x}"
    elif f["mem_space"] == 0:
        value, place = read_register(registers, f["addr_lo"]), f"register at dword {f['addr_lo']:#x}"
    else:
        raise DecodeError(f"WAIT_REG_MEM.MEM_SPACE has the reserved value {f['mem_space']}")
    sign, compare = _COMPARE[f["function"]]
    if not compare(value & f["mask"], f["reference"]):
        raise InputError(
            f"WAIT_REG_MEM would wait forever: {place} holds {value:#x}, "
            f"and (value & {f['mask']:#x}) {sign} {f['reference']:#x} is false"
        )


def load_registers(memory: Memory, registers: RegisterFile, bank: str, base: int, f: Mapping[str, Any]) -> None:
    """Registers from memory: consecutive values, or pairs of offset and value."""
    address = base + (f["addr_lo"] << 2) + (f["addr_hi"] << 32)
    count = f["num_dwords"]
    if f["data_format"] == 0:
        registers.write(bank, f["reg_offset"], memory.view(address, 4 * count, np.uint32))
        return
    pairs = memory.view(address, 8 * count, np.uint32).reshape(-1, 2).tolist()
    for offset, _ in pairs:
        registers.check(bank, offset, 1)
    for offset, value in pairs:
        registers.set(bank, offset, value)
