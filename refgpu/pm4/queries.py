"""Counters that go to memory: occlusion per render backend, pipeline statistics, and their sums.

A driver writes a begin value, draws, writes an end value, and adds up the differences over the render backends.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..base.errors import UnsupportedError
from ..registers import enum_names
from .calls import Counters, counters_of
from .compare import Blocked
from .memory_packets import check_event
from .places import address_of

if TYPE_CHECKING:
    from .processor import CommandProcessor

Fields = Mapping[str, Any]
RENDER_BACKENDS: Mapping[str, int] = MappingProxyType(
    {"gfx1013": 16, "gfx1010": 16, "gfx1030": 16, "gfx1035": 4}
)  # [PM4-ZPASS-BACKENDS]
_STRIDE: Final = 16  # bytes between the counters of two render backends
_VALID: Final = 1 << 63
_STATISTICS: Final = 11


def _zpass_dump(cp: "CommandProcessor", f: Fields) -> None:
    """The occlusion counters, one for each render backend.  [PM4-ZPASS-LAYOUT] [PM4-ZPASS-BACKENDS]"""
    check_event(f)
    address = address_of(f["address"][0] & ~7, f["address"][1])
    count = counters_of(cp.sink).samples_passed - cp.samples_reset
    backends = RENDER_BACKENDS[cp.registers.profile]
    cp.memory.view(address, _STRIDE * (backends - 1) + 8)  # all of it must be there before any is written
    for backend in range(backends):
        value = _VALID | (count if backend == 0 else 0)
        cp.memory.write(address + _STRIDE * backend, np.array([value], np.uint64))


def samples_between(cp: "CommandProcessor", packet: str, address: int) -> int:
    """Samples that the begin and end values at an address say."""
    backends = RENDER_BACKENDS[cp.registers.profile]
    pairs = cp.memory.view(address, _STRIDE * backends, np.uint64).reshape(-1, 2).tolist()
    for backend, (begin, end) in enumerate(pairs):
        for what, value in (("begin", begin), ("end", end)):
            if not value & _VALID:
                raise Blocked(f"the {what} count of render backend {backend} at {address:#x} is not valid")
    return sum((end - begin) & (_VALID - 1) for begin, end in pairs)


def occlusion_query(cp: "CommandProcessor", f: Fields) -> None:
    """The sum over all render backends as one 64-bit number.  [PM4-OCCLUSION-QUERY]"""
    begin = address_of(f["begin_lo"] & ~15, f["begin_hi"])
    result = samples_between(cp, "OCCLUSION_QUERY", begin)
    cp.memory.write(address_of(f["result_lo"] & ~7, f["result_hi"]), np.array([result], np.uint64))


def _in_order(counters: Counters) -> list[int]:
    """The counters in the order of SAMPLE_PIPELINESTAT.  [PM4-PIPELINE-STATISTICS]"""
    return [
        counters.pixel_invocations,
        counters.clip_primitives,
        counters.clip_invocations,
        counters.vertex_invocations,
        0,  # geometry shader invocations
        0,  # geometry shader primitives
        counters.input_primitives,
        counters.input_vertices,
        0,  # hull shader
        0,  # domain shader
        counters.compute_invocations,
    ]


class Statistics:
    """The pipeline statistics: they grow between PIPELINESTAT_START and PIPELINESTAT_STOP."""

    def __init__(self) -> None:
        self._kept = [0] * _STATISTICS
        self._since: list[int] | None = None

    def start(self, cp: "CommandProcessor") -> None:
        """Count from here on."""
        if self._since is None:
            self._since = _in_order(counters_of(cp.sink))

    def stop(self, cp: "CommandProcessor") -> None:
        """Count no more."""
        self._kept = self.values(cp)
        self._since = None

    def values(self, cp: "CommandProcessor") -> list[int]:
        """The counters now."""
        if self._since is None:
            return self._kept
        now = _in_order(counters_of(cp.sink))
        return [kept + end - begin for kept, end, begin in zip(self._kept, now, self._since, strict=True)]


def event_write(cp: "CommandProcessor", f: Fields) -> None:
    """Counter events write or change counters; all others only order work.  [PM4-IN-ORDER]"""
    name = enum_names("VGT_EVENT_TYPE").get(f["event_type"], "")
    if name in ("ZPASS_DONE", "PIXEL_PIPE_STAT_DUMP"):
        if f["address"]:
            _zpass_dump(cp, f)
    elif name == "PIXEL_PIPE_STAT_RESET":
        cp.samples_reset = counters_of(cp.sink).samples_passed
    elif name == "PIPELINESTAT_START":
        cp.statistics.start(cp)
    elif name == "PIPELINESTAT_STOP":
        cp.statistics.stop(cp)
    elif name == "SAMPLE_PIPELINESTAT":
        check_event(f)
        address = address_of(f["address"][0] & ~7, f["address"][1])
        cp.memory.write(address, np.array(cp.statistics.values(cp), np.uint64))
    elif name.startswith("SAMPLE_STREAMOUTSTATS") and f["address"]:
        raise UnsupportedError(f"EVENT_WRITE of {name}: streamout")
