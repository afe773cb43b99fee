"""What a worker works with: one table of addresses and numbers, so that every kernel has the same short signature.

Kernels take the table itself (int64[Word.COUNT]) or its address and make arrays of what they need; compiled code for
long lists of array arguments would take minutes. `Context` keeps the arrays alive.
"""

from enum import IntEnum, unique
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt

from ..base.kernel import kernel
from ..base.pointers import float32_at, int64_at
from ..texture.format_table import COLOR_TABLE
from .layout import (
    BATCH_LANES,
    MAX_ATTRIBUTES,
    PS_IN_ROWS,
    PS_OUT_ROWS,
    ROW,
    TARGETS,
    TILE,
    TILE_PIXELS,
    F,
    S,
)
from .tables import Geometry, Targets

SIGNATURE: Final = numba.void(*[numba.int64] * 5)   # of stages and shaders
QUADS: Final = BATCH_LANES // 4
GROUP: Final = 16                            # quads of a wave64
BLOCK: Final = 8                             # columns of the small block in `scan`
PLANES: Final = 16                           # float64 coefficients of a record, see `interpolate`
COEFFICIENTS: Final = 12 * MAX_ATTRIBUTES    # float32 coefficients of a record
STATISTICS: Final = 4                        # columns: covered, passed the tests, shaded, killed
COVERED, ZPASS, SHADED, KILLED = range(STATISTICS)


@unique
class Word(IntEnum):
    """Words of the table."""

    # the pass
    SCREEN_XY = 0
    SCREEN_ZW = 1
    PARAMS = 2
    PARAM_STRIDE = 3
    TRIANGLES = 4
    STATE_I = 5
    STATE_F = 6
    RECORDS = 7
    BIN_BEGIN = 8
    BIN_END = 9
    CHUNKS = 10
    DEPTH = 11           # 0 when there is none; so are the other targets
    STENCIL = 12
    DIRTY = 13
    TILES = 14
    TILES_X = 15
    TILES_Y = 16
    VERTICES = 17
    TRIANGLE_COUNT = 18
    RECORD_COUNT = 19
    COLORS = 20          # 8 words
    COLOR_TABLE = 28     # texture.formats.COLOR_TABLE
    # the worker's arrays
    PIXELS = 30          # int32[2 * TILE_PIXELS], see `scan`
    SPANS = 31           # int32[2 * TILE]
    BLOCKS = 32          # int32[2 * TILE * BLOCK]
    SPARE = 33           # uint8[TILE_PIXELS] in place of a stencil target
    ORDER = 34           # int32[LARGEST]: record of each id
    FIRST = 35           # int32[LARGEST]: first piece of each id, or -1
    FOLLOWING = 36       # int32[LARGEST]: next visible id of the same state, or -1
    VISIBLE = 49         # int32[LARGEST]: ids of one state that are about to be shaded
    BY_STATE = 37        # int32[STATES]: first visible id of each state, or -1
    TOUCHED = 38         # int32[STATES]: states that have visible pixels
    PIECE = 39           # int32[TILE_PIXELS]: place << 4 | mask
    PIECE_NEXT = 40      # int32[TILE_PIXELS]
    STATISTICS = 41      # int64[STATES * STATISTICS]
    LARGEST = 42         # records of the largest tile
    STATES = 43
    # the batch's arrays
    INPUTS = 50          # float32[PS_IN_ROWS * ROW]
    OUTPUTS = 51         # float32[PS_OUT_ROWS * ROW]
    LIVE = 52            # int32[BATCH_LANES]: 1 covered, 0 helper or killed
    LANE_PIXEL = 53      # int32[BATCH_LANES]
    SLOT = 54            # int32[QUADS]: which record of the batch a quad belongs to
    SLOT_RECORD = 55     # int32[QUADS]: records of the batch
    PLANES = 56          # float64[QUADS * PLANES]
    ATTRIBUTES = 57      # float32[QUADS * COEFFICIENTS]: P0, P10, P20 of each component
    WEIGHTS = 58         # float32[4 * ROW]: I, J with perspective, I, J without
    LANE_DEPTH = 59      # float32[BATCH_LANES]
    WORDS = 60           # uint32[4 * ROW]: packed colours
    WAVE_PLANES = 61     # float64[PLANES * GROUP]: coefficients of the quads of one wave, column by column
    WAVE_P = 62          # float32[3 * GROUP]: P0, P10, P20 of one component, quad by quad
    OLD_WORDS = 63       # uint32[4 * ROW]: stored colours
    BLENDED = 64         # float32[10 * ROW], see `merge`
    ACTIVE = 65          # int32[BATCH_LANES]
    STAMPS = 66          # int32[TILE_PIXELS]: last segment that each quad was in
    # where the worker is
    TILE_INDEX = 70
    TILE_X = 71          # its first pixel
    TILE_Y = 72
    ROW = 73             # state row of the records being scanned, or of the batch
    ORDERED = 74         # 1: every depth of the tile is from +0 up
    QUAD_COUNT = 75
    SLOT_COUNT = 76
    CHANGED = 77         # mask like Targets.dirty
    X0 = 78              # rectangle that the last scanned record may have touched
    X1 = 79
    Y0 = 80
    Y1 = 81
    SHADES = 82          # 1: pixels of this state reach the shader
    PASSED = 83          # pixels that passed in the last scan
    TILE_STENCIL = 84    # address of the tile's stencil, or of SPARE
    STAMP = 85           # number of the last segment
    # addresses of stages
    FLUSH = 90
    INTERPOLATE = 91
    WRITE_COLORS = 92
    SCAN = 93
    RESOLVE = 94
    ADD_MARKED = 95
    COUNT = 100


_ROW, _STATE_I, _STATE_F = int(Word.ROW), int(Word.STATE_I), int(Word.STATE_F)


@kernel
def context_at(address):
    """The table at an address."""
    return int64_at(np.int64(address), np.int64(Word.COUNT))


@kernel
def state_ints(context, row):
    """One row of the integer state."""
    return int64_at(context[_STATE_I] + np.int64(row) * np.int64(8 * S.COUNT), np.int64(S.COUNT))


@kernel
def state_floats(context, row):
    """One row of the float state."""
    return float32_at(context[_STATE_F] + np.int64(row) * np.int64(4 * F.COUNT), np.int64(F.COUNT))


def address(array: npt.NDArray[Any] | None) -> int:
    """Address of an array's first element; 0 for None."""
    return 0 if array is None else int(array.__array_interface__["data"][0])


class Context:
    """A worker's table and the arrays behind it.

    Parameters
    ----------
    geometry : Geometry
    targets : Targets
    largest : int
        Records of the largest tile.
    """

    def __init__(self, geometry: Geometry, targets: Targets, largest: int):
        self.words = np.zeros(Word.COUNT, np.int64)
        self.arrays: list[npt.NDArray[Any]] = []
        states, largest = max(len(geometry.state_i), 1), max(largest, 1)
        shared: tuple[tuple[int, npt.NDArray[Any] | None], ...] = (
            (Word.SCREEN_XY, geometry.screen_xy), (Word.SCREEN_ZW, geometry.screen_zw), (Word.PARAMS, geometry.params),
            (Word.TRIANGLES, geometry.triangles), (Word.STATE_I, geometry.state_i), (Word.STATE_F, geometry.state_f),
            (Word.RECORDS, geometry.records), (Word.BIN_BEGIN, geometry.bin_begin), (Word.BIN_END, geometry.bin_end),
            (Word.DEPTH, targets.depth), (Word.STENCIL, targets.stencil), (Word.DIRTY, targets.dirty),
            (Word.COLOR_TABLE, COLOR_TABLE),
            *((Word.COLORS + n, color) for n, color in enumerate(targets.colors)),
        )
        for word, array in shared:
            self._share(word, array)
        for word, number in (
            (Word.PARAM_STRIDE, geometry.params.shape[1]), (Word.CHUNKS, len(geometry.bin_begin)),
            (Word.TILES, targets.tiles), (Word.TILES_X, targets.tiles_x), (Word.TILES_Y, targets.tiles_y),
            (Word.VERTICES, len(geometry.screen_xy)), (Word.TRIANGLE_COUNT, len(geometry.triangles)),
            (Word.RECORD_COUNT, len(geometry.records)), (Word.LARGEST, largest), (Word.STATES, states),
        ):
            self.words[word] = number
        self.statistics = np.zeros((states, STATISTICS), np.int64)
        self._share(Word.STATISTICS, self.statistics)
        for word, count, dtype, fill in (
            (Word.PIXELS, 2 * TILE_PIXELS, np.int32, 0), (Word.SPANS, 2 * TILE, np.int32, 0),
            (Word.BLOCKS, 2 * TILE * BLOCK, np.int32, 0), (Word.SPARE, TILE_PIXELS, np.uint8, 0),
            (Word.ORDER, largest, np.int32, 0), (Word.FIRST, largest, np.int32, -1),
            (Word.FOLLOWING, largest, np.int32, -1), (Word.VISIBLE, largest, np.int32, -1),
            (Word.BY_STATE, states, np.int32, -1), (Word.TOUCHED, states, np.int32, 0),
            (Word.PIECE, TILE_PIXELS, np.int32, 0), (Word.PIECE_NEXT, TILE_PIXELS, np.int32, 0),
            (Word.INPUTS, PS_IN_ROWS * ROW, np.float32, 0), (Word.OUTPUTS, PS_OUT_ROWS * ROW, np.float32, 0),
            (Word.LIVE, BATCH_LANES, np.int32, 0), (Word.LANE_PIXEL, BATCH_LANES, np.int32, 0),
            (Word.SLOT, QUADS, np.int32, 0), (Word.SLOT_RECORD, QUADS, np.int32, 0),
            (Word.PLANES, QUADS * PLANES, np.float64, 0), (Word.ATTRIBUTES, QUADS * COEFFICIENTS, np.float32, 0),
            (Word.WEIGHTS, 4 * ROW, np.float32, 0), (Word.LANE_DEPTH, BATCH_LANES, np.float32, 0),
            (Word.WORDS, 4 * ROW, np.uint32, 0), (Word.OLD_WORDS, 4 * ROW, np.uint32, 0),
            (Word.BLENDED, 10 * ROW, np.float32, 0), (Word.ACTIVE, BATCH_LANES, np.int32, 0),
            (Word.STAMPS, TILE_PIXELS, np.int32, 0),
            (Word.WAVE_PLANES, PLANES * GROUP, np.float64, 0), (Word.WAVE_P, 3 * GROUP, np.float32, 0),
        ):
            # zeros come from the system as they are needed
            self._share(word, np.full(count, fill, dtype) if fill else np.zeros(count, dtype))

    def _share(self, word: int, array: npt.NDArray[Any] | None) -> None:
        self.words[word] = address(array)
        if array is not None:
            self.arrays.append(array)


assert Word.COLORS + TARGETS <= Word.PIXELS
