"""Pipe/bank xor: bits 8 and up of a base address, which move a surface's blocks to other pipes and banks."""

from ..base.errors import InputError
from ..metadata.config import PIPE_INTERLEAVE_LOG2, AddressConfig, address_config
from .surface_modes import SwizzleMode, mode_of

_BANK_PATTERNS = ((0,), (0, 1, 0, 1, 0, 1, 0, 1), (0, 2, 1, 3, 2, 0, 3, 1), (0, 4, 2, 6, 1, 5, 3, 7),
                  (0, 8, 4, 12, 2, 10, 6, 14))


def _bank_bits(config: AddressConfig, block_log2: int) -> int:
    return min(max(block_log2 - PIPE_INTERLEAVE_LOG2 - config.pipes - 2, 0), len(_BANK_PATTERNS) - 1)


def xor_term(config: AddressConfig, block_log2: int, pipe_bank_xor: int) -> int:
    """What a pipe/bank xor does to the byte address inside a block.  [SURF-PIPE-BANK-XOR]"""
    banks = (1 << _bank_bits(config, block_log2)) - 1
    used = pipe_bank_xor & (config.pipe_mask | banks << config.pipes + 2)
    return used << PIPE_INTERLEAVE_LOG2 & (1 << block_log2) - 1


def _driver_xor(config: AddressConfig, mode: SwizzleMode, index: int) -> int:
    if mode.pipes != "X":
        return 0
    pattern = _BANK_PATTERNS[_bank_bits(config, mode.block_log2(config))]
    return pattern[index % len(pattern)] << config.pipes + 2


def driver_pipe_bank_xor(swizzle_mode: int, surface_index: int, gb_addr_config: int | None = None,
                         profile: str = "gfx1013") -> int:
    """Pipe/bank xor that drivers give the surface_index'th surface: they rotate banks, never pipes.

    Raises
    ------
    DecodeError, InputError
        A reserved SW_MODE or GB_ADDR_CONFIG; a negative index.
    """
    if surface_index < 0:
        raise InputError(f"surface_index: {surface_index} is negative")
    return _driver_xor(address_config(profile, gb_addr_config), mode_of(swizzle_mode), surface_index)
