"""Range test: what the depth range of a tile decides for a whole piece of a primitive."""

from typing import Final

import numpy as np

from ..base.kernel import kernel

UNDECIDED: Final = 0
ALL_PASS: Final = 1
ALL_FAIL: Final = 2

NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS = range(8)


@kernel
def range_test(function, new_low, new_high, old_low, old_high):
    """ALL_PASS, ALL_FAIL or UNDECIDED for every depth in [new_low, new_high] against [old_low, old_high].

    `function` is DB_DEPTH_CONTROL.ZFUNC. NaN decides nothing; a wider range decides less.  [HTILE-RANGE-TEST]
    """
    result = UNDECIDED
    if function == NEVER:
        result = ALL_FAIL
    elif function == ALWAYS:
        result = ALL_PASS
    elif function == LESS:
        result = _decide(new_high < old_low, new_low >= old_high)
    elif function == LEQUAL:
        result = _decide(new_high <= old_low, new_low > old_high)
    elif function == GREATER:
        result = _decide(new_low > old_high, new_high <= old_low)
    elif function == GEQUAL:
        result = _decide(new_low >= old_high, new_high < old_low)
    else:
        apart = new_high < old_low or new_low > old_high
        same = new_low == new_high and old_low == old_high and new_low == old_low
        result = _decide(same, apart) if function == EQUAL else _decide(apart, same)
    return np.int64(result)


@kernel
def _decide(passes, fails):
    """One answer from the two."""
    if passes:
        return ALL_PASS
    return ALL_FAIL if fails else UNDECIDED
