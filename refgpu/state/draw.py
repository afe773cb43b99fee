"""From registers to the decoded state of one draw: `decode_state`."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import TARGETS, C, F, PixelFlag, S, VertexFlag
from refgpu.texture.formats import color_format

from ..base.errors import UnsupportedError
from ..registers import RegisterFile
from ..shaders import PixelShader, VertexShader
from .block import new_rows
from .color import Color, ColorTarget, color_block, color_target_blocks, may_defer
from .depth import Depth, DepthTarget, depth_block, depth_target_block
from .interpolation import check_inputs, interpolation_block
from .rests_on import claims_of_state
from .setup import final_scissor, setup_block, viewport_scissor_blocks, why_empty
from .vertex import VIEWPORTS, check_outputs, vertex_block, viewport_blocks

_SECOND_SOURCE = frozenset({15, 16, 17, 18})  # SRC1 colour and alpha, and their complements
_NO_STREAMOUT = ("STREAMOUT_0_EN", "STREAMOUT_1_EN", "STREAMOUT_2_EN", "STREAMOUT_3_EN")


@dataclass(frozen=True)
class DrawState:
    """Everything the pipeline needs to know of a draw, except its indices and its shaders' constants.

    Attributes
    ----------
    rows_i, rows_f : arrays
        State rows, one per viewport; addresses of shaders and constants are still 0.
    depth : DepthTarget or None
    colors : tuple of ColorTarget or None
        Targets that this draw writes.
    width, height : int
        Pixels that all of its targets have.
    claims : frozenset of str
        Claims of grade inferred or assumed that it rests on.
    warnings : tuple of str
        What a developer should know of it.
    """

    rows_i: npt.NDArray[np.int64]
    rows_f: npt.NDArray[np.float32]
    depth: DepthTarget | None
    colors: tuple[ColorTarget | None, ...]
    width: int
    height: int
    claims: frozenset[str]
    warnings: tuple[str, ...] = ()

    @property
    def targets_key(self) -> tuple[object, ...]:
        """Equal for draws that can share a pass."""
        return self.width, self.height, self.depth, self.colors


def check_stages(registers: RegisterFile) -> None:
    """Refuse what shader stages and streamout are not modelled."""
    stages = registers["VGT_SHADER_STAGES_EN"]
    for name in ("LS_EN", "HS_EN"):
        if stages[name]:
            raise UnsupportedError(f"VGT_SHADER_STAGES_EN.{name}", stages[name])
    if stages.GS_EN and not stages.PRIMGEN_EN:
        raise UnsupportedError("VGT_SHADER_STAGES_EN.GS_EN", stages.GS_EN)
    streamout = registers["VGT_STRMOUT_CONFIG"]
    for name in _NO_STREAMOUT:
        if streamout[name]:
            raise UnsupportedError(f"VGT_STRMOUT_CONFIG.{name}", 1)


def _extent(depth: DepthTarget | None, colors: tuple[ColorTarget | None, ...]) -> tuple[int, int]:
    bound = [target for target in (depth, *colors) if target is not None]
    if not bound:
        return 0, 0
    return min(target.width for target in bound), min(target.height for target in bound)


def _put_pixel_shader(row: npt.NDArray[np.int64], registers: RegisterFile, depth: Depth, color: Color,
                      vertex: VertexShader, pixel: PixelShader, component_masks: tuple[int, ...]) -> None:
    flags = pixel.flags
    if depth.late_exports and not flags & PixelFlag.DEPTH:
        raise UnsupportedError(f"DB_SHADER_CONTROL.Z_EXPORT_ENABLE with shader {pixel.name!r}, which exports no depth")
    if depth.coarse and not flags & PixelFlag.CONSTANT:  # a constant is the same at every rate
        raise UnsupportedError(f"DB_VRS_OVERRIDE_CNTL (coarse shading) with shader {pixel.name!r}", depth.coarse)
    exports_depth = bool(flags & PixelFlag.DEPTH) and depth.late_exports and not depth.before_shader
    late = (exports_depth or bool(flags & PixelFlag.KILL)) and not depth.before_shader
    interpolation = interpolation_block(registers)
    first, count = pixel.first_attribute, pixel.attributes
    check_inputs(interpolation, first, count, vertex.parameters, pixel.name)
    row[:, S.PS_FLAGS] = int(flags)
    row[:, S.PS_Z_EXPORT] = int(exports_depth)
    row[:, S.PS_EXPORTS] = pixel.exports
    row[:, S.PS_INPUTS] = count
    row[:, S.LINEAR] = pixel.linear
    row[:, S.FLAT] = sum(1 << n for n in range(count) if interpolation.flat[first + n])
    row[:, S.INPUT : S.INPUT + count] = interpolation.inputs[first : first + count]
    row[:, S.LATE] = int(late)
    row[:, S.DEFER] = int(not flags & PixelFlag.KILL and not late and may_defer(color, component_masks))
    for n, blend in enumerate(color.blends):
        factors = {blend & 0x1F, blend >> 8 & 0x1F}
        if blend >> 29 & 1:  # SEPARATE_ALPHA_BLEND
            factors |= {blend >> 16 & 0x1F, blend >> 24 & 0x1F}
        if factors & _SECOND_SOURCE and pixel.exports < 2:
            raise UnsupportedError(f"CB_BLEND{n}_CONTROL: a second source with shader {pixel.name!r}, which exports "
                                   f"{pixel.exports} colours")
    for n, mask in enumerate(color.masks):
        if mask and n >= pixel.exports:
            raise UnsupportedError(f"SPI_SHADER_COL_FORMAT of MRT{n} with shader {pixel.name!r}, which exports "
                                   f"{pixel.exports} colours")


def decode_state(registers: RegisterFile, vertex: VertexShader, pixel: PixelShader | None,
                 geometry_flags: int = 0) -> DrawState:
    """State of a draw with the registers as they are now.

    Parameters
    ----------
    registers : RegisterFile
    vertex, pixel : shaders
        What stands for the machine code; `pixel` may be None when no colour is written.
    geometry_flags : int
        GeometryVariant: alternatives of contested claims to follow.

    Raises
    ------
    UnsupportedError, DecodeError
        Name the register and field.
    """
    check_stages(registers)
    columns, vertex_flags = vertex_block(registers)
    setup = setup_block(registers)
    depth = depth_block(registers)
    color = color_block(registers)
    depth_target = depth_target_block(registers) if depth.uses_target else None
    colors = tuple(color_target_blocks[n](registers) if mask else None for n, mask in enumerate(color.masks))
    if pixel is None and any(target is not None for target in colors):
        raise UnsupportedError("SPI_SHADER_PGM_LO_PS: no pixel shader is bound, but CB_TARGET_MASK & CB_SHADER_MASK",
                               sum(mask << 4 * n for n, mask in enumerate(color.masks)))
    width, height = _extent(depth_target, colors)
    rows_i, rows_f = new_rows(VIEWPORTS if vertex_flags & VertexFlag.VIEWPORT else 1)
    for block in (columns, setup.columns, depth.columns, color.columns):
        block.put(rows_i, rows_f)
    check_outputs(vertex_flags, vertex.distances, (int(rows_i[0, S.CLIP_DISTANCES]), int(rows_i[0, S.CULL_DISTANCES])),
                  vertex.flags, vertex.name)
    rows_i[:, S.VERTEX_FLAGS] |= int(vertex.flags)
    rows_i[:, S.VARIANTS] = geometry_flags
    rows_i[:, S.DISTANCE_COUNT] = vertex.distances
    rows_i[:, S.PARAMETER_COUNT] = vertex.parameters
    warnings: tuple[str, ...] = ()
    for index in range(rows_i.shape[0]):
        viewport_blocks[index](registers).put(rows_i[index], rows_f[index])
        low, high = sorted((rows_f[index, F.ZMIN], rows_f[index, F.ZMAX]))
        rows_f[index, F.ZMIN], rows_f[index, F.ZMAX] = low, high  # [DEPTH-CLAMP-SORTED]
        viewport = viewport_scissor_blocks[index](registers)
        box = final_scissor(setup, viewport, width, height)
        if width and box[0] >= box[2] and index == 0:
            warnings = (why_empty(setup, viewport, index),)
        rows_i[index, S.SCISSOR_X0 : S.SCISSOR_Y1 + 1] = box
    component_masks = [0] * TARGETS
    for n, target in enumerate(colors):
        if target is not None:
            format_ = color_format(target.format, target.number_type, target.swap)
            rows_i[:, S.COLOR + C.COUNT * n + C.FORMAT_ROW] = format_.row
            rows_i[:, S.COLOR + C.COUNT * n + C.WORDS] = format_.words
            component_masks[n] = format_.mask
    if pixel is not None:
        _put_pixel_shader(rows_i, registers, depth, color, vertex, pixel, tuple(component_masks))
    return DrawState(rows_i, rows_f, depth_target, colors, width, height, claims_of_state(rows_i[0]),
                     warnings)
