"""Bit positions of V#, T# and S#, and the step from words to named fields and back."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from ..base.bits import Bits, Fields
from ..base.errors import DecodeError, InputError

PROFILES: Final = ("gfx1013", "gfx1010", "gfx1030", "gfx1035")
_GFX103: Final = frozenset({"gfx1030", "gfx1035"})
_ADDRESS_BITS: Final = 48


def _at(word: int, lsb: int, width: int, *, signed: bool = False) -> Bits:
    return Bits(32 * word + lsb, width, signed)


_DST_SEL = {f"DST_SEL_{name}": _at(3, 3 * place, 3) for place, name in enumerate("XYZW")}

_VSHARP: Final = {  # [DESC-VSHARP]
    "BASE_ADDRESS": _at(0, 0, 48), "STRIDE": _at(1, 16, 14), "CACHE_SWIZZLE": _at(1, 30, 1),
    "SWIZZLE_ENABLE": _at(1, 31, 1), "NUM_RECORDS": _at(2, 0, 32), **_DST_SEL, "FORMAT": _at(3, 12, 7),
    "INDEX_STRIDE": _at(3, 21, 2), "ADD_TID_ENABLE": _at(3, 23, 1), "RESOURCE_LEVEL": _at(3, 24, 1),
    "OOB_SELECT": _at(3, 28, 2), "TYPE": _at(3, 30, 2),
}
_TSHARP: Final = {  # [DESC-TSHARP]
    "BASE_ADDRESS": _at(0, 0, 40), "MIN_LOD": _at(1, 8, 12), "FORMAT": _at(1, 20, 9), "WIDTH": _at(1, 30, 14),
    "HEIGHT": _at(2, 14, 14), "RESOURCE_LEVEL": _at(2, 31, 1), **_DST_SEL, "BASE_LEVEL": _at(3, 12, 4),
    "LAST_LEVEL": _at(3, 16, 4), "SW_MODE": _at(3, 20, 5), "BC_SWIZZLE": _at(3, 25, 3), "TYPE": _at(3, 28, 4),
    "DEPTH": _at(4, 0, 13), "BASE_ARRAY": _at(4, 16, 13), "ARRAY_PITCH": _at(5, 0, 4), "MAX_MIP": _at(5, 4, 4),
    "MIN_LOD_WARN": _at(5, 8, 12), "PERF_MOD": _at(5, 20, 3), "CORNER_SAMPLES": _at(5, 23, 1),
    "LOD_HDW_CNT_EN": _at(5, 25, 1), "PRT_DEFAULT": _at(5, 26, 1), "COUNTER_BANK_ID": _at(6, 0, 8),
    "ITERATE_256": _at(6, 10, 1), "MAX_UNCOMPRESSED_BLOCK_SIZE": _at(6, 15, 2),
    "MAX_COMPRESSED_BLOCK_SIZE": _at(6, 17, 2), "META_PIPE_ALIGNED": _at(6, 19, 1),
    "WRITE_COMPRESS_ENABLE": _at(6, 20, 1), "COMPRESSION_EN": _at(6, 21, 1), "ALPHA_IS_ON_MSB": _at(6, 22, 1),
    "COLOR_TRANSFORM": _at(6, 23, 1), "META_DATA_ADDRESS": _at(6, 24, 40),
}
SSHARP: Final[Mapping[str, Bits]] = MappingProxyType({  # [DESC-SSHARP]
    "CLAMP_X": _at(0, 0, 3), "CLAMP_Y": _at(0, 3, 3), "CLAMP_Z": _at(0, 6, 3), "MAX_ANISO_RATIO": _at(0, 9, 3),
    "DEPTH_COMPARE_FUNC": _at(0, 12, 3), "FORCE_UNNORMALIZED": _at(0, 15, 1), "ANISO_THRESHOLD": _at(0, 16, 3),
    "MC_COORD_TRUNC": _at(0, 19, 1), "FORCE_DEGAMMA": _at(0, 20, 1), "ANISO_BIAS": _at(0, 21, 6),
    "TRUNC_COORD": _at(0, 27, 1), "DISABLE_CUBE_WRAP": _at(0, 28, 1), "FILTER_MODE": _at(0, 29, 2),
    "SKIP_DEGAMMA": _at(0, 31, 1), "MIN_LOD": _at(1, 0, 12), "MAX_LOD": _at(1, 12, 12), "PERF_MIP": _at(1, 24, 4),
    "PERF_Z": _at(1, 28, 4), "LOD_BIAS": _at(2, 0, 14, signed=True), "LOD_BIAS_SEC": _at(2, 14, 6, signed=True),
    "XY_MAG_FILTER": _at(2, 20, 2), "XY_MIN_FILTER": _at(2, 22, 2), "Z_FILTER": _at(2, 24, 2),
    "MIP_FILTER": _at(2, 26, 2), "MIP_POINT_PRECLAMP": _at(2, 28, 1), "ANISO_OVERRIDE": _at(2, 29, 1),
    "BLEND_PRT": _at(2, 30, 1), "DERIV_ADJUST_EN": _at(2, 31, 1), "BORDER_COLOR_PTR": _at(3, 0, 12),
    "BORDER_COLOR_TYPE": _at(3, 30, 2),
})
_VSHARP_103: Final = {"LLC_NOALLOC": _at(3, 26, 2)}
_TSHARP_103: Final = {"PITCH": _at(4, 0, 14), "BIG_PAGE": _at(5, 31, 1), "LLC_NOALLOC": _at(6, 8, 2)}

_TABLES: Final[Mapping[tuple[str, bool], Mapping[str, Bits]]] = MappingProxyType({
    ("V#", False): MappingProxyType(_VSHARP), ("V#", True): MappingProxyType(_VSHARP | _VSHARP_103),
    ("T#", False): MappingProxyType(_TSHARP), ("T#", True): MappingProxyType(_TSHARP | _TSHARP_103),
    ("S#", False): SSHARP, ("S#", True): SSHARP,
})
_WORDS: Final = {"V#": 4, "T#": 8, "S#": 4}
_RESERVED_DST_SEL: Final = (2, 3)
SEL_0, SEL_1, SEL_X = 0, 1, 4


def is_gfx103(profile: str) -> bool:
    """Whether a profile is of the gfx10.3 generation; InputError for an unknown one."""
    if profile not in PROFILES:
        raise InputError(f"no profile {profile!r}; profiles: {', '.join(PROFILES)}")
    return profile in _GFX103


def table_of(kind: str, profile: str) -> Mapping[str, Bits]:
    """Fields of ``"V#"``, ``"T#"`` or ``"S#"`` on a profile."""
    return _TABLES[kind, is_gfx103(profile)]


def decode_words(kind: str, words: Sequence[int] | npt.NDArray[np.integer], profile: str) -> Fields:
    """Named fields of a descriptor.

    Raises
    ------
    InputError
        Wrong number of words, or a word that is not 32 bits.
    DecodeError
        A reserved bit is set.
    """
    count = _WORDS[kind]
    values = [int(word) for word in words]
    if len(values) != count or not all(0 <= value <= 0xFFFFFFFF for value in values):
        raise InputError(f"a {kind} is {count} words of 32 bits, got {len(values)}: "
                         f"{' '.join(f'{value:#x}' for value in values)}")
    table = table_of(kind, profile)
    whole = sum(value << 32 * place for place, value in enumerate(values))
    known = 0
    for bits in table.values():
        known |= ((1 << bits.width) - 1) << bits.lsb
    unknown = whole & ~known
    if unknown:
        bit = (unknown & -unknown).bit_length() - 1
        raise DecodeError(f"{kind} word {bit // 32} = {values[bit // 32]:#010x}: reserved bit {bit % 32} is set "
                          f"({profile})")
    return Fields(whole, table)


def encode_fields(kind: str, profile: str, fields: Mapping[str, int]) -> npt.NDArray[np.uint32]:
    """Words of a descriptor with these fields, the others 0; InputError on a name or value that does not fit."""
    table, whole = table_of(kind, profile), 0
    for name, value in fields.items():
        if name not in table:
            raise InputError(f"{kind} has no field {name!r} on {profile}")
        try:
            whole = table[name].put(whole, int(value))
        except InputError as error:
            raise InputError(f"{kind}.{name}: {error}") from None
    return words_of(kind, whole)


def words_of(kind: str, whole: int) -> npt.NDArray[np.uint32]:
    """A descriptor seen as one number, as its words."""
    return np.array([whole >> 32 * place & 0xFFFFFFFF for place in range(_WORDS[kind])], np.uint32)


def check_dst_sel(kind: str, fields: Fields) -> tuple[int, int, int, int]:
    """The four DST_SELs; DecodeError on a reserved one."""
    chosen = tuple(fields[f"DST_SEL_{name}"] for name in "XYZW")
    for name, value in zip("XYZW", chosen, strict=True):
        if value in _RESERVED_DST_SEL:
            raise DecodeError(f"{kind}.DST_SEL_{name} = {value} is reserved")
    return chosen  # type: ignore[return-value]
