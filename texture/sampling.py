"""Samples, gathers, loads and LOD queries of images, many at a time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.claims import Variant
from ..base.errors import InputError, UnsupportedError
from ..base.kernel import kernel
from . import coordinates as c
from . import filtering as f
from . import lod as l
from .border import border_color
from .filter_fast import blend_points
from .images import TYPE_1D, TYPE_1D_ARRAY, TYPE_3D, TYPE_CUBE, TYPE_NAMES, Image
from .samplers import Sampler
from .surface_copy import usable_cores
from .working_copy import WorkingCopy, working_copy

_THREAD_SAMPLES: Final = 1 << 14
_ANISO_FILTERS: Final = (2, 3)
_COORDINATE_VARIANTS: Final = {
    "TEX-TRUNC-COORD": ("toward_zero", c.TRUNC_TO_ZERO),
    "TEX-MIRROR-ONCE-HALF": ("coordinate", c.MIRROR_COORDINATE),
    "TEX-RANGE-REDUCTION": ("none", c.NO_REDUCTION),
    "TEX-HALF-BORDER-EDGE": ("last_texel", c.HALF_BORDER_LAST),
    "TEX-CUBE-POINT-EDGE": ("crosses", c.POINT_CROSSES_EDGE),
}
_FLAG_VARIANTS: Final = {
    "TEX-COMPARE-NEVER": ("texel", f.FLAG_PASS_NEVER),
    "TEX-CUBE-CORNER": ("nearest", f.FLAG_CORNER_NEAREST),
}
_LOD_VARIANTS: Final = {
    "TEX-MIP-NONE": ("clamped", l.CLAMPED_LEVEL),
    "TEX-LOD-SUM": ("each", l.EACH_TERM),
    "TEX-LOD-CLAMP-ORDER": ("min_wins", l.MIN_WINS),
}


def _bits(variant: Variant, table: dict[str, tuple[str, int]]) -> int:
    return sum(bit for claim, (name, bit) in table.items() if variant[claim] == name)


@dataclass(frozen=True)
class Binding:
    """An image and a sampler, decoded for the kernels.

    Attributes
    ----------
    image, sampler, copy : Image, Sampler, WorkingCopy
    border : float32[4]
        Registers before DST_SEL.
    state : int64[STATE]
    dims : int
        Coordinates that a sample takes: scaled ones, and a layer or face.
    lod_variant : int
    """

    image: Image
    sampler: Sampler
    copy: WorkingCopy
    border: npt.NDArray[np.float32]
    state: npt.NDArray[np.int64]
    dims: int
    lod_variant: int

    @property
    def last(self) -> int:
        """Last level, counted from the view's first."""
        return self.copy.levels.shape[0] - 1


def scaled_dims(image: Image) -> int:
    """Coordinates that are scaled by a size: 1, 2 or 3."""
    kind = image.fields["TYPE"]
    return 1 if kind in (TYPE_1D, TYPE_1D_ARRAY) else 3 if kind == TYPE_3D else 2


def _check_sampler(sampler: Sampler) -> None:
    for name in ("LOD_BIAS_SEC", "MC_COORD_TRUNC", "MIP_POINT_PRECLAMP", "DERIV_ADJUST_EN", "PERF_MIP", "PERF_Z"):
        if sampler.fields[name]:
            raise UnsupportedError(f"S#.{name}", sampler.fields[name])


def bind(image: Image, sampler: Sampler, *, compare: bool = False, border_table: Any = None,
         variant: Variant | None = None) -> Binding:
    """Decode what a sample needs.

    Raises
    ------
    InputError
        An MSAA image (only `load` reads those), a missing border table, memory that is not mapped.
    UnsupportedError
        What refgpu does not model yet; it names the field.
    """
    if image.msaa:
        raise InputError(f"T#.TYPE = {image.fields['TYPE']} ({TYPE_NAMES[image.fields['TYPE']]}): only loads read it")
    _check_sampler(sampler)
    fields, chosen = sampler.fields, variant or Variant()
    copy = working_copy(image, bool(fields["FORCE_DEGAMMA"]), bool(fields["SKIP_DEGAMMA"]))
    state = np.zeros(f.STATE, np.int64)
    dims, cube = scaled_dims(image), image.fields["TYPE"] == TYPE_CUBE
    state[f.DIMS], state[f.LAYERED] = dims, image.layered and not cube
    state[f.CUBE] = (2 if fields["DISABLE_CUBE_WRAP"] else 1) if cube else 0
    state[f.CLAMP:f.CLAMP + 3] = fields["CLAMP_X"], fields["CLAMP_Y"], fields["CLAMP_Z"]
    state[f.TRUNC], state[f.UNNORMALIZED] = fields["TRUNC_COORD"], fields["FORCE_UNNORMALIZED"]
    state[f.REDUCE] = fields["FILTER_MODE"]
    state[f.COMPARE] = fields["DEPTH_COMPARE_FUNC"] if compare else -1
    state[f.DST_SEL] = int(image.fields) >> 96 & 0xFFF
    state[f.INTEGER] = copy.format.integer
    state[f.VARIANT], state[f.FLAGS] = _bits(chosen, _COORDINATE_VARIANTS), _bits(chosen, _FLAG_VARIANTS)
    state[f.COORDINATES] = dims + int(image.layered)
    border = border_color(image, sampler, copy.format, border_table)
    return Binding(image, sampler, copy, border, state, dims + int(image.layered), _bits(chosen, _LOD_VARIANTS))


def as_coords(coords: npt.ArrayLike, dims: int) -> npt.NDArray[np.float32]:
    """float32[n, dims], InputError otherwise."""
    array = np.asarray(coords, np.float32)
    if array.ndim == 1 and dims == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != dims:
        raise InputError(f"coords: expected shape [n, {dims}], got {list(array.shape)}")
    return np.ascontiguousarray(array)


def _per_sample(name: str, value: npt.ArrayLike | None, count: int) -> npt.NDArray[np.float32]:
    """float32[n] or [1]; 0 when there is none."""
    array = np.atleast_1d(np.asarray(0.0 if value is None else value, np.float32))
    if array.ndim != 1 or array.size not in (1, count):
        raise InputError(f"{name}: expected one value or [{count}], got {list(array.shape)}")
    return np.ascontiguousarray(array)


def _offsets(offset: npt.ArrayLike | None, dims: int, count: int) -> npt.NDArray[np.int64]:
    """int64[n or 1, 3]: six-bit signed numbers."""
    result = np.zeros((1, 3), np.int64)
    if offset is None:
        return result
    array = np.atleast_2d(np.asarray(offset))
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[0] not in (1, count) or array.shape[1] > 3:
        raise InputError(f"offset: expected integers [{dims}] or [n, {dims}], got {array.dtype}{list(array.shape)}")
    if array.size and not (array.min() >= -32 and array.max() <= 31):
        raise InputError("offset: outside -32..31")
    result = np.zeros((array.shape[0], 3), np.int64)
    result[:, :array.shape[1]] = array
    return result


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(usable_cores(), thread_name_prefix="refgpu-sample")


def over_samples(count: int, job: Callable[[int, int], None]) -> None:
    """``job(first, end)`` over all samples, in threads when there are many."""
    workers = min(usable_cores(), max(1, count // _THREAD_SAMPLES))
    bounds = [count * k // workers for k in range(workers + 1)]
    others = [_pool().submit(job, bounds[k], bounds[k + 1]) for k in range(1, workers)]
    job(bounds[0], bounds[1])
    for other in others:
        other.result()


def choose_levels(binding: Binding, count: int, lod: npt.ArrayLike | None, bias: npt.ArrayLike | None,
                  ddx: npt.ArrayLike | None, ddy: npt.ArrayLike | None
                  ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """(choice int64[n or 1, 6], axes float32[n or 1, 3]) for `filtering.sample_points`."""
    if (ddx is None) != (ddy is None):
        raise InputError("ddx and ddy go together")
    if lod is not None and ddx is not None:
        raise InputError("give lod or gradients, not both")
    fields, copy = binding.sampler.fields, binding.copy
    biases = _per_sample("bias", bias, count)
    dims = int(binding.state[f.DIMS])
    if ddx is None or ddy is None:
        lods = _per_sample("lod", lod, count)
        rows = max(lods.size, biases.size) if count else 1
        choice = np.empty((rows, 6), np.int64)
        _choose_explicit(lods, biases, _lod_state(binding), choice)
        return choice, np.zeros((1, 3), np.float32)
    slopes = [as_coords(value, dims) for value in (ddx, ddy)]
    for name, slope in zip(("ddx", "ddy"), slopes, strict=True):
        if slope.shape[0] != count:
            raise InputError(f"{name}: expected shape [{count}, {dims}], got {list(slope.shape)}")
    aniso = fields["MAX_ANISO_RATIO"]
    filters = (fields["XY_MAG_FILTER"], fields["XY_MIN_FILTER"])
    if not any(code in _ANISO_FILTERS for code in filters) or (fields["ANISO_OVERRIDE"] and not binding.last):
        aniso = 0
    sizes = np.ones(3, np.float64) if fields["FORCE_UNNORMALIZED"] else copy.levels[0, 1:4].astype(np.float64)
    choice, axes = np.empty((count, 6), np.int64), np.zeros((count, 3), np.float32)
    _choose_gradient(slopes[0], slopes[1], biases, sizes, np.int64(aniso), np.int64(fields["ANISO_THRESHOLD"]),
                     _lod_state(binding), choice, axes)
    return choice, axes


def _lod_state(binding: Binding) -> npt.NDArray[np.int64]:
    fields, image = binding.sampler.fields, binding.image
    mip_filter = fields["MIP_FILTER"]
    if binding.copy.format.integer:
        mip_filter = min(mip_filter, 1)
    if fields["FORCE_UNNORMALIZED"]:
        mip_filter = 0
    state = np.zeros(_LOD_STATE, np.int64)
    state[:] = (fields["LOD_BIAS"], fields["MIN_LOD"], fields["MAX_LOD"],
                image.fields["MIN_LOD"] - (image.base_level << 8), binding.last, mip_filter, fields["XY_MAG_FILTER"],
                fields["XY_MIN_FILTER"], fields["Z_FILTER"], binding.copy.format.integer, binding.lod_variant)
    return state


_LOD_STATE: Final = 11


@kernel
def _choose(lod, state, row):
    """Fill one row of levels and filters.  [TEX-MAG-MIN] [TEX-Z-FILTER] [TEX-INT-POINT]"""
    lod = l.clamp_lod(lod, state[1], state[2], state[3], state[10])
    filter = state[6] if lod <= 0 else state[7]
    linear = np.int64(filter & 1)
    z = state[8]
    linear_z = linear if z == 0 else np.int64(z >= 2)
    if state[9]:
        linear = np.int64(0)
        linear_z = np.int64(0)
    row[0], row[1], row[2] = l.pick_levels(lod, state[4], state[5], state[10])
    row[3] = linear
    row[4] = linear_z
    row[5] = np.int64(0)
    return filter


@kernel
def _choose_explicit(lods, biases, state, choice):
    for i in range(choice.shape[0]):
        lod = lods[i] if lods.size > 1 else lods[0]
        bias = biases[i] if biases.size > 1 else biases[0]
        _choose(l.biased_lod(np.float64(lod), np.float64(bias), state[0], state[10]), state, choice[i])


@kernel
def _choose_gradient(ddx, ddy, biases, sizes, aniso, threshold, state, choice, axes):
    dims = ddx.shape[1]
    for i in range(choice.shape[0]):
        x, y = l.gradient_squares(ddx[i], ddy[i], sizes, dims)
        major = x if x >= y else y
        minor = y if x >= y else x
        if x != x or y != y:
            major = np.float64(np.nan)
        bias = np.float64(biases[i] if biases.size > 1 else biases[0])
        lod = l.biased_lod(l.log2_of_square(major), bias, state[0], state[10])
        filter = _choose(lod, state, choice[i])
        if aniso and filter >= 2 and major == major:
            taps = l.aniso_taps(major, minor, aniso, threshold)
            if taps:
                lod = l.biased_lod(l.log2_of_square(major) - np.float64(taps), bias, state[0], state[10])
                _choose(lod, state, choice[i])
                choice[i, 5] = taps
                for axis in range(dims):
                    axes[i, axis] = ddx[i, axis] if x >= y else ddy[i, axis]


def sample(image: Image, sampler: Sampler, coords: npt.ArrayLike, lod: npt.ArrayLike | None = None,
           bias: npt.ArrayLike | None = None, ddx: npt.ArrayLike | None = None, ddy: npt.ArrayLike | None = None,
           offset: npt.ArrayLike | None = None, compare: npt.ArrayLike | None = None, *, border_table: Any = None,
           variant: Variant | None = None) -> npt.NDArray[Any]:
    """image_sample and its variants.

    Parameters
    ----------
    image, sampler : Image, Sampler
    coords : float32[n, dims]
        Normalized (texels with FORCE_UNNORMALIZED); the array layer, or the cube's face (8 * layer + face), last.
        Cubes take s and t in [1, 2], see `cube_coords`.
    lod : float32[n], optional
        Explicit LOD; 0 (image_sample_lz) when neither this nor gradients are given.
    bias : float32[n], optional
    ddx, ddy : float32[n, dims], optional
        Derivatives of the scaled coordinates.
    offset : int[dims] or int[n, dims], optional
        Texel offsets, -32..31.
    compare : float32[n], optional
        Reference of a _C instruction: X of the result is the filtered comparison.
    border_table : int or array, optional
        Guest address of the border colour table, or its entries.
    variant : Variant, optional
        Alternatives of contested claims.

    Returns
    -------
    float32[n, 4], or uint32 or int32 for integer formats

    Raises
    ------
    InputError, DecodeError, UnsupportedError
    """
    dims = _sample_dims(image)
    points = as_coords(coords, dims)
    count = points.shape[0]
    out = np.zeros((count, 4), np.float32)
    if image.null:
        return out
    if image.empty:
        return out.view(image.format.dtype)  # type: ignore[no-any-return]
    binding = bind(image, sampler, compare=compare is not None, border_table=border_table, variant=variant)
    choice, axes = choose_levels(binding, count, lod, bias, ddx, ddy)
    offsets = _offsets(offset, dims, count)
    references = _per_sample("compare", compare, count)
    copy = binding.copy
    flat = copy.texels.reshape(-1)

    plain = (binding.state[f.REDUCE] == 0 and compare is None and not binding.state[f.CUBE]
             and not choice[:, 5].any())

    def work(first: int, end: int) -> None:
        if plain:
            blend_points(flat, copy.levels, binding.border, copy.divisors, binding.state, points[first:end],
                         _part(offsets, first, end), _part(choice, first, end), out[first:end])
            return
        f.sample_points(flat, copy.levels, binding.border, copy.divisors, binding.state, points[first:end],
                        _part(offsets, first, end), _part(choice, first, end), _part(references, first, end),
                        _part(axes, first, end), out[first:end])

    over_samples(count, work)
    return out.view(np.float32 if compare is not None else copy.format.dtype)


def _part(array: npt.NDArray[Any], first: int, end: int) -> npt.NDArray[Any]:
    return array if array.shape[0] == 1 else array[first:end]


def _sample_dims(image: Image) -> int:
    """Coordinates of a sample; a null image takes any number up to 3."""
    return 2 if image.null else scaled_dims(image) + int(image.layered)


@kernel
def _lods_of(ddx, ddy, sizes, state, out):
    """Clamped level and LOD before the clamps."""
    for i in range(out.shape[0]):
        x, y = l.gradient_squares(ddx[i], ddy[i], sizes, ddx.shape[1])
        longer = x if x >= y else y
        if x != x or y != y:
            longer = np.float64(np.nan)
        lod = l.biased_lod(l.log2_of_square(longer), np.float64(0.0), state[0], state[10])
        clamped = l.clamp_lod(lod, state[1], state[2], state[3], state[10])
        clamped = min(max(clamped, np.int64(0)), state[4] * 256)
        if state[5] == 0:
            clamped = np.int64(0)
        elif state[5] != 2:
            clamped = ((clamped + 128) >> 8) << 8
        out[i, 0] = np.float32(np.float64(clamped) / 256.0)
        out[i, 1] = np.float32(np.float64(lod) / 256.0)


def get_lod(image: Image, sampler: Sampler, ddx: npt.ArrayLike, ddy: npt.ArrayLike, *,
            variant: Variant | None = None) -> npt.NDArray[np.float32]:
    """image_get_lod for given derivatives of the scaled coordinates.  [TEX-GET-LOD]

    Parameters
    ----------
    image, sampler : Image, Sampler
    ddx, ddy : float32[n, dims]
    variant : Variant, optional

    Returns
    -------
    float32[n, 2]
        The level that would be read, counted from BASE_LEVEL, and the LOD with LOD_BIAS before any clamp.
    """
    dims = 2 if image.null else scaled_dims(image)
    slopes = [as_coords(value, dims) for value in (ddx, ddy)]
    if slopes[0].shape != slopes[1].shape:
        raise InputError(f"ddx and ddy: shapes {list(slopes[0].shape)} and {list(slopes[1].shape)} differ")
    out = np.zeros((slopes[0].shape[0], 2), np.float32)
    if image.null or image.empty:
        return out
    binding = bind(image, sampler, variant=variant, border_table=np.zeros((1 << 12, 4), np.float32))
    sizes = np.ones(3) if sampler.fields["FORCE_UNNORMALIZED"] else binding.copy.levels[0, 1:4].astype(np.float64)
    _lods_of(slopes[0], slopes[1], sizes, _lod_state(binding), out)
    return out
