"""``refgpu claims``: what is modelled, how sure, from where."""

import argparse
import textwrap
from collections import Counter
from typing import Any

from ..base import claims
from .output import Output


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("claims", parents=[common], help="what is modelled, how sure, from where")
    parser.add_argument("id", nargs="?", metavar="ID", help="one claim in full; or a prefix such as TEX-")
    parser.add_argument("--open", action="store_true", help="only what nobody has measured or documented")
    parser.set_defaults(run=run)


def _to_dict(claim: claims.Claim) -> dict[str, Any]:
    return {"id": claim.id, "statement": claim.statement, "grade": claim.grade, "source": claim.source,
            "test": claim.test, "alternatives": dict(claim.alternatives), "default": claim.default}


def _show(claim: claims.Claim, output: Output) -> None:
    output.text(f"{claim.id}  ({claim.grade})", *textwrap.wrap(claim.statement, 100, initial_indent="  ",
                                                               subsequent_indent="  "))
    output.text(f"  source: {claim.source}", f"  test:   {claim.test}")
    for name, sentence in claim.alternatives.items():
        mark = " (default)" if name == claim.default else ""
        output.text(f"  alternative {name}{mark}: {sentence}")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """List claims, or show one."""
    wanted = arguments.id or ""
    if wanted in claims.table():
        found = [claims.table()[wanted]]
    else:
        found = [claim for id_, claim in sorted(claims.table().items()) if wanted and id_.startswith(wanted)]
        found = found if wanted else [claim for _, claim in sorted(claims.table().items())]
        if not found:
            claims.get(wanted)  # raises: no such claim
    if arguments.open:
        found = [claim for claim in found if claim.open]
    output.result({"claims": [_to_dict(claim) for claim in found]})
    if wanted in claims.table():
        for claim in found:
            _show(claim, output)
        return 0
    width = max((len(claim.id) for claim in found), default=0)
    for claim in found:
        statement = textwrap.shorten(claim.statement, 118 - width - 14, placeholder=" ...")
        output.text(f"{claim.id:<{width}}  {claim.grade:<10}  {statement}")
    counts = Counter(claim.grade for claim in found)
    told = ", ".join(f"{counts[grade]} {grade}" for grade in claims.GRADES if counts[grade])
    output.text(f"{len(found)} claims" + (f": {told}" if told else ""))
    return 0
