import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import assert_bad_input, run

from refgpu import pm4
from refgpu.base.errors import DecodeError, InputError
from refgpu.capture import Capture
from refgpu.importers.radv import import_radv
from refgpu.registers import BANKS, RegisterFile

KEPT = Path(__file__).parent / "data" / "captures"
RECORDED = Path(__file__).resolve().parents[2] / "shared" / "captures"
NAMES = sorted(path.stem for path in KEPT.glob("*.zip"))


class Draws:
    """Executes a capture's streams and keeps what each draw would have used."""

    def __init__(self, capture):
        self.registers = RegisterFile(capture.profile)
        self.memory = capture.build_memory()
        self.seen = []
        processor = pm4.CommandProcessor(self.registers, self.memory, self)
        for stream in capture.streams:
            processor.submit((stream.address, stream.dwords))

    def draw(self, call):
        self.seen.append((call, self.registers.copy()))


def code_addresses(registers):
    def address(slot):
        return registers.word(f"SPI_SHADER_PGM_HI_{slot}") << 40 | registers.word(f"SPI_SHADER_PGM_LO_{slot}") << 8

    return address("ES") if registers["VGT_SHADER_STAGES_EN"].PRIMGEN_EN else address("VS"), address("PS")


def test_enough_captures_are_kept():
    assert len(NAMES) >= 20
    assert sum(path.stat().st_size for path in KEPT.glob("*.zip")) < 600_000


@pytest.mark.parametrize("name", NAMES)
def test_streams_run_and_every_draw_has_stand_ins(name):
    capture = Capture.load(KEPT / f"{name}.zip")
    draws = Draws(capture)
    assert len(draws.seen) == 2  # the clear rectangle and the application's draw
    bound = {(shader["stage"], shader["address"]): shader["kind"] for shader in capture.shaders}
    kinds = []
    for _, registers in draws.seen:
        vertex, pixel = code_addresses(registers)
        kinds.append((bound["vs", vertex], bound["ps", pixel]))
    assert kinds[0] == ("clear_rect", "user_data_color")
    assert kinds[1][0] == "vertex"
    assert kinds[1][1] in ("attribute", "weighted")
    clear, registers = draws.seen[0]
    assert (clear.indexed, clear.index_count) == (False, 3)
    color = [registers.float(f"SPI_SHADER_USER_DATA_PS_{i}") for i in range(2, 6)]
    assert color == [float(np.float32(value)) for value in (0.1, 0.2, 0.3, 1.0)]
    # The V#s point at mapped bytes of the vertex buffer.
    vertex = next(shader for shader in capture.shaders if shader["kind"] == "vertex")
    for source in (vertex["position"], *vertex["attributes"]):
        w0, w1, records, w3 = source["vsharp"]
        stride = w1 >> 16 & 0x3FFF
        assert w3 >> 28 & 3 == 1  # structured
        draws.memory.view(w0 | (w1 & 0xFFFF) << 32, (records - 1) * stride + 4)
    # Its own coverage: what the expected image shows is neither nothing nor, but for guardband, everything.
    expected = capture.expected[0]
    codes = expected.codes()
    if name == "guardband":
        assert expected.background_at is None
    else:
        x, y = expected.background_at
        covered = (codes[0] != codes[0, y, x]).any(-1).sum()
        assert 0 < covered < codes[0, ..., 0].size


def test_hand_read_facts_of_one_capture():
    capture = Capture.load(KEPT / "tri_linear.zip")
    assert capture.profile == "gfx1010"
    assert [(stream.address, stream.dwords) for stream in capture.streams] == [
        (0x8001_000B_0000, 256),
        (0x8001_0007_0000, 768),
    ]
    draws = Draws(capture)
    call, registers = draws.seen[1]
    assert (call.indexed, call.index_type, call.index_count, call.instance_count) == (True, 0, 3, 1)
    assert call.index_address == 0x8001_0006_0000
    assert draws.memory.view(call.index_address, 6, np.uint16).tolist() == [0, 1, 2]
    assert registers["VGT_PRIMITIVE_TYPE"].PRIM_TYPE == 4
    assert registers.word("PA_SU_SC_MODE_CNTL") == 0x240
    assert registers.word("CB_COLOR0_BASE") == 0x01000400
    assert registers.float("PA_CL_VPORT_XSCALE") == 32.0
    assert registers.unknown() == [("uconfig", 0x7B, 0x20)]
    vertex = next(shader for shader in capture.shaders if shader["kind"] == "vertex")
    # The driver's V# (0x00050000 0x001c8001 3 0x11014fac) with format 77 at +0, 56 at +16, 64 (two components) at +20.
    assert vertex["position"]["vsharp"] == [0x00050000, 0x001C8001, 3, 0x1104DFAC]
    assert vertex["attributes"][0]["vsharp"] == [0x00050010, 0x001C8001, 3, 0x11038FAC]
    assert vertex["attributes"][1]["vsharp"] == [0x00050014, 0x001C8001, 3, 0x1104022C]
    assert (vertex["address"], code_addresses(registers)[0]) == (0x8000_0023_CD00, 0x8000_0023_CD00)


def test_fences_are_met_only_in_order():
    capture = Capture.load(KEPT / "tri_fan.zip")
    Draws(capture)
    main = capture.streams[1]
    memory = capture.build_memory()
    packets = pm4.decode(memory.view(main.address, 4 * main.dwords, np.uint32))
    without = pm4.encode(packet for packet in packets if packet.name != "RELEASE_MEM")

    class Nobody:
        def draw(self, call):
            pass

    processor = pm4.CommandProcessor(RegisterFile("gfx1010"), memory, Nobody())
    with pytest.raises(InputError, match="WAIT_REG_MEM would wait forever"):
        processor.submit(without)


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_kept_captures_are_what_the_importer_makes(tmp_path):
    for name in NAMES[::4]:
        import_radv(RECORDED / name).save(tmp_path / f"{name}.zip")
        assert (tmp_path / f"{name}.zip").read_bytes() == (KEPT / f"{name}.zip").read_bytes()


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_every_recording_imports():
    complete = 0
    for path in sorted(RECORDED.glob("*/scenario.json")):
        capture = import_radv(path.parent)
        assert capture.streams, path
        assert all(memory.nbytes for memory in capture.memory)
        complete += "Not complete" not in capture.limits
    assert complete >= 40


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_bad_recordings_are_refused(tmp_path):
    with pytest.raises(InputError, match="not a recorded RADV scenario"):
        import_radv(tmp_path)
    for name in ("scenario.json", "mem.npz"):
        shutil.copy(RECORDED / "tri_fan" / name, tmp_path / name)
    (tmp_path / "scenario.json").chmod(0o644)
    scenario = json.loads((tmp_path / "scenario.json").read_text())
    assert import_radv(tmp_path).expected == []
    for broken in ({**scenario, "memory": []}, {**scenario, "memory": [{}]}, {"name": "x"}, []):
        (tmp_path / "scenario.json").write_text(json.dumps(broken))
        with pytest.raises(InputError):
            import_radv(tmp_path)
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    pages = (tmp_path / "mem.npz").read_bytes()
    (tmp_path / "mem.npz").chmod(0o644)
    for cut in (0, 100, len(pages) // 2, len(pages) - 1):
        (tmp_path / "mem.npz").write_bytes(pages[:cut])
        with pytest.raises(InputError, match="not a recorded"):
            import_radv(tmp_path)
    (tmp_path / "scenario.json").write_text("{")
    with pytest.raises(InputError, match="not a recorded"):
        import_radv(tmp_path)


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_command_line(tmp_path):
    made = tmp_path / "made.zip"
    code, out, _ = run("import-radv", RECORDED / "tri_fan", "-o", made)
    assert code == 0
    assert "gfx1010" in out
    assert made.read_bytes() == (KEPT / "tri_fan.zip").read_bytes()
    code, out, _ = run("import-radv", RECORDED / "tessellation", "-o", tmp_path / "folder", "--json")
    assert code == 1
    data = json.loads(out)
    assert not data["complete"]
    assert Capture.load(tmp_path / "folder").limits == data["limits"]


def test_command_line_bad_input(tmp_path):
    assert_bad_input(run("import-radv", tmp_path, "-o", tmp_path / "x"), "not a recorded RADV scenario")
    assert not (tmp_path / "x").exists()


class Writes:
    """Executes streams without drawing and keeps every register word at each draw and dispatch."""

    def __init__(self, profile, memory):
        self.registers = RegisterFile(profile)
        self.processor = pm4.CommandProcessor(self.registers, memory, self)
        self.at_calls = []
        self.packet = None

    def draw(self, call):
        packet = call.packet_offset, call.stream_address
        if packet != self.packet:  # a multi draw counts once
            self.at_calls.append(self.registers.storage.copy())
        self.packet = packet

    dispatch = draw


@pytest.mark.slow
@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_every_recording_executes_and_writes_the_listed_registers():
    """All streams of all recordings: main, upload and readback, in order, over the recorded memory."""
    folders = sorted(path.parent for path in RECORDED.glob("*/scenario.json"))
    assert len(folders) == 66
    compared = 0
    for folder in folders:
        capture = import_radv(folder)
        memory = capture.build_memory()
        scenario = json.loads((folder / "scenario.json").read_text())
        writes = Writes(capture.profile, memory)
        for number, submission in enumerate(scenario["submissions"]):
            first = len(writes.at_calls)
            for ib in submission["ibs"]:
                writes.processor.submit((int(ib["va"], 16), ib["dwords"]))
            (listing,) = folder.glob(f"regs_{number}_*.json")
            calls = json.loads(listing.read_text())
            assert len(writes.at_calls) - first >= len(calls), listing
            state = {}
            for call, words in zip(calls, writes.at_calls[first:], strict=False):
                state |= call["registers_changed"]
                for name, value in state.items():
                    bank, offset = writes.registers.at_dword(int(name.split()[0], 16) // 4)
                    found = int(words[BANKS[bank].start + offset])
                    assert found == int(value, 16), (listing, call["stream_offset"], name)
                    compared += 1
    assert compared > 50_000


@pytest.mark.slow
@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not part of the package")
def test_every_truncation_of_every_stream_decodes_or_is_refused():
    for path in sorted(RECORDED.glob("*/pm4_0_main.bin")):
        stream = np.fromfile(path, np.uint32)
        starts = pm4.decode(stream).offsets
        for cut in range(stream.size):
            begin = int(starts[np.searchsorted(starts, cut, "right") - 1])
            if begin == cut:
                assert np.array_equal(pm4.encode(pm4.decode(stream[:cut])), stream[:cut])
                continue
            with pytest.raises(DecodeError, match=rf"^dword {begin:#x}: .* the stream ends after {cut - begin}$"):
                pm4.decode(stream[:cut])


def test_what_a_cut_stream_holds_before_the_cut_is_done():
    capture = Capture.load(KEPT / "tri_fan.zip")
    preamble, main = capture.streams
    memory = capture.build_memory()
    packets = pm4.decode(memory.view(main.address, 4 * main.dwords, np.uint32))
    reached = Writes(capture.profile, memory)
    reached.processor.submit((preamble.address, preamble.dwords))
    before = reached.registers.storage.copy()
    for packet in packets:
        for cut in range(packet.offset + 1, packet.offset + min(packet.size, 4)):
            writes = Writes(capture.profile, memory)
            writes.registers.storage[:] = before
            with pytest.raises(DecodeError, match=f"{packet.name} has {packet.size} dwords") as caught:
                writes.processor.submit((main.address, cut))
            assert (caught.value.packet_offset, caught.value.stream_address) == (packet.offset, main.address)
            assert np.array_equal(writes.registers.storage, reached.registers.storage)
            assert len(writes.at_calls) == len(reached.at_calls)
        reached.processor.submit((main.address + 4 * packet.offset, packet.size))
