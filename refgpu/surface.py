"""Surfaces in guest memory: where their texels lie, and the way to and from the tiles that the pipeline works on."""

import functools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import TILE, TILE_PIXELS
from refgpu.texture.formats import color_format
from refgpu.texture.surface import SurfaceLayout, surface_layout

from .base.errors import InputError
from .base.kernel import kernel
from .memory import Memory, normalize
from .state.color import ColorTarget
from .state.depth import DepthTarget

_Z_BITS: Final = {1: 16, 2: 32, 3: 32}        # DB_Z_INFO.FORMAT
_Z24_MASK: Final = 0x00FFFFFF
_CONTAINERS: Final = {8: np.uint8, 16: np.uint16}


@kernel
def _linear_to_tiles(linear, tiles, tiles_x):
    """Linear [height, width, words] to tiles [tile, words, pixel]."""
    height, width, words = linear.shape
    for y in range(height):
        for tile_x in range(tiles_x):
            tile = tiles[(y // TILE) * tiles_x + tile_x]
            first = tile_x * TILE
            last = min(first + TILE, width)
            place = (y % TILE) * TILE
            for word in range(words):
                for x in range(first, last):
                    tile[word, place + x - first] = linear[y, x, word]


@kernel
def _tiles_to_linear(tiles, linear, tiles_x, changed):
    """The inverse, for the tiles that changed."""
    height, width, words = linear.shape
    for y in range(height):
        for tile_x in range(tiles_x):
            number = (y // TILE) * tiles_x + tile_x
            if not changed[number]:
                continue
            first = tile_x * TILE
            last = min(first + TILE, width)
            place = (y % TILE) * TILE
            for word in range(words):
                for x in range(first, last):
                    linear[y, x, word] = tiles[number, word, place + x - first]


@functools.cache
def _layout(swizzle: int, bits: int, width: int, height: int, slices: int, profile: str, xor: int) -> SurfaceLayout:
    return surface_layout(swizzle, bits, width, height, slices=slices, profile=profile, pipe_bank_xor=xor)


@dataclass(frozen=True)
class GuestSurface:
    """One plane of a 2D surface or array, mip 0.

    Attributes
    ----------
    address : int
        Guest address of its first byte, without the pipe/bank xor.
    xor : int
        Pipe/bank xor.
    bits : int
        Bits of one texel: 8, 16, 32, 64 or 128.
    swizzle : int
        SW_MODE.
    width, height : int
        Texels.
    first_layer, layers : int
        The slices of the view.
    profile : str
    kind : str
        ``"color"``, ``"z1"``, ``"z2"``, ``"z3"`` (by DB_Z_INFO.FORMAT) or ``"stencil"``: what the tiles hold.
    """

    address: int
    xor: int
    bits: int
    swizzle: int
    width: int
    height: int
    first_layer: int
    layers: int
    profile: str
    kind: str

    @functools.cached_property
    def layout(self) -> SurfaceLayout:
        """Address rule of slices 0 .. last."""
        return _layout(self.swizzle, self.bits, self.width, self.height, self.first_layer + self.layers, self.profile,
                       self.xor)

    @property
    def nbytes(self) -> int:
        """Bytes of slices 0 .. last."""
        return self.layout.nbytes

    @property
    def words(self) -> int:
        """uint32 words of one texel in tiles."""
        return max(1, self.bits // 32)

    def overlaps(self, address: int, nbytes: int) -> bool:
        """Whether a range of guest bytes touches the surface."""
        start = normalize(address)
        return self.address < start + nbytes and start < self.address + self.nbytes

    def check(self, memory: Memory) -> None:
        """InputError unless all of it is mapped and writable."""
        region = memory.region_at(self.address)
        if region is None or region.end < self.address + self.nbytes or region.read_only:
            why = "is not mapped" if region is None else "is read-only" if region.read_only else f"leaves {region}"
            raise InputError(f"{self.kind} surface {self.width}x{self.height} of {self.nbytes} bytes at "
                             f"{self.address:#x} {why}")

    def read(self, memory: Memory) -> npt.NDArray[np.uint32]:
        """Stored bits of the view: uint32[layers, height, width, words]."""
        return self._untile(memory.view(self.address, self.nbytes))

    def _untile(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
        texels = self.layout.untile(data, self.first_layer, self.layers)
        shape = self.layers, self.height, self.width, self.words
        return texels.astype(np.uint32, copy=False).reshape(shape)

    def load_tiles(self, memory: Memory, width: int, height: int) -> npt.NDArray[Any]:
        """Tiles of the upper left width x height texels, in the form that `refgpu.raster.tables.Targets` asks for."""
        pointer, owner = memory.pointer(self.address, self.nbytes)
        first = pointer - int(owner.__array_interface__["data"][0])
        linear = self._untile(owner[first : first + self.nbytes])
        tiles_x, tiles_y = -(-width // TILE), -(-height // TILE)
        tiles: npt.NDArray[Any] = np.zeros((self.layers, tiles_x * tiles_y, self.words, TILE_PIXELS), np.uint32)
        for layer in range(self.layers):
            _linear_to_tiles(np.ascontiguousarray(linear[layer, :height, :width]), tiles[layer], tiles_x)
        tiles = tiles.reshape(-1, self.words, TILE_PIXELS)
        if self.kind == "color":
            return tiles
        plane = tiles[:, 0]
        if self.kind == "z3":
            return plane.view(np.float32)
        if self.kind == "stencil":
            return plane.astype(np.uint8)
        return (plane & np.uint32(_Z24_MASK)).astype(np.float32)

    def store_tiles(self, memory: Memory, width: int, height: int, tiles: npt.NDArray[Any],
                    changed: npt.NDArray[np.bool_]) -> None:
        """Write the changed tiles back; all other bytes keep their values."""
        if self.kind == "color":
            planes = tiles
        elif self.kind == "z3":
            planes = tiles.view(np.uint32)[:, None]
        else:
            planes = tiles.astype(np.uint32)[:, None]
        tiles_x, tiles_y = -(-width // TILE), -(-height // TILE)
        planes = planes.reshape(self.layers, tiles_x * tiles_y, self.words, TILE_PIXELS)
        layers_changed = changed.reshape(self.layers, -1)
        data = memory.own_bytes(self.address, self.nbytes)
        if changed.all() and (width, height) == (self.width, self.height):
            linear = np.empty((self.layers, height, width, self.words), np.uint32)
        else:
            linear = self._untile(data)
        for layer in range(self.layers):
            if layers_changed[layer].any():
                _tiles_to_linear(planes[layer], linear[layer, :height, :width], tiles_x, layers_changed[layer])
        self._tile(linear, data)

    def _tile(self, linear: npt.NDArray[np.uint32], data: npt.NDArray[np.uint8]) -> None:
        texels = linear if self.words > 1 else linear[..., 0].astype(_CONTAINERS.get(self.bits, np.uint32), copy=False)
        self.layout.tile_into(texels, data, self.first_layer)


def _surface(address: int, bits: int, swizzle: int, target: ColorTarget | DepthTarget, profile: str,
             kind: str) -> GuestSurface:
    """Surface at the value of a base register, whose bits 8 and up inside a block are the pipe/bank xor."""
    layout = _layout(swizzle, bits, target.width, target.height, target.slices, profile, 0)
    inside = address & (layout.base_align - 1)
    return GuestSurface(normalize(address - inside), inside >> 8, bits, swizzle, target.width, target.height,
                        target.slice, target.slices - target.slice, profile, kind)


def color_surface(target: ColorTarget, profile: str) -> GuestSurface:
    """Surface of a colour target."""
    bits = color_format(target.format, target.number_type, target.swap).bits
    return _surface(target.address, bits, target.swizzle, target, profile, "color")


def z_surface(target: DepthTarget, profile: str) -> GuestSurface:
    """Surface of the depth plane."""
    return _surface(target.z_address, _Z_BITS[target.z_format], target.z_swizzle, target, profile,
                    f"z{target.z_format}")


def stencil_surface(target: DepthTarget, profile: str) -> GuestSurface:
    """Surface of the stencil plane."""
    return _surface(target.stencil_address, 8, target.stencil_swizzle, target, profile, "stencil")
