"""``refgpu info``: what is in a capture, without drawing it."""

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import RefGpuError
from .output import Output

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..capture import Capture
    from ..memory import Memory
    from ..pm4 import DrawCall

_MERGE_BYTES = 4096


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("info", parents=[common],
                                 help="packets, draws, registers that differ from reset, memory read and written")
    parser.add_argument("capture", type=Path, metavar="CAPTURE", help="a folder or a .zip")
    parser.set_defaults(run=run)


class _Ranges:
    """Bytes touched, neighbouring ranges merged; a `Watcher` of guest memory."""

    def __init__(self) -> None:
        self.read: list[tuple[int, int]] = []
        self.written: list[tuple[int, int]] = []

    def before_read(self, address: int, nbytes: int) -> None:
        self.read.append((address, address + nbytes))

    def before_write(self, address: int, nbytes: int) -> None:
        self.written.append((address, address + nbytes))

    @staticmethod
    def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Ranges in order; gaps of less than a page are closed."""
        found: list[tuple[int, int]] = []
        for start, end in sorted(ranges):
            if found and start <= found[-1][1] + _MERGE_BYTES:
                found[-1] = found[-1][0], max(found[-1][1], end)
            else:
                found.append((start, end))
        return found


class _Recorder:
    """Takes the place of the machine: notes draws instead of drawing."""

    def __init__(self, capture: "Capture", memory: "Memory", ranges: _Ranges):
        from ..registers import RegisterFile

        self.capture, self.memory, self.ranges = capture, memory, ranges
        self.registers = RegisterFile(capture.profile)
        self.draws: list[dict[str, Any]] = []

    def draw(self, call: "DrawCall") -> None:
        """Note one draw and the memory it reads and writes."""
        from ..draw_inputs import decode_inputs
        from ..registers import enum_names
        from ..state.color import color_target_blocks
        from ..state.depth import depth_target_block
        from ..surface import color_surface, stencil_surface, z_surface

        inputs = decode_inputs(call, self.registers, self.memory)
        primitive = enum_names("VGT_DI_PRIM_TYPE").get(inputs.prim_type, str(inputs.prim_type))
        targets: dict[str, Any] = {}
        enabled = self.registers.word("CB_TARGET_MASK") & self.registers.word("CB_SHADER_MASK")
        for index, block in enumerate(color_target_blocks):
            target = block(self.registers) if enabled >> 4 * index & 15 else None
            if target is not None:
                targets[f"color{index}"] = color_surface(target, self.capture.profile)
        depth = depth_target_block(self.registers)
        control = self.registers["DB_DEPTH_CONTROL"]
        if depth is not None and depth.z_format and control.Z_ENABLE:
            targets["depth"] = z_surface(depth, self.capture.profile)
        if depth is not None and depth.has_stencil and control.STENCIL_ENABLE:
            targets["stencil"] = stencil_surface(depth, self.capture.profile)
        for surface in targets.values():
            self.ranges.before_write(surface.address, surface.nbytes)
        self.draws.append({
            "draw": len(self.draws), "dword": call.packet_offset, "stream_address": call.stream_address,
            "indexed": call.indexed, "primitive": primitive.removeprefix("DI_PT_"), "count": call.index_count,
            "instances": call.instance_count,
            "targets": {name: {"address": surface.address, "width": surface.width, "height": surface.height,
                               "bits": surface.bits} for name, surface in targets.items()}})

    def dispatch(self, call: Any) -> None:
        """Note one dispatch."""
        self.draws.append({"dispatch": [call.x, call.y, call.z], "dword": call.packet_offset,
                           "stream_address": call.stream_address})


def _count_packets(streams: "list[npt.NDArray[np.uint32]]", memory: "Memory") -> Counter[str]:
    """Packets by name, in the streams and in each indirect buffer they lead to."""
    from ..pm4 import decode
    from ..pm4.memory_packets import address_of

    counts: Counter[str] = Counter()
    waiting, seen = list(streams), set()
    while waiting:
        for packet in decode(waiting.pop()):
            counts[packet.name] += 1
            if packet.name == "INDIRECT_BUFFER":
                fields = packet.fields
                place = address_of(fields["base_lo"] & ~3, fields["base_hi"]), fields["size"]
                if place not in seen:
                    seen.add(place)
                    waiting.append(_dwords(memory, *place))
    return counts


def _dwords(memory: "Memory", address: int, dwords: int) -> "npt.NDArray[np.uint32]":
    return memory.view(address, 4 * dwords, "<u4")


def collect(capture: "Capture") -> dict[str, Any]:
    """Everything that `info` tells, as plain data."""
    from ..pm4 import CommandProcessor

    memory, ranges = capture.build_memory(), _Ranges()
    recorder = _Recorder(capture, memory, ranges)
    registers = recorder.registers
    for register in capture.registers:
        if register.name:
            registers[register.name] = register.value
        else:
            registers.set(register.bank, register.offset, register.value)
    streams = [_dwords(memory, s.address, s.dwords) if s.words is None else s.words for s in capture.streams]
    packets = _count_packets(streams, memory)
    stopped = ""
    memory.watch(ranges)
    processor = CommandProcessor(registers, memory, recorder)
    for number, stream in enumerate(capture.streams):
        try:
            processor.submit((stream.address, stream.dwords) if stream.words is None else stream.words)
        except RefGpuError as error:
            stopped = f"stream {number}: {error}"
            break
    return {
        "profile": capture.profile, "description": capture.description, "limits": capture.limits,
        "variant": capture.variant,
        "memory": [{"address": r.address, "nbytes": r.nbytes, "name": r.name} for r in capture.memory],
        "streams": [{"name": s.name, "dwords": int(words.size)}
                    for s, words in zip(capture.streams, streams, strict=True)],
        "packets": dict(packets.most_common()), "draws": recorder.draws,
        "shaders": [{"stage": s["stage"], "kind": s["kind"], "address": s.get("address")} for s in capture.shaders],
        "registers": dict(registers.changed()),
        "unknown_registers": [[bank, offset, value] for bank, offset, value in registers.unknown()],
        "read": ranges.merged(ranges.read), "written": ranges.merged(ranges.written),
        "outputs": [output.name for output in capture.outputs],
        "expected": [expected.output for expected in capture.expected], "stopped": stopped}


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Tell what a capture holds; when a command fails, what came before it, then the error."""
    from ..capture import Capture

    data = collect(Capture.load(arguments.capture))
    output.result(data)
    output.text(f"{arguments.capture}  ({data['profile']})")
    output.text(*(text for text in (data["description"], data["limits"]) if text))
    output.text("", f"memory: {len(data['memory'])} regions, {sum(r['nbytes'] for r in data['memory'])} bytes")
    for what in ("read", "written"):
        output.text(f"  {what} by the commands and their draws:")
        output.table(((f"{start:#x}", f"..{end:#x}", f"{end - start} bytes") for start, end in data[what]), "    ")
    output.text("", f"packets: {sum(data['packets'].values())}")
    output.table(data["packets"].items(), "  ")
    output.text("", f"draws: {len(data['draws'])}")
    output.table((_draw_row(draw) for draw in data["draws"]), "  ")
    output.text("", f"registers that differ from reset: {len(data['registers'])}")
    output.table(((name, f"{value:#010x}") for name, value in data["registers"].items()), "  ")
    if data["unknown_registers"]:
        output.text("", "writes to offsets that no register is known at:")
        output.table(((f"{bank}:{offset:#x}", f"{value:#010x}") for bank, offset, value in data["unknown_registers"]),
                     "  ")
    if data["stopped"]:
        raise RefGpuError(data["stopped"])
    return 0


def _draw_row(draw: dict[str, Any]) -> tuple[str, ...]:
    where = f"dword {draw['dword']:#x}"
    if draw["stream_address"] is not None:
        where += f" of {draw['stream_address']:#x}"
    if "dispatch" in draw:
        return "", f"dispatch {draw['dispatch']}", "", "", where
    targets = ", ".join(f"{name} {t['width']}x{t['height']}" for name, t in draw["targets"].items())
    instances = f" x {draw['instances']} instances" if draw["instances"] != 1 else ""
    return (str(draw["draw"]), draw["primitive"], f"{draw['count']} {'indices' if draw['indexed'] else 'vertices'}"
            f"{instances}", targets or "no target", where)
