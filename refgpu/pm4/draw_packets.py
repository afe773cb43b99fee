"""Draws and dispatches: counts from the packet or from memory, user SGPRs that the command processor fills in."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..base.errors import DecodeError, UnsupportedError
from .calls import DispatchCall, DrawCall
from .places import address_of

if TYPE_CHECKING:
    from .processor import CommandProcessor

Fields = Mapping[str, Any]
# SOURCE_SELECT of a draw with and without an index buffer.
_FROM_MEMORY: Final = 0
_AUTO_INDEX: Final = 2
_ARGUMENTS: Final = 1  # SET_BASE index of the arguments of indirect draws and dispatches
_MOST_DRAWS: Final = 1 << 20


def _check_source(initiator: int, expected: int) -> None:
    if initiator & 3 != expected:
        raise UnsupportedError("this draw packet with VGT_DRAW_INITIATOR.SOURCE_SELECT", initiator & 3)


def _instances(cp: "CommandProcessor") -> int:
    """Instances of a draw.  [PM4-NO-INSTANCES]"""
    return max(cp.registers.word("VGT_NUM_INSTANCES"), 1)


def _index_type(cp: "CommandProcessor") -> int:
    kind = cp.registers.word("VGT_INDEX_TYPE") & 3
    if kind == 3:
        raise DecodeError("VGT_INDEX_TYPE.INDEX_TYPE has the reserved value 3")
    return kind


def _indexed(cp: "CommandProcessor", address: int, count: int, max_size: int, offset: int, initiator: int) -> None:
    _check_source(initiator, _FROM_MEMORY)
    kind = _index_type(cp)
    cp.sink.draw(DrawCall(True, address, kind, count, max_size, offset, _instances(cp), initiator, *cp.place))


def draw_index_2(cp: "CommandProcessor", body: list[int]) -> None:
    """Indices at the packet's own address."""
    max_size, low, high, count, initiator = body[:5]
    _indexed(cp, address_of(low, high), count, max_size, 0, initiator)


def draw_index_offset_2(cp: "CommandProcessor", body: list[int]) -> None:
    """Indices from INDEX_BASE on."""
    max_size, offset, count, initiator = body[:4]
    _indexed(cp, cp.index_base, count, max_size, offset, initiator)


def draw_index_auto(cp: "CommandProcessor", body: list[int]) -> None:
    """Vertices 0 to count - 1."""
    count, initiator = body[:2]
    _check_source(initiator, _AUTO_INDEX)
    cp.sink.draw(DrawCall(False, 0, 0, count, count, 0, _instances(cp), initiator, *cp.place))


def index_buffer_size(cp: "CommandProcessor", body: list[int]) -> None:
    """Indices readable from INDEX_BASE on by indirect draws."""
    cp.index_buffer_size = body[0]


def index_base(cp: "CommandProcessor", body: list[int]) -> None:
    """Base of the index buffer."""
    cp.index_base = address_of(body[0] & ~1, body[1])


def index_type(cp: "CommandProcessor", f: Fields) -> None:
    """VGT_INDEX_TYPE by a packet of its own."""
    if f["swap_mode"]:
        raise UnsupportedError("INDEX_TYPE.SWAP_MODE", f["swap_mode"])
    cp.registers["VGT_INDEX_TYPE"] = f["index_type"]


def num_instances(cp: "CommandProcessor", body: list[int]) -> None:
    """VGT_NUM_INSTANCES by a packet of its own."""
    cp.registers["VGT_NUM_INSTANCES"] = body[0]


def _user_data(cp: "CommandProcessor", location: int, value: int) -> None:
    """Fill in a user SGPR; location 0 means that the shader has none.  [PM4-LOCATION-0]"""
    if location:
        cp.registers.set("sh", location, value)


def _draw_from_memory(cp: "CommandProcessor", arguments: list[int], f: Fields, indexed: bool) -> None:
    """One draw by its record.  [PM4-INDIRECT-EMPTY] [PM4-INDIRECT-INSTANCES]"""
    count, instances, first = arguments[:3]
    cp.registers["VGT_NUM_INSTANCES"] = instances
    if indexed:
        _user_data(cp, f["base_vtx_loc"], arguments[3])
        if f["start_indx_enable"]:
            _user_data(cp, f["start_indx_loc"], first)
    else:
        _user_data(cp, f["start_vtx_loc"], first)
    _user_data(cp, f["start_inst_loc"], arguments[-1])
    if count == 0 or instances == 0:
        return
    initiator = f["draw_initiator"]
    if indexed:
        kind, size = _index_type(cp), cp.index_buffer_size
        call = DrawCall(True, cp.index_base, kind, count, size, first, instances, initiator, *cp.place)
    else:
        call = DrawCall(False, 0, 0, count, count, 0, instances, initiator, *cp.place)
    cp.sink.draw(call)


def _records(cp: "CommandProcessor", f: Fields, indexed: bool, count: int, stride: int) -> None:
    _check_source(f["draw_initiator"], _FROM_MEMORY if indexed else _AUTO_INDEX)
    if count == 0:
        return
    if count > _MOST_DRAWS:
        raise UnsupportedError("COUNT of a multi draw", count)
    size = 20 if indexed else 16
    first = cp.base(_ARGUMENTS, "an indirect draw's arguments lie there") + f["data_offset"]
    cp.memory.view(first, (count - 1) * stride + size)
    for number in range(count):
        arguments = cp.memory.view(first + number * stride, size, np.uint32).tolist()
        if f.get("draw_index_enable"):
            _user_data(cp, f["draw_index_loc"], number)
        _draw_from_memory(cp, arguments, f, indexed)


def draw_indirect(cp: "CommandProcessor", f: Fields) -> None:
    """One draw with its counts in memory."""
    _records(cp, f, False, 1, 0)


def draw_index_indirect(cp: "CommandProcessor", f: Fields) -> None:
    """One indexed draw with its counts in memory."""
    _records(cp, f, True, 1, 0)


def _multi(cp: "CommandProcessor", f: Fields, indexed: bool) -> None:
    if f["use_vgprs"]:
        raise UnsupportedError("USE_VGPRS of a multi draw", 1)
    count = f["count"]
    if f["count_indirect_enable"]:
        count = min(count, cp.memory.word(address_of(f["count_addr_lo"] & ~3, f["count_addr_hi"])))
    _records(cp, f, indexed, count, f["stride"])


def draw_indirect_multi(cp: "CommandProcessor", f: Fields) -> None:
    """Several draws, perhaps as many as a counter in memory says.  [PM4-COUNT-FROM-MEMORY]"""
    _multi(cp, f, False)


def draw_index_indirect_multi(cp: "CommandProcessor", f: Fields) -> None:
    """Several indexed draws, perhaps as many as a counter in memory says.  [PM4-COUNT-FROM-MEMORY]"""
    _multi(cp, f, True)


def _dispatch(cp: "CommandProcessor", x: int, y: int, z: int, initiator: int) -> None:
    registers = None if cp.queue == "graphics" else cp.registers
    cp.sink.dispatch(DispatchCall(x, y, z, initiator, *cp.place, registers))


def dispatch_direct(cp: "CommandProcessor", body: list[int]) -> None:
    """A grid whose size the packet tells."""
    _dispatch(cp, *body[:4])


def dispatch_indirect(cp: "CommandProcessor", f: Fields) -> None:
    """A grid whose size lies in memory: by offset on the graphics queue, by address on a compute queue."""
    if "addr_lo" in f:
        address = address_of(f["addr_lo"] & ~3, f["addr_hi"])
    else:
        address = cp.base(_ARGUMENTS, "an indirect dispatch's arguments lie there") + f["data_offset"]
    x, y, z = cp.memory.view(address, 12, np.uint32).tolist()
    _dispatch(cp, x, y, z, f["dispatch_initiator"])
