"""Resident targets: tile-by-tile working copies of surfaces in guest memory, invisible from outside.

Guest bytes are the truth. A working copy is loaded when a pass binds its surface, kept while nobody writes those bytes,
and written back, changed tiles only, before anyone reads them.
"""

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from refgpu.raster.tables import Targets

from .base.errors import UnsupportedError
from .memory import Memory
from .state.color import ColorTarget
from .state.depth import DepthTarget
from .state.draw import DrawState
from .surface import GuestSurface, color_surface, stencil_surface, z_surface

Tiles = npt.NDArray[Any]


@dataclass
class Resident:
    """One plane: its surface, its tiles, which of them changed, and the memory version that they stem from."""

    surface: GuestSurface
    width: int
    height: int
    tiles: Tiles
    changed: npt.NDArray[np.bool_]
    version: int
    dirty: bool = False  # whether anything in `changed` may be set


class Residency:
    """All resident planes of one Gpu."""

    def __init__(self, memory: Memory, profile: str):
        self.memory = memory
        self._profile = profile
        self._planes: dict[tuple[object, ...], Resident] = {}

    def check(self, state: DrawState) -> None:
        """Refuse targets that are not all mapped and writable (InputError), or that share bytes (UnsupportedError)."""
        surfaces = surfaces_of(state, self._profile)
        for surface in surfaces:
            surface.check(self.memory)
        for one, other in itertools.combinations(surfaces, 2):
            if one != other and one.overlaps(other.address, other.nbytes):
                raise UnsupportedError(f"targets of one draw that share memory: {one.kind} at {one.address:#x} and "
                                       f"{other.kind} at {other.address:#x}")

    def surfaces(self, state: DrawState) -> list[GuestSurface]:
        """Surfaces that hold the targets."""
        return surfaces_of(state, self._profile)

    def targets(self, state: DrawState) -> Targets:
        """Tiles for a pass with this state's targets, loaded where needed."""
        depth = stencil = None
        if state.depth is not None:
            if state.depth.z_format:
                depth = self._plane(z_surface(state.depth, self._profile), state).tiles
            if state.depth.has_stencil:
                stencil = self._plane(stencil_surface(state.depth, self._profile), state).tiles
        colors = [None if color is None else self._plane(color_surface(color, self._profile), state).tiles
                  for color in state.colors]
        layers = min(surface.layers for surface in surfaces_of(state, self._profile))
        targets = Targets(state.width, state.height, layers, depth, stencil, colors, np.zeros(0, np.uint8))
        targets.dirty = np.zeros(targets.tiles, np.uint8)
        return targets

    def _plane(self, surface: GuestSurface, state: DrawState) -> Resident:
        key = (surface, state.width, state.height)
        found = self._planes.get(key)
        if found is not None and found.version == self.memory.version(surface.address, surface.nbytes):
            return found
        self.write_back(surface.address, surface.nbytes)
        for other in [other for other, plane in self._planes.items()
                      if plane.surface.overlaps(surface.address, surface.nbytes)]:
            del self._planes[other]
        tiles = surface.load_tiles(self.memory, state.width, state.height)
        plane = Resident(surface, state.width, state.height, tiles, np.zeros(tiles.shape[0], np.bool_),
                         self.memory.version(surface.address, surface.nbytes))
        self._planes[key] = plane
        return plane

    def mark(self, state: DrawState, targets: Targets) -> None:
        """Note which tiles a pass changed (`Targets.dirty`)."""
        for surface, bit in zip(*surfaces_and_bits(state, self._profile), strict=True):
            plane = self._planes[surface, state.width, state.height]
            plane.changed |= (targets.dirty >> bit & 1).astype(np.bool_)
            plane.dirty = True

    def write_back(self, address: int | None = None, nbytes: int = 0) -> None:
        """Write changed tiles to guest memory: all of them, or those of surfaces with bytes in a range."""
        for plane in self._planes.values():
            if not plane.dirty or (address is not None and not plane.surface.overlaps(address, nbytes)):
                continue
            plane.dirty = False
            if plane.changed.any():
                plane.surface.store_tiles(self.memory, plane.width, plane.height, plane.tiles, plane.changed)
                plane.changed[:] = False
                plane.version = self.memory.version(plane.surface.address, plane.surface.nbytes)


def surfaces_and_bits(state: DrawState, profile: str) -> tuple[list[GuestSurface], list[int]]:
    """Surfaces of a pass, and the bit of `Targets.dirty` that stands for each."""
    return _surfaces_and_bits(state.depth, state.colors, profile)


@functools.lru_cache(256)
def _surfaces_and_bits(depth: DepthTarget | None, colors: tuple[ColorTarget | None, ...],
                       profile: str) -> tuple[list[GuestSurface], list[int]]:
    surfaces: list[GuestSurface] = []
    bits: list[int] = []
    if depth is not None:
        if depth.z_format:
            surfaces.append(z_surface(depth, profile))
            bits.append(0)
        if depth.has_stencil:
            surfaces.append(stencil_surface(depth, profile))
            bits.append(0)
    for n, color in enumerate(colors):
        if color is not None:
            surfaces.append(color_surface(color, profile))
            bits.append(1 + n)
    return surfaces, bits


def surfaces_of(state: DrawState, profile: str) -> list[GuestSurface]:
    """Surfaces of a pass."""
    return surfaces_and_bits(state, profile)[0]
