"""`htile_layout`, `cmask_layout`, `dcc_layout`: what the address equations and size rules give for one surface."""

import operator
from typing import Any

from ..base.errors import InputError, UnsupportedError
from .address import build_table
from .config import PIPE_INTERLEAVE_LOG2, AddressConfig, address_config
from .equations import Equation, Kind, element_pixels, not_pipe_aligned, pipe_aligned
from .layout import ELEMENTS_PER_BYTE_LOG2, Layout
from .mips import Mip, first_mip_in_tail, mip_chain

MAX_SIZE = 16384
MAX_SLICES = 8192
SW_64KB_Z_X, SW_64KB_S_X, SW_64KB_R_X = 24, 25, 27
# pixels (x, y, z) of 256 bytes in a thick 3D surface, by log2 of bytes per element
_THICK_BLOCK = ((8, 4, 8), (4, 4, 8), (4, 4, 4), (4, 2, 4), (2, 2, 4))


def htile_layout(width: int, height: int, slices: int = 1, samples: int = 1, gb_addr_config: int | None = None,
                 profile: str = "gfx1013", pipe_xor: int = 0, *, bpp: int = 32, mips: int = 1) -> Layout:
    """Layout of the HTILE of a 64KB_Z_X depth surface: one 4-byte word per 8x8 pixels, pipe aligned.

    Parameters
    ----------
    width, height, slices : int
        Surface in pixels and layers.
    samples : int
        1, 2, 4 or 8. Changes no size, but without RB+ which slices rotate which pipes.
    gb_addr_config : int, optional
        By default the profile's own value (0x00100044 on gfx1013).
    profile : str
        gfx1013, gfx1010, gfx1030, gfx1035.
    pipe_xor : int
        Pipe xor of the surface; bits above the number of pipes do not count.
    bpp : int
        16 or 32 (8 for stencil): only where the mip tail of a surface with mips begins depends on it.
    mips : int
        Levels. With more than one, sizes are known but addresses are not.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        A size outside 1..16384, slices outside 1..8192, a sample count or bpp that depth cannot have.
    DecodeError, UnsupportedError
        See `address_config`.
    """
    config = address_config(profile, gb_addr_config)
    size = _surface(width, height, slices, mips)
    samples_log2 = _log2(samples, (1, 2, 4, 8), "samples")
    element_log2 = _log2(bpp, (8, 16, 32), "bpp") - 3
    _mips_need_one_sample(mips, samples)
    block_log2 = max(11 + config.metadata_pipes, 12)
    block = _half(block_log2 + 4)
    equation = pipe_aligned(config, Kind.HTILE, *block, 2, samples_log2)
    first = first_mip_in_tail(config, width, height, mips, element_log2, depth=True)
    return _thin(config, Kind.HTILE, size, block, block_log2, equation, pipe_xor, first,
                 base_align=max(1 << block_log2, 1 << (config.pipes + 11)), compress=(3, 3))


def cmask_layout(width: int, height: int, slices: int = 1, samples: int = 1, gb_addr_config: int | None = None,
                 profile: str = "gfx1013", pipe_xor: int = 0, *, frags: int = 1) -> Layout:
    """Layout of the CMASK of a colour surface: half a byte per 8x8 pixels, pipe aligned, FMASK in 64KB_Z_X.

    Parameters are those of `htile_layout`; `samples` is 1 to 16, `frags` 1 to 8 and at most `samples`.
    """
    config = address_config(profile, gb_addr_config)
    size = _surface(width, height, slices, 1)
    samples_log2 = _log2(samples, (1, 2, 4, 8, 16), "samples")
    frags_log2 = _log2(frags, (1, 2, 4, 8), "frags")
    if frags_log2 > samples_log2:
        raise InputError(f"frags: {frags} is more than samples {samples}")
    block_log2 = max(8 + config.metadata_pipes, 12)
    block = _half(block_log2 + 7)
    equation = pipe_aligned(config, Kind.CMASK, *block, fmask_element_log2(samples_log2, frags_log2))
    return _thin(config, Kind.CMASK, size, block, block_log2, equation, pipe_xor, 1, base_align=1 << block_log2,
                 compress=(3, 3))


def fmask_element_log2(samples_log2: int, frags_log2: int) -> int:
    """log2 of FMASK bytes per pixel: enough bits for each sample to name its fragment, or none."""
    planes = frags_log2 + (samples_log2 > frags_log2)
    bits = (4 if planes == 3 else planes) << samples_log2
    return max(bits, 8).bit_length() - 4


def dcc_layout(width: int, height: int, slices: int = 1, samples: int = 1, gb_addr_config: int | None = None,
               profile: str = "gfx1013", pipe_xor: int = 0, *, bpp: int = 32, pipe_aligned: bool = True,
               frags: int | None = None, mips: int = 1, resource: str = "2d",
               swizzle_mode: int = SW_64KB_R_X) -> Layout:
    """Layout of the DCC keys of a colour surface: one byte per 256 bytes of colour.

    Parameters
    ----------
    width, height, slices, gb_addr_config, profile, pipe_xor
        As for `htile_layout`; `slices` is the depth of a 3D surface.
    samples : int
        1 to 16; counts only through `frags`.
    bpp : int
        8, 16, 32, 64 or 128.
    pipe_aligned : bool
        Whether keys follow the pipes (META_PIPE_ALIGNED).
    frags : int, optional
        Fragments stored per pixel, 1 to 8; by default as many as samples.
    mips, resource, swizzle_mode
        Only sizes are known for several mips or fragments, and for "3d" (swizzle modes 24, 25 and 27).
    """
    config = address_config(profile, gb_addr_config)
    size = _surface(width, height, slices, mips)
    element_log2 = _log2(bpp, (8, 16, 32, 64, 128), "bpp") - 3
    samples_log2 = _log2(samples, (1, 2, 4, 8, 16), "samples")
    frags_log2 = _log2(samples if frags is None else frags, (1, 2, 4, 8), "frags")
    if frags is not None and samples > 1 and frags_log2 > samples_log2:
        raise InputError(f"frags: {frags} is more than samples {samples}")
    _mips_need_one_sample(mips, max(samples, 1 << frags_log2))
    if resource not in ("2d", "3d"):
        raise InputError(f"resource: {resource!r} is not '2d' or '3d'")
    if resource == "3d" and frags_log2:
        raise InputError(f"frags: {1 << frags_log2} of a 3D surface, which has one")
    if swizzle_mode != SW_64KB_R_X and (resource == "2d" or swizzle_mode not in (SW_64KB_Z_X, SW_64KB_S_X)):
        raise UnsupportedError("SW_MODE of a surface with DCC", swizzle_mode)
    if resource == "3d" and swizzle_mode == SW_64KB_S_X:
        return _thick_dcc(config, size, element_log2, pipe_aligned)
    block_log2 = _dcc_block_log2(config, frags_log2) if pipe_aligned else 12
    pixels = 8 - element_log2
    block = _half(block_log2 + pixels - min(frags_log2, config.max_compressed_frags))
    compress = element_pixels(Kind.DCC, element_log2)
    equation: Equation | None = None
    if resource == "2d" and frags_log2 == 0:
        build = _dcc_pipe_aligned if pipe_aligned else not_pipe_aligned
        equation = build(config, *block, element_log2)
    first = first_mip_in_tail(config, width, height, mips, element_log2, depth=False)
    return _thin(config, Kind.DCC, size, block, block_log2, equation, pipe_xor, first, base_align=1 << block_log2,
                 compress=compress)


def _dcc_pipe_aligned(config: AddressConfig, width_log2: int, height_log2: int, element_log2: int) -> Equation:
    return pipe_aligned(config, Kind.DCC, width_log2, height_log2, element_log2)


def _dcc_block_log2(config: AddressConfig, frags_log2: int) -> int:
    """log2 of bytes of a pipe-aligned DCC metablock, for any bpp.  [META-SIZES]"""
    log2 = max(PIPE_INTERLEAVE_LOG2 + config.metadata_pipes, 12)
    rotation = _pipe_rotation(config)
    compressed = min(frags_log2, config.max_compressed_frags)
    if compressed > 1 and rotation:
        log2 = max(log2, PIPE_INTERLEAVE_LOG2 + config.pipes + max(rotation, compressed - 1))
    return log2


def _pipe_rotation(config: AddressConfig) -> int:
    over = config.pipes - (config.shader_arrays + 1)
    if not config.rb_plus or config.pipes <= 1 or over < 0:
        return 0
    return max(over, 1)


def _thick_dcc(config: AddressConfig, size: tuple[int, int, int, int], element_log2: int, aligned: bool) -> Layout:
    """3D surface in a standard swizzle: sizes only; metablocks are deep.  [META-SIZES]"""
    width, height, slices, mips = size
    if mips > 1:
        raise UnsupportedError("DCC of a thick 3D surface with mips")
    block_log2 = max(12, 8 + config.pipes) if aligned else 12
    third, left = divmod(block_log2 + 8 - element_log2, 3)
    block = 1 << (third + (left > 0)), 1 << (third + (left > 1)), 1 << third
    columns, rows = -(-width // block[0]), -(-height // block[1])
    slice_nbytes = columns * rows << block_log2
    compress = _THICK_BLOCK[element_log2]
    return Layout(Kind.DCC, width, height, slices, *block, 1 << block_log2, 1 << block_log2, *compress,
                  compress[0], compress[1], (Mip(0, slice_nbytes, False),), slice_nbytes, None,
                  "address of DCC keys of a 3D surface")


def _thin(config: AddressConfig, kind: Kind, size: tuple[int, int, int, int], block: tuple[int, int],
          block_log2: int, equation: Equation | None, pipe_xor: int, first_in_tail: int, *, base_align: int,
          compress: tuple[int, int]) -> Layout:
    width, height, slices, mips = size
    pipe_xor = _integer(pipe_xor, "pipe_xor")
    if pipe_xor < 0:
        raise InputError(f"pipe_xor: {pipe_xor} is negative")
    block_width, block_height, block_nbytes = 1 << block[0], 1 << block[1], 1 << block_log2
    blocks_per_row = -(-width // block_width)
    if mips == 1:
        slice_nbytes = blocks_per_row * -(-height // block_height) * block_nbytes
        chain: tuple[Mip, ...] = (Mip(0, slice_nbytes, False),)
    else:
        chain = mip_chain(width, height, mips, first_in_tail, block_width, block_height, block_nbytes)
        slice_nbytes = sum(mip.nbytes for mip in chain)
    table: Any = None
    tile = compress
    if equation is not None and mips == 1:
        shift = ELEMENTS_PER_BYTE_LOG2[kind]
        if len(equation) != block_log2 + shift:
            raise InputError(f"{kind.name}: {len(equation)} address bits for a metablock of {block_nbytes} bytes")
        xor = ((pipe_xor & config.pipe_mask) << PIPE_INTERLEAVE_LOG2 & (block_nbytes - 1)) << shift
        table = build_table(equation, *block, blocks_per_row, slice_nbytes << shift, xor)
        used = set().union(*equation)
        tile = tuple(min(bit for axis, bit in used if axis == name) for name in "xy")  # type: ignore[assignment]
    return Layout(kind, width, height, slices, block_width, block_height, 1, block_nbytes, base_align,
                  1 << compress[0], 1 << compress[1], 1, 1 << tile[0], 1 << tile[1], chain, slice_nbytes, table,
                  f"address of {kind.name} of a surface with mips, fragments or depth")


def _half(bits: int) -> tuple[int, int]:
    """log2 of width and height of 2**bits pixels, as square as can be, rather wide than high."""
    return (bits + 1) // 2, bits // 2


def _integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{name}: expected an integer, got {value!r}") from None


def _surface(width: Any, height: Any, slices: Any, mips: Any) -> tuple[int, int, int, int]:
    limits = {"width": MAX_SIZE, "height": MAX_SIZE, "slices": MAX_SLICES, "mips": 15}
    values = []
    for (name, limit), value in zip(limits.items(), (width, height, slices, mips), strict=True):
        number = _integer(value, name)
        if not 1 <= number <= limit:
            raise InputError(f"{name}: {number} is outside 1..{limit}")
        values.append(number)
    width, height, slices, mips = values
    if mips > max(width, height).bit_length():
        raise InputError(f"mips: a {width}x{height} surface has at most {max(width, height).bit_length()}")
    return width, height, slices, mips


def _log2(value: Any, allowed: tuple[int, ...], name: str) -> int:
    number = _integer(value, name)
    if number not in allowed:
        raise InputError(f"{name}: {number} is not one of {', '.join(map(str, allowed))}")
    return number.bit_length() - 1


def _mips_need_one_sample(mips: int, samples: int) -> None:
    if mips > 1 and samples > 1:
        raise InputError(f"mips: {mips} with {samples} samples; a surface with mips has one sample")
