"""Built-in pixel shaders: a flat colour, an interpolated attribute, a colour out of the user data registers."""

from collections.abc import Sequence

import numpy as np

from refgpu.raster.layout import PS_IN_ATTRIBUTES, ROW, PixelFlag

from ..base.errors import InputError
from ..base.kernel import callback
from ..base.pointers import float32_at, uint32_at
from .abi import CONSTANTS_BYTE, SIGNATURE, PixelShader


@callback(SIGNATURE)
def _flat(inputs, outputs, constants, lanes, live):
    colors = float32_at(constants + CONSTANTS_BYTE, 4)
    for channel in range(4):
        row = float32_at(outputs + np.int64(4) * ROW * channel, lanes)
        color = colors[channel]
        for lane in range(lanes):
            row[lane] = color


@callback(SIGNATURE)
def _attribute(inputs, outputs, constants, lanes, live):
    for channel in range(4):
        source = float32_at(inputs + np.int64(4) * ROW * (PS_IN_ATTRIBUTES + channel), lanes)
        row = float32_at(outputs + np.int64(4) * ROW * channel, lanes)
        for lane in range(lanes):
            row[lane] = source[lane]


@callback(SIGNATURE)
def _user_data_color(inputs, outputs, constants, lanes, live):
    first = uint32_at(constants + CONSTANTS_BYTE, 1)[0]
    words = float32_at(constants, 32)
    for channel in range(4):
        row = float32_at(outputs + np.int64(4) * ROW * channel, lanes)
        color = words[first + np.uint32(channel)]
        for lane in range(lanes):
            row[lane] = color


@callback(SIGNATURE)
def _weighted(inputs, outputs, constants, lanes, live):
    header = float32_at(constants + CONSTANTS_BYTE, 5)
    terms = np.int64(header[0])
    table = float32_at(constants + CONSTANTS_BYTE + 20, terms * 5)
    for channel in range(4):
        row = float32_at(outputs + np.int64(4) * ROW * channel, lanes)
        for lane in range(lanes):
            row[lane] = header[1 + channel]
        for term in range(terms):
            attribute_row = PS_IN_ATTRIBUTES + 4 * np.int64(table[5 * term]) + channel
            source = float32_at(inputs + np.int64(4) * ROW * attribute_row, lanes)
            scale = table[5 * term + 1 + channel]
            for lane in range(lanes):
                row[lane] = row[lane] + np.float32(source[lane] * scale)


def flat(red: float, green: float, blue: float, alpha: float = 1.0) -> PixelShader:
    """Pixel shader that exports one colour."""
    shader = PixelShader(_flat, "flat", flags=PixelFlag.CONSTANT)
    return shader.with_constants([red, green, blue, alpha])


def attribute(index: int = 0, *, linear: bool = False) -> PixelShader:
    """Pixel shader that exports an interpolated attribute as the colour.

    Parameters
    ----------
    index : int
        The attribute: SPI_PS_INPUT_CNTL_<index> says which parameter it reads and whether it is flat.
    linear : bool
        Interpolate without perspective.
    """
    if not 0 <= index < 32:
        raise InputError(f"attribute {index}: expected 0..31")
    return PixelShader(_attribute, f"attribute {index}", attributes=1, first_attribute=index,
                       linear=int(linear))


def user_data_color(first: int) -> PixelShader:
    """Pixel shader that exports the float colour in SPI_SHADER_USER_DATA_PS_<first> and the three after it."""
    if not 0 <= first <= 28:
        raise InputError(f"user data register {first}: expected 0..28")
    shader = PixelShader(_user_data_color, f"user data {first}", flags=PixelFlag.CONSTANT)
    return shader.with_constants(np.array([first], np.uint32))


def weighted(terms: Sequence[tuple[int, bool, Sequence[float]]],
             constant: Sequence[float] = (0.0, 0.0, 0.0, 0.0)) -> PixelShader:
    """Pixel shader that exports a constant plus scaled attributes, each channel by itself.

    Parameters
    ----------
    terms : sequence of (attribute, linear, scale)
        `linear`: that attribute is interpolated without perspective; `scale`: four floats.
    constant : four floats
    """
    linear: dict[int, bool] = {}
    rows = [float(len(terms)), *map(float, constant)]
    if len(rows) != 5:
        raise InputError(f"constant {list(constant)}: expected four floats")
    for index, is_linear, scale in terms:
        if not 0 <= index < 32 or len(scale) != 4:
            raise InputError(f"term of attribute {index} with scale {list(scale)}: expected 0..31 and four floats")
        if linear.setdefault(index, is_linear) != is_linear:
            raise InputError(f"attribute {index} is asked for both with and without perspective")
        rows += [float(index), *map(float, scale)]
    shader = PixelShader(_weighted, "weighted", attributes=max(linear, default=-1) + 1,
                         linear=sum(1 << index for index, is_linear in linear.items() if is_linear))
    return shader.with_constants(rows)
