"""What a pass is made of: its draws, its targets, and the geometry between the vertex stage and the tiles."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .layout import TILE, TILE_PIXELS


@dataclass(slots=True)
class Draw:
    """One draw, decoded.

    Attributes
    ----------
    prim_type : int
        VGT_PRIMITIVE_TYPE.PRIM_TYPE.
    count : int
        Vertices or indices.
    instances : int
        How often the list is drawn.
    indices : uint8, uint16 or uint32 array, or None
        The index buffer in place; None for an auto draw. Positions past its end read as index 0.
    index_offset : int
        GE_INDX_OFFSET, added to every index modulo 2^32.
    restart : int or None
        The index that ends a primitive, compared with the raw index; None when restart is off.
    vertex_shader, vertex_constants : int
        Address of the shader and of its constants.
    state_i : int64[viewports, S.COUNT]
    state_f : float32[viewports, F.COUNT]
    keep : list
        Owners of everything that an address above points at.
    """

    prim_type: int
    count: int
    instances: int
    indices: npt.NDArray[Any] | None
    index_offset: int
    restart: int | None
    vertex_shader: int
    vertex_constants: int
    state_i: npt.NDArray[np.int64]
    state_f: npt.NDArray[np.float32]
    keep: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Targets:
    """Resident targets of a pass, tile by tile: tile (layer, ty, tx) is row (layer * tiles_y + ty) * tiles_x + tx.

    Attributes
    ----------
    width, height, layers : int
        Pixels that exist; tiles at the border are whole all the same.
    depth : float32[tiles, 4096] or None
        Depth as stored: Z32F values, or the Z16 / Z24 code as an exact float32.
    stencil : uint8[tiles, 4096] or None
    colors : list of (uint32[tiles, words, 4096] or None)
        Word w of each pixel; 8- and 16-bit formats zero-extended.
    dirty : uint8[tiles]
        Bit 0: depth or stencil of the tile changed, bit 1 + n: colour target n did.
    """

    width: int
    height: int
    layers: int
    depth: npt.NDArray[np.float32] | None
    stencil: npt.NDArray[np.uint8] | None
    colors: list[npt.NDArray[np.uint32] | None]
    dirty: npt.NDArray[np.uint8]

    @property
    def tiles_x(self) -> int:
        """Tiles across."""
        return -(-self.width // TILE)

    @property
    def tiles_y(self) -> int:
        """Tiles down."""
        return -(-self.height // TILE)

    @property
    def tiles(self) -> int:
        """Tiles in all layers."""
        return self.tiles_x * self.tiles_y * self.layers


@dataclass(slots=True)
class Geometry:
    """What the geometry stages hand to the tiles.

    Attributes
    ----------
    screen_xy : int32[vertices, 2]
        Snapped window position.
    screen_zw : float32[vertices, 2]
        Window depth before the bias, and 1/w.
    params : float32[vertices, stride]
        Parameters exported by the vertex shader, 4 floats each; `stride` is the pass's largest.
    triangles : int32[triangles, 4]
        Three vertex rows, slot 0 the provoking vertex, and the state row.
    state_i : int64[rows, S.COUNT]
    state_f : float32[rows, F.COUNT]
        The rows of all draws of the pass.
    records : int32[n, RECORD_WORDS]
    bin_begin, bin_end : int64[chunks, tiles]
        Rows of `records` for a tile: chunk after chunk, each from begin to end, is primitive order.
    counts : dict
        Primitives and vertices: assembled, shaded, clipped, culled and so on, for the report.
    """

    screen_xy: npt.NDArray[np.int32]
    screen_zw: npt.NDArray[np.float32]
    params: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    state_i: npt.NDArray[np.int64]
    state_f: npt.NDArray[np.float32]
    records: npt.NDArray[np.int32]
    bin_begin: npt.NDArray[np.int64]
    bin_end: npt.NDArray[np.int64]
    counts: dict[str, int]


def empty_targets(width: int, height: int, *, layers: int = 1, depth: bool = False, stencil: bool = False,
                  color_words: tuple[int, ...] = ()) -> Targets:
    """Targets filled with zeros."""
    tiles = -(-width // TILE) * -(-height // TILE) * layers
    return Targets(
        width, height, layers,
        np.zeros((tiles, TILE_PIXELS), np.float32) if depth else None,
        np.zeros((tiles, TILE_PIXELS), np.uint8) if stencil else None,
        [np.zeros((tiles, words, TILE_PIXELS), np.uint32) for words in color_words],
        np.zeros(tiles, np.uint8),
    )
