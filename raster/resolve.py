"""From the ids of a tile to quads: all pending pixels at once, or the pixels of one record."""

import numpy as np

from ..base.kernel import callback, kernel
from ..base.pointers import call_address, int32_at
from .coefficients import prefetch_triangle, prefetch_vertices
from .context import QUADS, SIGNATURE, Word, context_at
from .layout import RECORD_WORDS, TILE, TILE_PIXELS, R
from .shade import add_quad

_W = Word
_PIXELS, _ORDER, _FIRST, _FOLLOWING = int(_W.PIXELS), int(_W.ORDER), int(_W.FIRST), int(_W.FOLLOWING)
_BY_STATE, _TOUCHED, _PIECE, _PIECE_NEXT = int(_W.BY_STATE), int(_W.TOUCHED), int(_W.PIECE), int(_W.PIECE_NEXT)
_LARGEST, _STATES, _RECORDS, _RECORD_COUNT = int(_W.LARGEST), int(_W.STATES), int(_W.RECORDS), int(_W.RECORD_COUNT)
_STATE_ROW, _FLUSH, _QUAD_COUNT = int(_W.ROW), int(_W.FLUSH), int(_W.QUAD_COUNT)
_X0, _X1, _Y0, _Y1 = int(_W.X0), int(_W.X1), int(_W.Y0), int(_W.Y1)
_VISIBLE, _STATE = int(_W.VISIBLE), int(R.STATE)
_FAR, _NEAR = 16, 8                     # records


@kernel
def _file(context, count, touched, ident, place, mask):
    """File a piece of a quad under its id, and the id under its state; returns how many states have ids."""
    ident = np.int64(ident)
    first = int32_at(context[_FIRST], context[_LARGEST])
    if first[ident] < 0:
        order = int32_at(context[_ORDER], context[_LARGEST])
        by_state = int32_at(context[_BY_STATE], context[_STATES])
        records = int32_at(context[_RECORDS], context[_RECORD_COUNT] * np.int64(RECORD_WORDS))
        row = np.int64(records[np.int64(order[ident]) * np.int64(RECORD_WORDS) + _STATE])
        if by_state[row] < 0:
            int32_at(context[_TOUCHED], context[_STATES])[touched] = np.int32(row)
            touched += np.int64(1)
        int32_at(context[_FOLLOWING], context[_LARGEST])[ident] = by_state[row]
        by_state[row] = np.int32(ident)
    int32_at(context[_PIECE], np.int64(TILE_PIXELS))[count] = np.int32(place * np.int64(16) + mask)
    int32_at(context[_PIECE_NEXT], np.int64(TILE_PIXELS))[count] = first[ident]
    first[ident] = np.int32(count)
    return touched


@kernel
def _collect(context):
    """Turn the ids of the tile into lists of pieces; returns how many states have any, and clears the ids."""
    tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
    count, touched = np.int64(0), np.int64(0)
    for quad in range(TILE_PIXELS // 4):
        place = np.int64(quad >> 5) * np.int64(2 * TILE) + np.int64(quad & 31) * np.int64(2)
        at = place + np.int64(TILE_PIXELS)
        i0, i1, i2, i3 = tile[at], tile[at + 1], tile[at + TILE], tile[at + TILE + 1]
        left = np.int64(15)
        while left != 0:
            # the lowest corner that is left, and all corners that have its id
            ident = i0 if left & 1 else (i1 if left & 2 else (i2 if left & 4 else i3))
            mask = np.int64(i0 == ident) | np.int64(i1 == ident) << 1 | np.int64(i2 == ident) << 2
            mask |= np.int64(i3 == ident) << 3
            left &= ~mask
            if ident >= 0:
                touched = _file(context, count, touched, ident, place, mask)
                count += np.int64(1)
    for pixel in range(TILE_PIXELS):
        tile[np.uint64(pixel + TILE_PIXELS)] = np.int32(-1)
    return touched


@callback(SIGNATURE)
def resolve(table, unused0, unused1, unused2, unused3):
    """Shade every pending pixel once, state by state and record by record; the batch must be empty.  [RAST-DEFER]"""
    context = context_at(table)
    row_before = context[_STATE_ROW]
    touched = _collect(context)
    by_state, states = int32_at(context[_BY_STATE], context[_STATES]), int32_at(context[_TOUCHED], context[_STATES])
    first, order = int32_at(context[_FIRST], context[_LARGEST]), int32_at(context[_ORDER], context[_LARGEST])
    following = int32_at(context[_FOLLOWING], context[_LARGEST])
    visible = int32_at(context[_VISIBLE], context[_LARGEST])
    piece_at = int32_at(context[_PIECE], np.int64(TILE_PIXELS))
    piece_next = int32_at(context[_PIECE_NEXT], np.int64(TILE_PIXELS))
    zero = np.int64(0)
    for index in range(touched):
        row = np.int64(states[index])
        context[_STATE_ROW] = row
        ident, count = np.int64(by_state[row]), np.int64(0)
        by_state[row] = np.int32(-1)
        while ident >= 0:
            visible[count] = np.int32(ident)
            count += np.int64(1)
            ident = np.int64(following[ident])
        for number in range(count):
            # triangles and vertices are all over memory: ask for them a few records ahead
            if number + _FAR < count:
                prefetch_triangle(context, np.int64(order[visible[number + _FAR]]))
            if number + _NEAR < count:
                prefetch_vertices(context, np.int64(order[visible[number + _NEAR]]))
            ident = np.int64(visible[number])
            r = np.int64(order[ident])
            entry = np.int64(first[ident])
            first[ident] = np.int32(-1)
            while entry >= 0:
                if context[_QUAD_COUNT] == QUADS:
                    call_address(context[_FLUSH], table, zero, zero, zero, zero)
                piece = np.int64(piece_at[entry])
                add_quad(context, r, piece >> np.int64(4), piece & np.int64(15))
                entry = np.int64(piece_next[entry])
        call_address(context[_FLUSH], table, zero, zero, zero, zero)
    context[_STATE_ROW] = row_before


@callback(SIGNATURE)
def add_marked(table, r, unused0, unused1, unused2):
    """Append the quads of the pixels that record r has marked with id 0, and clear the marks."""
    context = context_at(table)
    tile = int32_at(context[_PIXELS], np.int64(2 * TILE_PIXELS))
    zero = np.int64(0)
    for quad_y in range(context[_Y0] >> 1, (context[_Y1] + 1) >> 1):
        for quad_x in range(context[_X0] >> 1, (context[_X1] + 1) >> 1):
            place = quad_y * np.int64(2 * TILE) + quad_x * np.int64(2)
            at = place + np.int64(TILE_PIXELS)
            clear = tile[at] + 2 * tile[at + 1] + 4 * tile[at + TILE] + 8 * tile[at + TILE + 1]
            mask = np.int64(15) + np.int64(clear)
            if mask == 0:
                continue
            tile[at] = np.int32(-1)
            tile[at + 1] = np.int32(-1)
            tile[at + TILE] = np.int32(-1)
            tile[at + TILE + 1] = np.int32(-1)
            if context[_QUAD_COUNT] == QUADS:
                call_address(context[_FLUSH], table, zero, zero, zero, zero)
            add_quad(context, r, place, mask)
