"""XOR equations inside a surface block: which coordinates make each address bit.  [SURF-EQUATIONS]

Every address bit is an XOR of a few bits of x, y, z (slice) and s (sample). Standard and display orders follow from one
walk over the block for any number of pipes; the orders that follow the render backends (R, Z, and D in 3D) come from
`surface_backend`.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from ..metadata.config import AddressConfig
from .surface_backend import backend_equation
from .surface_modes import SwizzleMode

Coordinate = tuple[str, int]                    # ("x", 3) is bit 3 of x; axes x, y, z and s
Equation = tuple[frozenset[Coordinate], ...]    # one set of coordinates per address bit, lowest bit first

MICRO_LOG2 = 8
# Inside 256 bytes, by log2 of the bytes per element, above the bits inside the element. 3D blocks are thick.
_MICRO = {
    "S": ("x0 x1 x2 x3 y0 y1 y2 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2", "x0 y0 y1 x1 x2", "y0 y1 x0 x1"),
    "D": ("x0 x1 x2 y1 y0 y2 x3 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2", "x0 y0 x1 x2 y1", "x0 y0 x1 y1"),
    "thick S": ("x0 x1 z0 y0 z1 y1 x2 z2", "x0 z0 y0 z1 y1 x1 z2", "x0 y0 z0 y1 x1 z1", "x0 z0 y0 x1 z1",
                "z0 y0 x0 z1"),
    "thick D": ("x0 x1 z0 y0 y1 z1 x2 z2", "x0 z0 y0 x1 z1 y1 z2", "x0 y0 x1 z0 y1 z1", "x0 y0 z0 x1 z1",
                "x0 z0 y0 z1"),
}
_RB_PLUS_MICRO = {("D", 2): "x0 x1 y0 y1 x2 y2", ("R", 0): _MICRO["S"][0]}


def parse(text: str) -> list[frozenset[Coordinate]]:
    """Terms such as ``"x3^y3 z0"`` as sets."""
    return [frozenset((name[0], int(name[1:])) for name in term.split("^")) for term in text.split()]


def block_log2s(block_log2: int, element_log2: int, samples_log2: int, thick: bool) -> tuple[int, int, int]:
    """log2 of width, height and depth of a block, in elements.  [SURF-BLOCK-SIZE]"""
    if thick:
        width, height, depth = ((4, 3, 3), (3, 3, 3), (3, 3, 2), (3, 2, 2), (2, 2, 2))[element_log2]  # of 1 KiB
        times, left = divmod(block_log2 - 10, 3)
        return width + times, height + times + (left == 2), depth + times + (left > 0)
    bits = block_log2 - element_log2 - samples_log2
    wide = samples_log2 % 2 == 0 or block_log2 % 2 == 1
    width = (bits + wide) // 2
    return width, bits - width, 0


def _micro(config: AddressConfig, order: str, element_log2: int, samples_log2: int) -> list[frozenset[Coordinate]]:
    """Address bits of the 256 bytes."""
    if order == "Z":
        count = MICRO_LOG2 - element_log2
        samples = [frozenset({("s", bit)}) for bit in range(samples_log2)]
        return (samples + [frozenset({("xy"[bit % 2], bit // 2)}) for bit in range(count)])[:count]
    text = _MICRO["D" if order == "R" else order][element_log2]
    if config.rb_plus:
        text = _RB_PLUS_MICRO.get(("D" if order == "R" and element_log2 else order, element_log2), text)
    return parse(text)


def _spread(config: AddressConfig, mode: SwizzleMode, block_log2: int,
            micro: list[frozenset[Coordinate]]) -> list[frozenset[Coordinate]]:
    """Address bits above 256 bytes of S and D: the axes take turns, and each pipe bit is XORed with what follows.

    The last pipe bit takes the coordinates right above the pipes, the one before it the next, and so on: one coordinate
    and a slice bit in 2D, two coordinates in thick blocks. On RB+ slices rotate as many pipes as there are packers.
    """
    thick = any(axis == "z" for term in micro for axis, _ in term)
    axes = "yxz" if thick else "yx"
    pipes = min(config.pipes, block_log2 - MICRO_LOG2) if mode.pipes else 0
    used = {axis: sum((axis, bit) in term for term in micro for bit in range(8)) for axis in axes}
    walk = []
    for place in range(max(3 * pipes, block_log2 - MICRO_LOG2)):
        axis = axes[place % len(axes)]
        walk.append((axis, used[axis] + place // len(axes)))
    terms = [{coordinate} for coordinate in walk[:block_log2 - MICRO_LOG2]]
    rotating = min(config.pipes, max(config.packers, 1)) if config.rb_plus else config.pipes
    still = config.pipes - rotating
    for pipe in range(pipes):
        behind = pipes - 1 - pipe
        if thick:
            terms[pipe].update(walk[pipes + 2 * behind:pipes + 2 * behind + 2])
        else:
            terms[pipe].add(walk[pipes + behind])
            if pipe >= still:
                terms[pipe].add(("z", min(rotating, pipes) - 1 - (pipe - still)))
    if mode.pipes == "T":
        inside = set(walk[:block_log2 - MICRO_LOG2])
        terms = [term & inside for term in terms]
    return [frozenset(term) for term in terms]


@cache
def equation(config: AddressConfig, mode: SwizzleMode, block_log2: int, element_log2: int, samples_log2: int,
             thick: bool) -> Equation:
    """Address bits of an element inside its block, lowest first; bits inside the element are empty sets.

    Raises UnsupportedError for R, Z and 3D D orders on other pipe and packer counts than the profiles have.
    """
    order = f"thick {mode.order}" if thick else mode.order
    micro = _micro(config, order, element_log2, samples_log2)
    low: list[frozenset[Coordinate]] = [frozenset()] * element_log2
    if mode.order in "RZ" or order == "thick D":
        low_term, rest = backend_equation(config, mode.order, block_log2, element_log2, samples_log2, thick)
        return tuple(low + micro[:-1] + [low_term or micro[-1]] + rest)
    return tuple(low + micro + _spread(config, mode, block_log2, micro))


def columns(rule: Equation, axis: str) -> list[int]:
    """What each bit of a coordinate adds to the address."""
    return [sum(1 << index for index, terms in enumerate(rule) if (axis, bit) in terms) for bit in range(16)]


def xor_sums(added: list[int], values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """XOR of what the bits of each value add: one axis' part of the address."""
    result = np.zeros(values.shape, np.int64)
    for bit, column in enumerate(added):
        if column:
            result ^= -(values >> bit & 1) & column
    return result
