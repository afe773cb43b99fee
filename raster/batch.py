"""The batch of pixel quads that a worker fills, shades and merges: adding quads and padding to whole waves."""

import numpy as np

from ..base.kernel import kernel
from ..base.pointers import int32_at
from .context import GROUP, QUADS, Word
from .layout import BATCH_LANES, TILE

_LIVE, _PIXEL, _SLOT, _QUAD_COUNT = int(Word.LIVE), int(Word.LANE_PIXEL), int(Word.SLOT), int(Word.QUAD_COUNT)
_PLANE = np.int64(GROUP)               # lanes from a quad's corner to the next


@kernel
def first_lane(quad):
    """Lane of a quad's upper left corner: 16 quads to a wave, one plane of 16 lanes for each corner."""
    quad = np.int64(quad)
    return (quad >> np.int64(4)) * np.int64(64) + (quad & np.int64(15))


@kernel
def put_quad(context, quad, slot, place, mask):
    """Store a quad whose upper left pixel is `place`; bit c of the mask says that corner c is covered."""
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    pixel = int32_at(context[_PIXEL], np.int64(BATCH_LANES))
    int32_at(context[_SLOT], np.int64(QUADS))[quad] = np.int32(slot)
    lane = first_lane(quad)
    for corner in range(4):
        pixel[lane] = np.int32(place + (corner & 1) + (corner >> 1) * TILE)
        live[lane] = np.int32(mask >> corner & 1)
        lane += _PLANE


@kernel
def pad_waves(context):
    """Fill the last wave with helper quads; returns the lanes in use."""
    quads = context[_QUAD_COUNT]
    end = (quads + np.int64(GROUP - 1)) // np.int64(GROUP) * np.int64(GROUP)
    if end > quads:
        slot = np.int64(int32_at(context[_SLOT], np.int64(QUADS))[quads - 1])
        place = np.int64(int32_at(context[_PIXEL], np.int64(BATCH_LANES))[first_lane(quads - 1)])
        for quad in range(quads, end):
            put_quad(context, quad, slot, place, np.int64(0))
    return end * np.int64(4)


@kernel
def count_live(context, lanes):
    """Lanes that are covered and alive."""
    live = int32_at(context[_LIVE], np.int64(BATCH_LANES))
    total = np.int32(0)
    for lane in range(lanes):
        total = np.int32(total + live[np.uint64(lane)])
    return np.int64(total)
