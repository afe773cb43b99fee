"""Runs the scenes and writes what came out: arrays, pictures, captures, a page."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import report
from ..capture import Capture
from ..compare import compare
from ..gpu import Gpu
from ..image_files import picture, png_bytes
from . import scenes
from .lit import lit
from .warm import compile_in_two_processes

Image = npt.NDArray[Any]

SHOWN_REGISTERS = ("PA_SU_SC_MODE_CNTL", "PA_SU_POLY_OFFSET_DB_FMT_CNTL", "PA_SU_POLY_OFFSET_FRONT_SCALE",
                   "PA_SU_POLY_OFFSET_FRONT_OFFSET", "PA_SU_POLY_OFFSET_BACK_SCALE", "PA_SU_POLY_OFFSET_BACK_OFFSET",
                   "PA_SU_POLY_OFFSET_CLAMP", "DB_Z_INFO", "DB_DEPTH_CONTROL", "PA_SU_VTX_CNTL")
_BIASES = {
    "biased": (scenes.Biases(), "each face with its own bias, as the registers say"),
    "one-bias": (scenes.Biases(back_scale=scenes.FRONT_SCALE), "the front faces' bias for both, as a path with one "
                                                               "bias per draw does it"),
    "unbiased": (scenes.Biases(mode=scenes.TWO_SIDED_BIAS & ~0x1800), "both enable bits clear: no bias"),
}


@dataclass
class Demo:
    """Writes into `folder`; `step` is told what is being done.

    Attributes
    ----------
    files : list of Path
        What was written.
    """

    folder: Path
    map_size: int = 1024
    view_size: tuple[int, int] = (800, 500)
    teapot_steps: int = 12
    step: Callable[[str], None] = lambda name: None
    files: list[Path] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def write(self) -> None:
        """Run every scene and write everything."""
        start = time.perf_counter()
        self.step("compiling, once per machine")
        compile_in_two_processes()
        self._shadows()
        self._triangles()
        self._order()
        self.figures["seconds"] = round(time.perf_counter() - start, 2)
        self.step("page")
        report.write_page(self.folder / "index.html", "refgpu demo", self.blocks)
        self.files.append(self.folder / "index.html")

    def _save(self, name: str, words: Image, image: npt.NDArray[np.uint8], caption: str) -> str:
        """Write bits and picture; returns the figure for the page."""
        self.folder.mkdir(parents=True, exist_ok=True)
        png = png_bytes(image)
        np.save(self.folder / f"{name}.npy", words)
        (self.folder / f"{name}.png").write_bytes(png)
        self.files += [self.folder / f"{name}.npy", self.folder / f"{name}.png"]
        return report.figure(image, caption, png)

    def _save_capture(self, name: str, capture: Capture) -> None:
        path = self.folder / "captures" / f"{name}.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        capture.save(path)
        self.files.append(path)

    def _shadows(self) -> None:
        self.step("tessellation")
        world = scenes.world(self.teapot_steps)
        view = scenes.lit_view(world, *self.view_size)
        maps, views = [], []
        for name, (biases, caption) in _BIASES.items():
            self.step(f"shadow map, {name}")
            capture = scenes.shadow_map(world, self.map_size, biases)
            gpu = capture.run()
            depth = gpu.depth()
            self.figures[f"shadow map {name}: pixels covered"] = int((depth.words()[0] != 0).sum())
            maps.append(self._save(f"shadow-{name}", depth.words(), picture(depth.read()[0]), caption))
            self.step(f"lit view, {name}")
            lit_gpu = scenes.run_with(view, lit(depth.read()[0]))
            color = lit_gpu.color(0)
            views.append(self._save(f"lit-{name}", color.words(), picture(color.read()[0]), caption))
            if name == "biased":
                rows = state_words(gpu)
                self._save_capture("shadow-map", capture)
        self._save_capture("lit-view", view)
        self.blocks += [
            report.paragraph(f"A shadow pass over {len(world.casters.indices)} triangles: the Utah teapot and a "
                             "one-sided sheet of paper whose back is turned to the light. Nothing is culled; the two "
                             "faces have biases of their own. The back faces' bias pushes them out of the map, so "
                             "the sheet must cast no shadow."),
            report.table(rows), report.heading("Shadow maps: Z32_FLOAT, white is near the light"), report.row(maps),
            report.heading("Lit with each of them"), report.row(views)]

    def _triangles(self) -> None:
        self.step("two triangles")
        figures = []
        for front, back in itertools.product((-64.0, 64.0), repeat=2):
            capture = scenes.two_triangles(front, back)
            gpu = capture.run()
            depth = gpu.depth().words()
            words = sorted({f"{word:#010x}" for word in np.unique(depth)} - {"0x3f000000"})
            caption = f"front {front:+.0f}, back {back:+.0f}: stored {', '.join(words) or 'nothing'}"
            image = picture(gpu.color(0).read()[0])
            figures.append(self._save(f"triangles{front:+.0f}{back:+.0f}", depth, image, caption))
            if (front, back) == (-64.0, 64.0):
                self._save_capture("two-triangles", capture)
        self.blocks += [report.heading("A front (orange) and a back face (blue) at z = 0.5 over a cleared 0.5, LESS"),
                        report.row(figures)]

    def _order(self) -> None:
        self.step("order")
        capture = scenes.leaves()
        self._save_capture("leaves", capture)
        hardware, passes = capture.run().color(0), capture.run(faces_as_two_passes=True).color(0)
        images = [hardware.read()[0], passes.read()[0]]
        figures = [self._save("order-hardware", hardware.words(), picture(images[0]), "primitive order"),
                   self._save("order-two-passes", passes.words(), picture(images[1]), "fronts, then backs")]
        codes = [np.rint(image * 255).astype(np.uint8) for image in images]
        result = compare(*codes)
        self.figures["order: pixels that two passes get wrong"] = result.differing_pixels
        self.blocks += [
            report.heading("Blending depends on the order"),
            report.paragraph("Left: one draw in primitive order, as the chip works. Middle: all front faces, then all "
                             "back faces, as a path that needs one pipeline per face bias does it."),
            report.row([*figures,
                        report.figure(report.difference_picture(*codes),
                                      f"{result.differing_pixels} pixels differ, by up to {result.max_ulp} codes")])]


def state_words(gpu: Gpu) -> list[tuple[str, str, str]]:
    """(register, word, its fields that are not 0) of the registers that a shadow pass is about."""
    rows = []
    for name in SHOWN_REGISTERS:
        register = gpu.registers.register(name)
        word = gpu.registers.word(name)
        fields = register.describe(word)
        if len(fields) == 1 and register.fields[fields[0].name].width == 32:
            told = f"{gpu.registers.float(name):g}"
        else:
            told = ", ".join(f"{field.name} {field.value}" for field in fields if field.value)
        rows.append((name, f"{word:#010x}", told))
    return rows
