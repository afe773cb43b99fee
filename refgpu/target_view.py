"""Targets as a reader sees them: `gpu.color(0)`, `gpu.depth()`, `gpu.stencil()`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from refgpu.texture.formats import decode_color

from .memory import Memory
from .state.color import ColorTarget
from .state.depth import DepthTarget
from .surface import GuestSurface, color_surface, stencil_surface, z_surface

_Z_SCALE = {1: 65535, 2: 16777215}


class _View:
    """Base: a surface in guest memory; reading it makes its bytes true first."""

    def __init__(self, memory: Memory, surface: GuestSurface):
        self._memory = memory
        self.surface = surface

    def _linear(self) -> npt.NDArray[np.uint32]:
        return self.surface.read(self._memory)


class ColorView(_View):
    """One colour target."""

    def __init__(self, memory: Memory, target: ColorTarget, profile: str):
        super().__init__(memory, color_surface(target, profile))
        self.target = target

    def words(self) -> npt.NDArray[np.uint32]:
        """Stored bits, untiled.

        Returns
        -------
        uint32[layers, height, width] or, for 64 and 128 bits a pixel, uint32[layers, height, width, words]
        """
        linear = self._linear()
        return linear[..., 0] if linear.shape[-1] == 1 else linear

    def read(self) -> npt.NDArray[Any]:
        """Decoded red, green, blue, alpha.

        Returns
        -------
        float32[layers, height, width, 4], or uint32 or int32 for integer formats
        """
        target = self.target
        return decode_color(target.format, target.number_type, target.swap, self._linear())


class DepthView(_View):
    """The depth plane."""

    def __init__(self, memory: Memory, target: DepthTarget, profile: str):
        super().__init__(memory, z_surface(target, profile))
        self.target = target

    def words(self) -> npt.NDArray[np.uint32]:
        """Stored bits, untiled: uint32[layers, height, width]."""
        return self._linear()[..., 0]

    def read(self) -> npt.NDArray[np.float32]:
        """Depth: float32[layers, height, width]."""
        words = self.words()
        scale = _Z_SCALE.get(self.target.z_format)
        if scale is None:
            return words.view(np.float32)
        return (words.astype(np.float64) / scale).astype(np.float32)


class StencilView(_View):
    """The stencil plane."""

    def __init__(self, memory: Memory, target: DepthTarget, profile: str):
        super().__init__(memory, stencil_surface(target, profile))
        self.target = target

    def words(self) -> npt.NDArray[np.uint8]:
        """Stored bytes, untiled: uint8[layers, height, width]."""
        return self._linear()[..., 0].astype(np.uint8)

    read = words
