"""The Utah teapot: Martin Newell's 32 bicubic Bezier patches over 306 control points, cut into triangles.

The numbers (``teapot_points.csv``, ``teapot_patches.csv``: 16 control points a patch, counted from 1) are those that
have been passed round since 1975; patches 29 to 32, the bottom, came later, from F. Crow. z points up.
"""

import csv
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError

_WELD = 1e-5  # points closer than this are one


class Mesh(NamedTuple):
    """Triangles over shared vertices.

    Attributes
    ----------
    positions, normals : float32[vertices, 3]
    indices : uint32[triangles, 3]
        Counter-clockwise seen from outside.
    """

    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    indices: npt.NDArray[np.uint32]


def _numbers(name: str) -> npt.NDArray[np.float64]:
    rows = csv.reader((files("refgpu.demo") / name).read_text("utf-8").splitlines())
    return np.array([[float(cell) for cell in row] for row in rows])


def control_points() -> npt.NDArray[np.float64]:
    """The patches' control points, float64[patch, u, v, xyz]."""
    patches = _numbers("teapot_patches.csv").astype(int) - 1
    return _numbers("teapot_points.csv")[patches].reshape(-1, 4, 4, 3)


def _bernstein(steps: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Values and derivatives of the four cubic Bernstein polynomials at steps + 1 places, each [place, 4]."""
    t = np.arange(steps + 1) / steps
    s = 1 - t
    values = np.stack([s**3, 3 * t * s**2, 3 * t**2 * s, t**3], axis=-1)
    slopes = np.stack([-3 * s**2, 3 * s**2 - 6 * t * s, 6 * t * s - 3 * t**2, 3 * t**2], axis=-1)
    return values, slopes


def teapot(steps: int = 12) -> Mesh:
    """Cut every patch into steps x steps quads of two triangles; neighbouring patches share their vertices.

    Parameters
    ----------
    steps : int
        At least 1.
    """
    if steps < 1:
        raise InputError(f"teapot steps {steps}: at least 1")
    control = control_points()
    values, slopes = _bernstein(steps)
    points = np.einsum("ui,vj,pijc->puvc", values, values, control)
    normals = np.cross(np.einsum("ui,vj,pijc->puvc", values, slopes, control),
                       np.einsum("ui,vj,pijc->puvc", slopes, values, control)).reshape(-1, 3)
    grid = np.arange(points[..., 0].size).reshape(points.shape[:3])
    corner, right, below, across = grid[:, :-1, :-1], grid[:, :-1, 1:], grid[:, 1:, :-1], grid[:, 1:, 1:]
    triangles = np.stack([corner, right, across, corner, across, below], axis=-1).reshape(-1, 3)
    keys = np.rint(points.reshape(-1, 3) / _WELD).astype(np.int64) + 0  # + 0: -0 is 0
    _, first, shared = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    indices = shared.reshape(-1)[triangles]
    real = (indices[:, 0] != indices[:, 1]) & (indices[:, 1] != indices[:, 2]) & (indices[:, 2] != indices[:, 0])
    positions = points.reshape(-1, 3)[first].astype(np.float32)
    return Mesh(positions, _smooth(normals, shared.reshape(-1), positions, indices[real]),
                indices[real].astype(np.uint32))


def _smooth(normals: npt.NDArray[np.float64], shared: npt.NDArray[np.int64], positions: npt.NDArray[np.float32],
            indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Unit normals of the shared vertices; where a patch has none (its edge is a point) those of the triangles."""
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    unit = np.divide(normals, length, out=np.zeros_like(normals), where=length > 1e-9)
    total = np.zeros((len(positions), 3))
    np.add.at(total, shared, unit)
    corners = positions[indices].astype(np.float64)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    around = np.zeros_like(total)
    np.add.at(around, indices.reshape(-1), np.repeat(faces, 3, axis=0))
    missing = np.linalg.norm(total, axis=-1) < 1e-6
    total[missing] = around[missing]
    return (total / np.linalg.norm(total, axis=-1, keepdims=True)).astype(np.float32)
