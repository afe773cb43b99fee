"""Index fetch in place, primitive restart, and which three vertices make a triangle."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import uint8_at, uint16_at, uint32_at
from .draw_table import QUAD_LIST, QUAD_STRIP, RECT_2D, RECT_LIST, TRIANGLE_FAN, TRIANGLE_STRIP, D
from .layout import S, VertexFlag
from .viewport import viewport_of

_PRIM: Final = int(D.PRIM_TYPE)
_VERTICES: Final = int(D.VERTICES)
_INSTANCES: Final = int(D.INSTANCES)
_INDICES: Final = int(D.INDICES)
_BYTES: Final = int(D.INDEX_BYTES)
_LENGTH: Final = int(D.INDEX_LENGTH)
_RESTART: Final = int(D.RESTART)
_STATE: Final = int(D.STATE)
_VIEWPORTS: Final = int(D.VIEWPORTS)
_ROWS: Final = int(D.ROWS)
_FIRST_ROW: Final = int(D.FIRST_ROW)
_BY_POSITION: Final = int(D.BY_POSITION)
_LOWEST: Final = int(D.LOWEST)
_MARKS: Final = int(D.MARKS)
_TRIANGLES: Final = int(D.TRIANGLES)
_FIRST_TRIANGLE: Final = int(D.FIRST_TRIANGLE)
_SPLIT: Final = int(D.SPLIT)
_SC_MODE: Final = int(S.SC_MODE)
_VERTEX_FLAGS: Final = int(S.VERTEX_FLAGS)
_VIEWPORT_FLAG: Final = int(VertexFlag.VIEWPORT)
_PROVOKING_VTX_LAST: Final = 19
_DENSE: Final = 4  # shade by index when the indices span at most this many times their number


@kernel
def fetch_index(address, size, length, position):
    """Index at a position of the stream, zero-extended; positions past the buffer read 0.  [DRAW-INDEX-OOB]"""
    if position >= length:
        return np.int64(0)
    if size == 2:
        return np.int64(uint16_at(address, length)[position])
    if size == 4:
        return np.int64(uint32_at(address, length)[position])
    return np.int64(uint8_at(address, length)[position])


@kernel
def triangle_count(prim_type, vertices):
    """Triangles (or rects) that a run of vertices makes; an incomplete last primitive is dropped.  [DRAW-INCOMPLETE]"""
    n = np.int64(vertices)
    if prim_type in (TRIANGLE_FAN, TRIANGLE_STRIP):
        return max(n - 2, np.int64(0))
    if prim_type == QUAD_LIST:
        return 2 * (n // 4)
    if prim_type == QUAD_STRIP:
        return 2 * max((n - 2) // 2, np.int64(0))
    return n // 3  # triangle lists, rects


@kernel
def triangle_corners(prim_type, last, i):
    """Positions in its run of the corners of triangle i: the provoking vertex first, the winding kept.

    [RAST-PROVOKING] [RAST-QUAD-SPLIT]
    """
    i = np.int64(i)
    if prim_type == TRIANGLE_STRIP:
        odd = i & 1
        a, b, c = i, i + 1 + odd, i + 2 - odd
        if last:
            return (b, c, a) if odd else (c, a, b)
        return a, b, c
    if prim_type == TRIANGLE_FAN:
        if last:
            return i + 2, np.int64(0), i + 1
        return i + 1, i + 2, np.int64(0)
    if prim_type == QUAD_LIST:
        a = 4 * (i >> 1)
        if last:
            return (a + 3, a + 1, a + 2) if i & 1 else (a + 3, a, a + 1)
        return (a, a + 2, a + 3) if i & 1 else (a, a + 1, a + 2)
    if prim_type == QUAD_STRIP:  # around the quad: a, a + 1, a + 3, a + 2
        a = 2 * (i >> 1)
        if last:
            return (a + 3, a + 2, a) if i & 1 else (a + 3, a, a + 1)
        return (a, a + 3, a + 2) if i & 1 else (a, a + 1, a + 3)
    a = 3 * i
    if last:
        return a + 2, a, a + 1
    return a, a + 1, a + 2


@kernel
def split_at_restarts(address, size, length, count, restart, prim_type, last, out):
    """Corners of all triangles between restart indices, into int32[:, 3]; returns how many (also when `out` is full).

    [DRAW-RESTART]
    """
    total = np.int64(0)
    begin = np.int64(0)
    for position in range(count + 1):
        if position < count and fetch_index(address, size, length, position) != restart:
            continue
        here = triangle_count(prim_type, position - begin)
        for i in range(here):
            if total + i >= out.shape[0]:
                break
            a, b, c = triangle_corners(prim_type, last, i)
            out[total + i, 0] = begin + a
            out[total + i, 1] = begin + b
            out[total + i, 2] = begin + c
        total += here
        begin = position + 1
    return total


@kernel
def index_range(address, size, length, count, restart):
    """Smallest and largest index of a stream, restart indices left out; (0, -1) when there is none."""
    lowest = np.int64(1) << 32
    highest = np.int64(-1)
    for position in range(min(count, length)):
        index = fetch_index(address, size, length, position)
        if index != restart:
            lowest = min(lowest, index)
            highest = max(highest, index)
    if count > length and restart != 0:
        lowest = np.int64(0)
        highest = max(highest, np.int64(0))
    if highest < 0:
        lowest = np.int64(0)
    return lowest, highest


@kernel
def plan(draws, state_i):
    """Fill in the rest of the draw table; returns vertex rows, triangles, mark bytes and restart rows of the pass."""
    rows = np.int64(0)
    triangles = np.int64(0)
    marks = np.int64(0)
    splits = np.int64(0)
    nothing = np.empty((0, 3), np.int32)
    for d in range(draws.shape[0]):
        prim_type = draws[d, _PRIM]
        count = draws[d, _VERTICES]
        address, size, length = draws[d, _INDICES], draws[d, _BYTES], draws[d, _LENGTH]
        restart = draws[d, _RESTART]
        draws[d, _ROWS] = count
        draws[d, _BY_POSITION] = 1
        draws[d, _LOWEST] = 0
        draws[d, _MARKS] = -1
        draws[d, _SPLIT] = -1
        draws[d, _TRIANGLES] = triangle_count(prim_type, count)
        if size:
            lowest, highest = index_range(address, size, length, count, restart)
            draws[d, _LOWEST] = lowest
            if highest < lowest:
                draws[d, _ROWS] = 0
            elif highest - lowest < _DENSE * min(count, length + 1):
                draws[d, _ROWS] = highest - lowest + 1
                draws[d, _BY_POSITION] = 0
                draws[d, _MARKS] = marks
                marks += draws[d, _ROWS]
            if restart >= 0:
                draws[d, _SPLIT] = splits
                draws[d, _TRIANGLES] = split_at_restarts(address, size, length, count, restart, prim_type, 0, nothing)
                splits += draws[d, _TRIANGLES]
        if draws[d, _TRIANGLES] == 0:
            draws[d, _ROWS] = 0
        draws[d, _FIRST_ROW] = rows
        draws[d, _FIRST_TRIANGLE] = triangles
        rows += draws[d, _ROWS] * draws[d, _INSTANCES]
        triangles += draws[d, _TRIANGLES] * draws[d, _INSTANCES]
    return rows, triangles, marks, splits


@kernel
def mark_and_split(d, draws, state_i, marks, splits):
    """For an indexed draw: which rows its indices use, and the table of its triangles between restarts."""
    count = draws[d, _VERTICES]
    address, size, length = draws[d, _INDICES], draws[d, _BYTES], draws[d, _LENGTH]
    restart, lowest, first = draws[d, _RESTART], draws[d, _LOWEST], draws[d, _MARKS]
    if first >= 0:
        marks[first : first + draws[d, _ROWS]] = 0
        for position in range(min(count, length + 1)):
            index = fetch_index(address, size, length, position)
            if index != restart:
                marks[first + index - lowest] = 1
    if draws[d, _SPLIT] >= 0:
        last = (state_i[draws[d, _STATE], _SC_MODE] >> _PROVOKING_VTX_LAST) & 1
        begin = draws[d, _SPLIT]
        split_at_restarts(address, size, length, count, restart, draws[d, _PRIM], last,
                          splits[begin : begin + draws[d, _TRIANGLES]])


@kernel
def draw_of(item, draws, first):
    """The draw that a vertex row or triangle of the pass belongs to: the last whose column `first` is not above it."""
    low = np.int64(0)
    high = np.int64(draws.shape[0]) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if draws[middle, first] <= item:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def draw_end(d, draws):
    """First triangle of the pass that comes after draw d."""
    return draws[d, _FIRST_TRIANGLE] + draws[d, _TRIANGLES] * draws[d, _INSTANCES]


@kernel
def vertex_row(d, draws, position):
    """Row of one instance that holds the vertex at a position of the stream."""
    if draws[d, _BY_POSITION]:
        return np.int64(position)
    return fetch_index(draws[d, _INDICES], draws[d, _BYTES], draws[d, _LENGTH], position) - draws[d, _LOWEST]


@kernel
def provoking_state_row(d, draws, state_i, misc, row):
    """State row of a triangle: its draw's, or that of the viewport which its provoking vertex chose."""
    base = draws[d, _STATE]
    if state_i[base, _VERTEX_FLAGS] & _VIEWPORT_FLAG:
        return base + viewport_of(misc[row], draws[d, _VIEWPORTS])
    return base


@kernel
def assemble(begin, end, draws, state_i, splits, misc, triangles):
    """Write rows [begin, end) of the pass's triangles."""
    d = draw_of(begin, draws, _FIRST_TRIANGLE)
    t = begin
    while t < end:
        while t >= draws[d, _FIRST_TRIANGLE] + draws[d, _TRIANGLES] * draws[d, _INSTANCES]:
            d += 1
        local = t - draws[d, _FIRST_TRIANGLE]
        instance = local // draws[d, _TRIANGLES]
        i = local - instance * draws[d, _TRIANGLES]
        stop = min(end, t + draws[d, _TRIANGLES] - i)
        base = draws[d, _FIRST_ROW] + instance * draws[d, _ROWS]
        prim_type = draws[d, _PRIM]
        last = (state_i[draws[d, _STATE], _SC_MODE] >> _PROVOKING_VTX_LAST) & 1
        while t < stop:
            if draws[d, _SPLIT] >= 0:
                split = draws[d, _SPLIT] + i
                a, b, c = np.int64(splits[split, 0]), np.int64(splits[split, 1]), np.int64(splits[split, 2])
            else:
                a, b, c = triangle_corners(prim_type, last, i)
            row = base + vertex_row(d, draws, a)
            triangles[t, 0] = row
            triangles[t, 1] = base + vertex_row(d, draws, b)
            triangles[t, 2] = base + vertex_row(d, draws, c)
            triangles[t, 3] = provoking_state_row(d, draws, state_i, misc, row)
            t += 1
            i += 1


@kernel
def is_rect(prim_type):
    """Whether the primitive type makes rects."""
    return prim_type in (RECT_LIST, RECT_2D)


@kernel
def is_quad(prim_type):
    """1 when two triangles make one primitive, else 0."""
    return np.int64(1) if prim_type in (QUAD_LIST, QUAD_STRIP) else np.int64(0)
