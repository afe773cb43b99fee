"""Bit fields of words: one way to name, take out and put in a field."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import InputError


def extract(word: int, lsb: int, width: int) -> int:
    """Unsigned field of `width` bits that starts at bit `lsb`."""
    return (int(word) >> lsb) & ((1 << width) - 1)


def insert(word: int, lsb: int, width: int, value: int) -> int:
    """`word` with the field replaced; InputError when the value does not fit."""
    mask = (1 << width) - 1
    if not 0 <= int(value) <= mask:
        raise InputError(f"value {value:#x} does not fit in {width} bits")
    return (int(word) & ~(mask << lsb)) | (int(value) << lsb)


def sign_extend(value: int, width: int) -> int:
    """`value` read as a two's complement number of `width` bits."""
    value = int(value) & ((1 << width) - 1)
    return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True, slots=True)
class Bits:
    """One field: where it lies, and how its number is read."""

    lsb: int
    width: int
    signed: bool = False
    enum: str = ""

    def get(self, word: int) -> int:
        """Value of this field in `word`."""
        value = extract(word, self.lsb, self.width)
        return sign_extend(value, self.width) if self.signed else value

    def put(self, word: int, value: int) -> int:
        """`word` with this field set to `value`."""
        if self.signed and -(1 << (self.width - 1)) <= value < 0:
            value += 1 << self.width
        return insert(word, self.lsb, self.width, value)


class Fields(Mapping[str, int]):
    """A word (of any length) seen as named fields: ``fields.NAME``, ``fields["NAME"]`` or ``int(fields)``."""

    __slots__ = ("_table", "_word")
    _table: Mapping[str, Bits]
    _word: int

    def __init__(self, word: int, table: Mapping[str, Bits]):
        object.__setattr__(self, "_word", int(word))
        object.__setattr__(self, "_table", table)

    def __getitem__(self, name: str) -> int:
        return self._table[name].get(self._word)

    def __getattr__(self, name: str) -> int:
        try:
            return self._table[name].get(self._word)
        except KeyError:
            raise AttributeError(f"no field {name!r}; fields: {', '.join(self._table)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __int__(self) -> int:
        return self._word

    __index__ = __int__

    def __eq__(self, other: Any) -> bool:
        return int(self) == int(other) if isinstance(other, int | Fields) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._word)

    def replace(self, **values: int) -> int:
        """The word with some fields changed."""
        word = self._word
        for name, value in values.items():
            word = self._table[name].put(word, value)
        return word

    def __repr__(self) -> str:
        shown = " ".join(f"{name}={value}" for name, value in self.items() if value)
        return f"<{self._word:#010x} {shown}>"
