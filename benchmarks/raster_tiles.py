"""The tile half alone, at 1080p: full-screen layers and a million small triangles, records built by hand.

python benchmarks/raster_tiles.py [--seconds S] [--threads N]
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import tile_scene

from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets
from refgpu.shaders import attribute, flat
from refgpu.texture.formats import color_format

WIDTH, HEIGHT, LAYERS, TRIANGLES = 1920, 1080, 16, 1_000_000


def layers(sloped):
    w, h = WIDTH * 256, HEIGHT * 256
    pair = np.array([[(0, 0), (w, 0), (0, h)], [(0, h), (w, 0), (w, h)]])
    z = np.linspace(0.9, 0.1, LAYERS, dtype=np.float32)
    depth = np.repeat(z, 6).reshape(-1, 3).copy()
    if sloped:
        depth += np.tile([[0, 0.01, 0.02], [0.02, 0.01, 0.03]], (LAYERS, 1)).astype(np.float32)
    return np.tile(pair, (LAYERS, 1, 1)), depth


def soup(pixels):
    random = np.random.default_rng(1)
    size = np.sqrt(pixels * 2.0)
    center = random.uniform(0, 1, (TRIANGLES, 1, 2)) * [WIDTH, HEIGHT]
    angle = random.uniform(0, 2 * np.pi, (TRIANGLES, 1)) + np.array([[0, 2.1, 4.2]])
    around = np.stack([np.cos(angle), np.sin(angle)], -1) * size * 0.62
    return np.rint((center + around) * 256).astype(np.int64), random.uniform(0.1, 0.9, (TRIANGLES, 3))


def depth_state(func):
    return {"Z_FORMAT": 3, "Z_ENABLE": 1, "Z_WRITE": 1, "ZFUNC": func}


def color_state(shader, defer=1):
    block = shader.block(None, np.zeros(32, np.uint32))
    return {"PS_ADDRESS": shader.callback.address, "PS_CONSTANTS": block.__array_interface__["data"][0],
            "PS_FLAGS": int(shader.flags), "PS_EXPORTS": 1, "PS_INPUTS": shader.attributes, "DEFER": defer,
            "c0_MASK": 15, "c0_EXPORT": 4, "c0_INFO": 10 << 2 | 1 << 15, "c0_WORDS": 1,
            "c0_FORMAT_ROW": color_format(10, 0, 0).row}, block


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    targets = empty_targets(WIDTH, HEIGHT, depth=True, color_words=(1,))
    pixels = WIDTH * HEIGHT * LAYERS
    lit, keep0 = color_state(attribute(0))
    plain, keep1 = color_state(flat(0.5, 0.25, 1.0))
    blended = lit | {"DEFER": 0, "c0_BLEND": 0x40000504}
    work = {
        "depth x16": (layers(False), depth_state(3), pixels),
        "depth x16 sloped": (layers(True), depth_state(3), pixels),
        "colour+depth x16 interpolated": (layers(False), depth_state(3) | lit, pixels),
        "colour+depth x16 flat": (layers(False), depth_state(3) | plain, pixels),
        "blended x16": (layers(False), depth_state(3) | blended, pixels),
        "1M x 10 px depth": (soup(10), depth_state(1), TRIANGLES),
        "1M x 10 px interpolated": (soup(10), depth_state(1) | lit, TRIANGLES),
        "1M x 10 px flat": (soup(10), depth_state(1) | plain, TRIANGLES),
        "1M x 100 px interpolated": (soup(100), depth_state(1) | lit, TRIANGLES),
    }
    result = {}
    for name, ((xy, z), columns, units) in work.items():
        if options.only not in name:
            continue
        params = np.random.default_rng(2).uniform(0, 1, (len(xy), 3, 4)).astype(np.float32)
        geometry = tile_scene.geometry(xy, z, [tile_scene.state(**columns)], targets, params=params)
        times, first = [], None
        end = time.perf_counter() + options.seconds
        while not times or time.perf_counter() < end:
            targets.depth[:] = 1
            start = time.perf_counter()
            statistics = run_tiles(geometry, targets, options.threads)
            times.append(time.perf_counter() - start)
            first = first or times[0]
        result[name] = {"first_s": round(first, 2), "best_ms": round(min(times) * 1e3, 2),
                        "median_ms": round(float(np.median(times)) * 1e3, 2),
                        "per_second": f"{units / min(times):.3g}", "statistics": statistics.sum(0).tolist()}
        print(json.dumps({name: result[name]}), flush=True)
    assert keep0 is not None
    assert keep1 is not None


if __name__ == "__main__":
    main()
