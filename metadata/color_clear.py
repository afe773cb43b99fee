"""What clears of colour metadata mean in bits of a pixel: by format, number type and component swap."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..base.errors import DecodeError, InputError, UnsupportedError
from . import color_keys

CLEAR_KEYS = (color_keys.KEY_0000, color_keys.KEY_0001, color_keys.KEY_1110, color_keys.KEY_1111)
NUMBER_TYPES = ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SRGB", "FLOAT")
COMP_SWAPS = ("STD", "ALT", "STD_REV", "ALT_REV")
_FLOAT_ONE = {10: 0x1E0, 11: 0x3C0, 16: 0x3C00, 32: 0x3F800000}


@dataclass(frozen=True)
class ColorFormat:
    """A CB_COLOR_INFO.FORMAT: widths of its channels, lowest bits first (AMD's names go from the top)."""

    name: str
    widths: tuple[int, ...]

    @property
    def bpp(self) -> int:
        """Bits per pixel."""
        return sum(self.widths)


COLOR_FORMATS: Mapping[int, ColorFormat] = MappingProxyType({
    1: ColorFormat("8", (8,)),
    2: ColorFormat("16", (16,)),
    3: ColorFormat("8_8", (8, 8)),
    4: ColorFormat("32", (32,)),
    5: ColorFormat("16_16", (16, 16)),
    6: ColorFormat("10_11_11", (11, 11, 10)),
    7: ColorFormat("11_11_10", (10, 11, 11)),
    8: ColorFormat("10_10_10_2", (2, 10, 10, 10)),
    9: ColorFormat("2_10_10_10", (10, 10, 10, 2)),
    10: ColorFormat("8_8_8_8", (8, 8, 8, 8)),
    11: ColorFormat("32_32", (32, 32)),
    12: ColorFormat("16_16_16_16", (16, 16, 16, 16)),
    14: ColorFormat("32_32_32_32", (32, 32, 32, 32)),
    16: ColorFormat("5_6_5", (5, 6, 5)),
    17: ColorFormat("1_5_5_5", (5, 5, 5, 1)),
    18: ColorFormat("5_5_5_1", (1, 5, 5, 5)),
    19: ColorFormat("4_4_4_4", (4, 4, 4, 4)),
})
_OTHER_FORMATS = {20: "8_24", 21: "24_8", 22: "X24_8_32_FLOAT", 24: "5_9_9_9", 31: "2_10_10_10_6E4"}


def color_format(number: int) -> ColorFormat:
    """Format by CB_COLOR_INFO.FORMAT; DecodeError for a reserved one."""
    try:
        return COLOR_FORMATS[number]
    except KeyError:
        pass
    if number in _OTHER_FORMATS:
        raise UnsupportedError(f"colour metadata clear of CB_COLOR_INFO.FORMAT {_OTHER_FORMATS[number]}", number)
    raise DecodeError(f"CB_COLOR_INFO.FORMAT = {number} is reserved")


def alpha_channel(channels: int, comp_swap: int) -> int | None:
    """Which stored channel the alpha half of a clear key means; None when there is none.  [META-DCC-ALPHA].

    The last one for STD and ALT, the first for STD_REV and ALT_REV; a single channel only for ALT_REV; never one of
    three.
    """
    _named(comp_swap, COMP_SWAPS, "CB_COLOR_INFO.COMP_SWAP")
    if channels == 1:
        return 0 if comp_swap == 3 else None
    if channels == 3:
        return None
    return channels - 1 if comp_swap < 2 else 0


def one(width: int, number_type: int) -> int:
    """Bits of the value that clear keys call one in a channel.  [META-DCC-ONE]."""
    name = _named(number_type, NUMBER_TYPES, "CB_COLOR_INFO.NUMBER_TYPE")
    if name in ("UNORM", "SRGB", "UINT"):
        return (1 << width) - 1
    if name in ("SNORM", "SINT"):
        return (1 << width - 1) - 1
    if name == "FLOAT":
        if width not in _FLOAT_ONE:
            raise DecodeError(f"CB_COLOR_INFO.NUMBER_TYPE = FLOAT with a channel of {width} bits")
        return _FLOAT_ONE[width]
    raise UnsupportedError("DCC clear key with CB_COLOR_INFO.NUMBER_TYPE", number_type)


def dcc_clear_pixel(key: int, format: int, number_type: int, comp_swap: int) -> int:
    """Bits of every pixel of a block with a clear key.

    Parameters
    ----------
    key : int
        0x00, 0x40, 0x80 or 0xC0; others are not constants of the key and raise DecodeError.
    format, number_type, comp_swap : int
        Fields of CB_COLOR_INFO.

    Returns
    -------
    int
        The packed pixel, up to 128 bits, first channel lowest.
    """
    if key not in CLEAR_KEYS:
        raise DecodeError(f"DCC key {key:#04x} is not one of the clear keys 0x00, 0x40, 0x80, 0xC0")
    widths = color_format(format).widths
    alpha = alpha_channel(len(widths), comp_swap)
    pixel = shift = 0
    for channel, width in enumerate(widths):
        bit = color_keys.key_alpha_is_one(key) if channel == alpha else color_keys.key_color_is_one(key)
        pixel |= (one(width, number_type) if bit else 0) << shift
        shift += width
    return pixel


def dcc_clear_key(pixel: int, format: int, number_type: int, comp_swap: int) -> int | None:
    """Lowest clear key that means this pixel; None when only the register or single codes can say it."""
    bits = color_format(format).bpp
    if not 0 <= pixel < 1 << bits:
        raise InputError(f"pixel {pixel:#x} does not fit in {bits} bits")
    for key in CLEAR_KEYS:
        if dcc_clear_pixel(key, format, number_type, comp_swap) == pixel:
            return key
    return None


def clear_register_pixel(word0: int, word1: int, bpp: int) -> int:
    """Pixel that CB_COLOR_CLEAR_WORD0 and 1 hold: 128 bpp repeats word 0 for R, G, B.  [META-CLEAR-WORDS]."""
    for name, word in (("CLEAR_WORD0", word0), ("CLEAR_WORD1", word1)):
        if not 0 <= word <= 0xFFFFFFFF:
            raise InputError(f"{name}: {word:#x} is not a 32-bit word")
    if bpp in (8, 16, 32):
        return word0 & (1 << bpp) - 1
    if bpp == 64:
        return word0 | word1 << 32
    if bpp == 128:
        return word0 | word0 << 32 | word0 << 64 | word1 << 96
    raise InputError(f"bpp: {bpp} is not one of 8, 16, 32, 64, 128")


def cmask_expanded_byte(frags: int) -> int:
    """Two CMASK nibbles of tiles that are neither cleared nor FMASK-compressed.  [META-CMASK-NIBBLE]."""
    try:
        return {1: 0xFF, 2: 0xDD, 4: 0xEE, 8: 0xFF}[frags]
    except KeyError:
        raise InputError(f"frags: {frags} is not one of 1, 2, 4, 8") from None


CMASK_CLEARED_BYTE = 0x00  # colour is CB_COLOR_CLEAR_WORD
CMASK_CLEARED_WITH_DCC_BYTE = 0xCC  # DCC says the colour, all samples read fragment 0


def fmask_bits(samples: int) -> int:
    """FMASK bits per sample when every sample may have its own fragment: 1, 2 or 4 for 2, 4 or 8 samples."""
    try:
        return {2: 1, 4: 2, 8: 4}[samples]
    except KeyError:
        raise InputError(f"samples: {samples} is not one of 2, 4, 8") from None


def fmask_identity(samples: int) -> int:
    """FMASK of a pixel whose samples all differ: sample n reads fragment n."""
    bits = fmask_bits(samples)
    return sum(sample << sample * bits for sample in range(samples))


def _named(value: int, names: tuple[str, ...], field: str) -> str:
    if not 0 <= value < len(names):
        raise DecodeError(f"{field} = {value} is reserved")
    return names[value]
