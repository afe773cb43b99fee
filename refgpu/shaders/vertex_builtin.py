"""Built-in vertex shaders: attributes fetched through V#s, and the rectangle that drivers clear with."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import ROW, VS_IN_INDEX, VS_IN_INSTANCE, VertexFlag
from refgpu.texture.buffer_fetch import RECORD, fetch_lanes
from refgpu.texture.buffers import Buffer

from ..base.claims import Variant
from ..base.errors import InputError
from ..base.kernel import callback
from ..base.pointers import float32_at, int32_at, int64_at, uint32_at
from ..memory import Memory
from .abi import CONSTANTS_BYTE, COUNT_BYTE, SIGNATURE, STATUS, STATUS_BYTE, VertexShader

_MAX_BUFFERS: Final = 33  # a position and 32 parameters


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


@callback(SIGNATURE)
def _vertex(inputs, outputs, constants, lanes, live):
    """One formatted load per buffer: the first is the position, the others are parameters."""
    status = int64_at(constants + np.int64(STATUS_BYTE), 1)
    count = int64_at(constants + np.int64(COUNT_BYTE), 1)[0] // RECORD
    records = int64_at(constants + np.int64(CONSTANTS_BYTE), count * RECORD)
    index = uint32_at(inputs + np.int64(4) * ROW * VS_IN_INDEX, lanes)
    for buffer in range(count):
        out = float32_at(outputs + np.int64(16) * ROW * buffer, np.int64(4) * ROW)
        record = records[buffer * RECORD : (buffer + 1) * RECORD]
        stopped = fetch_lanes(record, index, out, np.int64(1), np.int64(ROW))
        if stopped >= 0:
            status[0] = (np.int64(index[stopped]) + 1) * _MAX_BUFFERS + buffer


class FetchShader(VertexShader):
    """The vertex shader that `vertex` makes."""

    def __init__(self, buffers: tuple[Buffer, ...]):
        super().__init__(_vertex, "vertex", parameters=len(buffers) - 1)
        self.buffers = buffers
        self._memories: list[Any] = list({id(buffer.memory): buffer.memory for buffer in buffers}.values())
        self._owners: list[Any] = []  # of the bytes that the constants point at
        self._reads: list[tuple[Any, int, int]] = []
        self._resolved: tuple[object, ...] = ()  # the highest index, variant and memory that the above is for

    def block(self, memory: Memory, user_data: npt.NDArray[np.uint32],
              highest_index: Callable[[], int] | None = None, variant: Variant | None = None) -> npt.NDArray[np.uint8]:
        """Resolve the V#s; InputError when the draw's vertices do not lie in mapped memory."""
        highest = -1 if highest_index is None else highest_index()
        key = highest, variant, [memory.layout for memory in self._memories]
        if key != self._resolved:
            self._resolve(highest, variant)
            self._resolved = key
        for owner, address, nbytes in self._reads:
            owner.make_true(address, nbytes)
        return super().block(memory, user_data)

    def _resolve(self, highest: int, variant: Variant | None) -> None:
        """Find the bytes that vertices up to `highest` need, and where they lie in this process."""
        reads = []
        for buffer in self.buffers:
            nbytes = buffer.extent(highest)
            if nbytes:
                region = buffer.memory.region_at(buffer.address)
                if region is None or buffer.address + nbytes > region.end:
                    raise buffer.fault(highest)
                reads.append((buffer.memory, buffer.address, nbytes))
        self._reads = reads
        found = [buffer.record(variant=variant) for buffer in self.buffers]
        self._owners = [owner for _, owner in found]
        constants = np.concatenate([record for record, _ in found])
        if not np.array_equal(constants, self.constants):
            self.constants = constants

    def check(self, block: npt.NDArray[np.uint8]) -> None:
        """Raise for the vertex that could not be read."""
        (status,) = STATUS.unpack_from(block.data, STATUS_BYTE)
        if status:
            raise self.buffers[status % _MAX_BUFFERS].fault(status // _MAX_BUFFERS - 1)


def vertex(position: Buffer, attributes: Sequence[Buffer] = ()) -> VertexShader:
    """Vertex shader that loads the position and parameters 0, 1, ... by the vertex index.

    Parameters
    ----------
    position : texture.Buffer
        Clip-space x, y, z, w; components that its format lacks are 0, 0, 0, 1.
    attributes : sequence of texture.Buffer
        One for each parameter.
    """
    buffers = (position, *attributes)
    for buffer in buffers:
        if not isinstance(buffer, Buffer):
            raise InputError(f"{buffer!r} is no texture.Buffer")
    if len(buffers) > _MAX_BUFFERS:
        raise InputError(f"{len(attributes)} attributes: expected at most {_MAX_BUFFERS - 1}")
    return FetchShader(buffers)
