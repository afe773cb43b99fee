"""Stencil: the test, the sixteen operations and the write mask."""

import numpy as np

from ..base.kernel import kernel
from .depth import compare

(KEEP, ZERO, ONES, REPLACE_TEST, REPLACE_OP, ADD_CLAMP, SUB_CLAMP, INVERT, ADD_WRAP, SUB_WRAP,
 AND, OR, XOR, NAND, NOR, XNOR) = range(16)


@kernel
def stencil_passes(function, test_value, mask, stored):
    """(TESTVAL & MASK) FUNC (stored & MASK).  [STENCIL-TEST]"""
    mask = np.int64(mask)
    return compare(function, np.int64(test_value) & mask, np.int64(stored) & mask)


@kernel
def stencil_operation(operation, stored, test_value, op_value):
    """Result of an operation before the write mask, 0..255; steps and logic use OPVAL.  [STENCIL-OPS]"""
    old, step, full = np.int64(stored), np.int64(op_value), np.int64(255)
    result = old
    if operation == ZERO:
        result = np.int64(0)
    elif operation == ONES:
        result = full
    elif operation == REPLACE_TEST:
        result = np.int64(test_value)
    elif operation == REPLACE_OP:
        result = step
    elif operation == ADD_CLAMP:
        result = min(old + step, full)
    elif operation == SUB_CLAMP:
        result = max(old - step, np.int64(0))
    elif operation == INVERT:
        result = ~old
    elif operation == ADD_WRAP:
        result = old + step
    elif operation == SUB_WRAP:
        result = old - step
    elif operation == AND:
        result = old & step
    elif operation == OR:
        result = old | step
    elif operation == XOR:
        result = old ^ step
    elif operation == NAND:
        result = ~(old & step)
    elif operation == NOR:
        result = ~(old | step)
    elif operation == XNOR:
        result = ~(old ^ step)
    return result & full


@kernel
def stencil_merge(old, new, write_mask):
    """(old & ~WRITEMASK) | (new & WRITEMASK), uint8."""
    mask = np.int64(write_mask)
    return np.uint8((np.int64(old) & ~mask | np.int64(new) & mask) & np.int64(255))
