"""Offsets of every tile of a 4K surface, forward and back, and a fill over it.

    PYTHONPATH=. python benchmarks/metadata_layout.py

The issue's bound is 5 ms for the offsets after warm-up.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from refgpu import metadata

WIDTH, HEIGHT, ROUNDS = 3840, 2160, 31


def median_ms(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def measure(layout: metadata.Layout) -> None:
    _, rows, columns = layout.tiles
    x, y = np.arange(columns) * layout.tile_width, np.arange(rows)[:, None] * layout.tile_height
    offsets = layout.offset(x, y)
    print(f"{layout.kind.value}: {offsets.size} tiles"
          f"  tile_elements {median_ms(layout.tile_elements):.2f} ms"
          f"  offset(x, y) {median_ms(lambda: layout.offset(x, y)):.2f} ms"
          f"  tile(offset) {median_ms(lambda: layout.tile(offsets)):.2f} ms"
          f"  fill_effect {median_ms(lambda: metadata.fill_effect(layout, 0, layout.nbytes, 0)):.1f} ms")


if __name__ == "__main__":
    measure(metadata.htile_layout(WIDTH, HEIGHT))
    measure(metadata.cmask_layout(WIDTH, HEIGHT))
    measure(metadata.dcc_layout(WIDTH, HEIGHT, bpp=32))
    print(f"htile_layout {median_ms(lambda: metadata.htile_layout(WIDTH, HEIGHT)):.2f} ms")
