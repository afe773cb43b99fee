import contextlib
import copy
import json
import shutil
import struct
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refgpu
from refgpu import capture_files, pm4
from refgpu.base.errors import InputError, RefGpuError
from refgpu.capture import (
    Capture,
    CaptureOutput,
    CaptureRegion,
    CaptureRegister,
    CaptureStream,
    Expected,
)
from refgpu.capture_check import difference, read_output, split
from refgpu.capture_schema import check
from refgpu.registers import RegisterFile

DOCUMENT = {
    "format": "refgpu-capture",
    "version": 1,
    "profile": "gfx1013",
    "limits": "nothing",
    "variant": {},
    "memory": [
        {"address": "0xffff800100000000", "nbytes": 8, "file": "a/m.bin", "offset": "0x4", "name": "vertices"},
        {"address": 4096, "nbytes": "0x1000", "fill": "0x000000f0", "read_only": True},
    ],
    "registers": [{"name": "CB_TARGET_MASK", "value": 15}, {"bank": "sh", "offset": "0x8", "value": "0x2010"}],
    "streams": [{"file": "s.bin"}, {"address": "0x1000", "dwords": 4, "name": "padding"}],
    "shaders": [{"stage": "vs", "kind": "vertex", "address": "0x1000", "position": {"vsharp": ["0x1", 2, 3, 4]}}],
    "outputs": [
        {"name": "c", "kind": "color", "index": 0},
        {"name": "m", "kind": "memory", "address": 4096, "nbytes": 4},
    ],
    "expected": [{"output": "m", "file": "e.bin", "shape": [1, 1, 4], "channel_bits": [8]}],
}
FILES = {
    "a/m.bin": bytes(range(16)),
    "s.bin": struct.pack("<3I", 0xC0002F00, 1, 0xFFFF1000),
    "e.bin": b"\xf0\0\0\0",
}


def write(folder, document=DOCUMENT, files=FILES):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    (folder / "capture.json").write_bytes(text)
    return folder


def test_load_a_folder(tmp_path):
    capture = Capture.load(write(tmp_path))
    memory = capture.build_memory()
    assert memory.view(0x8001_0000_0000, 8).tolist() == [4, 5, 6, 7, 8, 9, 10, 11]
    assert memory.word(0x1FFC) == 0xF0
    with pytest.raises(InputError, match="read-only"):
        memory.fill(0x1000, 4, 0)
    assert capture.registers == [
        CaptureRegister(15, "CB_TARGET_MASK"),
        CaptureRegister(0x2010, "", "sh", 8),
    ]
    assert capture.streams[0].words.tolist() == [0xC0002F00, 1, 0xFFFF1000]
    assert (capture.streams[1].address, capture.streams[1].dwords) == (0x1000, 4)
    assert capture.shaders[0]["address"] == 0x1000
    assert capture.shaders[0]["position"] == {"vsharp": [1, 2, 3, 4]}
    assert Capture.load(tmp_path / "capture.json").limits == "nothing"
    assert refgpu.Capture is Capture


def test_each_run_starts_from_the_same_bytes(tmp_path):
    write(tmp_path)
    capture = Capture.load(tmp_path)
    capture.save(tmp_path / "packed.zip")
    for again in (capture, Capture.load(tmp_path / "packed.zip")):
        first = again.build_memory()
        first.fill(0x8001_0000_0000, 8, 0xFFFFFFFF)
        assert again.build_memory().view(0x8001_0000_0000, 4).tolist() == [4, 5, 6, 7]
    assert (tmp_path / "a/m.bin").read_bytes() == FILES["a/m.bin"]


def same(a, b):
    memories = [capture.build_memory() for capture in (a, b)]
    regions = [[(r.address, r.data.tobytes(), r.read_only, r.name) for r in m.regions] for m in memories]
    assert regions[0] == regions[1]
    streams = [
        [(s.address, s.dwords, s.name, None if s.words is None else s.words.tobytes()) for s in c.streams]
        for c in (a, b)
    ]
    assert streams[0] == streams[1]
    expected = [[(e.data.tobytes(), e.shape, e.channel_bits, e.tolerance_codes) for e in c.expected] for c in (a, b)]
    assert expected[0] == expected[1]
    for name in ("profile", "registers", "outputs", "shaders", "variant", "limits", "description"):
        assert getattr(a, name) == getattr(b, name)


def test_save_and_load_again(tmp_path):
    capture = Capture.load(write(tmp_path / "in"))
    capture.save(tmp_path / "folder")
    capture.save(tmp_path / "one.zip")
    Capture.load(tmp_path / "folder").save(tmp_path / "two.zip")
    same(capture, Capture.load(tmp_path / "folder"))
    same(capture, Capture.load(tmp_path / "one.zip"))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_made_in_python(tmp_path):
    capture = Capture(
        "gfx1030",
        [CaptureRegion(0x1000, 4, np.array([1, 2, 3, 4], np.uint8)), CaptureRegion(0x2000, 8, fill=5)],
        [CaptureRegister(3, "CB_TARGET_MASK")],
        [CaptureStream(pm4.encode([pm4.packet("NUM_INSTANCES", 2)]))],
        [{"stage": "ps", "kind": "flat", "color": [0.5, 0, 0, 1]}],
        [CaptureOutput("m", "memory", address=0x2000, nbytes=8)],
        [Expected("m", np.zeros(8, np.uint8), (1, 1, 8), (8,), background_at=(1, 0), region=(0, 0, 4, 1), source="me")],
        description="d",
    )
    capture.save(tmp_path / "made.zip")
    same(capture, Capture.load(tmp_path / "made.zip"))
    again = Capture.load(tmp_path / "made.zip").expected[0]
    assert (again.background_at, again.region, again.source) == ((1, 0), (0, 0, 4, 1), "me")


def changed(path, value):
    """DOCUMENT with one place changed; ... removes it."""
    document = copy.deepcopy(DOCUMENT)
    at = document
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "other", r"capture.format: expected 'refgpu-capture', found \"other\""),
        (["version"], 2, r"format version 2; this refgpu reads version 1"),
        (["profile"], "gfx900", "capture.profile: expected one of gfx1010"),
        (["profile"], ..., "capture: lacks 'profile'"),
        (["memori"], [], "capture: has no field 'memori'; fields: "),
        (["memory", 0, "address"], None, r"capture.memory\[0\].address: expected integer or string, found null"),
        (["memory", 0, "address"], "12", r"capture.memory\[0\].address: \"12\" does not match"),
        (["memory", 0, "address"], "0x1800000000000", "not a 48-bit guest address"),
        (["memory", 0, "nbytes"], -1, r"capture.memory\[0\].nbytes: -1: expected at least 0"),
        (["memory", 0, "nbytes"], True, "expected integer or string, found true"),
        (["memory", 0, "nbytes"], 13, r"memory\[0\]: file 'a/m.bin' has 12 bytes from 4 on, not 13"),
        (["memory", 0, "offset"], 17, "has 0 bytes from 17 on"),
        (["memory", 0, "fill"], 1, "both 'file' and 'fill'"),
        (["memory", 0, "file"], "gone.bin", "has no file 'gone.bin'"),
        (["memory", 0, "file"], "../x.bin", "'../x.bin': expected a relative path"),
        (["memory", 0, "file"], "/etc/passwd", "expected a relative path"),
        (["memory", 0, "file"], "a\\..\\..\\x", "expected a relative path"),
        (["memory", 0, "file"], "", r"file: is empty"),
        (["registers", 0, "name"], "CB_TARGET_MUSK", r"registers\[0\].name: gfx1013 has no register"),
        (["registers", 0, "value"], "0x100000000", r"registers\[0\].value: 0x100000000 does not fit"),
        (["registers", 1, "bank"], ..., "needs either 'name', or 'bank' and 'offset'"),
        (["registers", 1, "offset"], 0x400, "bank sh has no dword offset 0x400"),
        (["streams", 0, "address"], 1, "needs either 'file', or 'address' and 'dwords'"),
        (["streams", 0, "dwords"], 4, "has 12 bytes from 0 on, not 16"),
        (["streams", 1, "dwords"], ..., "needs either"),
        (["shaders", 0, "stage"], "gs", r"capture.shaders\[0\].stage: expected one of vs, ps, cs"),
        (["shaders", 0, "kind"], ..., r"capture.shaders\[0\]: lacks 'kind'"),
        (["outputs", 0, "index"], 8, "8: expected at most 7"),
        (["outputs", 0, "index"], ..., "a color output has index besides name and kind, not nothing"),
        (["outputs", 0, "name"], "../../x", "does not match"),
        (["outputs", 0, "name"], "m", "same name"),
        (["expected", 0, "output"], "z", "no output is called 'z'"),
        (["expected", 0, "shape"], [1, 1], "2 entries: expected at least 3"),
        (["expected", 0, "shape"], [1, 1, 5], "has 4 bytes from 0 on, not 5"),
        (["expected", 0, "channel_bits"], [5, 6], "11 bits a pixel"),
        (["expected", 0, "region"], [0, 0, 5, 1], "does not lie in 4 x 1"),
        (["expected", 0, "background_at"], [4, 0], "does not lie in 4 x 1"),
    ],
)
def test_mistakes_are_named(tmp_path, path, value, message):
    with pytest.raises(InputError, match=message):
        Capture.load(write(tmp_path, changed(path, value)))


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[]", b"null", b"[" * 100000, b'{"a": NaN}'])
def test_documents_that_are_no_captures(tmp_path, text):
    with pytest.raises(InputError):
        Capture.load(write(tmp_path, text))


def test_missing_captures(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Capture.load(tmp_path / "none")
    with pytest.raises(InputError, match=r"has no file .capture\.json."):
        Capture.load(tmp_path)
    (tmp_path / "x.zip").write_bytes(b"PK\3\4 no zip")
    with pytest.raises(InputError, match="not a readable zip"):
        Capture.load(tmp_path / "x.zip")


def test_link_out_of_the_folder(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(64))
    folder = tmp_path / "c"
    write(folder)
    (folder / "link.bin").symlink_to(tmp_path / "secret")
    (folder / "capture.json").write_text(json.dumps(changed(["memory", 0, "file"], "link.bin")))
    with pytest.raises(InputError, match="leads outside"):
        Capture.load(folder)


def zip_of(path, document=DOCUMENT, files=FILES, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("capture.json", json.dumps(document))
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_zip_bombs_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(capture_files, "MAX_ZIP_BYTES", 1 << 20)
    path = zip_of(tmp_path / "bomb.zip", files=FILES | {"a/m.bin": bytes(1 << 21)})
    with pytest.raises(InputError, match="unpacks to more than"):
        Capture.load(path)
    # A header that lies about the size.
    data = bytearray(zip_of(tmp_path / "lie.zip", files=FILES | {"a/m.bin": bytes(1 << 21)}).read_bytes())
    place = data.rfind(b"PK\1\2", 0, data.rfind(b"a/m.bin"))
    data[place + 24 : place + 28] = struct.pack("<I", 16)
    (tmp_path / "lie.zip").write_bytes(data)
    with pytest.raises(InputError, match=r"a/m\.bin"):
        Capture.load(tmp_path / "lie.zip")


def test_every_truncation_of_a_zip(tmp_path):
    whole = zip_of(tmp_path / "whole.zip").read_bytes()
    path = tmp_path / "cut.zip"
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError):
            Capture.load(path)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_zips_load_or_are_refused(tmp_path_factory, damage):
    folder = tmp_path_factory.mktemp("zip")
    data = bytearray(zip_of(folder / "c.zip").read_bytes())
    for place, value in damage:
        data[place % len(data)] = value
    (folder / "c.zip").write_bytes(data)
    with contextlib.suppress(RefGpuError):
        Capture.load(folder / "c.zip").build_memory()


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 1 << 70), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)


def places(value, path=()):
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@given(st.sampled_from(list(places(DOCUMENT))), json_values)
def test_any_json_is_read_or_refused(tmp_path_factory, path, value):
    folder = write(tmp_path_factory.mktemp("json"), changed(path, value))
    with contextlib.suppress(RefGpuError):
        Capture.load(folder).build_memory()


def test_schema_agrees_with_a_second_validator():
    jsonschema = pytest.importorskip("jsonschema")
    from refgpu.capture_schema import schema

    jsonschema.Draft202012Validator.check_schema(dict(schema()))
    validator = jsonschema.Draft202012Validator(dict(schema()))
    for path in places(DOCUMENT):
        for value in (..., None, -1, 3, True, "x", "0x1", [], {}):
            if value is ... and isinstance(path[-1], int):
                continue
            document = changed(path, value)
            try:
                check(document)
                accepted = True
            except InputError:
                accepted = False
            assert accepted == validator.is_valid(document), (path, value)


def test_codes_of_packed_pixels():
    # R 10 bits = 0x2AA, G = 0x155, B = 0x3FF, A = 1
    word = 0x2AA | 0x155 << 10 | 0x3FF << 20 | 1 << 30
    words = np.array([[[[word]]]], np.uint32)
    assert split(words, (10, 10, 10, 2)).tolist() == [[[[0x2AA, 0x155, 0x3FF, 1]]]]
    half = np.array([[[[0x3C001234, 0xFFFF0000]]]], np.uint32)
    assert split(half, (16, 16, 16, 16)).tolist() == [[[[0x1234, 0x3C00, 0, 0xFFFF]]]]
    assert split(words, (32,)).tolist() == [[[[word]]]]
    with pytest.raises(InputError, match="do not fit"):
        split(words, (24, 16))
    with pytest.raises(InputError, match="do not fit"):
        split(words, (32, 32))


def image(*values):
    return np.array(values, np.uint32).reshape(1, 2, 2, 1)


def test_differences():
    data = np.array([10, 10, 20, 30], np.uint8)
    expected = Expected("c", data, (1, 2, 2), (8,), 1, (0, 0))
    assert difference(expected, image(10, 10, 20, 30)).equal
    result = difference(expected, image(11, 11, 19, 30))
    assert (result.equal, result.max_codes, result.covered) == (True, 1, 2)
    off = difference(expected, image(10, 10, 20, 33))
    assert (off.equal, off.pixels, off.max_codes, off.coverage) == (False, 1, 3, 0)
    # Within a code everywhere, but one pixel more is covered.
    grown = difference(expected, image(10, 11, 20, 30))
    assert (grown.equal, grown.pixels, grown.coverage, grown.covered) == (False, 0, 1, 3)
    outside = Expected("c", data, (1, 2, 2), (8,), 0, None, (0, 1, 2, 2))
    assert difference(outside, image(0, 0, 20, 30)).equal
    assert not difference(outside, image(0, 0, 20, 31)).equal
    with pytest.raises(InputError, match="expected"):
        difference(expected, image(1, 2, 3, 4).reshape(1, 1, 4, 1))


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_the_documented_writer_makes_a_capture(tmp_path):
    text = (Path(__file__).parent.parent / "docs/capture-format.md").read_text()
    (tmp_path / "w.cpp").write_text(text.split("```cpp\n")[1].split("```")[0])
    subprocess.run(["g++", "-std=c++17", "-o", str(tmp_path / "w"), str(tmp_path / "w.cpp")], check=True)
    subprocess.run([str(tmp_path / "w"), str(tmp_path / "scene")], check=True)
    capture = Capture.load(tmp_path / "scene")
    assert len(capture.registers) == 13
    assert capture.build_memory().view(0x1_0000_0000, 8, np.float32).tolist() == [-0.5, -0.5]
    assert [packet.name for packet in pm4.decode(capture.streams[0].words)] == ["DRAW_INDEX_AUTO"]


class FakeGpu:
    """Stands for the machine: keeps what a capture does to it, in order."""

    def __init__(self, memory, profile, variant, **options):
        self.memory, self.profile, self.variant, self.options = memory, profile, variant, options
        self.registers = RegisterFile(profile)
        self.done = []

    def bind(self, stage, shader, address):
        self.done.append(("bind", stage, shader["kind"], address))

    def submit(self, stream):
        if isinstance(stream, tuple):
            self.done.append(stream)
            raise InputError("no such stream")
        self.done.append(stream.tolist())

    def color(self, index):
        return types.SimpleNamespace(words=lambda: np.full((1, 2, 3), index, np.uint32))

    def depth(self):
        return types.SimpleNamespace(words=lambda: np.zeros((1, 2, 3, 2), np.uint32))


def test_run_binds_sets_and_submits_in_order(tmp_path, monkeypatch):
    module = types.ModuleType("refgpu.gpu")
    module.Gpu = FakeGpu
    monkeypatch.setitem(sys.modules, "refgpu.gpu", module)
    monkeypatch.setitem(sys.modules, "refgpu.shaders", types.ModuleType("refgpu.shaders"))
    shaders = types.ModuleType("refgpu.shaders.description")
    shaders.from_description = lambda description, memory: description
    monkeypatch.setitem(sys.modules, "refgpu.shaders.description", shaders)
    capture = Capture.load(write(tmp_path))
    with pytest.raises(InputError, match=r"^stream 1 \(padding\): no such stream"):
        capture.run(threads=1)
    capture.streams.pop()
    gpu = capture.run(threads=1)
    assert (gpu.profile, gpu.options) == ("gfx1013", {"threads": 1})
    assert gpu.registers.word("CB_TARGET_MASK") == 15
    assert gpu.registers.word("SPI_SHADER_PGM_LO_PS") == 0x2010
    assert gpu.done == [("bind", "vs", "vertex", 0x1000), [0xC0002F00, 1, 0xFFFF1000]]
    assert [result.equal for result in capture.compare(gpu)] == [True]
    assert read_output(gpu, CaptureOutput("c", "color", 5)).tolist() == [[[[5]] * 3] * 2]
    assert read_output(gpu, CaptureOutput("d", "depth")).shape == (1, 2, 3, 2)
    with pytest.raises(InputError, match="no output 'z'"):
        capture.output("z")


def test_saving_into_the_folder_it_came_from_keeps_the_bytes(tmp_path):
    source = Path(__file__).parent / "data" / "captures" / "tri_linear.zip"
    Capture.load(source).save(tmp_path / "capture")
    before = {path.name: path.read_bytes() for path in (tmp_path / "capture").rglob("*") if path.is_file()}
    Capture.load(tmp_path / "capture").save(tmp_path / "capture")
    after = {path.name: path.read_bytes() for path in (tmp_path / "capture").rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.parametrize(("old", "new"), [
    ('"version": 1', '"version": ' + "9" * 5000),
    ('"s.bin"', '"\\ud800.bin"'),
    ('"s.bin"', '"' + "s" * 5000 + '"'),
    ('"name": "m"', '"name": "m\\n"'),
])
def test_numbers_and_names_out_of_this_world_are_one_line(tmp_path, old, new):
    text = json.dumps(DOCUMENT).replace(old, new)
    assert text != json.dumps(DOCUMENT)
    with pytest.raises(InputError) as caught:
        Capture.load(write(tmp_path, text.encode()))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
