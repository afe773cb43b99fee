"""The one table of formats: unified image and buffer formats, and the colour formats that map onto them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, UnsupportedError
from . import number_types as n


@dataclass(frozen=True, slots=True)
class Component:
    """Where one component lies in an element.

    Attributes
    ----------
    word, lsb, width : int
        uint32 word of the element, lowest bit in it, bits.
    number_type : int
        A code of `refgpu.texture.number_types`.
    """

    word: int
    lsb: int
    width: int
    number_type: int


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes
    ----------
    number : int
        Unified format number; for a colour format its row in `COLOR_TABLE`.
    name : str
        As the hardware spells it: sizes from the high bits down.
    bits : int
        Bits of one element (of one block for block formats).
    components : tuple of (Component or None)
        X, Y, Z, W (colour formats: red, green, blue, alpha); None where the format has none.
    flags : int
        FLAG_* of `refgpu.texture.number_types`.
    """

    number: int
    name: str
    bits: int
    components: tuple[Component | None, ...]
    flags: int

    @property
    def row(self) -> int:
        """Row in FORMAT_TABLE (or COLOR_TABLE)."""
        return self.number

    @property
    def words(self) -> int:
        """uint32 words of one element; 8- and 16-bit elements take one."""
        return max(1, self.bits // 32)

    @property
    def mask(self) -> int:
        """Bit c: component c is stored."""
        return sum(1 << c for c, component in enumerate(self.components) if component is not None)

    @property
    def integer(self) -> bool:
        """Whether registers hold integers."""
        return bool(self.flags & n.FLAG_INTEGER)

    @property
    def dtype(self) -> type[np.generic]:
        """float32, or uint32 or int32 for integer formats."""
        if not self.integer:
            return np.float32
        return np.int32 if self.flags & n.FLAG_SIGNED else np.uint32

    @property
    def block(self) -> bool:
        """Whether an element is a compressed 4x4 block."""
        return bool(self.flags & n.FLAG_BLOCK)

    def as_row(self) -> npt.NDArray[np.int64]:
        """The row that kernels read."""
        row = np.zeros(n.ROW, np.int64)
        row[n.BITS], row[n.FLAGS], row[n.MASK] = self.bits, self.flags, self.mask
        for c, component in enumerate(self.components):
            if component is not None:
                start = n.COMPONENT + 4 * c
                row[start:start + 4] = component.word, component.lsb, component.width, component.number_type
        return row


# Sizes of the data formats, low bits first: the names list them from the high bits down [FMT-NAME-ORDER]
_SIZES: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType({
    name: tuple(int(size) for size in reversed(name.split("_")))
    for name in ("8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8",
                 "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "5_6_5", "1_5_5_5", "5_5_5_1", "4_4_4_4", "4_4")
})
_NORM = ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT")
_WITH_FLOAT = (*_NORM, "FLOAT")
_WIDE = ("UINT", "SINT", "FLOAT")
_RUNS: Final = (  # first number, data format, its number types in order
    (1, "8", _NORM), (7, "16", _WITH_FLOAT), (14, "8_8", _NORM), (20, "32", _WIDE), (23, "16_16", _WITH_FLOAT),
    (30, "10_11_11", _WITH_FLOAT), (37, "11_11_10", _WITH_FLOAT), (44, "10_10_10_2", _NORM),
    (50, "2_10_10_10", _NORM), (56, "8_8_8_8", _NORM), (62, "32_32", _WIDE), (65, "16_16_16_16", _WITH_FLOAT),
    (72, "32_32_32", _WIDE), (75, "32_32_32_32", _WIDE), (128, "8", ("SRGB",)), (129, "8_8", ("SRGB",)),
    (130, "8_8_8_8", ("SRGB",)), (133, "5_6_5", ("UNORM",)), (134, "1_5_5_5", ("UNORM",)),
    (135, "5_5_5_1", ("UNORM",)), (136, "4_4_4_4", ("UNORM",)), (137, "4_4", ("UNORM",)),
)
_BLOCKS: Final = (
    (169, "BC1", 64, ("UNORM", "SRGB")), (171, "BC2", 128, ("UNORM", "SRGB")), (173, "BC3", 128, ("UNORM", "SRGB")),
    (175, "BC4", 64, ("UNORM", "SNORM")), (177, "BC5", 128, ("UNORM", "SNORM")),
    (179, "BC6", 128, ("UFLOAT", "SFLOAT")), (181, "BC7", 128, ("UNORM", "SRGB")),
)
# Codes that exist and that refgpu does not decode: their packing or arithmetic is not documented where we looked
_UNDECODED: Final[Mapping[int, str]] = MappingProxyType({
    131: "6E4_FLOAT", 138: "1_UNORM", 139: "1_REVERSED_UNORM", 285: "7E3_FLOAT",
    **dict(zip(range(147, 155), (f"{kind}_{type_}" for kind in ("GB_GR", "BG_RG")
                                 for type_ in ("UNORM", "SNORM", "UINT", "SRGB")), strict=True)),
    **dict(zip(range(156, 169), (f"FMASK{name}" for name in (
        "8_S2_F1", "8_S4_F1", "8_S8_F1", "8_S2_F2", "8_S4_F2", "8_S4_F4", "16_S16_F1", "16_S8_F2", "32_S16_F2",
        "32_S8_F4", "32_S8_F8", "64_S16_F4", "64_S16_F8")), strict=True)),
    **dict(zip(range(265, 285), (f"MM_{name}_{type_}" for name in (
        "8", "8_8", "8_8_8_8", "VYUY8", "10_11_11", "2_10_10_10", "16_16_16_16", "10_IN_16", "10_IN_16_16",
        "10_IN_16_16_16_16") for type_ in ("UNORM", "UINT")), strict=True)),
    **dict(zip(range(286, 293), (f"YCBCR_{type_}" for type_ in (*_NORM, "SRGB")), strict=True)),
})


def _type_flags(number_type: int) -> int:
    if number_type == n.UINT:
        return n.FLAG_INTEGER
    return n.FLAG_INTEGER | n.FLAG_SIGNED if number_type == n.SINT else 0


def _packed(number: int, name: str, sizes: tuple[int, ...], number_type: int) -> Format:
    components: list[Component | None] = [None] * 4
    bit = 0
    for c, width in enumerate(sizes):
        linear_alpha = number_type == n.SRGB and c == 3
        components[c] = Component(bit // 32, bit % 32, width, n.UNORM if linear_alpha else number_type)
        bit += width
    return Format(number, name, bit, tuple(components), _type_flags(number_type))


def _formats() -> Iterator[Format]:
    """All formats that refgpu decodes; [FMT-DEPTH-STENCIL] for those that hold both planes."""
    for first, data, types in _RUNS:
        for number, type_ in enumerate(types, first):
            yield _packed(number, f"{data}_{type_}", _SIZES[data], n.CODES[type_])
    shared = [Component(0, 9 * c, 9, n.SHARED_EXPONENT) for c in range(3)]
    yield Format(132, "5_9_9_9_FLOAT", 32, (*shared, None), n.FLAG_SHARED)
    yield Format(140, "32_FLOAT_CLAMP", 32, (Component(0, 0, 32, n.FLOAT_CLAMP), None, None, None), 0)
    depth, stencil = Component(0, 0, 24, n.UNORM), Component(0, 24, 8, n.UINT)
    raw = Component(0, 0, 24, n.UINT)
    yield Format(141, "8_24_UNORM", 32, (depth, stencil, None, None), 0)
    yield Format(142, "8_24_UINT", 32, (raw, stencil, None, None), n.FLAG_INTEGER)
    depth, stencil, raw = (Component(0, lsb, item.width, item.number_type)
                           for item, lsb in ((depth, 8), (stencil, 0), (raw, 8)))
    yield Format(143, "24_8_UNORM", 32, (stencil, depth, None, None), 0)
    yield Format(144, "24_8_UINT", 32, (stencil, raw, None, None), n.FLAG_INTEGER)
    stencil = Component(1, 0, 8, n.UINT)
    yield Format(145, "X24_8_32_UINT", 64, (Component(0, 0, 32, n.UINT), stencil, None, None), n.FLAG_INTEGER)
    yield Format(146, "X24_8_32_FLOAT", 64, (Component(0, 0, 32, n.FLOAT), stencil, None, None), 0)
    for first, data, bits, block_types in _BLOCKS:
        for number, type_ in enumerate(block_types, first):
            yield Format(number, f"{data}_{type_}", bits, (None,) * 4, n.FLAG_BLOCK)


FORMATS: Final[Mapping[int, Format]] = MappingProxyType({format_.number: format_ for format_ in _formats()})
_BY_NAME: Final[Mapping[str, Format]] = MappingProxyType({format_.name: format_ for format_ in FORMATS.values()})
LAST_FORMAT: Final = 292
LAST_BUFFER_FORMAT: Final = 77

_COLOR_DATA: Final[Mapping[int, str]] = MappingProxyType({  # CB_COLORn_INFO.FORMAT
    1: "8", 2: "16", 3: "8_8", 4: "32", 5: "16_16", 6: "10_11_11", 7: "11_11_10", 8: "10_10_10_2", 9: "2_10_10_10",
    10: "8_8_8_8", 11: "32_32", 12: "16_16_16_16", 14: "32_32_32_32", 16: "5_6_5", 17: "1_5_5_5", 18: "5_5_5_1",
    19: "4_4_4_4", 20: "8_24", 21: "24_8", 22: "X24_8_32", 24: "5_9_9_9",
})
_COLOR_TYPES: Final = ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SRGB", "FLOAT")
# Channel (0 red .. 3 alpha) of each stored component, lowest first, by COMP_SWAP [FMT-COMP-SWAP]
_SWAPS: Final[Mapping[int, tuple[tuple[int, ...], ...]]] = MappingProxyType({
    1: ((0,), (1,), (2,), (3,)),
    2: ((0, 1), (0, 3), (1, 0), (3, 0)),
    3: ((0, 1, 2), (0, 1, 3), (2, 1, 0), (3, 1, 0)),
    4: ((0, 1, 2, 3), (2, 1, 0, 3), (3, 2, 1, 0), (3, 0, 1, 2)),
})


def format_of(format_: int | str) -> Format:
    """Look up a unified format.

    Parameters
    ----------
    format_ : int or str
        Its number, or its name as the tables spell it (an ``IMG_FMT_`` or ``BUF_FMT_`` prefix may stand before it).

    Raises
    ------
    DecodeError
        No such format.
    UnsupportedError
        The format exists, refgpu does not decode it.
    """
    if isinstance(format_, str):
        name = format_.upper().removeprefix("IMG_FMT_").removeprefix("BUF_FMT_")
        if name in _BY_NAME:
            return _BY_NAME[name]
        if name in _UNDECODED.values():
            raise UnsupportedError("FORMAT", name)
        raise DecodeError(f"no format is named {format_!r}")
    number = int(format_)
    if number in FORMATS:
        return FORMATS[number]
    if number in _UNDECODED:
        raise UnsupportedError("FORMAT", f"{number} ({_UNDECODED[number]})")
    raise DecodeError(f"FORMAT = {number} is reserved")


def buffer_format(number: int) -> Format:
    """Format of a V#: 1 to 77; DecodeError otherwise."""
    if not 1 <= int(number) <= LAST_BUFFER_FORMAT:
        raise DecodeError(f"V# FORMAT = {number} is reserved")
    return FORMATS[int(number)]


def color_row(format_: int, number_type: int, swap: int) -> int:
    """Row of COLOR_TABLE for CB_COLORn_INFO's FORMAT, NUMBER_TYPE and COMP_SWAP."""
    return int(format_) | int(number_type) << 5 | int(swap) << 8


def color_format(format_: int, number_type: int, swap: int) -> Format:
    """Colour format with its components in red, green, blue, alpha order.

    Parameters
    ----------
    format_, number_type, swap : int
        CB_COLORn_INFO FORMAT (0 to 31), NUMBER_TYPE (0 to 7) and COMP_SWAP (0 to 3).

    Raises
    ------
    DecodeError
        A combination with no meaning.
    """
    if not (0 <= format_ < 32 and 0 <= number_type < 8 and 0 <= swap < 4):
        raise DecodeError(f"CB_COLORn_INFO: FORMAT = {format_}, NUMBER_TYPE = {number_type}, COMP_SWAP = {swap}")
    if format_ == 31:
        raise UnsupportedError("CB_COLORn_INFO.FORMAT", "31 (2_10_10_10_6E4)")
    data = _COLOR_DATA.get(format_)
    if data is None:
        raise DecodeError(f"CB_COLORn_INFO.FORMAT = {format_} is reserved")
    plain = _BY_NAME.get(f"{data}_{_COLOR_TYPES[number_type]}")
    if plain is None:
        raise DecodeError(f"CB_COLORn_INFO.NUMBER_TYPE = {number_type} ({_COLOR_TYPES[number_type]}) "
                          f"has no meaning with FORMAT = {format_} ({data})")
    stored = [component for component in plain.components if component is not None]
    components: list[Component | None] = [None] * 4
    for component, channel in zip(stored, _SWAPS[len(stored)][swap], strict=True):
        type_ = component.number_type
        if type_ in (n.SRGB, n.UNORM) and plain.components[0].number_type == n.SRGB:  # type: ignore[union-attr]
            type_ = n.UNORM if channel == 3 else n.SRGB
        components[channel] = Component(component.word, component.lsb, component.width, type_)
    return Format(color_row(format_, number_type, swap), plain.name, plain.bits, tuple(components), plain.flags)


def _color_formats() -> Iterator[Format]:
    for format_ in _COLOR_DATA:
        for number_type in range(8):
            for swap in range(4):
                try:
                    yield color_format(format_, number_type, swap)
                except DecodeError:
                    continue


def _table(formats: Iterator[Format], rows: int) -> npt.NDArray[np.int64]:
    table = np.zeros((rows, n.ROW), np.int64)
    for format_ in formats:
        table[format_.row] = format_.as_row()
    return table


FORMAT_TABLE: Final[npt.NDArray[Any]] = _table(iter(FORMATS.values()), LAST_FORMAT + 1)
COLOR_TABLE: Final[npt.NDArray[Any]] = _table(_color_formats(), 1 << 10)
