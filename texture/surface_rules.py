"""Which surfaces exist: swizzle modes, element sizes, samples and mips that go together."""

from typing import Any

import numpy as np

from ..base.errors import DecodeError, InputError, UnsupportedError
from ..metadata.config import AddressConfig
from .surface_modes import SwizzleMode

_MAX_SIZE = 1 << 14
_MAX_SLICES = 1 << 13
_MODES_3D = ("LINEAR", "4KB_S", "64KB_S", "64KB_S_T", "4KB_S_X", "64KB_Z_X", "64KB_S_X", "64KB_D_X", "64KB_R_X",
             "VAR_Z_X", "VAR_R_X")


def _integer(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not (isinstance(value, (int, np.integer)) and low <= value <= high):
        raise InputError(f"{name}: {value!r} is not in {low}..{high}")


def check_surface(config: AddressConfig, mode: SwizzleMode, bpp: int, width: int, height: int, slices: int,
                  samples: int, mips: int, resource: str, pipe_bank_xor: int) -> None:
    """InputError, DecodeError or UnsupportedError for what cannot be.  [SURF-LEGAL]"""
    if bpp not in (8, 16, 32, 64, 128):
        raise InputError(f"bpp: {bpp!r} is not 8, 16, 32, 64 or 128")
    _integer("width", width, 1, _MAX_SIZE)
    _integer("height", height, 1, _MAX_SIZE)
    _integer("slices", slices, 1, _MAX_SLICES)
    _integer("pipe_bank_xor", pipe_bank_xor, 0, 0xFFFFFFFF)
    if resource not in ("2d", "3d"):
        raise UnsupportedError("resource", resource)
    levels = int(max(width, height, slices if resource == "3d" else 1)).bit_length()
    _integer("mips", mips, 1, levels)
    if samples not in (1, 2, 4, 8):
        raise DecodeError(f"samples = {samples!r}: a surface has 1, 2, 4 or 8")
    name = f"SW_MODE = {mode.number} ({mode.name})"
    if mode.variable and not config.rb_plus:
        raise DecodeError(f"{name}: only chips with RB+ have blocks of variable size")
    if mode.order == "Z" and bpp > (32 if samples > 1 else 64):
        raise DecodeError(f"{name}: no {bpp} bpp with {samples} samples")
    if samples > 1:
        if mode.order not in "ZR":
            raise DecodeError(f"{name}: one sample only, not {samples}")
        if mips > 1 or resource == "3d":
            raise DecodeError(f"{name}: {samples} samples go with one mip in 2D only")
    if resource == "3d" and mode.name not in _MODES_3D:
        raise DecodeError(f"{name}: not for 3D")
    if pipe_bank_xor and not mode.pipes:
        raise DecodeError(f"{name}: has no pipe/bank xor, not {pipe_bank_xor:#x}")
