"""Draws that wait to be executed together: all draws into the same targets form one pass."""

import ctypes
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import S
from refgpu.raster.pipeline import run_pass
from refgpu.raster.tables import Draw
from refgpu.raster.workspace import Workspace

from .base.bits import Bits
from .base.claims import Variant
from .base.errors import RefGpuError, UnsupportedError
from .draw_inputs import DrawInputs, decode_inputs
from .draw_report import Report
from .pm4 import DrawCall
from .registers import RegisterFile
from .residency import Residency
from .shaders import PixelShader, Shader, VertexShader
from .state import DrawState
from .state.rests_on import claims_of_counts

_CULL_FRONT, _CULL_BACK = Bits(0, 1), Bits(1, 1)  # PA_SU_SC_MODE_CNTL
_RECTANGLES = (7, 17)
# DB_COUNT_CONTROL
_ZPASS_INCREMENT_DISABLE, _ZPASS_ENABLE, _SLICE_EVEN_ENABLE, _SLICE_ODD_ENABLE = 0x1, 0xF00, 0xF << 24, 0xF << 28
_PASS_VERTICES = 1 << 24  # a pass is executed before its vertex rows grow beyond this


@dataclass(slots=True)
class _Waiting:
    """One queued draw, the blocks of constants that its shaders report faults through, and its number."""

    draw: Draw
    blocks: list[tuple[Shader, npt.NDArray[np.uint8]]]
    number: int
    call: DrawCall
    claims: frozenset[str]

    @property
    def label(self) -> str:
        """Which draw it is, for messages."""
        stream = "" if self.call.stream_address is None else f" of the stream at {self.call.stream_address:#x}"
        return f"draw {self.number} (its packet at dword {self.call.packet_offset:#x}{stream})"


class DrawQueue:
    """Queue of one Gpu.

    Parameters
    ----------
    residency : Residency
    report : Report
    variant : Variant
    threads : int
    faces_as_two_passes : bool
        Draw front faces first and back faces after them, each draw twice; see `Gpu`.
    """

    def __init__(self, residency: Residency, report: Report, variant: Variant, threads: int,
                 faces_as_two_passes: bool):
        self._residency = residency
        self._report = report
        self._variant = variant
        self._threads = threads
        self._two_passes = faces_as_two_passes
        self._workspace = Workspace()
        self._state: DrawState | None = None
        self._key: tuple[object, ...] = ()
        self._ranges: list[tuple[int, int]] = []  # bytes of the waiting draws' targets
        self._waiting: list[_Waiting] = []
        self._vertices = 0
        self._last_pixel: tuple[tuple[Any, ...], npt.NDArray[np.uint8], npt.NDArray[np.int64]] | None = None

    def add(self, call: DrawCall, registers: RegisterFile, state: DrawState, vertex: VertexShader,
            vertex_data: npt.NDArray[np.uint32], pixel: PixelShader | None,
            pixel_data: npt.NDArray[np.uint32]) -> None:
        """Queue a draw; what is wrong with its inputs or targets is raised now."""
        memory = self._residency.memory
        inputs = decode_inputs(call, registers, memory, self._variant)
        if inputs.count == 0 or inputs.instances == 0:
            return
        for warning in state.warnings:
            self._report.warn(warning)
        if not state.width:
            self._report.draws += 1  # it writes nothing
            return
        blocks: list[tuple[Shader, npt.NDArray[np.uint8]]] = []
        vertex_block = vertex.block(memory, vertex_data, inputs.highest_index, self._variant)
        blocks.append((vertex, vertex_block))
        rows_i = state.rows_i
        if pixel is not None:
            pixel_block, rows_i = self._pixel(state, pixel, pixel_data)
            blocks.append((pixel, pixel_block))
        key = (*state.targets_key, counts_samples(registers))
        if key != self._key or self._vertices > _PASS_VERTICES:
            self.execute()
        if not self._waiting:
            self._residency.check(state)
            self._ranges = [(surface.address, surface.address + surface.nbytes)
                            for surface in self._residency.surfaces(state)]
        number = self._report.draws + len(self._waiting)
        self._state, self._key = state, key
        for rows in self._passes(inputs, rows_i):
            draw = Draw(inputs.prim_type, inputs.count, inputs.instances, inputs.indices, inputs.index_offset,
                        inputs.restart, vertex.callback.address, _address(vertex_block), rows, state.rows_f, blocks)
            self._waiting.append(_Waiting(draw, blocks, number, call, state.claims))
        self._vertices += inputs.count * inputs.instances

    def _pixel(self, state: DrawState, pixel: PixelShader,
               data: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """Constants of the pixel shader, and state rows that point at them; the last draw's when nothing changed."""
        key = state, pixel, pixel.constants, data.tobytes()
        last = self._last_pixel
        if last is not None and all(map(operator.is_, key[:3], last[0][:3])) and key[3] == last[0][3]:
            return last[1:]
        block, rows = pixel.block(self._residency.memory, data), state.rows_i.copy()
        rows[:, S.PS_ADDRESS] = pixel.callback.address
        rows[:, S.PS_CONSTANTS] = _address(block)
        self._last_pixel = (key, block, rows) if type(pixel).block is Shader.block else None
        return block, rows

    def _passes(self, inputs: DrawInputs, rows: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
        if not self._two_passes or inputs.prim_type in _RECTANGLES:
            return [rows]
        result = []
        for other_face in (_CULL_BACK, _CULL_FRONT):
            one_face = rows.copy()
            one_face[:, S.SC_MODE] = [other_face.put(int(word), 1) for word in rows[:, S.SC_MODE]]
            result.append(one_face)
        return result

    def writes(self, address: int, nbytes: int) -> bool:
        """Whether a queued draw may change bytes of a range."""
        end = address + nbytes
        for first, behind in self._ranges:  # noqa: SIM110 - asked for every read of guest memory
            if first < end and address < behind:
                return True
        return False

    def execute(self) -> None:
        """Execute what waits.

        If a draw fails, the draws before it are executed, it and the ones after it are dropped, and its error is
        raised.
        """
        waiting, state, counted = self._waiting, self._state, bool(self._key and self._key[-1])
        self._waiting, self._state, self._key, self._vertices, self._ranges = [], None, (), 0, []
        if not waiting or state is None:
            return
        try:
            counts = self._run(state, waiting)
        except RefGpuError:
            if len(waiting) == 1:
                raise
            for one in waiting:  # nothing is drawn yet: find out which draw it is
                self._account([one], self._run(state, [one]), counted)
            raise
        self._account(waiting, counts, counted)

    def _run(self, state: DrawState, waiting: list[_Waiting]) -> dict[str, int]:
        """Draw into the targets; a RefGpuError means that nothing was drawn."""
        targets = self._residency.targets(state)
        try:
            counts = run_pass([one.draw for one in waiting], targets, self._threads, self._workspace)
        except RefGpuError as error:
            if len(waiting) == 1:
                error.args = (f"{waiting[0].label}: {error}",)
            raise
        self._residency.mark(state, targets)
        return counts

    def _account(self, waiting: list[_Waiting], counts: dict[str, int], counted: bool) -> None:
        """Enter what was drawn into the report, and raise what a shader reported."""
        self._report.draws += len({one.number for one in waiting})
        self._report.counts.update(counts)
        if counted:
            self._report.counts["samples_counted"] += counts["pixels_passed"]
        self._report.claims.update(claims_of_counts(counts), *{one.claims for one in waiting})
        for one in waiting:
            for shader, block in one.blocks:
                shader.check(block)


def counts_samples(registers: RegisterFile) -> bool:
    """Whether the draw counts samples for occlusion queries.  [DRAW-ZPASS-ENABLE]"""
    word = registers.word("DB_COUNT_CONTROL")
    if not word & _ZPASS_ENABLE or word & _ZPASS_INCREMENT_DISABLE:
        return False
    if not word & _SLICE_EVEN_ENABLE or not word & _SLICE_ODD_ENABLE:
        raise UnsupportedError("DB_COUNT_CONTROL.SLICE_EVEN_ENABLE and SLICE_ODD_ENABLE that are not both set", word)
    return True


def _address(block: npt.NDArray[np.uint8]) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(block.data))  # a quarter of the time of `block.ctypes.data`
