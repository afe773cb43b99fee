"""PA_SU and PA_SC: facing and culling mode, depth bias, scissors, and what of multisampling is not there yet."""

from dataclasses import dataclass

from refgpu.raster.layout import F, S

from ..base.bits import Fields, sign_extend
from ..base.errors import UnsupportedError
from .block import Block, Columns, Words, as_float, require
from .vertex import VIEWPORTS

Rectangle = tuple[int, int, int, int]  # x0, y0, x1, y1; the end is outside
_TRIANGLES = 2  # POLYMODE_*_PTYPE


@dataclass(frozen=True)
class Setup:
    """Columns, and the scissors that hold for every viewport: their intersection, and each by name."""

    columns: Columns
    scissor: Rectangle
    boxes: tuple[tuple[str, Rectangle], ...]
    viewport_scissors: bool


def _intersect(a: Rectangle, b: Rectangle) -> Rectangle:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def _scissor(top_left: Fields, bottom_right: Fields, offset: tuple[int, int]) -> Rectangle:
    x, y = (0, 0) if top_left.get("WINDOW_OFFSET_DISABLE") else offset
    return top_left.TL_X + x, top_left.TL_Y + y, bottom_right.BR_X + x, bottom_right.BR_Y + y


def _window_offset(words: Words) -> tuple[int, int]:
    offset = words["PA_SC_WINDOW_OFFSET"]
    return sign_extend(offset.WINDOW_X_OFFSET, 16), sign_extend(offset.WINDOW_Y_OFFSET, 16)


def _decode_setup(words: Words) -> Setup:
    mode = words["PA_SU_SC_MODE_CNTL"]
    require(words, {
        "PA_SU_SC_MODE_CNTL": {"POLY_MODE": (0, 1), "VTX_WINDOW_OFFSET_ENABLE": 0, "PERSP_CORR_DIS": 0},
        "PA_SC_EDGERULE": {"ER_TRI": 0xA, "ER_RECT": 0xA},
        "PA_SC_CLIPRECT_RULE": {"CLIP_RULE": 0xFFFF},
        "PA_SC_AA_CONFIG": {"MSAA_NUM_SAMPLES": 0},
        "PA_SC_MODE_CNTL_1": {"PS_ITER_SAMPLE": 0},
        "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL": {"OVER_RAST_ENABLE": 0, "UNDER_RAST_ENABLE": 0},
        "PA_SC_AA_MASK_X0Y0_X1Y0": {},
    })
    if mode.POLY_MODE == 1:
        for face in ("FRONT", "BACK"):
            shape = mode[f"POLYMODE_{face}_PTYPE"]
            if shape != _TRIANGLES and not mode[f"CULL_{face}"]:
                raise UnsupportedError(f"PA_SU_SC_MODE_CNTL.POLYMODE_{face}_PTYPE", shape)
    for name in ("PA_SC_AA_MASK_X0Y0_X1Y0", "PA_SC_AA_MASK_X0Y1_X1Y1"):
        if int(words[name]) & 0x00010001 != 0x00010001:
            raise UnsupportedError(name, int(words[name]))
    offset = _window_offset(words)
    screen_top_left, screen_bottom_right = words["PA_SC_SCREEN_SCISSOR_TL"], words["PA_SC_SCREEN_SCISSOR_BR"]
    scissor = (sign_extend(screen_top_left.TL_X, 16), sign_extend(screen_top_left.TL_Y, 16),
               screen_bottom_right.BR_X, screen_bottom_right.BR_Y)
    boxes = [("PA_SC_SCREEN_SCISSOR", scissor)]
    for name in ("WINDOW", "GENERIC"):
        box = _scissor(words[f"PA_SC_{name}_SCISSOR_TL"], words[f"PA_SC_{name}_SCISSOR_BR"], offset)
        boxes.append((f"PA_SC_{name}_SCISSOR", box))
        scissor = _intersect(scissor, box)
    columns = Columns(
        {S.SC_MODE: int(mode), S.BIAS_FORMAT: int(words["PA_SU_POLY_OFFSET_DB_FMT_CNTL"])},
        {
            F.BIAS_CLAMP: as_float(words["PA_SU_POLY_OFFSET_CLAMP"]),
            F.BIAS_FRONT_SCALE: as_float(words["PA_SU_POLY_OFFSET_FRONT_SCALE"]),
            F.BIAS_FRONT_OFFSET: as_float(words["PA_SU_POLY_OFFSET_FRONT_OFFSET"]),
            F.BIAS_BACK_SCALE: as_float(words["PA_SU_POLY_OFFSET_BACK_SCALE"]),
            F.BIAS_BACK_OFFSET: as_float(words["PA_SU_POLY_OFFSET_BACK_OFFSET"]),
        },
    )
    return Setup(columns, scissor, tuple(boxes), bool(words["PA_SC_MODE_CNTL_0"].VPORT_SCISSOR_ENABLE))


setup_block = Block(
    ("PA_SU_SC_MODE_CNTL", "PA_SC_EDGERULE", "PA_SC_CLIPRECT_RULE", "PA_SC_AA_CONFIG", "PA_SC_MODE_CNTL_0",
     "PA_SC_MODE_CNTL_1", "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", "PA_SC_AA_MASK_X0Y0_X1Y0",
     "PA_SC_AA_MASK_X0Y1_X1Y1", "PA_SC_WINDOW_OFFSET", "PA_SC_SCREEN_SCISSOR_TL", "PA_SC_SCREEN_SCISSOR_BR",
     "PA_SC_WINDOW_SCISSOR_TL", "PA_SC_WINDOW_SCISSOR_BR", "PA_SC_GENERIC_SCISSOR_TL", "PA_SC_GENERIC_SCISSOR_BR",
     "PA_SU_POLY_OFFSET_DB_FMT_CNTL", "PA_SU_POLY_OFFSET_CLAMP", "PA_SU_POLY_OFFSET_FRONT_SCALE",
     "PA_SU_POLY_OFFSET_FRONT_OFFSET", "PA_SU_POLY_OFFSET_BACK_SCALE", "PA_SU_POLY_OFFSET_BACK_OFFSET"),
    _decode_setup,
)


def _viewport_scissor_block(index: int) -> Block[Rectangle]:
    top_left, bottom_right = f"PA_SC_VPORT_SCISSOR_{index}_TL", f"PA_SC_VPORT_SCISSOR_{index}_BR"

    def decode(words: Words) -> Rectangle:
        return _scissor(words[top_left], words[bottom_right], _window_offset(words))

    return Block((top_left, bottom_right, "PA_SC_WINDOW_OFFSET"), decode)


viewport_scissor_blocks = tuple(_viewport_scissor_block(index) for index in range(VIEWPORTS))


def why_empty(setup: Setup, viewport: Rectangle, index: int) -> str:
    """Sentence on which rectangle leaves a draw no pixel."""
    boxes = list(setup.boxes)
    if setup.viewport_scissors:
        boxes.append((f"PA_SC_VPORT_SCISSOR_{index}", viewport))
    for name, (x0, y0, x1, y1) in boxes:
        if x0 >= x1 or y0 >= y1:
            return f"{name} is empty ({x0}, {y0} to {x1}, {y1}): the draw covers no pixel"
    shown = ", ".join(f"{name} {box}" for name, box in boxes)
    return f"the scissors and the targets have no pixel in common: {shown}"


def final_scissor(setup: Setup, viewport: Rectangle, width: int, height: int) -> Rectangle:
    """Rectangle that one viewport may draw to on targets of this size; empty ones become all zero."""
    box = _intersect(setup.scissor, (0, 0, width, height))
    if setup.viewport_scissors:
        box = _intersect(box, viewport)
    return box if box[0] < box[2] and box[1] < box[3] else (0, 0, 0, 0)
