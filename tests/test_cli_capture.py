"""`refgpu render` and `refgpu info` on captures, good and bad."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import assert_bad_input, run

from refgpu.capture import Expected
from refgpu.demo import scenes

KEPT = sorted((Path(__file__).parent / "data" / "captures").glob("*.zip"))


@pytest.fixture(scope="module")
def triangles(tmp_path_factory):
    """A capture of a front and a back face with opposite offsets, drawn twice in two draws."""
    capture = scenes.two_triangles(-64.0, 64.0, 64)
    words = capture.streams[0].words
    capture.streams[0].words = np.concatenate([words, words[-3:]])  # DRAW_INDEX_AUTO is its last three dwords
    path = tmp_path_factory.mktemp("capture") / "triangles"
    capture.save(path)
    return path


def test_render_writes_bits_and_pictures(triangles, tmp_path):
    code, out, _ = run("render", triangles, "-o", tmp_path / "out")
    assert code == 0
    depth = np.load(tmp_path / "out" / "depth.npy")
    assert depth.shape == (1, 64, 64)
    assert set(np.unique(depth)) == {0x3F000000, 0x3EFFFF80}
    assert (depth[0, :, 32:] == 0x3F000000).all()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"color0.npy", "color0.png", "depth.npy", "depth.png"}
    assert "depth.npy" in out


def test_render_json_tells_the_files_and_the_report(triangles, tmp_path):
    code, out, _ = run("render", triangles, "-o", tmp_path, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["met"] is True
    assert set(data["outputs"]) == {"color0", "depth"}
    assert data["report"]["draws"] == 2


def test_render_stops_after_a_draw(triangles, tmp_path):
    code, out, _ = run("render", triangles, "-o", tmp_path, "--draw", 0, "--json")
    assert code == 0
    assert json.loads(out)["report"]["draws"] == 1
    assert_bad_input(run("render", triangles, "-o", tmp_path, "--draw", 2), "--draw 2", "2 draws")


def test_faces_as_two_passes_differ_where_blending_depends_on_order(tmp_path):
    scenes.leaves(64, 64, 8).save(tmp_path / "leaves.zip")
    for name, option in (("a", []), ("b", ["--faces-as-two-passes"])):
        assert run("render", tmp_path / "leaves.zip", "-o", tmp_path / name, *option)[0] == 0
    assert run("compare", tmp_path / "a" / "color0.npy", tmp_path / "b" / "color0.npy")[0] == 1
    assert run("compare", tmp_path / "a" / "color0.npy", tmp_path / "a" / "color0.npy")[0] == 0


def expectation(words):
    return Expected("color0", words.reshape(-1).view(np.uint8), words.shape, (8, 8, 8, 8))


def test_an_unmet_expectation_is_code_1(tmp_path):
    capture = scenes.two_triangles(-64.0, 64.0, 64)
    words = np.ascontiguousarray(capture.run().color(0).words())
    capture.expected = [expectation(words)]
    capture.save(tmp_path / "met")
    assert run("render", tmp_path / "met", "-o", tmp_path / "out")[0] == 0
    words[0, 5, 5] ^= 1
    capture.expected = [expectation(words)]
    capture.save(tmp_path / "unmet")
    code, out, _ = run("render", tmp_path / "unmet", "-o", tmp_path / "out")
    assert code == 1
    assert "1 pixels off" in out
    code, out, _ = run("render", tmp_path / "unmet", "-o", tmp_path / "out", "--draw", 0)
    assert code == 0
    assert "not checked" in out


def test_info_tells_draws_packets_registers_and_memory(triangles):
    code, out, _ = run("info", triangles, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["packets"]["DRAW_INDEX_AUTO"] == 2
    assert [draw["count"] for draw in data["draws"]] == [6, 6]
    assert data["draws"][1]["targets"]["depth"]["width"] == 64
    assert data["registers"]["PA_SU_SC_MODE_CNTL"] == 0x01001A48
    assert "CB_BLEND0_CONTROL" not in data["registers"]
    regions = {region["name"]: region["address"] for region in data["memory"]}
    assert {start for start, _ in data["written"]} == {regions["color"], regions["depth"]}
    code, out, _ = run("info", triangles)
    assert code == 0
    for words in ("TRILIST", "PA_SU_SC_MODE_CNTL", "0x01001a48", "6 vertices"):
        assert words in out


def test_info_lists_the_index_buffer_as_read(tmp_path):
    scenes.shadow_map(scenes.world(2), 64, scenes.Biases()).save(tmp_path / "map")
    data = json.loads(run("info", tmp_path / "map", "--json")[1])
    indices = next(region for region in data["memory"] if region["name"] == "indices")
    assert [indices["address"], indices["address"] + indices["nbytes"]] in data["read"]


def spoil(folder, **changes):
    document = json.loads((folder / "capture.json").read_text())
    document.update(changes)
    (folder / "capture.json").write_text(json.dumps(document))


@pytest.fixture
def spoilt(tmp_path):
    """A fresh capture folder to damage."""
    scenes.two_triangles(-64.0, 64.0, 64).save(tmp_path / "bad")
    return tmp_path / "bad"


@pytest.mark.parametrize("command", ["render", "info"])
def test_bad_captures_are_one_line(spoilt, tmp_path, command):
    out = ["-o", tmp_path / "out"] if command == "render" else []
    assert_bad_input(run(command, tmp_path / "none", *out), "none")
    (tmp_path / "text.zip").write_text("hello")
    assert_bad_input(run(command, tmp_path / "text.zip", *out), "text.zip")
    spoil(spoilt, profile="gfx9")
    assert_bad_input(run(command, spoilt, *out), "profile")
    (spoilt / "capture.json").write_text("{")
    assert_bad_input(run(command, spoilt, *out), "JSON")


def stream_file(folder):
    document = json.loads((folder / "capture.json").read_text())
    return folder / document["streams"][0]["file"]


def test_a_truncated_stream_names_packet_and_place(spoilt, tmp_path):
    path = stream_file(spoilt)
    path.write_bytes(path.read_bytes()[:-4])
    assert_bad_input(run("render", spoilt, "-o", tmp_path / "out"), "DRAW_INDEX_AUTO", "dword")


def test_an_unmapped_target_names_its_address(spoilt, tmp_path):
    document = json.loads((spoilt / "capture.json").read_text())
    color = next(region for region in document["memory"] if region["name"] == "color")
    spoil(spoilt, memory=[region for region in document["memory"] if region is not color])
    assert_bad_input(run("render", spoilt, "-o", tmp_path / "out"), "not mapped", color["address"])


def test_what_is_not_modelled_names_the_field(tmp_path):
    capture = scenes.two_triangles(-64.0, 64.0, 64)
    words = capture.streams[0].words
    set_aa = np.array([0xC0016900, 0x2F8, 1], np.uint32)  # PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES 1
    capture.streams[0].words = np.concatenate([words[:-3], set_aa, words[-3:]])
    capture.save(tmp_path / "msaa")
    assert_bad_input(run("render", tmp_path / "msaa", "-o", tmp_path / "out"), "MSAA_NUM_SAMPLES")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_recorded_captures_meet_their_expectations(path, tmp_path):
    code, out, err = run("render", path, "-o", tmp_path)
    assert (code, err) == (0, ""), out


@pytest.mark.parametrize("path", KEPT[:3], ids=lambda path: path.stem)
def test_info_of_recorded_captures(path):
    code, out, _ = run("info", path, "--json")
    data = json.loads(out)
    assert code == 0
    assert len(data["draws"]) == 2
    assert data["stopped"] == ""
