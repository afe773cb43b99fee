"""Surfaces: where each texel lies in memory, and copies between tiled bytes and rows of texels."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import DecodeError, InputError, UnsupportedError
from ..metadata.config import AddressConfig, address_config
from .surface_copy import columns, copy_levels, gather, scatter, xor_sums
from .surface_equations import Equation, equation
from .surface_levels import Block, Level, align, block_levels, block_log2_of, block_of, check_size, linear_levels
from .surface_modes import VARIABLE, SwizzleMode, mode_of

_TEXEL: dict[int, Any] = {0: np.uint8, 1: np.uint16, 2: np.uint32}
_MAX_SIZE = 1 << 14
_MAX_SLICES = 1 << 13
_MAX_MIPS = 15
_RESOURCES = ("1d", "2d", "3d")
_3D_MODES = frozenset({0, 5, 9, 17, 21, 24, 25, 26, 27, 28, 31})


@dataclass(frozen=True)
class SurfaceLayout:
    """Addresses of one surface; made by `surface_layout`.

    Attributes
    ----------
    config : AddressConfig
    mode : SwizzleMode
    resource : str
        ``"1d"``, ``"2d"`` or ``"3d"``.
    bpp, width, real_height, slices, samples : int
        Bits of one element, and what holds texels: elements, rows, slices (3D: depth), samples.
    pitch, height, num_slices : int
        The same of level 0 with padding.
    block : Block
        log2 of the block's bytes and sizes.
    levels : tuple of Level
    first_tail : int
        First level in the mip tail; the number of levels when there is none.
    slice_nbytes, nbytes, base_align : int
        Bytes of one slice's mip chain, of all slices, and what the address of the first byte is a multiple of.
    xor : int
        What the pipe/bank xor does to the byte address inside a block.
    rule : Equation or None
        None for linear surfaces, and where addrlib gives no addresses.
    """

    config: AddressConfig
    mode: SwizzleMode
    resource: str
    bpp: int
    width: int
    real_height: int
    slices: int
    samples: int
    pitch: int
    height: int
    num_slices: int
    block: Block
    levels: tuple[Level, ...]
    first_tail: int
    slice_nbytes: int
    nbytes: int
    base_align: int
    xor: int
    rule: Equation | None

    @property
    def element_log2(self) -> int:
        """log2 of the bytes of one element."""
        return self.bpp.bit_length() - 4

    @property
    def linear(self) -> bool:
        """Whether rows follow each other in memory."""
        return self.mode.order == "L"

    @property
    def block_width(self) -> int:
        """Elements across a block (linear: what the pitch is a multiple of)."""
        return 1 << self.block.width

    @property
    def block_height(self) -> int:
        """Elements down a block."""
        return 1 << self.block.height

    @property
    def block_depth(self) -> int:
        """Slices in a block."""
        return 1 << self.block.depth

    @property
    def mips(self) -> int:
        """Levels."""
        return len(self.levels)

    @property
    def mip_in_tail(self) -> bool:
        """Whether there is a mip tail."""
        return self.first_tail < self.mips

    @cached_property
    def columns(self) -> dict[str, list[int]]:
        """For each axis x, y, z, s: what each coordinate bit adds to the address inside a block."""
        if self.rule is None and not self.linear:
            raise UnsupportedError(f"addresses of SW_MODE {self.mode.name}, {self.resource}, {self.bpp} bpp",
                                   "addrlib gives sizes only")
        return {axis: columns(self.rule or (), axis) for axis in "xyzs"}

    def slice_start(self, level: Level, slice: Any) -> Any:
        """Byte of the first block of a slice's level; the slice's part of the XOR is not in it."""
        depth = self.block_depth
        return slice // depth * (self.slice_nbytes * depth) + level.block_offset

    def offset(self, x: npt.ArrayLike, y: npt.ArrayLike = 0, slice: npt.ArrayLike = 0, sample: npt.ArrayLike = 0,
               mip: npt.ArrayLike = 0) -> npt.NDArray[np.int64]:
        """Byte offsets of elements.

        Parameters
        ----------
        x, y, slice, sample, mip : array_like of int
            Coordinates within the level, broadcast against each other; `slice` is z for 3D. Padding may be addressed.

        Returns
        -------
        numpy.ndarray of int64
            From the start of the surface.

        Raises
        ------
        InputError
            A coordinate outside the surface.
        UnsupportedError
            A layout of which only the sizes are known.
        """
        given = [np.asarray(value) for value in (x, y, slice, sample, mip)]
        for name, value in zip(("x", "y", "slice", "sample", "mip"), given, strict=True):
            if value.dtype.kind not in "iu":
                raise InputError(f"{name}: expected integers, got {value.dtype}")
        arrays = np.broadcast_arrays(*given)
        self._inside("mip", arrays[4], self.mips)
        self._inside("sample", arrays[3], self.samples)
        result = np.zeros(arrays[0].shape, np.int64)
        chosen = arrays[4]
        for number in np.unique(chosen):
            where = chosen == number
            place = [array[where].astype(np.int64) for array in arrays[:4]]
            result[where] = self._offsets(self.levels[number], *place)
        return result if result.ndim else result[()]  # type: ignore[return-value]

    def _inside(self, name: str, value: npt.NDArray[Any], limit: int) -> None:
        if value.size and not (value.min() >= 0 and value.max() < limit):
            raise InputError(f"{name}: outside 0..{limit - 1}")

    def _offsets(self, level: Level, x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], z: npt.NDArray[np.int64],
                 sample: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        for name, value, limit in (("x", x, level.pitch), ("y", y, level.rows), ("slice", z, self.num_slices)):
            self._inside(name, value, limit)
        start = self.slice_start(level, z)
        if self.linear:
            return start + ((y * level.pitch + x) << self.element_log2)
        x, y = x + level.tail_x, y + level.tail_y
        parts = self.columns
        inside = xor_sums(parts["x"], x) ^ xor_sums(parts["y"], y) ^ self.xor
        inside ^= xor_sums(parts["z"], z) ^ xor_sums(parts["s"], sample)
        per_row = 0 if level.in_tail else level.pitch >> self.block.width
        block = (y >> self.block.height) * per_row + (0 if level.in_tail else x >> self.block.width)
        return start + (block << self.block.log2) + inside

    def slice_count(self, mip: int = 0) -> int:
        """Slices that hold texels: array layers, or the depth of a 3D level."""
        return self.levels[mip].depth if self.resource == "3d" else self.slices

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

    def _range(self, first_slice: int, slices: int | None, mip: int) -> int:
        if not 0 <= mip < self.mips:
            raise InputError(f"mip {mip}: outside 0..{self.mips - 1}")
        limit = self.slice_count(mip)
        count = limit - first_slice if slices is None else slices
        if first_slice < 0 or count < 0 or first_slice + count > limit:
            raise InputError(f"slices {first_slice}..{first_slice + count - 1}: outside 0..{limit - 1}")
        return count

    def _shape(self, count: int, mip: int) -> tuple[int, ...]:
        """[slices, samples, rows, elements(, words)]: samples are planes while copying."""
        words = (1 << self.element_log2) // 4
        level = self.levels[mip]
        return (count, self.samples, level.height, level.width) + ((words,) if words > 1 else ())

    def untile(self, data: npt.ArrayLike, first_slice: int = 0, slices: int | None = None,
               out: npt.NDArray[Any] | None = None, mip: int = 0) -> npt.NDArray[Any]:
        """Copy texels out of tiled bytes.

        Parameters
        ----------
        data : uint8[>= nbytes] or buffer
        first_slice : int
        slices : int, optional
            By default all from `first_slice` on.
        out : numpy.ndarray, optional
            Contiguous array of the result's shape and type to fill instead of a new one (one sample only).
        mip : int

        Returns
        -------
        numpy.ndarray
            [slices, height, width] of uint8, uint16 or uint32; [slices, height, width, 2 or 4] of uint32 for 64 and
            128 bpp. A sample axis follows the width of surfaces of several samples. No padding.
        """
        source = self._bytes(data, False)
        count = self._range(first_slice, slices, mip)
        planes, dtype = self._shape(count, mip), _TEXEL.get(self.element_log2, np.uint32)
        shape = planes[:1] + planes[2:]
        if out is not None:
            fits = out.shape == shape and out.dtype == dtype and out.flags.c_contiguous and self.samples == 1
            if not fits:
                raise InputError(f"out: expected contiguous {np.dtype(dtype)}{list(shape)}, "
                                 f"got {out.dtype}{list(out.shape)}")
        result = np.empty(planes, dtype) if out is None else out.reshape(planes)
        copy_levels(self, source, result.reshape(-1).view(np.uint8), first_slice, count, mip, gather)
        if self.samples == 1:
            return result.reshape(shape) if out is None else out
        return np.ascontiguousarray(np.moveaxis(result, 1, 3))

    def tile_into(self, array: npt.ArrayLike, data: npt.NDArray[np.uint8], first_slice: int = 0,
                  mip: int = 0) -> None:
        """Write texels into tiled bytes; padding, other slices and other levels stay as they are.

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
        texels = np.asarray(array)
        count = self._range(first_slice, len(texels) if texels.ndim else 0, mip)
        dtype, planes = np.dtype(_TEXEL.get(self.element_log2, np.uint32)), self._shape(count, mip)
        shape = planes[:1] + planes[2:4] + ((self.samples,) if self.samples > 1 else ()) + planes[4:]
        if texels.dtype != dtype or texels.shape != shape:
            raise InputError(f"array: expected {dtype}{['slices', *shape[1:]]}, got {texels.dtype}{list(texels.shape)}")
        if self.samples > 1:
            texels = np.moveaxis(texels, 3, 1)
        texels = np.ascontiguousarray(texels)
        copy_levels(self, target, texels.reshape(-1).view(np.uint8), first_slice, count, mip, scatter)

    def tile(self, array: npt.ArrayLike, first_slice: int = 0, mip: int = 0) -> npt.NDArray[np.uint8]:
        """Tiled bytes of a whole surface: zero where `array` has no texel.

        Returns
        -------
        uint8[nbytes]
        """
        data = np.zeros(self.nbytes, np.uint8)
        self.tile_into(array, data, first_slice, mip)
        return data


def _check_mode(mode: SwizzleMode, config: AddressConfig, bpp: int, samples: int, mips: int, resource: str) -> None:
    """Which modes go with what.  [SURF-LEGAL]"""
    name = f"SW_MODE {mode.name}"
    if mode.block_log2 == VARIABLE and not config.rb_plus:
        raise DecodeError(f"{name} exists only with RB+ (gfx10.3)")
    if mode.order == "Z" and (bpp > 64 or (samples > 1 and bpp > 32)):
        raise InputError(f"{name}: no {bpp} bpp with {samples} samples")
    if samples > 1 and (mode.order not in "ZR" or mips > 1 or resource != "2d"):
        raise InputError(f"{name}: {samples} samples need a 2D Z_X or R_X surface of one level")
    if resource == "3d" and mode.number not in _3D_MODES:
        raise InputError(f"{name}: not for 3D")


def _xor_bits(config: AddressConfig, mode: SwizzleMode, block_log2: int, pipe_bank_xor: int) -> int:
    """What a pipe/bank xor does to address bits inside a block.  [SURF-PIPE-BANK-XOR]"""
    if not mode.pipes:
        if pipe_bank_xor:
            raise InputError(f"pipe_bank_xor: SW_MODE {mode.name} has no pipe/bank xor")
        return 0
    banks = min(max(block_log2 - 8 - config.pipes - 2, 0), 4)
    mask = config.pipe_mask | ((1 << banks) - 1) << (config.pipes + 2)
    return (pipe_bank_xor & mask) << 8 & ((1 << block_log2) - 1)


@lru_cache(256)
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
    samples : int
        1, 2, 4 or 8.
    mips : int
        Levels.
    resource : str
        ``"1d"``, ``"2d"`` or ``"3d"``.
    gb_addr_config : int, optional
        By default the profile's.
    profile : str
    pipe_bank_xor : int
        What drivers put into bits 8 and up of the base address.

    Raises
    ------
    DecodeError
        A reserved SW_MODE or GB_ADDR_CONFIG.
    InputError
        Sizes or combinations that do not exist.
    UnsupportedError
        A GB_ADDR_CONFIG whose equations refgpu does not have.
    """
    mode = mode_of(swizzle_mode)
    if bpp not in (8, 16, 32, 64, 128):
        raise InputError(f"bpp: {bpp} is not 8, 16, 32, 64 or 128")
    if resource not in _RESOURCES:
        raise InputError(f"resource: {resource!r} is none of {', '.join(_RESOURCES)}")
    for name, value, high in (("width", width, _MAX_SIZE), ("height", height, 1 if resource == "1d" else _MAX_SIZE),
                              ("slices", slices, _MAX_SLICES), ("mips", mips, _MAX_MIPS)):
        check_size(name, value, high)
    if samples not in (1, 2, 4, 8):
        raise InputError(f"samples: {samples} is not 1, 2, 4 or 8")
    if mips > max(width, height, slices if resource == "3d" else 1).bit_length():
        raise InputError(f"mips: {mips} levels are more than {width}x{height} has")
    if pipe_bank_xor < 0:
        raise InputError(f"pipe_bank_xor: {pipe_bank_xor} is negative")
    config = address_config(profile, gb_addr_config)
    _check_mode(mode, config, bpp, samples, mips, resource)
    element_log2, samples_log2 = bpp.bit_length() - 4, samples.bit_length() - 1
    volume = resource == "3d"
    size = (width, height, slices if volume else 1)
    block_log2 = block_log2_of(config, mode)
    xor = _xor_bits(config, mode, block_log2, pipe_bank_xor)
    rule: Equation | None = None
    if mode.order == "L":
        block = Block(8, 8 - element_log2, 0, 0)
        levels, chain = linear_levels(size, mips, element_log2)
        first_tail = mips
    else:
        thick = volume and mode.order in "SD"
        block = block_of(block_log2, element_log2, samples_log2, thick)
        if not (thick and mode.order == "D" and config.rb_plus and element_log2 > 2):  # addrlib: sizes only
            rule = equation(config, mode, block_log2, element_log2, samples_log2, thick)
        levels, chain, first_tail = block_levels(size, mips, mode, block, element_log2, samples_log2, config, thick)
    count = -(-slices // (1 << block.depth)) << block.depth
    pitch, rows = align(width, 1 << block.width), align(height, 1 << block.height)
    return SurfaceLayout(config, mode, resource, bpp, width, height, slices, samples, pitch, rows, count,
                         block, tuple(levels), first_tail, chain, chain * count, 1 << block.log2, xor, rule)
