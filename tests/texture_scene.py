"""Small images in guest memory, and a sampler over exact rationals that shares no code with refgpu."""

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
from texture_exact import to_float32

import refgpu
from refgpu.texture.images import Image
from refgpu.texture.surface import surface_layout

BASE = 0x10_0000
WRAP, MIRROR, CLAMP, MIRROR_ONCE, HALF, MIRROR_HALF, BORDER, MIRROR_BORDER = range(8)
TYPES = {"1d": 8, "2d": 9, "3d": 10, "cube": 11, "1da": 12, "2da": 13, "msaa": 14, "msaaa": 15}


def make_image(levels, format_=22, kind="2d", *, memory=None, swizzle=0, layers=None, profile="gfx1013", **fields):
    """An image whose level k holds levels[k]: array [slices, height, width(, words)] of the element's words."""
    levels = [np.asarray(level) for level in levels]
    slices, height, width = levels[0].shape[:3]
    from refgpu.texture.formats import format_of
    bits = format_of(format_).bits
    layout = surface_layout(swizzle, bits, width, height, slices, mips=len(levels), profile=profile,
                            resource="3d" if kind == "3d" else "2d")
    data = np.zeros(layout.nbytes, np.uint8)
    for mip, level in enumerate(levels):
        dtype = {8: np.uint8, 16: np.uint16}.get(bits, np.uint32)
        target = layout.untile(data, mip=mip)
        raw = np.ascontiguousarray(level).view(np.uint32) if level.dtype == np.float32 else level.astype(dtype)
        target[: raw.shape[0], : raw.shape[1], : raw.shape[2]] = raw.reshape(*raw.shape[:3], *target.shape[3:])
        layout.tile_into(target, data, mip=mip)
    memory = memory or refgpu.Memory()
    base = BASE + (fields.pop("BASE", 0))
    memory.map(base, data)
    given = {"BASE_ADDRESS": base >> 8, "FORMAT": format_of(format_).number, "TYPE": TYPES[kind], "WIDTH": width - 1,
             "HEIGHT": height - 1, "DEPTH": slices - 1, "SW_MODE": swizzle, "LAST_LEVEL": len(levels) - 1,
             "MAX_MIP": len(levels) - 1}
    if kind in ("2d", "1d"):
        given.pop("DEPTH")
    return Image.from_fields(memory, profile, **(given | fields))


def f32(value):
    """float32 value as a Fraction."""
    return Fraction(float(np.float32(value)))


def rational_axis(u, size, clamp, linear, offset=0, normalized=True, trunc=False):
    """[(texel or None for border, weight)] along one axis, from the written rules."""
    u = np.float32(u)
    if normalized:
        if clamp == WRAP:
            u = to_float32(f32(u) - floor(u))
        elif clamp == MIRROR:
            u = to_float32(f32(u) - 2 * floor(f32(u) / 2))
        place = f32(to_float32(f32(u) * size))
    else:
        place = f32(u)
    q = floor(place * 256) if trunc else round(place * 256)
    if clamp == HALF:
        q = min(max(q, 0), 256 * size)
    if clamp == MIRROR_HALF:
        q = min(max(q, -256 * size), 256 * size)
    if linear:
        q -= 128
    index, rest = divmod(q, 256)
    taps = [(index, 256 - rest), (index + 1, rest)] if linear else [(index, 256)]
    result = []
    for texel, weight in taps:
        texel += offset
        if clamp == WRAP:
            texel %= size
        elif clamp == MIRROR:
            texel %= 2 * size
            texel = texel if texel < size else 2 * size - 1 - texel
        elif clamp in (MIRROR_ONCE, MIRROR_HALF, MIRROR_BORDER) and texel < 0:
            texel = -1 - texel
        if clamp in (CLAMP, MIRROR_ONCE):
            texel = min(max(texel, 0), size - 1)
        if weight:
            result.append((texel if 0 <= texel < size else None, Fraction(weight, 256)))
    return result


def rational_sample(values, coords, clamps, linears, border, **options):
    """Exact mean of taps, one per axis pair; `values(x, y, z)` gives a Fraction. Rounded once."""
    axes = [rational_axis(u, size, clamp, linear, offset, **options)
            for u, size, clamp, linear, offset in zip(coords, *[values.sizes, clamps, linears, values.offsets],
                                                      strict=True)]
    total = Fraction(0)
    for taps in product(*axes):
        weight = Fraction(1)
        for _, part in taps:
            weight *= part
        place = [texel for texel, _ in taps]
        total += weight * (border if None in place else values(*place))
    return to_float32(total)
