import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refgpu
from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError
from refgpu.pm4.packet import packet_dwords
from refgpu.pm4.table import definitions

CAPTURES = Path(__file__).resolve().parents[2] / "shared" / "captures"
PAD = 0xFFFF1000
words = st.integers(0, 0xFFFFFFFF)
opcodes = st.sampled_from(sorted(definitions()))


@st.composite
def streams(draw):
    found = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.integers(0, 3))
        if kind == 0:
            found.append(PAD)
        elif kind == 1:
            found.append(0x80000000 | draw(st.integers(0, 0x3FFFFFFF)))
        else:
            body = draw(st.lists(words, min_size=1, max_size=5))
            low = draw(st.integers(0, 3))
            found += [0xC0000000 | (len(body) - 1) << 16 | draw(opcodes) << 8 | low, *body]
    return found


@given(streams())
def test_encode_gives_the_same_dwords(stream):
    packets = pm4.decode(stream)
    assert pm4.encode(packets).tolist() == stream
    offset = 0
    for packet in packets:
        assert packet.offset == offset
        offset += packet.words.size
    assert offset == len(stream)


@given(streams(), st.data())
def test_every_truncation_is_decoded_or_refused(stream, data):
    cut = data.draw(st.integers(0, len(stream)))
    starts = {packet.offset for packet in pm4.decode(stream)} | {len(stream)}
    if cut in starts:
        assert pm4.encode(pm4.decode(stream[:cut])).tolist() == stream[:cut]
    else:
        begin = max(start for start in starts if start < cut)
        message = rf"^dword {begin:#x}: \w+ has \d+ dwords, the stream ends after {cut - begin}"
        with pytest.raises(DecodeError, match=message):
            pm4.decode(stream[:cut])


@pytest.mark.jit_off
def test_one_dword_fillers():
    packets = pm4.decode(np.array([PAD, 0x80000000, 0xC0001000, 0xFFFFFFFF, PAD], np.uint32))
    assert [(packet.name, packet.offset, packet.is_pad) for packet in packets] == [
        ("NOP", 0, True),
        ("TYPE2", 1, True),
        ("NOP", 2, False),
        ("NOP", 4, True),
    ]
    assert packets[2].fields == {"payload": [0xFFFFFFFF]}
    assert packets[1].fields == {}
    # Another opcode with that count is a long packet.
    assert packet_dwords(0xFFFF6900) == 0x4001
    assert packet_dwords(0x40000000) == 0
    assert packet_dwords(0) == 0


def test_hand_worked_words():
    # DMA_DATA fill: 4 bytes of 0x12345678 at 0x8001_0000_0040 (sign-extended high half).
    words = [0xC0055000, 0xC0300000, 0x12345678, 0, 0x00000040, 0xFFFF8001, 4]
    (packet,) = pm4.decode(words)
    fields = packet.fields
    assert (fields["src_sel"], fields["dst_sel"], fields["cp_sync"], fields["engine_sel"]) == (2, 3, 1, 0)
    assert (fields["src_lo"], fields["dst_lo"], fields["dst_hi"], fields["byte_count"]) == (
        0x12345678,
        0x40,
        0xFFFF8001,
        4,
    )
    assert pm4.packet("DMA_DATA", words[1:]) == packet
    (release,) = pm4.decode([0xC0064900, 0x0040C514, 0x23000000, 0x240004, 0xFFFF8000, 1, 0, 0])
    assert (release.fields["event_type"], release.fields["event_index"]) == (0x14, 5)
    assert (release.fields["int_sel"], release.fields["data_sel"], release.fields["dst_sel"]) == (3, 1, 0)
    (indirect,) = pm4.decode([0xC0023F02, 0x1000, 0x1, 0x001000A8])
    assert (indirect.fields["size"], indirect.fields["chain"], indirect.compute) == (168, 1, True)


def test_make_packets():
    packet = pm4.packet("SET_CONTEXT_REG", 0x205, [1, 2], predicate=True)
    assert packet.words.tolist() == [0xC0026901, 0x205, 1, 2]
    assert packet.predicate
    assert not packet.compute
    assert packet.fields == {"reg_offset": 0x205, "index": 0, "value": [1, 2]}
    assert pm4.packet("NOP").words.tolist() == [PAD]
    assert pm4.encode([]).size == 0
    for name, body in (("NO_SUCH", (1,)), ("DRAW_INDEX_AUTO", ()), ("NOP", ([0] * 0x4000,)), ("NOP", (1 << 32,))):
        with pytest.raises(InputError):
            pm4.packet(name, *body)


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        ([PAD, 0x00000000], "dword 0x1.*type 0"),
        ([0x40000000], "dword 0x0.*type 1"),
        ([0xC0001000, 0, 0xC000FF00, 0], "dword 0x2.*opcode 0xff"),
        ([0xC0001000], "dword 0x0: NOP has 2 dwords, the stream ends after 1"),
    ],
)
def test_bad_streams(stream, message):
    with pytest.raises(DecodeError, match=message):
        pm4.decode(stream)


def test_packets_as_columns():
    stream = [PAD, 0xC0026901, 0x205, 1, 2, 0x80000000, 0xC0002F00, 3]
    packets = pm4.decode(stream)
    assert packets.offsets.tolist() == [0, 1, 5, 6]
    assert packets.sizes.tolist() == [1, 4, 1, 2]
    assert packets.opcodes.tolist() == [0x10, 0x69, -1, 0x2F]
    assert packets.headers.tolist() == [PAD, 0xC0026901, 0x80000000, 0xC0002F00]
    assert packets[-1].name == "NUM_INSTANCES"
    assert packets[1:3] == [packets[1], packets[2]]
    assert packets == list(packets)
    assert packets != pm4.decode(stream[:-2])
    assert repr(packets) == "<4 packets in 8 dwords>"
    with pytest.raises(IndexError):
        packets[4]


def test_short_body_is_refused_by_fields():
    (packet,) = pm4.decode([0xC0002700, 1])
    with pytest.raises(DecodeError, match="DRAW_INDEX_2 needs 5 body dwords, has 1"):
        _ = packet.fields


def test_kinds_of_stream():
    array = np.array([PAD, PAD], np.uint32)
    packets = pm4.decode(array)
    assert np.shares_memory(packets[1].words, array)
    assert pm4.decode(array.tobytes()) == packets
    assert pm4.decode([]) == []
    for bad in (b"abc", [[1]], [1.5], [-1], [1 << 32], "text"):
        with pytest.raises(InputError):
            pm4.decode(bad)


def test_table_is_sound():
    for definition in definitions().values():
        for fields in definition.dwords:
            covered = 0
            for bits in fields.values():
                mask = ((1 << bits.width) - 1) << bits.lsb
                assert not covered & mask, definition.name
                assert mask <= 0xFFFFFFFF, definition.name
                covered |= mask
        names = [name for fields in definition.dwords for name in fields]
        assert len(names) == len(set(names)), definition.name
    assert refgpu.pm4 is pm4


def test_disassembly_names_registers_and_fields():
    stream = pm4.encode(
        [
            pm4.packet("NOP"),
            pm4.packet("NOP"),
            pm4.packet("SET_CONTEXT_REG", 0x205, [0x81001A48, 1]),
            pm4.packet("SET_UCONFIG_REG", 0x7B, 0x20),
            pm4.packet("DRAW_INDEX_AUTO", 36, 2, predicate=True),
            pm4.packet("DRAW_INDEX_2", 36, 2),
            pm4.packet("NOP", list(range(16))),
        ]
    )
    assert pm4.disassemble(stream) == [
        "0x000000  2 dwords of padding",
        "0x000002  SET_CONTEXT_REG",
        "          PA_SU_SC_MODE_CNTL = 0x81001a48  POLY_MODE=X_DUAL_MODE POLYMODE_FRONT_PTYPE=X_DRAW_TRIANGLES"
        " POLYMODE_BACK_PTYPE=X_DRAW_TRIANGLES POLY_OFFSET_FRONT_ENABLE=1 POLY_OFFSET_BACK_ENABLE=1"
        " KEEP_TOGETHER_ENABLE=1  reserved bits 0x80000000",
        "          PA_CL_VTE_CNTL = 0x00000001  VPORT_X_SCALE_ENA=1",
        "0x000006  SET_UCONFIG_REG",
        "          uconfig:0x7b = 0x00000020",
        "0x000009  DRAW_INDEX_AUTO predicate  vertex_count=0x24 draw_initiator=2",
        "0x00000c  DRAW_INDEX_2  body=[0x24 0x2]",
        "0x00000f  NOP  payload=[0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 ...]",
    ]
    records = [pm4.as_record(packet) for packet in pm4.decode(stream)]
    assert json.loads(json.dumps(records)) == records
    assert records[2]["registers"] == [["PA_SU_SC_MODE_CNTL", 0x81001A48], ["PA_CL_VTE_CNTL", 1]]
    assert records[4] == {
        "offset": 9,
        "name": "DRAW_INDEX_AUTO",
        "dwords": 3,
        "predicate": True,
        "fields": {"vertex_count": 36, "draw_initiator": 2},
    }


@given(streams())
def test_every_stream_can_be_shown(stream):
    assert bool(pm4.disassemble(stream)) == bool(stream)
    json.dumps([pm4.as_record(packet, "gfx1030") for packet in pm4.decode(stream)])


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the capture collection is not part of the package")
def test_every_driver_stream_decodes_to_the_listing():
    for path in sorted(CAPTURES.glob("*/pm4_*.bin")):
        stream = np.fromfile(path, np.uint32)
        packets = pm4.decode(stream)
        assert np.array_equal(pm4.encode(packets), stream), path
        listed = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
        assert sum(packet.is_pad for packet in packets) == sum(entry.get("pad_nops", 0) for entry in listed)
        found = [(packet.offset, packet.name, packet.body.size) for packet in packets if not packet.is_pad]
        assert found == [(entry["o"], entry["op"], entry["n"]) for entry in listed if "op" in entry], path
