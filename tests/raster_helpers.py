"""A vertex shader that copies rows of floats, draws around it, and exact coverage of records by brute force."""

import numba
import numpy as np

from refgpu.base.kernel import callback
from refgpu.base.pointers import float32_at, int32_at, int64_at
from refgpu.raster.geometry import build_geometry
from refgpu.raster.layout import ROW, USER_DATA_WORDS, VS_IN_INDEX, VS_IN_INSTANCE, F, R, RecordFlag, S
from refgpu.raster.tables import Draw, empty_targets

i64 = numba.int64
LISTS, FAN, STRIP, RECTS, QUADS, QUAD_STRIP = 4, 5, 6, 17, 19, 20


@callback(numba.void(i64, i64, i64, i64, i64))
def copy_rows(inputs, outputs, constants, lanes, live):
    """Vertex i exports row i + instance * per_instance of an array; constants: address, floats, rows, per_instance."""
    words = int64_at(constants + 4 * USER_DATA_WORDS, 4)
    floats, count, per_instance = words[1], words[2], words[3]
    index = int32_at(inputs, 2 * ROW)
    data = float32_at(words[0], floats * count)
    out = float32_at(outputs, floats * ROW)
    for lane in range(lanes):
        row = np.int64(index[VS_IN_INDEX * ROW + lane]) + per_instance * np.int64(index[VS_IN_INSTANCE * ROW + lane])
        if row < 0 or row >= count:
            row = np.int64(0)
        for k in range(floats):
            out[k * ROW + lane] = data[row * floats + k]


def state(width=256, height=256, *, viewports=1, **columns):
    """State rows with a plain viewport over the target; keywords name columns of S or F."""
    si = np.zeros((viewports, S.COUNT), np.int64)
    sf = np.zeros((viewports, F.COUNT), np.float32)
    values = {"VTE": 0x43F, "VTX": 0x2D, "SUBPIXEL_BITS": 8, "CLIP": 1 << 19, "SCISSOR_X1": width,
              "SCISSOR_Y1": height, "XSCALE": width / 2, "XOFFSET": width / 2, "YSCALE": height / 2,
              "YOFFSET": height / 2, "ZSCALE": 1, "ZMAX": 1, "GB_VERT_CLIP": 100, "GB_HORZ_CLIP": 100,
              "GB_VERT_DISC": 1, "GB_HORZ_DISC": 1, **columns}
    for name, value in values.items():
        if name in S.__members__:
            si[:, S[name]] = value
        else:
            sf[:, F[name]] = value
    return si, sf


def draw(vertices, prim_type=LISTS, *, indices=None, count=None, instances=1, per_instance=0, restart=None,
         index_offset=0, states=None, **columns):
    """A draw of rows of floats: position, then whatever the state says."""
    data = np.ascontiguousarray(vertices, np.float32)
    if data.ndim == 2 and data.shape[1] == 3:
        data = np.column_stack([data, np.ones(len(data), np.float32)])
    constants = np.zeros(USER_DATA_WORDS // 2 + 4, np.int64)
    constants[USER_DATA_WORDS // 2 :] = data.ctypes.data, data.shape[1], len(data), per_instance
    si, sf = states if states is not None else state(**columns)
    count = (len(data) if indices is None else len(indices)) if count is None else count
    return Draw(prim_type, count, instances, indices, index_offset, restart, copy_rows.address, constants.ctypes.data,
                si, sf, keep=[data, constants])


def build(*draws, width=256, height=256, layers=1, threads=1, workspace=None):
    return build_geometry(list(draws), empty_targets(width, height, layers=layers), threads, workspace)


def in_order(geometry):
    """Records tile by tile in primitive order: what the tiles see, wherever the bins lie."""
    return [np.concatenate([geometry.records[b:e] for b, e in zip(begins, ends, strict=True)])
            for begins, ends in zip(geometry.bin_begin.T, geometry.bin_end.T, strict=True)]


def all_records(geometry):
    """One record for each triangle, in primitive order."""
    seen = {}
    for records in in_order(geometry):
        for record in records:
            seen.setdefault(int(record[R.TRIANGLE]), record)
    return sorted(seen.values(), key=lambda r: (int(r[R.PRIMITIVE]), int(r[R.TRIANGLE])))


def covers(record, bits, xs, ys):
    """Which pixels (xs, ys) a record covers: top-left rule on exact integers, independent of the product.

    Everything is doubled, so that pixel centres are integers.
    """
    px, py = (2 * xs + 1) << bits, (2 * ys + 1) << bits
    points = (2 * record[:6].astype(np.int64)).reshape(3, 2).tolist()
    if record[R.FLAGS] & RecordFlag.RECT:
        (left, top), (right, bottom) = np.min(points, axis=0), np.max(points, axis=0)
        return (left <= px) & (px < right) & (top <= py) & (py < bottom)
    inside = np.ones(px.shape, bool)
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
        edge = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        owns = by < ay or (by == ay and bx > ax)
        inside &= edge >= 0 if owns else edge > 0
    return inside


def coverage(geometry, width=256, height=256, layer=0):
    """How often each pixel is covered, from the bins."""
    image = np.zeros((height, width), np.int64)
    across, down = -(-width // 64), -(-height // 64)
    tiles = in_order(geometry)
    for tile_y in range(down):
        for tile_x in range(across):
            for record in tiles[(layer * down + tile_y) * across + tile_x]:
                bits = int(geometry.state_i[record[R.STATE], S.SUBPIXEL_BITS])
                x_range, y_range = int(record[R.X_RANGE]), int(record[R.Y_RANGE])
                x = np.arange(max(x_range & 0xFFFF, tile_x * 64), min(x_range >> 16, tile_x * 64 + 64))
                y = np.arange(max(y_range & 0xFFFF, tile_y * 64), min(y_range >> 16, tile_y * 64 + 64))
                if x.size and y.size:
                    image[y[0] : y[-1] + 1, x[0] : x[-1] + 1] += covers(record, bits, *np.meshgrid(x, y))
    return image
