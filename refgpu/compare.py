"""Exact comparison of images: by bits, by units in the last place, per channel; where they differ first, and where all.

Arrays are ``[y, x]``, ``[layer, y, x]``, ``[layer, y, x, channel]`` or ``[layer, y, x, sample, channel]``; three axes
with a last one of at most 4 are ``[y, x, channel]``. Axes after x belong to the pixel.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .base.errors import InputError
from .image_files import load_arrays

TILE: Final = 64
INFINITE_ULP: Final = np.uint64(0xFFFFFFFFFFFFFFFF)  # a NaN against a number
_EQUAL_CHUNK: Final = 1 << 22
_AXES: Final = {0: "", 1: "x", 2: "yx", 3: "lyx", 4: "lyxc", 5: "lyxsc"}


@dataclass(frozen=True)
class Tile:
    """The 64x64 tile that holds the first difference: its corner, and what both images hold there."""

    x: int
    y: int
    expected: npt.NDArray[Any]
    actual: npt.NDArray[Any]


@dataclass(frozen=True)
class Comparison:
    """How two arrays differ. Counts are of what lies outside the tolerance; with none given, of unequal bits.

    Attributes
    ----------
    shape : tuple of int
    dtype : str
    pixels : int
        How many pixels there are.
    differing_pixels, differing_values : int
    channel_counts : tuple of int
        Differing values by channel; one entry where there are no channels.
    max_ulp : int
        Largest distance in units in the last place (codes, for integers); -1 when a NaN meets a number.
    max_difference : float
        Largest difference of two finite values.
    nan_mismatches : int
        Values where only one side is a NaN.
    bounding_box : (x0, y0, x1, y1) or None
        Of the differing pixels, all layers, ends excluded.
    first : (layer, y, x) or None
    expected, actual : ndarray or None
        The first differing pixel's values.
    tile : Tile or None
    """

    shape: tuple[int, ...]
    dtype: str
    pixels: int
    differing_pixels: int = 0
    differing_values: int = 0
    channel_counts: tuple[int, ...] = ()
    max_ulp: int = 0
    max_difference: float = 0.0
    nan_mismatches: int = 0
    bounding_box: tuple[int, int, int, int] | None = None
    first: tuple[int, int, int] | None = None
    expected: npt.NDArray[Any] | None = None
    actual: npt.NDArray[Any] | None = None
    tile: Tile | None = None

    @property
    def equal(self) -> bool:
        """Whether nothing lies outside the tolerance."""
        return self.differing_pixels == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        data: dict[str, Any] = {
            "equal": self.equal, "shape": list(self.shape), "dtype": self.dtype, "pixels": self.pixels,
            "differing_pixels": self.differing_pixels, "differing_values": self.differing_values,
            "channel_counts": list(self.channel_counts), "max_ulp": self.max_ulp,
            "max_difference": self.max_difference, "nan_mismatches": self.nan_mismatches,
            "bounding_box": list(self.bounding_box) if self.bounding_box else None}
        if self.first is not None and self.expected is not None and self.actual is not None and self.tile:
            layer, y, x = self.first
            data["first"] = {"layer": layer, "y": y, "x": x, "tile": [self.tile.x, self.tile.y],
                             "expected": [value_text(v) for v in self.expected.ravel()],
                             "actual": [value_text(v) for v in self.actual.ravel()]}
        return data


def value_text(value: Any) -> str:
    """A value with its bits where these say more."""
    if value.dtype.kind != "f":
        return str(value)
    bits = value.view(f"u{value.dtype.itemsize}")
    return f"{value} ({int(bits):#0{2 + 2 * value.dtype.itemsize}x})"


def _bits(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array if array.dtype.kind in "iu" else array.view(f"u{array.dtype.itemsize}")


def _same_bits(expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> bool:
    """Whether two contiguous arrays hold the same bytes; in pieces, so that no large temporary is made."""
    a, b = expected.reshape(-1).view(np.uint8), actual.reshape(-1).view(np.uint8)
    whole = a.size & ~7
    wide_a, wide_b = a[:whole].view(np.uint64), b[:whole].view(np.uint64)
    pieces = range(0, wide_a.size, _EQUAL_CHUNK // 8)
    same = all(np.array_equal(wide_a[i : i + _EQUAL_CHUNK // 8], wide_b[i : i + _EQUAL_CHUNK // 8]) for i in pieces)
    return same and np.array_equal(a[whole:], b[whole:])


def _ordered(array: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Integers in the order of the values, neighbours one apart; both zeros are 0."""
    if array.dtype.kind != "f":
        return array.astype(np.int64)  # uint64 wraps, and the distance below wraps back
    bits = array.view(f"i{array.dtype.itemsize}").astype(np.int64)
    lowest = np.int64(np.iinfo(f"i{array.dtype.itemsize}").min)
    return np.where(bits < 0, lowest - bits, bits)


def ulp_distance(expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Units in the last place between two arrays of one dtype; codes for integers.

    NaNs are one class: 0 between two, `INFINITE_ULP` between a NaN and a number.
    """
    a, b = _ordered(expected), _ordered(actual)
    if expected.dtype == np.uint64:
        first_larger = expected >= actual
    else:
        first_larger = a >= b
    low, high = np.where(first_larger, b, a), np.where(first_larger, a, b)
    distance = high.view(np.uint64) - low.view(np.uint64)
    if expected.dtype.kind == "f":
        nan_a, nan_b = np.isnan(expected), np.isnan(actual)
        distance = np.where(nan_a | nan_b, np.where(nan_a & nan_b, np.uint64(0), INFINITE_ULP), distance)
    return distance


def _check(expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> None:
    for name, array in (("expected", expected), ("actual", actual)):
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise InputError(f"{name}: cannot compare values of type {array.dtype}")
        if array.ndim not in _AXES:
            raise InputError(f"{name}: an image has at most 5 axes, this array has shape {array.shape}")
    if expected.dtype != actual.dtype:
        raise InputError(f"expected holds {expected.dtype}, actual {actual.dtype}")
    if expected.shape != actual.shape:
        raise InputError(f"expected has shape {expected.shape}, actual {actual.shape}")


def _as_pixels(array: npt.NDArray[Any], axes: str) -> npt.NDArray[Any]:
    """View of shape [layer, y, x, values of a pixel, channel]."""
    sizes = dict(zip(axes, array.shape, strict=True))
    return array.reshape([sizes.get(axis, 1) for axis in "lyxsc"])


def axes_of(shape: tuple[int, ...]) -> str:
    """What the axes mean: letters l(ayer), y, x, s(ample), c(hannel)."""
    return "yxc" if len(shape) == 3 and shape[-1] <= 4 else _AXES[len(shape)]


def compare(expected: npt.ArrayLike, actual: npt.ArrayLike, *, max_ulp: int = 0) -> Comparison:
    """Compare two arrays.

    Parameters
    ----------
    expected, actual : ndarray
        Of one shape and one type: bool, integers or floats of up to 64 bits.
    max_ulp : int
        A value farther off than this differs. With 0 the bits must be the same: +0 is not -0, and NaNs have payloads.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Shapes or types differ, or are none that an image has.
    """
    a, b = np.asarray(expected), np.asarray(actual)
    _check(a, b)
    a, b = (np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False)) for array in (a, b))
    if a.dtype.kind == "b":
        a, b = a.view(np.uint8), b.view(np.uint8)
    axes = axes_of(a.shape)
    pixels = math.prod(size for axis, size in zip(axes, a.shape, strict=True) if axis in "lyx")
    same = Comparison(a.shape, str(np.asarray(expected).dtype), pixels)
    if a.size == 0 or _same_bits(a, b):
        return same
    return _differences(same, _as_pixels(a, axes), _as_pixels(b, axes), max_ulp)


def _differences(same: Comparison, a: npt.NDArray[Any], b: npt.NDArray[Any], max_ulp: int) -> Comparison:
    """All figures, computed where bits differ only."""
    unequal = _bits(a) != _bits(b)
    places = np.nonzero(unequal)
    left, right = a[places], b[places]
    ulp = ulp_distance(left, right)
    outside = ulp > np.uint64(max_ulp) if max_ulp else np.ones(ulp.shape, bool)
    places = tuple(axis[outside] for axis in places)
    if not places[0].size:
        return same
    left, right, ulp = left[outside], right[outside], ulp[outside]
    layer, y, x, _, channel = places
    pixel_numbers = np.unique((layer * a.shape[1] + y) * a.shape[2] + x)
    first_row, first_x = divmod(int(pixel_numbers[0]), a.shape[2])
    first_layer, first_y = divmod(first_row, a.shape[1])
    tile_x, tile_y = first_x // TILE * TILE, first_y // TILE * TILE
    window = np.s_[first_layer, tile_y : tile_y + TILE, tile_x : tile_x + TILE]
    mismatches = int((ulp == INFINITE_ULP).sum())
    return Comparison(
        same.shape, same.dtype, same.pixels,
        differing_pixels=int(pixel_numbers.size),
        differing_values=int(ulp.size),
        channel_counts=tuple(np.bincount(channel, minlength=a.shape[4]).tolist()),
        max_ulp=-1 if mismatches else int(ulp.max()),
        max_difference=_largest_difference(left, right),
        nan_mismatches=mismatches,
        bounding_box=(int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1),
        first=(first_layer, first_y, first_x),
        expected=a[first_layer, first_y, first_x].reshape(-1),
        actual=b[first_layer, first_y, first_x].reshape(-1),
        tile=Tile(tile_x, tile_y, a[window], b[window]))


def _largest_difference(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    if left.dtype.kind != "f":
        return float(ulp_distance(left, right).max())
    finite = np.isfinite(left) & np.isfinite(right)
    if not finite.any():
        return 0.0
    with np.errstate(over="ignore"):
        return float(np.abs(left[finite].astype(np.float64) - right[finite].astype(np.float64)).max())


def compare_files(expected: Path, actual: Path, *, max_ulp: int = 0) -> Mapping[str, Comparison]:
    """Compare two .npy, .npz or .png files.

    Parameters
    ----------
    expected, actual : Path
    max_ulp : int
        As for `compare`.

    Returns
    -------
    mapping of str to Comparison
        By array name for .npz files, else one entry of name "".
    """
    return {name: result for name, result, _, _ in each_pair(expected, actual, max_ulp)}


def each_pair(expected: Path, actual: Path, max_ulp: int) -> Any:
    """Yield (name, Comparison, expected array, actual array)."""
    left, right = load_arrays(expected), load_arrays(actual)
    if left.keys() != right.keys():
        only = ", ".join(name or "a plain array" for name in sorted(set(left) ^ set(right)))
        raise InputError(f"only one of {expected} and {actual} holds {only}")
    for name in sorted(left):
        try:
            yield name, compare(left[name], right[name], max_ulp=max_ulp), left[name], right[name]
        except InputError as error:
            raise InputError(f"{expected} and {actual}{f', array {name}' if name else ''}: {error}") from None
