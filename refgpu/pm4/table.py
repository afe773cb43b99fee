"""Packet names, numbers and body layouts of the GFX ring; from the fact book's PM4 chapter (PAL headers, Mesa).

One line a packet: number, name, then its body, one dword after another, separated by ``|``. A dword is one name, or
fields ``name[msb:lsb]``. A dword in ``{}`` ends the body and may repeat, also zero times. A packet whose line has no
body is known by name only. A number that comes again names another form of the packet, told by its body's length.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.bits import Bits
from ..base.errors import DecodeError

_SET = "reg_offset[15:0] index[31:28] | {value}"
_LOAD_INDEX = "index[0] addr_lo[31:2] | addr_hi | reg_offset[15:0] data_format[31] | num_dwords[13:0]"
_DRAW_MULTI = "count | count_addr_lo | count_addr_hi | stride | draw_initiator"
_TABLE = f"""
10 NOP {{payload}}
11 SET_BASE base_index[3:0] | addr_lo | addr_hi
12 CLEAR_STATE cmd[3:0]
13 INDEX_BUFFER_SIZE size
15 DISPATCH_DIRECT dim_x | dim_y | dim_z | dispatch_initiator
16 DISPATCH_INDIRECT data_offset | dispatch_initiator
16 DISPATCH_INDIRECT addr_lo | addr_hi | dispatch_initiator
1F OCCLUSION_QUERY begin_lo | begin_hi | result_lo | result_hi
20 SET_PREDICATION pred_bool[8] hint[12] pred_op[18:16] continue[31] | addr_lo | addr_hi
22 COND_EXEC addr_lo | addr_hi | reserved | exec_count[13:0]
23 PRED_EXEC exec_count[13:0] device_select[31:24]
24 DRAW_INDIRECT data_offset | start_vtx_loc[15:0] | start_inst_loc[15:0] | draw_initiator
25 DRAW_INDEX_INDIRECT data_offset | base_vtx_loc[15:0] start_indx_loc[31:16] | start_inst_loc[15:0] start_indx_enable[28] | draw_initiator
26 INDEX_BASE base_lo | base_hi
27 DRAW_INDEX_2 max_size | base_lo | base_hi | index_count | draw_initiator
28 CONTEXT_CONTROL load_control | shadow_control
2A INDEX_TYPE index_type[1:0] swap_mode[3:2]
2C DRAW_INDIRECT_MULTI data_offset | start_vtx_loc[15:0] | start_inst_loc[15:0] | draw_index_loc[15:0] use_vgprs[27] count_indirect_enable[30] draw_index_enable[31] | {_DRAW_MULTI}
2D DRAW_INDEX_AUTO vertex_count | draw_initiator
2F NUM_INSTANCES count
30 DRAW_INDEX_MULTI_AUTO
33 INDIRECT_BUFFER_CNST
34 STRMOUT_BUFFER_UPDATE
35 DRAW_INDEX_OFFSET_2 max_size | index_offset | index_count | draw_initiator
37 WRITE_DATA dst_sel[11:8] addr_incr[16] wr_confirm[20] cache_policy[26:25] engine_sel[31:30] | dst_lo | dst_hi | {{data}}
38 DRAW_INDEX_INDIRECT_MULTI data_offset | base_vtx_loc[15:0] start_indx_loc[31:16] | start_inst_loc[15:0] | draw_index_loc[15:0] use_vgprs[27] start_indx_enable[28] count_indirect_enable[30] draw_index_enable[31] | {_DRAW_MULTI}
39 MEM_SEMAPHORE
3C WAIT_REG_MEM function[2:0] mem_space[5:4] operation[7:6] engine_sel[9:8] | addr_lo | addr_hi | reference | mask | poll_interval
3F INDIRECT_BUFFER base_lo | base_hi | size[19:0] chain[20] pre_ena[21] valid[23] vmid[27:24] cache_policy[29:28]
3F COND_INDIRECT_BUFFER mode[1:0] function[10:8] | addr_lo | addr_hi | mask_lo | mask_hi | reference_lo | reference_hi | then_lo | then_hi | then_size[19:0] | else_lo | else_hi | else_size[19:0]
40 COPY_DATA src_sel[3:0] dst_sel[11:8] src_policy[14:13] count_sel[16] wr_confirm[20] dst_policy[26:25] engine_sel[31:30] | src_lo | src_hi | dst_lo | dst_hi
42 PFP_SYNC_ME dummy
43 SURFACE_SYNC {{ignored}}
45 COND_WRITE
46 EVENT_WRITE event_type[5:0] event_index[11:8] | {{address}}
47 EVENT_WRITE_EOP
48 EVENT_WRITE_EOS
49 RELEASE_MEM event_type[5:0] wait_dma[7] event_index[11:8] gcr_cntl[23:12] cache_policy[26:25] execute[28] | dst_sel[17:16] int_sel[26:24] data_sel[31:29] | addr_lo | addr_hi | data_lo | data_hi | int_ctxid
50 DMA_DATA engine_sel[0] src_indirect[1] dst_indirect[2] src_cache_policy[14:13] dst_sel[21:20] dst_cache_policy[26:25] src_sel[30:29] cp_sync[31] | src_lo | src_hi | dst_lo | dst_hi | byte_count[25:0] sas[26] das[27] saic[28] daic[29] raw_wait[30] dis_wc[31]
51 CONTEXT_REG_RMW reg_offset[15:0] | mask | data
58 ACQUIRE_MEM coher_cntl[30:0] engine_sel[31] | size | size_hi[7:0] | base_lo | base_hi[23:0] | poll_interval[15:0] | gcr_cntl[18:0]
59 REWIND valid[31]
5E LOAD_UCONFIG_REG addr_lo | addr_hi | {{range}}
5F LOAD_SH_REG addr_lo | addr_hi | {{range}}
61 LOAD_CONTEXT_REG addr_lo | addr_hi | {{range}}
63 LOAD_SH_REG_INDEX {_LOAD_INDEX}
64 LOAD_UCONFIG_REG_INDEX {_LOAD_INDEX}
68 SET_CONFIG_REG {_SET}
69 SET_CONTEXT_REG {_SET}
6A SET_CONTEXT_REG_INDEX {_SET}
73 SET_CONTEXT_REG_INDIRECT
76 SET_SH_REG {_SET}
77 SET_SH_REG_OFFSET reg_offset[15:0] index[31:30] | {{offset}}
79 SET_UCONFIG_REG {_SET}
7A SET_UCONFIG_REG_INDEX {_SET}
80 LOAD_CONST_RAM
81 WRITE_CONST_RAM
83 DUMP_CONST_RAM
84 INCREMENT_CE_COUNTER
85 INCREMENT_DE_COUNTER
86 WAIT_ON_CE_COUNTER
88 WAIT_ON_DE_COUNTER_DIFF
8B SWITCH_BUFFER
90 FRAME_CONTROL {{ignored}}
91 INDEX_ATTRIBUTES_INDIRECT
93 WAIT_REG_MEM64 function[2:0] mem_space[5:4] operation[7:6] engine_sel[9:8] | addr_lo | addr_hi | reference_lo | reference_hi | mask_lo | mask_hi | poll_interval
9A DMA_DATA_FILL_MULTI
9B SET_SH_REG_INDEX {_SET}
9C DRAW_INDIRECT_COUNT_MULTI
9D DRAW_INDEX_INDIRECT_COUNT_MULTI
9F LOAD_CONTEXT_REG_INDEX {_LOAD_INDEX}
"""  # noqa: E501

# Packets that write consecutive registers, and their bank.
SET_PACKETS: Mapping[str, str] = MappingProxyType(
    {
        "SET_CONFIG_REG": "config",
        "SET_CONTEXT_REG": "context",
        "SET_CONTEXT_REG_INDEX": "context",
        "SET_SH_REG": "sh",
        "SET_SH_REG_INDEX": "sh",
        "SET_UCONFIG_REG": "uconfig",
        "SET_UCONFIG_REG_INDEX": "uconfig",
    }
)


@dataclass(frozen=True)
class Definition:
    """One packet of the table.

    Attributes
    ----------
    opcode : int
    name : str
    dwords : tuple of mapping
        Fields of each fixed body dword.
    rest : str
        Name of the dword that may repeat behind them, or an empty string.
    has_body : bool
        Whether the table knows the body.
    """

    opcode: int
    name: str
    dwords: tuple[Mapping[str, Bits], ...]
    rest: str
    has_body: bool

    def check(self, count: int) -> None:
        """DecodeError when a body of `count` dwords is shorter than the fixed part."""
        if count < len(self.dwords):
            raise DecodeError(f"{self.name} needs {len(self.dwords)} body dwords, has {count}")

    def decode(self, body: list[int]) -> dict[str, Any]:
        """Fields of a body by name; the repeating part is a list."""
        if not self.has_body:
            return {"body": body}
        self.check(len(body))
        found: dict[str, Any] = {}
        for word, fields in zip(body, self.dwords, strict=False):
            for name, bits in fields.items():
                found[name] = bits.get(word)
        rest = body[len(self.dwords) :]
        if self.rest or rest:
            found[self.rest or "rest"] = rest
        return found


def _field(text: str) -> tuple[str, Bits]:
    name, bracket, places = text.rstrip("]").partition("[")
    if not bracket:
        return name, Bits(0, 32)
    msb, _, lsb = places.partition(":")
    low = int(lsb or msb)
    return name, Bits(low, int(msb) - low + 1)


def _definition(line: str) -> Definition:
    number, name, *body = line.split(" ", 2)
    rest = ""
    dwords = []
    for part in (text.strip() for text in (body[0] if body else "").split("|")):
        if part.startswith("{"):
            rest = part.strip("{}")
        elif part:
            dwords.append(MappingProxyType(dict(_field(text) for text in part.split())))
    return Definition(int(number, 16), name, tuple(dwords), rest, bool(body))


@functools.cache
def _forms() -> tuple[Definition, ...]:
    return tuple(_definition(line) for line in _TABLE.strip().splitlines())


@functools.cache
def definitions() -> Mapping[int, Definition]:
    """All packets by opcode; of those with several forms the first."""
    found: dict[int, Definition] = {}
    for definition in _forms():
        found.setdefault(definition.opcode, definition)
    return MappingProxyType(found)


@functools.cache
def _other_forms() -> Mapping[tuple[int, int], Definition]:
    forms = (form for form in _forms() if form is not definitions()[form.opcode])
    return MappingProxyType({(form.opcode, len(form.dwords)): form for form in forms})


def definition_of(opcode: int, body_dwords: int) -> Definition | None:
    """The form of a packet whose body has this length; None for an unknown opcode."""
    return _other_forms().get((opcode, body_dwords)) or definitions().get(opcode)


@functools.cache
def by_name() -> Mapping[str, Definition]:
    """All packets by name."""
    found: dict[str, Definition] = {}
    for definition in _forms():
        found.setdefault(definition.name, definition)
    return MappingProxyType(found)


@functools.cache
def known_opcodes() -> npt.NDArray[np.uint8]:
    """1 at each opcode of the table, uint8[256]."""
    known = np.zeros(256, np.uint8)
    known[list(definitions())] = 1
    known.flags.writeable = False
    return known
