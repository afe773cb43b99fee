"""Launcher of the geometry stages: draws of a pass in, records in bins out."""

import threading
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, UnsupportedError
from .assembly import assemble, mark_and_split, plan
from .bins import fill_bins
from .chunk import COUNTS, ERROR_INPUT, ERROR_NONE, setup_chunk
from .clip import CODE_PLANES
from .draw_table import D, draw_rows, state_rows
from .layout import BATCH_LANES, RECORD_WORDS, ROW, VS_IN_ROWS, S, VertexFlag
from .parallel import run_jobs
from .pieces import POLYGON_FLOATS, POLYGON_VERTICES, clip_chunk, count_pieces
from .tables import Draw, Geometry, Targets
from .vertex_stage import shade_rows
from .workspace import Workspace

LIMIT: Final = 1 << 27          # vertices or triangles of one pass
RECORD_LIMIT: Final = 1 << 26   # triangles times tiles: 4 GiB
_CHUNK: Final = 8192            # triangles
_VERTEX_JOB: Final = 32 * BATCH_LANES
_BIN_LIMIT: Final = 1 << 22     # chunks x tiles
_VS_OUT_ROWS: Final = 4 + 4 + 8 + 128


class _Pass:
    """One run of the stages over one workspace."""

    def __init__(self, draws: list[Draw], targets: Targets, threads: int, workspace: Workspace):
        self.targets = targets
        self.threads = max(int(threads), 1)
        self.workspace = workspace
        self.draws = draw_rows(draws)
        self.state_i, self.state_f = state_rows(draws)
        self.counts: dict[str, int] = {}
        self.work = self.draws[:, D.VERTICES] * self.draws[:, D.INSTANCES]
        if len(draws) and (self.draws[:, D.VERTICES].max() > LIMIT or self.draws[:, D.INSTANCES].max() > LIMIT
                           or self.work.max() > LIMIT or self.work.sum() > LIMIT):
            raise UnsupportedError("vertices in one pass", int(self.work.max()))

    def take(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        return self.workspace.take(name, shape, dtype)

    def plan(self) -> None:
        rows, triangles, marks, splits = plan(self.draws, self.state_i)
        self.rows, self.triangle_count = int(rows), int(triangles)
        self.marks = self.take("marks", (max(int(marks), 1),), np.uint8)
        self.splits = self.take("splits", (int(splits), 3), np.int32)
        indexed = np.flatnonzero(self.draws[:, D.INDEX_BYTES])
        run_jobs(lambda job, _: mark_and_split(int(indexed[job]), self.draws, self.state_i, self.marks, self.splits),
                 len(indexed), self.threads)
        flags = int(np.bitwise_or.reduce(self.state_i[:, S.VERTEX_FLAGS], initial=0))
        self.chooses_viewport = bool(flags & VertexFlag.VIEWPORT)
        rows = self.rows
        self.codes = self.take("codes", (rows,), np.int32)
        self.positions = self.take("positions", (rows, 4), np.float32)
        distances = int(self.state_i[:, S.DISTANCE_COUNT].max(initial=0))
        self.distances = self.take("distances", (rows, distances), np.float32)
        self.misc = self.take("misc", (rows if flags & VertexFlag.MISC else 1,), np.int32)
        self.screen_xy = self.take("screen_xy", (rows, 2), np.int32)
        self.screen_zw = self.take("screen_zw", (rows, 2), np.float32)
        stride = 4 * int(self.state_i[:, S.PARAMETER_COUNT].max(initial=0))
        self.params = self.take("params", (rows, stride), np.float32)
        self.triangles = self.take("triangles", (self.triangle_count, 4), np.int32)

    def shade(self) -> None:
        seen = [0] * self.threads
        shaded = [0] * self.threads
        batches = [(self.take(f"inputs{worker}", (VS_IN_ROWS * ROW,), np.int32),
                    self.take(f"outputs{worker}", (_VS_OUT_ROWS * ROW,), np.float32),
                    self.take(f"rows{worker}", (BATCH_LANES,), np.int32),
                    self.take(f"window{worker}", (4 * ROW,), np.float32),
                    self.take(f"snapped{worker}", (2 * ROW,), np.int32),
                    self.take(f"batch{worker}", (ROW,), np.int32)) for worker in range(self.threads)]

        def job(index: int, worker: int) -> None:
            inputs, outputs, rows, window, snapped, batch = batches[worker]
            begin = index * _VERTEX_JOB
            codes, lanes = shade_rows(begin, min(begin + _VERTEX_JOB, self.rows), self.draws, self.state_i,
                                      self.state_f, self.marks, inputs, outputs, rows, inputs.ctypes.data,
                                      outputs.ctypes.data, self.positions, self.distances, self.misc, self.codes,
                                      self.screen_xy, self.screen_zw, self.params, window, snapped, batch)
            seen[worker] |= codes
            shaded[worker] += lanes

        run_jobs(job, -(-self.rows // _VERTEX_JOB), self.threads)
        self.clips = any(codes & CODE_PLANES for codes in seen) or self.chooses_viewport
        self.counts["vertices"] = int(self.work.sum())
        self.counts["vertices_shaded"] = sum(shaded)

    def assemble(self) -> None:
        tiles = max(self.targets.tiles, 1)
        chunk = max(min(_CHUNK, -(-self.triangle_count // 8)), 256, -(-self.triangle_count * tiles // _BIN_LIMIT))
        self.bounds = [(begin, min(begin + chunk, self.triangle_count))
                       for begin in range(0, self.triangle_count, chunk)]
        self.extra = np.zeros((len(self.bounds) + 1, 3), np.int64)

        def job(index: int, worker: int) -> None:
            begin, end = self.bounds[index]
            assemble(begin, end, self.draws, self.state_i, self.splits, self.misc, self.triangles)
            if self.clips:
                self.extra[index + 1] = count_pieces(begin, end, self.draws, self.state_i, self.triangles, self.codes,
                                                     self.misc)

        run_jobs(job, len(self.bounds), self.threads)
        self.most_pieces = int(self.extra[:, 1].max())
        self.extra = np.cumsum(self.extra, axis=0)
        rows, triangles, apart = (int(n) for n in self.extra[-1])
        if rows:
            for name in ("screen_xy", "screen_zw", "params"):
                setattr(self, name, self.workspace.grow(name, getattr(self, name), self.rows + rows))
            self.triangles = self.workspace.grow("triangles", self.triangles, self.triangle_count + triangles)
        self.apart = self.take("apart", (apart, 2), np.int32)
        self.apart_bias = self.take("apart_bias", (apart, 3), np.float32)
        if apart:
            self.clip()
        self.counts["triangles"] = self.triangle_count

    def clip(self) -> None:
        polygons = [(self.take(f"polygon{worker}", (POLYGON_VERTICES, POLYGON_FLOATS), np.float32),
                     self.take(f"spare{worker}", (POLYGON_VERTICES, POLYGON_FLOATS), np.float32),
                     self.take(f"linear{worker}", (POLYGON_FLOATS,), np.uint8)) for worker in range(self.threads)]
        chunks = np.flatnonzero(np.diff(self.extra[:, 2]))

        def job(index: int, worker: int) -> None:
            chunk = int(chunks[index])
            rows, triangles, apart = (int(n) for n in self.extra[chunk])
            clip_chunk(*self.bounds[chunk], self.draws, self.state_i, self.state_f, self.triangles, self.codes,
                       self.misc, self.positions, self.distances, self.screen_xy, self.screen_zw, self.params,
                       self.rows + rows, self.triangle_count + triangles, apart, *polygons[worker], self.apart,
                       self.apart_bias)

        run_jobs(job, len(chunks), self.threads)

    def set_up(self) -> None:
        targets = self.targets
        chunks, tiles = len(self.bounds), targets.tiles
        begins = self.take("begins", (chunks, tiles), np.int64)
        ends = self.take("ends", (chunks, tiles), np.int64)
        longest = max((end - begin for begin, end in self.bounds), default=0) + self.most_pieces
        scratch = [self.take(f"scratch{worker}", (longest + 1, RECORD_WORDS), np.int32)
                   for worker in range(self.threads)]
        counts = np.zeros((chunks, len(COUNTS)), np.int64)
        errors: list[tuple[int, int]] = []
        records = self.take("records", (self.triangle_count + self.triangle_count // 2 + 8 * tiles, RECORD_WORDS),
                            np.int32)
        lock = threading.Lock()
        used = 0
        waiting: list[tuple[int, int, npt.NDArray[np.int32]]] = []

        def job(chunk: int, worker: int) -> None:
            nonlocal used
            rows = scratch[worker]
            begin, end = self.bounds[chunk]
            counts[chunk] = 0
            n, error, where = setup_chunk(
                begin, end, self.draws, self.state_i, self.state_f, self.triangles, self.codes, self.misc,
                self.screen_xy, self.screen_zw, self.apart, self.apart_bias, int(self.extra[chunk, 2]), targets.tiles_x,
                targets.tiles_y, targets.layers, rows, ends[chunk], counts[chunk])
            if error != ERROR_NONE:
                errors.append((int(where), int(error)))
                return
            total = int(ends[chunk].sum())
            with lock:
                first = used
                fits = first + total <= len(records)
                used += total
                if used > RECORD_LIMIT:
                    raise UnsupportedError("records (triangles times tiles they touch) in one pass", used)
            if fits:
                fill_bins(first, rows, n, self.state_i, targets.tiles_x, targets.tiles_y, begins[chunk], ends[chunk],
                          records)
            else:
                waiting.append((first, chunk, rows[:n].copy()))

        run_jobs(job, chunks, self.threads)
        if errors:
            self.fail(*min(errors))
        if waiting:
            records = self.workspace.grow("records", records, used)
        for first, chunk, rows in waiting:
            fill_bins(first, rows, len(rows), self.state_i, targets.tiles_x, targets.tiles_y, begins[chunk],
                      ends[chunk], records)
        self.records, self.begins, self.ends = records[:used], begins, ends
        self.counts["records"] = used
        for name, count in zip(COUNTS, counts.sum(axis=0), strict=True):
            self.counts[name] = int(count)

    def fail(self, triangle: int, error: int) -> None:
        draw = int(np.searchsorted(self.draws[:, D.FIRST_TRIANGLE], triangle, "right")) - 1
        if error == ERROR_INPUT:
            raise UnsupportedError("SPI_PS_INPUT_CNTL.FLAT_SHADE: a parameter of a clipped triangle read both as flat "
                                   "and interpolated, or both with and without perspective")
        rows = self.triangles[triangle, :3]
        corners = self.screen_xy[rows].tolist()
        rect = triangle - int(self.draws[draw, D.FIRST_TRIANGLE])
        raise InputError(f"VGT_PRIMITIVE_TYPE.PRIM_TYPE = 0x11 (rect list): rect {rect} of draw {draw} of the pass has "
                         f"no right angle on the axes; its snapped vertices are {corners}")


def build_geometry(draws: list[Draw], targets: Targets, threads: int, workspace: Workspace | None = None) -> Geometry:
    """Run the geometry stages of a pass: vertex shading, assembly, clipping, setup, bins.

    Parameters
    ----------
    draws : list of Draw
        In submission order.
    targets : Targets
        Only the size matters here.
    threads : int
        The result does not depend on it, but for where in `records` a bin lies.
    workspace : Workspace, optional
        Memory to use again. The arrays of the last Geometry built in it are overwritten.

    Returns
    -------
    Geometry

    Raises
    ------
    UnsupportedError
        A primitive type that is not there yet, or more vertices than a pass can have.
    InputError
        A rect list whose vertices do not span a rectangle.
    """
    run = _Pass(draws, targets, threads, workspace or Workspace())
    run.plan()
    run.shade()
    run.assemble()
    run.set_up()
    return Geometry(run.screen_xy, run.screen_zw, run.params, run.triangles, run.state_i, run.state_f, run.records,
                    run.begins, run.ends, run.counts)
