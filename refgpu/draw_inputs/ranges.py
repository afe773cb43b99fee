"""Byte ranges that a draw reads: its index buffer, and through each V# what its vertices need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from refgpu.texture.buffer_fetch import indices_in_bounds
from refgpu.texture.buffers import Buffer

from ..base.errors import InputError
from .inputs import DrawInputs, wrapped

_DWORD = 4


@dataclass(frozen=True)
class Attribute:
    """One formatted load of the vertex stage.

    Attributes
    ----------
    buffer : texture.Buffer
        The V#.
    offset : int
        Bytes into the record, checked against the bounds.
    step : int or None
        None: by the vertex index. n: by the instance, the same record for n instances; 0: one record for all.
    """

    buffer: Buffer
    offset: int = 0
    step: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of one element."""
        return self.buffer.format.bits // 8

    @property
    def alignment(self) -> int:
        """Alignment that a reader of this element needs.  [DRAW-VERTEX-ALIGNMENT]"""
        return min(self.nbytes & -self.nbytes, _DWORD)


@dataclass(frozen=True)
class Range:
    """Bytes that a draw reads.

    Attributes
    ----------
    address, nbytes : int
    alignment : int
        Strictest alignment that one of its readers needs.
    strides : frozenset of int
        Distances between records of its readers that read more than one.
    what : str
        ``"indices"`` or ``"vertices"``.
    readers : tuple of int
        Which of the attributes read it.
    """

    address: int
    nbytes: int
    alignment: int
    strides: frozenset[int] = frozenset()
    what: str = "vertices"
    readers: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        """First address behind it."""
        return self.address + self.nbytes

    @property
    def aligned(self) -> bool:
        """Whether start and strides have the alignment."""
        return not any(value % self.alignment for value in (self.address, *self.strides))


def instance_indices(step: int, instances: int, start_instance: int = 0) -> list[tuple[int, int]]:
    """Lowest and highest record of an attribute that goes by the instance.  [DRAW-INSTANCE-STEP]"""
    if instances < 1:
        return []
    last = (instances - 1) // step if step else 0
    return wrapped(start_instance, start_instance + last)


def instance_index(instance: int, step: int, start_instance: int = 0) -> int:
    """Record that an instance reads.  [DRAW-INSTANCE-STEP]"""
    return (start_instance + (instance // step if step else 0)) & 0xFFFFFFFF


def attribute_ranges(attribute: Attribute, index_ranges: Iterable[tuple[int, int]], reader: int = 0) -> list[Range]:
    """What one attribute reads for some index ranges, by the V#'s bounds rule; nothing through a null V#."""
    buffer = attribute.buffer
    if buffer.null:
        return []
    for name in ("SWIZZLE_ENABLE", "ADD_TID_ENABLE"):
        if buffer.fields[name]:
            raise InputError(f"V# at {buffer.address:#x}: ranges of a buffer with {name} are not known")
    stride, size, offset = buffer.fields["STRIDE"], attribute.nbytes, attribute.offset
    limit = int(indices_in_bounds(buffer.fields["OOB_SELECT"], offset, size, stride, buffer.fields["NUM_RECORDS"]))
    found = []
    for low, high in index_ranges:
        last = min(high, limit - 1)
        if low > last:
            continue
        first = buffer.address + offset + low * stride
        strides = frozenset((stride,)) if stride and last > low else frozenset()
        found.append(Range(first, (last - low) * stride + size, attribute.alignment, strides, readers=(reader,)))
    return found


def merge_ranges(ranges: Iterable[Range]) -> list[Range]:
    """Ranges that overlap or touch become one, with the strictest alignment of those that share it."""
    merged: list[Range] = []
    for one in sorted(ranges, key=lambda one: (one.what, one.address)):
        last = merged[-1] if merged else None
        if last is not None and last.what == one.what and one.address <= last.end:
            merged[-1] = Range(last.address, max(last.end, one.end) - last.address,
                               max(last.alignment, one.alignment), last.strides | one.strides, one.what,
                               tuple(sorted({*last.readers, *one.readers})))
        else:
            merged.append(one)
    return merged


def vertex_ranges(inputs: DrawInputs, attributes: Sequence[Attribute], base_vertex: int = 0,
                  start_instance: int = 0) -> list[Range]:
    """Byte ranges that the vertex stage reads, merged per buffer, in order of their addresses.

    Parameters
    ----------
    inputs : DrawInputs
    attributes : sequence of Attribute
    base_vertex, start_instance : int
        What the shader adds, modulo 2^32; `base_vertex` may be negative.

    Returns
    -------
    list of Range
        Each begins and ends with a byte that a vertex of lowest or highest index reads. Through a V# whose bounds cut
        the draw's index range off, the range ends with the last record in bounds.
    """
    by_vertex = [pair for low, high in inputs.index_ranges() for pair in wrapped(low + base_vertex, high + base_vertex)]
    found: list[Range] = []
    for reader, attribute in enumerate(attributes):
        indices = by_vertex
        if attribute.step is not None:
            indices = instance_indices(attribute.step, inputs.instances, start_instance) if by_vertex else []
        found += attribute_ranges(attribute, indices, reader)
    return merge_ranges(found)


def index_range(inputs: DrawInputs) -> list[Range]:
    """Bytes of the index buffer that the draw reads: none or one range."""
    if inputs.indices is None or not inputs.indices.size:
        return []
    return [Range(inputs.index_address, inputs.indices.nbytes, inputs.indices.itemsize, what="indices")]


def draw_ranges(inputs: DrawInputs, attributes: Sequence[Attribute] = (), base_vertex: int = 0,
                start_instance: int = 0) -> list[Range]:
    """Everything a draw reads before a pixel is shaded: indices, then vertices; arguments as `vertex_ranges`."""
    return index_range(inputs) + vertex_ranges(inputs, attributes, base_vertex, start_instance)
