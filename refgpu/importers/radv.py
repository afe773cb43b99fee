"""Captures out of what RADV, Mesa's Vulkan driver, submitted.

Streams, registers, descriptors and memory stay as the driver wrote them; shaders whose work is known get stand-ins. A
folder holds ``scenario.json`` (what the application asked for, buffer objects, submissions, descriptors), ``mem.npz``
(non-zero 4 KiB pages) and, when another Vulkan driver drew the same, ``expected.npz``.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, RefGpuError
from ..capture import Capture, CaptureOutput, CaptureRegion, CaptureStream, Expected
from ..memory import normalize
from ..pm4 import CommandProcessor, DispatchCall, DrawCall
from ..registers import RegisterFile

PAGE = 4096
RECTLIST = 17
OTHER_RECTANGLE = -1  # stands for one of the driver's rectangles that exports no colour to target 0
CLEAR_COLOR_USER_DATA = 2  # RADV's clear shader takes its colour from PS user data 2..5

# Vulkan vertex format: number of the buffer format, components.
_VERTEX_FORMATS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "R16G16_UNORM": (23, 2),
        "R16G16_SNORM": (24, 2),
        "R16G16_SFLOAT": (29, 2),
        "A2B10G10R10_UNORM_PACK32": (50, 4),
        "R8G8B8A8_UNORM": (56, 4),
        "R32G32_SFLOAT": (64, 2),
        "R32G32B32A32_SFLOAT": (77, 4),
    }
)
# Vulkan colour format: widths of the channels from the lowest bit on.
_CHANNEL_BITS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "R8G8B8A8_UNORM": (8, 8, 8, 8),
        "B8G8R8A8_UNORM": (8, 8, 8, 8),
        "A2B10G10R10_UNORM_PACK32": (10, 10, 10, 2),
        "R16G16B16A16_SFLOAT": (16, 16, 16, 16),
        "R32G32B32A32_UINT": (32, 32, 32, 32),
    }
)
_DEFAULT_BINDINGS = ((0, 28, 0),)
_DEFAULT_ATTRIBUTES = (
    (0, 0, "R32G32B32A32_SFLOAT", 0),
    (1, 0, "R8G8B8A8_UNORM", 16),
    (2, 0, "R32G32_SFLOAT", 20),
)
_PASS_THROUGH = ("vs_basic", "vs_flat")  # position, colour and texture coordinate leave as they came
_PIXEL: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "fs_color": {"kind": "attribute", "index": 0},
        # 0.75 of a flat colour with alpha 1, and 0.25 of a second attribute without perspective
        "fs_flat": {
            "kind": "weighted",
            "terms": [
                {"attribute": 0, "scale": [0.75, 0.75, 0.75, 0.0]},
                {"attribute": 1, "linear": True, "scale": [0.25, 0.25, 0.0, 0.0]},
            ],
            "constant": [0.0, 0.0, 0.0, 0.75],
        },
    }
)
_SOURCE_LIMITS = (
    "The images to compare with come from a software Vulkan driver, not from a chip: they can show coverage, and "
    "colours within one code."
)


class _Recorder:
    """Notes which code each draw would run."""

    def __init__(self, registers: RegisterFile):
        self.registers = registers
        self.draws: list[tuple[int, int, int]] = []

    def _address(self, slot: str) -> int:
        high = self.registers.word(f"SPI_SHADER_PGM_HI_{slot}") & 0xFF
        return high << 40 | self.registers.word(f"SPI_SHADER_PGM_LO_{slot}") << 8

    def draw(self, call: DrawCall) -> None:
        """Note primitive type and code addresses."""
        ngg = self.registers["VGT_SHADER_STAGES_EN"].PRIMGEN_EN
        kind = self.registers["VGT_PRIMITIVE_TYPE"].PRIM_TYPE
        if kind == RECTLIST and not self.registers.word("SPI_SHADER_COL_FORMAT") & 0xF:
            kind = OTHER_RECTANGLE
        self.draws.append((kind, self._address("ES" if ngg else "VS"), self._address("PS")))

    def dispatch(self, call: DispatchCall) -> None:
        """Dispatches change no draw's code."""


def import_radv(folder: str | os.PathLike[str]) -> Capture:
    """Make a capture of one recorded RADV scenario.

    Parameters
    ----------
    folder : path
        Holds ``scenario.json`` and ``mem.npz``.

    Returns
    -------
    Capture
        Code without a known stand-in stays unbound: running the capture then says which address lacks one.

    Raises
    ------
    InputError
        A file is missing or does not have the form described.
    """
    place = Path(folder)
    try:
        scenario = json.loads((place / "scenario.json").read_text("utf-8"))
        with (place / "mem.npz").open("rb") as file, np.load(file) as pages:
            memory = _regions(scenario["memory"], pages["va"], pages["page"])
        capture = _make(scenario, memory)
        if (place / "expected.npz").is_file():
            with (place / "expected.npz").open("rb") as file, np.load(file) as images:
                capture.expected = _expected(scenario, images)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{place}: not a recorded RADV scenario: {type(error).__name__} {error}") from None
    return capture


def _make(scenario: Mapping[str, Any], memory: list[CaptureRegion]) -> Capture:
    streams = [
        CaptureStream(None, normalize(int(ib["va"], 16)), ib["dwords"], f"{submission['role']} {i}")
        for submission in scenario["submissions"]
        if submission["role"] != "readback"
        for i, ib in enumerate(submission["ibs"])
    ]
    capture = Capture(
        profile="gfx1030" if "gfx1030" in scenario["driver"] else "gfx1010",
        memory=memory,
        streams=streams,
        outputs=_outputs(scenario),
        description=f"{scenario['description']} ({scenario['driver']})",
        limits=_SOURCE_LIMITS,
    )
    draws, problem = _draws(capture)
    capture.shaders, unknown = _stand_ins(scenario, draws)
    if problem or unknown:
        missing = [f"no stand-in for {name}" for name in unknown] + ([problem] if problem else [])
        capture.limits += f" Not complete: {'; '.join(missing)}."
    return capture


def _regions(
    objects: Sequence[Mapping[str, Any]], addresses: npt.NDArray[np.uint64], pages: npt.NDArray[np.uint8]
) -> list[CaptureRegion]:
    """One region for each buffer object, with its recorded pages; the rest of it is zero."""
    regions = []
    by_address = {normalize(int(address)): page for address, page in zip(addresses, pages, strict=True)}
    for entry in objects:
        start, size = normalize(int(entry["va"], 16)), entry["size"]
        recorded = [page for page in range(start, start + size, PAGE) if page in by_address]
        data = np.zeros(size, np.uint8) if recorded else None
        for page in recorded:
            assert data is not None
            end = min(page - start + PAGE, size)
            data[page - start : end] = by_address.pop(page)[: end - (page - start)]
        regions.append(CaptureRegion(start, size, data, name=f"object {entry['handle']}"))
    if by_address:
        raise InputError(f"page {min(by_address):#x} lies in no buffer object")
    return sorted(regions, key=lambda region: region.address)


def _draws(capture: Capture) -> tuple[list[tuple[int, int, int]], str]:
    """Primitive type, vertex code and pixel code of each draw, and what stopped the streams, if anything did."""
    registers = RegisterFile(capture.profile)
    recorder = _Recorder(registers)
    processor = CommandProcessor(registers, capture.build_memory(), recorder)
    try:
        for stream in capture.streams:
            processor.submit((stream.address, stream.dwords))
    except RefGpuError as error:
        return recorder.draws, str(error)
    return recorder.draws, ""


def _stand_ins(
    scenario: Mapping[str, Any], draws: Sequence[tuple[int, int, int]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Stand-ins by code address, and the shaders that have none."""
    asked = [command for command in scenario["vulkan"]["cmds"] if command["op"] == "draw"]
    found: dict[tuple[str, int], dict[str, Any]] = {}
    unknown = []
    for kind, vertex, pixel in draws:
        if kind == RECTLIST:
            found["vs", vertex] = {"kind": "clear_rect"}
            found["ps", pixel] = {"kind": "user_data_color", "first": CLEAR_COLOR_USER_DATA}
            continue
        if kind == OTHER_RECTANGLE:
            unknown.append("a clear rectangle of depth or of another target")
            continue
        command = asked.pop(0) if asked else {}
        pipe = command.get("pipe", {})
        vs, fs = pipe.get("vs", "vs_basic"), pipe.get("fs", "fs_color")
        more = [pipe[stage] for stage in ("tcs", "tes", "gs") if stage in pipe]
        description = _vertex(scenario, command) if vs in _PASS_THROUGH and not more else None
        if description is None:
            unknown += more or [vs]
        else:
            found["vs", vertex] = description
        if fs in _PIXEL:
            found["ps", pixel] = dict(_PIXEL[fs])
        else:
            unknown.append(fs)
    shaders = [
        {"stage": stage, "address": address, **description}
        for (stage, address), description in sorted(found.items(), key=lambda item: (item[0][1], item[0][0]))
    ]
    return shaders, unknown


def _vertex(scenario: Mapping[str, Any], command: Mapping[str, Any]) -> dict[str, Any] | None:
    """A pass-through vertex stand-in that reads the driver's own V#s; None when it would need a step rate."""
    pipe = command.get("pipe", {})
    names = command.get("vb", "vb")
    names = [names] if isinstance(names, str) else names
    bindings = {number: step for number, _, step in pipe.get("vbind", _DEFAULT_BINDINGS)}
    words_of = {entry["resource"]: entry["words"] for entry in scenario["descriptors"] if entry["type"] == "V#"}
    inputs = []
    for _, binding, format_name, offset in sorted(pipe.get("vattr", _DEFAULT_ATTRIBUTES)):
        if bindings[binding] or names[binding] not in words_of:
            return None
        words = [int(word, 16) for word in words_of[names[binding]]]
        inputs.append({"vsharp": [f"{word:#010x}" for word in _attribute_words(words, format_name, offset)]})
    return {"kind": "vertex", "position": inputs[0], "attributes": inputs[1:]}


def _attribute_words(words: Sequence[int], format_name: str, offset: int) -> tuple[int, int, int, int]:
    """A V# for one attribute: the shader's typed load adds the offset and names the format; here the V# does."""
    number, components = _VERTEX_FORMATS[format_name]
    base = (words[0] | (words[1] & 0xFFFF) << 32) + offset
    missing = (0, 0, 0, 1)
    selects = [4 + i if i < components else missing[i] for i in range(4)]
    packed = sum(select << 3 * i for i, select in enumerate(selects))
    word3 = words[3] & ~0x7FFFF | number << 12 | packed
    return base & 0xFFFFFFFF, words[1] & ~0xFFFF | base >> 32 & 0xFFFF, words[2], word3


def _outputs(scenario: Mapping[str, Any]) -> list[CaptureOutput]:
    names = {entry["name"] for entry in scenario["resources"] if entry["kind"] == "image"}
    colors = [CaptureOutput(f"color{i}", "color", i) for i in range(8) if f"color{i}" in names]
    return colors + ([CaptureOutput("depth", "depth")] if "depth" in names else [])


def _expected(scenario: Mapping[str, Any], images: Mapping[str, npt.NDArray[np.uint8]]) -> list[Expected]:
    """The colour images of the other driver: same coverage, colours within one code."""
    vulkan = scenario["vulkan"]
    begin: Mapping[str, Any] = next((command for command in vulkan["cmds"] if command["op"] == "begin"), {})
    any_code = any("logic" in command.get("pipe", {}) for command in vulkan["cmds"])
    found = []
    for name, facts in (scenario["expected"] or {}).items():
        bits = _CHANNEL_BITS.get(facts.get("format", ""))
        samples = {entry["name"]: entry.get("samples", 1) for entry in scenario["resources"]}.get(name)
        if not name.startswith("color") or bits is None or name not in images or samples != 1:
            continue
        image = images[name]
        height, width = image.shape[:2]
        x, y = begin.get("ofs", (0, 0))
        w, h = begin.get("ext", (width, height))
        region = (x, y, min(x + w, width), min(y + h, height))
        found.append(
            Expected(
                name, np.ascontiguousarray(image).reshape(-1), (1, height, width), bits,
                # a logic operation makes two codes out of one step, so only coverage is left to compare
                (1 << max(bits)) - 1 if any_code else 1,
                _background(image, region), region, "lavapipe, Mesa 22.3.6",
            )
        )  # fmt: skip
    return found


def _background(image: npt.NDArray[np.uint8], region: tuple[int, int, int, int]) -> tuple[int, int] | None:
    """A pixel of the most frequent value inside the region, when that value is frequent enough to be the clear."""
    x0, y0, x1, y1 = region
    pixels = image[y0:y1, x0:x1].reshape(-1, image.shape[2])
    values, counts = np.unique(pixels, axis=0, return_counts=True)
    if counts.max() * 10 < len(pixels):
        return None
    place = int(np.flatnonzero((pixels == values[counts.argmax()]).all(1))[0])
    return x0 + place % (x1 - x0), y0 + place // (x1 - x0)
