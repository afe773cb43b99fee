"""The plane through a triangle's three window depths: gradients and the value at a pixel centre."""

import numpy as np

from ..base.kernel import kernel


@kernel
def plane_edges(x0, y0, x1, y1, x2, y2, subpixel_bits):
    """Edges from vertex 0 and 1 / area in pixels: dx1, dy1, dx2, dy2, unit; the triangle must have area."""
    dx1 = np.int64(x1) - np.int64(x0)
    dy1 = np.int64(y1) - np.int64(y0)
    dx2 = np.int64(x2) - np.int64(x0)
    dy2 = np.int64(y2) - np.int64(y0)
    area = np.float64(dx1 * dy2 - dx2 * dy1)
    unit = np.float64(np.int64(1) << np.int64(subpixel_bits)) / area
    return np.float64(dx1), np.float64(dy1), np.float64(dx2), np.float64(dy2), unit


@kernel
def edge_gradients(dx1, dy1, dx2, dy2, unit, v0, v1, v2):
    """Change of v per pixel along x and y, float64, from `plane_edges`."""
    dv1 = np.float64(v1) - np.float64(v0)
    dv2 = np.float64(v2) - np.float64(v0)
    return (dv1 * dy2 - dv2 * dy1) * unit, (dv2 * dx1 - dv1 * dx2) * unit


@kernel
def plane_gradients(x0, y0, x1, y1, x2, y2, v0, v1, v2, subpixel_bits):
    """Change of v per pixel along x and y, float64; the snapped triangle must have area.  [DEPTH-PLANE]"""
    dx1, dy1, dx2, dy2, unit = plane_edges(x0, y0, x1, y1, x2, y2, subpixel_bits)
    return edge_gradients(dx1, dy1, dx2, dy2, unit, v0, v1, v2)


@kernel
def pixel_offset(pixel, corner, subpixel_bits):
    """Pixels from a snapped coordinate to the centre of `pixel` along one axis, exact float64."""
    half = (np.int64(2) * np.int64(pixel) + np.int64(1)) << (np.int64(subpixel_bits) - np.int64(1))
    return np.float64(half - np.int64(corner)) / np.float64(np.int64(1) << np.int64(subpixel_bits))


@kernel
def plane_row(v0, along_y, offset_y):
    """Value on a pixel row at the column of vertex 0, float64."""
    return np.float64(v0) + along_y * offset_y


@kernel
def plane_value(row, along_x, offset_x):
    """Value at a pixel centre: one rounding to float32 at the end.  [DEPTH-PLANE]"""
    return np.float32(row + along_x * offset_x)
