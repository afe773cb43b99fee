"""Geometry for the tile half built by hand: snapped triangles in, records in bins out (slow and simple)."""

import numpy as np

from refgpu.raster.layout import RECORD_WORDS, TILE, C, F, R, RecordFlag, S
from refgpu.raster.tables import Geometry


def state(**values):
    """One state row of each table: columns of S, of F, or c<n>_<column of C>."""
    row_i, row_f = np.zeros((1, S.COUNT), np.int64), np.zeros((1, F.COUNT), np.float32)
    defaults = {"SUBPIXEL_BITS": 8, "Z_CLAMP": 1, "ZMAX": 1.0, "ROP3": 0xCC, "ZFUNC": 7}
    for n in range(8):
        row_i[0, S.COLOR + C.COUNT * n + C.EXPORT_SLOT] = n
        row_i[0, S.COLOR + C.COUNT * n + C.EXPORT] = 9
    for name, value in (defaults | values).items():
        if name[0] == "c" and name[1].isdigit():
            row_i[0, S.COLOR + C.COUNT * int(name[1]) + C[name[3:]]] = value
        elif name in S.__members__:
            row_i[0, S[name]] = value
        else:
            row_f[0, F[name]] = value
    return row_i, row_f


def stack(states):
    """State tables of several rows."""
    return np.concatenate([s[0] for s in states]), np.concatenate([s[1] for s in states])


def geometry(xy, z, states, targets, *, rows=None, inverse_w=None, params=None, flags=None, scissor=None, chunks=1):
    """Records of triangles.

    xy is int[n, 3, 2] (snapped), z float32[n, 3], rows int[n] the state row of each, inverse_w float32[n, 3],
    params float32[n, 3, p], flags int[n] RecordFlag without turning, scissor (x0, y0, x1, y1).
    """
    xy, z = np.asarray(xy, np.int64), np.asarray(z, np.float32)
    n = len(xy)
    state_i, state_f = stack(states)
    rows = np.zeros(n, np.int64) if rows is None else np.asarray(rows)
    bits = state_i[rows, S.SUBPIXEL_BITS]
    inverse_w = np.ones((n, 3), np.float32) if inverse_w is None else np.asarray(inverse_w, np.float32)
    params = np.zeros((n, 3, 4), np.float32) if params is None else np.asarray(params, np.float32)
    flags = np.zeros(n, np.int64) if flags is None else np.asarray(flags)
    d1, d2 = xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0]
    area = d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1]
    order = np.where(area[:, None] > 0, [[0, 1, 2]], [[0, 2, 1]])
    turned = np.take_along_axis(xy, order[:, :, None], 1)
    x0, y0, x1, y1 = scissor or (0, 0, targets.width, targets.height)
    low = np.maximum(xy.min(1) >> bits[:, None], [[x0, y0]])
    high = np.minimum((xy.max(1) >> bits[:, None]) + 1, [[x1, y1]])
    keep = np.flatnonzero((area != 0) & (low < high).all(1))
    table = np.zeros((n, RECORD_WORDS), np.int32)
    table[:, R.X0:R.Z0] = turned.reshape(n, 6)
    table[:, R.Z0:R.TRIANGLE] = np.take_along_axis(z, order, 1).view(np.int32)
    table[:, R.TRIANGLE] = np.arange(n)
    table[:, R.STATE] = rows
    table[:, R.FLAGS] = flags
    table[:, R.X_RANGE] = (low[:, 0] | high[:, 0] << 16).astype(np.uint32).view(np.int32)
    table[:, R.Y_RANGE] = (low[:, 1] | high[:, 1] << 16).astype(np.uint32).view(np.int32)
    tile_low, tile_high = low // TILE, (high - 1) // TILE + 1
    begins, ends, parts, base = [], [], [], 0
    for chunk in np.array_split(keep, chunks):
        count = tile_high[chunk] - tile_low[chunk]
        total = count[:, 0] * count[:, 1]
        which = np.repeat(chunk, total)
        step = np.arange(len(which)) - np.repeat(np.cumsum(total) - total, total)
        width = np.repeat(count[:, 0], total)
        tile = (tile_low[which, 1] + step // width) * targets.tiles_x + tile_low[which, 0] + step % width
        tile += state_i[rows[which], S.LAYER] * targets.tiles_x * targets.tiles_y
        sort = np.argsort(tile, kind="stable")
        edges = np.searchsorted(tile[sort], np.arange(targets.tiles + 1))
        parts.append(table[which[sort]])
        begins.append(edges[:-1] + base)
        ends.append(edges[1:] + base)
        base += len(which)
    corners = np.arange(n)[:, None] * 3 + order  # turned together with the record
    triangles = np.concatenate([corners, rows[:, None]], 1).astype(np.int32)
    screen_zw = np.stack([z, inverse_w], -1).reshape(-1, 2)
    return Geometry(
        np.ascontiguousarray(xy.reshape(-1, 2), np.int32), np.ascontiguousarray(screen_zw),
        np.ascontiguousarray(params.reshape(3 * n, -1)), triangles, state_i, state_f,
        np.ascontiguousarray(np.concatenate(parts)), np.ascontiguousarray(np.array(begins, np.int64)),
        np.ascontiguousarray(np.array(ends, np.int64)), {},
    )


def rect_flags(n):
    """RECT for n triangles."""
    return np.full(n, int(RecordFlag.RECT))


def plane(targets, array):
    """A target plane as [layers, height, width]."""
    shape = targets.layers, targets.tiles_y, targets.tiles_x, TILE, TILE
    whole = np.asarray(array).reshape(shape).transpose(0, 1, 3, 2, 4)
    whole = whole.reshape(targets.layers, targets.tiles_y * TILE, targets.tiles_x * TILE)
    return whole[:, : targets.height, : targets.width]
