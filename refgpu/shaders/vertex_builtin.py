"""Built-in vertex shaders: attributes fetched through V#s, and the rectangle that drivers clear with."""

import numpy as np

from refgpu.raster.layout import ROW, VS_IN_INDEX, VS_IN_INSTANCE, VertexFlag

from ..base.kernel import callback
from ..base.pointers import float32_at, int32_at, uint32_at
from .abi import CONSTANTS_BYTE, SIGNATURE, VertexShader


@callback(SIGNATURE)
def _clear_rect(inputs, outputs, constants, lanes, live):
    """Corners (-1, -1), (-1, 1), (1, -1) at a constant depth; the layer is the instance."""
    depth = float32_at(constants + CONSTANTS_BYTE, 1)[0]
    index = int32_at(inputs + np.int64(4) * ROW * VS_IN_INDEX, lanes)
    instance = int32_at(inputs + np.int64(4) * ROW * VS_IN_INSTANCE, lanes)
    x = float32_at(outputs, lanes)
    y = float32_at(outputs + np.int64(4) * ROW, lanes)
    z = float32_at(outputs + np.int64(8) * ROW, lanes)
    w = float32_at(outputs + np.int64(12) * ROW, lanes)
    point_size = uint32_at(outputs + np.int64(16) * ROW, lanes)
    edge_flag = uint32_at(outputs + np.int64(20) * ROW, lanes)
    layer = uint32_at(outputs + np.int64(24) * ROW, lanes)
    unused = uint32_at(outputs + np.int64(28) * ROW, lanes)
    for lane in range(lanes):
        x[lane] = np.float32(1.0) if index[lane] == 2 else np.float32(-1.0)
        y[lane] = np.float32(1.0) if index[lane] == 1 else np.float32(-1.0)
        z[lane] = depth
        w[lane] = np.float32(1.0)
        point_size[lane] = np.uint32(0)
        edge_flag[lane] = np.uint32(0)
        layer[lane] = np.uint32(instance[lane])
        unused[lane] = np.uint32(0)


def clear_rect(depth: float = 0.0) -> VertexShader:
    """Vertex shader of a driver's clear rectangle (RECTLIST, three vertices): the whole clip space, one depth."""
    return VertexShader(_clear_rect, "clear_rect", flags=VertexFlag.MISC).with_constants([depth])
