"""The draws of a pass as one table of numbers, with what is known of each before any vertex is shaded."""

from enum import IntEnum
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ..base.errors import UnsupportedError
from .layout import F, S
from .tables import Draw

TRIANGLE_LIST: Final = 4       # VGT_DI_PRIM_TYPE
TRIANGLE_FAN: Final = 5
TRIANGLE_STRIP: Final = 6
RECT_2D: Final = 7
RECT_LIST: Final = 17
QUAD_LIST: Final = 19
QUAD_STRIP: Final = 20
_SUPPORTED: Final = frozenset((TRIANGLE_LIST, TRIANGLE_FAN, TRIANGLE_STRIP, RECT_2D, RECT_LIST, QUAD_LIST, QUAD_STRIP))


class D(IntEnum):
    """Columns of the draw table, int64[draws, D.COUNT]."""

    PRIM_TYPE = 0
    VERTICES = 1          # vertices or indices of one instance
    INSTANCES = 2
    INDICES = 3           # address of the index buffer
    INDEX_BYTES = 4       # 1, 2 or 4; 0 for an auto draw
    INDEX_LENGTH = 5      # indices in the buffer
    INDEX_OFFSET = 6
    RESTART = 7           # -1: off
    SHADER = 8
    CONSTANTS = 9
    STATE = 10            # first row of the state tables
    VIEWPORTS = 11        # rows there
    # filled by assembly.plan
    ROWS = 12             # vertex rows of one instance
    FIRST_ROW = 13
    BY_POSITION = 14      # 1: a row for each position of the index stream; 0: for each index from LOWEST on
    LOWEST = 15           # smallest index used
    MARKS = 16            # where its bytes "row is used" begin; -1: all rows are
    TRIANGLES = 17        # of one instance
    FIRST_TRIANGLE = 18
    SPLIT = 19            # where its restart table begins; -1: no restart
    COUNT = 20


def draw_rows(draws: list[Draw]) -> npt.NDArray[np.int64]:
    """The table with the columns that come straight from the draws; UnsupportedError for other primitives."""
    rows = []
    state = next_state = 0
    last = None
    for draw in draws:
        if draw.prim_type not in _SUPPORTED:
            raise UnsupportedError("VGT_PRIMITIVE_TYPE.PRIM_TYPE", draw.prim_type)
        indices = draw.indices
        if indices is None:
            address = size = length = 0
        else:
            address, size, length = indices.__array_interface__["data"][0], indices.itemsize, indices.size
        restart = draw.restart if draw.restart is not None and size else -1
        viewports = len(draw.state_i)
        if draw.state_i is not last:
            state, last = next_state, draw.state_i
            next_state += viewports
        rows.append((draw.prim_type, draw.count, draw.instances, address, size, length, draw.index_offset, restart,
                     draw.vertex_shader, draw.vertex_constants, state, viewports, 0, 0, 0, 0, 0, 0, 0, 0))
    return np.array(rows, np.int64).reshape(-1, D.COUNT)


def state_rows(draws: list[Draw]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The state rows of all draws, one after the other; draws in a row that share an array share its rows."""
    if not draws:
        return np.zeros((0, S.COUNT), np.int64), np.zeros((0, F.COUNT), np.float32)
    own = [draws[0], *(draw for before, draw in pairwise(draws) if draw.state_i is not before.state_i)]
    return np.concatenate([draw.state_i for draw in own]), np.concatenate([draw.state_f for draw in own])
