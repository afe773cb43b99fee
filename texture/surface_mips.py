"""Mip chains: one per slice, smallest mip first in memory, the smallest ones together in one tail block."""

from dataclasses import dataclass

from ..metadata.config import AddressConfig
from ..metadata.mips import mip_size
from .surface_equations import MICRO_LOG2, block_log2s
from .surface_modes import SwizzleMode


@dataclass(frozen=True)
class Mip:
    """One mip of a slice.

    Attributes
    ----------
    width, real_height, depth : int
        Elements that hold texels; sizes round up.
    pitch, height : int
        Elements with padding.
    in_tail : bool
    offset : int
        Bytes from the start of the slice (for thick blocks: of the row of blocks in z) to the mip's first block.
    descriptor_offset : int
        The same as driver tables give it: thick blocks count the mip's own depth, tail mips their place in the tail.
    tail_offset : int
        Byte of the tail block where the mip's first 256 bytes lie, before the XORs.
    tail_x, tail_y : int
        What is added to coordinates inside the tail block.
    """

    width: int
    real_height: int
    depth: int
    pitch: int
    height: int
    in_tail: bool = False
    offset: int = 0
    descriptor_offset: int = 0
    tail_offset: int = 0
    tail_x: int = 0
    tail_y: int = 0


def _align(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def linear_chain(width: int, height: int, depth: int, mips: int, element_log2: int,
                 volume: bool) -> tuple[tuple[Mip, ...], int]:
    """Mips of a LINEAR slice and the bytes of the slice: rows padded to 256 bytes, no tail.  [SURF-LINEAR]"""
    chain, offset = [], 0
    for level in range(mips - 1, -1, -1):
        columns, rows = mip_size(width, level), mip_size(height, level)
        pitch = _align(columns << element_log2, 1 << MICRO_LOG2) >> element_log2
        slices = mip_size(depth, level) if volume else depth
        chain.append(Mip(columns, rows, slices, pitch, rows, False, offset, offset))
        offset += pitch * rows << element_log2
    return tuple(reversed(chain)), offset


@dataclass(frozen=True)
class Block:
    """Size of one block of a swizzle mode, log2 throughout."""

    nbytes: int
    element: int
    width: int
    height: int
    depth: int
    thick: bool

    @property
    def micro(self) -> tuple[int, int, int]:
        """Elements in 256 bytes."""
        if self.thick:  # a quarter of the 1 KiB block
            width, height, depth = block_log2s(10, self.element, 0, True)
            return width - 1, height - 1, depth
        return block_log2s(MICRO_LOG2, self.element, 0, False)

    @property
    def tail(self) -> tuple[int, int]:
        """Width and height of the largest mip in a tail.  [SURF-TAIL]"""
        halved = ("y", "x", "z")[self.nbytes % 3] if self.thick else "x"
        return self.width - (halved == "x"), self.height - (halved == "y")

    @property
    def tail_mips(self) -> int:
        """Mips (a number, not a log2) that a tail has room for."""
        if self.nbytes == MICRO_LOG2:
            return 0
        bits = self.nbytes - (self.nbytes - MICRO_LOG2) // 3 if self.thick else self.nbytes
        return 1 + (1 << (bits - 9)) if bits <= 11 else bits - 4


def first_mip_in_tail(config: AddressConfig, mode: SwizzleMode, block: Block, width: int, height: int,
                      mips: int) -> int:
    """Number of the first mip that lies in the tail; `mips` when none does.  [SURF-TAIL]"""
    tail_width, tail_height = block.tail
    if mode.order == "Z" and config.depth_tail_fits_htile and block.element < 2:  # as small as HTILE can tell apart
        tail_width -= 1
        tail_height -= block.element == 0
    for level in range(mips):
        fits = mip_size(width, level) <= 1 << tail_width and mip_size(height, level) <= 1 << tail_height
        if fits and mips - level <= block.tail_mips:
            return level
    return mips


def _in_tail(block: Block, level: int, size: tuple[int, int, int], mip: Mip, depth_rows: int) -> Mip:
    """The level'th mip of the tail."""
    slot = block.tail_mips - 1 - level
    offset = 16 << slot if slot > 6 else slot << MICRO_LOG2
    micro_x = sum((offset >> (9 + 2 * bit) & 1) << bit for bit in range(6))
    micro_y = sum((offset >> (8 + 2 * bit) & 1) << bit for bit in range(6))
    if block.nbytes % 2:  # VAR blocks of an odd power of two
        micro_x, micro_y = micro_y, micro_x
        if block.element % 2:
            micro_x, micro_y = micro_x >> 1, micro_y << 1 | micro_x & 1
    width, height, _ = block.micro
    tail_width, tail_height = block.tail
    return Mip(*size, max(1 << tail_width >> level, 1 << width), max(1 << tail_height >> level, 1 << height), True,
               mip.offset, offset * depth_rows, offset, micro_x << width, micro_y << height)


def chain(config: AddressConfig, mode: SwizzleMode, block: Block, width: int, height: int, depth: int, mips: int,
          samples: int, volume: bool) -> tuple[tuple[Mip, ...], int, int]:
    """Mips of one slice, bytes of the slice, and the first mip in the tail.  [SURF-MIP-ORDER]"""
    first = 1 if mips == 1 else first_mip_in_tail(config, mode, block, width, height, mips)
    sizes = [(mip_size(width, level), mip_size(height, level), mip_size(depth, level) if volume else depth)
             for level in range(mips)]
    slice_nbytes, offset, descriptor, tail = 0, 0, 0, []
    if first < mips:
        tail_depth = sizes[first][2]
        slice_nbytes = 1 << block.nbytes >> block.depth
        offset = 1 << block.nbytes
        descriptor = offset * -(-tail_depth >> block.depth) if block.thick else offset
        depth_rows = -(-tail_depth >> block.micro[2]) if block.thick else 1
        tail = [_in_tail(block, level - first, sizes[level], Mip(*sizes[level], 0, 0), depth_rows)
                for level in range(first, mips)]
    whole = []
    for level in range(first - 1, -1, -1):
        pitch, rows = _align(sizes[level][0], 1 << block.width), _align(sizes[level][1], 1 << block.height)
        nbytes = (pitch * rows << block.element) * samples
        whole.append(Mip(*sizes[level], pitch, rows, False, offset, descriptor))
        slice_nbytes += nbytes
        offset += nbytes << block.depth
        descriptor += nbytes * (_align(sizes[level][2], 1 << block.depth) if block.thick else 1)
    return tuple(whole[::-1] + tail), slice_nbytes, first
