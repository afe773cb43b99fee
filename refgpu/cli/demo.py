"""``refgpu demo``: the main job on built-in scenes."""

import argparse
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from .output import Output


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("demo", parents=[common], help="built-in scenes: images and a page that shows them")
    parser.add_argument("-o", "--output", type=Path, default=Path("refgpu-demo"), metavar="DIR",
                        help="where to write (default: refgpu-demo)")
    parser.add_argument("--size", type=int, default=1024, metavar="N",
                        help="shadow map of N x N pixels, the view in proportion (64 to 4096, default 1024)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Run the scenes."""
    size = arguments.size
    if not 64 <= size <= 4096:
        raise InputError(f"--size {size}: expected 64 to 4096")
    from ..demo.pages import Demo

    with output.progress("demo", 11) as progress:
        demo = Demo(arguments.output, size, (size * 25 // 32, size * 125 // 256), step=progress.step)
        demo.write()
    for name, value in demo.figures.items():
        output.text(f"{name}: {value}")
    output.text(f"wrote {len(demo.files)} files; open {demo.folder / 'index.html'}")
    output.result({"folder": str(demo.folder), "files": [str(path) for path in demo.files], "figures": demo.figures})
    return 0
