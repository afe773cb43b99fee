"""SW_MODE: what each swizzle mode number means."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..base.errors import DecodeError

VARIABLE = -1


@dataclass(frozen=True)
class SwizzleMode:
    """One SW_MODE.

    Attributes
    ----------
    number : int
    name : str
    order : str
        ``"L"`` linear, ``"S"`` standard, ``"D"`` display, ``"R"`` rotated (render target), ``"Z"`` depth.
    block_log2 : int
        log2 of the block's bytes; VARIABLE where the number of pipes sets it.
    pipes : str
        ``"X"``: pipes and banks are XORed with coordinates and slices; ``"T"``: with coordinates only; ``""``: not.
    """

    number: int
    name: str
    order: str
    block_log2: int
    pipes: str


def _modes() -> dict[int, SwizzleMode]:
    result = {0: SwizzleMode(0, "LINEAR", "L", 8, "")}
    blocks = {"256B": 8, "4KB": 12, "64KB": 16, "VAR": VARIABLE}
    names = {1: "256B_S", 2: "256B_D", 5: "4KB_S", 6: "4KB_D", 9: "64KB_S", 10: "64KB_D", 17: "64KB_S_T",
             18: "64KB_D_T", 21: "4KB_S_X", 22: "4KB_D_X", 24: "64KB_Z_X", 25: "64KB_S_X", 26: "64KB_D_X",
             27: "64KB_R_X", 28: "VAR_Z_X", 31: "VAR_R_X"}
    for number, name in names.items():
        block, order, *pipes = name.split("_")
        result[number] = SwizzleMode(number, name, order, blocks[block], "".join(pipes))
    return result


SWIZZLE_MODES: Mapping[int, SwizzleMode] = MappingProxyType(_modes())


def mode_of(number: int) -> SwizzleMode:
    """The SW_MODE of this number; DecodeError for a reserved one."""
    try:
        return SWIZZLE_MODES[number]
    except KeyError:
        raise DecodeError(f"SW_MODE = {number} is reserved on GFX10") from None
