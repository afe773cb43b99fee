"""Screen-space derivatives over a pixel batch: differences between the corners of each quad.

In a batch, each 64 lanes hold 16 quads, corner by corner: upper left, upper right, lower left, lower right.
"""

from ..base.kernel import kernel


@kernel
def ddx(values, result, lanes):
    """Coarse derivative along x: the upper row's difference for the whole quad."""
    for lane in range(lanes):
        upper_left = lane // 64 * 64 + lane % 16
        result[lane] = values[upper_left + 16] - values[upper_left]


@kernel
def ddy(values, result, lanes):
    """Coarse derivative along y: the left column's difference for the whole quad."""
    for lane in range(lanes):
        upper_left = lane // 64 * 64 + lane % 16
        result[lane] = values[upper_left + 32] - values[upper_left]


@kernel
def ddx_fine(values, result, lanes):
    """Derivative along x of the lane's own row."""
    for lane in range(lanes):
        left = lane // 64 * 64 + lane % 64 // 32 * 32 + lane % 16
        result[lane] = values[left + 16] - values[left]


@kernel
def ddy_fine(values, result, lanes):
    """Derivative along y of the lane's own column."""
    for lane in range(lanes):
        upper = lane // 64 * 64 + lane % 32
        result[lane] = values[upper + 32] - values[upper]
