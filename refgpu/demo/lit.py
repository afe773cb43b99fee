"""The demo's pixel shader, written as a user writes one: a lamp, three materials, nine looks into the shadow map."""

import math

import numpy as np
import numpy.typing as npt

from .. import shaders
from .matrices import Matrix
from .scenes import LIGHT, LIGHT_TARGET, light_matrix

_HEADER = 18  # constants before the map: light direction (3), map size, world to map (12), 1 / scale^2 of u and depth


@shaders.pixel(attributes=2, facing=True)
def _lit(inputs, outputs, live, constants, lanes):
    """Attribute 0: normal and material; attribute 1: position in the world."""
    size = int(constants[3])
    for lane in range(lanes):
        facing = inputs[shaders.FACE, lane]
        nx = inputs[shaders.ATTRIBUTE, lane] * facing
        ny = inputs[shaders.ATTRIBUTE + 1, lane] * facing
        nz = inputs[shaders.ATTRIBUTE + 2, lane] * facing
        material = inputs[shaders.ATTRIBUTE + 3, lane]
        x = inputs[shaders.ATTRIBUTE + 4, lane]
        y = inputs[shaders.ATTRIBUTE + 5, lane]
        z = inputs[shaders.ATTRIBUTE + 6, lane]
        length = math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-20
        lambert = (nx * constants[0] + ny * constants[1] + nz * constants[2]) / length
        u = x * constants[4] + y * constants[5] + z * constants[6] + constants[7]
        v = x * constants[8] + y * constants[9] + z * constants[10] + constants[11]
        depth = x * constants[12] + y * constants[13] + z * constants[14] + constants[15]
        # how the depth of the surface's plane changes from texel to texel of the map
        away = (nx * constants[12] + ny * constants[13] + nz * constants[14]) * constants[17]
        along_u = -(nx * constants[4] + ny * constants[5] + nz * constants[6]) * constants[16] / max(away, 0.05)
        along_v = -(nx * constants[8] + ny * constants[9] + nz * constants[10]) * constants[16] / max(away, 0.05)
        reached = 9.0
        if lambert > 0.0 and 1.0 < u < size - 2.0 and 1.0 < v < size - 2.0:
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    stored = constants[_HEADER + (int(v) + dy) * size + int(u) + dx]
                    if stored > depth + dx * along_u + dy * along_v:
                        reached -= 1.0
        light = 0.22 + 0.1 * nz / length + 0.9 * max(lambert, 0.0) * reached / 9.0
        red, green, blue = 0.78, 0.36, 0.22
        if material < 0.5:
            bright = 0.62 if (math.floor(x) + math.floor(y)) % 2 == 0 else 0.5
            red, green, blue = bright, bright, bright * 1.04
        elif material > 1.5:
            red, green, blue = 0.85, 0.83, 0.7
        outputs[0, lane] = math.sqrt(min(red * light, 1.0))
        outputs[1, lane] = math.sqrt(min(green * light, 1.0))
        outputs[2, lane] = math.sqrt(min(blue * light, 1.0))
        outputs[3, lane] = 1.0


def _to_map(size: int) -> Matrix:
    """World to (column, row, depth) of the shadow map."""
    to_pixels = np.eye(4, dtype=np.float32)
    to_pixels[0, 0], to_pixels[1, 1] = size / 2, -size / 2
    to_pixels[3, :2] = size / 2
    return light_matrix() @ to_pixels


def lit(depth: npt.NDArray[np.float32]) -> shaders.PixelShader:
    """The shader over a shadow map, float32[size, size]."""
    size = depth.shape[0]
    direction = np.subtract(LIGHT, LIGHT_TARGET)
    matrix = _to_map(size)
    scales = 1 / np.square(matrix[:3, :3]).sum(axis=0)
    header = [*(direction / np.linalg.norm(direction)), size, *matrix[:, 0], *matrix[:, 1], *matrix[:, 2],
              scales[0], scales[2]]
    assert len(header) == _HEADER
    return _lit.with_constants(np.concatenate([np.array(header, np.float32), depth.reshape(-1)]))
