"""XOR equations inside a surface block, from rules over pipes, packers, element size and samples."""

from functools import cache

from ..base.errors import UnsupportedError
from ..metadata.config import AddressConfig
from .surface_modes import SwizzleMode

Coordinate = tuple[str, int]                    # ("x", 3) is bit 3 of x; axes x, y, z and s (sample)
Equation = tuple[frozenset[Coordinate], ...]    # one set of coordinates per address bit, lowest bit first

# Inside 256 bytes, by log2 of bytes per element: the coordinates above the bytes of the element.
_MICRO = {
    "S": ("x0 x1 x2 x3 y0 y1 y2 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2", "x0 y0 y1 x1 x2", "y0 y1 x0 x1"),
    "D": ("x0 x1 x2 y1 y0 y2 x3 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2", "x0 y0 x1 x2 y1", "x0 y0 x1 y1"),
    "Z": ("x0 y0 x1 y1 x2 y2 x3 y3", "x0 y0 x1 y1 x2 y2 x3", "x0 y0 x1 y1 x2 y2", "x0 y0 x1 y1 x2", "x0 y0 x1 y1"),
}


def _coordinates(text: str) -> list[Coordinate]:
    return [(word[0], int(word[1:])) for word in text.split()]


def block_log2s(block_log2: int, element_log2: int, samples_log2: int = 0) -> tuple[int, int]:
    """log2 of width and height of a thin block, in elements."""
    bits = block_log2 - element_log2 - samples_log2
    wide = samples_log2 % 2 == 0 or block_log2 % 2 == 1
    width = (bits + int(wide)) // 2
    return width, bits - width


def _micro(config: AddressConfig, order: str, element_log2: int) -> list[Coordinate]:
    if order == "R":
        rows = _MICRO["D"]
        if element_log2 == 0 and config.rb_plus:
            rows = _MICRO["S"]
    else:
        rows = _MICRO[order]
    result = _coordinates(rows[element_log2])
    if order in "DR" and element_log2 == 2 and config.rb_plus:
        result[-2:] = [("x", 2), ("y", 2)]
    return result


def _pipe_terms(config: AddressConfig) -> list[set[Coordinate]]:
    """Pipe bits of Z_X and R_X, without slices."""
    if config.rb_plus:
        packers = max(config.packers, 1)
        top = packers + 4
        first = {("y", 4), ("x", top), ("y", top)}
        count = packers - 1
    else:
        first = {("x", 3), ("y", 3)}
        count = config.pipes - 2
    terms = [first, {("x", 4), ("y", 4)}]
    for index in range(max(count, 0)):
        low, high = 5 + index // 2, 4 + count - index // 2
        x, y = (high, low) if index % 2 == 0 else (low, high)
        terms.append({("x", x), ("y", y)})
    return terms


@cache
def equation(config: AddressConfig, mode: SwizzleMode, element_log2: int, samples_log2: int = 0) -> Equation:
    """Address bits of one element inside its block, lowest first; the bits below the element are empty sets."""
    if samples_log2 or mode.order not in "ZR" or mode.block_log2 != 16:
        raise UnsupportedError(f"SW_MODE {mode.name} with {1 << samples_log2} samples")
    width, height = block_log2s(16, element_log2)
    low = _micro(config, mode.order, element_log2)
    terms = _pipe_terms(config)
    if config.rb_plus:
        middle, rest = _rb_plus(config, terms, low, width, height, mode.order, element_log2)
    else:
        middle, rest = _plain(config, terms, low, width, height)
    single = [frozenset({coordinate}) for coordinate in low]
    return tuple([frozenset()] * element_log2 + single + [frozenset(term) for term in middle + rest])


def _plain(config, terms, low, width, height):
    if config.pipes != 4:
        raise UnsupportedError("GB_ADDR_CONFIG.NUM_PIPES", config.pipes)
    for index, term in enumerate(terms):
        term.add(("z", config.pipes - 1 - index))
    if ("y", 3) in low:
        low[low.index(("y", 3))] = ("y", 4)
    taken = set(low) | {("x", 5), ("y", 5)}
    rest = []
    axis = "y"
    while len(rest) < 16 - 8 - config.pipes:
        limit = height if axis == "y" else width
        for bit in range(limit):
            pair = {("x", bit), ("y", bit)}
            if (axis, bit) not in taken and not (bit in (3, 4) and taken & pair):
                rest.append({(axis, bit)})
                taken.add((axis, bit))
                break
        axis = "x" if axis == "y" else "y"
    return terms, rest


def _rb_plus(config, terms, low, width, height, order, element_log2):
    if (config.pipes, config.packers) not in ((4, 4), (2, 2)):
        raise UnsupportedError("GB_ADDR_CONFIG.NUM_PKRS", config.packers)
    inside = {("x", bit) for bit in range(width)} | {("y", bit) for bit in range(height)}
    redundant = {("y", 4), ("x", 4)}
    for term in terms[2:]:
        (_, x), (_, y) = sorted(term)
        redundant.add(("x", x) if x < y or y >= height else ("y", y))
    left = inside - set(low) - redundant
    told_apart = inside
    if order == "Z" and element_log2 < 3:
        told_apart = {("x", bit) for bit in range(5)} | {("y", bit) for bit in range(6)}
    rotating = [term for term in terms[1:] if term & told_apart]
    for term in terms[1:]:
        if not term & inside:
            lost = min(left, key=lambda c: (c[1], c[0] == "x"))
            term.add(lost)
            left.discard(lost)
    for place, term in enumerate(reversed(rotating)):
        term.add(("z", place))
    partners = []
    for axis, bit in sorted(left, key=lambda c: (c[1], c[0]), reverse=True):
        beyond = height if axis == "x" else width
        rank = sum((axis, 99) in p for p in partners)
        partners.append({(axis, bit), ("y" if axis == "x" else "x", beyond + rank), (axis, 99)})
    banked = len(left) - 2
    rest = [(partner if index < banked else {c for c in partner if c[1] < 99 and c in left}) - {("x", 99), ("y", 99)}
            for index, partner in enumerate(partners)]
    return terms[:-1], rest[::-1] + terms[-1:]
