"""DMA_DATA: fills and copies between guest memory, registers and GDS."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, UnsupportedError
from .places import Bytes, address_of, dwords, gds_bytes, read_register, write_registers

if TYPE_CHECKING:
    from .processor import CommandProcessor

_GDS, _NOWHERE, _IMMEDIATE = 1, 2, 2


def dma_data(cp: "CommandProcessor", f: Mapping[str, Any]) -> None:
    """Fill, copy or prefetch.  [PM4-DMA-FILL] [PM4-DMA-PREFETCH] [PM4-DMA-REGISTER]"""
    nbytes = f["byte_count"]
    for name in ("src_indirect", "dst_indirect"):
        if f[name]:
            raise UnsupportedError(f"DMA_DATA.{name.upper()}", f[name])
    if nbytes == 0 or f["dst_sel"] == _NOWHERE:
        return
    to_memory = f["dst_sel"] != _GDS and not (f["dst_sel"] == 0 and f["das"])
    from_memory = f["src_sel"] not in (_GDS, _IMMEDIATE) and not (f["src_sel"] == 0 and f["sas"])
    for name, memory in (("saic", from_memory), ("daic", to_memory)):
        if f[name] and memory:
            raise UnsupportedError(f"DMA_DATA.{name.upper()} of memory", 1)
    if f["src_sel"] == _IMMEDIATE and nbytes % 4:
        raise UnsupportedError("DMA_DATA.BYTE_COUNT of a fill that is no multiple of 4", nbytes)
    if to_memory:
        _to_memory(cp, f, nbytes, from_memory)
    elif f["dst_sel"] == _GDS:
        gds_bytes(cp, f["dst_lo"], nbytes)[:] = _source(cp, f, nbytes)
    else:
        values = _whole(_source(cp, f, nbytes))
        write_registers(cp, f["dst_lo"], values[-1:] if f["daic"] else values)


def _to_memory(cp: "CommandProcessor", f: Mapping[str, Any], nbytes: int, from_memory: bool) -> None:
    target = address_of(f["dst_lo"], f["dst_hi"])
    if f["src_sel"] == _IMMEDIATE:
        cp.memory.fill(target, nbytes, f["src_lo"])
        return
    if from_memory:
        source = address_of(f["src_lo"], f["src_hi"])
        if source == target:
            return
        if source < target + nbytes and target < source + nbytes:
            raise UnsupportedError(f"DMA_DATA copy of {nbytes} bytes between overlapping ranges, target", target)
    cp.memory.write(target, _source(cp, f, nbytes))


def _source(cp: "CommandProcessor", f: Mapping[str, Any], nbytes: int) -> Bytes:
    if f["src_sel"] == _IMMEDIATE:
        return np.full(nbytes // 4, f["src_lo"], "<u4").view(np.uint8)
    if f["src_sel"] == _GDS:
        return gds_bytes(cp, f["src_lo"], nbytes).copy()
    if f["src_sel"] == 0 and f["sas"]:
        if nbytes % 4:
            raise InputError(f"DMA_DATA of {nbytes} bytes from registers: they are dwords")
        step = 0 if f["saic"] else 1
        bank, offset = cp.registers.at_dword(f["src_lo"])
        cp.registers.check(bank, offset, nbytes // 4 if step else 1)
        values = [read_register(cp, f["src_lo"] + step * i) for i in range(nbytes // 4)]
        return np.array(values, "<u4").view(np.uint8)
    return cp.memory.view(address_of(f["src_lo"], f["src_hi"]), nbytes)


def _whole(data: Bytes) -> list[int]:
    if data.size % 4:
        raise InputError(f"DMA_DATA of {data.size} bytes to registers: they are dwords")
    return dwords(data)
