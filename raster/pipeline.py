"""A pass: geometry, then tiles handed to threads."""

import numpy as np
import numpy.typing as npt

from .context import STATISTICS, Context, address
from .geometry import build_geometry
from .parallel import run_jobs
from .tables import Draw, Geometry, Targets
from .tiles import STAGES, run_tile_range
from .workspace import Workspace

_CHUNKS_PER_THREAD = 16


def run_tiles(geometry: Geometry, targets: Targets, threads: int) -> npt.NDArray[np.int64]:
    """Rasterize, test, shade and merge everything in the bins.

    Parameters
    ----------
    geometry : Geometry
    targets : Targets
        Changed in place; the bits do not depend on `threads`.
    threads : int

    Returns
    -------
    int64[state rows, STATISTICS]
        Covered pixels, pixels that passed the tests, shaded pixels, killed pixels.
    """
    tiles = targets.tiles
    states = len(geometry.state_i)
    if tiles == 0 or states == 0 or len(geometry.records) == 0:
        return np.zeros((states, STATISTICS), np.int64)
    most = int((geometry.bin_end - geometry.bin_begin).sum(axis=0).max())
    chunk = max(1, tiles // (threads * _CHUNKS_PER_THREAD))
    jobs = -(-tiles // chunk)
    workers = [Context(geometry, targets, most) for _ in range(max(1, min(threads, jobs)))]
    for worker in workers:
        for word, stage in STAGES:
            worker.words[word] = stage.address

    def job(index: int, worker: int) -> None:
        first, last = index * chunk, min(tiles, (index + 1) * chunk)
        run_tile_range(address(workers[worker].words), first, last)

    run_jobs(job, jobs, threads)
    return np.sum([worker.statistics for worker in workers], axis=0)


def run_pass(draws: list[Draw], targets: Targets, threads: int, workspace: Workspace | None = None) -> dict[str, int]:
    """Geometry and tiles of a pass.

    Parameters
    ----------
    draws : list of Draw
    targets : Targets
    threads : int
    workspace : Workspace, optional
        Memory to use again from pass to pass.

    Returns
    -------
    dict
        Counts of the geometry, and pixels covered, passed, shaded and killed.
    """
    geometry = build_geometry(draws, targets, threads, workspace)
    statistics = run_tiles(geometry, targets, threads).sum(axis=0)
    names = ("pixels_covered", "pixels_passed", "pixels_shaded", "pixels_killed")
    return {**geometry.counts, **{name: int(count) for name, count in zip(names, statistics, strict=True)}}
