"""``refgpu render``: run a capture, write every output, check its expectations."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from .compare import natural
from .output import Output

if TYPE_CHECKING:
    from ..capture import Capture, CaptureOutput
    from ..gpu import Gpu


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("render", parents=[common],
                                 help="run a capture, write its outputs, check its expectations")
    parser.add_argument("capture", type=Path, metavar="CAPTURE", help="a folder or a .zip")
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), metavar="DIR",
                        help="where to write every output as .npy (stored bits) and .png (to look at; default: out)")
    parser.add_argument("--draw", type=natural, metavar="N", help="stop after draw N, counted from 0 as `info` does")
    parser.add_argument("--faces-as-two-passes", action="store_true",
                        help="not what the chip does, for comparison: per draw all front faces, then all back faces")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Run a capture; 1 when an expectation is not met."""
    from ..capture import Capture

    capture = Capture.load(arguments.capture)
    gpu = _execute(capture, arguments.draw, faces_as_two_passes=arguments.faces_as_two_passes)
    outputs = capture.outputs or _bound_targets(gpu)
    written = {}
    with output.progress("output", len(outputs)) as progress:
        for described in outputs:
            progress.step(described.name)
            written[described.name] = [str(path) for path in _write(gpu, described, arguments.output)]
    differences = capture.compare(gpu) if arguments.draw is None else []
    for name, files in written.items():
        output.text(f"{name}: {', '.join(files)}")
    for difference in differences:
        output.text(str(difference))
    if arguments.draw is not None and capture.expected:
        output.text(f"stopped after draw {arguments.draw}: expectations are not checked")
    for warning in gpu.report.warnings:
        output.text(f"warning: {warning}")
    met = all(difference.equal for difference in differences)
    output.result({
        "capture": str(arguments.capture), "outputs": written, "met": met, "report": gpu.report.to_dict(),
        "expectations": [{"output": difference.output, "equal": difference.equal, "pixels": difference.pixels,
                          "max_codes": difference.max_codes, "coverage": difference.coverage}
                         for difference in differences]})
    return 0 if met else 1


def _execute(capture: "Capture", last_draw: int | None, **options: Any) -> "Gpu":
    from ..gpu import Gpu

    if last_draw is None:
        return capture.run(**options)
    wanted = last_draw + 1

    class Enough(Exception):
        """Leaves the stream behind the last draw."""

    class UntilDraw(Gpu):
        """Stops behind the draws that are wanted."""

        seen = 0

        def draw(self, call: Any) -> None:
            """Count, and draw."""
            if self.seen == wanted:
                raise Enough
            super().draw(call)
            self.seen += 1

    gpu = capture.prepare(UntilDraw, **options)
    try:
        capture.execute(gpu)
    except Enough:
        gpu.finish()
    assert isinstance(gpu, UntilDraw)
    if gpu.seen < wanted:
        raise InputError(f"--draw {last_draw}: the capture has {gpu.seen} draws")
    return gpu


def _bound_targets(gpu: "Gpu") -> "list[CaptureOutput]":
    """The targets that the registers describe at the end, for captures that name no outputs."""
    from ..capture import CaptureOutput

    found = []
    for index in range(8):
        if gpu.registers[f"CB_COLOR{index}_INFO"].FORMAT:
            found.append(CaptureOutput(f"color{index}", "color", index))
    for kind, register in (("depth", "DB_Z_INFO"), ("stencil", "DB_STENCIL_INFO")):
        if gpu.registers[register].FORMAT:
            found.append(CaptureOutput(kind, kind))
    return found


def _write(gpu: "Gpu", described: "CaptureOutput", folder: Path) -> list[Path]:
    """Write one output; returns the files."""
    import numpy as np

    from ..image_files import picture, png_bytes

    folder.mkdir(parents=True, exist_ok=True)
    bits = folder / f"{described.name}.npy"
    if described.kind == "memory":
        np.save(bits, gpu.memory.view(described.address, described.nbytes))
        return [bits]
    view: Any = {"color": lambda: gpu.color(described.index), "depth": gpu.depth, "stencil": gpu.stencil}
    target = view[described.kind]()
    np.save(bits, target.words())
    files = [bits]
    layers = target.read()
    for number, layer in enumerate(layers):
        suffix = f"-layer{number}" if len(layers) > 1 else ""
        files.append(folder / f"{described.name}{suffix}.png")
        files[-1].write_bytes(png_bytes(picture(layer)))
    return files
