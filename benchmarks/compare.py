"""Comparing two equal 8K images: `refgpu.compare` against NumPy's own array_equal, alternating in one run.

    python benchmarks/compare.py [--rounds N]
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np

from refgpu.compare import compare


def seconds(action: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Print medians and their ratio as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    image = np.zeros((4320, 7680), np.uint32)
    other = image.copy()
    ours, numpys = [], []
    for _ in range(rounds):
        ours.append(seconds(lambda: compare(image, other)))
        numpys.append(seconds(lambda: np.array_equal(image, other)))
    ours_ms, numpys_ms = statistics.median(ours) * 1e3, statistics.median(numpys) * 1e3
    print(json.dumps({"refgpu_ms": round(ours_ms, 1), "numpy_ms": round(numpys_ms, 1),
                      "ratio": round(ours_ms / numpys_ms, 2)}))


if __name__ == "__main__":
    main()
