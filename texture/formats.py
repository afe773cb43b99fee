"""Formats as users see them: look one up, decode words, encode values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, UnsupportedError
from .block_decode import decode_texels
from .format_table import (
    COLOR_TABLE,
    FORMAT_TABLE,
    FORMATS,
    Component,
    Format,
    buffer_format,
    color_format,
    format_of,
)
from .number_types import ROUND_EVEN, ROUND_HALF, ROUND_TRUNCATE
from .texels import pack_texels, unpack_texels

__all__ = ["COLOR_TABLE", "FORMATS", "FORMAT_TABLE", "ROUND_EVEN", "ROUND_HALF", "ROUND_TRUNCATE", "Component",
           "Format", "buffer_format", "color_format", "decode", "decode_color", "encode", "encode_color", "format_of"]


def _words_of(words: npt.ArrayLike, format_: Format) -> tuple[npt.NDArray[np.uint32], tuple[int, ...]]:
    """uint32[n, words] and the shape of the elements."""
    array = np.asarray(words)
    if array.dtype.kind not in "iu":
        raise InputError(f"words of {format_.name}: expected integers, got {array.dtype}")
    narrow = array & 0xFFFFFFFF if array.dtype.itemsize > 4 else array
    array = np.ascontiguousarray(narrow).astype(np.uint32, copy=False)
    count = format_.words
    if count == 1:
        return array.reshape(-1, 1), array.shape
    if array.ndim == 0 or array.shape[-1] != count:
        raise InputError(f"words of {format_.name}: expected shape [..., {count}], got {list(array.shape)}")
    return array.reshape(-1, count), array.shape[:-1]


def _decode(format_: Format, row: npt.NDArray[np.int64], words: npt.ArrayLike) -> npt.NDArray[Any]:
    flat, shape = _words_of(words, format_)
    out = np.empty((flat.shape[0], 4), np.uint32)
    unpack_texels(flat, row, out)
    return out.view(format_.dtype).reshape(*shape, 4)


def _registers_of(values: npt.ArrayLike, format_: Format) -> npt.NDArray[np.uint32]:
    array = np.asarray(values)
    if array.ndim == 0 or array.shape[-1] != 4:
        raise InputError(f"values for {format_.name}: expected shape [..., 4], got {list(array.shape)}")
    if not format_.integer:
        return np.ascontiguousarray(array, np.float32).view(np.uint32)
    if array.dtype.kind not in "iu":
        raise InputError(f"values for {format_.name}: expected integers, got {array.dtype}")
    limits = np.iinfo(format_.dtype)  # type: ignore[type-var]
    clipped = np.clip(array, limits.min, limits.max) if array.dtype != format_.dtype else array
    return np.ascontiguousarray(clipped.astype(format_.dtype)).view(np.uint32)


def _encode(format_: Format, row: npt.NDArray[np.int64], values: npt.ArrayLike, round_mode: int) -> npt.NDArray[Any]:
    if round_mode not in (ROUND_HALF, ROUND_TRUNCATE, ROUND_EVEN):
        raise InputError(f"round_mode {round_mode}: expected ROUND_HALF, ROUND_TRUNCATE or ROUND_EVEN")
    registers = _registers_of(values, format_)
    shape = registers.shape[:-1]
    out = np.empty((registers.size // 4, format_.words), np.uint32)
    pack_texels(registers.reshape(-1, 4), row, round_mode, out)
    return out.reshape(shape if format_.words == 1 else (*shape, format_.words))


def _decode_blocks(format_: Format, words: npt.ArrayLike) -> npt.NDArray[np.float32]:
    nbytes = format_.bits // 8
    array = np.asarray(words)
    if array.dtype != np.uint8 or array.ndim == 0 or array.shape[-1] != nbytes:
        raise InputError(f"blocks of {format_.name}: expected uint8[..., {nbytes}], got "
                         f"{array.dtype}{list(array.shape)}")
    blocks = np.ascontiguousarray(array).reshape(-1, nbytes).view(np.uint32)
    return decode_texels(format_, blocks).reshape(*array.shape[:-1], 16, 4)


def decode(format: int | str, words: npt.ArrayLike) -> npt.NDArray[Any]:
    """Texels of a unified format to component values.

    Parameters
    ----------
    format : int or str
        Format number or name.
    words : integer array
        uint32[n] up to 32 bits an element, uint32[n, 2], [n, 3] or [n, 4] above; blocks are uint8[n, 8 or 16].

    Returns
    -------
    float32[n, 4], or uint32 or int32 for integer formats
        X, Y, Z, W; [n, 16, 4] for blocks, row by row. What the format lacks is 0, 0, 0, 1. The stencil byte of a
        depth-stencil float format comes as its bits, as a register would hold it.

    Raises
    ------
    InputError, DecodeError, UnsupportedError
        Wrong shape; no such format; a format refgpu does not decode.
    """
    format_ = format_of(format)
    if format_.block:
        return _decode_blocks(format_, words)
    return _decode(format_, FORMAT_TABLE[format_.row], words)


def encode(format: int | str, values: npt.ArrayLike, round_mode: int = ROUND_HALF) -> npt.NDArray[np.uint32]:
    """Component values to texels, as image stores and colour writes do.

    Parameters
    ----------
    format : int or str
    values : float32[n, 4], or integers for integer formats
        Components that the format lacks are ignored.
    round_mode : int
        ROUND_HALF (default), ROUND_TRUNCATE or ROUND_EVEN of `refgpu.texture.number_types`.  [FMT-F16-STORE]

    Returns
    -------
    uint32[n], or uint32[n, words] above 32 bits an element
    """
    format_ = format_of(format)
    if format_.block:
        raise UnsupportedError("encode to FORMAT", format_.name)
    return _encode(format_, FORMAT_TABLE[format_.row], values, round_mode)


def decode_color(format: int, number_type: int, swap: int, words: npt.ArrayLike) -> npt.NDArray[Any]:
    """Stored colours to red, green, blue, alpha.

    Parameters
    ----------
    format, number_type, swap : int
        CB_COLORn_INFO.FORMAT, NUMBER_TYPE, COMP_SWAP.
    words : uint32[..., words]
        Up to 32 bits a pixel the last axis has length 1.

    Returns
    -------
    float32[..., 4], or uint32 or int32 for integer formats
    """
    format_ = color_format(format, number_type, swap)
    array = np.asarray(words)
    if array.ndim == 0 or array.shape[-1] != format_.words:
        raise InputError(f"words of {format_.name}: expected shape [..., {format_.words}], got {list(array.shape)}")
    return _decode(format_, COLOR_TABLE[format_.row], array if format_.words > 1 else array[..., 0])


def encode_color(format: int, number_type: int, swap: int, values: npt.ArrayLike,
                 round_mode: int = ROUND_HALF) -> npt.NDArray[np.uint32]:
    """Red, green, blue, alpha to stored colours: uint32[..., words]; the inverse of `decode_color`."""
    format_ = color_format(format, number_type, swap)
    out = _encode(format_, COLOR_TABLE[format_.row], values, round_mode)
    return out if format_.words > 1 else out[..., None]
