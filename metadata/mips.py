"""Where the mips of a surface's metadata lie: whole metablocks each, smallest first, the tail in one."""

from dataclasses import dataclass

from .config import AddressConfig
from .equations import data_block


@dataclass(frozen=True)
class Mip:
    """One mip of the metadata: where it begins within a slice, and its bytes there (0 past the first tail mip)."""

    offset: int
    nbytes: int
    in_tail: bool


def first_mip_in_tail(config: AddressConfig, width: int, height: int, mips: int, element_log2: int,
                      depth: bool) -> int:
    """Number of the first mip that shares the tail block; `mips` when none does.  [META-MIP-TAIL]

    For 64KB_Z_X and 64KB_R_X surfaces of one sample. Depth of 8 and 16 bpp fits the tail only where its HTILE does,
    except on gfx1010. (A 64 KiB tail holds 12 mips; no more can be left where one fits.)
    """
    width_log2, height_log2 = data_block(element_log2, 0)
    width_log2 -= 1
    if depth and config.depth_tail_fits_htile and element_log2 < 2:
        width_log2 -= 1
        height_log2 -= element_log2 == 0
    for mip in range(mips):
        if mip_size(width, mip) <= 1 << width_log2 and mip_size(height, mip) <= 1 << height_log2:
            return mip
    return mips


def mip_size(size: int, mip: int) -> int:
    """Texels along one side, rounded up (unlike the size that an API reports)."""
    return max(1, -(-size >> mip))


def mip_chain(width: int, height: int, mips: int, first_in_tail: int, block_width: int, block_height: int,
              block_nbytes: int) -> tuple[Mip, ...]:
    """Mips of one slice, mip 0 first in the result and last in memory.  [META-MIP-ORDER]"""
    offset = block_nbytes if first_in_tail < mips else 0
    chain = []
    for mip in range(first_in_tail - 1, -1, -1):
        columns = -(-mip_size(width, mip) // block_width)
        rows = -(-mip_size(height, mip) // block_height)
        nbytes = columns * rows * block_nbytes
        chain.append(Mip(offset, nbytes, False))
        offset += nbytes
    chain.reverse()
    chain += [Mip(0, block_nbytes if mip == first_in_tail else 0, True) for mip in range(first_in_tail, mips)]
    return tuple(chain)
