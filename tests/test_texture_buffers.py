"""Formatted buffer loads: bounds, missing components, DST_SEL, and never a read outside what is mapped."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refgpu import InputError, UnsupportedError
from refgpu.base.claims import Variant
from refgpu.texture.buffer_fetch import FORMAT, NBYTES, OFFSET, RECORD, STRIDE, fetch_lanes
from refgpu.texture.buffers import Buffer, fetch
from refgpu.texture.formats import decode

BASE = 0x4_0000


class Region(NamedTuple):
    address: int
    end: int


class FakeMemory:
    """One mapped range with guard bytes around it that hold 0xEE."""

    def __init__(self, data, address=BASE):
        self.address = address
        raw = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        self.guarded = np.full(raw.size + 128, 0xEE, np.uint8)
        self.guarded[64:64 + raw.size] = raw
        self.nbytes = raw.size

    def view(self, address, nbytes):
        at = address - self.address
        if at < 0 or at + nbytes > self.nbytes:
            raise InputError(f"not mapped: {address:#x}")
        return self.guarded[64 + at:64 + at + nbytes]

    def region_at(self, address):
        inside = self.address <= address < self.address + self.nbytes
        return Region(self.address, self.address + self.nbytes) if inside else None

    def pointer(self, address, nbytes):
        view = self.view(address, nbytes)
        return view.ctypes.data, self.guarded


def make(data, **fields):
    default = {"BASE_ADDRESS": BASE, "STRIDE": 16, "FORMAT": 77, "NUM_RECORDS": 4, "OOB_SELECT": 1}
    return Buffer.from_fields(FakeMemory(data), **(default | fields))


ROWS = np.arange(64, dtype=np.float32).reshape(16, 4) + 1


@pytest.mark.jit_off
def test_rows_come_back_in_any_order():
    buffer = make(ROWS, NUM_RECORDS=16)
    assert (fetch(buffer, [3, 0, 15, 3]) == ROWS[[3, 0, 15, 3]]).all()
    assert fetch(buffer, np.array([[0, 1]], np.uint16)).shape == (1, 2, 4)
    assert fetch(buffer, []).shape == (0, 4)


@pytest.mark.jit_off
def test_measured_structured_vector():
    # measured.md 6.21: stride 16, records 4, w3 0x01016FAC; memory continues behind
    buffer = Buffer.from_words([BASE, 16 << 16, 4, 0x01016FAC], FakeMemory(ROWS))
    for offset in (0, 4, 8, 12):
        assert fetch(buffer, range(4), offset)[:, 0].tolist() == ROWS[:4, offset // 4].tolist()
        assert fetch(buffer, [4, 5], offset)[:, 0].tolist() == [0, 0]
    for offset in (16, 20, 1000):
        assert fetch(buffer, range(4), offset)[:, 0].tolist() == [0] * 4


def allowed(mode, index, offset, size, stride, records):
    """draw_inputs.md, one element at a time."""
    if mode == 0:
        return index < records and offset + size <= stride
    if mode == 1:
        return index < records
    if mode == 2:
        return records != 0
    return index * stride + offset + size <= records


@given(st.integers(0, 3), st.integers(0, 20), st.integers(0, 20), st.sampled_from([0, 1, 4, 8, 12, 16]),
       st.integers(0, 40), st.sampled_from([(20, 4), (1, 1), (7, 2), (62, 8)]))
def test_bounds_rules(mode, index, offset, stride, records, format_):
    number, size = format_
    data = np.arange(1, 1025, dtype=np.uint16).view(np.uint8) | 1
    buffer = make(data, FORMAT=number, STRIDE=stride, NUM_RECORDS=records, OOB_SELECT=mode)
    if mode == 0 and stride == 0 and records:
        with pytest.warns(UserWarning, match="STRIDE 0"):
            got = fetch(buffer, [index], offset)[0, 0]
    else:
        got = fetch(buffer, [index], offset)[0, 0]
    at = index * stride + offset
    raw = data[at:at + min(size, 4)].tobytes()
    inside = decode(number, np.array([int.from_bytes(raw, "little")] * (2 if size == 8 else 1), np.uint32)[None]
                    if size == 8 else [int.from_bytes(raw, "little")])[0, 0]
    assert got == (inside if allowed(mode, index, offset, size, stride, records) else 0)


@pytest.mark.jit_off
def test_stride_zero_reads_one_record():
    buffer = make(ROWS, STRIDE=0, NUM_RECORDS=16, OOB_SELECT=3)
    assert (fetch(buffer, [0, 7, 0xFFFFFFFF]) == ROWS[0]).all()
    # cases.md B75: NUM_RECORDS 256, stride 0: dword 63 readable, 64 not
    words = make(np.arange(100, dtype=np.uint32), FORMAT=20, STRIDE=0, NUM_RECORDS=256, OOB_SELECT=3)
    assert fetch(words, [0], 63 * 4)[0, 0] == 63
    assert fetch(words, [0], 64 * 4)[0, 0] == 0


@pytest.mark.jit_off
def test_element_partly_outside():
    raw = make(ROWS, OOB_SELECT=3, NUM_RECORDS=24)
    assert fetch(raw, [0, 1]).tolist() == [ROWS[0].tolist(), [0, 0, 0, 0]]
    first = Variant({"BUF-OOB-PARTIAL": "first_byte"})
    assert (fetch(raw, [1], variant=first)[0] == ROWS[1]).all()
    structured = make(ROWS, OOB_SELECT=0)
    assert fetch(structured, [1], 4).tolist() == [[0, 0, 0, 0]]
    assert fetch(structured, [1], 4, variant=first)[0].tolist() == [6, 7, 8, 9]


@pytest.mark.jit_off
def test_soffset_is_not_checked():
    buffer = make(ROWS, OOB_SELECT=3, NUM_RECORDS=16)
    assert (fetch(buffer, [0], soffset=32)[0] == ROWS[2]).all()
    checked = Variant({"BUF-OOB-SOFFSET": "checked"})
    assert not fetch(buffer, [0], soffset=32, variant=checked).any()


@pytest.mark.jit_off
def test_dst_sel_constants_stay_out_of_bounds():
    buffer = make(ROWS, DST_SEL_W=1)
    assert fetch(buffer, [9]).tolist() == [[0, 0, 0, 1]]      # measured.md 6.21


@pytest.mark.jit_off
def test_missing_w_out_of_bounds():
    buffer = make(ROWS, FORMAT=74)
    assert fetch(buffer, [9]).tolist() == [[0, 0, 0, 1]]      # cases.md B74
    zero = Variant({"BUF-OOB-W": "zero"})
    assert fetch(buffer, [9], variant=zero).tolist() == [[0, 0, 0, 0]]
    assert fetch(buffer, [1], variant=zero).tolist() == [[5, 6, 7, 1]]


@pytest.mark.jit_off
def test_dst_sel_picks_and_constants():
    buffer = make(ROWS, DST_SEL_X=6, DST_SEL_Y=1, DST_SEL_Z=0, DST_SEL_W=4)
    assert fetch(buffer, [0]).tolist() == [[3, 1, 0, 1]]
    integers = make(np.arange(16, dtype=np.uint32), FORMAT=62, DST_SEL_Z=1)
    assert fetch(integers, [1]).tolist() == [[4, 5, 1, 1]]
    assert fetch(integers, [1]).dtype == np.uint32


@pytest.mark.jit_off
def test_two_components_are_not_the_next_vertex():
    buffer = make(ROWS, FORMAT=64, STRIDE=8, NUM_RECORDS=8)   # cases.md B76
    assert fetch(buffer, [1]).tolist() == [[3, 4, 0, 1]]


@pytest.mark.jit_off
def test_index_and_offset_add():
    buffer = make(np.arange(32, dtype=np.uint32), FORMAT=20, STRIDE=8, NUM_RECORDS=16)
    assert fetch(buffer, [2], 4)[0, 0] == 5                   # cases.md B77


@pytest.mark.jit_off
def test_null_buffer_loads_zero():
    buffer = Buffer.from_words([0, 0, 0, 0], FakeMemory(ROWS))
    assert fetch(buffer, [0, 5]).tolist() == [[0] * 4] * 2


@pytest.mark.jit_off
def test_unaligned_bases():
    data = np.zeros(100, np.uint8)
    data[3:67] = np.arange(1, 17, dtype=np.float32).view(np.uint8)
    buffer = make(data, BASE_ADDRESS=BASE + 3, NUM_RECORDS=4)
    assert fetch(buffer, [1]).tolist() == [[5, 6, 7, 8]]
    halves = make(np.frombuffer(b"\0\0" + np.arange(8, dtype=np.float16).tobytes(), np.uint8), BASE_ADDRESS=BASE + 2,
                  FORMAT=71, STRIDE=8, NUM_RECORDS=2)
    assert fetch(halves, [1]).tolist() == [[4, 5, 6, 7]]      # cases.md B83


@pytest.mark.jit_off
def test_every_lane_group_is_filled():
    rows = np.arange(4 * 1000, dtype=np.float32).reshape(1000, 4)
    buffer = make(rows, NUM_RECORDS=1000)
    index = np.arange(999, -1, -1)
    assert (fetch(buffer, index) == rows[index]).all()


@pytest.mark.parametrize(("mode", "records", "index", "bad"), [(1, 100, [0, 1, 20], 20), (2, 1, [16, 0], 16),
                                                              (3, 1 << 20, [15, 16, 17], 16)])
def test_outside_of_memory_is_an_error_and_not_a_read(mode, records, index, bad):
    buffer = make(ROWS, NUM_RECORDS=records, OOB_SELECT=mode)
    assert (fetch(buffer, [15]) == ROWS[15]).all()
    with pytest.raises(InputError, match=rf"index {bad} reads 16 bytes at {BASE + 16 * bad:#x}"):
        fetch(buffer, index)


def test_huge_indices_and_offsets():
    buffer = make(ROWS, NUM_RECORDS=0xFFFFFFFF, STRIDE=0x3FFF, OOB_SELECT=1)
    with pytest.raises(InputError, match="not mapped"):
        fetch(buffer, [0xFFFFFFFE])
    assert not fetch(buffer, [0xFFFFFFFF]).any()
    with pytest.raises(InputError, match="not mapped"):
        fetch(buffer, [0], 0xFFFFFFF0)
    with pytest.raises(InputError, match="offset"):
        fetch(buffer, [0], -4)


def test_nothing_mapped_at_the_base():
    buffer = make(ROWS, BASE_ADDRESS=0x9999_0000)
    with pytest.raises(InputError, match="0x99990000"):
        fetch(buffer, [0])
    assert not fetch(buffer, [4]).any()        # out of bounds never touches memory


@pytest.mark.parametrize("field", ["SWIZZLE_ENABLE", "ADD_TID_ENABLE"])
def test_unsupported_modes_say_so(field):
    with pytest.raises(UnsupportedError, match=field):
        fetch(make(ROWS, **{field: 1}), [0])


def test_kernel_reads_by_record_and_writes_with_strides():
    """What a vertex shader does: planes of registers, a plane stride."""
    record, owner = make(ROWS, NUM_RECORDS=16).record(4)
    assert record.shape == (RECORD,)
    assert (record[[NBYTES, STRIDE, OFFSET]] == [ROWS.nbytes, 16, 4]).all()
    assert record[FORMAT] == 128
    out = np.zeros(40, np.float32)
    assert fetch_lanes(record, np.array([2, 0], np.uint32), out, np.int64(1), np.int64(10)) == -1
    assert out.reshape(4, 10)[:, :2].T.tolist() == [[10, 11, 12, 13], [2, 3, 4, 5]]
    assert not out.reshape(4, 10)[:, 2:].any()
    assert owner is not None


@given(st.sampled_from([1, 2, 5, 6, 13, 14, 22, 29, 30, 36, 43, 44, 51, 55, 56, 57, 61, 64, 66, 71, 74, 77]), st.data())
def test_fetch_equals_decode(number, data):
    """The fetch kernel and the format API agree on every buffer format."""
    from refgpu.texture.format_table import FORMATS
    size = FORMATS[number].bits // 8
    raw = np.frombuffer(data.draw(st.binary(min_size=4 * size, max_size=4 * size)), np.uint8)
    buffer = make(raw, FORMAT=number, STRIDE=size, NUM_RECORDS=4)
    padded = np.zeros((4, max(4, size)), np.uint8)
    padded[:, :size] = raw.reshape(4, size)
    words = padded.view(np.uint32)
    expected = decode(number, words if size > 4 else words[:, 0])
    assert (fetch(buffer, range(4)).view(np.uint32) == expected.view(np.uint32)).all()
