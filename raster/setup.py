"""PA_SU triangle setup: facing, culling, depth bias, and the record that the tiles read."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .bias import bias_enabled, biased_depth, depth_bias, depth_slope, largest_magnitude
from .facing import doubled_area, is_back, is_culled
from .layout import F, R, RecordFlag, S

_SC_MODE: Final = int(S.SC_MODE)
_BIAS_FORMAT: Final = int(S.BIAS_FORMAT)
_SUBPIXEL_BITS: Final = int(S.SUBPIXEL_BITS)
_SCISSOR_X0: Final = int(S.SCISSOR_X0)
_SCISSOR_Y0: Final = int(S.SCISSOR_Y0)
_SCISSOR_X1: Final = int(S.SCISSOR_X1)
_SCISSOR_Y1: Final = int(S.SCISSOR_Y1)
_BIAS_CLAMP: Final = int(F.BIAS_CLAMP)
_FRONT_SCALE: Final = int(F.BIAS_FRONT_SCALE)
_FRONT_OFFSET: Final = int(F.BIAS_FRONT_OFFSET)
_BACK_SCALE: Final = int(F.BIAS_BACK_SCALE)
_BACK_OFFSET: Final = int(F.BIAS_BACK_OFFSET)
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

DRAWN: Final = 0          # what setup_triangle says
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
def face_bias(back, state_i, state_f, slope, largest_z):
    """Bias of one face: front or back SCALE and OFFSET.  [RAST-BIAS-FACE]"""
    scale = state_f[_BACK_SCALE] if back else state_f[_FRONT_SCALE]
    offset = state_f[_BACK_OFFSET] if back else state_f[_FRONT_OFFSET]
    return depth_bias(scale, offset, state_f[_BIAS_CLAMP], slope, largest_z, state_i[_BIAS_FORMAT])


@kernel
def has_bias(back, state_i, state_f):
    """Whether the face's bias can be other than 0."""
    if not bias_enabled(back, state_i[_SC_MODE]):
        return False
    scale = state_f[_BACK_SCALE] if back else state_f[_FRONT_SCALE]
    offset = state_f[_BACK_OFFSET] if back else state_f[_FRONT_OFFSET]
    return scale != 0 or offset != 0


@kernel
def setup_triangle(t, rect, primitive, layer, given, given_slope, given_z, triangles, screen_xy, screen_zw, state_i,
                   state_f, record):
    """Fill in the record of triangle t; returns DRAWN, or why there is none.

    Turns the triangle so that its area is positive, in `triangles` too. With `given` the bias comes from that slope
    and largest |z| instead of its own vertices. `rect` is 0, or 1 for a rect, 2 for one that is a bounding box.
    """
    r0 = np.int64(triangles[t, 0])
    r1 = np.int64(triangles[t, 1])
    r2 = np.int64(triangles[t, 2])
    state_row = np.int64(triangles[t, 3])
    si = state_i[state_row]
    x0, y0 = np.int64(screen_xy[r0, 0]), np.int64(screen_xy[r0, 1])
    x1, y1 = np.int64(screen_xy[r1, 0]), np.int64(screen_xy[r1, 1])
    x2, y2 = np.int64(screen_xy[r2, 0]), np.int64(screen_xy[r2, 1])
    area = doubled_area(x0, y0, x1, y1, x2, y2)
    if area == 0:
        return ZERO_AREA
    back = is_back(area, si[_SC_MODE])
    if rect:
        back = False
        if rect == 1 and not axis_aligned(x0, y0, x1, y1, x2, y2):
            return BAD_RECT
    elif is_culled(back, si[_SC_MODE]):
        return CULLED
    bits = si[_SUBPIXEL_BITS]
    begin_x, end_x = pixel_range(min(x0, x1, x2), max(x0, x1, x2), si[_SCISSOR_X0], si[_SCISSOR_X1], bits)
    begin_y, end_y = pixel_range(min(y0, y1, y2), max(y0, y1, y2), si[_SCISSOR_Y0], si[_SCISSOR_Y1], bits)
    if begin_x >= end_x or begin_y >= end_y:
        return EMPTY
    if area < 0:
        r1, r2 = r2, r1
        x1, x2 = x2, x1
        y1, y2 = y2, y1
        triangles[t, 1] = np.int32(r1)
        triangles[t, 2] = np.int32(r2)
    z0, z1, z2 = screen_zw[r0, 0], screen_zw[r1, 0], screen_zw[r2, 0]
    sf = state_f[state_row]
    if has_bias(back, si, sf):
        slope, largest_z = np.float32(given_slope), np.float32(given_z)
        if not given:
            slope = depth_slope(x0, y0, x1, y1, x2, y2, z0, z1, z2, bits)
            largest_z = largest_magnitude(z0, z1, z2)
        bias = face_bias(back, si, sf, slope, largest_z)
        z0, z1, z2 = biased_depth(z0, bias), biased_depth(z1, bias), biased_depth(z2, bias)
    record[_X0] = np.int32(x0)
    record[_X0 + 1] = np.int32(y0)
    record[_X0 + 2] = np.int32(x1)
    record[_X0 + 3] = np.int32(y1)
    record[_X0 + 4] = np.int32(x2)
    record[_X0 + 5] = np.int32(y2)
    record[_Z0] = np.float32(z0).view(np.int32)
    record[_Z0 + 1] = np.float32(z1).view(np.int32)
    record[_Z0 + 2] = np.float32(z2).view(np.int32)
    record[_TRIANGLE] = np.int32(t)
    record[_STATE] = np.int32(state_row)
    record[_FLAGS] = np.int32((_BACK if back else 0) | (_RECT if rect else 0))
    record[_X_RANGE] = np.int32(begin_x | end_x << 16)
    record[_Y_RANGE] = np.int32(begin_y | end_y << 16)
    record[_PRIMITIVE] = np.int32(primitive)
    record[_LAYER] = np.int32(layer)
    return DRAWN


