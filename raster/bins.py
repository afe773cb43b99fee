"""Which tiles a record goes to, and the bins: full records, tile by tile, in primitive order."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .layout import RECORD_WORDS, TILE, R, RecordFlag, S

_TILE_SHIFT: Final = TILE.bit_length() - 1
_X0: Final = int(R.X0)
_STATE: Final = int(R.STATE)
_FLAGS: Final = int(R.FLAGS)
_X_RANGE: Final = int(R.X_RANGE)
_Y_RANGE: Final = int(R.Y_RANGE)
_LAYER: Final = int(R.LAYER)
_RECT: Final = int(RecordFlag.RECT)
_SUBPIXEL_BITS: Final = int(S.SUBPIXEL_BITS)
_PAIRS: Final = RECORD_WORDS // 2
_FEW_TILES: Final = 4  # below this testing the edges costs more than it saves


@kernel
def edge_misses(ax, ay, bx, by, first_x, first_y, last_x, last_y):
    """Whether every point of a box lies strictly outside the edge a -> b of a triangle with positive area."""
    dx = np.int64(bx) - np.int64(ax)
    dy = np.int64(by) - np.int64(ay)
    x = last_x if dy < 0 else first_x
    y = last_y if dx > 0 else first_y
    return dx * (y - np.int64(ay)) - dy * (x - np.int64(ax)) < 0


@kernel
def misses_tile(records, n, tile_x, tile_y, fraction_bits):
    """Whether no pixel centre of a tile can be inside the triangle of a record."""
    half = np.int64(1) << (fraction_bits - 1)
    first_x = (np.int64(tile_x) << (_TILE_SHIFT + fraction_bits)) + half
    first_y = (np.int64(tile_y) << (_TILE_SHIFT + fraction_bits)) + half
    last_x = first_x + (np.int64(TILE - 1) << fraction_bits)
    last_y = first_y + (np.int64(TILE - 1) << fraction_bits)
    x0, y0, x1, y1 = records[n, _X0], records[n, _X0 + 1], records[n, _X0 + 2], records[n, _X0 + 3]
    x2, y2 = records[n, _X0 + 4], records[n, _X0 + 5]
    return (edge_misses(x0, y0, x1, y1, first_x, first_y, last_x, last_y)
            or edge_misses(x1, y1, x2, y2, first_x, first_y, last_x, last_y)
            or edge_misses(x2, y2, x0, y0, first_x, first_y, last_x, last_y))


@kernel
def tile_box(x_range, y_range):
    """Tiles that pixel ranges touch: first and last column, first and last row."""
    x_range = np.int64(x_range)
    y_range = np.int64(y_range)
    return ((x_range & 0xFFFF) >> _TILE_SHIFT, ((x_range >> 16) - 1) >> _TILE_SHIFT,
            (y_range & 0xFFFF) >> _TILE_SHIFT, ((y_range >> 16) - 1) >> _TILE_SHIFT)


@kernel
def tests_edges(flags, left, right, top, bottom):
    """Whether it pays to leave out the tiles of the box that the triangle does not touch."""
    return np.int64(flags) & _RECT == 0 and (right - left + 1) * (bottom - top + 1) > _FEW_TILES


@kernel
def count_tiles(records, n, left, right, top, bottom, state_i, tiles_x, tiles_y, counts):
    """Add one to the count of every tile that record n goes to."""
    base = np.int64(records[n, _LAYER]) * tiles_y * tiles_x
    tests = tests_edges(records[n, _FLAGS], left, right, top, bottom)
    bits = state_i[records[n, _STATE], _SUBPIXEL_BITS]
    for tile_y in range(top, bottom + 1):
        for tile_x in range(left, right + 1):
            if not tests or not misses_tile(records, n, tile_x, tile_y, bits):
                counts[base + tile_y * tiles_x + tile_x] += 1


@kernel
def begin_bins(first, counts, begins):
    """Turn the counts of a chunk into where each tile's rows begin, from row `first` on; `counts` becomes the same."""
    row = np.int64(first)
    for tile in range(counts.size):
        here = counts[tile]
        begins[tile] = row
        counts[tile] = row
        row += here


@kernel
def write_records(scratch, count, state_i, tiles_x, tiles_y, ends, records):
    """Append the records of a chunk to their tiles' bins; `ends` moves from the beginning to the end of each bin."""
    # flat and two words at a time: row by row, the overlap check would cost more than the copy
    source, target = scratch.reshape(-1).view(np.int64), records.reshape(-1).view(np.int64)
    for n in range(count):
        left, right, top, bottom = tile_box(scratch[n, _X_RANGE], scratch[n, _Y_RANGE])
        base = np.int64(scratch[n, _LAYER]) * tiles_y * tiles_x
        tests = tests_edges(scratch[n, _FLAGS], left, right, top, bottom)
        bits = state_i[scratch[n, _STATE], _SUBPIXEL_BITS]
        for tile_y in range(top, bottom + 1):
            for tile_x in range(left, right + 1):
                if not tests or not misses_tile(scratch, n, tile_x, tile_y, bits):
                    tile = base + tile_y * tiles_x + tile_x
                    row = ends[tile]
                    ends[tile] = row + 1
                    here, there = np.uint64(n * _PAIRS), np.uint64(row * _PAIRS)
                    for k in range(_PAIRS):
                        target[there + np.uint64(k)] = source[here + np.uint64(k)]


@kernel
def fill_bins(first, scratch, count, state_i, tiles_x, tiles_y, begins, ends, records):
    """Second half of a chunk: its records into rows [first, ...), bin after bin."""
    begin_bins(first, ends, begins)
    write_records(scratch, count, state_i, tiles_x, tiles_y, ends, records)
