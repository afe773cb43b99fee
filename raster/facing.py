"""PA_SU facing and culling, on snapped positions."""

from typing import Final

import numpy as np

from ..base.kernel import kernel

_CULL_FRONT: Final = 1
_CULL_BACK: Final = 2
_FACE: Final = 4


@kernel
def doubled_area(x0, y0, x1, y1, x2, y2):
    """Twice the signed area in squared steps, int64: positive is clockwise on the screen (y down)."""
    dx1 = np.int64(x1) - np.int64(x0)
    dy1 = np.int64(y1) - np.int64(y0)
    dx2 = np.int64(x2) - np.int64(x0)
    dy2 = np.int64(y2) - np.int64(y0)
    return dx1 * dy2 - dx2 * dy1


@kernel
def is_back(area, sc_mode):
    """Whether a triangle of this area is back facing: FACE 0 makes counterclockwise the front, 1 clockwise.

    [RAST-FACING]
    """
    clockwise_is_front = np.int64(sc_mode) & _FACE != 0
    return (area > 0) != clockwise_is_front


@kernel
def is_culled(back, sc_mode):
    """Whether PA_SU_SC_MODE_CNTL culls this face."""
    mode = np.int64(sc_mode)
    return (mode & _CULL_BACK if back else mode & _CULL_FRONT) != 0
