"""Taps of one sample: which texels, with which weights, and what comes of them.

A sample's weights are products of 1/256ths for x, y, z and mip; its value is the exact weighted mean of the texels'
exact values, formed in float64 and rounded once.  [TEX-FILTER-EXACT]
"""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .coordinates import BORDER, ONE, POINT_CROSSES_EDGE, axis_taps, layer_of, texel_coordinate
from .cube import over_the_edge

# Columns of the sampling state, int64[STATE]
DIMS: Final = 0              # coordinates that scale: 1, 2, 3
LAYERED: Final = 1           # the next coordinate is a layer
CUBE: Final = 2              # 1 seamless cube, 2 cube whose faces clamp
CLAMP: Final = 3             # three columns
TRUNC: Final = 6
UNNORMALIZED: Final = 7
REDUCE: Final = 8            # FILTER_MODE: 0 blend, 1 min, 2 max
COMPARE: Final = 9           # -1, or DEPTH_COMPARE_FUNC
DST_SEL: Final = 10          # 12 bits
INTEGER: Final = 11          # registers hold integers: one tap only
VARIANT: Final = 12
FLAGS: Final = 13            # FLAG_* below
COORDINATES: Final = 14      # coordinates of a sample
STATE: Final = 16

# Alternatives of contested claims
FLAG_PASS_NEVER: Final = 1       # [TEX-COMPARE-NEVER]
FLAG_CORNER_NEAREST: Final = 2   # [TEX-CUBE-CORNER]

# Accumulator, float64[ACC]: four sums (or extremes), then what is known of the taps so far
COUNT: Final = 4             # taps with a weight
LAST: Final = 5              # texel of the last one, or BORDER
ACC: Final = 8

_WHOLE = np.float64(2.0**32)
_FLOAT_ONE = np.float32(1.0)
_NAN = np.float32(np.nan)


@kernel
def clear(acc):
    """Start a sample; sums start at -0, so that a mean of -0 is -0."""
    for k in range(4):
        acc[k] = -0.0
    acc[COUNT] = 0.0


@kernel
def compare_passes(func, reference, texel):
    """Reference FUNC texel.  [TEX-COMPARE]"""
    if func == 0:
        return False
    if func == 7:
        return True
    less, equal = reference < texel, reference == texel
    greater = reference > texel
    return (less and func & 1 != 0) or (equal and func & 2 != 0) or (greater and func & 4 != 0)


@kernel
def round_mean(value):
    """Mean of several taps as float32; a NaN is the quiet one without a payload.  [TEX-FILTER-NAN]"""
    return np.float32(value) if value == value else _NAN


@kernel
def _value(texels, place, border, divisors, channel):
    """Numerator of a texel's component as float64."""
    if place < 0:
        return np.float64(border[channel]) * divisors[channel]
    return np.float64(texels[4 * place + channel])


@kernel
def _decoded(texels, place, border, divisors, channel):
    """float32 value of a texel's component, its very bits where nothing divides it."""
    if place < 0:
        return border[channel]
    value = texels[4 * place + channel]
    return value if divisors[channel] == 1.0 else np.float32(np.float64(value) / divisors[channel])


@kernel
def add_tap(texels, place, border, divisors, state, reference, weight, acc):
    """Add one texel of a weight other than 0.  [TEX-ZERO-WEIGHT] [TEX-REDUCTION]"""
    first = acc[COUNT] == 0.0
    acc[COUNT] += 1.0
    acc[LAST] = np.float64(place)
    func = state[COMPARE]
    channels = 1 if func >= 0 else 4
    for channel in range(channels):
        if func >= 0:
            texel = _decoded(texels, place, border, divisors, 0)
            passed = compare_passes(func, reference, texel)
            value = np.float64(1.0) if passed else np.float64(0.0)
            if func == 0 and state[FLAGS] & FLAG_PASS_NEVER:
                value = np.float64(texel)
        else:
            value = _value(texels, place, border, divisors, channel)
        if state[REDUCE] == 0:
            acc[channel] += value * weight
        elif first or (value < acc[channel] if state[REDUCE] == 1 else value > acc[channel]):
            acc[channel] = value


@kernel
def finish(acc, texels, border, divisors, state, total, result):
    """Four components before DST_SEL.  [TEX-COMPARE-CHANNELS]"""
    if state[COMPARE] >= 0:
        result[0] = round_mean(acc[0] / total) if state[REDUCE] == 0 else round_mean(acc[0])
        result[1] = np.float32(0.0)
        result[2] = np.float32(0.0)
        result[3] = _FLOAT_ONE
        return
    for channel in range(4):
        if acc[COUNT] == 1.0:
            result[channel] = _decoded(texels, np.int64(acc[LAST]), border, divisors, channel)
        elif state[REDUCE] == 0:
            result[channel] = round_mean(acc[channel] / total / divisors[channel])
        else:
            result[channel] = round_mean(acc[channel] / divisors[channel])


@kernel
def select(result, state, out, index):
    """DST_SEL on the way out; its constant 1 is an integer for integer formats.  [TEX-DST-SEL]"""
    one = np.uint32(1).view(np.float32) if state[INTEGER] else _FLOAT_ONE
    for channel in range(4):
        chosen = (state[DST_SEL] >> (3 * channel)) & 7
        if chosen >= 4:
            out[index, channel] = result[chosen - 4]
        else:
            out[index, channel] = one if chosen == 1 else np.float32(0.0)


@kernel
def _cube_place(level, face, x, y, slice):
    """Texel number of a face's texel; `slice` is the cube's first face."""
    return level[0] + ((slice + face) * level[2] + y) * level[1] + x


@kernel
def _cube_tap(texels, level, border, divisors, state, reference, face, slice, x, y, weight, acc):
    """One texel of a seamless cube, also beyond an edge or a corner.  [TEX-CUBE-SEAM] [TEX-CUBE-CORNER]"""
    size = level[1]
    outside_x = x < 0 or x >= size
    outside_y = y < 0 or y >= size
    if outside_x and outside_y:
        inner_x = min(max(x, np.int64(0)), size - 1)
        inner_y = min(max(y, np.int64(0)), size - 1)
        here = _cube_place(level, face, inner_x, inner_y, slice)
        if state[FLAGS] & FLAG_CORNER_NEAREST:
            add_tap(texels, here, border, divisors, state, reference, weight, acc)
            return
        third = weight / np.float64(3.0)
        face_x, ax, ay = over_the_edge(face, x, inner_y, size)
        face_y, bx, by = over_the_edge(face, inner_x, y, size)
        add_tap(texels, here, border, divisors, state, reference, third, acc)
        add_tap(texels, _cube_place(level, face_x, ax, ay, slice), border, divisors, state, reference, third, acc)
        add_tap(texels, _cube_place(level, face_y, bx, by, slice), border, divisors, state, reference, third, acc)
        return
    new_face, nx, ny = over_the_edge(face, x, y, size)
    add_tap(texels, _cube_place(level, new_face, nx, ny, slice), border, divisors, state, reference, weight, acc)


@kernel
def cube_axis(u, size, linear, trunc, offset, variant):
    """(first texel, weight of the next) along one axis of a seamless face; s arrives in [1, 2].

    Bilinear taps may lie beyond the edge; a point sample stays on its face.  [TEX-CUBE-COORDINATES]
    [TEX-CUBE-POINT-EDGE]
    """
    q = texel_coordinate(np.float32(u - np.float32(1.0)), size, np.int64(-1), np.int64(0), trunc, variant)
    size = np.int64(size)
    if linear:
        q -= 128
        index = (q >> 8) + offset
        return min(max(index, -size), 2 * size - 2), np.int64(q & (ONE - 1))
    index = q >> 8
    if not variant & POINT_CROSSES_EDGE:
        index = min(max(index, np.int64(0)), size - 1)
    return min(max(index + offset, -size), 2 * size - 1), np.int64(0)


@kernel
def add_level(texels, level, border, divisors, state, coords, index, offsets, linear, linear_z, reference, weight, acc):
    """Add the taps of one level; `weight` is the level's share of 2^32 (a float64)."""
    dims = state[DIMS]
    variant = state[VARIANT]
    o = index if offsets.shape[0] > 1 else 0
    slice = np.int64(0)
    if state[CUBE]:
        number = np.int64(layer_of(coords[index, 2], np.int64(8) * level[3] + 8))
        face = min(number & 7, np.int64(5))
        cubes = max(level[3] // 6, np.int64(1))
        slice = min(number >> 3, cubes - 1) * 6
        if state[CUBE] == 1:
            x, wx = cube_axis(coords[index, 0], level[1], linear, state[TRUNC], offsets[o, 0], variant)
            y, wy = cube_axis(coords[index, 1], level[2], linear, state[TRUNC], offsets[o, 1], variant)
            for corner in range(4):
                part = (wx if corner & 1 else ONE - wx) * (wy if corner & 2 else ONE - wy)
                if part:
                    _cube_tap(texels, level, border, divisors, state, reference, face, slice, x + (corner & 1),
                              y + (corner >> 1), weight * np.float64(part) / 65536.0, acc)
            return
        slice += face
    elif state[LAYERED]:
        slice = layer_of(coords[index, dims], level[3])
    shift = np.float32(1.0) if state[CUBE] else np.float32(0.0)
    x0, x1, wx = axis_taps(np.float32(coords[index, 0] - shift), level[1], state[CLAMP], linear, state[UNNORMALIZED],
                           state[TRUNC], offsets[o, 0], variant)
    y0, y1, wy = np.int64(0), np.int64(0), np.int64(0)
    z0, z1, wz = slice, slice, np.int64(0)
    if dims > 1:
        y0, y1, wy = axis_taps(np.float32(coords[index, 1] - shift), level[2], state[CLAMP + 1], linear,
                               state[UNNORMALIZED], state[TRUNC], offsets[o, 1], variant)
    if dims > 2:
        z0, z1, wz = axis_taps(coords[index, 2], level[3], state[CLAMP + 2], linear_z, state[UNNORMALIZED],
                               state[TRUNC], offsets[o, 2], variant)
    for tap in range(8):
        part = (wx if tap & 1 else ONE - wx) * (wy if tap & 2 else ONE - wy) * (wz if tap & 4 else ONE - wz)
        if part == 0:
            continue
        x, y, z = (x1 if tap & 1 else x0), (y1 if tap & 2 else y0), (z1 if tap & 4 else z0)
        place = np.int64(BORDER)
        if x >= 0 and y >= 0 and z >= 0:
            place = level[0] + (z * level[2] + y) * level[1] + x
        add_tap(texels, place, border, divisors, state, reference, weight * np.float64(part) / 16777216.0, acc)


@kernel
def add_corner(texels, level, border, divisors, state, coords, index, offsets, right, down, reference, acc):
    """Add one corner of the bilinear footprint with weight 1, whatever its weight would be.  [TEX-GATHER]"""
    variant = state[VARIANT]
    slice = np.int64(0)
    shift = np.float32(0.0)
    if state[CUBE]:
        number = layer_of(coords[index, 2], np.int64(8) * level[3] + 8)
        face = min(number & 7, np.int64(5))
        slice = min(number >> 3, max(level[3] // 6, np.int64(1)) - 1) * 6
        if state[CUBE] == 1:
            x, _ = cube_axis(coords[index, 0], level[1], np.int64(1), state[TRUNC], offsets[0], variant)
            y, _ = cube_axis(coords[index, 1], level[2], np.int64(1), state[TRUNC], offsets[1], variant)
            _cube_tap(texels, level, border, divisors, state, reference, face, slice, x + right, y + down,
                      np.float64(1.0), acc)
            return
        slice += face
        shift = np.float32(1.0)
    elif state[LAYERED]:
        slice = layer_of(coords[index, state[DIMS]], level[3])
    x0, x1, _ = axis_taps(np.float32(coords[index, 0] - shift), level[1], state[CLAMP], np.int64(1),
                          state[UNNORMALIZED], state[TRUNC], offsets[0], variant)
    y0, y1, _ = axis_taps(np.float32(coords[index, 1] - shift), level[2], state[CLAMP + 1], np.int64(1),
                          state[UNNORMALIZED], state[TRUNC], offsets[1], variant)
    x = x1 if right else x0
    y = y1 if down else y0
    place = np.int64(BORDER)
    if x >= 0 and y >= 0:
        place = level[0] + (slice * level[2] + y) * level[1] + x
    add_tap(texels, place, border, divisors, state, reference, np.float64(1.0), acc)


@kernel
def sample_points(texels, levels, border, divisors, state, coords, offsets, choice, references, axes, out):
    """Samples [n, 4] of points; `choice` int64[n or 1, 6]: level, next level, its weight, linear, linear z, aniso log2.

    `axes` float32[n or 1, 3] is the vector along which anisotropic taps lie.  [TEX-ANISO]
    """
    acc = np.zeros(ACC, np.float64)
    result = np.zeros(4, np.float32)
    moved = np.zeros((1, 4), np.float32)
    shared = choice.shape[0] == 1
    for index in range(coords.shape[0]):
        row = 0 if shared else index
        clear(acc)
        reference = references[index] if references.size > 1 else references[0]
        taps = np.int64(1) << choice[row, 5]
        mip = choice[row, 2]
        for tap in range(taps):
            for axis in range(state[COORDINATES]):
                moved[0, axis] = coords[index, axis]
            if taps > 1:
                along = np.float32((np.float32(tap) + np.float32(0.5)) / np.float32(taps) - np.float32(0.5))
                for axis in range(state[DIMS]):
                    moved[0, axis] = np.float32(moved[0, axis] + np.float32(along * axes[index, axis]))
            o = index if offsets.shape[0] > 1 else 0
            for which in range(2):
                share = mip if which else ONE - mip
                if share:
                    add_level(texels, levels[choice[row, which]], border, divisors, state, moved, np.int64(0),
                              offsets[o:o + 1], choice[row, 3], choice[row, 4], reference,
                              np.float64(share) * 16777216.0, acc)
        finish(acc, texels, border, divisors, state, _WHOLE * np.float64(taps), result)
        select(result, state, out, index)
