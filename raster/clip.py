"""PA_CL: which clip planes a vertex is outside of, and the polygon that clipping leaves of a triangle."""

from typing import Final

import numpy as np

from ..base.kernel import kernel
from .layout import F, S

_CLIP_DISABLE: Final = 1 << 16
_DX_CLIP_SPACE_DEF: Final = 1 << 19
_ZCLIP_NEAR_DISABLE: Final = 1 << 26
_ZCLIP_FAR_DISABLE: Final = 1 << 27
_SMALLEST_W: Final = np.float32(np.finfo(np.float32).tiny)
_ZERO: Final = np.float32(0)

_CLIP: Final = int(S.CLIP)
_CLIP_DISTANCES: Final = int(S.CLIP_DISTANCES)
_CULL_DISTANCES: Final = int(S.CULL_DISTANCES)
_GB_VERT_CLIP: Final = int(F.GB_VERT_CLIP)
_GB_VERT_DISC: Final = int(F.GB_VERT_DISC)
_GB_HORZ_CLIP: Final = int(F.GB_HORZ_CLIP)
_GB_HORZ_DISC: Final = int(F.GB_HORZ_DISC)

# Planes in the order in which a polygon is cut: near, far, w, left, right, top, bottom, then 8 distances.
PLANES: Final = 15
FIRST_DISTANCE: Final = 7

# Codes of a vertex, int32: what it is outside of.
CODE_PLANES: Final = (1 << PLANES) - 1         # a bit for each plane that clips
CODE_DISCARD: Final = 15 << 15                 # beyond PA_CL_GB_*_DISC_ADJ: left, right, top, bottom
CODE_CULL_SHIFT: Final = 19                    # 8 bits: cull distance is negative or NaN
CODE_CULL: Final = 0xFF << CODE_CULL_SHIFT
CODE_NAN: Final = 1 << 27                      # the window position, depth or w is NaN
CODE_DROP: Final = CODE_PLANES | CODE_DISCARD | CODE_CULL  # a bit that all vertices share drops the primitive


@kernel
def side_distances(x, y, w, horizontal, vertical):
    """Signed distances to the sides of a band: left, right, top, bottom.  [RAST-CLIP-PLANES]"""
    half_width = np.float32(horizontal * w)
    half_height = np.float32(vertical * w)
    return (np.float32(half_width + x), np.float32(half_width - x), np.float32(half_height + y),
            np.float32(half_height - y))


@kernel
def depth_distances(z, w, clip):
    """Signed distances to the near, far and w planes; `clip` is the PA_CL_CLIP_CNTL word.

    [RAST-CLIP-PLANES] [RAST-CLIP-W]
    """
    near = np.float32(z) if clip & _DX_CLIP_SPACE_DEF else np.float32(z + w)
    return near, np.float32(w - z), np.float32(w - _SMALLEST_W)


@kernel
def plane_distance(plane, x, y, z, w, clip, horizontal, vertical):
    """Signed distance to one of the 7 planes of the view volume, sides at the guard band."""
    near, far, front = depth_distances(z, w, clip)
    left, right, top, bottom = side_distances(x, y, w, horizontal, vertical)
    if plane < 3:
        return near if plane == 0 else far if plane == 1 else front
    if plane < 5:
        return left if plane == 3 else right
    return top if plane == 5 else bottom


@kernel
def enabled_planes(clip, clip_distances):
    """Bits of the planes that clip.  [RAST-CLIP-DISABLE]"""
    if clip & _CLIP_DISABLE:
        return np.int64(0)
    planes = np.int64(0x7F) | (np.int64(clip_distances) << FIRST_DISTANCE)
    if clip & _ZCLIP_NEAR_DISABLE:
        planes &= ~np.int64(1)
    if clip & _ZCLIP_FAR_DISABLE:
        planes &= ~np.int64(2)
    return planes


@kernel
def outside(distance, bit):
    """`bit` when a distance is negative or NaN, else 0, int32.  [RAST-CLIP-PLANES]"""
    return np.int32(0) if distance >= _ZERO else np.int32(bit)


@kernel
def position_codes(x, y, z, w, planes, clip, clip_horizontal, clip_vertical, disc_horizontal, disc_vertical):
    """CODE_* bits of a position: the planes of the view volume, and the discard band."""
    near, far, front = depth_distances(z, w, clip)
    left, right, top, bottom = side_distances(x, y, w, clip_horizontal, clip_vertical)
    codes = (outside(near, 1) | outside(far, 2) | outside(front, 4) | outside(left, 8) | outside(right, 16)
             | outside(top, 32) | outside(bottom, 64))
    left, right, top, bottom = side_distances(x, y, w, disc_horizontal, disc_vertical)
    discard = (outside(left, 1 << PLANES) | outside(right, 2 << PLANES) | outside(top, 4 << PLANES)
               | outside(bottom, 8 << PLANES))
    return np.int32(np.int32(codes & np.int32(planes)) | discard)


@kernel
def cut_parameter(inside, outside):
    """How far from the inside to the outside vertex the plane lies, float32.  [RAST-CLIP-VERTEX]"""
    return np.float32(inside / np.float32(inside - outside))


@kernel
def between(inside, outside, t):
    """Component of a new vertex: inside + t * (outside - inside), each step rounded.  [RAST-CLIP-VERTEX]"""
    return np.float32(inside + np.float32(t * np.float32(outside - inside)))


@kernel
def linear_parameter(t, w_inside, w_outside):
    """`t` for attributes that are linear on the screen (DX_LINEAR_ATTR_CLIP_ENA).  [RAST-CLIP-LINEAR]"""
    if not w_outside > _ZERO:
        return np.float32(t)
    new = between(w_inside, w_outside, t)
    return np.float32(np.float32(t * w_outside) / new)


@kernel
def cut_polygon(source, count, target, plane, clip, horizontal, vertical, width, linear):
    """Cut a polygon of rows (x, y, z, w, 8 distances, parameters) by one plane; returns the new number of vertices.

    `linear` marks the columns from 12 on that are linear on the screen.
    """
    new = np.int64(0)
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        if plane < FIRST_DISTANCE:
            here = plane_distance(plane, source[i, 0], source[i, 1], source[i, 2], source[i, 3], clip, horizontal,
                                  vertical)
            there = plane_distance(plane, source[j, 0], source[j, 1], source[j, 2], source[j, 3], clip, horizontal,
                                   vertical)
        else:
            here = source[i, plane - FIRST_DISTANCE + 4]
            there = source[j, plane - FIRST_DISTANCE + 4]
        here_inside = here >= _ZERO
        there_inside = there >= _ZERO
        if here_inside:
            for k in range(width):
                target[new, k] = source[i, k]
            new += 1
        if here_inside != there_inside:
            a, b = (i, j) if here_inside else (j, i)
            t = cut_parameter(here, there) if here_inside else cut_parameter(there, here)
            straight = linear_parameter(t, source[a, 3], source[b, 3])
            for k in range(width):
                use = straight if k >= 12 and linear[k - 12] else t
                target[new, k] = between(source[a, k], source[b, k], use)
            new += 1
    return new


@kernel
def clip_polygon(source, spare, codes, state_i, state_f, width, linear):
    """Cut the triangle in `source` by every plane in `codes`; returns how many vertices are left, in `source` again."""
    count = np.int64(3)
    for plane in range(PLANES):
        if codes >> plane & 1:
            count = cut_polygon(source, count, spare, plane, state_i[_CLIP], state_f[_GB_HORZ_CLIP],
                                state_f[_GB_VERT_CLIP], width, linear)
            if count < 3:
                return np.int64(0)
            for i in range(count):
                for k in range(width):
                    source[i, k] = spare[i, k]
    return count
