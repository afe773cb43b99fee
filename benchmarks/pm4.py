"""Command streams: splitting and executing a register-heavy stream, and the index scan; prints JSON.

    python benchmarks/pm4.py [--rounds N] [--threads N]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from refgpu import pm4
from refgpu.draw_inputs import index_bounds
from refgpu.memory import Memory
from refgpu.registers import RegisterFile

DWORDS, INDICES = 4_000_000, 64_000_000


def register_heavy(dwords: int) -> np.ndarray:
    """What drivers write most: runs of one to eight context registers, now and then user data."""
    random = np.random.default_rng(1)
    packets = []
    while sum(part.size for part in packets) < 20_000:
        bank, most = ("SET_CONTEXT_REG", 0x3FF) if random.random() < 0.7 else ("SET_SH_REG", 0x200)
        values = random.integers(0, 1 << 32, random.integers(1, 9))
        packets.append(pm4.packet(bank, int(random.integers(0, most)), values).words)
    part = np.concatenate(packets).astype(np.uint32)
    return np.tile(part, dwords // part.size + 1)


class _Nobody:
    def draw(self, call: pm4.DrawCall) -> None:
        pass

    def dispatch(self, call: pm4.DispatchCall) -> None:
        pass


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Median time, the first round left out."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    """Time everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    stream = register_heavy(DWORDS)
    processor = pm4.CommandProcessor(RegisterFile(), Memory(), _Nobody())
    indices = np.random.default_rng(2).integers(0, 60_000, INDICES).astype(np.uint16)
    indices[::16] = 0xFFFF
    decode = median_seconds(lambda: pm4.decode(stream), arguments.rounds)
    execute = median_seconds(lambda: processor.submit(stream), arguments.rounds)
    scan = median_seconds(lambda: index_bounds(indices, 0xFFFF, arguments.threads), arguments.rounds)
    print(json.dumps({
        "decode_Mdwords/s": round(stream.size / decode / 1e6),
        "execute_Mdwords/s": round(stream.size / execute / 1e6),
        "index_scan_GB/s": round(indices.nbytes / scan / 1e9, 2),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
