"""Index streams, index bounds, byte ranges of vertices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene import vsharp

from refgpu import texture
from refgpu.base.claims import Variant
from refgpu.base.errors import DecodeError, InputError, UnsupportedError
from refgpu.draw_inputs import (
    INDEX_TYPES,
    Attribute,
    decode_inputs,
    draw_ranges,
    index_bounds,
    index_stream,
    instance_index,
    instance_indices,
    merge_ranges,
    plan,
    restart_index,
    vertex_ranges,
)
from refgpu.memory import Memory
from refgpu.pm4 import DrawCall
from refgpu.registers import RegisterFile

BASE = 0x1_0000_0000
FMT_16_16, FMT_8_8_8_8, FMT_32_32, FMT_16_16_16_16, FMT_8 = 29, 56, 64, 71, 1
RESET_EN, MATCH_ALL_BITS = 1, 2


def auto(count, instances=1):
    return DrawCall(False, 0, 0, count, count, 0, instances, 2)


def indexed(count, address=BASE, index_type=0, max_size=None, offset=0, instances=1):
    return DrawCall(True, address, index_type, count, count if max_size is None else max_size, offset, instances, 0)


@pytest.fixture
def registers():
    return RegisterFile("gfx1013")


def memory_with(data, name="data"):
    memory = Memory()
    memory.map(BASE, np.ascontiguousarray(data).view(np.uint8).reshape(-1).copy(), name=name)
    return memory


@pytest.mark.jit_off
def test_index_size_is_the_register_s():  # cases.md B71
    data = bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
    assert index_stream(data, 0, 6)[0].tolist() == [0, 0, 1, 0, 2, 0]
    assert index_stream(data, 1, 3)[0].tolist() == [0, 1, 2]
    more = bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0])
    assert index_stream(more, 1, 6)[0].tolist() == [0, 1, 2, 2, 1, 3]
    assert index_stream(data, 2, 5)[0].tolist() == [0, 0, 0, 0, 1]
    with pytest.raises(DecodeError, match="INDEX_TYPE = 3 is reserved"):
        index_stream(data, 3, 1)
    with pytest.raises(InputError, match="count -1"):
        index_stream(data, 0, -1)


@pytest.mark.jit_off
def test_indices_past_the_buffer_read_as_0():
    indices, breaks = index_stream(np.array([5, 6], np.uint16), 0, 4)
    assert (indices.tolist(), breaks.tolist()) == ([5, 6, 0, 0], [])
    indices, breaks = index_stream(np.array([5, 6], np.uint16), 0, 4, restart=0)
    assert (indices.tolist(), breaks.tolist()) == ([5, 6], [2, 2])


@pytest.mark.jit_off
def test_offset_is_added_modulo_2_32_after_the_restart_test():  # cases.md B73
    data = np.array([3, 0xFFFF, 4], np.uint16)
    indices, breaks = index_stream(data, 0, 3, restart=0xFFFF, offset=0xD4D4)
    assert (indices.tolist(), breaks.tolist()) == ([0xD4D7, 0xD4D8], [1])
    assert index_stream(data, 0, 3, offset=-4)[0].tolist() == [0xFFFFFFFF, 0xFFFB, 0]


@pytest.mark.parametrize(("offset", "ranges"), [
    (0, [(3, 7)]), (0xD4D4, [(0xD4D7, 0xD4DB)]), (-3, [(0, 4)]), (-5, [(0, 2), (0xFFFFFFFE, 0xFFFFFFFF)]),
    (-100, [(0xFFFFFF9F, 0xFFFFFFA3)]),
])  # fmt: skip
def test_index_ranges_with_an_offset(registers, offset, ranges):
    registers["GE_INDX_OFFSET"] = offset & 0xFFFFFFFF
    memory = memory_with(np.array([5, 3, 7], np.uint16))
    inputs = decode_inputs(indexed(3), registers, memory)
    assert inputs.index_ranges() == ranges
    assert (inputs.lowest_index(), inputs.highest_index()) == (ranges[0][0], ranges[-1][1])
    assert decode_inputs(auto(3), registers, memory).index_offset == offset


def test_auto_draws_count_for_themselves(registers):  # cases.md B70
    inputs = decode_inputs(auto(6), registers, Memory())
    assert (inputs.count, inputs.index_ranges()) == (6, [(0, 5)])
    assert decode_inputs(auto(0), registers, Memory()).index_ranges() == []


@pytest.mark.parametrize(("control", "register", "bits", "restart"), [
    (0, 0xFFFF, 16, None),
    (RESET_EN, 0xFFFFFFFF, 16, 0xFFFF), (RESET_EN, 0x12345678, 16, 0x5678), (RESET_EN, 0x12345678, 8, 0x78),
    (RESET_EN, 0x12345678, 32, 0x12345678),
    (RESET_EN | MATCH_ALL_BITS, 0xFFFFFFFF, 16, None), (RESET_EN | MATCH_ALL_BITS, 0xFFFF, 16, 0xFFFF),
    (RESET_EN | MATCH_ALL_BITS, 0xFFFF, 8, None), (RESET_EN | MATCH_ALL_BITS, 0xFFFFFFFF, 32, 0xFFFFFFFF),
])  # fmt: skip
@pytest.mark.jit_off
def test_restart_index(registers, control, register, bits, restart):
    registers["GE_MULTI_PRIM_IB_RESET_EN"] = control
    registers["VGT_MULTI_PRIM_IB_RESET_INDX"] = register
    assert restart_index(registers, bits) == restart
    other = restart_index(registers, bits, Variant({"DRAW-RESTART-MATCH": "register_or_ones"}))
    if control & MATCH_ALL_BITS:
        assert other == register & ((1 << bits) - 1)
    else:
        assert other == ((1 << bits) - 1 if control else None)


@given(st.sampled_from([0, 1, 2]), st.data())
def test_bounds_against_python(index_type, data):
    dtype = INDEX_TYPES[index_type]
    most = int(np.iinfo(dtype).max)
    values = data.draw(st.lists(st.one_of(st.sampled_from([0, 1, most - 1, most]), st.integers(0, most)), max_size=40))
    restart = data.draw(st.sampled_from([None, 0, most, most + 1, *values[:1]]))
    kept = [value for value in values if value != restart]
    found = index_bounds(np.array(values, dtype), restart)
    assert found == ((min(kept), max(kept)) if kept else None)


def test_bounds_of_a_long_stream_in_parts():
    indices = np.full(5 << 20, 300, np.uint16)
    indices[[0, 1 << 21, -1]] = 0xFFFF, 7, 65000
    for threads in (1, 2, 3):
        assert index_bounds(indices, 0xFFFF, threads) == (7, 65000)
    with pytest.raises(InputError, match="expected uint8"):
        index_bounds(np.zeros(3, np.int32))


@given(st.lists(st.integers(0, 0xFFFF), max_size=12), st.integers(0, 14), st.integers(0, 14), st.integers(0, 14),
       st.booleans())
def test_decoded_bounds_equal_the_stream_s(values, count, max_size, offset, restarts):
    registers = RegisterFile("gfx1013")
    registers["GE_MULTI_PRIM_IB_RESET_EN"] = int(restarts)
    registers["VGT_MULTI_PRIM_IB_RESET_INDX"] = 0xFFFF
    registers["GE_INDX_OFFSET"] = 3
    buffer = np.zeros(40, np.uint16)
    buffer[: len(values)] = values
    inputs = decode_inputs(indexed(count, max_size=max_size, offset=offset), registers, memory_with(buffer))
    readable = buffer[offset : max(max_size, offset)][:count]
    stream, _ = index_stream(readable, 0, count, 0xFFFF if restarts else None, 3)
    assert inputs.index_ranges() == ([(int(stream.min()), int(stream.max()))] if stream.size else [])
    assert inputs.indices.tolist() == readable.tolist()


def test_indices_are_not_copied_and_may_lie_at_any_index_address(registers):  # cases.md B83
    registers["GE_MULTI_PRIM_IB_RESET_EN"] = RESET_EN
    registers["VGT_MULTI_PRIM_IB_RESET_INDX"] = 0xFFFF
    memory = memory_with(np.array([9, 0, 1, 0xFFFF, 2, 4], np.uint16))
    inputs = decode_inputs(indexed(5, BASE + 2), registers, memory)
    assert np.shares_memory(inputs.indices, memory.regions[0].data)
    assert inputs.index_ranges() == [(0, 4)]
    vertices = texture.Buffer.from_words(vsharp(BASE + 2, 8, 5, FMT_16_16_16_16), memory)
    index_plan, vertex_plan = plan(draw_ranges(inputs, [Attribute(vertices)]), memory)
    assert (index_plan.range.address, index_plan.range.nbytes, index_plan.in_place) == (BASE + 2, 10, True)
    assert vertex_plan.reasons[0] == "misaligned for its reader"
    for address, kind in ((BASE + 1, 0), (BASE + 2, 1)):
        with pytest.raises(InputError, match="is not aligned to its"):
            decode_inputs(indexed(1, address, kind), registers, memory)
    with pytest.raises(InputError, match="ends before"):
        decode_inputs(indexed(7), registers, memory)
    with pytest.raises(DecodeError, match="reserved"):
        decode_inputs(indexed(1, index_type=3), registers, memory)


def test_clamps_that_change_an_index_are_refused(registers):
    memory = memory_with(np.array([5, 9], np.uint16))
    registers["GE_MIN_VTX_INDX"], registers["GE_MAX_VTX_INDX"] = 5, 9
    assert decode_inputs(indexed(2), registers, memory).index_ranges() == [(5, 9)]
    registers["GE_MIN_VTX_INDX"] = 6
    with pytest.raises(UnsupportedError, match="GE_MIN_VTX_INDX that changes an index = 0x6"):
        decode_inputs(indexed(2), registers, memory).index_ranges()
    registers["GE_MIN_VTX_INDX"], registers["GE_MAX_VTX_INDX"] = 0, 8
    with pytest.raises(UnsupportedError, match="GE_MAX_VTX_INDX that changes an index = 0x8"):
        decode_inputs(indexed(2), registers, memory).index_ranges()
    registers["GE_MAX_VTX_INDX"], registers["GE_INDX_OFFSET"] = 9, 1
    with pytest.raises(UnsupportedError, match="GE_MAX_VTX_INDX"):
        decode_inputs(indexed(2), registers, memory).index_ranges()


def test_instance_steps():  # cases.md B84
    assert [instance_index(i, 2) for i in range(4)] == [0, 0, 1, 1]
    assert [instance_index(i, 0, 7) for i in range(3)] == [7, 7, 7]
    assert instance_index(3, 1, 0xFFFFFFFE) == 1
    assert instance_indices(2, 4) == [(0, 1)]
    assert instance_indices(2, 5, 10) == [(10, 12)]
    assert instance_indices(0, 5, 10) == [(10, 10)]
    assert instance_indices(1, 4, 0xFFFFFFFE) == [(0, 1), (0xFFFFFFFE, 0xFFFFFFFF)]
    assert instance_indices(1, 0) == []


def test_interleaved_attributes_share_a_range(registers):
    memory = Memory()
    memory.map(BASE, 0x1000)
    buffers = [texture.Buffer.from_words(vsharp(BASE + offset, 28, 100, format_), memory)
               for offset, format_ in ((0, 77), (16, FMT_8_8_8_8), (20, FMT_32_32))]  # fmt: skip
    far = texture.Buffer.from_words(vsharp(BASE + 0x800, 1, 100, FMT_8), memory)
    null = texture.Buffer.from_words([0, 0, 0, 0], memory)
    inputs = decode_inputs(auto(10, instances=4), registers, memory)
    attributes = [*map(Attribute, buffers), Attribute(far, step=2), Attribute(null)]
    first, second = vertex_ranges(inputs, attributes)
    assert (first.address, first.nbytes, first.alignment, first.readers) == (BASE, 280, 4, (0, 1, 2))
    assert (second.address, second.nbytes, second.alignment, second.readers) == (BASE + 0x800, 2, 1, (3,))
    assert (first.strides, first.aligned) == ({28}, True)
    moved = vertex_ranges(inputs, attributes[:1], base_vertex=-2)  # indices 0..7 and two far out of bounds
    assert [(one.address, one.nbytes) for one in moved] == [(BASE, 7 * 28 + 16)]
    (one,) = vertex_ranges(inputs, [Attribute(far, step=1)], start_instance=97)  # 97..100, but 100 is out of bounds
    assert (one.address, one.nbytes) == (BASE + 0x800 + 97, 3)


def test_zero_stride_and_bounds(registers):
    memory = Memory()
    memory.map(BASE, 0x1000)
    inputs = decode_inputs(auto(10), registers, memory)

    def ranges(stride, records, oob_select, offset=0):
        buffer = texture.Buffer.from_words(vsharp(BASE, stride, records, FMT_32_32, oob_select), memory)
        return [(one.address - BASE, one.nbytes) for one in vertex_ranges(inputs, [Attribute(buffer, offset)])]

    assert ranges(0, 256, 3) == [(0, 8)]
    assert ranges(16, 3, 1) == [(0, 40)]  # cases.md B74: records 0 to 2
    assert ranges(16, 3, 0, offset=8) == [(8, 40)]
    assert ranges(16, 3, 0, offset=12) == []
    assert ranges(16, 40, 3) == [(0, 40)]
    assert ranges(16, 0, 2) == []
    assert ranges(16, 1, 2) == [(0, 152)]


formats = st.sampled_from([(FMT_8, 1), (FMT_16_16, 4), (FMT_32_32, 8)])
vsharps = st.tuples(st.integers(0, 3), st.integers(0, 20), st.sampled_from([0, 4, 8, 12, 20]), st.integers(0, 30),
                    st.sampled_from([0, 1, 2, 3]), formats).filter(lambda v: v[2] or v[4])  # fmt: skip


def touched(place, offset, stride, records, select, size, index):
    """Bytes that one load touches, by the bounds rules as the fact book words them."""
    inside = (index < records and size <= stride, index < records, records > 0, index * stride + size <= records)
    start = BASE + 0x100 * place + offset + index * stride
    return range(start, start + size) if inside[select] else range(0)


@given(st.lists(vsharps, min_size=1, max_size=3), st.lists(st.integers(0, 20), max_size=6))
def test_ranges_are_what_the_fetcher_touches(attributes, indices):
    """Everything outside the ranges is unmapped, and the fetcher is content; a byte less, and it is not."""
    whole = Memory()
    whole.map(BASE, 0x1000)
    registers = RegisterFile("gfx1013")
    indices = np.array([0, *indices], np.uint16)  # a V# whose base is not mapped reads nothing
    inputs = decode_inputs(indexed(indices.size), registers, memory_with(indices))
    words = [vsharp(BASE + 0x100 * where + offset, stride, records, format_[0], select)
             for where, offset, stride, records, select, format_ in attributes]  # fmt: skip
    ranges = vertex_ranges(inputs, [Attribute(texture.Buffer.from_words(w, whole)) for w in words])

    def fetch(last_bytes):
        some = Memory()
        for one in ranges:
            if one.nbytes > last_bytes:
                some.map(one.address, one.nbytes - last_bytes)
        for word in words:
            texture.fetch(texture.Buffer.from_words(word, some), indices.astype(np.uint32))

    fetch(0)
    low, high = int(indices.min()), int(indices.max())
    every = {byte for *rest, format_ in attributes for index in range(low, high + 1)
             for byte in touched(*rest, format_[1], index)}  # fmt: skip
    hulls = {byte for one in ranges for byte in (one.address, one.end - 1)}
    assert hulls <= every
    assert every <= {byte for one in ranges for byte in range(one.address, one.end)}
    cut_off = any(not touched(*rest, format_[1], high) for *rest, format_ in attributes)
    if ranges and not cut_off:
        with pytest.raises(InputError):
            fetch(1)


def test_ranges_that_touch_become_one():
    memory = Memory()
    memory.map(BASE, 0x100)
    registers = RegisterFile("gfx1013")
    inputs = decode_inputs(auto(1), registers, memory)

    def attribute(offset, format_):
        return Attribute(texture.Buffer.from_words(vsharp(BASE + offset, 32, 1, format_), memory))

    parts = [attribute(8, FMT_32_32), attribute(0, FMT_32_32), attribute(17, FMT_8)]
    found = vertex_ranges(inputs, parts)
    assert [(one.address - BASE, one.nbytes, one.alignment, one.readers) for one in found] == [
        (0, 16, 4, (0, 1)), (17, 1, 1, (2,))]  # fmt: skip
    assert merge_ranges(found) == found
