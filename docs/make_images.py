"""Makes the README's pictures out of a run of the demo: ``python docs/make_images.py refgpu-demo``."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from refgpu.report import difference_picture

HERE = Path(__file__).parent / "images"


def shrink(source: Path, name: str, size: tuple[int, int], box: tuple[int, int, int, int] | None = None) -> None:
    """Write a smaller copy."""
    Image.open(source).crop(box).resize(size, Image.Resampling.LANCZOS).save(HERE / name, optimize=True)


def main() -> None:
    """Read the demo's folder, write docs/images."""
    demo = Path(sys.argv[1])
    HERE.mkdir(exist_ok=True)
    shrink(demo / "shadow-biased.png", "shadow-map.png", (400, 250), (0, 92, 1024, 732))
    for name in ("lit-biased", "lit-one-bias"):
        shrink(demo / f"{name}.png", f"{name}.png", (400, 250))
    images = [np.asarray(Image.open(demo / f"order-{name}.png")) for name in ("hardware", "two-passes")]
    row = np.concatenate([*images, difference_picture(*images)], axis=1)
    Image.fromarray(row).save(HERE / "order.png", optimize=True)


if __name__ == "__main__":
    main()
