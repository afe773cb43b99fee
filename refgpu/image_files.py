"""Image files: arrays out of .npy, .npz and .png, and pictures of arrays to look at."""

import io
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .base.errors import InputError

_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PNG_GREY: Final = 0
_DAMAGE: Final = (ValueError, EOFError, OSError, SyntaxError, tokenize.TokenError, OverflowError, KeyError, MemoryError,
                  AttributeError, NotImplementedError, zipfile.BadZipFile, zlib.error)  # what numpy.load raises


def load_arrays(path: Path) -> Mapping[str, npt.NDArray[Any]]:
    """Arrays of a .npy, .npz or .png file by name; the only one of a .npy or .png is called "".

    Raises
    ------
    InputError
        The file is not one of these, or is damaged.
    OSError
        It cannot be read.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".npy", ".npz", ".png"):
        raise InputError(f"{path}: expected a .npy, .npz or .png file")
    with path.open("rb") as file:  # an OSError from here is the system's; below, the content's
        if kind == ".png":
            return {"": _load_png(path, file.read())}
        try:
            if kind == ".npy":
                return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except _DAMAGE as error:
                raise InputError(f"{path}: not a usable {kind} file: {' '.join(str(error).split())}") from None


def _load_png(path: Path, data: bytes) -> npt.NDArray[Any]:
    from PIL import Image

    if data[:8] != _PNG_SIGNATURE or len(data) < 33:
        raise InputError(f"{path}: not a PNG file")
    depth, colour_type = data[24], data[25]
    if depth == 16 and colour_type != _PNG_GREY:
        raise InputError(f"{path}: PNGs of 16 bits a channel are compared in grey only; use .npy")
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            if picture.mode == "P":
                return np.asarray(picture.convert("RGBA"))
            if picture.mode == "1":
                return np.asarray(picture.convert("L"))
            return np.asarray(picture)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise InputError(f"{path}: not a usable .png file: {' '.join(str(error).split())}") from None


def picture(array: npt.NDArray[Any], low: float | None = None, high: float | None = None) -> npt.NDArray[np.uint8]:
    """An array as an opaque picture to look at; not for comparing.

    Parameters
    ----------
    array : ndarray [y, x] or [y, x, channel]
        uint8 is shown as it is; floats with channels as colours from 0 to 1; all else from `low` to `high`.
    low, high : float, optional
        Values shown black and white; the smallest and largest finite ones by default.

    Returns
    -------
    uint8[y, x] or uint8[y, x, 3]
    """
    if array.ndim == 3:
        array = array[..., 0] if array.shape[-1] == 1 else array[..., :3]
        if array.ndim == 3 and array.shape[-1] == 2:
            array = np.concatenate([array, np.zeros_like(array[..., :1])], axis=-1)
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    narrow = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    with np.errstate(invalid="ignore"):  # signalling NaNs
        values: npt.NDArray[Any] = array.astype(np.float32 if narrow else np.float64)
    finite = np.isfinite(values)
    some = values if finite.all() else values[finite]
    colour = array.ndim == 3 and array.dtype.kind == "f"
    if low is None:
        low = 0.0 if colour else float(some.min(initial=np.inf))
    if high is None:
        high = 1.0 if colour else float(some.max(initial=-np.inf))
    scale = 255.0 / (high - low) if high > low else 255.0
    with np.errstate(invalid="ignore", over="ignore"):
        values -= values.dtype.type(low)
        values *= values.dtype.type(scale)
    if some is not values:
        np.nan_to_num(values, copy=False, nan=0.0, posinf=255.0, neginf=0.0)
    return np.rint(np.clip(values, 0.0, 255.0, out=values), out=values).astype(np.uint8)


def png_bytes(image: npt.NDArray[np.uint8]) -> bytes:
    """PNG file of a uint8[y, x] or uint8[y, x, 3 or 4] picture."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG", compress_level=5)
    return buffer.getvalue()
