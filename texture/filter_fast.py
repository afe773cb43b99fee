"""Blocks of samples of 1D, 2D and 3D images and arrays: the taps of `filtering`, staged so that loops stay simple.

Only for plain blends (no comparison, reduction, anisotropy or cube). The scalar rules are those of `coordinates`; the
sums are `filtering`'s, tap for tap, so the bits are the same.
"""

import numpy as np

from ..base.kernel import kernel
from .coordinates import (
    CLAMP_BORDER,
    CLAMP_LAST_TEXEL,
    MIRROR,
    ONE,
    WRAP,
    axis_taps,
    layer_of,
    quantize_coordinate,
    reduce_coordinate,
    wrap_texel,
)
from .filtering import CLAMP, DIMS, DST_SEL, INTEGER, LAYERED, TRUNC, UNNORMALIZED, VARIANT, round_mean

_LANES = 256
_SCALE = np.float64(2.0**-32)


@kernel
def _near(clamp, index, size):
    """`wrap_texel` for numbers at most one size off: no division."""
    if clamp == WRAP:
        index = index + size if index < 0 else index
        return index - size if index >= size else index
    if clamp == MIRROR:
        index = -1 - index if index < 0 else index
        return 2 * size - 1 - index if index >= size else index
    if clamp == CLAMP_LAST_TEXEL:
        return min(max(index, np.int64(0)), size - 1)
    return index if 0 <= index < size else np.int64(-1)


@kernel
def _place_lanes(coords, first, axis, sizes, clamp, linear, unnormalized, trunc, variant, moved, one, two, weights):
    """Taps of one axis for lanes that share clamp mode, filter and offset: one short loop a step, so they vectorize."""
    lanes = one.size
    if unnormalized:
        for lane in range(lanes):
            weights[lane] = quantize_coordinate(coords[first + lane, axis], trunc, variant)
    else:
        for lane in range(lanes):
            reduced = reduce_coordinate(coords[first + lane, axis], clamp)
            weights[lane] = quantize_coordinate(np.float32(reduced * np.float32(sizes[lane])), trunc, variant)
    half, step = (np.int64(128), np.int64(1)) if linear else (np.int64(0), np.int64(0))
    far = np.int64(0)
    if clamp <= MIRROR:
        for lane in range(lanes):
            index = ((weights[lane] - half) >> 8) + moved
            far |= np.int64(index < -sizes[lane]) | np.int64(index + step >= 2 * sizes[lane])
    if far:
        for lane in range(lanes):
            index = ((weights[lane] - half) >> 8) + moved
            one[lane] = wrap_texel(index, sizes[lane], clamp, variant)
            two[lane] = wrap_texel(index + step, sizes[lane], clamp, variant)
    else:
        for lane in range(lanes):
            one[lane] = _near(clamp, ((weights[lane] - half) >> 8) + moved, sizes[lane])
        for lane in range(lanes):
            two[lane] = _near(clamp, ((weights[lane] - half) >> 8) + moved + step, sizes[lane])
    if linear:
        for lane in range(lanes):
            weights[lane] = (weights[lane] - half) & (ONE - 1)
    else:
        for lane in range(lanes):
            weights[lane] = 0


@kernel
def place_axis(coords, first, axis, choice, levels, which, state, offset, linears, sizes, one, two, weights):
    """Taps of one axis for a block of lanes."""
    clamp, unnormalized, trunc, variant = state[CLAMP + axis], state[UNNORMALIZED], state[TRUNC], state[VARIANT]
    lanes = one.size
    shared = choice.shape[0] == 1
    for lane in range(lanes):
        sizes[lane] = levels[choice[0 if shared else first + lane, which], 1 + axis]
    if shared and offset.shape[0] == 1 and variant == 0:
        linear, moved = choice[0, linears], offset[0, axis]
        if clamp == WRAP:
            _place_lanes(coords, first, axis, sizes, np.int64(WRAP), linear, unnormalized, trunc, np.int64(0), moved,
                         one, two, weights)
            return
        if clamp == MIRROR:
            _place_lanes(coords, first, axis, sizes, np.int64(MIRROR), linear, unnormalized, trunc, np.int64(0), moved,
                         one, two, weights)
            return
        if clamp == CLAMP_LAST_TEXEL:
            _place_lanes(coords, first, axis, sizes, np.int64(CLAMP_LAST_TEXEL), linear, unnormalized, trunc,
                         np.int64(0), moved, one, two, weights)
            return
        if clamp == CLAMP_BORDER:
            _place_lanes(coords, first, axis, sizes, np.int64(CLAMP_BORDER), linear, unnormalized, trunc, np.int64(0),
                         moved, one, two, weights)
            return
    for lane in range(lanes):
        row = 0 if shared else first + lane
        moved = offset[first + lane, axis] if offset.shape[0] > 1 else offset[0, axis]
        one[lane], two[lane], weights[lane] = axis_taps(coords[first + lane, axis], sizes[lane], clamp,
                                                        choice[row, linears], unnormalized, trunc, moved, variant)


@kernel
def _add(texels, place, weight, border, a, b, c, d):
    """Four sums with one tap more."""
    if weight == 0:
        return a, b, c, d
    w = np.float64(weight)
    if place >= 0:
        at = np.uint64(4 * place)
        return (a + np.float64(texels[at]) * w, b + np.float64(texels[at + np.uint64(1)]) * w,
                c + np.float64(texels[at + np.uint64(2)]) * w, d + np.float64(texels[at + np.uint64(3)]) * w)
    return a + border[0] * w, b + border[1] * w, c + border[2] * w, d + border[3] * w


@kernel
def _sum_lane(texels, start, width, height, x0, x1, wx, y0, y1, wy, z, share, border, acc, lane):
    """Add the taps of one slice of one level to a lane's sums; `share` is what z and mip leave of 2^16.

    Returns how many taps had a weight, and the last of them.
    """
    line0 = start + (z * height + y0) * width
    line1 = start + (z * height + y1) * width
    dead0, dead1 = z < 0 or y0 < 0, z < 0 or y1 < 0
    p00 = np.int64(-1) if dead0 or x0 < 0 else line0 + x0
    p10 = np.int64(-1) if dead0 or x1 < 0 else line0 + x1
    p01 = np.int64(-1) if dead1 or x0 < 0 else line1 + x0
    p11 = np.int64(-1) if dead1 or x1 < 0 else line1 + x1
    w00, w10 = share * (ONE - wx) * (ONE - wy), share * wx * (ONE - wy)
    w01, w11 = share * (ONE - wx) * wy, share * wx * wy
    a, b, c, d = acc[lane, 0], acc[lane, 1], acc[lane, 2], acc[lane, 3]
    a, b, c, d = _add(texels, p00, w00, border, a, b, c, d)
    a, b, c, d = _add(texels, p10, w10, border, a, b, c, d)
    a, b, c, d = _add(texels, p01, w01, border, a, b, c, d)
    a, b, c, d = _add(texels, p11, w11, border, a, b, c, d)
    acc[lane, 0], acc[lane, 1], acc[lane, 2], acc[lane, 3] = a, b, c, d
    used = np.int64(w00 != 0) + np.int64(w10 != 0) + np.int64(w01 != 0) + np.int64(w11 != 0)
    last = p00 if w00 else p10 if w10 else p01 if w01 else p11
    return used, last


@kernel
def _finish(texels, border, divisors, state, acc, counts, last, first, out):
    """Divide, round once, DST_SEL."""
    lanes = counts.size
    one = np.uint32(1).view(np.float32) if state[INTEGER] else np.float32(1.0)
    for channel in range(4):
        chosen = (state[DST_SEL] >> (3 * channel)) & 7
        if chosen < 4:
            for lane in range(lanes):
                out[first + lane, channel] = one if chosen == 1 else np.float32(0.0)
            continue
        source = chosen - 4
        divisor = divisors[source]
        if divisor == 1.0:
            for lane in range(lanes):
                out[first + lane, channel] = round_mean(acc[lane, source] * _SCALE)
        else:
            for lane in range(lanes):
                out[first + lane, channel] = round_mean(acc[lane, source] * _SCALE / divisor)
        for lane in range(lanes):
            if counts[lane] == 1:
                place = last[lane]
                if place < 0:
                    out[first + lane, channel] = border[source]
                elif divisor == 1.0:
                    out[first + lane, channel] = texels[4 * place + source]


@kernel
def blend_block(texels, levels, border, numerators, divisors, state, coords, first, offsets, choice, scratch, acc,
                counts, last, out):
    """Samples of up to 256 lanes."""
    lanes = counts.size
    dims = state[DIMS]
    shared = choice.shape[0] == 1
    for lane in range(lanes):
        counts[lane] = 0
        for channel in range(4):
            acc[lane, channel] = -0.0
    x0, x1, wx = scratch[0, :lanes], scratch[1, :lanes], scratch[2, :lanes]
    y0, y1, wy = scratch[3, :lanes], scratch[4, :lanes], scratch[5, :lanes]
    z0, z1, wz = scratch[6, :lanes], scratch[7, :lanes], scratch[8, :lanes]
    sizes = scratch[9, :lanes]
    for which in range(2):
        if which == 1:
            used = np.int64(0)
            for lane in range(1 if shared else lanes):
                used |= choice[0 if shared else first + lane, 2]
            if used == 0:
                break
        place_axis(coords, first, 0, choice, levels, which, state, offsets, 3, sizes, x0, x1, wx)
        if dims > 1:
            place_axis(coords, first, 1, choice, levels, which, state, offsets, 3, sizes, y0, y1, wy)
        else:
            y0[:] = 0
            y1[:] = 0
            wy[:] = 0
        if dims > 2:
            place_axis(coords, first, 2, choice, levels, which, state, offsets, 4, sizes, z0, z1, wz)
        else:
            for lane in range(lanes):
                layers = levels[choice[0 if shared else first + lane, which], 3]
                z0[lane] = layer_of(coords[first + lane, dims], layers) if state[LAYERED] else 0
                wz[lane] = 0
        for lane in range(lanes):
            row = 0 if shared else first + lane
            mip = choice[row, 2]
            share = mip if which else ONE - mip
            level = choice[row, which]
            start, width, height = levels[level, 0], levels[level, 1], levels[level, 2]
            for slice in range(2):
                part = share * (wz[lane] if slice else ONE - wz[lane])
                if part:
                    found, place = _sum_lane(texels, start, width, height, x0[lane], x1[lane], wx[lane], y0[lane],
                                             y1[lane], wy[lane], z1[lane] if slice else z0[lane], part, numerators,
                                             acc, lane)
                    counts[lane] += found
                    last[lane] = place
    _finish(texels, border, divisors, state, acc, counts, last, first, out)


@kernel
def blend_points(texels, levels, border, divisors, state, coords, offsets, choice, out):
    """Samples [n, 4] of points: `filtering.sample_points` for plain blends."""
    scratch = np.empty((10, _LANES), np.int64)
    acc = np.empty((_LANES, 4), np.float64)
    counts = np.empty(_LANES, np.int64)
    last = np.empty(_LANES, np.int64)
    numerators = np.empty(4, np.float64)
    for channel in range(4):
        numerators[channel] = np.float64(border[channel]) * divisors[channel]
    first = 0
    while first < coords.shape[0]:
        lanes = min(_LANES, coords.shape[0] - first)
        blend_block(texels, levels, border, numerators, divisors, state, coords, first, offsets, choice, scratch,
                    acc[:lanes], counts[:lanes], last[:lanes], out)
        first += lanes
