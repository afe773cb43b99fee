"""The register tables of gfx10 and gfx10.3: names, banks, offsets, fields, enums and values after CLEAR_STATE.

The tables are data files (see `generate`), read on first use.
"""

import csv
import difflib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType

from ..base.bits import Bits, Fields
from ..base.errors import DecodeError, InputError

GENERATIONS: Mapping[str, str] = MappingProxyType(
    {"gfx1010": "gfx10", "gfx1013": "gfx10", "gfx1030": "gfx103", "gfx1035": "gfx103"}
)
_OTHER = {"gfx10": "3", "gfx103": "0"}  # the flag of fields that only the other generation has


@dataclass(frozen=True)
class Bank:
    """One register space: where it starts in the chip's dword address space, and how many dwords it spans."""

    name: str
    base_dword: int
    size: int
    start: int  # place of its first dword in a RegisterFile's storage


def _banks() -> Mapping[str, Bank]:
    start = 0
    banks = {}
    # Spans from facts/pm4.md "Register writes".
    for name, base, size in (
        ("context", 0xA000, 0x2000),
        ("sh", 0x2C00, 0x400),
        ("uconfig", 0xC000, 0x4000),
        ("config", 0x2000, 0xC00),
    ):
        banks[name] = Bank(name, base, size, start)
        start += size
    return MappingProxyType(banks)


BANKS: Mapping[str, Bank] = _banks()


def bank_named(name: str) -> Bank:
    """The bank called `name`; InputError for any other name."""
    try:
        return BANKS[name]
    except KeyError:
        raise InputError(f"no register bank {name!r}; banks: {', '.join(BANKS)}") from None


@dataclass(frozen=True)
class FieldValue:
    """One field of a decoded word; `meaning` is the enum's name for the value, or an empty string."""

    name: str
    value: int
    meaning: str = ""


@dataclass(frozen=True)
class Register:
    """One register: its place and its fields.

    Parameters
    ----------
    name, bank : str
    offset : int
        Dword offset inside the bank.
    fields : mapping of str to Bits
    """

    name: str
    bank: str
    offset: int
    fields: Mapping[str, Bits] = field(repr=False)

    def decode(self, word: int) -> Fields:
        """`word` seen as this register's fields."""
        return Fields(word, self.fields)

    def describe(self, word: int) -> list[FieldValue]:
        """Every field of `word` with the enum's name for its value, lowest bit first."""
        found = []
        for name, bits in self.fields.items():
            value = bits.get(word)
            found.append(FieldValue(name, value, enum_names(bits.enum).get(value, "") if bits.enum else ""))
        return found

    def reserved(self, word: int) -> int:
        """The bits of `word` that no field covers."""
        return word & ~self._covered & 0xFFFFFFFF

    @functools.cached_property
    def _covered(self) -> int:
        return sum(((1 << bits.width) - 1) << bits.lsb for bits in self.fields.values())


def _rows(name: str) -> Iterator[list[str]]:
    return csv.reader((files("refgpu.registers") / name).read_text("utf-8").splitlines())


@functools.cache
def _enums() -> Mapping[str, Mapping[int, str]]:
    table = {}
    for name, values in _rows("enums.csv"):
        pairs = (pair.partition(":") for pair in values.split(" "))
        table[name] = MappingProxyType({int(value): text for value, _, text in pairs})
    return MappingProxyType(table)


def enum_names(enum: str) -> Mapping[int, str]:
    """Names of an enum's values; empty for an enum whose values the tables do not list."""
    return _enums().get(enum, MappingProxyType({}))


def _flags(field_text: str) -> str:
    return [*field_text.split(":"), ""][3]


def _parse_field(text: str, skip: str) -> tuple[str, Bits] | None:
    name, lsb, msb, flags, enum = [*text.split(":"), "", ""][:5]
    if skip in flags:
        return None
    return name, Bits(int(lsb), int(msb) - int(lsb) + 1, "s" in flags, enum)


class Table(Mapping[str, Register]):
    """All registers of one generation, by name; `at` finds one by bank and offset."""

    def __init__(self, generation: str):
        self.generation = generation
        self._rows: dict[str, tuple[str, int, str]] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._made: dict[str, Register] = {}
        self._places: dict[str, int] = {}
        skip = _OTHER[generation]
        for bank, offset_hex, name, fields in _rows("registers.csv"):
            if all(skip in _flags(text) for text in fields.split(" ")):
                continue
            offset = int(offset_hex, 16)
            self._rows[name] = (bank, offset, fields)
            self._names[bank, offset] = name

    def __getitem__(self, name: str) -> Register:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def _make(self, name: str) -> Register:
        try:
            bank, offset, text = self._rows[name]
        except KeyError:
            near = difflib.get_close_matches(str(name), self._rows, 3)
            hint = f"; did you mean {' or '.join(near)}" if near else ""
            raise InputError(f"{self.generation} has no register {name!r}{hint}") from None
        parsed = (_parse_field(part, _OTHER[self.generation]) for part in text.split(" "))
        ordered = sorted((item for item in parsed if item), key=lambda item: item[1].lsb)
        return Register(name, bank, offset, MappingProxyType(dict(ordered)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def place(self, name: str) -> int:
        """Where a RegisterFile's storage keeps a register."""
        found = self._places.get(name)
        if found is None:
            register = self[name]
            found = self._places[name] = BANKS[register.bank].start + register.offset
        return found

    def name_at(self, bank: str, offset: int) -> str:
        """Name of the register at a dword offset of a bank, or an empty string."""
        return self._names.get((bank, offset), "")

    def at(self, bank: str, offset: int) -> Register:
        """Register at a dword offset of a bank; DecodeError where the table has none."""
        bank_named(bank)
        name = self.name_at(bank, offset)
        if not name:
            raise DecodeError(f"{self.generation} has no register at {bank} dword offset {offset:#x}")
        return self[name]

    @functools.cached_property
    def clear_state(self) -> Mapping[int, int]:
        """Context dword offset to value, for what is not zero after CLEAR_STATE.  [PM4-CLEAR-STATE]"""
        rows = [row for row in _rows("reset.csv") if row[0] == self.generation]
        return MappingProxyType({int(offset, 16): int(value, 16) for _, offset, value in rows})


@functools.cache
def table_of(generation: str) -> Table:
    """The table of ``gfx10`` or ``gfx103``."""
    return Table(generation)


def table_for(profile: str) -> Table:
    """The table that a chip profile uses; gfx1013 has the registers of gfx10.  [PM4-GFX1013-REGISTERS]"""
    try:
        return table_of(GENERATIONS[profile])
    except KeyError:
        raise InputError(f"no profile {profile!r}; profiles: {', '.join(GENERATIONS)}") from None


def lookup(text: str, profile: str = "gfx1013") -> Register:
    """Register called `text`, which is a name or ``bank:offset`` (``context:0x205``).

    Raises
    ------
    InputError
        No such name, bank or number.
    DecodeError
        The bank has no register at that offset.
    """
    table = table_for(profile)
    bank, colon, offset = text.partition(":")
    if not colon:
        return table[text]
    try:
        number = int(offset, 0)
    except ValueError:
        raise InputError(f"{text!r}: {offset!r} is not a dword offset") from None
    return table.at(bank.lower(), number)
