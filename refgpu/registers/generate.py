"""Writes the data files of this package from the fact book's tables.

``python -m refgpu.registers.generate FACTS/registers.csv FACTS/enums.csv clear_state_defaults.json``

The fact book took names, offsets and bit positions from Mesa's register JSON and checked them against PAL's headers;
the clear-state values come from the tables in Mesa that stand for that packet.
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

CLEAR_STATE_GENERATION = {"gfx1010": "gfx10", "gfx1030": "gfx103"}
CONTEXT_BYTE_BASE = 0x28000
SIGNED = ("signed 8", "signed 16")  # sample locations ("signed 4-bit") stay words: their readers split them


def registers(path: Path) -> list[list[str]]:
    """Rows ``bank, offset, name, fields``; a field is ``NAME:lsb:msb[:flags[:enum]]``.

    Flags: s signed; 0 only in gfx10; 3 only in gfx10.3.
    """
    fields: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            flags = "s" if row["meaning"].startswith(SIGNED) else ""
            flags += {"both": "", "gfx10": "0", "gfx103": "3"}[row["gen"]]
            parts = [row["field"], row["lsb"], row["msb"], flags, row["enum"]]
            key = row["space"], int(row["dword_offset_in_space"], 0), row["name"]
            fields[key].append(":".join(parts).rstrip(":"))
    return [[bank, f"{offset:x}", name, " ".join(found)] for (bank, offset, name), found in sorted(fields.items())]


def enums(path: Path) -> list[list[str]]:
    """Rows ``enum, value:NAME ...``."""
    values: dict[str, list[str]] = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            values[row["enum"]].append(f"{int(row['value'], 0)}:{row['name'].split()[0]}")
    return [[name, " ".join(found)] for name, found in sorted(values.items())]


def resets(path: Path) -> list[list[str]]:
    """Rows ``generation, context dword offset, value`` of what is not zero after CLEAR_STATE."""
    rows = []
    for chip, words in json.loads(path.read_text()).items():
        for address, value in words.items():
            if int(value, 0):
                offset = (int(address, 0) - CONTEXT_BYTE_BASE) // 4
                rows.append([CLEAR_STATE_GENERATION[chip], f"{offset:x}", f"{int(value, 0):x}"])
    return rows


def main() -> None:
    """Write registers.csv, enums.csv and reset.csv beside this file."""
    here = Path(__file__).parent
    sources = [Path(argument) for argument in sys.argv[1:4]]
    for name, build, source in zip(("registers", "enums", "reset"), (registers, enums, resets), sources, strict=True):
        with (here / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(build(source))


if __name__ == "__main__":
    main()
