"""Checks a capture's JSON against ``capture_schema.json``, and says where and what is wrong.

Only the parts of JSON Schema that this schema uses are understood.
"""

import functools
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from .base.errors import InputError

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
}


@functools.cache
def schema() -> Mapping[str, Any]:
    """The JSON Schema of capture.json, format version 1."""
    loaded: Mapping[str, Any] = json.loads((files("refgpu") / "capture_schema.json").read_text("utf-8"))
    return loaded


def number(value: int | str) -> int:
    """A number of the format: an integer, or a hexadecimal string."""
    return value if isinstance(value, int) else int(value, 16)


def check(document: Any) -> None:
    """InputError with the place and the reason when `document` is not a capture."""
    if isinstance(document, dict) and document.get("version", 1) != 1 and document.get("format") == "refgpu-capture":
        raise InputError(f"capture format version {document['version']!r}; this refgpu reads version 1")
    _check(document, schema(), "capture")


def _is(value: Any, name: str) -> bool:
    if name == "integer" and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[name])


def _fail(place: str, reason: str) -> InputError:
    return InputError(f"{place}: {reason}")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 60 else text[:57] + "..."


def _check(value: Any, rule: Mapping[str, Any], place: str) -> None:
    if "$ref" in rule:
        rule = schema()["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    if "const" in rule and (value != rule["const"] or type(value) is not type(rule["const"])):
        raise _fail(place, f"expected {rule['const']!r}, found {_short(value)}")
    if "enum" in rule and value not in rule["enum"]:
        raise _fail(place, f"expected one of {', '.join(rule['enum'])}; found {_short(value)}")
    if "type" in rule:
        names = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
        if not any(_is(value, name) for name in names):
            raise _fail(place, f"expected {' or '.join(names)}, found {_short(value)}")
    if isinstance(value, str):
        _check_text(value, rule, place)
    elif isinstance(value, int):
        _check_range(value, rule.get("minimum"), rule.get("maximum"), place, "")
    elif isinstance(value, list):
        _check_range(len(value), rule.get("minItems"), rule.get("maxItems"), place, " entries")
        for i, item in enumerate(value):
            _check(item, rule.get("items", {}), f"{place}[{i}]")
    elif isinstance(value, dict):
        _check_object(value, rule, place)


def _check_text(value: str, rule: Mapping[str, Any], place: str) -> None:
    if len(value) < rule.get("minLength", 0):
        raise _fail(place, "is empty")
    if "pattern" in rule and not re.fullmatch(rule["pattern"], value):
        raise _fail(place, f"{_short(value)} does not match {rule['pattern']}")


def _check_range(value: int, low: int | None, high: int | None, place: str, unit: str) -> None:
    if low is not None and value < low:
        raise _fail(place, f"{value}{unit}: expected at least {low}")
    if high is not None and value > high:
        raise _fail(place, f"{value}{unit}: expected at most {high}")


def _check_object(value: Mapping[str, Any], rule: Mapping[str, Any], place: str) -> None:
    known = rule.get("properties", {})
    for name in rule.get("required", ()):
        if name not in value:
            raise _fail(place, f"lacks {name!r}")
    others = rule.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            _check(item, known[name], f"{place}.{name}")
        elif others is False:
            raise _fail(place, f"has no field {name!r}; fields: {', '.join(known)}")
        elif isinstance(others, dict):
            _check(item, others, f"{place}.{name}")
