"""A real driver's streams (RADV, shared captures imported by refgpu.importers.radv) drawn by refgpu.

Registers, descriptors, index and vertex bytes are as that driver wrote them, with its preamble and clear rectangles;
shaders are stand-ins. The reference images are lavapipe's: coverage must be equal, colours within one code.
"""

from pathlib import Path

import pytest

from refgpu.capture import Capture

CAPTURES = sorted((Path(__file__).parent / "data" / "captures").glob("*.zip"))


def test_the_captures_are_there():
    assert len(CAPTURES) >= 12


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_capture_gives_the_reference_image(path):
    capture = Capture.load(path)
    differences = capture.compare(capture.run())
    assert differences
    for difference in differences:
        assert difference.coverage == 0, difference
        assert difference.equal, difference
