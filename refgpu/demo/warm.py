"""First run on a machine: compiles the pipeline's two halves at the same time, in two processes.

Numba compiles one function at a time in a process. Both processes write to the same cache, from which all later draws
load. ``python -m refgpu.demo.warm`` is the second process.
"""

import os
import subprocess
import sys

from refgpu.raster.tiles import STAGES, run_tile_range

from ..base.kernel import JIT, cache_folder
from ..gpu import available_threads
from ..shaders import attribute
from . import scenes
from .lit import lit


def is_cold() -> bool:
    """Whether the tile half of this version has never been compiled here."""
    return JIT and not any(cache_folder("refgpu.raster.tiles").rglob("*.nbi"))


def compile_tile_half() -> None:
    """Everything behind the bins."""
    for _, stage in STAGES:
        _ = stage.address
    _ = attribute(0).callback.address
    run_tile_range(0, 0, 0)


def compile_other_half() -> None:
    """Everything before the bins, and surfaces: by a draw that the scissor hides."""
    scene = scenes.world(1)
    gpu = scenes.run_with(scenes.lit_view(scene, 64, 64, hidden=True), lit(scenes.no_shadow()))
    gpu.color(0).read()
    gpu.depth().read()


def compile_in_two_processes() -> None:
    """Compile both halves; on one core, or if the second process fails, what is missing is compiled when it is used."""
    if not is_cold() or available_threads() < 2:
        return
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-m", "refgpu.demo.warm"], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as other:
        try:
            compile_other_half()
        except BaseException:
            other.kill()
            raise


if __name__ == "__main__":
    compile_tile_half()
