"""Speed of sampling on a 1080p grid of coordinates: ``python benchmarks/texture_sample.py``."""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from texture_scene import make_image

from refgpu.texture.samplers import Sampler
from refgpu.texture.sampling import sample


def best(work, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    rng = np.random.default_rng(1)
    levels = [rng.integers(0, 1 << 32, (1, 1024 >> k, 1024 >> k), np.uint32) for k in range(11)]
    y, x = np.mgrid[:1080, :1920]
    coords = np.stack([(x.ravel() + 0.3) / 1920, (y.ravel() + 0.7) / 1080], axis=1).astype(np.float32)
    for name, format_ in (("RGBA8", 56), ("11_11_10 float", 43), ("sRGB8", 130)):
        image = make_image(levels, format_)
        for kind, linear, mip, lod in (("point", 0, 0, 0.0), ("bilinear", 1, 0, 0.0), ("trilinear", 1, 2, 0.37)):
            sampler = Sampler.from_fields(XY_MAG_FILTER=linear, XY_MIN_FILTER=linear, MIP_FILTER=mip)
            sample(image, sampler, coords[:64], lod=lod)
            seconds = best(lambda image=image, sampler=sampler, lod=lod: sample(image, sampler, coords, lod=lod))
            print(f"{name:15} {kind:10} {coords.shape[0] / seconds / 1e6:7.1f} Msamples/s")


if __name__ == "__main__":
    main()
