"""Writes a scene as a driver would: surfaces and buffers in guest memory, registers and draws as PM4 packets."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from refgpu.texture.surface import surface_layout

from ..capture import Capture, CaptureOutput, CaptureRegion, CaptureStream
from ..pm4 import encode, packet
from ..registers import table_for

NEVER, LESS, EQUAL, LEQUAL, GREATER, NOTEQUAL, GEQUAL, ALWAYS = range(8)
TRIANGLE_LIST: Final = 4
Z32_FLOAT: Final = 3
SW_64KB_Z_X, SW_64KB_R_X = 24, 27
BLEND_ALPHA: Final = 0x40000504         # ENABLE, SRC_ALPHA, ONE_MINUS_SRC_ALPHA, add
BIAS_Z32F: Final = 0x1E9                # POLY_OFFSET_NEG_NUM_DB_BITS -23, DB_IS_FLOAT_FMT
DRAW_DMA, DRAW_AUTO = 0, 2              # VGT_DRAW_INITIATOR.SOURCE_SELECT
_FORMAT_32_32_32_32_FLOAT: Final = 77
_PAGE: Final = 1 << 16
_SET: Final = {"context": "SET_CONTEXT_REG", "sh": "SET_SH_REG", "uconfig": "SET_UCONFIG_REG"}


class SceneBuilder:
    """Collects memory and packets; `capture` gives the result.

    Parameters
    ----------
    width, height : int
        Pixels of the targets.
    profile : str
    """

    def __init__(self, width: int, height: int, profile: str = "gfx1013"):
        self.width, self.height = width, height
        self._table = table_for(profile)
        self._capture = Capture(profile=profile)
        self._packets: list[Any] = [packet("CLEAR_STATE", 0)]
        self._address = 0x1_0000_0000
        self.words: dict[str, int] = {}
        self.registers(
            PA_CL_VTE_CNTL=0x43F, PA_CL_CLIP_CNTL=0x01080000, PA_SU_VTX_CNTL=0x2D, PA_SU_SC_MODE_CNTL=0x240,
            PA_CL_GB_VERT_CLIP_ADJ=64.0, PA_CL_GB_HORZ_CLIP_ADJ=64.0, CB_COLOR_CONTROL=0x00CC0010,
            VGT_PRIMITIVE_TYPE=TRIANGLE_LIST, GE_MAX_VTX_INDX=0xFFFFFFFF, CB_TARGET_MASK=0, CB_SHADER_MASK=0)
        self.viewport(0, 0, width, height)

    def registers(self, **values: int | float) -> None:
        """Set registers by name; a float is stored as its float32 bits."""
        for name, value in values.items():
            word = int(np.float32(value).view(np.uint32)) if isinstance(value, float) else value
            register = self._table[name]
            self._packets.append(packet(_SET[register.bank], register.offset, word))
            self.words[name] = word

    def viewport(self, x: int, y: int, width: int, height: int) -> None:
        """Viewport 0 with y up, and its scissor."""
        self.registers(
            PA_CL_VPORT_XSCALE=width / 2, PA_CL_VPORT_XOFFSET=x + width / 2, PA_CL_VPORT_YSCALE=-height / 2,
            PA_CL_VPORT_YOFFSET=y + height / 2, PA_CL_VPORT_ZSCALE=1.0, PA_CL_VPORT_ZOFFSET=0.0,
            PA_SC_VPORT_ZMIN_0=0.0, PA_SC_VPORT_ZMAX_0=1.0, PA_SC_MODE_CNTL_0=0x2,
            PA_SC_VPORT_SCISSOR_0_TL=0x80000000 | x | y << 16, PA_SC_VPORT_SCISSOR_0_BR=x + width | y + height << 16)

    def region(self, nbytes: int, name: str, data: npt.NDArray[Any] | None = None, fill: int = 0) -> int:
        """A new region of guest memory; returns its address."""
        address = self._address
        self._address += nbytes + 2 * _PAGE - 1 & -_PAGE
        raw = None if data is None else np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self._capture.memory.append(CaptureRegion(address, nbytes, raw, fill, name=name))
        return address

    def _surface(self, name: str, swizzle: int, fill: int) -> int:
        layout = surface_layout(swizzle, 32, self.width, self.height, profile=self._capture.profile)
        return self.region(layout.nbytes, name, fill=fill)

    def depth_target(self, clear: float, func: int) -> None:
        """A Z32_FLOAT target in a 64 KiB Z order, filled with `clear`, tested with `func` and written."""
        address = self._surface("depth", SW_64KB_Z_X, int(np.float32(clear).view(np.uint32)))
        self.registers(
            DB_Z_INFO=Z32_FLOAT | SW_64KB_Z_X << 4, DB_Z_READ_BASE=address >> 8, DB_Z_WRITE_BASE=address >> 8,
            DB_Z_READ_BASE_HI=0, DB_Z_WRITE_BASE_HI=0, DB_DEPTH_SIZE_XY=self.width - 1 | self.height - 1 << 16,
            DB_DEPTH_CONTROL=0x2 | 0x4 | func << 4)
        self._output("depth", "depth")

    def color_target(self, clear: int = 0) -> None:
        """An 8_8_8_8 UNORM target, filled with the pixel `clear`."""
        address = self._surface("color", SW_64KB_R_X, clear)
        self.registers(
            CB_COLOR0_BASE=address >> 8, CB_COLOR0_BASE_EXT=0, CB_COLOR0_INFO=10 << 2 | 1 << 15,
            CB_COLOR0_ATTRIB2=self.width - 1 << 14 | self.height - 1,
            CB_COLOR0_ATTRIB3=SW_64KB_R_X << 14 | 1 << 24, CB_TARGET_MASK=0xF, CB_SHADER_MASK=0xF,
            SPI_SHADER_COL_FORMAT=9)
        self._output("color0", "color")

    def _output(self, name: str, kind: str) -> None:
        if name not in {output.name for output in self._capture.outputs}:
            self._capture.outputs.append(CaptureOutput(name, kind))

    def _vsharp(self, rows: npt.NDArray[np.float32], name: str) -> dict[str, list[int]]:
        """V# words of a new buffer of float4 rows."""
        address = self.region(rows.nbytes, name, rows)
        return {"vsharp": [address & 0xFFFFFFFF, address >> 32 | 16 << 16, len(rows),
                           0x00000FAC | _FORMAT_32_32_32_32_FLOAT << 12 | 1 << 24 | 1 << 28]}

    def vertices(self, position: npt.NDArray[np.float32], *attributes: npt.NDArray[np.float32]) -> None:
        """Bind clip-space positions and attributes, float32[n, 4] each, behind a pass-through vertex shader."""
        described: dict[str, Any] = {"stage": "vs", "kind": "vertex", "position": self._vsharp(position, "positions")}
        described["attributes"] = [self._vsharp(rows, f"attribute {n}") for n, rows in enumerate(attributes)]
        self._capture.shaders.append(described)
        for n in range(len(attributes)):
            self.registers(**{f"SPI_PS_INPUT_CNTL_{n}": n})

    def show_attribute(self, index: int = 0) -> None:
        """Let an interpolated attribute be the colour."""
        self._capture.shaders.append({"stage": "ps", "kind": "attribute", "index": index})

    def draw_auto(self, count: int) -> None:
        """Draw vertices 0, 1, ... with the registers as they are now."""
        self._packets.append(packet("DRAW_INDEX_AUTO", count, DRAW_AUTO))

    def draw_indexed(self, indices: npt.NDArray[np.uint32]) -> None:
        """Draw with 32-bit indices, with the registers as they are now."""
        address = self.region(indices.nbytes, "indices", indices)
        self._packets += [packet("INDEX_TYPE", 1), packet("NUM_INSTANCES", 1),
                          packet("DRAW_INDEX_2", indices.size, address & 0xFFFFFFFF, address >> 32, indices.size,
                                 DRAW_DMA)]

    def capture(self, description: str, limits: str) -> Capture:
        """The scene as a capture."""
        words = encode(self._packets)
        self._capture.streams = [CaptureStream(words, name="main")]
        self._capture.description, self._capture.limits = description, limits
        return self._capture
