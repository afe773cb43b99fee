"""Captures: everything that a scene needs to be drawn again, in a folder or a zip; ``docs/capture-format.md``."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .base.errors import InputError, RefGpuError
from .capture_check import Difference, Expected, difference, read_output
from .capture_document import make_document, read_parts
from .capture_files import DOCUMENT, MAX_DOCUMENT_BYTES, FolderWriter, ZipWriter, open_files
from .capture_parts import CaptureOutput, CaptureRegion, CaptureRegister, CaptureStream, FileRange
from .capture_schema import check
from .memory import Memory

if TYPE_CHECKING:
    from .gpu import Gpu

__all__ = [
    "Capture",
    "CaptureOutput",
    "CaptureRegion",
    "CaptureRegister",
    "CaptureStream",
    "Difference",
    "Expected",
    "FileRange",
]


@dataclass
class Capture:
    """A scene: memory, registers, command streams, stand-in shaders, and what should come out.

    Attributes
    ----------
    profile : str
    memory : list of CaptureRegion
    registers : list of CaptureRegister
    streams : list of CaptureStream
        Executed in order.
    shaders : list of dict
        Stand-ins: ``stage``, ``kind``, perhaps ``address``, and what the kind needs.
    outputs : list of CaptureOutput
    expected : list of Expected
    variant : dict
        Contested claims and the alternative to follow.
    description, limits : str
        What it shows, and what it cannot show.
    """

    profile: str = "gfx1013"
    memory: list[CaptureRegion] = field(default_factory=list)
    registers: list[CaptureRegister] = field(default_factory=list)
    streams: list[CaptureStream] = field(default_factory=list)
    shaders: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[CaptureOutput] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    variant: dict[str, str] = field(default_factory=dict)
    description: str = ""
    limits: str = ""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Capture":
        """Read a capture: a folder, its ``capture.json``, or a ``.zip``.

        Raises
        ------
        InputError
            Names the file, the place in the JSON and what is wrong there.
        """
        place = Path(path)
        if place.name == DOCUMENT:
            place = place.parent
        files = open_files(place)
        try:
            raw = files.read(DOCUMENT)
            if raw.size > MAX_DOCUMENT_BYTES:
                raise InputError(f"{DOCUMENT} has {raw.size} bytes; at most {MAX_DOCUMENT_BYTES} are read")
            try:
                document = json.loads(raw.tobytes())
            except (ValueError, RecursionError) as error:  # ValueError: no JSON, no UTF-8, or a number of 5000 digits
                raise InputError(f"{place}: {DOCUMENT} is not JSON: {error}") from None
            check(document)
            return cls(**read_parts(document, files))
        except RefGpuError as error:
            error.args = (f"{place}: {error}" if str(place) not in str(error) else str(error),)
            raise
        finally:
            files.close()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the capture: a zip when the name ends in ``.zip``, else a folder."""
        place = Path(path)
        writer = ZipWriter(place) if place.suffix == ".zip" else FolderWriter(place)
        document = make_document(self, writer)
        check(document)
        writer.write(DOCUMENT, (json.dumps(document, indent=1) + "\n").encode())
        writer.close()

    def build_memory(self) -> Memory:
        """Guest memory as it is before the first stream, new each time; files of a folder are mapped, not loaded."""
        memory = Memory()
        for region in self.memory:
            data = region.data
            if isinstance(data, FileRange):
                made = memory.map(region.address, data.path, offset=data.offset, nbytes=data.nbytes, name=region.name)
            else:
                made = memory.map(region.address, region.nbytes, name=region.name)
                if data is not None:
                    memory.write(region.address, data)
                elif region.fill:
                    memory.fill(region.address, region.nbytes, region.fill)
            made.read_only = region.read_only
        return memory

    def run(self, **options: Any) -> "Gpu":
        """Draw the scene: `prepare`, then `execute`.

        Parameters
        ----------
        **options
            For `Gpu`, for example ``threads=1``.
        """
        gpu = self.prepare(**options)
        self.execute(gpu)
        return gpu

    def prepare(self, gpu_class: "type[Gpu] | None" = None, **options: Any) -> "Gpu":
        """Make a Gpu over new memory, bind the stand-ins, set the registers; nothing is executed yet.

        Parameters
        ----------
        gpu_class : type
            `Gpu` or a class derived from it.
        **options
            For `Gpu`.
        """
        from .gpu import Gpu
        from .shaders.description import from_description

        memory = self.build_memory()
        gpu = (gpu_class or Gpu)(memory, self.profile, self.variant or None, **options)
        for register in self.registers:
            if register.name:
                gpu.registers[register.name] = register.value
            else:
                gpu.registers.set(register.bank, register.offset, register.value)
        for shader in self.shaders:
            gpu.bind(shader["stage"], from_description(shader, memory), shader.get("address"))
        return gpu

    def execute(self, gpu: "Gpu") -> None:
        """Submit the streams in order to a Gpu that `prepare` made."""
        for i, stream in enumerate(self.streams):
            try:
                gpu.submit((stream.address, stream.dwords) if stream.words is None else stream.words)
            except RefGpuError as error:
                error.args = (f"stream {i}{f' ({stream.name})' if stream.name else ''}: {error}",)
                raise

    def output(self, name: str) -> CaptureOutput:
        """The output called `name`."""
        for output in self.outputs:
            if output.name == name:
                return output
        raise InputError(f"the capture has no output {name!r}; outputs: {', '.join(o.name for o in self.outputs)}")

    def compare(self, gpu: "Gpu") -> list[Difference]:
        """How what `run` left in memory differs from each expected output, in their order."""
        return [difference(expected, read_output(gpu, self.output(expected.output))) for expected in self.expected]
