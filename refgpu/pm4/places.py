"""Where data packets take bytes from and put them: guest memory, registers, GDS."""

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from ..memory import normalize

if TYPE_CHECKING:
    from .processor import CommandProcessor

GDS_BYTES: Final = 1 << 16  # [PM4-GDS-SIZE]
_REGISTER_MASK: Final = 0x3FFFF
Bytes = npt.NDArray[np.uint8]


def address_of(low: int, high: int) -> int:
    """48-bit guest address from the two dwords of a packet."""
    return normalize(low | high << 32)


def read_register(cp: "CommandProcessor", dword: int) -> int:
    """Register at a dword address of the whole register space."""
    return cp.registers.get(*cp.registers.at_dword(dword & _REGISTER_MASK))


def write_registers(cp: "CommandProcessor", dword: int, values: list[int]) -> None:
    """Consecutive registers from a dword address of the whole register space on."""
    bank, offset = cp.registers.at_dword(dword & _REGISTER_MASK)
    cp.registers.write(bank, offset, values)


def gds_bytes(cp: "CommandProcessor", offset: int, nbytes: int) -> Bytes:
    """Bytes of the global data share, writable; InputError outside of it.  [PM4-GDS-SIZE]"""
    if offset + nbytes > GDS_BYTES:
        raise InputError(f"GDS bytes {offset:#x}..{offset + nbytes:#x}: it ends at {GDS_BYTES:#x}")
    return cp.gds[offset : offset + nbytes]


def dwords(data: Bytes) -> list[int]:
    """Bytes as a list of dwords."""
    found: list[int] = np.frombuffer(data.tobytes(), "<u4").tolist()
    return found
