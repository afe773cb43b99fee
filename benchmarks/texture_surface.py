"""Speed of untile and tile: ``python benchmarks/texture_surface.py [pixels across]``."""

import sys
import time

import numpy as np

from refgpu.texture.surface import surface_layout

CASES = [("LINEAR", 0, 32), ("64KB_R_X", 27, 8), ("64KB_R_X", 27, 16), ("64KB_R_X", 27, 32), ("64KB_R_X", 27, 64),
         ("64KB_R_X", 27, 128), ("64KB_Z_X", 24, 32)]


def best(work, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 3840
    height = width * 9 // 16
    for name, mode, bpp in CASES:
        layout = surface_layout(mode, bpp, width, height)
        data = np.random.default_rng(1).integers(0, 256, layout.nbytes, np.uint8)
        texels = layout.untile(data)
        target = np.empty_like(texels)
        gigabytes = texels.nbytes / 1e9
        out = gigabytes / best(lambda layout=layout, data=data, target=target: layout.untile(data, out=target))
        back = gigabytes / best(lambda layout=layout, texels=texels, data=data: layout.tile_into(texels, data))
        print(f"{name:10} {bpp:4} bpp {width}x{height}: untile {out:5.1f} GB/s, tile {back:5.1f} GB/s")


if __name__ == "__main__":
    main()
