"""image_load: texels by number, no sampler."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.claims import Variant
from ..base.errors import InputError
from ..base.kernel import kernel
from . import filtering as f
from .images import TYPE_CUBE, Image
from .sampling import scaled_dims
from .working_copy import working_copy


@kernel
def load_points(texels, levels, divisors, state, coords, lods, layered, zero_outside, out):
    """Texels [n, 4]; outside of the image the components are 0 before DST_SEL.  [TEX-LOAD-OUTSIDE]"""
    zero = np.zeros(4, np.float32)
    result = np.zeros(4, np.float32)
    dims = state[f.DIMS]
    for i in range(coords.shape[0]):
        level = lods[i] if lods.size > 1 else lods[0]
        inside = 0 <= level < levels.shape[0]
        place = np.int64(-1)
        if inside:
            row = levels[level]
            x = coords[i, 0]
            y = coords[i, 1] if dims > 1 else np.int64(0)
            z = coords[i, 2] if dims > 2 else np.int64(0)
            used = dims
            if layered:
                z = coords[i, used]
                used += 1
            sample = coords[i, used] if row[4] > 1 else np.int64(0)
            inside = 0 <= x < row[1] and 0 <= y < row[2] and 0 <= z < row[3] and 0 <= sample < row[4]
            place = row[0] + ((z * row[2] + y) * row[1] + x) * row[4] + sample
        if inside:
            for channel in range(4):
                result[channel] = f._decoded(texels, place, zero, divisors, channel)
            f.select(result, state, out, i)
        elif zero_outside:
            for channel in range(4):
                out[i, channel] = np.float32(0.0)
        else:
            f.select(zero, state, out, i)


def load(image: Image, coords: npt.ArrayLike, lod: npt.ArrayLike = 0, *,
         variant: Variant | None = None) -> npt.NDArray[Any]:
    """image_load and image_load_mip.

    Parameters
    ----------
    image : Image
    coords : int[n, dims]
        Texel numbers; the array layer or face slice after them, the sample of an MSAA image last.
    lod : int or int[n]
        Level, counted from BASE_LEVEL.
    variant : Variant, optional

    Returns
    -------
    float32[n, 4], or uint32 or int32 for integer formats
    """
    array = np.asarray(coords)
    if array.dtype.kind not in "iu":
        raise InputError(f"coords: expected integers, got {array.dtype}")
    if image.null:
        return np.zeros((array.shape[0] if array.ndim else 0, 4), np.float32)
    layered = image.layered or image.fields["TYPE"] == TYPE_CUBE
    dims = scaled_dims(image) + int(layered) + int(image.samples > 1)
    if array.ndim == 1 and dims == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != dims:
        raise InputError(f"coords: expected shape [n, {dims}], got {list(array.shape)}")
    lods = np.atleast_1d(np.asarray(lod))
    if lods.dtype.kind not in "iu" or lods.ndim != 1 or lods.size not in (1, array.shape[0]):
        raise InputError(f"lod: expected one integer or [{array.shape[0]}], got {lods.dtype}{list(lods.shape)}")
    out = np.zeros((array.shape[0], 4), np.float32)
    if image.empty:
        return out.view(image.format.dtype)  # type: ignore[no-any-return]
    copy = working_copy(image)
    state = np.zeros(f.STATE, np.int64)
    state[f.DIMS], state[f.DST_SEL] = scaled_dims(image), int(image.fields) >> 96 & 0xFFF
    state[f.INTEGER] = copy.format.integer
    zero_outside = (variant or Variant())["TEX-LOAD-OUTSIDE"] == "zero"
    load_points(copy.texels.reshape(-1), copy.levels, copy.divisors, state, np.ascontiguousarray(array, np.int64),
                np.ascontiguousarray(lods, np.int64), np.int64(layered), np.int64(zero_outside), out)
    return out.view(copy.format.dtype)
