"""Depth bounds, stencil and depth test of one pixel, early or late, and what they write."""

import numpy as np

from ..base.kernel import kernel
from .depth import (
    ALWAYS,
    EQUAL,
    GEQUAL,
    GREATER,
    LEQUAL,
    LESS,
    Z32F,
    clamp_depth,
    compare,
    depth_limits,
    order_bits,
    order_float,
    stored_depth,
    within_bounds,
)
from .layout import F, S
from .stencil import KEEP, stencil_merge, stencil_operation, stencil_passes

COVER, ORDER, REPLACE, GENERAL = 0, 1, 2, 3  # how `scan.scan_record` treats covered pixels
_LARGEST, _SMALLEST = 0x7FFFFFFF, -0x80000000

_Z_FORMAT, _Z_ENABLE, _Z_WRITE, _ZFUNC = int(S.Z_FORMAT), int(S.Z_ENABLE), int(S.Z_WRITE), int(S.ZFUNC)
_BOUNDS, _STENCIL = int(S.BOUNDS_ENABLE), int(S.STENCIL_ENABLE)
_DEPTH_CLEAR, _STENCIL_CLEAR = int(S.DEPTH_CLEAR), int(S.STENCIL_CLEAR)
_STENCIL_CLEAR_VALUE = int(S.STENCIL_CLEAR_VALUE)
_FRONT, _BACK = int(S.STENCIL_FRONT), int(S.STENCIL_BACK)
_FUNC, _FAIL, _ZPASS, _ZFAIL, _TESTVAL, _MASK, _WRITEMASK, _OPVAL = range(8)
_BOUNDS_MIN, _BOUNDS_MAX, _CLEAR_Z = int(F.BOUNDS_MIN), int(F.BOUNDS_MAX), int(F.CLEAR_Z)


@kernel
def tests_depth(state):
    """Whether depth is compared at all: Z_ENABLE and a depth target."""
    return (state[_Z_ENABLE] != 0) & (state[_Z_FORMAT] != 0)


@kernel
def may_write(state):
    """Whether fragments of this state can change depth or stencil."""
    return (tests_depth(state) & (state[_Z_WRITE] != 0)) | (state[_STENCIL] != 0)


@kernel
def test_pixel(tile, stencil, place, z, state, floats, back):
    """Whether a pixel with window depth z passes; writes depth and stencil.

    [DEPTH-CLEAR-VALUE] [STENCIL-CLEAR-VALUE]
    """
    z_format = state[_Z_FORMAT]
    old = order_float(tile[place])
    if state[_BOUNDS] != 0 and not within_bounds(old, z_format, floats[_BOUNDS_MIN],
                                                        floats[_BOUNDS_MAX]):
        return False
    stencil_ok = True
    face = _BACK if back else _FRONT
    if state[_STENCIL] != 0:
        stencil_ok = stencil_passes(state[face + _FUNC], state[face + _TESTVAL],
                                    state[face + _MASK], stencil[place])
    depth_ok = True
    new = old
    tests = tests_depth(state)
    if tests:
        low, high = depth_limits(state, floats)
        new = stored_depth(clamp_depth(z, low, high), z_format)
        depth_ok = compare(state[_ZFUNC], new, old)
    if state[_STENCIL] != 0:
        choice = _FAIL if not stencil_ok else (_ZPASS if depth_ok else _ZFAIL)
        operation = state[face + choice]
        if operation != KEEP:
            value = stencil_operation(operation, stencil[place], state[face + _TESTVAL],
                                      state[face + _OPVAL])
            if state[_STENCIL_CLEAR] != 0:
                value = state[_STENCIL_CLEAR_VALUE]
            stencil[place] = stencil_merge(stencil[place], value, state[face + _WRITEMASK])
    passed = stencil_ok and depth_ok
    if passed and tests and state[_Z_WRITE] != 0:
        if state[_DEPTH_CLEAR] != 0:
            new = stored_depth(floats[_CLEAR_Z], z_format)
        tile[place] = order_bits(new)
    return passed


@kernel
def stays_ordered(state, floats):
    """Whether what this state writes is a depth from +0 up, so that a tile of such depths stays one."""
    if not tests_depth(state) or state[_Z_WRITE] == 0:
        return True
    if state[_Z_FORMAT] != Z32F:
        return True
    low, high = depth_limits(state, floats)
    bits = order_bits(floats[_CLEAR_Z])
    clears = (state[_DEPTH_CLEAR] == 0) | (bits >= np.int32(0)) & (bits <= np.int32(0x7F800000))
    return (low >= np.float32(0)) & (high >= low) & clears


@kernel
def scan_mode(state, floats, ordered, late):
    """How a record of this state is scanned: mode, flip, or_equal, hold, low, high; see `scan`."""
    low, high = depth_limits(state, floats)
    zero = np.int32(0)
    writes = state[_Z_WRITE] != 0
    hold = np.int32(_SMALLEST) if writes else np.int32(_LARGEST)
    mode, flip, or_equal = GENERAL, zero, zero
    function = state[_ZFUNC]
    plain = (state[_Z_FORMAT] == Z32F) & (low >= np.float32(0)) & (high >= low)
    plain = plain & ((state[_DEPTH_CLEAR] == 0) | (not writes))
    if late:
        mode = COVER
    elif (state[_BOUNDS] != 0) | (state[_STENCIL] != 0):
        mode = GENERAL
    elif not tests_depth(state):
        mode = COVER
    elif function == ALWAYS:
        if not writes:
            mode = COVER
        elif plain:
            mode = REPLACE
    elif plain & ordered & (function != EQUAL) & ((function == LESS) | (function == LEQUAL) | (function == GREATER)
                                                  | (function == GEQUAL)):
        mode = ORDER
        flip = np.int32(-1) if (function == GREATER) | (function == GEQUAL) else zero
        or_equal = np.int32(1) if (function == LEQUAL) | (function == GEQUAL) else zero
    return np.int32(mode), flip, or_equal, hold, low, high
