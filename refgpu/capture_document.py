"""Between a capture's JSON document with its files and the parts of a `Capture`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .base.errors import InputError
from .capture_check import Expected
from .capture_files import Files, Writer
from .capture_parts import CaptureOutput, CaptureRegion, CaptureRegister, CaptureStream, FileRange
from .capture_schema import number
from .memory import normalize
from .registers import BANKS, table_for

if TYPE_CHECKING:
    from .capture import Capture

_Bytes = npt.NDArray[np.uint8]


def _bytes_of(files: Files, entry: Mapping[str, Any], nbytes: int | None, place: str) -> _Bytes:
    """A file's bytes from `offset` on; InputError when it has fewer than `nbytes`."""
    data = files.read(entry["file"])
    offset = number(entry.get("offset", 0))
    have = data.size - offset
    if nbytes is not None and have < nbytes:
        raise InputError(f"{place}: file {entry['file']!r} has {max(have, 0)} bytes from {offset} on, not {nbytes}")
    return data[offset:] if nbytes is None else data[offset : offset + nbytes]


def _range_of(files: Files, entry: Mapping[str, Any], nbytes: int, place: str) -> _Bytes | FileRange:
    """As `_bytes_of`; a file of a folder stays a file, so that each run can map it afresh."""
    data = _bytes_of(files, entry, nbytes, place)
    path = files.path(entry["file"])
    return data if path is None else FileRange(path, number(entry.get("offset", 0)), nbytes)


def _region(files: Files, entry: Mapping[str, Any], place: str) -> CaptureRegion:
    nbytes = number(entry["nbytes"])
    if "file" in entry and "fill" in entry:
        raise InputError(f"{place}: has both 'file' and 'fill'")
    data = _range_of(files, entry, nbytes, place) if "file" in entry else None
    address, fill = normalize(number(entry["address"])), number(entry.get("fill", 0))
    return CaptureRegion(address, nbytes, data, fill, entry.get("read_only", False), entry.get("name", ""))


def _register(profile: str, entry: Mapping[str, Any], place: str) -> CaptureRegister:
    value = number(entry["value"])
    if value > 0xFFFFFFFF:
        raise InputError(f"{place}.value: {value:#x} does not fit in 32 bits")
    if ("name" in entry) == ("bank" in entry and "offset" in entry):
        raise InputError(f"{place}: needs either 'name', or 'bank' and 'offset'")
    if "name" in entry:
        if entry["name"] not in table_for(profile):
            raise InputError(f"{place}.name: {profile} has no register {entry['name']!r}")
        return CaptureRegister(value, entry["name"])
    offset = number(entry["offset"])
    if offset >= BANKS[entry["bank"]].size:
        raise InputError(f"{place}.offset: bank {entry['bank']} has no dword offset {offset:#x}")
    return CaptureRegister(value, "", entry["bank"], offset)


def _stream(files: Files, entry: Mapping[str, Any], place: str) -> CaptureStream:
    name = entry.get("name", "")
    if "file" in entry and "address" not in entry:
        nbytes = 4 * number(entry["dwords"]) if "dwords" in entry else None
        data = _bytes_of(files, entry, nbytes, place)
        if data.size % 4:
            raise InputError(f"{place}: file {entry['file']!r} has {data.size} bytes, no whole number of dwords")
        return CaptureStream(data.view(np.uint32), name=name)
    if "address" not in entry or "dwords" not in entry or "file" in entry:
        raise InputError(f"{place}: needs either 'file', or 'address' and 'dwords'")
    return CaptureStream(None, normalize(number(entry["address"])), number(entry["dwords"]), name)


def _output(entry: Mapping[str, Any], place: str) -> CaptureOutput:
    needs = {"color": {"index"}, "memory": {"address", "nbytes"}}.get(entry["kind"], set())
    given = set(entry) - {"name", "kind"}
    if given != needs:
        raise InputError(
            f"{place}: a {entry['kind']} output has {' and '.join(sorted(needs)) or 'no more'} "
            f"besides name and kind, not {' and '.join(sorted(given)) or 'nothing'}"
        )
    address = normalize(number(entry.get("address", 0)))
    return CaptureOutput(entry["name"], entry["kind"], entry.get("index", 0), address, number(entry.get("nbytes", 0)))


def _expected(files: Files, entry: Mapping[str, Any], names: set[str], place: str) -> Expected:
    if entry["output"] not in names:
        raise InputError(f"{place}.output: no output is called {entry['output']!r}")
    bits = sum(entry["channel_bits"])
    if bits % 8:
        raise InputError(f"{place}.channel_bits: {bits} bits a pixel are no whole number of bytes")
    layers, height, width = entry["shape"]
    nbytes = layers * height * width * bits // 8
    data = _bytes_of(files, entry, nbytes, place)
    region = tuple(entry.get("region", (0, 0, width, height)))
    if not (region[0] < region[2] <= width and region[1] < region[3] <= height):
        raise InputError(f"{place}.region: {list(region)} does not lie in {width} x {height}")
    at = entry.get("background_at")
    if at is not None and (at[0] >= width or at[1] >= height):
        raise InputError(f"{place}.background_at: {at} does not lie in {width} x {height}")
    return Expected(
        entry["output"],
        data,
        (layers, height, width),
        tuple(entry["channel_bits"]),
        entry.get("tolerance_codes", 0),
        None if at is None else (at[0], at[1]),
        region,
        entry.get("source", ""),
    )


def _numbers(value: Any) -> Any:
    """A shader description with its hexadecimal strings read."""
    if isinstance(value, str) and value[:2] in ("0x", "0X"):
        try:
            return number(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        return {name: _numbers(item) for name, item in value.items()}
    return [_numbers(item) for item in value] if isinstance(value, list) else value


def read_parts(document: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """The constructor arguments of a Capture; InputError names the place of what is wrong."""

    def each(name: str) -> list[tuple[Any, str]]:
        return [(entry, f"capture.{name}[{i}]") for i, entry in enumerate(document.get(name, []))]

    profile = document["profile"]
    outputs = [_output(entry, place) for entry, place in each("outputs")]
    names = {output.name for output in outputs}
    if len(names) < len(outputs):
        raise InputError("capture.outputs: two outputs have the same name")
    return dict(
        profile=profile,
        memory=[_region(files, entry, place) for entry, place in each("memory")],
        registers=[_register(profile, entry, place) for entry, place in each("registers")],
        streams=[_stream(files, entry, place) for entry, place in each("streams")],
        shaders=[_numbers(entry) for entry, _ in each("shaders")],
        outputs=outputs,
        expected=[_expected(files, entry, names, place) for entry, place in each("expected")],
        variant=dict(document.get("variant", {})),
        description=document.get("description", ""),
        limits=document.get("limits", ""),
    )


def make_document(capture: "Capture", writer: Writer) -> dict[str, Any]:
    """The JSON of a capture; its bytes go to `writer`."""
    document: dict[str, Any] = {"format": "refgpu-capture", "version": 1}
    for name in ("description", "limits"):
        if getattr(capture, name):
            document[name] = getattr(capture, name)
    document["profile"] = capture.profile
    if capture.variant:
        document["variant"] = capture.variant
    document["memory"] = []
    for region in capture.memory:
        entry: dict[str, Any] = {"address": f"{region.address:#x}", "nbytes": region.nbytes}
        if region.data is not None:
            entry["file"] = f"memory/{region.address:012x}.bin"
            writer.write(entry["file"], region.data.pages() if isinstance(region.data, FileRange) else region.data)
        elif region.fill:
            entry["fill"] = f"{region.fill:#010x}"
        entry |= {"read_only": True} if region.read_only else {}
        entry |= {"name": region.name} if region.name else {}
        document["memory"].append(entry)
    document["registers"] = [
        ({"name": r.name} if r.name else {"bank": r.bank, "offset": f"{r.offset:#x}"}) | {"value": f"{r.value:#010x}"}
        for r in capture.registers
    ]
    document["streams"] = []
    for i, stream in enumerate(capture.streams):
        entry = {"name": stream.name} if stream.name else {}
        if stream.words is None:
            entry |= {"address": f"{stream.address:#x}", "dwords": stream.dwords}
        else:
            entry["file"] = f"streams/{i:03}.bin"
            writer.write(entry["file"], np.ascontiguousarray(stream.words).view(np.uint8))
        document["streams"].append(entry)
    document["shaders"] = [_with_hex_address(shader) for shader in capture.shaders]
    document["outputs"] = [_output_entry(output) for output in capture.outputs]
    document["expected"] = []
    for i, expected in enumerate(capture.expected):
        name = f"expected/{i:03}_{expected.output}.bin"
        writer.write(name, expected.data)
        document["expected"].append(expected.entry(name))
    return document


def _with_hex_address(shader: Mapping[str, Any]) -> dict[str, Any]:
    entry = dict(shader)
    if "address" in entry:
        entry["address"] = f"{number(entry['address']):#x}"
    return entry


def _output_entry(output: CaptureOutput) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": output.name, "kind": output.kind}
    if output.kind == "color":
        entry["index"] = output.index
    if output.kind == "memory":
        entry |= {"address": f"{output.address:#x}", "nbytes": output.nbytes}
    return entry
