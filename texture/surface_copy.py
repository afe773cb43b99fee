"""Between tiles and rows: copies of 1, 2, 4 or 8 bytes at addresses that are one XOR per word.

Inside a block the address of a word is ``x_table[x] ^ y_table[y] ^ rotation``, so a row costs one XOR and one look-up
per word. Words are as wide as texels that lie side by side in memory allow.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

import numpy as np

from ..base.kernel import kernel

_THREAD_NBYTES = 1 << 20


@kernel
def gather(source, target, x_table, y_table, rotation, base, block_words, blocks_per_row, block_row_words, block_height,
           row_words, top, bottom):
    """Rows top..bottom of a tiled plane to words [row, row_words].  [SURF-XOR]"""
    for band in range(top, bottom, block_height):
        last_row = min(band + block_height, bottom)
        for left in range(0, row_words, block_row_words):
            right = min(left + block_row_words, row_words)
            block = base + (band // block_height * blocks_per_row + left // block_row_words) * block_words
            for y in range(band, last_row):
                row = y_table[y] ^ rotation
                first = y * row_words
                for i in range(left, right):
                    target[np.uint64(first + i)] = source[np.uint64(block + (x_table[i] ^ row))]


@kernel
def scatter(source, target, x_table, y_table, rotation, base, block_words, blocks_per_row, block_row_words,
            block_height, row_words, top, bottom):
    """The inverse of `gather`: words [row, row_words] to rows top..bottom of a tiled plane."""
    for band in range(top, bottom, block_height):
        last_row = min(band + block_height, bottom)
        for left in range(0, row_words, block_row_words):
            right = min(left + block_row_words, row_words)
            block = base + (band // block_height * blocks_per_row + left // block_row_words) * block_words
            for y in range(band, last_row):
                row = y_table[y] ^ rotation
                first = y * row_words
                for i in range(left, right):
                    target[np.uint64(block + (x_table[i] ^ row))] = source[np.uint64(first + i)]


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="refgpu-surface")


@cache
def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_units(job: Callable[[int, int, int], None], slices: int, rows: int, step: int, nbytes: int) -> None:
    """Call ``job(slice, top, bottom)`` so that all rows of all slices come once, in bands of whole `step` rows.

    In threads when there are many bytes to copy.
    """
    per_slice = -(-rows // step)
    units = slices * per_slice
    workers = min(usable_cores(), units, max(1, nbytes // _THREAD_NBYTES))

    def work(number: int) -> None:
        unit, end = units * number // workers, units * (number + 1) // workers
        while unit < end:
            index, band = divmod(unit, per_slice)
            last = min(per_slice, band + end - unit)
            job(index, band * step, min(last * step, rows))
            unit += last - band

    others = [_pool(usable_cores()).submit(work, number) for number in range(1, workers)]
    try:
        work(0)
    finally:
        wait(others)
    for other in others:
        other.result()
