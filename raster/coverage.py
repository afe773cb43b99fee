"""Which pixels of a tile a record covers: integer edge functions, the top-left rule, spans of a row.

An edge is kept as (k, a, b): pixel (x, y) of the tile lies inside it when ``k + a*x + b*y >= 0``, exactly.
"""

import numpy as np

from ..base.kernel import kernel
from .layout import TILE, R, RecordFlag

# typed, not plain ints: a literal argument would make numba compile the callee once more
_X0, _Y0, _X1, _Y1, _X2, _Y2 = (np.int64(word) for word in (R.X0, R.Y0, R.X1, R.Y1, R.X2, R.Y2))
_FLAGS, _X_RANGE, _Y_RANGE = np.int64(R.FLAGS), np.int64(R.X_RANGE), np.int64(R.Y_RANGE)
_RECT = int(RecordFlag.RECT)
_FITS = 1 << 30                     # edge values below this leave room for a step past the rectangle in int32


@kernel
def pixel_centre(pixel, subpixel_bits):
    """Snapped coordinate of a pixel's centre, int64."""
    return (np.int64(2) * np.int64(pixel) + np.int64(1)) << (np.int64(subpixel_bits) - np.int64(1))


@kernel
def edge_value(ax, ay, bx, by, px, py):
    """Doubled area of (a, b, p), int64: positive when p is right of a->b on the screen (y down)."""
    dx = np.int64(bx) - np.int64(ax)
    dy = np.int64(by) - np.int64(ay)
    return dx * (np.int64(py) - np.int64(ay)) - dy * (np.int64(px) - np.int64(ax))


@kernel
def owns_its_samples(ax, ay, bx, by):
    """Whether a sample exactly on the edge a->b is inside: a top or a left edge.  [RAST-TOP-LEFT]"""
    dy = np.int64(by) - np.int64(ay)
    return (dy < np.int64(0)) | ((dy == np.int64(0)) & (np.int64(bx) > np.int64(ax)))


@kernel
def edge_setup(ax, ay, bx, by, tile_x, tile_y, subpixel_bits):
    """Edge a->b in steps of one pixel, from the centre of pixel (tile_x, tile_y), int64.  [RAST-EDGE]"""
    value = edge_value(ax, ay, bx, by, pixel_centre(tile_x, subpixel_bits), pixel_centre(tile_y, subpixel_bits))
    if not owns_its_samples(ax, ay, bx, by):
        value -= np.int64(1)
    # a step adds a multiple of 2^bits, so the floor keeps the sign of every value
    return value >> np.int64(subpixel_bits), np.int64(ay) - np.int64(by), np.int64(bx) - np.int64(ax)


@kernel
def span_cut(k, a, begin, end):
    """The part of columns [begin, end) where ``k + a*x >= 0``."""
    if a == np.int64(0):
        return begin, (end if k >= np.int64(0) else begin)
    # below 2^53 the float64 floor is exact: a quotient that is no integer is at least 1/|a| away from one
    quotient = np.floor(np.float64(k) / np.float64(abs(a)))
    whole = np.int32(min(max(quotient, np.float64(-2 * TILE)), np.float64(2 * TILE)))
    if a > np.int64(0):
        return max(begin, np.int32(-whole)), end
    return begin, min(end, np.int32(whole + np.int32(1)))


@kernel
def first_inside(corner, subpixel_bits):
    """First pixel whose centre is at or past a snapped coordinate."""
    bits = np.int64(subpixel_bits)
    half = np.int64(1) << (bits - np.int64(1))
    return (np.int64(corner) - half + (np.int64(1) << bits) - np.int64(1)) >> bits


@kernel
def record_range(records, at, tile_x, tile_y, subpixel_bits):
    """Columns and rows of the tile that the record at word `at` may touch: x0, x1, y0, y1, int32.  [RAST-RECT]"""
    x_range = np.int64(records[at + _X_RANGE])
    y_range = np.int64(records[at + _Y_RANGE])
    low = np.int64(0xFFFF)
    x0, x1 = x_range & low, (x_range >> np.int64(16)) & low
    y0, y1 = y_range & low, (y_range >> np.int64(16)) & low
    if records[at + _FLAGS] & _RECT:
        xs0, xs1, xs2 = records[at + _X0], records[at + _X1], records[at + _X2]
        ys0, ys1, ys2 = records[at + _Y0], records[at + _Y1], records[at + _Y2]
        x0 = max(x0, first_inside(min(xs0, xs1, xs2), subpixel_bits))
        x1 = min(x1, first_inside(max(xs0, xs1, xs2), subpixel_bits))
        y0 = max(y0, first_inside(min(ys0, ys1, ys2), subpixel_bits))
        y1 = min(y1, first_inside(max(ys0, ys1, ys2), subpixel_bits))
    zero, side = np.int64(0), np.int64(TILE)
    return (np.int32(max(x0 - np.int64(tile_x), zero)), np.int32(min(x1 - np.int64(tile_x), side)),
            np.int32(max(y0 - np.int64(tile_y), zero)), np.int32(min(y1 - np.int64(tile_y), side)))


@kernel
def cut_edge(records, at, a, b, tile_x, tile_y, subpixel_bits, x0, x1, y0, y1):
    """One edge of a record over a rectangle of the tile: state, k, a, b.

    State is -1 when the rectangle is outside, 0 when it is inside (the edge is then all zero), 1 when the edge
    crosses it, 2 when it does and its values do not fit in int32.
    """
    y = np.int64(1)
    k, step_x, step_y = edge_setup(records[at + a], records[at + a + y], records[at + b], records[at + b + y],
                                   tile_x, tile_y, subpixel_bits)
    last_x, last_y = np.int64(x1) - np.int64(1), np.int64(y1) - np.int64(1)
    left, right = step_x * np.int64(x0), step_x * last_x
    top, bottom = step_y * np.int64(y0), step_y * last_y
    highest = k + max(left, right) + max(top, bottom)
    lowest = k + min(left, right) + min(top, bottom)
    zero = np.int64(0)
    if highest < zero:
        return np.int32(-1), zero, zero, zero
    if lowest >= zero:
        return np.int32(0), zero, zero, zero
    fits = (highest < np.int64(_FITS)) & (lowest > np.int64(-_FITS))
    return np.int32(1) if fits else np.int32(2), k, step_x, step_y


@kernel
def row_spans(spans, y0, y1, x0, x1, k0, a0, b0, k1, a1, b1, k2, a2, b2):
    """Covered columns of each row y0..y1: spans[y] to spans[TILE + y].  Returns how many pixels that is."""
    covered = np.int64(0)
    for y in range(y0, y1):
        row = np.int64(y)
        begin, end = span_cut(k0 + b0 * row, a0, x0, x1)
        begin, end = span_cut(k1 + b1 * row, a1, begin, end)
        begin, end = span_cut(k2 + b2 * row, a2, begin, end)
        end = max(begin, end)
        spans[y] = begin
        spans[TILE + y] = end
        covered += np.int64(end) - np.int64(begin)
    return covered
