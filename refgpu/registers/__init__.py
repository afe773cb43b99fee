"""Registers: the tables (`lookup`, `table_for`) and the live state of one chip (`RegisterFile`)."""

from .file import RegisterFile
from .table import BANKS, GENERATIONS, Bank, FieldValue, Register, Table, enum_names, lookup, table_for

__all__ = [
    "BANKS",
    "GENERATIONS",
    "Bank",
    "FieldValue",
    "Register",
    "RegisterFile",
    "Table",
    "enum_names",
    "lookup",
    "table_for",
]
