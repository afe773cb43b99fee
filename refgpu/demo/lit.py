"""The demo's pixel shader, written as a user writes one: a lamp, three materials, nine looks into the shadow map."""

import math

import numpy as np
import numpy.typing as npt

from .. import shaders
from .matrices import Matrix
from .scenes import LIGHT, light_matrix

_HEADER = 16  # constants before the shadow map: light direction (3), map size, world to map (12)


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
        reached = 9.0
        if 1.0 < u < size - 2.0 and 1.0 < v < size - 2.0:
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    if constants[16 + (int(v) + dy) * size + int(u) + dx] > depth:
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
    direction = np.subtract(LIGHT, (0.6, -0.4, 0.8))
    matrix = _to_map(size)
    header = [*(direction / np.linalg.norm(direction)), size, *matrix[:, 0], *matrix[:, 1], *matrix[:, 2]]
    assert len(header) == _HEADER
    return _lit.with_constants(np.concatenate([np.array(header, np.float32), depth.reshape(-1)]))
