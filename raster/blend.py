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


# What a factor is made of: a value, or 1 minus it
(OPERAND_ZERO, OPERAND_SOURCE, OPERAND_SOURCE_ALPHA, OPERAND_TARGET, OPERAND_TARGET_ALPHA, OPERAND_SECOND,
 OPERAND_SECOND_ALPHA, OPERAND_CONSTANT, OPERAND_CONSTANT_ALPHA, OPERAND_SATURATE) = range(10)


@kernel
def factor_operand(factor, alpha):
    """Operand of a factor, and whether the factor is 1 minus that; `alpha` is 1 for the alpha component.

    [BLEND-FACTORS]
    """
    if factor == ZERO:
        return OPERAND_ZERO, False
    if (factor == SRC_COLOR) | (factor == ONE_MINUS_SRC_COLOR):
        return OPERAND_SOURCE, factor == ONE_MINUS_SRC_COLOR
    if (factor == SRC_ALPHA) | (factor == ONE_MINUS_SRC_ALPHA):
        return OPERAND_SOURCE_ALPHA, factor == ONE_MINUS_SRC_ALPHA
    if (factor == DST_ALPHA) | (factor == ONE_MINUS_DST_ALPHA):
        return OPERAND_TARGET_ALPHA, factor == ONE_MINUS_DST_ALPHA
    if (factor == DST_COLOR) | (factor == ONE_MINUS_DST_COLOR):
        return OPERAND_TARGET, factor == ONE_MINUS_DST_COLOR
    if (factor == SRC_ALPHA_SATURATE) & (alpha == 0):
        return OPERAND_SATURATE, False
    if (factor == CONSTANT_COLOR) | (factor == ONE_MINUS_CONSTANT_COLOR):
        return OPERAND_CONSTANT, factor == ONE_MINUS_CONSTANT_COLOR
    if (factor == SRC1_COLOR) | (factor == INV_SRC1_COLOR):
        return OPERAND_SECOND, factor == INV_SRC1_COLOR
    if (factor == SRC1_ALPHA) | (factor == INV_SRC1_ALPHA):
        return OPERAND_SECOND_ALPHA, factor == INV_SRC1_ALPHA
    if (factor == CONSTANT_ALPHA) | (factor == ONE_MINUS_CONSTANT_ALPHA):
        return OPERAND_CONSTANT_ALPHA, factor == ONE_MINUS_CONSTANT_ALPHA
    return OPERAND_ZERO, True


@kernel
def complemented(value, complement):
    """The value, or 1 minus it."""
    return np.float32(np.float32(1) - value) if complement else value


@kernel
def saturate_factor(source_alpha, target_alpha):
    """SRC_ALPHA_SATURATE of a colour component: min(As, 1 - Ad)."""
    rest = np.float32(np.float32(1) - target_alpha)
    return source_alpha if source_alpha < rest else rest


@kernel
def control_fields(control, alpha):
    """Source factor, function and destination factor of a CB_BLENDn_CONTROL word.  [BLEND-SEPARATE-ALPHA]"""
    word = np.int64(control)
    if (alpha != 0) & (word & np.int64(_SEPARATE) != 0):
        word = word >> np.int64(16)
    source, function, destination = word & np.int64(31), word >> np.int64(5) & np.int64(7), word >> np.int64(8)
    destination = destination & np.int64(31)
    if source == BOTH_SRC_ALPHA:
        return np.int64(SRC_ALPHA), function, np.int64(ONE_MINUS_SRC_ALPHA)
    if source == BOTH_INV_SRC_ALPHA:
        return np.int64(ONE_MINUS_SRC_ALPHA), function, np.int64(SRC_ALPHA)
    return source, function, destination


@kernel
def blend_equation(function, source, source_factor, destination, destination_factor):
    """Combine one component; MIN and MAX ignore the factors.  [BLEND-ROUND]"""
    left = np.float32(source * source_factor)
    right = np.float32(destination * destination_factor)
    if function == SRC_MINUS_DST:
        return np.float32(left - right)
    if function == DST_MINUS_SRC:
        return np.float32(right - left)
    if function == MIN_DST_SRC:
        return source if source < destination else destination
    if function == MAX_DST_SRC:
        return source if source > destination else destination
    return np.float32(left + right)


@kernel
def clamp_color(value, low, high):
    """BLEND_CLAMP: inside the format's range; NaN becomes 0.  [BLEND-CLAMP]"""
    value = value if value == value else np.float32(0)
    value = value if value > low else low
    return value if value < high else high


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
