"""XOR equations inside a metablock, built from one rule per chip family instead of tables of rows.

Metadata follows the pipes of the surface it describes: address bits 8 and up are the pipe bits, each an XOR of a few
coordinate bits, and every pipe bit makes one of its coordinates redundant. The others fill the bits below 8, then
those above the pipes, smallest coordinate first. Slices rotate the pipes, as far as the 64 KiB block of the surface
tells the pipes apart; where it does not, the lowest coordinate bits of a colour surface step in.
All four kinds of metadata come from this one walk. [META-EQUATIONS]

The rule was read off the tables that the public addrlib gives for 1 to 64 pipes and 1 to 32 packers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache

from .config import PIPE_INTERLEAVE_LOG2, AddressConfig

Coordinate = tuple[str, int]  # ("x", 3) is bit 3 of x
Equation = tuple[frozenset[Coordinate], ...]  # one set of coordinates per address bit, lowest bit first

_DATA_BLOCK_LOG2 = 16  # 64KB_Z_X and 64KB_R_X
_CACHE_LINE_KEYS_LOG2 = 6  # 64 keys lie together before a displaced coordinate comes in


class Kind(Enum):
    """What one element of the metadata describes."""

    HTILE = "htile"
    CMASK = "cmask"
    DCC = "dcc"


@dataclass(frozen=True)
class PipeBit:
    """One XOR bit: its terms, the coordinate it makes redundant, and whether slices may rotate it."""

    terms: tuple[Coordinate, ...]
    redundant: Coordinate
    rotates: bool

    def told_apart_by(self, width_log2: int, height_log2: int) -> bool:
        """Whether the coordinate pair has a bit inside a block of this size."""
        return any(bit < (width_log2 if axis == "x" else height_log2) for axis, bit in self.terms)


def data_block(element_log2: int, samples_log2: int) -> tuple[int, int]:
    """log2 of width and height of a 64 KiB block of a Z_X or R_X surface."""
    bits = _DATA_BLOCK_LOG2 - element_log2 - samples_log2
    width = (bits + (samples_log2 % 2 == 0)) // 2
    return width, bits - width


def _pairs(count: int, rb_plus: bool) -> list[PipeBit]:
    """Pipe bits past the second: bits 5 and up of x against the same of y, highest with lowest."""
    result = []
    for index in range(count):
        low, high = 5 + index // 2, 4 + count - index // 2
        x, y = (high, low) if index % 2 == 0 else (low, high)
        tie = ("y", y) if rb_plus else ("x", x)
        redundant = tie if x == y else ("x", x) if x < y else ("y", y)
        result.append(PipeBit((("x", x), ("y", y)), redundant, True))
    return result


_FIRST = PipeBit((("x", 3), ("y", 3)), ("y", 3), True)
_SECOND = PipeBit((("x", 4), ("y", 4)), ("x", 4), True)
# RB+ with four times as many pipes as packers: the last pipe bit of depth and FMASK, by log2 of the packers
_DEPTH_EXTRA = {1: (5, 5), 2: (5, 6), 3: (6, 6), 4: (6, 8)}


def _extra(config: AddressConfig, kind: Kind, packers: int, width: int, height: int, element_log2: int) -> PipeBit:
    """The pipe bit that RB+ adds where pipes = 4 * packers."""
    if kind is Kind.DCC:
        x = 5 if packers < 3 else 6
        needed_by_pair = packers == 4 and x >= height
        if x >= width or needed_by_pair:
            x = 3
        return PipeBit((("x", x), ("x", packers + 5), ("y", packers + 5)), ("x", x), False)
    x, y = _DEPTH_EXTRA[packers]
    if kind is Kind.CMASK and element_log2 == 3 and packers == 4:
        return PipeBit((("x", 3), ("y", 8)), ("y", 8), False)
    return PipeBit((("x", x), ("y", y)), ("x", x), False)


def _pipe_bits(config: AddressConfig, kind: Kind, width: int, height: int, element_log2: int) -> list[PipeBit]:
    """All XOR bits of a metablock; RB+ with as many packers as pipes has one more than there are pipes."""
    if not config.rb_plus:
        return [_FIRST, _SECOND, *_pairs(max(config.pipes - 2, 0), False)][:config.pipes]
    packers = max(config.packers, 1)
    if config.pipes < 2:
        return [_SECOND][:config.pipes]
    top = packers + 4
    bits = [PipeBit((("y", 4), ("x", top), ("y", top)), ("y", 4), False), _SECOND, *_pairs(packers - 1, True)]
    if config.pipes == packers + 2:
        bits.append(_extra(config, kind, packers, width, height, element_log2))
    return bits


def _natural_order(coordinate: Coordinate) -> tuple[float, str]:
    axis, bit = coordinate
    return bit, axis


def _pipe_side_order(coordinate: Coordinate) -> tuple[float, str]:
    """Without RB+, y4 takes the place of y3, which the first pipe bit makes redundant."""
    return (3, "y") if coordinate == ("y", 4) else _natural_order(coordinate)


def _in_block(x: range, y: range) -> set[Coordinate]:
    return {("x", bit) for bit in x} | {("y", bit) for bit in y}


def _pad(element_bits: int) -> list[frozenset[Coordinate]]:
    return [frozenset()] * element_bits


def _single(coordinates: Iterable[Coordinate]) -> list[frozenset[Coordinate]]:
    return [frozenset((coordinate,)) for coordinate in coordinates]


@cache
def pipe_aligned(config: AddressConfig, kind: Kind, block_width_log2: int, block_height_log2: int,
                 element_log2: int, samples_log2: int = 0) -> Equation:
    """Equation of a pipe-aligned metablock.

    Parameters
    ----------
    block_width_log2, block_height_log2 : int
        log2 of the metablock in pixels.
    element_log2, samples_log2 : int
        log2 of bytes per element and of the samples of the surface: HTILE counts as 4 bytes, CMASK as its FMASK.
        They set how many slices rotate the pipes.

    Returns
    -------
    tuple of frozenset
        Address bits of an element, lowest first: words of HTILE have two zero bits, CMASK bit 0 is the nibble.
    """
    if config.rb_plus and kind is not Kind.DCC and element_log2 < 3:
        element_log2, samples_log2 = 2, 3  # RB+ lets only the slices rotate that 8 samples would
    width, height = data_block(element_log2, samples_log2)
    bits = _pipe_bits(config, kind, width, height, element_log2)
    pipes = config.pipes
    lost = [index for index, bit in enumerate(bits) if bit.rotates and not bit.told_apart_by(width, height)]
    rotating = [index for index, bit in enumerate(bits) if bit.rotates and index not in lost]
    terms = [set(bit.terms) for bit in bits]
    for place, index in enumerate(reversed(rotating)):
        if index < pipes:
            terms[index].add(("z", place))
    displaced = list(zip((("y", 2), ("x", 2)), lost, strict=False)) if kind is Kind.DCC else []
    for coordinate, index in displaced:
        if index < pipes:
            terms[index].add(coordinate)

    micro_x, micro_y = element_pixels(kind, element_log2)
    left = _in_block(range(micro_x, block_width_log2), range(micro_y, block_height_log2))
    left -= {bit.redundant for bit in bits}
    if not config.rb_plus and pipes and kind is Kind.DCC and element_log2 == 0:
        left.discard(("y", 4))  # an 8 bpp R_X block of 256 bytes holds y4 in place of y3
    order = _natural_order if config.rb_plus or not pipes else _pipe_side_order
    rest = sorted(left, key=order)
    if displaced:
        moved = sorted(coordinate for coordinate, _ in displaced)
        rest = [coordinate for coordinate in rest if coordinate not in moved]
        rest[_CACHE_LINE_KEYS_LOG2:_CACHE_LINE_KEYS_LOG2] = moved

    element_bits = 2 if kind is Kind.HTILE else 0
    low = PIPE_INTERLEAVE_LOG2 - element_bits + (kind is Kind.CMASK)
    middle = [frozenset(term) for term in terms]
    tail: list[frozenset[Coordinate]] = []
    if kind is Kind.HTILE:
        middle, tail = middle[:pipes], middle[pipes:]
    return tuple(_pad(element_bits) + _single(rest[:low]) + middle + _single(rest[low:]) + tail)


@cache
def not_pipe_aligned(config: AddressConfig, block_width_log2: int, block_height_log2: int,
                     element_log2: int) -> Equation:
    """Equation of a DCC metablock that ignores the pipes: x and y take turns."""
    micro_x, micro_y = element_pixels(Kind.DCC, element_log2)
    rest = sorted(_in_block(range(micro_x, block_width_log2), range(micro_y, block_height_log2)), key=_natural_order)
    equation = _single(rest)
    if not config.rb_plus and element_log2 < 2 and config.pipes:
        if element_log2 == 0:  # the 256 bytes are not a rectangle: the pipe bits say which of them it is
            equation = [frozenset({("x", 3), ("y", 3)}), *_single(c for c in rest if c != ("y", 4))]
            if config.pipes > 1:
                equation[1] = frozenset({("x", 4), ("y", 4)})
        else:
            equation[0] = frozenset({("x", 3), ("y", 3)})
    return tuple(equation)


def element_pixels(kind: Kind, element_log2: int) -> tuple[int, int]:
    """log2 of width and height in pixels of what one element describes."""
    if kind is not Kind.DCC:
        return 3, 3
    bits = 8 - element_log2
    return (bits + 1) // 2, bits // 2
