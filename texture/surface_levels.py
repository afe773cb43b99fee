"""Blocks and mip chains: sizes and places of the levels of a surface.  [SURF-LEVELS]"""

from dataclasses import dataclass

from ..base.errors import InputError
from ..metadata.config import AddressConfig
from .surface_modes import VARIABLE, SwizzleMode

LINEAR_ALIGN = 256
MICRO_LOG2 = 8
_KILOBYTE_LOG2 = 10
_VARIABLE_LOG2 = 14                        # plus log2 of the pipes
_THICK_KILOBYTE = ((4, 3, 3), (3, 3, 3), (3, 3, 2), (3, 2, 2), (2, 2, 2))   # log2 by element size
_THICK_MICRO = ((3, 2, 3), (2, 2, 3), (2, 2, 2), (2, 1, 2), (1, 1, 2))      # 256 bytes


@dataclass(frozen=True)
class Block:
    """log2 of a block's bytes and of its size in elements."""

    log2: int
    width: int
    height: int
    depth: int


@dataclass(frozen=True)
class Level:
    """One mip level.

    Attributes
    ----------
    width, height, depth : int
        Texels that exist (depth 1 but for 3D).
    pitch, rows : int
        Elements per row and rows of the layout, with padding.
    offset : int
        Bytes from the start of a slice's chain, as descriptors count.
    block_offset : int
        Bytes to the level's first block, as addressing counts.
    in_tail : bool
    tail_offset, tail_x, tail_y : int
        Place in the mip tail's block: bytes, and the elements that are added to coordinates.
    """

    width: int
    height: int
    depth: int
    pitch: int
    rows: int
    offset: int
    block_offset: int
    in_tail: bool = False
    tail_offset: int = 0
    tail_x: int = 0
    tail_y: int = 0


def align(value: int, unit: int) -> int:
    """`value` rounded up to a multiple of `unit`."""
    return -(-value // unit) * unit


def block_log2_of(config: AddressConfig, mode: SwizzleMode) -> int:
    """log2 of the bytes of a block."""
    return _VARIABLE_LOG2 + config.pipes if mode.block_log2 == VARIABLE else mode.block_log2


def block_of(block_log2: int, element_log2: int, samples_log2: int, thick: bool) -> Block:
    """Size of a block in elements."""
    if thick:
        width, height, depth = _THICK_KILOBYTE[element_log2]
        each, rest = divmod(block_log2 - _KILOBYTE_LOG2, 3)
        return Block(block_log2, width + each, height + each + (rest == 2), depth + each + (rest > 0))
    bits = block_log2 - element_log2 - samples_log2
    wide = samples_log2 % 2 == 0 or block_log2 % 2 == 1
    width = (bits + wide) // 2
    return Block(block_log2, width, bits - width, 0)


def micro_block(element_log2: int, thick: bool) -> tuple[int, int, int]:
    """log2 of width, height and depth of 256 bytes."""
    if thick:
        return _THICK_MICRO[element_log2]
    bits = MICRO_LOG2 - element_log2
    return (bits + 1) // 2, bits // 2, 0


def _tail_capacity(block: Block, thick: bool) -> int:
    bits = block.log2 - (block.log2 - MICRO_LOG2) // 3 if thick else block.log2
    return 1 + (1 << (bits - 9)) if bits <= 11 else bits - 4


def _tail_size(block: Block, thick: bool) -> tuple[int, int, int]:
    """log2 of the largest level that a tail takes: a block with one axis halved."""
    halved = block.log2 % 3 if thick else 1     # 0 height, 1 width, 2 depth
    return block.width - (halved == 1), block.height - (halved == 0), block.depth - (halved == 2)


def _tail_place(slot: int, capacity: int, block: Block, element_log2: int, thick: bool) -> tuple[int, int, int]:
    """Byte offset and coordinate bias of the level in a tail's slot."""
    k = capacity - 1 - slot
    offset = 16 << k if k > 6 else 256 * k
    gx = gy = 0
    for place, bit in enumerate(range(MICRO_LOG2, block.log2)):
        value = (offset >> bit & 1) << (place // 2)
        if place % 2 == 0:
            gy |= value
        else:
            gx |= value
    if block.log2 % 2:
        gx, gy = gy, gx
        if element_log2 % 2:
            gx, gy = gx >> 1, gy << 1 | gx & 1
    width, height, _ = micro_block(element_log2, thick)
    return offset, gx << width, gy << height


def level_sizes(size: tuple[int, int, int], mips: int, up: bool) -> list[tuple[int, int, int]]:
    """Width, height and depth of each level, halved with rounding up (layout) or down (texels that exist)."""
    result = []
    for mip in range(mips):
        add = (1 << mip) - 1 if up else 0
        width, height, depth = (max(1, (value + add) >> mip) for value in size)
        result.append((width, height, depth))
    return result


def linear_levels(size: tuple[int, int, int], mips: int, element_log2: int) -> tuple[list[Level], int]:
    """Levels of a linear surface, smallest first in memory, and the bytes of one slice's chain."""
    levels: list[Level] = []
    offset = 0
    unit = LINEAR_ALIGN >> element_log2
    real = level_sizes(size, mips, False)
    laid = level_sizes(size, mips, True)
    for mip in reversed(range(mips)):
        pitch, rows = align(laid[mip][0], unit), laid[mip][1]
        levels.append(Level(*real[mip], pitch, rows, offset, offset))
        offset += pitch * rows << element_log2
    return levels[::-1], offset


def _tail_test_size(tail: tuple[int, int, int], mode: SwizzleMode, element_log2: int, config: AddressConfig,
                    thick: bool) -> tuple[int, int]:
    """Largest width and height that enter the tail: less for depth of 8 and 16 bpp.  [SURF-DEPTH-TAIL]"""
    width, height, _ = tail
    if mode.order == "Z" and config.depth_tail_fits_htile and not thick:
        if element_log2 == 0:
            width, height = width - 1, height - 1
        elif element_log2 == 1:
            width -= 1
    return 1 << width, 1 << height


def block_levels(size: tuple[int, int, int], mips: int, mode: SwizzleMode, block: Block, element_log2: int,
                 samples_log2: int, config: AddressConfig, thick: bool) -> tuple[list[Level], int, int]:
    """Levels of a surface of blocks, the bytes of one slice's chain, and the first level in the tail (or `mips`)."""
    real = level_sizes(size, mips, False)
    laid = level_sizes(size, mips, True)
    first_tail = mips
    tail = _tail_size(block, thick)
    capacity = _tail_capacity(block, thick) if block.log2 > MICRO_LOG2 else 0
    if mips > 1 and capacity:
        width, height = _tail_test_size(tail, mode, element_log2, config, thick)
        fits = (mip for mip in range(mips)
                if laid[mip][0] <= width and laid[mip][1] <= height and mips - mip <= capacity)
        first_tail = next(fits, mips)
    block_bytes, block_depth = 1 << block.log2, 1 << block.depth
    levels: list[Level | None] = [None] * mips
    chain = block_offset = offset = 0
    if first_tail < mips:
        _, _, micro_depth = micro_block(element_log2, thick)
        for mip in range(first_tail, mips):
            place, x, y = _tail_place(mip - first_tail, capacity, block, element_log2, thick)
            shrink = mip - first_tail
            micro_w, micro_h, _ = micro_block(element_log2, thick)
            units = align(laid[first_tail][2], 1 << micro_depth) >> micro_depth if thick else 1
            levels[mip] = Level(*real[mip], 1 << max(tail[0] - shrink, micro_w), 1 << max(tail[1] - shrink, micro_h),
                                place * units, 0, True, place, x, y)
        chain = block_bytes // block_depth
        block_offset = block_bytes
        offset = block_bytes * align(laid[first_tail][2], block_depth) // block_depth if thick else block_bytes
    for mip in reversed(range(first_tail)):
        pitch, rows = align(laid[mip][0], 1 << block.width), align(laid[mip][1], 1 << block.height)
        depth = align(laid[mip][2], block_depth) if thick else laid[mip][2]
        levels[mip] = Level(*real[mip], pitch, rows, offset, block_offset)
        nbytes = pitch * rows << (element_log2 + samples_log2)
        chain += nbytes
        block_offset += nbytes * block_depth
        offset += nbytes * (depth if thick else 1)
    return [level for level in levels if level is not None], chain, first_tail


def check_size(name: str, value: int, high: int) -> None:
    """InputError unless 1 <= value <= high."""
    if isinstance(value, bool) or int(value) != value or not 1 <= value <= high:
        raise InputError(f"{name}: {value} is not in 1..{high}")
