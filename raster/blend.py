"""CB blending: factors, functions, clamps, in float32 with every product and sum rounded once; and ROP3."""

import numpy as np

from ..base.kernel import kernel

(ZERO, ONE, SRC_COLOR, ONE_MINUS_SRC_COLOR, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, DST_ALPHA, ONE_MINUS_DST_ALPHA, DST_COLOR,
 ONE_MINUS_DST_COLOR, SRC_ALPHA_SATURATE, BOTH_SRC_ALPHA, BOTH_INV_SRC_ALPHA, CONSTANT_COLOR,
 ONE_MINUS_CONSTANT_COLOR, SRC1_COLOR, INV_SRC1_COLOR, SRC1_ALPHA, INV_SRC1_ALPHA, CONSTANT_ALPHA,
 ONE_MINUS_CONSTANT_ALPHA) = range(21)
DST_PLUS_SRC, SRC_MINUS_DST, MIN_DST_SRC, MAX_DST_SRC, DST_MINUS_SRC = range(5)

_SEPARATE = 1 << 29
COPY = 0xCC


@kernel
def blend_factor(factor, alpha, s, sa, d, da, t, ta, c, ca):
    """Factor of one component: s source, d destination, t second source, c constant; sa, da, ta, ca their alphas.

    `alpha` says that the component is alpha.  [BLEND-FACTORS]
    """
    one = np.float32(1)
    if factor == ZERO:
        return np.float32(0)
    if factor == SRC_COLOR:
        return s
    if factor == ONE_MINUS_SRC_COLOR:
        return np.float32(one - s)
    if factor == SRC_ALPHA:
        return sa
    if factor == ONE_MINUS_SRC_ALPHA:
        return np.float32(one - sa)
    if factor == DST_ALPHA:
        return da
    if factor == ONE_MINUS_DST_ALPHA:
        return np.float32(one - da)
    if factor == DST_COLOR:
        return d
    if factor == ONE_MINUS_DST_COLOR:
        return np.float32(one - d)
    if factor == SRC_ALPHA_SATURATE:
        return one if alpha else min(sa, np.float32(one - da))
    if factor == CONSTANT_COLOR:
        return c
    if factor == ONE_MINUS_CONSTANT_COLOR:
        return np.float32(one - c)
    if factor == SRC1_COLOR:
        return t
    if factor == INV_SRC1_COLOR:
        return np.float32(one - t)
    if factor == SRC1_ALPHA:
        return ta
    if factor == INV_SRC1_ALPHA:
        return np.float32(one - ta)
    if factor == CONSTANT_ALPHA:
        return ca
    if factor == ONE_MINUS_CONSTANT_ALPHA:
        return np.float32(one - ca)
    return one


@kernel
def blend_equation(function, source, source_factor, destination, destination_factor):
    """Combine one component; MIN and MAX ignore the factors.  [BLEND-ROUND]"""
    if function == MIN_DST_SRC:
        return min(source, destination)
    if function == MAX_DST_SRC:
        return max(source, destination)
    left = np.float32(source * source_factor)
    right = np.float32(destination * destination_factor)
    if function == SRC_MINUS_DST:
        return np.float32(left - right)
    if function == DST_MINUS_SRC:
        return np.float32(right - left)
    return np.float32(left + right)


@kernel
def blend_component(control, alpha, s, sa, d, da, t, ta, c, ca):
    """One component by a CB_BLENDn_CONTROL word; arguments as for `blend_factor`.  [BLEND-SEPARATE-ALPHA]"""
    word = np.int64(control)
    if alpha and word & _SEPARATE:
        word >>= np.int64(16)
    source, function, destination = word & 31, word >> 5 & 7, word >> 8 & 31
    if source == BOTH_SRC_ALPHA:
        source, destination = np.int64(SRC_ALPHA), np.int64(ONE_MINUS_SRC_ALPHA)
    elif source == BOTH_INV_SRC_ALPHA:
        source, destination = np.int64(ONE_MINUS_SRC_ALPHA), np.int64(SRC_ALPHA)
    source_factor = blend_factor(source, alpha, s, sa, d, da, t, ta, c, ca)
    destination_factor = blend_factor(destination, alpha, s, sa, d, da, t, ta, c, ca)
    return blend_equation(function, s, source_factor, d, destination_factor)


@kernel
def clamp_color(value, low, high):
    """BLEND_CLAMP: inside the format's range; NaN becomes 0.  [BLEND-CLAMP]"""
    if value != value:
        return np.float32(0)
    return min(max(value, low), high)


@kernel
def rop3_word(rop3, source, destination):
    """CB_COLOR_CONTROL.ROP3 on a packed word, bit by bit: result bit is ROP3's bit (S << 1 | D).  [CB-ROP3]"""
    s, d = np.uint32(source), np.uint32(destination)
    code = np.int64(rop3)
    result = np.uint32(0)
    if code & 1:
        result = np.uint32(result | np.uint32(~s) & np.uint32(~d))
    if code & 2:
        result = np.uint32(result | np.uint32(~s) & d)
    if code & 4:
        result = np.uint32(result | s & np.uint32(~d))
    if code & 8:
        result = np.uint32(result | s & d)
    return result
