"""HTILE words by field name, for people; the rules behind them are in `htile`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..base.bits import Bits
from ..base.errors import DecodeError, InputError
from . import htile

DEPTH_ONLY: Mapping[str, Bits] = MappingProxyType({
    "zmask": Bits(0, 4),
    "zmin": Bits(4, 14),
    "zmax": Bits(18, 14),
})
DEPTH_STENCIL: Mapping[str, Bits] = MappingProxyType({
    "zmask": Bits(0, 4),
    "sr0": Bits(4, 2),
    "sr1": Bits(6, 2),
    "smem": Bits(8, 2),
    "unused": Bits(10, 2),  # gfx10.3 may keep shading rates here, and in sr1
    "zdelta": Bits(12, 6),
    "zbase": Bits(18, 14),
})
STATES = np.array(["cleared", "expanded", "undocumented"])


class HtileWord:
    """One HTILE word, or an array of them, seen as named fields.  [HTILE-FIELDS].

    Fields are attributes: zmask, zmin, zmax (depth only) or zmask, sr0, sr1, smem, unused, zdelta, zbase (with
    stencil). Each is an int, or a uint32 array for an array of words.
    """

    __slots__ = ("_word", "stencil")

    def __init__(self, word: npt.ArrayLike, stencil: bool = True):
        self._word = words_of(word)
        self.stencil = bool(stencil)

    @classmethod
    def decode(cls, word: npt.ArrayLike, stencil: bool = True) -> Self:
        """See a word (or an array) in the depth and stencil layout, or the depth-only one.

        Every word decodes; `depth_state` and `stencil_state` raise where its meaning is not known.
        """
        return cls(word, stencil)

    @classmethod
    def from_fields(cls, stencil: bool = True, **fields: int) -> Self:
        """Word with these fields; others are 0."""
        return cls(0, stencil).replace(**fields)

    @property
    def table(self) -> Mapping[str, Bits]:
        """Fields of this layout."""
        return DEPTH_STENCIL if self.stencil else DEPTH_ONLY

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.table:
            raise AttributeError(f"no field {name!r}; fields: {', '.join(self.table)}")
        bits = self.table[name]
        value = (self._word >> np.uint32(bits.lsb)) & np.uint32((1 << bits.width) - 1)
        return value if value.ndim else int(value)

    def encode(self) -> Any:
        """The word: int, or uint32 array."""
        return self._word.copy() if self._word.ndim else int(self._word)

    def fields(self) -> dict[str, Any]:
        """All fields by name, lowest first."""
        return {name: getattr(self, name) for name in self.table}

    def replace(self, **fields: int) -> Self:
        """Word with some fields changed; InputError on a name or value that does not fit."""
        word = self._word.astype(np.int64)
        for name, value in fields.items():
            if name not in self.table:
                raise InputError(f"no HTILE field {name!r}; fields: {', '.join(self.table)}")
            bits = self.table[name]
            mask = (1 << bits.width) - 1
            if not 0 <= int(value) <= mask:
                raise InputError(f"{name}: {value:#x} does not fit in {bits.width} bits")
            word = (word & ~(mask << bits.lsb)) | (int(value) << bits.lsb)
        return type(self)(word, self.stencil)

    @property
    def depth_state(self) -> Any:
        """"cleared" or "expanded"; DecodeError for a plane-compressed ZMASK, whose meaning is not public."""
        return self._state(0, "ZMASK", "zmask")

    @property
    def stencil_state(self) -> Any:
        """"cleared" or "expanded"; DecodeError for SMEM 1 and 2. Depth-only words leave stencil in memory."""
        return self._state(1, "SMEM", "smem")

    def range(self, zrange_precision: int = 1) -> tuple[Any, Any]:
        """(zmin, zmax) in 1/16383: as the fields say, or from base and delta by DB_Z_INFO.ZRANGE_PRECISION."""
        if zrange_precision not in (0, 1):
            raise InputError(f"zrange_precision: {zrange_precision} is not 0 or 1")
        low, high = np.empty(self._word.shape, np.int64), np.empty(self._word.shape, np.int64)
        htile.ranges_of(self._word.reshape(-1), int(self.stencil), int(zrange_precision), low.reshape(-1),
                        high.reshape(-1))
        return (low, high) if low.ndim else (int(low), int(high))

    def _state(self, which: int, field: str, attribute: str) -> Any:
        states = states_of(self._word, self.stencil)[which].reshape(-1)
        wrong = np.flatnonzero(states == htile.UNDOCUMENTED)
        if wrong.size:
            word = int(self._word.reshape(-1)[wrong[0]])
            code = getattr(HtileWord(word, self.stencil), attribute)
            raise DecodeError(f"HTILE word {word:#010x}: {field} = {code} is compressed in a way that is not public")
        return STATES[states].reshape(self._word.shape) if self._word.ndim else str(STATES[states[0]])

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, HtileWord):
            return NotImplemented
        return self.stencil == other.stencil and np.array_equal(self._word, other._word)

    def __hash__(self) -> int:
        return hash((self._word.tobytes(), self.stencil))

    def __repr__(self) -> str:
        if self._word.ndim:
            return f"<{self._word.size} HTILE words>"
        return f"<HTILE {int(self._word):#010x} {' '.join(f'{n}={v:#x}' for n, v in self.fields().items())}>"


def states_of(words: npt.NDArray[np.uint32], stencil: bool) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Depth and stencil state codes of words: indexes of `STATES`."""
    depth, stencil_codes = np.empty(words.shape, np.int64), np.empty(words.shape, np.int64)
    htile.states_of(words.reshape(-1), int(stencil), depth.reshape(-1), stencil_codes.reshape(-1))
    return depth, stencil_codes


def words_of(values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """uint32 array of integers; InputError when one is not a 32-bit word."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise InputError(f"expected 32-bit words, got {array.dtype}")
    if array.size and (int(array.min()) < 0 or int(array.max()) > 0xFFFFFFFF):
        raise InputError("expected 32-bit words: a value is outside 0..0xffffffff")
    return np.array(array, np.uint32, order="C")


def clear_word(depth: npt.ArrayLike, stencil: bool = False, vrs_encoding: int = 0) -> Any:
    """HTILE word that clears a tile.

    Parameters
    ----------
    depth : float or array
        Depth the word names, in [0, 1]. DB reads take the value from DB_DEPTH_CLEAR all the same.
    stencil : bool
        Depth and stencil layout; the stencil is cleared too.
    vrs_encoding : int
        DB_HTILE_SURFACE.VRS_HTILE_ENCODING: 2 leaves room for shading rates in SR1.

    Returns
    -------
    int or uint32 array
    """
    depths = np.array(depth, np.float32)
    if not ((depths >= 0) & (depths <= 1)).all():
        raise InputError("depth: a clear through HTILE needs a value in [0, 1]")
    out = np.empty(depths.shape, np.uint32)
    htile.clear_bits_of(depths.reshape(-1), int(bool(stencil)), _vrs(vrs_encoding), out.reshape(-1))
    return out if out.ndim else int(out)


def expanded_word(stencil: bool = False, vrs_encoding: int = 0) -> int:
    """HTILE word that says: memory holds the raw values (the initial word, and that of a decompressed tile)."""
    return int(htile.expanded_bits(int(bool(stencil)), _vrs(vrs_encoding)))


def plane_mask(depth: bool, stencil: bool, has_stencil: bool = True) -> int:
    """Bits of an HTILE word that a clear of the chosen aspects may change."""
    return int(htile.plane_mask(int(bool(depth)), int(bool(stencil)), int(bool(has_stencil))))


def _vrs(encoding: int) -> int:
    if encoding not in (0, 1, 2):
        raise DecodeError(f"DB_HTILE_SURFACE.VRS_HTILE_ENCODING = {encoding} is reserved")
    return int(encoding)
