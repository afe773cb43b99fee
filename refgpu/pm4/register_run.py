"""The part of a stream that only writes registers, as one kernel: most dwords of real streams are such."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ..base.kernel import kernel
from ..registers.file import BANK_ORDER
from ..registers.table import BANKS
from .packet import NOP, packet_dwords
from .table import SET_PACKETS, by_name

# Cursor of a stream: next dword, packets taken so far, 1 while predication skips packets with header bit 0.
POSITION: Final = 0
PACKETS: Final = 1
SKIPPING: Final = 2


def bank_table() -> npt.NDArray[np.int64]:
    """int64[256, 3]: per opcode the bank's number (-1: not a register packet), its first storage word, its size."""
    table = np.full((256, 3), -1, np.int64)
    for name, bank in SET_PACKETS.items():
        table[by_name()[name].opcode] = BANK_ORDER.index(bank), BANKS[bank].start, BANKS[bank].size
    table.flags.writeable = False
    return table


@kernel
def run_register_packets(stream, cursor, banks, storage, written, generations):
    """Take fillers, NOPs and whole register writes from the stream until another packet comes; moves `cursor`."""
    position = cursor[POSITION]
    taken = cursor[PACKETS]
    end = np.int64(stream.size)
    while position < end:
        header = np.int64(stream[position])
        size = packet_dwords(header)
        if size == 0 or position + size > end:
            break
        opcode = (header >> np.int64(8)) & np.int64(0xFF)
        if size > 1 and opcode != np.int64(NOP):
            bank = banks[opcode, 0]
            if bank < 0:
                break
            if cursor[SKIPPING] == 0 or header & np.int64(1) == 0:
                target = np.int64(stream[position + 1])
                first = target & np.int64(0xFFFF)
                count = size - np.int64(2)
                if (target >> np.int64(16)) & np.int64(0xFFF) or first + count > banks[opcode, 2]:
                    break
                first += banks[opcode, 1]
                changed = False
                for i in range(count):
                    value = stream[position + 2 + i]
                    written[first + i] = np.uint8(1)
                    if storage[first + i] != value:
                        storage[first + i] = value
                        changed = True
                if changed:
                    generations[bank] += np.int64(1)
        taken += np.int64(1)
        position += size
    cursor[POSITION] = position
    cursor[PACKETS] = taken
