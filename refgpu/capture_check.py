"""What a capture should leave behind, compared with what it left: per channel, in codes, and by coverage."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .base.errors import InputError

if TYPE_CHECKING:
    from .capture import CaptureOutput
    from .gpu import Gpu

_Codes = npt.NDArray[np.int64]


@dataclass
class Expected:
    """The stored bits that an output should have.

    Attributes
    ----------
    output : str
        Name of the output.
    data : ndarray of uint8
        Pixels behind each other in the order layer, y, x; each little-endian, with no padding.
    shape : (layers, height, width)
    channel_bits : tuple of int
        Widths of the channels of a pixel from its lowest bit on.
    tolerance_codes : int
        How far each channel may be off, as a difference of its unsigned code.
    background_at : (x, y) or None
        A pixel that nothing covers. With it, the set of pixels that differ from it must be the same in both images.
    region : (x0, y0, x1, y1)
        The part that counts.
    source : str
        Who made the image.
    """

    output: str
    data: npt.NDArray[np.uint8]
    shape: tuple[int, int, int]
    channel_bits: tuple[int, ...]
    tolerance_codes: int = 0
    background_at: tuple[int, int] | None = None
    region: tuple[int, ...] = ()
    source: str = ""

    def codes(self) -> _Codes:
        """Channel codes, int64[layers, height, width, channels]."""
        pixel_bytes = sum(self.channel_bits) // 8
        padded = -(-pixel_bytes // 4) * 4
        pixels = np.zeros((*self.shape, padded), np.uint8)
        pixels[..., :pixel_bytes] = self.data.reshape(*self.shape, pixel_bytes)
        return split(pixels.view(np.uint32), self.channel_bits)

    def entry(self, file: str) -> dict[str, Any]:
        """The JSON entry."""
        made: dict[str, Any] = {
            "output": self.output,
            "file": file,
            "shape": list(self.shape),
            "channel_bits": list(self.channel_bits),
            "tolerance_codes": self.tolerance_codes,
        }
        if self.background_at is not None:
            made["background_at"] = list(self.background_at)
        if self.region and self.region != (0, 0, self.shape[2], self.shape[1]):
            made["region"] = list(self.region)
        if self.source:
            made["source"] = self.source
        return made


@dataclass(frozen=True)
class Difference:
    """How an output differs from what was expected.

    Attributes
    ----------
    output : str
    pixels : int
        Pixels with a channel off by more than the tolerance.
    max_codes : int
        Largest difference of a channel.
    coverage : int
        Pixels covered in one image only.
    covered : int
        Pixels covered in the output, 0 when coverage was not asked for.
    """

    output: str
    pixels: int
    max_codes: int
    coverage: int
    covered: int

    @property
    def equal(self) -> bool:
        """Whether the expectation holds."""
        return self.pixels == 0 and self.coverage == 0

    def __str__(self) -> str:
        if self.equal:
            return f"{self.output}: as expected (largest difference {self.max_codes} codes)"
        return (
            f"{self.output}: {self.pixels} pixels off by up to {self.max_codes} codes, "
            f"{self.coverage} pixels covered in one image only"
        )


def split(words: npt.NDArray[np.uint32], channel_bits: tuple[int, ...]) -> _Codes:
    """Channel codes of pixels given as uint32[..., words]."""
    channels = []
    lsb = 0
    for width in channel_bits:
        if lsb % 32 + width > 32 or lsb // 32 >= words.shape[-1]:
            raise InputError(f"channel bits {list(channel_bits)} do not fit pixels of {words.shape[-1]} dwords")
        channels.append(words[..., lsb // 32].astype(np.int64) >> lsb % 32 & (1 << width) - 1)
        lsb += width
    return np.stack(channels, -1)


def read_output(gpu: "Gpu", output: "CaptureOutput") -> npt.NDArray[np.uint32]:
    """Stored bits of an output, uint32[layers, height, width, dwords a pixel]; memory is one row of bytes."""
    if output.kind == "memory":
        return gpu.memory.view(output.address, output.nbytes).astype(np.uint32).reshape(1, 1, -1, 1)
    view: Any = gpu.color(output.index) if output.kind == "color" else getattr(gpu, output.kind)()
    words = np.asarray(view.words()).astype(np.uint32, copy=False)
    return words.reshape(*words.shape[:3], -1)


def difference(expected: Expected, words: npt.NDArray[np.uint32]) -> Difference:
    """Compare an output's stored bits with what was expected."""
    if words.shape[:3] != expected.shape:
        raise InputError(f"output {expected.output}: {words.shape[:3]} pixels, expected {expected.shape}")
    x0, y0, x1, y1 = expected.region or (0, 0, expected.shape[2], expected.shape[1])
    wanted, found = expected.codes(), split(words, expected.channel_bits)
    off = np.abs(wanted - found)[:, y0:y1, x0:x1].max(-1)
    uncovered = covered = 0
    if expected.background_at is not None:
        x, y = expected.background_at
        masks = [(codes != codes[:, y : y + 1, x : x + 1]).any(-1)[:, y0:y1, x0:x1] for codes in (wanted, found)]
        uncovered, covered = int((masks[0] != masks[1]).sum()), int(masks[1].sum())
    return Difference(
        expected.output, int((off > expected.tolerance_codes).sum()), int(off.max(initial=0)), uncovered, covered
    )
