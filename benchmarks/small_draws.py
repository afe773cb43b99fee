"""A frame of 5,000 small draws by one command stream: 100 triangles each, distinct vertex buffers, a 64x64 target.

The vertex buffers are bound as a driver does it: each draw has its own shader object at its own code address. Prints
JSON; with --profile, where the host's time goes.

    python benchmarks/small_draws.py [--rounds N] [--threads N] [--draws N] [--profile]
"""

import argparse
import cProfile
import json
import pstats
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from scene import Scene, vsharp

from refgpu import pm4, shaders, texture

TRIANGLES, POOL, CODE = 100, 0x1_6000_0000, 0x2_0000_0000


def build(draws: int, threads: int) -> tuple[Scene, np.ndarray]:
    """The scene and its stream."""
    random = np.random.default_rng(1)
    center = random.uniform(-1, 1, (draws, TRIANGLES, 1, 2))
    corners = center + random.uniform(-0.15, 0.15, (draws, TRIANGLES, 3, 2))
    z = random.uniform(0, 1, (draws, TRIANGLES, 3, 1))
    vertices = np.concatenate([corners, z, np.ones_like(z)], axis=-1).astype(np.float32)
    scene = Scene(64, 64, z_format=3, threads=threads)
    scene.depth_state(1)
    scene.clear_depth(1.0)
    scene.memory.map(POOL, vertices.nbytes)
    scene.memory.write(POOL, vertices)
    scene.gpu.bind("ps", shaders.flat(1, 1, 1, 1))
    stage = scene.registers.register("SPI_SHADER_PGM_LO_VS")
    packets = []
    nbytes = vertices[0].nbytes
    for number in range(draws):
        words = vsharp(POOL + nbytes * number, 16, 3 * TRIANGLES)
        code = CODE + 0x100 * number
        scene.gpu.bind("vs", shaders.vertex(texture.Buffer.from_words(words, scene.memory)), code)
        packets += [pm4.packet("SET_SH_REG", stage.offset, code >> 8, code >> 40),
                    pm4.packet("DRAW_INDEX_AUTO", 3 * TRIANGLES, 2)]
    return scene, pm4.encode(packets)


def main() -> None:
    """Time frames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    scene, stream = build(arguments.draws, arguments.threads)
    times = []
    for _ in range(arguments.rounds + 2):
        start = time.perf_counter()
        scene.gpu.submit(stream)
        times.append(time.perf_counter() - start)
    frame = statistics.median(times[2:])
    print(json.dumps({"draws": arguments.draws, "frame_ms": round(1e3 * frame, 1),
                      "us_per_draw": round(1e6 * frame / arguments.draws, 1)}))
    if arguments.profile:
        profile = cProfile.Profile()
        profile.runcall(scene.gpu.submit, stream)
        pstats.Stats(profile).sort_stats("tottime").print_stats(28)


if __name__ == "__main__":
    main()
