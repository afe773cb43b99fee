"""The tables that the stages of the pipeline hand to each other: state, vertices, triangles, records, shader batches.

State is data, never code: kernels read it at run time, so no kernel is compiled again for a new state or shader.

Flow of one pass (a run of draws into the same targets)::

    vertex stage   -> screen_xy, screen_zw, params      one row per shaded vertex
    assembly       -> triangles                         3 vertex rows, slot 0 is the provoking vertex
    clip, setup    -> records, bins                     one record per triangle and 64x64 tile it may touch
    tiles          -> depth, stencil, colour tiles      in record order, which is primitive order
"""

from enum import IntEnum, IntFlag
from typing import Final

TILE: Final = 64                     # pixels along a side of a tile
TILE_PIXELS: Final = TILE * TILE
TARGETS: Final = 8                   # colour targets MRT0..7

# --- Shader batches -------------------------------------------------------------------------------------------------
# A batch is rows of float32 registers, ROW floats apart (not a multiple of 4 KiB, so rows do not share cache sets).
# Pixel batches hold whole quads: quad q's corner c (0 upper left, 1 upper right, 2 lower left, 3 lower right) is lane
# (q // 16) * 64 + c * 16 + q % 16, so each 64 lanes are one wave64 and a derivative is a difference of planes.
# Shaders are C-callable: void shader(inputs, outputs, constants, lanes, live), all int64; called by address.
#   constants: 32 uint32 words SPI_SHADER_USER_DATA_*, then whatever the shader's author put there.
BATCH_LANES: Final = 1024
ROW: Final = BATCH_LANES + 16
USER_DATA_WORDS: Final = 32

# Vertex batch, inputs (int32 rows): vertex index, instance id. `live` is 0.
# Outputs (float32 rows): position x y z w, then, when the shader says so, the misc vector, then clip/cull distances,
# then 4 rows for each parameter.
VS_IN_INDEX: Final = 0
VS_IN_INSTANCE: Final = 1
VS_IN_ROWS: Final = 2
VS_OUT_POSITION: Final = 0
VS_OUT_MISC: Final = 4               # point size, edge flag, layer[10:0] | viewport[19:16] (bits), unused

# Pixel batch, inputs (float32 rows): window X, Y (pixel centres), Z, W (1 / interpolated 1/w), facing, then 4 rows
# for each attribute. `live` points at int32[lanes]: 1 covered, 0 helper; a shader that kills a lane writes 0.
# Outputs: 4 rows for each colour export, then one row of depth if the shader exports it.
PS_IN_X: Final = 0
PS_IN_Y: Final = 1
PS_IN_Z: Final = 2
PS_IN_W: Final = 3
PS_IN_FACE: Final = 4                # +1 front, -1 back
PS_IN_ATTRIBUTES: Final = 5
MAX_ATTRIBUTES: Final = 32
PS_IN_ROWS: Final = PS_IN_ATTRIBUTES + 4 * MAX_ATTRIBUTES
PS_OUT_ROWS: Final = 4 * TARGETS + 1


class PixelFlag(IntFlag):
    """What a pixel shader does, in S_PS_FLAGS."""

    POSITION = 1          # reads X, Y, Z or W
    FACE = 2              # reads the facing
    KILL = 4              # may clear `live`
    DEPTH = 8             # exports depth
    CONSTANT = 16         # its exports are the same for every lane


class VertexFlag(IntFlag):
    """What a vertex shader exports beside position and parameters."""

    MISC = 1              # the misc vector rows are there
    VIEWPORT = 2          # the misc vector chooses the viewport
    LAYER = 4             # the misc vector chooses the layer


# --- Draw state -----------------------------------------------------------------------------------------------------
# One row per draw and viewport: state_i is int64[rows, S.COUNT], state_f is float32[rows, F.COUNT].
# A triangle's row is its draw's first row plus the viewport index of its provoking vertex.


class S(IntEnum):
    """Columns of the integer draw state."""

    # vertices
    CLIP = 0              # PA_CL_CLIP_CNTL word
    VTE = 1               # PA_CL_VTE_CNTL word
    VTX = 2               # PA_SU_VTX_CNTL word
    SUBPIXEL_BITS = 3     # fraction bits of X and Y in records: 8, 10 or 12 (8 also for coarser QUANT_MODEs)
    CLIP_DISTANCES = 4    # mask: exported distances that clip
    CULL_DISTANCES = 5    # mask: exported distances that cull
    VERTEX_FLAGS = 6      # VertexFlag
    DISTANCE_COUNT = 7    # distances exported by the vertex shader, 0..8
    PARAMETER_COUNT = 8   # parameters (4 floats each) exported by the vertex shader
    VARIANTS = 9          # GeometryVariant: alternatives of contested claims
    # primitives
    SC_MODE = 10          # PA_SU_SC_MODE_CNTL word
    BIAS_FORMAT = 11      # PA_SU_POLY_OFFSET_DB_FMT_CNTL word
    SCISSOR_X0 = 12       # final rectangle, inside the targets; empty when X1 <= X0
    SCISSOR_Y0 = 13
    SCISSOR_X1 = 14
    SCISSOR_Y1 = 15
    LAYER = 16            # layer of the targets' tiles that this draw writes
    SCREEN_OFFSET_X = 17  # PA_SU_HARDWARE_SCREEN_OFFSET in pixels: centre of the range that snapped positions have
    SCREEN_OFFSET_Y = 18
    # depth and stencil
    Z_FORMAT = 20         # DB_Z_INFO.FORMAT of the bound depth target, 0 none, 1 Z16, 2 Z24, 3 Z32F
    Z_ENABLE = 21
    Z_WRITE = 22          # with Z_READ_ONLY and a missing target already taken into account
    ZFUNC = 23
    Z_CLAMP = 24          # 1: clamp to [ZMIN, ZMAX]
    BOUNDS_ENABLE = 25
    STENCIL_ENABLE = 26   # with a missing target already taken into account
    DEPTH_CLEAR = 27      # DB_RENDER_CONTROL.DEPTH_CLEAR_ENABLE: the value written is CLEAR_Z
    STENCIL_CLEAR = 28    # DB_RENDER_CONTROL.STENCIL_CLEAR_ENABLE
    STENCIL_CLEAR_VALUE = 29
    STENCIL_FRONT = 30    # 8 columns each: FUNC FAIL ZPASS ZFAIL TESTVAL MASK WRITEMASK OPVAL
    STENCIL_BACK = 38     # equals FRONT when BACKFACE_ENABLE is 0
    LATE = 46             # 1: tests and writes happen after the shader (kill, depth export or alpha to mask matter)
    # pixel shader
    PS_ADDRESS = 50       # 0: no pixel shader, nothing is exported
    PS_FLAGS = 51         # PixelFlag
    PS_CONSTANTS = 52     # address of its constants
    PS_EXPORTS = 53       # colour exports it has
    PS_INPUTS = 54        # attributes it reads
    FLAT = 55             # mask over attributes: provoking vertex's value
    LINEAR = 56           # mask over attributes: no perspective
    PS_Z_EXPORT = 57      # 1: its depth export replaces the depth (DB_SHADER_CONTROL.Z_EXPORT_ENABLE)
    INPUT = 60            # 32 columns: parameter that attribute k reads (SPI_PS_INPUT_CNTL_k.OFFSET),
    #                       or 32 + DEFAULT_VAL for a constant
    # colour
    DEFER = 95            # 1: may be shaded once per visible pixel, after the tile's primitives
    ROP3 = 96             # 0xCC: copy
    COLOR = 100           # TARGETS groups of C.COUNT columns
    COUNT = 100 + 8 * 8


class GeometryVariant(IntFlag):
    """Alternatives of contested claims, in S.VARIANTS; 0 is every default."""

    VTE_FUSED = 1         # [RAST-VTE-ROUND] scale and offset in one fused multiply-add
    SNAP_TO_ZERO = 2      # [RAST-SNAP-TRUNCATE] toward zero
    SNAP_ROUND_AWAY = 4   # [RAST-SNAP-HALF] x.5 away from zero
    SNAP_JAM_ODD = 8      # [RAST-SNAP-ODD] any fraction goes to the odd neighbour
    BIAS_OF_PIECES = 16   # [RAST-BIAS-CLIPPED] bias from each clipped piece


class C(IntEnum):
    """Columns of one colour target in S.COLOR + C.COUNT * target."""

    MASK = 0              # channels written, RGBA from bit 0: CB_TARGET_MASK & CB_SHADER_MASK; 0 when no target
    EXPORT = 1            # SPI_SHADER_COL_FORMAT nibble
    INFO = 2              # CB_COLORn_INFO word
    BLEND = 3             # CB_BLENDn_CONTROL word, 0 when blending is off or bypassed
    FORMAT_ROW = 4        # row of texture.formats' colour format table
    WORDS = 5             # uint32 words per pixel in the resident tile: 1, 2 or 4
    EXPORT_SLOT = 6       # which shader export feeds it
    FLAGS = 7             # bit 0 CB_COLORn_ATTRIB.FORCE_DST_ALPHA_1, bit 1 CB_BLENDn_CONTROL.DISABLE_ROP3
    COUNT = 8


class F(IntEnum):
    """Columns of the float32 draw state, values as the registers hold them."""

    XSCALE = 0
    XOFFSET = 1
    YSCALE = 2
    YOFFSET = 3
    ZSCALE = 4
    ZOFFSET = 5
    GB_VERT_CLIP = 6      # PA_CL_GB_VERT_CLIP_ADJ
    GB_VERT_DISC = 7
    GB_HORZ_CLIP = 8
    GB_HORZ_DISC = 9
    BIAS_CLAMP = 10
    BIAS_FRONT_SCALE = 11
    BIAS_FRONT_OFFSET = 12
    BIAS_BACK_SCALE = 13
    BIAS_BACK_OFFSET = 14
    ZMIN = 15
    ZMAX = 16
    BOUNDS_MIN = 17
    BOUNDS_MAX = 18
    CLEAR_Z = 19          # DB_DEPTH_CLEAR
    BLEND_RED = 20
    BLEND_GREEN = 21
    BLEND_BLUE = 22
    BLEND_ALPHA = 23
    COUNT = 24


# --- Records --------------------------------------------------------------------------------------------------------
# int32[RECORD_WORDS] per triangle and tile, stored tile by tile in primitive order. A record stands alone: with the
# state row it decides coverage and depth. The vertices are ordered so that the doubled area is positive (clockwise on
# the screen, y down), and the row of `triangles` is turned with it; slot 0 is still the provoking vertex.
RECORD_WORDS: Final = 16


class R(IntEnum):
    """Words of a record."""

    X0 = 0                # snapped, SUBPIXEL_BITS fraction bits; pixel (i, j) has its centre at (i + .5, j + .5)
    Y0 = 1
    X1 = 2
    Y1 = 3
    X2 = 4
    Y2 = 5
    Z0 = 6                # window depth with the bias added, float32 bits
    Z1 = 7
    Z2 = 8
    TRIANGLE = 9          # row of `triangles`, for attributes
    STATE = 10            # row of state_i and state_f
    FLAGS = 11            # RecordFlag
    X_RANGE = 12          # first pixel | end pixel << 16, cut to the scissor; columns this record may touch
    Y_RANGE = 13
    PRIMITIVE = 14        # number of the primitive in its draw
    LAYER = 15            # layer of the targets' tiles


class RecordFlag(IntFlag):
    """Flags of a record."""

    BACK = 1              # back facing
    RECT = 2              # covers [min x, max x) x [min y, max y) of its vertices, whatever the edges say
