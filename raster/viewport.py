"""PA_CL viewport transform (VTE) and PA_SU vertex snapping: clip space position to fixed-point window position."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from ..base.floats import fma
from ..base.kernel import kernel
from .layout import GeometryVariant

_VTX_XY_FMT: Final = 1 << 8
_VTX_Z_FMT: Final = 1 << 9
_VTX_W0_FMT: Final = 1 << 10
_ONE: Final = np.float32(1)
_VTE_FUSED: Final = int(GeometryVariant.VTE_FUSED)
_SNAP_TO_ZERO: Final = int(GeometryVariant.SNAP_TO_ZERO)
_SNAP_ROUND_AWAY: Final = int(GeometryVariant.SNAP_ROUND_AWAY)
_SNAP_JAM_ODD: Final = int(GeometryVariant.SNAP_JAM_ODD)
_TRUNCATE: Final = 0
_ROUND: Final = 1
_ROUND_TO_EVEN: Final = 2
_RANGE: Final = 1 << 23  # snapped positions are signed 24-bit numbers


@kernel
def viewport_of(bits, viewports):
    """Viewport that a misc vector chooses; one without a state row counts as 0.  [RAST-VIEWPORT-INDEX]"""
    viewport = (np.int64(bits) >> 16) & 15
    return viewport if viewport < viewports else np.int64(0)


@kernel
def reciprocal_w(w, vte):
    """1/w, correctly rounded; w itself when PA_CL_VTE_CNTL.VTX_W0_FMT says it is 1/w already.  [RAST-VTE-ROUND]"""
    if vte & _VTX_W0_FMT:
        return np.float32(_ONE / w)
    return np.float32(w)


@kernel
def scale_offset(value, scale, offset, enables, variants):
    """Scale, then offset, each step enabled by a bit (1 scale, 2 offset) and rounded.  [RAST-VTE-ROUND]"""
    if enables == 3 and variants & _VTE_FUSED:
        return np.float32(fma(value, scale, offset))
    if enables & 1:
        value = np.float32(value * scale)
    if enables & 2:
        value = np.float32(value + offset)
    return np.float32(value)


@kernel
def window_xy(value, reciprocal, scale, offset, vte, axis, variants):
    """Window X (axis 0) or Y (axis 1), float32."""
    if vte & _VTX_XY_FMT == 0:
        value = np.float32(value * reciprocal)
    return scale_offset(np.float32(value), scale, offset, (vte >> (2 * axis)) & 3, variants)


@kernel
def window_z(value, reciprocal, scale, offset, vte, variants):
    """Window Z, float32."""
    if vte & _VTX_Z_FMT == 0:
        value = np.float32(value * reciprocal)
    return scale_offset(np.float32(value), scale, offset, (vte >> 4) & 3, variants)


@kernel
def step_bits(vtx):
    """Fraction bits that PA_SU_VTX_CNTL.QUANT_MODE keeps."""
    mode = (np.int64(vtx) >> 3) & 7
    if mode <= 4:
        return np.int64(4) - mode
    if mode == 5:
        return np.int64(8)
    if mode == 6:
        return np.int64(10)
    return np.int64(12)


@kernel
def subpixel_bits(vtx):
    """Fraction bits of record coordinates: those of QUANT_MODE, at least 8."""
    return max(step_bits(vtx), np.int64(8))


@kernel
def round_fixed(scaled, mode, variants):
    """Integer that PA_SU_VTX_CNTL.ROUND_MODE makes of a scaled coordinate, as float64.

    [RAST-SNAP-TRUNCATE] [RAST-SNAP-HALF] [RAST-SNAP-ODD]
    """
    if mode == _ROUND_TO_EVEN:
        return np.rint(scaled)
    below = np.floor(scaled)
    fraction = scaled - below
    if mode == _TRUNCATE:
        if variants & _SNAP_TO_ZERO and scaled < 0 and fraction > 0:
            return below + 1.0
        return below
    if mode == _ROUND:
        if variants & _SNAP_ROUND_AWAY and scaled < 0 and fraction == 0.5:
            return below
        return np.floor(scaled + 0.5)
    odd = below if np.floor(below * 0.5) * 2.0 != below else below + 1.0
    if fraction == 0.5 or (variants & _SNAP_JAM_ODD and fraction > 0):
        return odd
    return np.rint(scaled)


@kernel
def snap_range(vtx, centre):
    """What snapping needs of PA_SU_VTX_CNTL: steps per pixel, lowest and highest step, shift, and what is added.

    A signed 24-bit range around `centre` pixels, 65536, 16384 or 4096 pixels wide; the steps above 1/256 have the
    range of 1/256. PIX_CENTER 0 shifts the picture by half a pixel, as pixel (i, j) has its centre at (i, j) then.
    [RAST-SNAP-RANGE] [RAST-PIX-CENTER]
    """
    bits = step_bits(vtx)
    shift = max(np.int64(8) - bits, np.int64(0))
    unit = np.float64(np.int64(1) << bits)
    middle = np.float64(np.int64(centre)) * unit
    low = middle - np.float64(np.int64(_RANGE) >> shift)
    high = middle + np.float64((np.int64(_RANGE) - 1) >> shift)
    half = np.int32(0) if np.int64(vtx) & 1 else np.int32(np.int64(1) << (bits + shift - 1))
    return unit, low, high, np.int32(shift), half


@kernel
def snap_step(value, unit, low, high, shift, half, mode, variants):
    """Fixed-point form of a coordinate, with what `snap_range` gave; NaN gives the largest."""
    rounded = round_fixed(np.float64(value) * unit, mode, variants)
    rounded = rounded if rounded < high else high
    rounded = rounded if rounded > low else low
    return np.int32(np.int32(np.int32(rounded) << shift) + half)


@kernel
def snap(value, vtx, centre, variants):
    """Fixed-point window coordinate with `subpixel_bits` fraction bits, int32."""
    unit, low, high, shift, half = snap_range(vtx, centre)
    return snap_step(value, unit, low, high, shift, half, (np.int64(vtx) >> 1) & 3, variants)


@kernel
def snap_lanes(lanes, values, vtx, centre, variants, out):
    """`snap` over an array."""
    unit, low, high, shift, half = snap_range(vtx, centre)
    mode = (np.int64(vtx) >> 1) & 3
    if mode == _ROUND_TO_EVEN:  # the same rule with the mode known, so that the loop vectorises
        for lane in range(lanes):
            out[lane] = snap_step(values[lane], unit, low, high, shift, half, _ROUND_TO_EVEN, variants)
    else:
        for lane in range(lanes):
            out[lane] = snap_step(values[lane], unit, low, high, shift, half, mode, variants)


def snap_positions(values: npt.ArrayLike, vtx: int, *, centre: int = 0, variants: int = 0) -> npt.NDArray[np.int32]:
    """Snapped window coordinates.

    Parameters
    ----------
    values : float32, any shape
        Window X or Y in pixels; NaN is an InputError (such primitives are dropped before).
    vtx : int
        PA_SU_VTX_CNTL word.
    centre : int
        PA_SU_HARDWARE_SCREEN_OFFSET of that axis in pixels.
    variants : int
        GeometryVariant bits.

    Returns
    -------
    int32, same shape
        `subpixel_bits(vtx)` fraction bits.
    """
    array = np.asarray(values, np.float32)
    if np.isnan(array).any():
        raise InputError("values: a NaN position has no snapped form")
    out = np.empty(array.size, np.int32)
    flat = np.ascontiguousarray(array).reshape(-1)
    snap_lanes(flat.size, flat, np.int64(vtx), np.int64(centre), np.int64(variants), out)
    return out.reshape(array.shape)
