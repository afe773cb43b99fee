"""Conditions of waiting and conditional packets, and what a packet waits for."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..base.errors import DecodeError

_COMPARE: Mapping[int, tuple[str, Callable[[int, int], bool]]] = MappingProxyType(
    {
        1: ("<", operator.lt),
        2: ("<=", operator.le),
        3: ("==", operator.eq),
        4: ("!=", operator.ne),
        5: (">=", operator.ge),
        6: (">", operator.gt),
    }
)


class Blocked(Exception):
    """A packet cannot go on yet; the text says what it waits for."""


def holds(packet: str, function: int, value: int, mask: int, reference: int) -> bool:
    """``(value & mask) function reference``; function 0 always holds, 7 is a DecodeError."""
    if function == 0:
        return True
    if function not in _COMPARE:
        raise DecodeError(f"{packet}.FUNCTION has the reserved value {function}")
    return _COMPARE[function][1](value & mask, reference)


def sign_of(function: int) -> str:
    """The comparison's sign, for messages."""
    return _COMPARE[function][0]
