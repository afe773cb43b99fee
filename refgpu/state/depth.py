"""DB: the depth and stencil target, tests and writes."""

from dataclasses import dataclass

from refgpu.raster.layout import F, S

from ..base.errors import DecodeError, UnsupportedError
from .block import Block, Columns, Words, as_float, require

_Z_NAMES = {1: "Z16", 2: "Z24", 3: "Z32F"}


@dataclass(frozen=True)
class DepthTarget:
    """Where depth and stencil lie, as DB_Z_INFO and its neighbours say.

    Attributes
    ----------
    z_format : int
        DB_Z_INFO.FORMAT; 0 when there is only stencil.
    has_stencil : bool
    z_address, stencil_address : int
        Byte addresses of slice 0.
    z_swizzle, stencil_swizzle : int
        SW_MODE of each plane.
    width, height : int
        Pixels, from DB_DEPTH_SIZE_XY.
    slice : int
        DB_DEPTH_VIEW.SLICE_START with its high bits.
    slices : int
        Slices the surface is known to have: SLICE_MAX + 1.
    """

    z_format: int
    has_stencil: bool
    z_address: int
    stencil_address: int
    z_swizzle: int
    stencil_swizzle: int
    width: int
    height: int
    slice: int
    slices: int

    @property
    def z_bits(self) -> int:
        """Bits of one depth value in memory."""
        return {0: 0, 1: 16, 2: 32, 3: 32}[self.z_format]


@dataclass(frozen=True)
class Depth:
    """Decoded depth block."""

    columns: Columns
    uses_target: bool           # some test or write is on
    late_exports: bool          # DB_SHADER_CONTROL.Z_EXPORT_ENABLE
    before_shader: bool         # DEPTH_BEFORE_SHADER
    coarse: int                 # DB_VRS_OVERRIDE_CNTL when it asks for more than one pixel a shader lane, else 0


def _address(words: Words, name: str) -> int:
    return (int(words[f"{name}_HI"]) & 0xFF) << 40 | int(words[name]) << 8


def _decode_target(words: Words) -> DepthTarget | None:
    z_info, stencil_info = words["DB_Z_INFO"], words["DB_STENCIL_INFO"]
    if not z_info.FORMAT and not stencil_info.FORMAT:
        return None
    view, size = words["DB_DEPTH_VIEW"], words["DB_DEPTH_SIZE_XY"]
    require(words, {
        "DB_Z_INFO": {"NUM_SAMPLES": 0, "PARTIALLY_RESIDENT": 0, "TILE_SURFACE_ENABLE": 0},
        "DB_STENCIL_INFO": {"PARTIALLY_RESIDENT": 0},
        "DB_DEPTH_VIEW": {"MIPID": 0},
    })
    for plane, used in (("Z", z_info.FORMAT), ("STENCIL", stencil_info.FORMAT)):
        if used and _address(words, f"DB_{plane}_READ_BASE") != _address(words, f"DB_{plane}_WRITE_BASE"):
            raise UnsupportedError(f"DB_{plane}_READ_BASE other than DB_{plane}_WRITE_BASE",
                                   _address(words, f"DB_{plane}_READ_BASE"))
    first = view.SLICE_START | view.SLICE_START_HI << 11
    last = view.SLICE_MAX | view.SLICE_MAX_HI << 11
    if last < first:
        raise DecodeError(f"DB_DEPTH_VIEW.SLICE_MAX = {last} lies before SLICE_START = {first}")
    return DepthTarget(
        z_info.FORMAT, bool(stencil_info.FORMAT), _address(words, "DB_Z_WRITE_BASE"),
        _address(words, "DB_STENCIL_WRITE_BASE"), z_info.SW_MODE, stencil_info.SW_MODE, size.X_MAX + 1,
        size.Y_MAX + 1, first, last + 1,
    )


depth_target_block = Block(
    ("DB_Z_INFO", "DB_STENCIL_INFO", "DB_DEPTH_VIEW", "DB_DEPTH_SIZE_XY", "DB_Z_READ_BASE", "DB_Z_READ_BASE_HI",
     "DB_Z_WRITE_BASE", "DB_Z_WRITE_BASE_HI", "DB_STENCIL_READ_BASE", "DB_STENCIL_READ_BASE_HI",
     "DB_STENCIL_WRITE_BASE", "DB_STENCIL_WRITE_BASE_HI"),
    _decode_target,
)


def _coarse(words: Words) -> int:
    rate = words.get("DB_VRS_OVERRIDE_CNTL")  # only gfx10.3 has it
    if rate is None or not rate.VRS_OVERRIDE_RATE_COMBINER_MODE:  # 0 passes the other rates through: one pixel
        return 0
    return int(rate) if rate.VRS_OVERRIDE_RATE_X or rate.VRS_OVERRIDE_RATE_Y else 0


def _decode_depth(words: Words) -> Depth:
    control, shader = words["DB_DEPTH_CONTROL"], words["DB_SHADER_CONTROL"]
    render, override = words["DB_RENDER_CONTROL"], words["DB_RENDER_OVERRIDE"]
    require(words, {
        "DB_DEPTH_CONTROL": {"ENABLE_COLOR_WRITES_ON_DEPTH_FAIL": 0, "DISABLE_COLOR_WRITES_ON_DEPTH_PASS": 0},
        "DB_RENDER_CONTROL": {"DEPTH_COPY": 0, "STENCIL_COPY": 0, "RESUMMARIZE_ENABLE": 0, "DECOMPRESS_ENABLE": 0,
                              "PS_INVOKE_DISABLE": 0},
        "DB_RENDER_OVERRIDE": {"FORCE_Z_DIRTY": 0, "FORCE_STENCIL_DIRTY": 0, "FORCE_COLOR_KILL": 0},
        "DB_SHADER_CONTROL": {"STENCIL_TEST_VAL_EXPORT_ENABLE": 0, "STENCIL_OP_VAL_EXPORT_ENABLE": 0,
                              "COVERAGE_TO_MASK_ENABLE": 0, "MASK_EXPORT_ENABLE": 0,
                              "PRIMITIVE_ORDERED_PIXEL_SHADER": 0, "PRE_SHADER_DEPTH_COVERAGE_ENABLE": 0},
        "DB_ALPHA_TO_MASK": {"ALPHA_TO_MASK_ENABLE": 0} if not shader.ALPHA_TO_MASK_DISABLE else {},
    })
    view = words["DB_DEPTH_VIEW"]
    z_format = words["DB_Z_INFO"].FORMAT
    z_enable = control.Z_ENABLE and z_format
    bounds = control.DEPTH_BOUNDS_ENABLE and z_format
    stencil = control.STENCIL_ENABLE and words["DB_STENCIL_INFO"].FORMAT
    uses_target = bool(z_enable or bounds or stencil)
    ints: dict[int, int] = {
        S.Z_FORMAT: z_format if uses_target else 0,
        S.Z_ENABLE: int(bool(z_enable)),
        S.Z_WRITE: int(bool(z_enable and control.Z_WRITE_ENABLE and not view.Z_READ_ONLY)),
        S.ZFUNC: control.ZFUNC,
        S.Z_CLAMP: 1 - override.DISABLE_VIEWPORT_CLAMP,
        S.BOUNDS_ENABLE: int(bool(bounds)),
        S.STENCIL_ENABLE: int(bool(stencil)),
        S.DEPTH_CLEAR: render.DEPTH_CLEAR_ENABLE,
        S.STENCIL_CLEAR: render.STENCIL_CLEAR_ENABLE,
        S.STENCIL_CLEAR_VALUE: int(words["DB_STENCIL_CLEAR"]) & 0xFF,
    }
    ops = words["DB_STENCIL_CONTROL"]
    for column, face in ((S.STENCIL_FRONT, ""), (S.STENCIL_BACK, "_BF" if control.BACKFACE_ENABLE else "")):
        reference = words[f"DB_STENCILREFMASK{face}"]
        values = (
            control[f"STENCILFUNC{face}"], ops[f"STENCILFAIL{face}"], ops[f"STENCILZPASS{face}"],
            ops[f"STENCILZFAIL{face}"], reference[f"STENCILTESTVAL{face}"], reference[f"STENCILMASK{face}"],
            0 if view.STENCIL_READ_ONLY else reference[f"STENCILWRITEMASK{face}"], reference[f"STENCILOPVAL{face}"],
        )
        ints.update((column + place, value) for place, value in enumerate(values))
    floats = {
        F.BOUNDS_MIN: as_float(words["DB_DEPTH_BOUNDS_MIN"]),
        F.BOUNDS_MAX: as_float(words["DB_DEPTH_BOUNDS_MAX"]),
        F.CLEAR_Z: as_float(words["DB_DEPTH_CLEAR"]),
    }
    return Depth(Columns(ints, {column: float(value) for column, value in floats.items()}), uses_target,
                 bool(shader.Z_EXPORT_ENABLE), bool(shader.DEPTH_BEFORE_SHADER), _coarse(words))


depth_block = Block(
    ("DB_DEPTH_CONTROL", "DB_SHADER_CONTROL", "DB_RENDER_CONTROL", "DB_RENDER_OVERRIDE", "DB_ALPHA_TO_MASK",
     "DB_VRS_OVERRIDE_CNTL",
     "DB_Z_INFO", "DB_STENCIL_INFO", "DB_DEPTH_VIEW", "DB_STENCIL_CONTROL", "DB_STENCILREFMASK",
     "DB_STENCILREFMASK_BF", "DB_STENCIL_CLEAR", "DB_DEPTH_CLEAR", "DB_DEPTH_BOUNDS_MIN", "DB_DEPTH_BOUNDS_MAX"),
    _decode_depth,
)


def z_name(z_format: int) -> str:
    """Name of a DB_Z_INFO.FORMAT."""
    return _Z_NAMES.get(z_format, "none")
