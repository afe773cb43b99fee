"""What the command processor asks of the machine behind it."""

from typing import NamedTuple, Protocol

from ..registers import RegisterFile

INDEX_BYTES = (2, 4, 1)  # by index type: 16, 32 and 8 bits


class DrawCall(NamedTuple):
    """One draw, with what its packet carries; all other state is in the registers.

    Attributes
    ----------
    indexed : bool
    index_address : int
        Guest address that index 0 of the buffer has (0 without indices).
    index_type : int
        0 for 16-bit, 1 for 32-bit, 2 for 8-bit indices.
    index_count : int
        Indices, or vertices of an auto draw.
    max_size : int
        Indices readable from `index_address` on.
    index_offset : int
        Position of the first index in the buffer, in indices.
    instance_count : int
        At least 1.
    initiator : int
        The VGT_DRAW_INITIATOR word.
    packet_offset : int
        Dword offset of the packet in its stream.
    stream_address : int or None
        Guest address of that stream, None when it was handed over as an array.
    """

    indexed: bool
    index_address: int
    index_type: int
    index_count: int
    max_size: int
    index_offset: int
    instance_count: int
    initiator: int
    packet_offset: int = 0
    stream_address: int | None = None


class DispatchCall(NamedTuple):
    """One dispatch: group counts and the COMPUTE_DISPATCH_INITIATOR word.

    Attributes
    ----------
    x, y, z : int
    initiator : int
    packet_offset : int
    stream_address : int or None
        As in `DrawCall`.
    registers : RegisterFile or None
        Registers of the compute queue that asked; None for the graphics queue, whose registers the machine knows.
    """

    x: int
    y: int
    z: int
    initiator: int
    packet_offset: int = 0
    stream_address: int | None = None
    registers: RegisterFile | None = None


class Counters(NamedTuple):
    """Totals since the machine was made; every counter only grows.

    Attributes
    ----------
    samples_passed : int
        Samples that passed the depth and stencil tests in draws with DB_COUNT_CONTROL.ZPASS_ENABLE.
    input_vertices, input_primitives : int
        Vertices or indices read, primitives made of them.
    vertex_invocations : int
        Runs of the vertex shader.
    clip_invocations, clip_primitives : int
        Primitives that reached the clipper and that left it.
    pixel_invocations : int
        Runs of the pixel shader.
    compute_invocations : int
    """

    samples_passed: int = 0
    input_vertices: int = 0
    input_primitives: int = 0
    vertex_invocations: int = 0
    clip_invocations: int = 0
    clip_primitives: int = 0
    pixel_invocations: int = 0
    compute_invocations: int = 0


class Sink(Protocol):
    """The machine that draws. Guest memory tells it before other packets touch bytes (`Memory.watch`)."""

    def draw(self, call: DrawCall) -> None:
        """Draw with the registers as they are now."""

    def dispatch(self, call: DispatchCall) -> None:
        """Run a compute grid with the registers as they are now."""


class Counting(Protocol):
    """What a sink has besides when it can count; one that cannot is taken to count nothing."""

    def counters(self) -> Counters:
        """Totals over everything asked so far, executed if need be."""


def counters_of(sink: Sink) -> Counters:
    """Totals of a sink; all 0 when it does not count."""
    count = getattr(sink, "counters", None)
    return Counters() if count is None else count()
