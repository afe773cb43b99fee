"""Float32 matrices for row vectors of points: ``clip = points @ matrix``; y up, z from 1 (near) to 0 (far)."""

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Vector = tuple[float, float, float]


def look_at(eye: Vector, target: Vector, up: Vector = (0, 0, 1)) -> Matrix:
    """World to view: x right, y up, z towards the viewer."""
    back = np.subtract(eye, target).astype(np.float64)
    back /= np.linalg.norm(back)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(back, right), back], axis=-1)
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[3, :3] = -np.asarray(eye, np.float64) @ rotation
    return matrix.astype(np.float32)


def perspective(vertical_degrees: float, aspect: float, near: float, far: float) -> Matrix:
    """View to clip space."""
    scale = 1 / np.tan(np.radians(vertical_degrees) / 2)
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = scale / aspect, scale
    matrix[2, 2], matrix[3, 2] = near / (far - near), near * far / (far - near)
    matrix[2, 3] = -1
    return matrix.astype(np.float32)


def orthographic(half_width: float, half_height: float, near: float, far: float) -> Matrix:
    """View to clip space, without perspective."""
    matrix = np.eye(4)
    matrix[0, 0], matrix[1, 1] = 1 / half_width, 1 / half_height
    matrix[2, 2], matrix[3, 2] = 1 / (far - near), far / (far - near)
    return matrix.astype(np.float32)


def transform(points: npt.NDArray[np.float32], matrix: Matrix) -> Matrix:
    """Points [n, 3] to clip space [n, 4]."""
    ones = np.ones((len(points), 1), np.float32)
    return np.ascontiguousarray(np.hstack([points, ones]) @ matrix, np.float32)
