"""One piece of metadata in memory: sizes, and where each element lies."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, UnsupportedError
from . import address
from .equations import Kind
from .mips import Mip

ELEMENTS_PER_BYTE_LOG2 = {Kind.HTILE: 0, Kind.CMASK: 1, Kind.DCC: 0}
_ELEMENT_NBYTES = {Kind.HTILE: 4, Kind.CMASK: 1, Kind.DCC: 1}

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the metadata of one surface lies; made by `htile_layout`, `cmask_layout` and `dcc_layout`.

    Attributes
    ----------
    kind : Kind
    surface_width, surface_height, slices : int
        The surface, in pixels; `slices` is array layers, or depth of a 3D surface.
    pitch, height, depth : int
        The same, rounded up to whole metablocks.
    block_width, block_height, block_depth : int
        Metablock in pixels; `block_nbytes` in bytes.
    slice_nbytes, nbytes : int
        Bytes of one slice (of `block_depth` slices in a 3D layout; all mips), and of everything.
    base_align : int
        Alignment of the base address in bytes.
    tile_width, tile_height : int
        Largest rectangle of pixels that always shares one element.
    compress_width, compress_height, compress_depth : int
        Nominal pixels of one element. For DCC at 8 and 16 bpp without RB+ these are not a rectangle: two tiles that
        touch at a corner share a key.
    mips : tuple of Mip
        Place of each mip within a slice.
    table : int64 array
        For the kernels in `refgpu.metadata.address`; None where the chip's addressing is not known.
    """

    kind: Kind
    surface_width: int
    surface_height: int
    slices: int
    block_width: int
    block_height: int
    block_depth: int
    block_nbytes: int
    base_align: int
    compress_width: int
    compress_height: int
    compress_depth: int
    tile_width: int
    tile_height: int
    mips: tuple[Mip, ...]
    slice_nbytes: int
    table: Any = field(repr=False)
    why_no_address: str = field(repr=False, default="")

    @property
    def pitch(self) -> int:
        """Width in pixels, whole metablocks."""
        return -(-self.surface_width // self.block_width) * self.block_width

    @property
    def height(self) -> int:
        """Height in pixels, whole metablocks."""
        return -(-self.surface_height // self.block_height) * self.block_height

    @property
    def depth(self) -> int:
        """Slices, whole metablocks."""
        return -(-self.slices // self.block_depth) * self.block_depth

    @property
    def blocks_per_slice(self) -> int:
        """Metablocks of one slice, all mips."""
        return self.slice_nbytes // self.block_nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of the whole metadata: what a fill must cover to cover everything."""
        return self.slice_nbytes * (self.depth // self.block_depth)

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Shape of per-tile arrays: slices, tiles down, tiles across (of the surface, padding left out)."""
        return self.slices, -(-self.surface_height // self.tile_height), -(-self.surface_width // self.tile_width)

    def check_base(self, base: int) -> None:
        """Raise InputError unless the metadata can begin at address `base`."""
        if base < 0 or base % self.base_align:
            raise InputError(f"{self.kind.name} base {base:#x} is not a multiple of {self.base_align:#x}")

    def offset(self, x: npt.ArrayLike, y: npt.ArrayLike, slice: npt.ArrayLike = 0) -> Any:
        """Byte offset of the element that describes pixel (x, y) of a slice.

        Parameters
        ----------
        x, y, slice : int or integer arrays
            Broadcast against each other; anywhere within pitch, height and slices.

        Returns
        -------
        int or int64 array
            Bytes from the start of the metadata.

        Raises
        ------
        InputError
            A coordinate outside the layout, or not an integer.
        UnsupportedError
            Nobody knows where the chip puts this: mips, 3D, several fragments.
        """
        return self._locate(x, y, slice, ELEMENTS_PER_BYTE_LOG2[self.kind])

    def nibble(self, x: npt.ArrayLike, y: npt.ArrayLike, slice: npt.ArrayLike = 0) -> Any:
        """Like `offset` for CMASK, in half bytes: byte offset * 2 + (0 for bits 3:0, 1 for bits 7:4)."""
        self._need_nibbles("nibble")
        return self._locate(x, y, slice, 0)

    def tile(self, offset: npt.ArrayLike) -> tuple[Any, Any, Any]:
        """First pixel (x, y) and slice of the tile that the element at a byte offset describes.

        The inverse of `offset`: ``layout.offset(*layout.tile(n))`` is the start of the element that holds byte n. For
        CMASK it is the tile of bits 3:0; `tile_of_nibble` tells both apart.
        """
        offset = self._within(offset, self.nbytes, "offset")
        return self._position((offset & -_ELEMENT_NBYTES[self.kind]) << ELEMENTS_PER_BYTE_LOG2[self.kind])

    def tile_of_nibble(self, nibble: npt.ArrayLike) -> tuple[Any, Any, Any]:
        """First pixel (x, y) and slice of the tile of a CMASK nibble."""
        self._need_nibbles("tile_of_nibble")
        return self._position(self._within(nibble, 2 * self.nbytes, "nibble"))

    def tile_elements(self) -> Integers:
        """Element of every tile, int64 [slice, tile_y, tile_x]: bytes, or nibbles for CMASK."""
        self._need_address()
        out = np.empty(self.tiles, np.int64)
        address.offsets_of_grid(self.table, self.tile_width, self.tile_height, 0, out)
        return out

    def _need_nibbles(self, name: str) -> None:
        if self.kind is not Kind.CMASK:
            raise InputError(f"{name}: only CMASK has nibbles, this layout is {self.kind.name}")

    def _need_address(self) -> None:
        if self.table is None:
            raise UnsupportedError(self.why_no_address)

    def _locate(self, x: npt.ArrayLike, y: npt.ArrayLike, slice: npt.ArrayLike, shift: int) -> Any:
        self._need_address()
        places = (self._within(x, self.pitch, "x"), self._within(y, self.height, "y"),
                  self._within(slice, self.slices, "slice"))
        try:
            shape = np.broadcast_shapes(*(place.shape for place in places))
        except ValueError as error:
            raise InputError(f"x, y, slice: {error}") from None
        flat = (_flat(place if place.size == 1 else np.broadcast_to(place, shape)) for place in places)
        out = np.empty(shape, np.int64)
        address.offsets_of(self.table, *flat, shift, out.reshape(-1))
        return out if out.ndim else int(out)

    def _position(self, elements: Integers) -> tuple[Any, Any, Any]:
        self._need_address()
        flat = _flat(elements)
        x, y, z = (np.empty(flat.shape, np.int64) for _ in range(3))
        address.positions_of(self.table, flat, x, y, z)
        if elements.ndim == 0:
            return int(x[0]), int(y[0]), int(z[0])
        return x.reshape(elements.shape), y.reshape(elements.shape), z.reshape(elements.shape)

    def _within(self, values: npt.ArrayLike, limit: int, name: str) -> Integers:
        array = np.asarray(values)
        if array.dtype.kind not in "iu":
            raise InputError(f"{name}: expected integers, got {array.dtype}")
        if array.size and not (array.min() >= 0 and array.max() < limit):
            low, high = int(array.min()), int(array.max())
            raise InputError(f"{name}: {low if low < 0 else high} is outside 0..{limit - 1}")
        return array.astype(np.int64, copy=False)


def _flat(array: Integers) -> Integers:
    """Contiguous and writable, as the kernels are compiled for; copied only if it is not."""
    return np.require(array, np.int64, ["C", "W"]).reshape(-1)
