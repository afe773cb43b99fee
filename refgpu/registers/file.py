"""The registers of one chip while commands run: values of all four banks, by name or by offset."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ..base.bits import Fields
from ..base.errors import DecodeError, InputError
from .table import BANKS, Bank, Register, bank_named, table_for

Float: TypeAlias = float  # inside the class `float` is a method
_TOTAL: Final = sum(bank.size for bank in BANKS.values())
BANK_ORDER: Final = tuple(BANKS)
_INDEX: Final = {name: place for place, name in enumerate(BANK_ORDER)}

# Not touched by CLEAR_STATE; every known driver writes these before its first draw.  [PM4-POWER-ON-UCONFIG]
_POWER_ON: Final = {"GE_MAX_VTX_INDX": 0xFFFFFFFF, "VGT_NUM_INSTANCES": 1}


def _word(value: Any, what: str) -> int:
    number = int(value)
    if not 0 <= number <= 0xFFFFFFFF:
        raise InputError(f"{what}: value {number:#x} does not fit in 32 bits")
    return number


class RegisterFile:
    """Values of the context, sh, uconfig and config registers of one chip.

    ``registers["PA_SU_SC_MODE_CNTL"]`` gives the decoded fields, ``int(...)`` of that the word; assigning sets it. An
    offset that lies in a bank but in no table is kept and listed by `unknown`, never lost.  [PM4-UNKNOWN-REGISTER]

    Parameters
    ----------
    profile : str
        ``gfx1013``, ``gfx1010``, ``gfx1030`` or ``gfx1035``.

    Attributes
    ----------
    storage : ndarray of uint32
        All banks behind each other (`BANKS` says where each starts). Read it; write through the methods, which also
        keep `generations` and `written`.
    written : ndarray of uint8
        1 where a write has landed since power-on.
    generations : ndarray of int64
        One counter per bank in the order of `BANK_ORDER`; it moves when a write changes a value.
    """

    def __init__(self, profile: str = "gfx1013"):
        self.profile = profile
        self.table = table_for(profile)
        self.storage = np.zeros(_TOTAL, np.uint32)
        self.written = np.zeros(_TOTAL, np.uint8)
        self.generations = np.zeros(len(BANK_ORDER), np.int64)
        self.clear_state()
        for name, value in _POWER_ON.items():
            self.storage[self.table.place(name)] = value

    def clear_state(self) -> None:
        """Give every context register its CLEAR_STATE value; the other banks keep theirs.  [PM4-CLEAR-STATE]"""
        bank = BANKS["context"]
        words = self.storage[bank.start : bank.start + bank.size]
        words[:] = 0
        for offset, value in self.table.clear_state.items():
            words[offset] = value
        self.written[bank.start : bank.start + bank.size] = 0
        self.generations[_INDEX["context"]] += 1

    def word(self, name: str) -> int:
        """Value of a register by name."""
        return int(self.storage[self.table.place(name)])

    def __getitem__(self, name: str) -> Fields:
        return self.table[name].decode(self.word(name))

    def __setitem__(self, name: str, value: Any) -> None:
        register = self.table[name]
        self.set(register.bank, register.offset, _word(value, name))

    def __contains__(self, name: object) -> bool:
        return name in self.table

    def set_fields(self, name: str, **values: int) -> None:
        """Change some fields of a register; InputError for a value that does not fit."""
        self[name] = self[name].replace(**values)

    def float(self, name: str) -> Float:
        """The register's word read as a float32."""
        place = self.table.place(name)
        return Float(self.storage[place : place + 1].view(np.float32)[0])

    def set_float(self, name: str, value: Float) -> None:
        """Store a number as float32 bits."""
        self[name] = int(np.float32(value).view(np.uint32))

    def get(self, bank: str, offset: int) -> int:
        """Word at a dword offset of a bank; DecodeError outside the bank."""
        found = self.check(bank, offset, 1)
        return int(self.storage[found.start + offset])

    def set(self, bank: str, offset: int, value: int) -> None:
        """Set the word at a dword offset of a bank; DecodeError outside the bank."""
        word = _word(value, f"{bank} {offset:#x}")
        place = self.check(bank, offset, 1).start + offset
        self.written[place] = 1
        if self.storage[place] != word:
            self.storage[place] = word
            self.generations[_INDEX[bank]] += 1

    def write(self, bank: str, offset: int, values: Sequence[int] | npt.NDArray[np.uint32]) -> None:
        """Set consecutive registers from a dword offset on; DecodeError if any lies outside the bank."""
        found = self.check(bank, offset, len(values))
        place = slice(found.start + offset, found.start + offset + len(values))
        new = np.asarray(values, np.uint32)
        self.written[place] = 1
        if not np.array_equal(self.storage[place], new):
            self.storage[place] = new
            self.generations[_INDEX[bank]] += 1

    @staticmethod
    def check(bank: str, offset: int, count: int) -> Bank:
        """The bank; DecodeError when some of `count` registers from `offset` on lie outside it."""
        found = bank_named(bank)
        if not 0 <= offset <= found.size - count:
            last = f"..{offset + count - 1:#x}" if count > 1 else ""
            raise DecodeError(
                f"register bank {bank} has no dword offset {offset:#x}{last} (it ends at {found.size - 1:#x})"
            )
        return found

    def at_dword(self, address: int) -> tuple[str, int]:
        """Bank and offset of a dword address of the whole register space, as WRITE_DATA and COPY_DATA give it."""
        for bank in BANKS.values():
            if bank.base_dword <= address < bank.base_dword + bank.size:
                return bank.name, address - bank.base_dword
        raise DecodeError(f"no modelled register bank at dword address {address:#x}")

    def words(self, bank: str) -> npt.NDArray[np.uint32]:
        """Live, read-only view of one bank's words."""
        found = bank_named(bank)
        view = self.storage[found.start : found.start + found.size]
        view.flags.writeable = False
        return view

    def generation(self, bank: str) -> int:
        """Counter that moves when a write changes a value in the bank."""
        return int(self.generations[_INDEX[bank_named(bank).name]])

    def copy(self) -> "RegisterFile":
        """Independent copy, for example the state that a queued draw used."""
        other = RegisterFile.__new__(RegisterFile)
        other.profile, other.table = self.profile, self.table
        other.storage = self.storage.copy()
        other.written = self.written.copy()
        other.generations = self.generations.copy()
        return other

    def _places(self, mask: npt.NDArray[np.bool_]) -> Iterator[tuple[str, int, int]]:
        for bank in BANKS.values():
            for offset in np.flatnonzero(mask[bank.start : bank.start + bank.size]):
                yield bank.name, int(offset), int(self.storage[bank.start + offset])

    def unknown(self) -> list[tuple[str, int, int]]:
        """Writes that hit no register of the table, as (bank, dword offset, value)."""
        found = self._places(self.written != 0)
        return [place for place in found if not self.table.name_at(place[0], place[1])]

    def changed(self, since: "RegisterFile | None" = None) -> list[tuple[str, int]]:
        """Registers that differ from `since` (from reset by default), as (name, value).

        A register outside the table is named ``bank:offset``.
        """
        other = RegisterFile(self.profile) if since is None else since
        found = self._places(self.storage != other.storage)
        return [(self.table.name_at(bank, offset) or f"{bank}:{offset:#x}", value) for bank, offset, value in found]

    def register(self, name: str) -> Register:
        """Table entry of a register."""
        return self.table[name]

    def __repr__(self) -> str:
        return f"<RegisterFile {self.profile}: {len(self.changed())} registers differ from reset>"
