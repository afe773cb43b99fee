"""The command line, ``refgpu COMMAND``: one module per command.

Exit codes: 0 done and equal; 1 a difference or an unmet expectation; 2 bad input, told in one line on stderr. A
traceback with code 70 is a bug in refgpu.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from ..base.errors import RefGpuError
from . import claims, compare, decode, demo, doctor, import_radv, info, render
from .output import Output

COMMANDS = (demo, render, info, compare, decode, import_radv, claims, doctor)
BAD_INPUT, BUG, INTERRUPTED, BROKEN_PIPE = 2, 70, 130, 141


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the line and leave."""
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """Parser of all commands; each sets `run`, a function of (arguments, Output) that returns the exit code."""
    from .. import __version__

    parser = _Parser(prog="refgpu", description="Executable specification of the GFX10 graphics pipeline.",
                     epilog="exit codes: 0 done and equal, 1 a difference, 2 bad input")
    parser.add_argument("--version", action="version", version=f"refgpu {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    common.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors (and --json)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for module in COMMANDS:
        module.add(commands, common)
    return parser


def one_line(error: BaseException) -> str:
    """What went wrong, with the notes added on the way up, in one line."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error) or type(error).__name__
    return "; ".join(" ".join(part.split()) for part in (text, *getattr(error, "__notes__", ())))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    parsed = build_parser().parse_args(arguments)
    try:
        code = int(parsed.run(parsed, Output(parsed.json, parsed.quiet)))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at exit
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (RefGpuError, OSError) as error:
        print(f"refgpu {parsed.command}: {one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("refgpu: this is a bug in refgpu; please report it with the output of `refgpu doctor`", file=sys.stderr)
        return BUG
