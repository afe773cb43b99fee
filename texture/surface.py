"""Surfaces: where each texel lies in memory, and copies between tiled bytes and rows of texels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, UnsupportedError
from ..metadata.config import AddressConfig, address_config
from .surface_copy import gather, over_units, scatter
from .surface_equations import Equation, block_log2s, equation
from .surface_modes import SwizzleMode, mode_of

_TEXEL: dict[int, Any] = {0: np.uint8, 1: np.uint16, 2: np.uint32}
_WORD: dict[int, Any] = {0: np.uint8, 1: np.uint16, 2: np.uint32, 3: np.uint64}
_LINEAR_ALIGN = 256
_MAX_SIZE = 1 << 14
_MAX_SLICES = 1 << 13


def _align(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _columns(rule: Equation, axis: str) -> list[int]:
    """What each coordinate bit adds to the address."""
    return [sum(1 << index for index, terms in enumerate(rule) if (axis, bit) in terms) for bit in range(16)]


def _sums(columns: list[int], values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """XOR of the columns that each value's bits pick."""
    result = np.zeros(values.shape, np.int64)
    for bit, column in enumerate(columns):
        if column:
            result ^= -(values >> bit & 1) & column
    return result


@dataclass(frozen=True)
class SurfaceLayout:
    """Addresses of one surface; made by `surface_layout`.

    Attributes
    ----------
    mode : SwizzleMode
    bpp : int
        Bits of one element.
    width, real_height, slices : int
        Elements and slices that hold texels.
    pitch, height : int
        Elements per row and rows, with padding.
    block_width, block_height : int
        Elements of one block.
    slice_size, nbytes, base_align : int
        Bytes of one slice, of all slices, and what the address of the first byte is a multiple of.
    xor : int
        What the pipe/bank xor does to the byte address inside a block.
    """

    config: AddressConfig
    mode: SwizzleMode
    bpp: int
    width: int
    real_height: int
    slices: int
    pitch: int
    height: int
    block_width: int
    block_height: int
    slice_size: int
    nbytes: int
    base_align: int
    xor: int
    rule: Equation

    @property
    def element_log2(self) -> int:
        """log2 of the bytes of one element."""
        return self.bpp.bit_length() - 4

    @property
    def linear(self) -> bool:
        """Whether rows follow each other in memory."""
        return self.mode.order == "L"

    def offset(self, x: npt.ArrayLike, y: npt.ArrayLike, slice: npt.ArrayLike = 0,
               sample: npt.ArrayLike = 0, mip: npt.ArrayLike = 0) -> npt.NDArray[np.int64]:
        """Byte offsets of elements.

        Parameters
        ----------
        x, y, slice, sample, mip : array_like of int
            Coordinates, broadcast against each other; padding may be addressed too.

        Returns
        -------
        numpy.ndarray of int64
            From the start of the surface.

        Raises
        ------
        InputError
            A coordinate outside the surface.
        """
        limits = {"x": (x, self.pitch), "y": (y, self.height), "slice": (slice, self.slices), "sample": (sample, 1),
                  "mip": (mip, 1)}
        arrays = []
        for name, (value, limit) in limits.items():
            array = np.asarray(value)
            if array.dtype.kind not in "iu":
                raise InputError(f"{name}: expected integers, got {array.dtype}")
            if array.size and not (array.min() >= 0 and array.max() < limit):
                raise InputError(f"{name}: outside 0..{limit - 1}")
            arrays.append(array.astype(np.int64))
        column, row, z = arrays[:3]
        element = self.bpp // 8
        if self.linear:
            return z * self.slice_size + (row * self.pitch + column) * element + 0 * (arrays[3] + arrays[4])
        inside = (_sums(_columns(self.rule, "x"), column) ^ _sums(_columns(self.rule, "y"), row)
                  ^ _sums(_columns(self.rule, "z"), z) ^ self.xor)
        block = row // self.block_height * (self.pitch // self.block_width) + column // self.block_width
        return z * self.slice_size + block * self.base_align + inside + 0 * (arrays[3] + arrays[4])

    @cached_property
    def _word_log2(self) -> int:
        """log2 of the bytes that are copied at once: texels side by side both in memory and in the row."""
        run = self.element_log2
        for place, bit in enumerate(range(self.element_log2, len(self.rule))):
            if self.rule[bit] != {("x", place)} or sum(("x", place) in terms for terms in self.rule) != 1:
                break
            run += 1
        row_nbytes = self.width << self.element_log2
        return min(run, 3, (row_nbytes & -row_nbytes).bit_length() - 1)

    @cached_property
    def _tables(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """In words: what each word of a row, and each row, adds to the address inside a block."""
        nbytes = np.arange(0, self.width << self.element_log2, 1 << self._word_log2)
        x = _sums(_columns(self.rule, "x"), nbytes >> self.element_log2) | (nbytes & ((1 << self.element_log2) - 1))
        y = _sums(_columns(self.rule, "y"), np.arange(self.real_height))
        return (x >> self._word_log2).astype(np.int32), (y >> self._word_log2).astype(np.int32)

    def _bytes(self, data: Any, write: bool) -> npt.NDArray[np.uint8]:
        if not isinstance(data, np.ndarray):
            data = np.frombuffer(data, np.uint8)
        if data.dtype != np.uint8 or data.ndim != 1 or not data.flags.c_contiguous:
            raise InputError(f"data: expected contiguous uint8[{self.nbytes}], got {data.dtype}{list(data.shape)}")
        if data.size < self.nbytes:
            raise InputError(f"data: {data.size} bytes, the surface has {self.nbytes}")
        if write and not data.flags.writeable:
            raise InputError("data: read-only")
        return data[:self.nbytes]

    def _range(self, first_slice: int, slices: int | None) -> int:
        count = self.slices - first_slice if slices is None else slices
        if first_slice < 0 or count < 0 or first_slice + count > self.slices:
            raise InputError(f"slices {first_slice}..{first_slice + count - 1}: outside 0..{self.slices - 1}")
        return count

    def _shape(self, count: int) -> tuple[int, ...]:
        words = (1 << self.element_log2) // 4
        return (count, self.real_height, self.width) + ((words,) if words > 1 else ())

    def untile(self, data: npt.ArrayLike, first_slice: int = 0, slices: int | None = None,
               out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Copy texels out of tiled bytes.

        Parameters
        ----------
        data : uint8[>= nbytes] or buffer
        first_slice : int
        slices : int, optional
            By default all from `first_slice` on.
        out : numpy.ndarray, optional
            Contiguous array of the result's shape and type to fill instead of a new one.

        Returns
        -------
        numpy.ndarray
            [slices, height, width] of uint8, uint16 or uint32; [slices, height, width, 2 or 4] of uint32 for 64 and
            128 bpp. No padding.
        """
        source = self._bytes(data, False)
        count = self._range(first_slice, slices)
        shape, dtype = self._shape(count), _TEXEL.get(self.element_log2, np.uint32)
        result = np.empty(shape, dtype) if out is None else out
        if result.shape != shape or result.dtype != dtype or not result.flags.c_contiguous:
            raise InputError(f"out: expected contiguous {np.dtype(dtype)}{list(shape)}, "
                             f"got {result.dtype}{list(result.shape)}")
        self._copy(source, result.reshape(-1).view(np.uint8), first_slice, count, gather)
        return result

    def tile_into(self, array: npt.ArrayLike, data: npt.NDArray[np.uint8], first_slice: int = 0) -> None:
        """Write texels into tiled bytes; padding and other slices stay as they are.

        Parameters
        ----------
        array : array_like
            Texels as `untile` returns them, of any number of slices.
        data : uint8[>= nbytes]
        first_slice : int
            Slice of ``array[0]``.
        """
        target = self._bytes(data, True)
        texels = np.ascontiguousarray(array)
        dtype = np.dtype(_TEXEL.get(self.element_log2, np.uint32))
        shape = self._shape(len(texels) if texels.ndim else 0)
        if texels.dtype != dtype or texels.shape != shape:
            raise InputError(f"array: expected {dtype}{['slices', *shape[1:]]}, got {texels.dtype}{list(texels.shape)}")
        count = self._range(first_slice, len(texels))
        self._copy(target, texels.reshape(-1).view(np.uint8), first_slice, count, scatter)

    def tile(self, array: npt.ArrayLike, first_slice: int = 0) -> npt.NDArray[np.uint8]:
        """Tiled bytes of a whole surface: zero where `array` has no texel.

        Returns
        -------
        uint8[nbytes]
        """
        data = np.zeros(self.nbytes, np.uint8)
        self.tile_into(array, data, first_slice)
        return data

    def _copy(self, tiled: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8], first_slice: int, count: int,
              direction: Any) -> None:
        if not rows.size:
            return
        row_nbytes = self.width << self.element_log2
        if self.linear:
            pitch_nbytes = self.pitch << self.element_log2
            there = tiled.reshape(self.slices, self.height, pitch_nbytes)[first_slice:, :, :row_nbytes]
            here = rows.reshape(count, self.real_height, row_nbytes)

            def copy_rows(index: int, top: int, bottom: int) -> None:
                if direction is gather:
                    here[index, top:bottom] = there[index, top:bottom]
                else:
                    there[index, top:bottom] = here[index, top:bottom]

            over_units(copy_rows, count, self.real_height, 16, rows.size)
            return
        shift = self._word_log2
        x_table, y_table = self._tables
        tiled_words, row_words = tiled.view(_WORD[shift]), rows.view(_WORD[shift])
        plane = row_words.size // count
        rotations = _sums(_columns(self.rule, "z"), np.arange(first_slice, first_slice + count)) ^ self.xor

        def copy_blocks(index: int, top: int, bottom: int) -> None:
            here = row_words[index * plane:(index + 1) * plane]
            source, target = (tiled_words, here) if direction is gather else (here, tiled_words)
            direction(source, target, x_table, y_table, np.int64(rotations[index] >> shift),
                      np.int64((first_slice + index) * self.slice_size >> shift),
                      np.int64(self.base_align >> shift), np.int64(self.pitch // self.block_width),
                      np.int64(self.block_width << self.element_log2 >> shift), np.int64(self.block_height),
                      np.int64(row_nbytes >> shift), np.int64(top), np.int64(bottom))

        over_units(copy_blocks, count, self.real_height, self.block_height, rows.size)


def _check(name: str, value: int, low: int, high: int) -> None:
    if not (isinstance(value, (int, np.integer)) and low <= value <= high):
        raise InputError(f"{name}: {value} is not in {low}..{high}")


def surface_layout(swizzle_mode: int, bpp: int, width: int, height: int, slices: int = 1, samples: int = 1,
                   mips: int = 1, resource: str = "2d", gb_addr_config: int | None = None, profile: str = "gfx1013",
                   pipe_bank_xor: int = 0) -> SurfaceLayout:
    """Lay out a surface.

    Parameters
    ----------
    swizzle_mode : int
        SW_MODE.
    bpp : int
        Bits of one element: 8, 16, 32, 64 or 128 (a block of a BC format is one element).
    width, height, slices : int
        Elements, and array layers or depth.
    gb_addr_config : int, optional
        By default the profile's.
    profile : str
    pipe_bank_xor : int
        What drivers put into bits 8 and up of the base address.

    Raises
    ------
    DecodeError
        A reserved SW_MODE or GB_ADDR_CONFIG.
    UnsupportedError, InputError
    """
    mode = mode_of(swizzle_mode)
    if bpp not in (8, 16, 32, 64, 128):
        raise InputError(f"bpp: {bpp} is not 8, 16, 32, 64 or 128")
    _check("width", width, 1, _MAX_SIZE)
    _check("height", height, 1, _MAX_SIZE)
    _check("slices", slices, 1, _MAX_SLICES)
    if samples != 1:
        raise UnsupportedError("samples", samples)
    if mips != 1:
        raise UnsupportedError("mips", mips)
    if resource != "2d":
        raise UnsupportedError("resource", resource)
    config = address_config(profile, gb_addr_config)
    element_log2 = bpp.bit_length() - 4
    if mode.order == "L":
        if pipe_bank_xor:
            raise InputError("pipe_bank_xor: LINEAR has no pipe/bank xor")
        pitch = _align(width << element_log2, _LINEAR_ALIGN) >> element_log2
        slice_size = pitch * height << element_log2
        return SurfaceLayout(config, mode, bpp, width, height, slices, pitch, height, _LINEAR_ALIGN >> element_log2, 1,
                             slice_size, slice_size * slices, _LINEAR_ALIGN, 0, ())
    rule = equation(config, mode, element_log2)
    block_log2 = len(rule)
    width_log2, height_log2 = block_log2s(block_log2, element_log2)
    pitch, rows = _align(width, 1 << width_log2), _align(height, 1 << height_log2)
    slice_size = pitch * rows << element_log2
    banks = min(max(block_log2 - 8 - config.pipes - 2, 0), 4)
    mask = config.pipe_mask | ((1 << banks) - 1) << (config.pipes + 2)
    xor = (pipe_bank_xor & mask) << 8 & ((1 << block_log2) - 1)
    return SurfaceLayout(config, mode, bpp, width, height, slices, pitch, rows, 1 << width_log2, 1 << height_log2,
                         slice_size, slice_size * slices, 1 << block_log2, xor, rule)
