"""Trace of one sample: levels, taps, stored words, weights, border, swizzle, and the claims it rests on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.claims import Variant
from . import filtering as f
from .coordinates import BORDER, ONE, axis_taps, layer_of
from .images import Image
from .samplers import Sampler
from .sampling import Binding, _offsets, as_coords, bind, choose_levels, sample
from .working_copy import layout_of

_CLAIMS = ("TEX-FILTER-EXACT", "TEX-WEIGHT-RNE", "TEX-COORD-PRODUCT", "TEX-CLAMP-MODES", "TEX-DST-SEL")


@dataclass(frozen=True)
class Tap:
    """One texel of a sample.

    Attributes
    ----------
    level : int
        Level of the resource.
    x, y, z : int
        Texel, and slice (of the view) or depth; -1 along an axis that reads the border.
    weight : int
        Its share in 1/2^32.
    border : bool
    words : tuple of int
        The stored element (block for block formats); empty for border.
    value : tuple of float
        Decoded X, Y, Z, W before DST_SEL.
    """

    level: int
    x: int
    y: int
    z: int
    weight: int
    border: bool
    words: tuple[int, ...]
    value: tuple[float, ...]


@dataclass(frozen=True)
class Trace:
    """What `trace` found.

    Attributes
    ----------
    levels : tuple of (int, int)
        Levels of the resource, each with its weight in 1/256.
    linear, linear_z : bool
    taps : tuple of Tap
        Those with a weight; empty for cubes and anisotropic samples, whose taps are not listed yet.
    dst_sel : tuple of int
    result : array
        As `sample` returns it.
    claims : tuple of str
    """

    levels: tuple[tuple[int, int], ...]
    linear: bool
    linear_z: bool
    taps: tuple[Tap, ...]
    dst_sel: tuple[int, ...]
    result: npt.NDArray[Any]
    claims: tuple[str, ...]


def _stored_words(image: Image, level: int, x: int, y: int, z: int) -> tuple[int, ...]:
    layout, address = layout_of(image)
    scale = 4 if image.format.block else 1
    slice_ = z + (image.fields["BASE_ARRAY"] if image.layered else 0)
    offset = int(layout.offset(x // scale, y // scale, slice_, 0, level))
    nbytes = image.format.bits // 8
    raw = bytes(image.memory.view(address + offset, nbytes))
    if nbytes < 4:
        return (int.from_bytes(raw, "little"),)
    return tuple(int(word) for word in np.frombuffer(raw, "<u4"))


def _axis_list(binding: Binding, coords: npt.NDArray[np.float32], axis: int, size: int, linear: int,
               offset: int) -> list[tuple[int, int]]:
    state = binding.state
    first, second, weight = axis_taps(coords[0, axis], np.int64(size), state[f.CLAMP + axis], np.int64(linear),
                                      state[f.UNNORMALIZED], state[f.TRUNC], np.int64(offset), state[f.VARIANT])
    return [(int(texel), int(part)) for texel, part in ((first, ONE - weight), (second, weight)) if part]


def _taps_of_level(binding: Binding, coords: npt.NDArray[np.float32], level: int, share: int, linear: int,
                   linear_z: int, offsets: npt.NDArray[np.int64]) -> list[Tap]:
    copy, state = binding.copy, binding.state
    start, width, height, depth, _ = (int(value) for value in copy.levels[level])
    dims = int(state[f.DIMS])
    axes = [_axis_list(binding, coords, 0, width, linear, int(offsets[0, 0])), [(0, ONE)], [(0, ONE)]]
    if dims > 1:
        axes[1] = _axis_list(binding, coords, 1, height, linear, int(offsets[0, 1]))
    if dims > 2:
        axes[2] = _axis_list(binding, coords, 2, depth, linear_z, int(offsets[0, 2]))
    elif state[f.LAYERED]:
        axes[2] = [(int(layer_of(coords[0, dims], depth)), ONE)]
    taps, resource = [], level + binding.image.base_level
    for z, wz in axes[2]:
        for y, wy in axes[1]:
            for x, wx in axes[0]:
                border = BORDER in (x, y, z)
                if border:
                    value = tuple(float(v) for v in binding.border)
                    words: tuple[int, ...] = ()
                else:
                    numerators = copy.texels[start + (z * height + y) * width + x]
                    value = tuple(float(np.float32(v)) for v in numerators.astype(np.float64) / copy.divisors)
                    words = _stored_words(binding.image, resource, x, y, z)
                taps.append(Tap(resource, x, y, z, share * wx * wy * wz, border, words, value))
    return taps


def trace(image: Image, sampler: Sampler, coord: npt.ArrayLike, lod: float | None = None, bias: float | None = None,
          ddx: npt.ArrayLike | None = None, ddy: npt.ArrayLike | None = None, offset: npt.ArrayLike | None = None,
          compare: float | None = None, *, border_table: Any = None, variant: Variant | None = None) -> Trace:
    """Say where one sample's value comes from.

    Parameters
    ----------
    image, sampler, lod, bias, offset, compare, border_table, variant
        As for `sample`, for one point.
    coord, ddx, ddy : float32[dims]

    Returns
    -------
    Trace
    """
    slopes = [None if value is None else np.atleast_2d(np.asarray(value, np.float32)) for value in (ddx, ddy)]
    points = np.atleast_2d(np.asarray(coord, np.float32))
    options: dict[str, Any] = {"border_table": border_table, "variant": variant}
    result = sample(image, sampler, points, lod, bias, slopes[0], slopes[1], offset, compare, **options)[0]
    if image.null or image.empty:
        return Trace((), False, False, (), (), result, ("TEX-EMPTY-VIEW",))
    binding = bind(image, sampler, compare=compare is not None, **options)
    points = as_coords(points, binding.dims)
    choice, _ = choose_levels(binding, 1, lod, bias, slopes[0], slopes[1])
    level, following, mip, linear, linear_z, aniso = (int(value) for value in choice[0])
    offsets = _offsets(offset, binding.dims, 1)
    shares = [(level, ONE - mip), (following, mip)]
    taps: list[Tap] = []
    if not binding.state[f.CUBE] and not aniso:
        for number, share in shares:
            if share:
                taps += _taps_of_level(binding, points, number, share, linear, linear_z, offsets)
    claims = list(_CLAIMS)
    if any(tap.border for tap in taps):
        claims += ["TEX-BORDER-TYPES", "TEX-BC-SWIZZLE"]
    if mip:
        claims.append("TEX-MIP-WEIGHT")
    if compare is not None:
        claims.append("TEX-COMPARE")
    if aniso:
        claims.append("TEX-ANISO")
    if binding.state[f.CUBE]:
        claims += ["TEX-CUBE-COORDINATES", "TEX-CUBE-SEAM"]
    dst_sel = tuple(int(binding.state[f.DST_SEL]) >> 3 * k & 7 for k in range(4))
    used = tuple((number + image.base_level, share) for number, share in shares if share)
    return Trace(used, bool(linear), bool(linear_z), tuple(taps), dst_sel, result, tuple(claims))
