"""SPI: which parameter each pixel shader attribute reads, and how it is interpolated."""

from dataclasses import dataclass

from refgpu.raster.layout import MAX_ATTRIBUTES

from ..base.errors import UnsupportedError
from .block import Block, Words

_DEFAULT = 0x20  # OFFSET[5]: take DEFAULT_VAL instead of a parameter


@dataclass(frozen=True)
class Interpolation:
    """Per SPI_PS_INPUT_CNTL_n: parameter (or 32 + DEFAULT_VAL), flat, and the first thing not modelled, if any."""

    inputs: tuple[int, ...]
    flat: tuple[bool, ...]
    refused: tuple[str, ...]


def _decode(words: Words) -> Interpolation:
    inputs, flat, refused = [], [], []
    for n in range(MAX_ATTRIBUTES):
        word = words[f"SPI_PS_INPUT_CNTL_{n}"]
        constant = word.OFFSET & _DEFAULT
        inputs.append(32 + word.DEFAULT_VAL if constant else word.OFFSET)
        flat.append(bool(word.FLAT_SHADE) and not constant)
        names = ("CYL_WRAP", "PT_SPRITE_TEX", "FP16_INTERP_MODE", "ROTATE_PC_PTR")
        refused.append(next((f"SPI_PS_INPUT_CNTL_{n}.{name}" for name in names if word.get(name)), ""))
    return Interpolation(tuple(inputs), tuple(flat), tuple(refused))


interpolation_block = Block(tuple(f"SPI_PS_INPUT_CNTL_{n}" for n in range(MAX_ATTRIBUTES)), _decode)


def check_inputs(interpolation: Interpolation, first: int, count: int, parameters: int, name: str) -> None:
    """Refuse inputs that a draw reads and that are not modelled or not exported."""
    for n in range(first, min(first + count, MAX_ATTRIBUTES)):
        if interpolation.refused[n]:
            raise UnsupportedError(interpolation.refused[n])
        source = interpolation.inputs[n]
        if parameters <= source < 32:
            raise UnsupportedError(f"SPI_PS_INPUT_CNTL_{n}.OFFSET = {source} for pixel shader {name!r}: the vertex "
                                   f"shader exports {parameters} parameters")
