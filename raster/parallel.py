"""Threads over independent jobs: kernels release the GIL, so plain Python threads use all cores."""

import functools
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="refgpu")


def run_jobs(job: Callable[[int, int], None], count: int, threads: int) -> None:
    """Call ``job(index, worker)`` for every index below `count`; workers take the next free index.

    Parameters
    ----------
    job : callable
        Spends its time in kernels. `worker` is below `threads`, and no two calls run with the same one at a time.
    count : int
    threads : int
        1 runs everything in the caller's thread.
    """
    threads = min(threads, count)
    if threads <= 1:
        for index in range(count):
            job(index, 0)
        return
    indices = itertools.count()

    def work(worker: int) -> None:
        while (index := next(indices)) < count:
            job(index, worker)

    others = [_pool(threads - 1).submit(work, worker) for worker in range(1, threads)]
    try:
        work(0)
    finally:
        wait(others)
    for other in others:
        other.result()
