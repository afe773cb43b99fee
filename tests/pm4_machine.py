"""A command processor over a little guest memory, whose sink writes down what it was asked."""

import numpy as np

from refgpu import pm4
from refgpu.memory import Memory
from refgpu.registers import RegisterFile

BASE = 0x8001_0000_0000
HIGH = 0xFFFF8001


class Machine:
    """Registers, 64 KiB of memory at BASE, and the calls that came."""

    def __init__(self, profile="gfx1013", queue="graphics", memory=None):
        self.registers = RegisterFile(profile)
        self.memory = memory or Memory()
        if memory is None:
            self.memory.map(BASE, 0x10000, name="data")
        self.calls = []
        self.seen = pm4.Counters()
        self.processor = pm4.CommandProcessor(self.registers, self.memory, self, queue)

    def draw(self, call):
        self.calls.append(call)

    dispatch = draw

    def counters(self):
        return self.seen

    def run(self, *packets):
        self.processor.submit(pm4.encode(packets))

    def write(self, offset, *values, dtype=np.uint32):
        self.memory.write(BASE + offset, np.array(values, dtype))

    def words(self, offset, count, dtype=np.uint32):
        return self.memory.view(BASE + offset, count * np.dtype(dtype).itemsize, dtype).tolist()

    def place(self, offset, *packets):
        """A stream in memory; its address and length."""
        stream = pm4.encode(packets)
        self.memory.write(BASE + offset, stream)
        return BASE + offset, stream.size


def draw_auto(count, **flags):
    return pm4.packet("DRAW_INDEX_AUTO", count, 2, **flags)


def indirect(address, count, chain=0):
    return pm4.packet("INDIRECT_BUFFER", address & 0xFFFFFFFF, address >> 32, count | chain << 20)


def dma(control, source, target, command):
    places = source & 0xFFFFFFFF, source >> 32, target & 0xFFFFFFFF, target >> 32
    return pm4.packet("DMA_DATA", control, *places, command)
