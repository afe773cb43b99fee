"""A worker's way through its tiles: scan the records in order, defer or shade, resolve, write depth back."""

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import call_address, int32_at, int64_at, uint8_at
from .context import Word, context_at, state_ints
from .layout import RECORD_WORDS, TARGETS, TILE, TILE_PIXELS, C, R, S
from .resolve import add_marked, resolve
from .scan import scan_records
from .shade import STAGES as SHADE_STAGES

STAGES = (*SHADE_STAGES, (Word.SCAN, scan_records), (Word.RESOLVE, resolve), (Word.ADD_MARKED, add_marked))

_STATE, _COLOR, _COLOR_COUNT, _MASK = int(R.STATE), int(S.COLOR), int(C.COUNT), int(C.MASK)
_PS_ADDRESS, _LATE, _DEFER = int(S.PS_ADDRESS), int(S.LATE), int(S.DEFER)
_W = Word
_RECORDS, _RECORD_COUNT, _BIN_BEGIN, _BIN_END, _CHUNKS = (int(_W.RECORDS), int(_W.RECORD_COUNT), int(_W.BIN_BEGIN),
                                                          int(_W.BIN_END), int(_W.CHUNKS))
_DEPTH, _STENCIL, _DIRTY, _TILES, _TILES_X, _TILES_Y = (int(_W.DEPTH), int(_W.STENCIL), int(_W.DIRTY), int(_W.TILES),
                                                        int(_W.TILES_X), int(_W.TILES_Y))
_PIXELS, _SPARE, _ORDER, _LARGEST = int(_W.PIXELS), int(_W.SPARE), int(_W.ORDER), int(_W.LARGEST)
_TILE_INDEX, _TILE_X, _TILE_Y, _ROW, _ORDERED = (int(_W.TILE_INDEX), int(_W.TILE_X), int(_W.TILE_Y), int(_W.ROW),
                                                 int(_W.ORDERED))
_CHANGED, _SHADES, _PASSED, _TILE_STENCIL = int(_W.CHANGED), int(_W.SHADES), int(_W.PASSED), int(_W.TILE_STENCIL)
_FLUSH, _SCAN, _RESOLVE, _ADD_MARKED = int(_W.FLUSH), int(_W.SCAN), int(_W.RESOLVE), int(_W.ADD_MARKED)
_INFINITE = 0x7F800000


@kernel
def _load(context):
    """Copy a tile's depth in, clear the ids, note whether every depth is from +0 up to infinity."""
    tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
    lowest, highest = np.int32(0), np.int32(0)
    if context[_DEPTH] != 0:
        depth = int32_at(context[_DEPTH] + context[_TILE_INDEX] * np.int64(4 * TILE_PIXELS), np.int64(TILE_PIXELS))
        for pixel in range(TILE_PIXELS):
            bits = depth[np.uint64(pixel)]
            tile[np.uint64(pixel)] = bits
            lowest = min(lowest, bits)
            highest = max(highest, bits)
    for pixel in range(TILE_PIXELS):
        tile[np.uint64(pixel + TILE_PIXELS)] = np.int32(-1)
    context[_ORDERED] = np.int64((lowest >= np.int32(0)) & (highest <= np.int32(_INFINITE)))


@kernel
def _store(context):
    """Copy a tile's depth out and mark what changed."""
    if (context[_DEPTH] != 0) & (context[_CHANGED] & np.int64(1) != 0):
        tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
        depth = int32_at(context[_DEPTH] + context[_TILE_INDEX] * np.int64(4 * TILE_PIXELS), np.int64(TILE_PIXELS))
        for pixel in range(TILE_PIXELS):
            depth[np.uint64(pixel)] = tile[np.uint64(pixel)]
    dirty = uint8_at(context[_DIRTY], context[_TILES])
    tile_index = context[_TILE_INDEX]
    dirty[tile_index] = np.uint8(np.int64(dirty[tile_index]) | context[_CHANGED])


@kernel
def shades(state):
    """Whether pixels of this state reach the shader: it writes a colour or decides over depth and stencil."""
    if state[_PS_ADDRESS] == 0:
        return False
    if state[_LATE] != 0:
        return True
    masks = np.int64(0)
    for n in range(TARGETS):
        masks |= state[_COLOR + _COLOR_COUNT * n + _MASK]
    return masks != 0


@kernel
def _run_records(context, table, begin, end, sequence, pending):
    """Records begin..end of the tile, all of one state; returns the next id and whether pixels wait for shading."""
    state = state_ints(context, context[_ROW])
    shade = shades(state)
    context[_SHADES] = np.int64(shade)
    zero, one, none = np.int64(0), np.int64(1), np.int64(-1)
    if not shade:
        call_address(context[_SCAN], table, begin, end, none, zero)
        return sequence, pending
    if state[_DEFER] != 0:
        order = int32_at(context[_ORDER], context[_LARGEST])
        for r in range(begin, end):
            order[sequence + r - begin] = np.int32(r)
        call_address(context[_SCAN], table, begin, end, sequence, one)
        return sequence + end - begin, True
    if pending:
        call_address(context[_RESOLVE], table, zero, zero, zero, zero)
    for r in range(begin, end):
        call_address(context[_SCAN], table, r, r + one, zero, zero)
        if context[_PASSED] > 0:
            call_address(context[_ADD_MARKED], table, r, zero, zero, zero)
    call_address(context[_FLUSH], table, zero, zero, zero, zero)
    return sequence, False


@kernel
def _run_tile(context, table, tile_index):
    """All records of one tile."""
    tiles, chunks = context[_TILES], context[_CHUNKS]
    bin_begin, bin_end = int64_at(context[_BIN_BEGIN], chunks * tiles), int64_at(context[_BIN_END], chunks * tiles)
    total = np.int64(0)
    for chunk in range(chunks):
        total += bin_end[chunk * tiles + tile_index] - bin_begin[chunk * tiles + tile_index]
    if total == 0:
        return
    inside = tile_index % (context[_TILES_X] * context[_TILES_Y])
    context[_TILE_INDEX] = tile_index
    context[_TILE_X] = inside % context[_TILES_X] * np.int64(TILE)
    context[_TILE_Y] = inside // context[_TILES_X] * np.int64(TILE)
    context[_TILE_STENCIL] = context[_SPARE]
    if context[_STENCIL] != 0:
        context[_TILE_STENCIL] = context[_STENCIL] + tile_index * np.int64(TILE_PIXELS)
    context[_CHANGED] = np.int64(0)
    _load(context)
    records = int32_at(context[_RECORDS], context[_RECORD_COUNT] * np.int64(RECORD_WORDS))
    sequence, pending = np.int64(0), False
    for chunk in range(chunks):
        begin, stop = bin_begin[chunk * tiles + tile_index], bin_end[chunk * tiles + tile_index]
        while begin < stop:
            row = records[begin * np.int64(RECORD_WORDS) + _STATE]
            end = begin + np.int64(1)
            while (end < stop) and (records[end * np.int64(RECORD_WORDS) + _STATE] == row):
                end += np.int64(1)
            context[_ROW] = np.int64(row)
            sequence, pending = _run_records(context, table, begin, end, sequence, pending)
            begin = end
    if pending:
        zero = np.int64(0)
        call_address(context[_RESOLVE], table, zero, zero, zero, zero)
    _store(context)


@kernel
def run_tile_range(table, first, last):
    """Tiles first..last with the worker whose table is at this address."""
    context = context_at(table)
    for tile_index in range(first, last):
        _run_tile(context, table, np.int64(tile_index))
