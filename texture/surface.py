"""Surfaces: where each texel lies in memory, and copies between tiled bytes and rows of texels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from ..metadata.config import AddressConfig, address_config
from .surface_equations import Equation, block_log2s, columns, equation, xor_sums
from .surface_mips import Block, Mip, chain, linear_chain
from .surface_modes import SwizzleMode, mode_of
from .surface_rules import check_surface
from .surface_tiling import copy_mip
from .surface_xor import xor_term

_TEXEL: dict[int, Any] = {8: np.uint8, 16: np.uint16}
_THICK_BLOCKS = "SD"  # 3D surfaces of these orders


@dataclass(frozen=True)
class SurfaceLayout:
    """Addresses of one surface; made by `surface_layout`.

    Attributes
    ----------
    config : AddressConfig
    mode : SwizzleMode
    bpp : int
        Bits of one element.
    width, real_height, slices : int
        Elements and slices that hold texels.
    samples : int
    pitch, height, padded_slices : int
        Elements per row, rows and slices of mip 0, with padding.
    block_width, block_height, block_depth : int
        Elements of one block.
    slice_size, nbytes, base_align : int
        Bytes of one slice with all its mips, of all slices, and what the address of the first byte is a multiple of.
    xor : int
        What the pipe/bank xor does to the byte address inside a block.
    mips : tuple of Mip
    first_mip_in_tail : int
        The number of mips when there is no tail.
    thick : bool
        Whether a block is more than one slice deep.
    pipe_bank_xor : int
        As given.
    """

    config: AddressConfig
    mode: SwizzleMode
    bpp: int
    width: int
    real_height: int
    slices: int
    samples: int
    pitch: int
    height: int
    padded_slices: int
    block_width: int
    block_height: int
    block_depth: int
    slice_size: int
    nbytes: int
    base_align: int
    xor: int
    mips: tuple[Mip, ...]
    first_mip_in_tail: int
    thick: bool
    pipe_bank_xor: int

    @property
    def linear(self) -> bool:
        """Whether rows follow each other in memory."""
        return self.mode.order == "L"

    @property
    def element_log2(self) -> int:
        """log2 of the bytes of one element."""
        return self.bpp.bit_length() - 4

    @cached_property
    def rule(self) -> Equation:
        """Terms of each address bit inside a block; UnsupportedError where no one knows them."""
        return equation(self.config, self.mode, self.base_align.bit_length() - 1, self.element_log2,
                        self.samples.bit_length() - 1, self.thick)

    @cached_property
    def axes(self) -> dict[str, list[int]]:
        """For each axis, what each coordinate bit adds to the address."""
        return {axis: columns(self.rule, axis) for axis in "xyzs"}

    def offset(self, x: npt.ArrayLike, y: npt.ArrayLike, slice: npt.ArrayLike = 0, sample: npt.ArrayLike = 0,
               mip: npt.ArrayLike = 0) -> npt.NDArray[np.int64]:
        """Byte offsets of elements.  [SURF-BLOCK-ORDER]

        Parameters
        ----------
        x, y, slice, sample, mip : array_like of int
            Coordinates within the mip, broadcast against each other. Outside a mip tail padding may be addressed too.

        Returns
        -------
        numpy.ndarray of int64
            From the start of the surface.

        Raises
        ------
        InputError
            A coordinate outside the surface.
        UnsupportedError
            An equation that nobody knows (3D 64KB_D_X of 64 and 128 bpp on RB+; R and Z on other GB_ADDR_CONFIG).
        """
        given = {"x": x, "y": y, "slice": slice, "sample": sample, "mip": mip}
        for name, value in given.items():
            if np.asarray(value).dtype.kind not in "iu":
                raise InputError(f"{name}: expected integers, got {np.asarray(value).dtype}")
        try:
            arrays = np.broadcast_arrays(*(np.asarray(value).astype(np.int64) for value in given.values()))
        except ValueError:
            raise InputError("x, y, slice, sample, mip: shapes do not go together") from None
        self._inside("mip", arrays[4], len(self.mips))
        self._inside("sample", arrays[3], self.samples)
        result = np.zeros(arrays[0].shape, np.int64)
        for level in np.unique(arrays[4]):
            here = arrays[4] == level
            result[here] = self._offset_in_mip(self.mips[level], *(array[here] for array in arrays[:4]))
        return result

    @staticmethod
    def _inside(name: str, array: npt.NDArray[np.int64], limit: int) -> None:
        if array.size and not (array.min() >= 0 and array.max() < limit):
            raise InputError(f"{name}: {array.min()}..{array.max()} leaves 0..{limit - 1}")

    def _offset_in_mip(self, mip: Mip, x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], z: npt.NDArray[np.int64],
                       sample: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        self._inside("x", x, mip.width if mip.in_tail else mip.pitch)
        self._inside("y", y, mip.real_height if mip.in_tail else mip.height)
        self._inside("slice", z, mip.depth)
        start = z // self.block_depth * (self.slice_size * self.block_depth) + mip.offset
        if self.linear:
            return start + ((y * mip.pitch + x) << self.element_log2)
        block = y // self.block_height * (mip.pitch // self.block_width) + x // self.block_width
        axes = self.axes
        inside = (xor_sums(axes["x"], x + mip.tail_x) ^ xor_sums(axes["y"], y + mip.tail_y) ^ xor_sums(axes["z"], z)
                  ^ xor_sums(axes["s"], sample) ^ self.xor)
        return start + block * self.base_align + inside

    def slice_pipe_bank_xor(self, slice: int) -> int:
        """Pipe/bank xor with which this slice alone is a surface of its own.  [SURF-PIPE-BANK-XOR]"""
        return self.pipe_bank_xor ^ int(xor_sums(self.axes["z"], np.asarray(slice, np.int64))) >> 8

    def _bytes(self, data: Any, write: bool) -> npt.NDArray[np.uint8]:
        if not isinstance(data, np.ndarray):
            try:
                data = np.frombuffer(data, np.uint8)
            except (TypeError, ValueError):
                raise InputError(f"data: expected uint8 array or buffer, got {type(data).__name__}") from None
        if data.dtype != np.uint8 or data.ndim != 1 or not data.flags.c_contiguous:
            raise InputError(f"data: expected contiguous uint8[{self.nbytes}], got {data.dtype}{list(data.shape)}")
        if data.size < self.nbytes:
            raise InputError(f"data: {data.size} bytes, the surface has {self.nbytes}")
        if write and not data.flags.writeable:
            raise InputError("data: read-only")
        return data[:self.nbytes]

    def _mip(self, mip: int, first_slice: int, slices: int | None) -> tuple[Mip, int]:
        if not 0 <= mip < len(self.mips):
            raise InputError(f"mip: {mip} leaves 0..{len(self.mips) - 1}")
        depth = self.mips[mip].depth
        count = depth - first_slice if slices is None else slices
        if first_slice < 0 or count < 0 or first_slice + count > depth:
            raise InputError(f"slices {first_slice}..{first_slice + count - 1} leave 0..{depth - 1}")
        return self.mips[mip], count

    def _shape(self, mip: Mip, count: int) -> tuple[int, ...]:
        samples = (self.samples,) if self.samples > 1 else ()
        words = (self.bpp // 32,) if self.bpp > 32 else ()
        return (count, *samples, mip.real_height, mip.width, *words)

    def _checked(self, name: str, array: npt.NDArray[Any], mip: Mip, count: int) -> npt.NDArray[np.uint8]:
        dtype, shape = np.dtype(_TEXEL.get(self.bpp, np.uint32)), self._shape(mip, count)
        if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
            raise InputError(f"{name}: expected contiguous {dtype}{list(shape)}, got {array.dtype}{list(array.shape)}")
        return array.reshape(-1).view(np.uint8)

    def untile(self, data: Any, first_slice: int = 0, slices: int | None = None, mip: int = 0,
               out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Copy the texels of one mip out of tiled bytes.

        Parameters
        ----------
        data : uint8[>= nbytes] or buffer
        first_slice : int
        slices : int, optional
            By default all from `first_slice` on.
        mip : int
        out : numpy.ndarray, optional
            Contiguous array of the result's shape and type to fill instead of a new one.

        Returns
        -------
        numpy.ndarray
            [slices, height, width] of uint8, uint16 or uint32; [slices, height, width, 2 or 4] of uint32 for 64 and
            128 bpp; with several samples [slices, samples, height, width, ...]. No padding.
        """
        source = self._bytes(data, False)
        level, count = self._mip(mip, first_slice, slices)
        result = np.empty(self._shape(level, count), _TEXEL.get(self.bpp, np.uint32)) if out is None else out
        copy_mip(self, source, self._checked("out", result, level, count), level, first_slice, count, True)
        return result

    def tile_into(self, array: npt.ArrayLike, data: npt.NDArray[np.uint8], first_slice: int = 0, mip: int = 0) -> None:
        """Write texels of one mip into tiled bytes; padding, other slices and other mips stay as they are.

        Parameters
        ----------
        array : array_like
            Texels as `untile` returns them, of any number of slices.
        data : uint8[>= nbytes]
        first_slice : int
            Slice of ``array[0]``.
        mip : int
        """
        target = self._bytes(data, True)
        texels = np.ascontiguousarray(array)
        level, count = self._mip(mip, first_slice, len(texels))
        copy_mip(self, target, self._checked("array", texels, level, count), level, first_slice, count, False)

    def tile(self, array: npt.ArrayLike, first_slice: int = 0, mip: int = 0) -> npt.NDArray[np.uint8]:
        """Tiled bytes of a whole surface: zero where `array` has no texel.

        Returns
        -------
        uint8[nbytes]
        """
        data = np.zeros(self.nbytes, np.uint8)
        self.tile_into(array, data, first_slice, mip)
        return data


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
        Elements, and array layers (2D) or depth (3D).
    samples : int
        1, 2, 4 or 8 samples (colour: fragments) that are stored.
    mips : int
    resource : str
        ``"2d"`` (arrays and cubes too) or ``"3d"``.
    gb_addr_config : int, optional
        By default the profile's.
    profile : str
        gfx1013, gfx1010, gfx1030 or gfx1035.
    pipe_bank_xor : int
        What drivers put into bits 8 and up of the base address; bits that the mode does not use are ignored.

    Returns
    -------
    SurfaceLayout

    Raises
    ------
    DecodeError
        A reserved SW_MODE or GB_ADDR_CONFIG, or a combination that the hardware does not have.
    InputError
        A size out of range.
    UnsupportedError
        1D resources.
    """
    mode, config = mode_of(swizzle_mode), address_config(profile, gb_addr_config)
    check_surface(config, mode, bpp, width, height, slices, samples, mips, resource, pipe_bank_xor)
    element_log2, volume = bpp.bit_length() - 4, resource == "3d"
    block_log2 = mode.block_log2(config)
    if mode.order == "L":
        levels, slice_size = linear_chain(width, height, slices, mips, element_log2, volume)
        return SurfaceLayout(config, mode, bpp, width, height, slices, samples, levels[0].pitch, height, slices,
                             256 >> element_log2, 1, 1, slice_size, slice_size * slices, 1 << block_log2, 0, levels,
                             mips, False, 0)
    thick = volume and mode.order in _THICK_BLOCKS
    size = block_log2s(block_log2, element_log2, samples.bit_length() - 1, thick)
    block = Block(block_log2, element_log2, *size, thick)
    levels, slice_size, first_in_tail = chain(config, mode, block, width, height, slices, mips, samples, volume)
    pitch, rows = (-(-size >> log2) << log2 for size, log2 in ((width, block.width), (height, block.height)))
    padded_slices = -(-slices >> block.depth) << block.depth
    return SurfaceLayout(config, mode, bpp, width, height, slices, samples, pitch, rows, padded_slices,
                         1 << block.width, 1 << block.height, 1 << block.depth, slice_size, slice_size * padded_slices,
                         1 << block_log2, xor_term(config, block_log2, pipe_bank_xor), levels, first_in_tail, thick,
                         pipe_bank_xor)
