"""Whole draws through `Gpu`, vertex stage included: 16 full-screen layers, and a million 10-pixel triangles, at 1080p.

Each round times every workload once; medians over the rounds are printed as JSON. "finish" covers everything until
guest memory holds the result, "draw" stops when the working copies do.

    python benchmarks/draws.py [--rounds N] [--threads N]
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from scene import LEQUAL, LESS, R_X, Scene

from refgpu import shaders

WIDTH, HEIGHT, LAYERS, TRIANGLES = 1920, 1080, 16, 1_000_000


def layers() -> np.ndarray:
    """Full-screen triangle pairs, each nearer than the one before."""
    corners = [(-1, -1), (1, -1), (-1, 1), (-1, 1), (1, -1), (1, 1)]
    return np.array([(*p, 0.9 - 0.05 * layer, 1) for layer in range(LAYERS) for p in corners], np.float32)


def soup(count: int, pixels: float) -> np.ndarray:
    """Random triangles of about `pixels` pixels."""
    random = np.random.default_rng(1)
    center = random.uniform(-1, 1, (count, 1, 2))
    size = np.sqrt(pixels * 2.0) * 2.0 / np.array([WIDTH, HEIGHT])
    angle = random.uniform(0, 2 * np.pi, (count, 1)) + np.array([[0, 2.1, 4.2]])
    around = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * size * 0.62
    z = random.uniform(0.1, 0.9, (count, 3, 1))
    return np.concatenate([center + around, z, np.ones_like(z)], axis=-1).astype(np.float32).reshape(-1, 4)


def scene_for(positions: np.ndarray, color: bool, threads: int, func: int) -> Scene:
    """Scene with a depth target and perhaps a colour target, buffers bound."""
    scene = Scene(WIDTH, HEIGHT, color=10 if color else 0, swizzle=R_X, z_format=3, threads=threads)
    scene.depth_state(func)
    if color:
        colors = np.random.default_rng(2).uniform(0, 1, (len(positions), 4)).astype(np.float32)
        scene.bind(positions, attributes=[colors], pixel=shaders.attribute(0))
    else:
        scene.bind(positions)
    return scene


def run(scene: Scene, count: int) -> tuple[float, float]:
    """Seconds until the draw has run, and until memory holds it."""
    scene.clear_depth(1.0)
    scene.gpu.draw_auto(3)  # loads the cleared planes
    scene.gpu.execute()
    start = time.perf_counter()
    scene.gpu.draw_auto(count)
    scene.gpu.execute()
    drawn = time.perf_counter()
    scene.gpu.finish()
    return drawn - start, time.perf_counter() - start


def main() -> None:
    """Run all workloads in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    full, small = layers(), soup(TRIANGLES, 10)
    pixels = WIDTH * HEIGHT * LAYERS
    workloads = {
        "fill x16 colour+depth": (scene_for(full, True, arguments.threads, LEQUAL), len(full), pixels, "Gpix/s", 1e9),
        "fill x16 depth only": (scene_for(full, False, arguments.threads, LEQUAL), len(full), pixels, "Gpix/s", 1e9),
        "1M triangles of 10 px colour+depth": (scene_for(small, True, arguments.threads, LESS), len(small), TRIANGLES,
                                               "Mtri/s", 1e6),
        "1M triangles of 10 px depth only": (scene_for(small, False, arguments.threads, LESS), len(small), TRIANGLES,
                                             "Mtri/s", 1e6),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in workloads}
    for round_ in range(arguments.rounds + 1):
        for name, (scene, count, *_) in workloads.items():
            measured = run(scene, count)
            if round_:
                times[name].append(measured)
    result = {}
    for name, (_, _, amount, unit, scale) in workloads.items():
        drawn, finished = (statistics.median(column) for column in zip(*times[name], strict=True))
        result[name] = {"draw_ms": round(drawn * 1e3, 2), "finish_ms": round(finished * 1e3, 2),
                        f"draw_{unit}": round(amount / drawn / scale, 2)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
