"""PA_SU triangle setup: facing, culling, depth bias, and the record that the tiles read."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .bias import bias_enabled, depth_bias
from .facing import doubled_area, is_back, is_culled
from .layout import R, RecordFlag

_BACK: Final = int(RecordFlag.BACK)
_RECT: Final = int(RecordFlag.RECT)
_X0: Final = int(R.X0)
_Z0: Final = int(R.Z0)
_TRIANGLE: Final = int(R.TRIANGLE)
_STATE: Final = int(R.STATE)
_FLAGS: Final = int(R.FLAGS)
_X_RANGE: Final = int(R.X_RANGE)
_Y_RANGE: Final = int(R.Y_RANGE)
_PRIMITIVE: Final = int(R.PRIMITIVE)
_LAYER: Final = int(R.LAYER)

DRAWN: Final = 0          # what place_triangle says
CULLED: Final = 1
ZERO_AREA: Final = 2
EMPTY: Final = 3          # no pixel centre inside its box and the scissor
BAD_RECT: Final = 4


@kernel
def pixel_range(lowest, highest, first, end, fraction_bits):
    """Pixels whose centres lie in [lowest, highest], cut to [first, end): first pixel and end."""
    half = np.int64(1) << (fraction_bits - 1)
    begin = (np.int64(lowest) + half - 1) >> fraction_bits
    stop = ((np.int64(highest) - half) >> fraction_bits) + 1
    return max(begin, first), min(stop, end)


@kernel
def axis_aligned(x0, y0, x1, y1, x2, y2):
    """Whether some vertex shares x with one of the others and y with the other.  [RAST-RECT]"""
    return ((x0 == x1 and y0 == y2) or (x0 == x2 and y0 == y1) or (x1 == x0 and y1 == y2)
            or (x1 == x2 and y1 == y0) or (x2 == x0 and y2 == y1) or (x2 == x1 and y2 == y0))


@kernel
def place_triangle(x0, y0, x1, y1, x2, y2, rect, sc_mode, scissor_x0, scissor_y0, scissor_x1, scissor_y1,
                   fraction_bits):
    """Facing, culling and pixel ranges of a snapped triangle.

    `rect` is 0, 1 for a rect and 2 for one that is the bounding box of any triangle. Returns DRAWN or why nothing is
    drawn, whether the winding must be turned to make the area positive, whether it is back facing, and the first pixel
    and end along X and Y.  [RAST-RECT] [RAST-ZERO-AREA]
    """
    area = doubled_area(x0, y0, x1, y1, x2, y2)
    back = is_back(area, sc_mode) and not rect
    outcome = np.int64(DRAWN)
    if area == 0:
        outcome = np.int64(ZERO_AREA)
    elif rect == 1 and not axis_aligned(x0, y0, x1, y1, x2, y2):
        outcome = np.int64(BAD_RECT)
    elif not rect and is_culled(back, sc_mode):
        outcome = np.int64(CULLED)
    begin_x, end_x = pixel_range(min(x0, x1, x2), max(x0, x1, x2), scissor_x0, scissor_x1, fraction_bits)
    begin_y, end_y = pixel_range(min(y0, y1, y2), max(y0, y1, y2), scissor_y0, scissor_y1, fraction_bits)
    if outcome == DRAWN and (begin_x >= end_x or begin_y >= end_y):
        outcome = np.int64(EMPTY)
    return outcome, area < 0, back, begin_x, end_x, begin_y, end_y


@kernel
def face_bias(back, sc_mode, scales, offsets, clamp, fmt, slope, largest_z):
    """Bias of one face: its SCALE and OFFSET, given as (front, back); 0 when it is not enabled.  [RAST-BIAS-FACE]"""
    if not bias_enabled(back, sc_mode):
        return np.float32(0)
    if back:
        return depth_bias(scales[1], offsets[1], clamp, slope, largest_z, fmt)
    return depth_bias(scales[0], offsets[0], clamp, slope, largest_z, fmt)


@kernel
def has_bias(back, sc_mode, scales, offsets):
    """Whether the face's bias can be other than 0."""
    chosen = scales[1] != 0 or offsets[1] != 0 if back else scales[0] != 0 or offsets[0] != 0
    return bias_enabled(back, sc_mode) and chosen


@kernel
def snapped_corners(triangles, t, screen_xy):
    """Snapped positions of a triangle, int64."""
    r0, r1, r2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    return (np.int64(screen_xy[r0, 0]), np.int64(screen_xy[r0, 1]), np.int64(screen_xy[r1, 0]),
            np.int64(screen_xy[r1, 1]), np.int64(screen_xy[r2, 0]), np.int64(screen_xy[r2, 1]))


@kernel
def turn_triangle(triangles, t, turn):
    """Swap corners 1 and 2 of a triangle if asked."""
    r1, r2 = triangles[t, 1], triangles[t, 2]
    triangles[t, 1] = r2 if turn else r1
    triangles[t, 2] = r1 if turn else r2


@kernel
def window_depths(triangles, t, screen_zw):
    """Window depths of a triangle's corners."""
    return screen_zw[triangles[t, 0], 0], screen_zw[triangles[t, 1], 0], screen_zw[triangles[t, 2], 0]


@kernel
def write_positions(records, n, x0, y0, x1, y1, x2, y2, z0, z1, z2):
    """Positions and depths of a record."""
    records[n, _X0] = np.int32(x0)
    records[n, _X0 + 1] = np.int32(y0)
    records[n, _X0 + 2] = np.int32(x1)
    records[n, _X0 + 3] = np.int32(y1)
    records[n, _X0 + 4] = np.int32(x2)
    records[n, _X0 + 5] = np.int32(y2)
    records[n, _Z0] = np.float32(z0).view(np.int32)
    records[n, _Z0 + 1] = np.float32(z1).view(np.int32)
    records[n, _Z0 + 2] = np.float32(z2).view(np.int32)


@kernel
def write_identity(records, n, t, state_row, back, rect, begin_x, end_x, begin_y, end_y, primitive, layer):
    """The other words of a record."""
    records[n, _TRIANGLE] = np.int32(t)
    records[n, _STATE] = np.int32(state_row)
    records[n, _FLAGS] = np.int32((_BACK if back else 0) | (_RECT if rect else 0))
    records[n, _X_RANGE] = np.int32(begin_x | end_x << 16)
    records[n, _Y_RANGE] = np.int32(begin_y | end_y << 16)
    records[n, _PRIMITIVE] = np.int32(primitive)
    records[n, _LAYER] = np.int32(layer)
