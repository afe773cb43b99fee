"""CB: the colour targets, blending, write masks and logic operation."""

from dataclasses import dataclass

from refgpu.raster.layout import TARGETS, C, F, S

from ..base.errors import DecodeError, UnsupportedError
from .block import Block, Columns, Words, as_float, require

_CB_DISABLE, _CB_NORMAL = 0, 1
_ROP3_COPY = 0xCC
_RESOURCE_3D = 2


@dataclass(frozen=True)
class ColorTarget:
    """One colour target, as CB_COLORn_INFO, _ATTRIB2, _ATTRIB3, _VIEW and _BASE say.

    Attributes
    ----------
    index : int
        MRT number.
    address : int
        Byte address of slice 0 (with the pipe/bank xor in its low bits, as the register holds it).
    format, number_type, swap : int
        CB_COLORn_INFO.FORMAT, NUMBER_TYPE, COMP_SWAP.
    swizzle : int
        COLOR_SW_MODE.
    width, height : int
        Pixels of mip 0.
    slice : int
        CB_COLORn_VIEW.SLICE_START.
    slices : int
        SLICE_MAX + 1.
    """

    index: int
    address: int
    format: int
    number_type: int
    swap: int
    swizzle: int
    width: int
    height: int
    slice: int
    slices: int


@dataclass(frozen=True)
class Color:
    """Decoded colour block; `masks` are CB_TARGET_MASK & CB_SHADER_MASK per target, 0 where nothing is written."""

    columns: Columns
    masks: tuple[int, ...]
    blends: tuple[int, ...]
    exports: tuple[int, ...]
    rop3: int


_PER_TARGET = ("BASE", "BASE_EXT", "VIEW", "INFO", "ATTRIB", "ATTRIB2", "ATTRIB3")


def _target_block(n: int) -> Block[ColorTarget | None]:
    def decode(words: Words) -> ColorTarget | None:
        info, view = words[f"CB_COLOR{n}_INFO"], words[f"CB_COLOR{n}_VIEW"]
        if not info.FORMAT:
            return None
        size, layout = words[f"CB_COLOR{n}_ATTRIB2"], words[f"CB_COLOR{n}_ATTRIB3"]
        require(words, {
            f"CB_COLOR{n}_INFO": {"ENDIAN": 0, "FAST_CLEAR": 0, "COMPRESSION": 0, "DCC_ENABLE": 0},
            f"CB_COLOR{n}_ATTRIB": {"NUM_SAMPLES": 0, "NUM_FRAGMENTS": 0},
            f"CB_COLOR{n}_VIEW": {"MIP_LEVEL": 0},
        })
        if layout.RESOURCE_TYPE == _RESOURCE_3D:
            raise UnsupportedError(f"CB_COLOR{n}_ATTRIB3.RESOURCE_TYPE", layout.RESOURCE_TYPE)
        if view.SLICE_MAX < view.SLICE_START:
            raise DecodeError(f"CB_COLOR{n}_VIEW: SLICE_MAX = {view.SLICE_MAX} < SLICE_START = {view.SLICE_START}")
        address = (int(words[f"CB_COLOR{n}_BASE_EXT"]) & 0xFF) << 40 | int(words[f"CB_COLOR{n}_BASE"]) << 8
        return ColorTarget(n, address, info.FORMAT, info.NUMBER_TYPE, info.COMP_SWAP, layout.COLOR_SW_MODE,
                           size.MIP0_WIDTH + 1, size.MIP0_HEIGHT + 1, view.SLICE_START, view.SLICE_MAX + 1)

    return Block(tuple(f"CB_COLOR{n}_{name}" for name in _PER_TARGET), decode)


color_target_blocks = tuple(_target_block(n) for n in range(TARGETS))


def _decode_color(words: Words) -> Color:
    control = words["CB_COLOR_CONTROL"]
    enabled = int(words["CB_TARGET_MASK"]) & int(words["CB_SHADER_MASK"])
    if control.MODE == _CB_DISABLE:
        enabled = 0  # [CB-MODE-DISABLE]
    elif control.MODE != _CB_NORMAL:
        raise UnsupportedError("CB_COLOR_CONTROL.MODE", control.MODE)
    require(words, {"CB_COLOR_CONTROL": {"DEGAMMA_ENABLE": 0}})
    masks, blends, exports = [], [], []
    ints: dict[int, int] = {S.ROP3: control.ROP3}
    for n in range(TARGETS):
        info, blend = words[f"CB_COLOR{n}_INFO"], words[f"CB_BLEND{n}_CONTROL"]
        export = int(words["SPI_SHADER_COL_FORMAT"]) >> 4 * n & 0xF
        mask = enabled >> 4 * n & 0xF
        if not info.FORMAT or not export:
            mask = 0
        blending = int(blend) if mask and blend.ENABLE and not info.BLEND_BYPASS else 0
        downconvert = words["SX_PS_DOWNCONVERT"][f"MRT{n}"]
        if blending and downconvert:  # [CB-DOWNCONVERT]
            raise UnsupportedError(f"SX_PS_DOWNCONVERT.MRT{n} with blending", downconvert)
        column = S.COLOR + C.COUNT * n
        ints |= {
            column + C.MASK: mask, column + C.EXPORT: export, column + C.INFO: int(info),
            column + C.BLEND: blending, column + C.EXPORT_SLOT: n,
            column + C.FLAGS: words[f"CB_COLOR{n}_ATTRIB"].FORCE_DST_ALPHA_1 | blend.DISABLE_ROP3 << 1,
        }
        masks.append(mask)
        blends.append(blending)
        exports.append(export)
    floats = {column: float(as_float(words[f"CB_BLEND_{name}"])) for column, name in (
        (F.BLEND_RED, "RED"), (F.BLEND_GREEN, "GREEN"), (F.BLEND_BLUE, "BLUE"), (F.BLEND_ALPHA, "ALPHA"))}
    return Color(Columns(ints, floats), tuple(masks), tuple(blends), tuple(exports), control.ROP3)


color_block = Block(
    ("CB_COLOR_CONTROL", "CB_TARGET_MASK", "CB_SHADER_MASK", "SPI_SHADER_COL_FORMAT", "SX_PS_DOWNCONVERT",
     "CB_BLEND_RED",
     "CB_BLEND_GREEN", "CB_BLEND_BLUE", "CB_BLEND_ALPHA",
     *(f"CB_COLOR{n}_INFO" for n in range(TARGETS)), *(f"CB_COLOR{n}_ATTRIB" for n in range(TARGETS)),
     *(f"CB_BLEND{n}_CONTROL" for n in range(TARGETS))),
    _decode_color,
)


def may_defer(color: Color, component_masks: tuple[int, ...]) -> bool:
    """Whether a draw's pixels may be shaded once at the end: every target is overwritten whole, none is read.

    Parameters
    ----------
    color : Color
    component_masks : tuple of int
        Channels that each target's format stores, 0 where there is no target.
    """
    if color.rop3 != _ROP3_COPY or any(color.blends):
        return False
    return all(have & mask == have for have, mask in zip(component_masks, color.masks, strict=True))
