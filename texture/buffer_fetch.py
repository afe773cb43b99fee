"""Formatted loads through a V#: bounds rules, then a few hundred lanes at a time through the decoders.

All a kernel needs of one buffer is a record, int64[RECORD], so a shader can carry it among its constants.
"""

import numpy as np

from ..base.floats import bits_float
from ..base.kernel import kernel
from ..base.pointers import uint8_at, uint16_at, uint32_at
from .number_types import BITS, COMPONENT, LSB, ROW, TYPE, WIDTH, WORD
from .spans import decode_plane
from .texels import missing_register

# Columns of a record
ADDRESS = 0        # host address of the first byte of the buffer
NBYTES = 1         # bytes that may be read from there
STRIDE = 2
NUM_RECORDS = 3
OOB_SELECT = 4
DST_SEL = 5        # 12 bits, as the V# has them
OFFSET = 6         # inst_offset + vgpr offset: checked against the bounds
VARIANT = 7        # OOB_* flags below
FORMAT = 8         # a format row follows
RECORD = FORMAT + ROW

OOB_W_ZERO = 1         # [BUF-OOB-W] a missing W of an out-of-bounds load is 0
OOB_FIRST_BYTE = 2     # [BUF-OOB-PARTIAL] only the first byte of an element is checked

_LANES = 256
_ALL_INDICES = np.int64(1 << 32)
_OOB_STRUCTURED_OFFSET, _OOB_STRUCTURED, _OOB_DISABLED, _OOB_RAW = range(4)


@kernel
def indices_within(room, stride):
    """How many indices from 0 have index * stride <= room."""
    if room < 0:
        return np.int64(0)
    return _ALL_INDICES if stride == 0 else room // stride + 1


@kernel
def indices_in_bounds(oob_select, offset, size, stride, num_records):
    """How many indices from 0 are in bounds for loads of `size` bytes.  [BUF-OOB-SELECT]"""
    if oob_select == _OOB_STRUCTURED_OFFSET:
        return num_records if offset + size <= stride else np.int64(0)
    if oob_select == _OOB_STRUCTURED:
        return num_records
    if oob_select == _OOB_DISABLED:
        return _ALL_INDICES if num_records else np.int64(0)
    return indices_within(num_records - offset - size, stride)


@kernel
def _place_lanes(record, indices, places, limit):
    """Host address of each lane's element, 0 where it is out of bounds."""
    stride = record[STRIDE]
    base = record[ADDRESS] + record[OFFSET]
    for lane in range(places.size):
        index = np.int64(indices[lane])
        places[lane] = base + index * stride if index < limit else np.int64(0)


@kernel
def _first_index_at(indices, limit, end):
    """First lane whose index is at least `limit` and below `end`; -1 when there is none."""
    for lane in range(indices.size):
        index = np.int64(indices[lane])
        if limit <= index < end:
            return np.int64(lane)
    return np.int64(-1)


@kernel
def _gather(places, byte, size, words):
    """The word `byte` bytes into each lane's element, at any alignment; 0 out of bounds."""
    if size == 4:
        for lane in range(places.size):
            words[lane] = uint32_at(places[lane] + byte, 1)[0] if places[lane] else np.uint32(0)
    elif size == 2:
        for lane in range(places.size):
            words[lane] = np.uint32(uint16_at(places[lane] + byte, 1)[0]) if places[lane] else np.uint32(0)
    else:
        for lane in range(places.size):
            words[lane] = np.uint32(uint8_at(places[lane] + byte, 1)[0]) if places[lane] else np.uint32(0)


@kernel
def _decode_component(record, places, words, component, values):
    """One component of each lane before DST_SEL; 0 out of bounds if the format stores it.  [BUF-OOB-ZERO]"""
    row = record[FORMAT:FORMAT + ROW]
    start = COMPONENT + 4 * component
    width = row[start + WIDTH]
    if width == 0:
        missing = bits_float(missing_register(row, component))
        outside = np.float32(0.0) if record[VARIANT] & OOB_W_ZERO else missing
        for lane in range(places.size):
            values[lane] = missing if places[lane] else outside
    else:
        decode_plane(words[row[start + WORD]], row[start + LSB], width, row[start + TYPE], values[:places.size])
        for lane in range(places.size):
            values[lane] = values[lane] if places[lane] else np.float32(0.0)


@kernel
def fetch_lanes(record, indices, out, lane_stride, component_stride):
    """Four registers for each index, as buffer_load_format_xyzw.  [BUF-FETCH-ORDER]

    indices uint32[n]; lane i's component c goes to out[i * lane_stride + c * component_stride] (float32; integers as
    their bits). Returns -1, or the first lane whose element is in bounds but not in readable memory; nothing is read
    or written then.
    """
    size = record[FORMAT + BITS] >> 3
    word_size = size if size < 4 else np.int64(4)
    stride = record[STRIDE]
    offset = record[OFFSET]
    checked = np.int64(1) if record[VARIANT] & OOB_FIRST_BYTE else size
    limit = indices_in_bounds(record[OOB_SELECT], offset, checked, stride, record[NUM_RECORDS])
    mapped = indices_within(record[NBYTES] - offset - size, stride)
    if mapped < limit:
        stopped = _first_index_at(indices, mapped, limit)
        if stopped >= 0:
            return stopped
    count = np.int64(indices.size)
    all_places = np.empty(_LANES, np.int64)
    words = np.empty((4, _LANES), np.uint32)
    values = np.empty(_LANES, np.float32)
    first = np.int64(0)
    while first < count:
        lanes = min(np.int64(_LANES), count - first)
        places = all_places[:lanes]
        _place_lanes(record, indices[first:first + lanes], places, limit)
        for word in range((size + 3) >> 2):
            _gather(places, np.int64(4) * word, word_size, words[word])
        for component in range(4):
            chosen = (record[DST_SEL] >> (3 * component)) & 7
            if chosen >= 4:
                _decode_component(record, places, words, chosen - 4, values)
            else:
                constant = missing_register(record[FORMAT:FORMAT + ROW], 3) if chosen == 1 else np.uint32(0)
                for lane in range(lanes):
                    values[lane] = bits_float(constant)
            target = first * lane_stride + component * component_stride
            for lane in range(lanes):
                out[target + lane * lane_stride] = values[lane]
        first += lanes
    return np.int64(-1)
