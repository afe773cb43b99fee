"""Between tiles and rows: copies of 1 to 16 bytes at addresses that are one XOR per word.

Inside a block the address of a word is ``x_table[x] ^ y_table[y] ^ rotation``, so a row costs one XOR and one look-up
per word. Words are as wide as texels that lie side by side in memory allow; two words side by side are copied together.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

import numpy as np

from ..base.kernel import kernel

_THREAD_NBYTES = 1 << 20
_GROUP_NBYTES = 1 << 17   # tiles worked on together: they stay in the second-level cache


@kernel
def _tiles_to_row(tiled, rows, first, block, x_table, row, left, right, step):
    """One row of one block out of the tiles; a pair of words at a time when `step` is 2."""
    if step == 2:
        for i in range(left, right, 2):
            there = np.uint64(block + (x_table[i] ^ row))
            here = np.uint64(first + i)
            a = tiled[there]
            b = tiled[there + np.uint64(1)]
            rows[here] = a
            rows[here + np.uint64(1)] = b
    else:
        for i in range(left, right):
            rows[np.uint64(first + i)] = tiled[np.uint64(block + (x_table[i] ^ row))]


@kernel
def _row_to_tiles(tiled, rows, first, block, x_table, row, left, right, step):
    """The inverse."""
    if step == 2:
        for i in range(left, right, 2):
            there = np.uint64(block + (x_table[i] ^ row))
            here = np.uint64(first + i)
            a = rows[here]
            b = rows[here + np.uint64(1)]
            tiled[there] = a
            tiled[there + np.uint64(1)] = b
    else:
        for i in range(left, right):
            tiled[np.uint64(block + (x_table[i] ^ row))] = rows[np.uint64(first + i)]


@kernel
def _touch(tiled, first, last, step):
    """Read every cache line in order, so that the scattered accesses that follow find them."""
    total = np.int64(0)
    for i in range(first, last, step):
        total += np.int64(tiled[np.uint64(i)] != 0)
    return total


@kernel
def copy_plane(tiled, rows, to_rows, x_table, y_table, rotation, base, block_words, blocks_per_row, block_row_words,
               block_height, row_words, top, bottom, word_nbytes, step):
    """Rows top..bottom of one plane from tiles to words [row, row_words], or back.  [SURF-BLOCK-ORDER]"""
    group = max(np.int64(1), _GROUP_NBYTES // (block_words * word_nbytes))
    line_words = max(np.int64(1), 64 // word_nbytes)
    touched = np.int64(0)
    for band in range(top, bottom, block_height):
        last_row = min(band + block_height, bottom)
        for start in range(0, row_words, block_row_words * group):
            end = min(start + block_row_words * group, row_words)
            block = base + (band // block_height * blocks_per_row + start // block_row_words) * block_words
            blocks = (end - start + block_row_words - 1) // block_row_words
            touched += _touch(tiled, block, block + blocks * block_words, line_words)
            for y in range(band, last_row):
                row = y_table[y] ^ rotation
                first = y * row_words
                for number in range(blocks):
                    left = start + number * block_row_words
                    right = min(left + block_row_words, end)
                    if to_rows:
                        _tiles_to_row(tiled, rows, first, block + number * block_words, x_table, row, left, right, step)
                    else:
                        _row_to_tiles(tiled, rows, first, block + number * block_words, x_table, row, left, right, step)
    return touched


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="refgpu-surface")


@cache
def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_units(job: Callable[[int, int, int], None], planes: int, rows: int, step: int, nbytes: int) -> None:
    """Call ``job(plane, top, bottom)`` so that all rows of all planes come once, in bands of whole `step` rows.

    In threads when there are many bytes to copy.
    """
    per_plane = -(-rows // step)
    units = planes * per_plane
    workers = min(usable_cores(), units, max(1, nbytes // _THREAD_NBYTES))

    def work(number: int) -> None:
        unit, end = units * number // workers, units * (number + 1) // workers
        while unit < end:
            plane, band = divmod(unit, per_plane)
            last = min(per_plane, band + end - unit)
            job(plane, band * step, min(last * step, rows))
            unit += last - band

    others = [_pool(usable_cores()).submit(work, number) for number in range(1, workers)]
    try:
        work(0)
    finally:
        wait(others)
    for other in others:
        other.result()
