"""Early tests of one record in a tile: which pixels pass; depth and stencil are updated. No shader is known here.

The tile is int32[2 * TILE_PIXELS]: first the depth of each pixel as float32 bits, then an id. A passing pixel's id
becomes the larger of the old one and `ident`; ids grow with the primitive order, so the last one stays, and -1 leaves
all ids alone. One array for both, and min/max instead of conditional stores, let LLVM use whole vectors: on AVX2 a
select between a new value and the one just loaded becomes a masked store, which is many times slower.

For depths from +0 up the order of the values is the order of their bits. `flip` is -1 for GREATER and GEQUAL: ~bits
reverses the order, so LESS serves all four. `or_equal` is 1 for LEQUAL and GEQUAL. `hold` is the largest int32 when
depth is not written and the smallest when it is.
"""

import numpy as np

from ..base.kernel import callback, kernel
from ..base.pointers import int32_at, int64_at, uint8_at
from .context import BLOCK, COVERED, SIGNATURE, STATISTICS, ZPASS, Word, context_at, state_floats, state_ints
from .coverage import cut_edge, record_range, row_spans
from .depth import clamp_depth, order_bits, order_float
from .fragment import GENERAL, ORDER, REPLACE, may_write, scan_mode, stays_ordered, test_pixel
from .layout import RECORD_WORDS, TILE, TILE_PIXELS, R, RecordFlag, S
from .plane import pixel_offset, plane_gradients, plane_row, plane_value

LEAST = np.int32(-0x80000000)

# typed, not plain ints: a literal argument would make numba compile the callee once more
_X0, _Y0, _X1, _Y1, _X2, _Y2 = (np.int64(word) for word in (R.X0, R.Y0, R.X1, R.Y1, R.X2, R.Y2))
_Z0, _Z1, _Z2, _FLAGS = np.int64(R.Z0), np.int64(R.Z1), np.int64(R.Z2), np.int64(R.FLAGS)
_BITS, _LATE = int(S.SUBPIXEL_BITS), int(S.LATE)
_TILE_X, _TILE_Y, _ROW, _SHADES = int(Word.TILE_X), int(Word.TILE_Y), int(Word.ROW), int(Word.SHADES)
_RX0, _RX1, _RY0, _RY1 = int(Word.X0), int(Word.X1), int(Word.Y0), int(Word.Y1)
_BLOCKS, _SPANS, _STENCIL, _PIXELS = int(Word.BLOCKS), int(Word.SPANS), int(Word.TILE_STENCIL), int(Word.PIXELS)
_RECORDS, _RECORD_COUNT, _ORDERED = int(Word.RECORDS), int(Word.RECORD_COUNT), int(Word.ORDERED)
_STATISTICS, _PASSED, _CHANGED = int(Word.STATISTICS), int(Word.PASSED), int(Word.CHANGED)
_RECT, _BACK = int(RecordFlag.RECT), int(RecordFlag.BACK)
_IDS = TILE_PIXELS


@kernel
def record_plane(records, at, subpixel_bits):
    """Depth at vertex 0 and its change along x and y."""
    z0 = order_float(records[at + _Z0])
    z1 = order_float(records[at + _Z1])
    z2 = order_float(records[at + _Z2])
    if (z0 == z1) & (z1 == z2):
        return z0, np.float64(0), np.float64(0)
    along_x, along_y = plane_gradients(records[at + _X0], records[at + _Y0], records[at + _X1], records[at + _Y1],
                                       records[at + _X2], records[at + _Y2], z0, z1, z2, subpixel_bits)
    return z0, along_x, along_y


@kernel
def _order_block(tile, block, base, rows, x0, x1, k0, a0, b0, k1, a1, b1, k2, a2, b2,
                 z0, along_y, offset_y, along_x, offset_x, low, high, flip, or_equal, hold, ident):
    """Eight columns from pixel `base` of the tile; returns covered << 16 | passed."""
    for y in range(rows):
        source, target = np.uint64(base + y * TILE), np.uint64(y * BLOCK)
        for x in range(BLOCK):
            block[target + np.uint64(x)] = tile[source + np.uint64(x)]
    count = np.int32(0)
    for lane in range(rows * BLOCK):
        x = np.int32(np.int32(lane) & np.int32(7))
        y = np.int32(np.int32(lane) >> np.int32(3))
        e0 = np.int32(np.int32(k0 + np.int32(a0 * x)) + np.int32(b0 * y))
        e1 = np.int32(np.int32(k1 + np.int32(a1 * x)) + np.int32(b1 * y))
        e2 = np.int32(np.int32(k2 + np.int32(a2 * x)) + np.int32(b2 * y))
        columns = np.int32(np.int32(x - x0) | np.int32(np.int32(x1 - x) - np.int32(1)))
        outside = np.int32(np.int32(np.int32(np.int32(e0 | e1) | e2) | columns) >> np.int32(31))
        row = plane_row(z0, along_y, offset_y + np.float64(y))
        z = clamp_depth(plane_value(row, along_x, offset_x + np.float64(x)), low, high)
        new = max(np.int32(order_bits(z) ^ flip), np.int32(outside ^ LEAST))  # LEAST inside, the largest outside
        old = np.int32(block[np.uint64(lane)] ^ flip)
        passed = np.int32(new - or_equal) < old
        block[np.uint64(lane)] = np.int32(min(max(new, hold), old) ^ flip)
        block[np.uint64(lane + TILE * BLOCK)] = ident if passed else np.int32(-1)
        count = np.int32(count + np.int32(passed))
        count = np.int32(count + np.int32(np.int32(~outside) & np.int32(0x10000)))
    for y in range(rows):
        source, target = np.uint64(base + y * TILE), np.uint64(y * BLOCK)
        for x in range(BLOCK):
            tile[source + np.uint64(x)] = block[target + np.uint64(x)]
        for x in range(BLOCK):
            place = source + np.uint64(x + _IDS)
            tile[place] = max(tile[place], block[target + np.uint64(x + TILE * BLOCK)])
    return count


@kernel
def _order_rows(tile, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x, low, high, flip, or_equal, hold, ident):
    """Any spans; returns how many pixels passed."""
    total = np.int64(0)
    for y in range(y0, y1):
        row = plane_row(z0, along_y, offset_y + np.float64(y))
        count = np.int32(0)
        for x in range(spans[y], spans[y + TILE]):
            place = np.uint64(y * TILE + x)
            z = clamp_depth(plane_value(row, along_x, offset_x + np.float64(np.int32(x))), low, high)
            new = np.int32(order_bits(z) ^ flip)
            old = np.int32(tile[place] ^ flip)
            passed = np.int32(new - or_equal) < old
            tile[place] = np.int32(min(max(new, hold), old) ^ flip)
            id_place = np.uint64(y * TILE + x + _IDS)
            tile[id_place] = max(tile[id_place], ident if passed else np.int32(-1))
            count = np.int32(count + np.int32(passed))
        total += np.int64(count)
    return total


@kernel
def _order_whole(tile, z0, along_y, offset_y, along_x, offset_x, low, high, flip, or_equal, hold, ident):
    """The whole tile; returns how many pixels passed."""
    count = np.int32(0)
    for y in range(TILE):
        row = plane_row(z0, along_y, offset_y + np.float64(np.int32(y)))
        for x in range(TILE):
            z = clamp_depth(plane_value(row, along_x, offset_x + np.float64(np.int32(x))), low, high)
            new = np.int32(order_bits(z) ^ flip)
            place = np.uint64(y * TILE + x)
            old = np.int32(tile[place] ^ flip)
            passed = np.int32(new - or_equal) < old
            tile[place] = np.int32(min(max(new, hold), old) ^ flip)
            id_place = np.uint64(y * TILE + x + _IDS)
            tile[id_place] = max(tile[id_place], ident if passed else np.int32(-1))
            count = np.int32(count + np.int32(passed))
    return np.int64(count)


@kernel
def _order_constant(tile, z, flip, or_equal, hold, ident):
    """The whole tile at one depth, ids too."""
    new = np.int32(order_bits(z) ^ flip)
    limit = np.int32(new - or_equal)
    new = max(new, hold)
    count = np.int32(0)
    for pixel in range(TILE_PIXELS):
        place = np.uint64(pixel)
        old = np.int32(tile[place] ^ flip)
        passed = limit < old
        tile[place] = np.int32(min(new, old) ^ flip)
        id_place = np.uint64(pixel + _IDS)
        tile[id_place] = max(tile[id_place], ident if passed else np.int32(-1))
        count = np.int32(count + np.int32(passed))
    return np.int64(count)


@kernel
def _order_constant_depth(tile, z, flip, or_equal, hold):
    """The whole tile at one depth, no ids."""
    new = np.int32(order_bits(z) ^ flip)
    limit = np.int32(new - or_equal)
    new = max(new, hold)
    count = np.int32(0)
    for pixel in range(TILE_PIXELS):
        place = np.uint64(pixel)
        old = np.int32(tile[place] ^ flip)
        tile[place] = np.int32(min(new, old) ^ flip)
        count = np.int32(count + np.int32(limit < old))
    return np.int64(count)


@kernel
def _replace_rows(tile, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x, low, high):
    """Every covered pixel takes the new depth."""
    for y in range(y0, y1):
        row = plane_row(z0, along_y, offset_y + np.float64(y))
        for x in range(spans[y], spans[y + TILE]):
            z = clamp_depth(plane_value(row, along_x, offset_x + np.float64(np.int32(x))), low, high)
            tile[np.uint64(y * TILE + x)] = order_bits(z)


@kernel
def _mark_rows(tile, spans, y0, y1, ident):
    """Every covered pixel takes the id."""
    for y in range(y0, y1):
        for x in range(spans[y], spans[y + TILE]):
            place = np.uint64(y * TILE + x + _IDS)
            tile[place] = max(tile[place], ident)


@kernel
def _general_rows(tile, stencil, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x, state, floats, back, ident):
    """All tests, pixel by pixel; returns how many passed."""
    total = np.int64(0)
    for y in range(y0, y1):
        value = plane_row(z0, along_y, offset_y + np.float64(y))
        for x in range(spans[y], spans[y + TILE]):
            z = plane_value(value, along_x, offset_x + np.float64(np.int32(x)))
            place = np.int64(y * TILE + x)
            if test_pixel(tile, stencil, place, z, state, floats, back):
                total += np.int64(1)
                tile[place + _IDS] = max(tile[place + _IDS], ident)
    return total


@kernel
def _scan_record(context, tile, records, at, ident, mode, flip, or_equal, hold, low, high, state, floats):
    """One record; returns covered and passed pixels and leaves the rectangle in the table."""
    nothing = np.int64(0)
    tile_x, tile_y, bits = context[_TILE_X], context[_TILE_Y], state[_BITS]
    x0, x1, y0, y1 = record_range(records, at, tile_x, tile_y, bits)
    if (x0 >= x1) | (y0 >= y1):
        return nothing, nothing
    cut = np.int32(0)
    k0 = a0 = b0 = k1 = a1 = b1 = k2 = a2 = b2 = nothing
    if not records[at + _FLAGS] & _RECT:
        c0, k0, a0, b0 = cut_edge(records, at, _X0, _X1, tile_x, tile_y, bits, x0, x1, y0, y1)
        c1, k1, a1, b1 = cut_edge(records, at, _X1, _X2, tile_x, tile_y, bits, x0, x1, y0, y1)
        c2, k2, a2, b2 = cut_edge(records, at, _X2, _X0, tile_x, tile_y, bits, x0, x1, y0, y1)
        if min(c0, c1, c2) < np.int32(0):
            return nothing, nothing
        cut = max(c0, c1, c2)
    context[_RX0], context[_RX1] = np.int64(x0), np.int64(x1)
    context[_RY0], context[_RY1] = np.int64(y0), np.int64(y1)
    z0, along_x, along_y = record_plane(records, at, bits)
    offset_x = pixel_offset(tile_x, records[at + _X0], bits)
    offset_y = pixel_offset(tile_y, records[at + _Y0], bits)
    if mode == ORDER:
        if (cut == np.int32(0)) & (x1 - x0 == TILE) & (y1 - y0 == TILE):
            whole = np.int64(TILE_PIXELS)
            if (along_x == np.float64(0)) & (along_y == np.float64(0)):
                z = clamp_depth(z0, low, high)
                if ident < np.int32(0):
                    return whole, _order_constant_depth(tile, z, flip, or_equal, hold)
                return whole, _order_constant(tile, z, flip, or_equal, hold, ident)
            return whole, _order_whole(tile, z0, along_y, offset_y, along_x, offset_x, low, high, flip, or_equal,
                                       hold, ident)
        if (cut < np.int32(2)) & (x1 - x0 <= BLOCK):
            left = min(x0, np.int32(TILE - BLOCK))
            column, line = np.int64(left), np.int64(y0)
            count = _order_block(
                tile, int32_at(context[_BLOCKS], np.int64(2 * TILE * BLOCK)), line * np.int64(TILE) + column,
                np.int64(y1) - line, np.int32(x0 - left), np.int32(x1 - left),
                np.int32(k0 + a0 * column + b0 * line), np.int32(a0), np.int32(b0),
                np.int32(k1 + a1 * column + b1 * line), np.int32(a1), np.int32(b1),
                np.int32(k2 + a2 * column + b2 * line), np.int32(a2), np.int32(b2),
                z0, along_y, offset_y + np.float64(y0), along_x, offset_x + np.float64(left),
                low, high, flip, or_equal, hold, ident)
            return np.int64(count >> np.int32(16)), np.int64(count & np.int32(0xFFFF))
    spans = int32_at(context[_SPANS], np.int64(2 * TILE))
    covered = row_spans(spans, y0, y1, x0, x1, k0, a0, b0, k1, a1, b1, k2, a2, b2)
    passed = covered
    if mode == ORDER:
        passed = _order_rows(tile, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x, low, high, flip, or_equal,
                             hold, ident)
    elif mode == GENERAL:
        back = np.int64(records[at + _FLAGS]) & np.int64(_BACK)
        stencil = uint8_at(context[_STENCIL], np.int64(TILE_PIXELS))
        passed = _general_rows(tile, stencil, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x,
                               state, floats, back, ident)
    else:
        if mode == REPLACE:
            _replace_rows(tile, spans, y0, y1, z0, along_y, offset_y, along_x, offset_x, low, high)
        _mark_rows(tile, spans, y0, y1, ident)
    return covered, passed


@callback(SIGNATURE)
def scan_records(table, begin, end, ident, step):
    """Scan records begin..end, all of the state row in the table; ids start at `ident` and grow by `step`."""
    context = context_at(table)
    row = context[_ROW]
    state, floats = state_ints(context, row), state_floats(context, row)
    records = int32_at(context[_RECORDS], context[_RECORD_COUNT] * np.int64(RECORD_WORDS))
    tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
    late = (state[_LATE] != 0) & (context[_SHADES] != 0)
    mode, flip, or_equal, hold, low, high = scan_mode(state, floats, context[_ORDERED] != 0, late)
    covered = passed = np.int64(0)
    for r in range(begin, end):
        at = np.int64(r) * np.int64(RECORD_WORDS)
        n, m = _scan_record(context, tile, records, at, np.int32(ident), mode, flip, or_equal, hold, low, high,
                            state, floats)
        covered += n
        passed += m
        ident += step
    statistics = int64_at(context[_STATISTICS] + row * np.int64(8 * STATISTICS), np.int64(STATISTICS))
    statistics[COVERED] += covered
    if not late:
        statistics[ZPASS] += passed
        if (covered > 0) & may_write(state):
            context[_CHANGED] |= np.int64(1)
    if not stays_ordered(state, floats):
        context[_ORDERED] = np.int64(0)
    context[_PASSED] = passed
