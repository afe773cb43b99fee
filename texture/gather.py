"""image_gather4: the four texels under a bilinear footprint, one component of each."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.claims import Variant
from ..base.errors import InputError
from ..base.kernel import kernel
from . import filtering as f
from .images import TYPE_3D, Image
from .samplers import Sampler
from .sampling import _offsets, _part, _per_sample, _sample_dims, as_coords, bind, choose_levels, over_samples

# x, y, z, w of the result: (i0, j1), (i1, j1), (i1, j0), (i0, j0)  [TEX-GATHER-ORDER]
_ORDER_X = np.array([0, 1, 1, 0], np.int64)
_ORDER_Y = np.array([1, 1, 0, 0], np.int64)


@kernel
def gather_points(texels, levels, border, divisors, state, coords, offsets, choice, references, channel, out):
    """Four components [n, 4] of points: each tap alone, through DST_SEL, then the chosen component.

    A tap is a point sample of the texel at the footprint's corner: the footprint's corner moved by whole texels.
    """
    acc = np.zeros(f.ACC, np.float64)
    result = np.zeros(4, np.float32)
    four = np.zeros((1, 4), np.float32)
    for index in range(coords.shape[0]):
        row = 0 if choice.shape[0] == 1 else index
        o = index if offsets.shape[0] > 1 else 0
        reference = references[index] if references.size > 1 else references[0]
        for tap in range(4):
            f.clear(acc)
            f.add_corner(texels, levels[choice[row, 0]], border, divisors, state, coords, index, offsets[o],
                         _ORDER_X[tap], _ORDER_Y[tap], reference, acc)
            f.finish(acc, texels, border, divisors, state, np.float64(1.0), result)
            f.select(result, state, four, 0)
            out[index, tap] = four[0, channel]


def gather4(image: Image, sampler: Sampler, coords: npt.ArrayLike, channel: int = 0,
            lod: npt.ArrayLike | None = None, bias: npt.ArrayLike | None = None, ddx: npt.ArrayLike | None = None,
            ddy: npt.ArrayLike | None = None, offset: npt.ArrayLike | None = None,
            compare: npt.ArrayLike | None = None, *, border_table: Any = None,
            variant: Variant | None = None) -> npt.NDArray[Any]:
    """image_gather4 and its variants.  [TEX-GATHER]

    Parameters
    ----------
    coords, lod, bias, ddx, ddy, offset, compare, border_table, variant
        As for `sample`.
    channel : int
        Component after DST_SEL, 0 to 3: the one bit of DMASK.

    Returns
    -------
    float32[n, 4], or uint32 or int32 for integer formats
        Texels (i0, j1), (i1, j1), (i1, j0), (i0, j0), or their comparisons.
    """
    if channel not in (0, 1, 2, 3):
        raise InputError(f"channel {channel}: expected 0 to 3")
    dims = _sample_dims(image)
    points = as_coords(coords, dims)
    out = np.zeros((points.shape[0], 4), np.float32)
    if image.null:
        return out
    if image.fields["TYPE"] == TYPE_3D or dims - int(image.layered) < 2:
        raise InputError(f"T#.TYPE = {image.fields['TYPE']}: gather4 reads 2D images and cubes")
    if image.empty:
        return out.view(image.format.dtype)  # type: ignore[no-any-return]
    binding = bind(image, sampler, compare=compare is not None, border_table=border_table, variant=variant)
    state = binding.state.copy()
    state[f.REDUCE] = 0
    choice, _ = choose_levels(binding, points.shape[0], lod, bias, ddx, ddy)
    offsets = _offsets(offset, dims, points.shape[0])
    references = _per_sample("compare", compare, points.shape[0])
    copy = binding.copy

    def work(first: int, end: int) -> None:
        gather_points(copy.texels.reshape(-1), copy.levels, binding.border, copy.divisors, state, points[first:end],
                      _part(offsets, first, end), _part(choice, first, end), _part(references, first, end),
                      np.int64(channel), out[first:end])

    over_samples(points.shape[0], work)
    return out.view(np.float32 if compare is not None else copy.format.dtype)
