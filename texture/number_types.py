"""Number types of texel components, and the columns of a format row: plain constants that kernels can freeze."""

from typing import Final

# SQ/CB number types as images and buffers code them; the two last are refgpu's own
UNORM: Final = 0
SNORM: Final = 1
USCALED: Final = 2
SSCALED: Final = 3
UINT: Final = 4
SINT: Final = 5
SNORM_NZ: Final = 6
FLOAT: Final = 7
SRGB: Final = 9
FLOAT_CLAMP: Final = 16      # 32-bit float clamped to [0, 1] when read
SHARED_EXPONENT: Final = 17  # one of the three mantissas of 5_9_9_9

NAMES: Final = {UNORM: "UNORM", SNORM: "SNORM", USCALED: "USCALED", SSCALED: "SSCALED", UINT: "UINT", SINT: "SINT",
                SNORM_NZ: "SNORM_NZ", FLOAT: "FLOAT", SRGB: "SRGB"}
CODES: Final = {name: code for code, name in NAMES.items()}

# How values are rounded on the way into memory (round_mode of the encoders)
ROUND_HALF: Final = 0        # norms: half up / away from zero; floats: toward zero. CB_COLORn_INFO.ROUND_MODE 0
ROUND_TRUNCATE: Final = 1    # everything toward zero. CB_COLORn_INFO.ROUND_MODE 1
ROUND_EVEN: Final = 2        # norms as ROUND_HALF; floats to nearest even

# Columns of a format row, int64[ROW]: the bits of one element, then four columns for each component X, Y, Z, W
BITS: Final = 0              # bits of one element, 0 when the row describes nothing
FLAGS: Final = 1
MASK: Final = 2              # bit c: component c is stored
COMPONENT: Final = 4         # first of four groups: word, lsb in that word, width (0: not stored), number type
WORD, LSB, WIDTH, TYPE = range(4)
ROW: Final = COMPONENT + 16

FLAG_INTEGER: Final = 1      # a missing W reads as integer 1; registers hold integers
FLAG_SIGNED: Final = 2       # ... and they are signed
FLAG_SHARED: Final = 4       # 5_9_9_9
FLAG_BLOCK: Final = 8        # 4x4 block compressed
FLAG_SRGB_BLOCK: Final = 16  # ... whose colours go through the sRGB table
