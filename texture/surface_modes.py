"""SW_MODE: what each swizzle mode number means."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..base.errors import DecodeError
from ..metadata.config import AddressConfig

_BLOCK_LOG2 = {"LINEAR": 8, "256B": 8, "4KB": 12, "64KB": 16}
_VARIABLE_LOG2 = 14  # and one more for each doubling of the pipes
_NAMES = {0: "LINEAR", 1: "256B_S", 2: "256B_D", 5: "4KB_S", 6: "4KB_D", 9: "64KB_S", 10: "64KB_D", 17: "64KB_S_T",
          18: "64KB_D_T", 21: "4KB_S_X", 22: "4KB_D_X", 24: "64KB_Z_X", 25: "64KB_S_X", 26: "64KB_D_X",
          27: "64KB_R_X", 28: "VAR_Z_X", 31: "VAR_R_X"}


@dataclass(frozen=True)
class SwizzleMode:
    """One SW_MODE.

    Attributes
    ----------
    number : int
    name : str
    block : str
        LINEAR, 256B, 4KB, 64KB or VAR.
    order : str
        ``"L"`` linear, ``"S"`` standard, ``"D"`` display, ``"R"`` rotated (render target), ``"Z"`` depth.
    pipes : str
        ``"X"``: pipes and banks are XORed with coordinates and slices; ``"T"``: with coordinates only; ``""``: not.
    """

    number: int
    name: str
    block: str
    order: str
    pipes: str

    @property
    def variable(self) -> bool:
        """Whether the number of pipes sets the size of a block."""
        return self.block == "VAR"

    def block_log2(self, config: AddressConfig) -> int:
        """log2 of the bytes of a block."""
        return _VARIABLE_LOG2 + config.pipes if self.variable else _BLOCK_LOG2[self.block]


def _mode(number: int, name: str) -> SwizzleMode:
    block, order, pipes = (*name.split("_"), "", "")[:3]
    return SwizzleMode(number, name, block, order or "L", pipes)


SWIZZLE_MODES: Mapping[int, SwizzleMode] = MappingProxyType({n: _mode(n, name) for n, name in _NAMES.items()})


def mode_of(number: int) -> SwizzleMode:
    """The SW_MODE of this number; DecodeError for a reserved one."""
    try:
        return SWIZZLE_MODES[number]
    except (KeyError, TypeError):
        raise DecodeError(f"SW_MODE = {number!r} is reserved on GFX10") from None
