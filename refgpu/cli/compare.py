"""``refgpu compare``: two images, bit by bit."""

import argparse
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from .output import Output


def natural(text: str) -> int:
    """An option's number that is not negative."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("compare", parents=[common], help="two .npy, .npz or .png images, bit by bit")
    parser.add_argument("expected", type=Path, metavar="EXPECTED")
    parser.add_argument("actual", type=Path, metavar="ACTUAL")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with both and their difference")
    parser.add_argument("--max-pixels", type=natural, default=0, metavar="N",
                        help="how many pixels may differ (default 0)")
    parser.add_argument("--max-ulp", type=natural, default=0, metavar="N",
                        help="a value this many units in the last place (codes) off does not differ; "
                             "0, the default: the bits are the same")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Compare two files; 1 when more pixels differ than allowed."""
    from .. import report
    from ..compare import each_pair

    if arguments.max_ulp >= 1 << 63:
        raise InputError(f"--max-ulp {arguments.max_ulp}: too large")
    results, blocks = {}, []
    for name, result, expected, actual in each_pair(arguments.expected, arguments.actual, arguments.max_ulp):
        results[name] = result
        if arguments.html:
            blocks += report.comparison_blocks(name, result, expected, actual)
    if arguments.html:
        report.write_page(arguments.html, f"{arguments.expected} and {arguments.actual}", blocks)
    for name, result in results.items():
        if name:
            output.text(f"{name}:")
        output.table(report.comparison_rows(result), "  " if name else "")
    if arguments.html:
        output.text(f"wrote {arguments.html}")
    differing = sum(result.differing_pixels for result in results.values())
    within = differing <= arguments.max_pixels
    output.result({"expected": str(arguments.expected), "actual": str(arguments.actual), "within": within,
                   "max_pixels": arguments.max_pixels, "max_ulp": arguments.max_ulp,
                   "results": {name: result.to_dict() for name, result in results.items()}})
    return 0 if within else 1
