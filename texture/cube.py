"""Cube maps: directions to face coordinates, and the texels beyond a face's edge."""

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError
from ..base.kernel import kernel

# Faces +X -X +Y -Y +Z -Z. For each: direction of s, of t, and of the outward normal, as (axis, sign).  [TEX-CUBE-FACES]
_S_AXIS = np.array([2, 2, 0, 0, 0, 0], np.int64)
_S_SIGN = np.array([-1, 1, 1, 1, 1, -1], np.int64)
_T_AXIS = np.array([1, 1, 2, 2, 1, 1], np.int64)
_T_SIGN = np.array([-1, -1, 1, -1, -1, -1], np.int64)
_N_AXIS = np.array([0, 0, 1, 1, 2, 2], np.int64)
_N_SIGN = np.array([1, -1, 1, -1, 1, -1], np.int64)


@kernel
def cube_face(x, y, z):
    """Face of a direction: z beats y beats x on ties; -0 counts as positive.  [TEX-CUBE-FACES]"""
    ax, ay, az = abs(x), abs(y), abs(z)
    if az >= ax and az >= ay:
        return np.int64(5) if z < 0 else np.int64(4)
    if ay >= ax:
        return np.int64(3) if y < 0 else np.int64(2)
    return np.int64(1) if x < 0 else np.int64(0)


@kernel
def _cube_coords(directions, out):
    for i in range(directions.shape[0]):
        x, y, z = directions[i, 0], directions[i, 1], directions[i, 2]
        face = cube_face(x, y, z)
        major = np.float32(np.float32(2.0) * np.float32(abs(directions[i, _N_AXIS[face]])))
        s = np.float32(directions[i, _S_AXIS[face]] * np.float32(_S_SIGN[face]))
        t = np.float32(directions[i, _T_AXIS[face]] * np.float32(_T_SIGN[face]))
        out[i, 0] = np.float32(np.float32(s / major) + np.float32(1.5))
        out[i, 1] = np.float32(np.float32(t / major) + np.float32(1.5))
        out[i, 2] = np.float32(face)


def cube_coords(directions: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """What shaders hand to the hardware for a direction: s and t in [1, 2], and the face.

    Parameters
    ----------
    directions : float32[n, 3]

    Returns
    -------
    float32[n, 3]
    """
    array = np.ascontiguousarray(directions, np.float32)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"directions: expected shape [n, 3], got {list(array.shape)}")
    out = np.empty(array.shape, np.float32)
    _cube_coords(array, out)
    return out


@kernel
def over_the_edge(face, x, y, size):
    """(face, x, y) of a texel one step beyond one edge of a face; both inside or beyond at most one edge.

    Texel centres sit at odd numbers of a cube of half width `size`; a centre beyond the edge folds onto the
    neighbour.  [TEX-CUBE-SEAM]
    """
    size = np.int64(size)
    s = 2 * x + 1 - size
    t = 2 * y + 1 - size
    if -size < s < size and -size < t < size:
        return face, x, y
    beyond_s = s <= -size or s >= size
    beyond = abs(s if beyond_s else t) - size  # how far past the edge: folds into depth on the neighbour
    axis = _S_AXIS[face] if beyond_s else _T_AXIS[face]
    sign = _S_SIGN[face] if beyond_s else _T_SIGN[face]
    side = sign if (s if beyond_s else t) > 0 else -sign
    new_face = 2 * axis + (np.int64(0) if side > 0 else np.int64(1))
    point = np.zeros(3, np.int64)
    point[_S_AXIS[face]] += _S_SIGN[face] * s
    point[_T_AXIS[face]] += _T_SIGN[face] * t
    point[_N_AXIS[face]] = _N_SIGN[face] * (size - beyond)
    new_s = _S_SIGN[new_face] * point[_S_AXIS[new_face]]
    new_t = _T_SIGN[new_face] * point[_T_AXIS[new_face]]
    return new_face, (new_s + size - 1) >> 1, (new_t + size - 1) >> 1
