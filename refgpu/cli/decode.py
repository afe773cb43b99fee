"""``refgpu decode``: the fields of a word."""

import argparse
from typing import Any

import numpy as np

from ..base.errors import InputError
from .output import Output

PROFILES = ("gfx1013", "gfx1010", "gfx1030", "gfx1035")


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command and its kinds."""
    parser = commands.add_parser("decode", help="the fields of a word")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    reg = kinds.add_parser("reg", parents=[common], help="a register")
    reg.add_argument("register", metavar="NAME|BANK:OFFSET",
                     help="for example PA_SU_SC_MODE_CNTL or context:0x205 (dword offset)")
    reg.add_argument("word", metavar="WORD", help="for example 0x01001A48")
    reg.add_argument("--profile", choices=PROFILES, default=PROFILES[0])
    reg.set_defaults(run=run_reg)


def number(text: str, what: str, bits: int = 32) -> int:
    """A number as C spells it; InputError when it is none or does not fit."""
    try:
        value = int(text, 0)
    except ValueError:
        raise InputError(f"{what} {text!r}: expected a number such as 0x205 or 517") from None
    if not 0 <= value < 1 << bits:
        raise InputError(f"{what} {text}: does not fit in {bits} bits")
    return value


def run_reg(arguments: argparse.Namespace, output: Output) -> int:
    """Decode a register's word."""
    from ..registers import table_for

    table = table_for(arguments.profile)
    bank, colon, offset = arguments.register.partition(":")
    register = table.at(bank, number(offset, "offset")) if colon else table[arguments.register]
    word = number(arguments.word, "word")
    fields = register.describe(word)
    reserved = register.reserved(word)
    data: dict[str, Any] = {
        "register": register.name, "bank": register.bank, "offset": register.offset, "word": word,
        "profile": arguments.profile, "reserved_bits": reserved,
        "fields": [{"name": field.name, "value": field.value, "meaning": field.meaning,
                    "lsb": register.fields[field.name].lsb, "width": register.fields[field.name].width}
                   for field in fields]}
    output.text(f"{register.name}  {register.bank}:{register.offset:#x}  = {word:#010x}  ({arguments.profile})")
    rows = []
    for field in fields:
        bits = register.fields[field.name]
        place = f"[{bits.lsb}]" if bits.width == 1 else f"[{bits.lsb + bits.width - 1}:{bits.lsb}]"
        rows.append((place, field.name, field.value, field.meaning))
    output.table(rows, "  ")
    if len(fields) == 1 and register.fields[fields[0].name].width == 32:
        data["as_float32"] = float(np.uint32(word).view(np.float32))
        output.text(f"  read as float32: {data['as_float32']!r}")
    if reserved:
        output.text(f"  bits in no field: {reserved:#010x}")
    output.result(data)
    return 0
