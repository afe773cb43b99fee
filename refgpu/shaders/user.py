"""A user's own function over a batch, made into a shader: `pixel` and `vertex_function`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from refgpu.raster.layout import PS_IN_ROWS, ROW, VS_IN_ROWS, PixelFlag, VertexFlag

from ..base.kernel import Callback, kernel
from ..base.pointers import float32_at, int32_at, int64_at
from .abi import CONSTANTS_BYTE, COUNT_BYTE, DISCARDED, SIGNATURE, STATUS_BYTE, PixelShader, VertexShader


def pixel(function: Callable[..., None] | None = None, *, attributes: int = 0, exports: int = 1, kills: bool = False,
          depth: bool = False, position: bool = False, facing: bool = False, linear: int = 0) -> Any:
    """Make a pixel shader out of ``function(inputs, outputs, live, constants, lanes)``.

    Parameters
    ----------
    function : callable
        What Numba can compile. `inputs` float32[rows, lanes or more]: rows X, Y (window position of the pixel centre),
        Z, W, FACE (+1 front, -1 back), then from row ATTRIBUTE on 4 rows per attribute. `outputs` float32: 4 rows
        (red, green, blue, alpha) per export, then one of depth. `live` int32: 1 where the pixel is covered; set it to
        0 to discard (with `kills`; helper lanes stay helpers).
        `constants` float32: see `Shader.with_constants`. `lanes`: how many lanes to do, a multiple of 64.
    attributes, exports : int
        How many it reads and writes.
    kills, depth, position, facing : bool
        Whether it discards, exports depth, reads X Y Z W, reads FACE. Rows it does not ask for hold nothing.
    linear : int
        Mask over the attributes that are interpolated without perspective.

    Returns
    -------
    PixelShader
    """
    if function is None:
        return lambda later: pixel(later, attributes=attributes, exports=exports, kills=kills, depth=depth,
                                   position=position, facing=facing, linear=linear)
    compiled = kernel(function)
    output_rows = 4 * exports + (1 if depth else 0)

    def entry(inputs, outputs, constants, lanes, live):
        count = int64_at(constants + np.int64(COUNT_BYTE), 1)[0]
        alive = int32_at(live, lanes)
        covered = alive.copy()
        compiled(
            float32_at(inputs, PS_IN_ROWS * ROW).reshape((PS_IN_ROWS, ROW)),
            float32_at(outputs, output_rows * ROW).reshape((output_rows, ROW)),
            alive,
            float32_at(constants + np.int64(CONSTANTS_BYTE), count),
            lanes,
        )
        for lane in range(lanes):
            kept = np.int32(1) if (covered[lane] != 0) & (alive[lane] != 0) else np.int32(0)
            if not kills and kept != covered[lane]:
                int64_at(constants + np.int64(STATUS_BYTE), 1)[0] = np.int64(DISCARDED)
                kept = covered[lane]
            alive[lane] = kept

    flags = PixelFlag(0)
    for wanted, flag in ((kills, PixelFlag.KILL), (depth, PixelFlag.DEPTH), (position, PixelFlag.POSITION),
                         (facing, PixelFlag.FACE)):
        flags |= flag if wanted else PixelFlag(0)
    return PixelShader(Callback(entry, SIGNATURE, cache=False), function.__name__, attributes=attributes,
                       exports=exports, flags=flags, linear=linear)


def vertex_function(function: Callable[..., None] | None = None, *, parameters: int = 0, distances: int = 0,
                    misc: bool = False) -> Any:
    """Make a vertex shader out of ``function(inputs, outputs, constants, lanes)``.

    Parameters
    ----------
    function : callable
        What Numba can compile. `inputs` int32[2, lanes or more]: vertex index, instance id. `outputs` float32: rows
        0 to 3 clip-space position; with `misc` 4 rows of the misc vector (point size, edge flag, layer | viewport << 16
        as integer bits, unused); then a row per clip or cull distance; then 4 rows per parameter.
        `constants` float32, `lanes` as for `pixel`.
    parameters, distances : int
        How many of each it exports.
    misc : bool
        Whether it exports the misc vector; PA_CL_VS_OUT_CNTL says which of its parts count.

    Returns
    -------
    VertexShader
    """
    if function is None:
        return lambda later: vertex_function(later, parameters=parameters, distances=distances, misc=misc)
    compiled = kernel(function)
    flags = VertexFlag.MISC if misc else VertexFlag(0)
    output_rows = 4 + (4 if misc else 0) + distances + 4 * parameters

    def entry(inputs, outputs, constants, lanes, live):
        count = int64_at(constants + np.int64(COUNT_BYTE), 1)[0]
        compiled(
            int32_at(inputs, VS_IN_ROWS * ROW).reshape((VS_IN_ROWS, ROW)),
            float32_at(outputs, output_rows * ROW).reshape((output_rows, ROW)),
            float32_at(constants + np.int64(CONSTANTS_BYTE), count),
            lanes,
        )

    return VertexShader(Callback(entry, SIGNATURE, cache=False), function.__name__, parameters=parameters,
                        distances=distances, flags=flags)
