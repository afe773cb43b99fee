"""Decoding of one hardware block's registers, remembered by their words: equal words are decoded once."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import F, S

from ..base.bits import Fields
from ..base.errors import UnsupportedError
from ..registers import BANKS, RegisterFile

Result = TypeVar("Result")
Words = Mapping[str, Fields]

_REMEMBERED = 512


class Block(Generic[Result]):
    """``block(registers)`` decodes the named registers.

    Parameters
    ----------
    names : tuple of str
        Everything that `decode` looks at; names that a chip lacks are left out.
    decode : callable
        From the decoded registers to the result, which nobody changes afterwards.
    """

    def __init__(self, names: tuple[str, ...], decode: Callable[[Words], Result]):
        self._names = names
        self._decode = decode
        self._places: dict[str, npt.NDArray[np.intp]] = {}
        self._known: dict[tuple[str, bytes], Result] = {}

    def __call__(self, registers: RegisterFile) -> Result:
        """Decoded block of the registers as they are now."""
        generation = registers.table.generation
        places = self._places.get(generation)
        if places is None:
            entries = [registers.table[name] for name in self._names if name in registers.table]
            places = np.array([BANKS[entry.bank].start + entry.offset for entry in entries], np.intp)
            self._places[generation] = places
        key = generation, registers.storage[places].tobytes()
        result = self._known.get(key)
        if result is None:
            words = {name: registers[name] for name in self._names if name in registers.table}
            result = self._decode(words)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = result
        return result


class Columns:
    """Values for some columns of the draw state, ready to be put into a row."""

    def __init__(self, ints: Mapping[Any, int], floats: Mapping[Any, float | np.float32] | None = None):
        self._int_columns = np.array(list(ints), np.intp)
        self._ints = np.array(list(ints.values()), np.int64)
        floats = floats or {}
        self._float_columns = np.array(list(floats), np.intp)
        self._floats = np.array(list(floats.values()), np.float32)

    def put(self, row_i: npt.NDArray[np.int64], row_f: npt.NDArray[np.float32]) -> None:
        """Write the values into a state row (or into every row, when given several)."""
        row_i[..., self._int_columns] = self._ints
        row_f[..., self._float_columns] = self._floats


def as_float(fields: Fields) -> np.float32:
    """The register's word as float32."""
    return np.uint32(int(fields)).view(np.float32)


def require(words: Words, allowed: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse what is not modelled yet.

    Parameters
    ----------
    words : mapping
    allowed : mapping
        Register name to field name to the one value, or the tuple of values, that is modelled.

    Raises
    ------
    UnsupportedError
        Names the register and field.
    """
    for register, fields in allowed.items():
        word = words.get(register)
        if word is None:
            continue
        for field, values in fields.items():
            if field not in word:
                continue
            value = word[field]
            if value != values and not (isinstance(values, tuple) and value in values):
                raise UnsupportedError(f"{register}.{field}", value)


def new_rows(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """State rows with every column zero."""
    return np.zeros((count, S.COUNT), np.int64), np.zeros((count, F.COUNT), np.float32)
