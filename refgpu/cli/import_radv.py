"""``refgpu import-radv``: a capture out of what Mesa's Vulkan driver submitted."""

import argparse
from pathlib import Path
from typing import Any

from .output import Output


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("import-radv", parents=[common],
                                 help="make a capture of a recorded RADV scenario")
    parser.add_argument("scenario", type=Path, metavar="FOLDER", help="holds scenario.json and mem.npz")
    parser.add_argument("-o", "--output", type=Path, metavar="CAPTURE", required=True,
                        help="a folder to make, or a name that ends in .zip")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Write the capture; exit code 1 when some draw has no stand-in, so that it cannot run yet."""
    from ..importers.radv import import_radv

    capture = import_radv(arguments.scenario)
    capture.save(arguments.output)
    complete = "Not complete" not in capture.limits
    output.result({
        "capture": str(arguments.output), "profile": capture.profile, "description": capture.description,
        "limits": capture.limits, "complete": complete, "streams": len(capture.streams),
        "shaders": [{"stage": s["stage"], "kind": s["kind"], "address": s["address"]} for s in capture.shaders],
        "outputs": [o.name for o in capture.outputs], "expected": [e.output for e in capture.expected]})
    output.text(f"{arguments.output}: {capture.description} ({capture.profile})", capture.limits)
    return 0 if complete else 1
