"""The machine: registers, memory and commands in; what the chip would have written out."""

import os
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from .base.claims import Variant
from .base.errors import InputError, UnsupportedError
from .binding import Bindings
from .draw_queue import DrawQueue
from .draw_report import Report
from .memory import Memory
from .pm4 import CommandProcessor, Counters, DispatchCall, DrawCall, run_queues
from .registers import RegisterFile
from .residency import Residency
from .shaders import Shader
from .state import DrawState, decode_state
from .state.color import color_target_blocks
from .state.depth import depth_target_block
from .state.variants import geometry_flags
from .target_view import ColorView, DepthView, StencilView


def available_threads() -> int:
    """Threads to use: ``REFGPU_THREADS``, or the cores this process may run on."""
    wanted = os.environ.get("REFGPU_THREADS")
    if wanted:
        if not wanted.isdecimal():
            raise InputError(f"REFGPU_THREADS = {wanted!r}: expected a number of threads")
        return max(1, int(wanted))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _counts(*counts: int) -> tuple[int, ...]:
    """Counts of a draw as packets could hold them."""
    for count in counts:
        if not isinstance(count, int | np.integer) or not 0 <= count <= 0xFFFFFFFF:
            raise InputError(f"a draw's count {count!r}: expected a whole number of 32 bits")
    return tuple(int(count) for count in counts)


class Gpu:
    """One GPU.

    Parameters
    ----------
    memory : Memory, optional
        The guest address space; a new, empty one by default.
    profile : str
        ``gfx1013`` (default), ``gfx1010``, ``gfx1030`` or ``gfx1035``.
    variant : mapping, optional
        Contested claim to the name of the alternative to follow.
    threads : int, optional
        How many threads work on a draw; the bits written do not depend on it.
    faces_as_two_passes : bool
        For comparison only: draw all front faces of a draw, then all back faces, as a Vulkan path with one depth bias
        per pipeline does. The chip does not.

    Notes
    -----
    Draws are queued. They have run, and guest memory holds what they wrote, when `submit` returns, when `finish` was
    called, or when somebody reads: through `Memory`, `color`, `depth` or `stencil`.
    """

    def __init__(self, memory: Memory | None = None, profile: str = "gfx1013",
                 variant: Mapping[str, str] | None = None, *, threads: int | None = None,
                 faces_as_two_passes: bool = False):
        self.memory = Memory() if memory is None else memory
        self.profile = profile
        self.variant = Variant(variant)
        self._geometry_flags = geometry_flags(self.variant)
        self.registers = RegisterFile(profile)
        self.report = Report()
        self._bindings = Bindings(self.registers)
        self._residency = Residency(self.memory, profile)
        self._queue = DrawQueue(self._residency, self.report, self.variant, threads or available_threads(),
                                faces_as_two_passes)
        self._state: DrawState | None = None  # of the last draw; its key holds everything that decoding looks at
        self._state_key: tuple[object, ...] = ()
        self._processor = CommandProcessor(self.registers, self.memory, self)
        self._compute = CommandProcessor(RegisterFile(profile), self.memory, self, "compute")
        self._compute.gds = self._processor.gds  # one for the whole chip
        self.memory.watch(self)

    # --- commands -------------------------------------------------------------------------------------------------

    def submit(self, stream: npt.ArrayLike | tuple[int, int]) -> None:
        """Execute a PM4 stream, in order and completely.

        Parameters
        ----------
        stream : array of uint32, or (address, dwords)
            The dwords themselves, or where they lie in guest memory.

        Raises
        ------
        RefGpuError
            Names the packet and its dword offset. Everything before that packet has been executed.
        """
        try:
            self._processor.submit(stream)
        finally:
            self.finish()

    def submit_queues(self, graphics: Iterable[npt.ArrayLike | tuple[int, int]] = (),
                      compute: Iterable[npt.ArrayLike | tuple[int, int]] = ()) -> None:
        """Execute streams of the graphics queue and of a compute queue side by side.  [PM4-QUEUE-ORDER]

        Parameters
        ----------
        graphics, compute : iterable of streams
            Each as `submit` takes them. The compute queue has registers of its own.

        Raises
        ------
        InputError
            A deadlock; the message names what each queue waits for.
        RefGpuError
            As `submit`; a note names the queue.
        """
        try:
            run_queues({"graphics": (self._processor, graphics), "compute": (self._compute, compute)})
        finally:
            self.finish()

    def bind(self, stage: str, shader: Shader, address: int | None = None) -> None:
        """Let a stand-in take the place of machine code.

        Parameters
        ----------
        stage : {"vs", "ps", "cs"}
        shader : Shader
            See `refgpu.shaders`.
        address : int, optional
            Only for code at this address; by default for all code of the stage that has no stand-in of its own.
        """
        self._bindings.bind(stage, shader, address)

    def draw_auto(self, count: int, instances: int = 1) -> None:
        """Draw vertices 0 .. count-1 with the registers as they are."""
        count, instances = _counts(count, instances)
        self.draw(DrawCall(False, 0, 0, count, count, 0, instances, initiator=2))

    def draw_indexed(self, count: int, address: int, index_type: int = 0, instances: int = 1) -> None:
        """Draw with `count` indices at `address`; `index_type` 0 is 16-bit, 1 is 32-bit, 2 is 8-bit."""
        count, instances = _counts(count, instances)
        self.draw(DrawCall(True, address, index_type, count, count, 0, instances, initiator=0))

    def dispatch(self, call: DispatchCall) -> None:
        """Refuse: compute shaders are not modelled yet."""
        raise UnsupportedError(f"DISPATCH_DIRECT {call.x} x {call.y} x {call.z}: compute shaders")

    def draw(self, call: DrawCall) -> None:
        """Queue one draw; also what the command processor calls."""
        vertex, vertex_data = self._bindings.vertex()
        pixel, pixel_data = self._bindings.pixel()
        key = (self.registers.generation("context"), vertex.signature, pixel.signature if pixel else None)
        if key != self._state_key or self._state is None:
            self._state = decode_state(self.registers, vertex, pixel, self._geometry_flags)
            self._state_key = key
        state = self._state
        self._queue.add(call, self.registers, state, vertex, vertex_data, pixel, pixel_data)

    def counters(self) -> Counters:
        """Totals for queries, every queued draw executed; what the command processor writes to memory."""
        self._queue.execute()
        counts = self.report.counts
        return Counters(
            samples_passed=counts["samples_counted"], input_vertices=counts["vertices"],
            input_primitives=counts["triangles"], vertex_invocations=counts["vertices_shaded"],
            clip_invocations=counts["triangles"], clip_primitives=counts["triangles"] - counts["outside"],
            pixel_invocations=counts["pixels_shaded"])

    def execute(self) -> None:
        """Execute every queued draw; results may stay in working copies until somebody reads them."""
        self._queue.execute()

    def finish(self) -> None:
        """Execute every queued draw and write all results to guest memory."""
        self._queue.execute()
        self._residency.write_back()

    # --- what others do to guest memory (refgpu.memory.Watcher) ---------------------------------------------------

    def before_read(self, address: int, nbytes: int) -> None:
        """Make guest bytes true before somebody reads them."""
        if self._queue.writes(address, nbytes):
            self._queue.execute()
        self._residency.write_back(address, nbytes)

    def before_write(self, address: int, nbytes: int) -> None:
        """Finish what still needs the old bytes."""
        self._queue.execute()
        self._residency.write_back(address, nbytes)

    # --- results --------------------------------------------------------------------------------------------------

    def color(self, index: int) -> ColorView:
        """Colour target `index` as the registers describe it now."""
        if not 0 <= index < len(color_target_blocks):
            raise InputError(f"colour target {index}: expected 0..7")
        target = color_target_blocks[index](self.registers)
        if target is None:
            raise InputError(f"CB_COLOR{index}_INFO.FORMAT is 0: no colour target {index}")
        return ColorView(self.memory, target, self.profile)

    def depth(self) -> DepthView:
        """The depth target as the registers describe it now."""
        target = depth_target_block(self.registers)
        if target is None or not target.z_format:
            raise InputError("DB_Z_INFO.FORMAT is 0: no depth target")
        return DepthView(self.memory, target, self.profile)

    def stencil(self) -> StencilView:
        """The stencil target as the registers describe it now."""
        target = depth_target_block(self.registers)
        if target is None or not target.has_stencil:
            raise InputError("DB_STENCIL_INFO.FORMAT is 0: no stencil target")
        return StencilView(self.memory, target, self.profile)

    def __repr__(self) -> str:
        return f"<Gpu {self.profile}, {len(self.memory.regions)} regions, {self.report.draws} draws>"
