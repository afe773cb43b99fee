"""Decode once, filter many: an image's levels untiled and decoded to linear float32 texels.

A texel is four float32 numerators; each component has one divisor, so that a filtered value can be the exact mean of
the exact texels: a UNORM code over 2^n - 1, a float over 1.  [TEX-FILTER-EXACT]
"""

import weakref
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..base.errors import InputError, UnsupportedError
from ..base.kernel import kernel
from . import number_types as n
from .block_decode import decode_blocks
from .channels import field_mask, signed_field
from .format_table import FORMAT_TABLE, Format
from .images import TYPE_1D, TYPE_1D_ARRAY, TYPE_3D, Image
from .surface import SurfaceLayout, surface_layout
from .texels import unpack_channel

BUDGET_NBYTES: Final = 1 << 30       # working copies of one memory kept at a time; the oldest unused go first

_DCC_OR_HTILE: Final = "T#.COMPRESSION_EN"


@kernel
def numerator(w0, w1, w2, w3, row, channel):
    """Register bits of one component's numerator, as float32 bits; integers stay as they are."""
    start = n.COMPONENT + 4 * channel
    width = row[start + n.WIDTH]
    number_type = row[start + n.TYPE]
    if width and (number_type == n.UNORM or number_type == n.SNORM):
        word = w0 if row[start + n.WORD] == 0 else w1
        field = np.uint32(np.uint32(np.uint32(word) >> np.uint32(row[start + n.LSB])) & field_mask(width))
        if number_type == n.UNORM:
            return np.float32(np.int64(field)).view(np.uint32)
        highest = (np.int64(1) << (width - 1)) - 1
        return np.float32(max(signed_field(field, width), -highest)).view(np.uint32)
    return unpack_channel(w0, w1, w2, w3, row, channel)


@kernel
def _decode_texels(words, row, out):
    """From words uint32[n, 1 to 4] to numerators uint32[n, 4]."""
    count = words.shape[1]
    for i in range(words.shape[0]):
        w1 = words[i, 1] if count > 1 else np.uint32(0)
        w2 = words[i, 2] if count > 2 else np.uint32(0)
        w3 = words[i, 3] if count > 3 else np.uint32(0)
        for channel in range(4):
            out[i, channel] = numerator(words[i, 0], w1, w2, w3, row, channel)


def divisors_of(row: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """What the numerators of each component are divided by."""
    result = np.ones(4)
    for channel in range(4):
        start = n.COMPONENT + 4 * channel
        width, number_type = int(row[start + n.WIDTH]), int(row[start + n.TYPE])
        if width and number_type == n.UNORM:
            result[channel] = (1 << width) - 1
        elif width and number_type == n.SNORM:
            result[channel] = (1 << (width - 1)) - 1
    return result


def degamma_row(format_: Format, force: bool, skip: bool) -> npt.NDArray[np.int64]:
    """Format row with S# FORCE_DEGAMMA or SKIP_DEGAMMA applied.  [TEX-FORCE-DEGAMMA]"""
    row = FORMAT_TABLE[format_.row].copy()
    for channel in range(3):
        start = n.COMPONENT + 4 * channel
        kind, width = row[start + n.TYPE], row[start + n.WIDTH]
        if skip and kind == n.SRGB:
            row[start + n.TYPE] = n.UNORM
        elif force and not skip and width and kind == n.UNORM:
            if width != 8:
                raise UnsupportedError("S#.FORCE_DEGAMMA with FORMAT", format_.name)
            row[start + n.TYPE] = n.SRGB
    return row


@dataclass(frozen=True)
class WorkingCopy:
    """Decoded levels of a view.

    Attributes
    ----------
    texels : float32[n, 4]
        Numerators of all levels, slice by slice, row by row.
    levels : int64[levels, 5]
        First texel, width, height, depth or layers, samples of each level of the view.
    divisors : float64[4]
    format : Format
    """

    texels: npt.NDArray[np.float32]
    levels: npt.NDArray[np.int64]
    divisors: npt.NDArray[np.float64]
    format: Format

    @property
    def nbytes(self) -> int:
        """Bytes it occupies."""
        return self.texels.nbytes + self.levels.nbytes


def layout_of(image: Image) -> tuple[SurfaceLayout, int]:
    """Layout of the whole resource that a T# describes, and the guest address of its first byte.

    The pipe/bank xor sits in the address bits below the block's alignment.  [TEX-BASE-XOR]
    """
    format_ = image.format
    bits = format_.bits
    scale = 4 if format_.block else 1
    if bits == 96:
        raise UnsupportedError("T# FORMAT", format_.name)
    width, height = -(-image.width // scale), -(-image.height // scale)
    volume = image.fields["TYPE"] == TYPE_3D
    slices = image.depth if volume else image.fields["BASE_ARRAY"] + image.layers
    if image.pitch > image.width and image.fields["SW_MODE"] != 0:
        raise UnsupportedError("T#.PITCH", image.pitch - 1)
    arguments: dict[str, Any] = {"samples": image.samples, "mips": image.levels, "profile": image.profile,
                                 "resource": "3d" if volume else "2d"}
    plain = surface_layout(image.fields["SW_MODE"], bits, width, height, slices, **arguments)
    low = image.address & (plain.base_align - 1)
    if not low:
        return plain, image.address
    if plain.linear or not plain.mode.pipes:
        return plain, image.address
    layout = surface_layout(image.fields["SW_MODE"], bits, width, height, slices, pipe_bank_xor=low >> 8, **arguments)
    return layout, image.address - low


def _check(image: Image) -> None:
    for name in ("COMPRESSION_EN", "CORNER_SAMPLES", "ARRAY_PITCH", "PRT_DEFAULT"):
        if image.fields[name]:
            raise UnsupportedError(f"T#.{name}", image.fields[name])


def _level_words(image: Image, layout: SurfaceLayout, data: npt.NDArray[np.uint8], level: int,
                 size: tuple[int, int, int]) -> npt.NDArray[np.uint32]:
    """Elements of one level: uint32[slices, height, width, samples, words]."""
    volume = image.fields["TYPE"] == TYPE_3D
    first = 0 if volume else image.fields["BASE_ARRAY"]
    count = size[2] if volume else image.layers
    raw = layout.untile(data, first, count, mip=level)
    raw = np.moveaxis(raw, 1, 3) if layout.samples > 1 else raw[:, :, :, None]
    scale = 4 if image.format.block else 1
    raw = raw[:, :-(-size[1] // scale), :-(-size[0] // scale)]
    if raw.ndim == 4:
        raw = raw[..., None]
    return np.ascontiguousarray(raw, np.uint32)


def build(image: Image, row: npt.NDArray[np.int64], data: npt.NDArray[np.uint8],
          layout: SurfaceLayout) -> WorkingCopy:
    """Untile and decode the levels of a view."""
    format_ = image.format
    sizes, parts, first = [], [], 0
    for level in range(image.base_level, image.last_level + 1):
        flat = image.fields["TYPE"] in (TYPE_1D, TYPE_1D_ARRAY)
        size = (max(1, image.width >> level), 1 if flat else max(1, image.height >> level),
                max(1, image.depth >> level))
        words = _level_words(image, layout, data, level, size)
        if format_.block:
            texels, divisors = decode_blocks(format_, words[:, :, :, 0], size[0], size[1],
                                             srgb=bool(row[n.FLAGS] & n.FLAG_SRGB_BLOCK))
        else:
            texels = np.empty((words.size // words.shape[-1], 4), np.uint32)
            _decode_texels(words.reshape(-1, words.shape[-1]), row, texels)
            texels, divisors = texels.view(np.float32), divisors_of(row)
        parts.append(texels.reshape(-1, 4))
        depth = size[2] if image.fields["TYPE"] == TYPE_3D else image.layers
        sizes.append((first, size[0], size[1], depth, image.samples))
        first += parts[-1].shape[0]
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return WorkingCopy(whole, np.array(sizes, np.int64).reshape(-1, 5), divisors, format_)


class _Cache:
    """Working copies of one memory, oldest first; a copy is good while its bytes' version stands."""

    def __init__(self) -> None:
        self.copies: OrderedDict[Any, tuple[int, WorkingCopy]] = OrderedDict()

    def get(self, key: Any, version: int) -> WorkingCopy | None:
        found = self.copies.get(key)
        if found is None or found[0] != version:
            return None
        self.copies.move_to_end(key)
        return found[1]

    def put(self, key: Any, version: int, copy: WorkingCopy) -> None:
        self.copies[key] = (version, copy)
        self.copies.move_to_end(key)
        total = sum(item.nbytes for _, item in self.copies.values())
        while total > BUDGET_NBYTES and len(self.copies) > 1:
            _, (_, dropped) = self.copies.popitem(last=False)
            total -= dropped.nbytes


_caches: "weakref.WeakKeyDictionary[Any, _Cache]" = weakref.WeakKeyDictionary()


def working_copy(image: Image, force_degamma: bool = False, skip_degamma: bool = False) -> WorkingCopy:
    """The decoded levels of an image, made anew only when its bytes changed.

    Raises
    ------
    InputError
        The surface is not mapped; the message names image and address.
    UnsupportedError
        Compressed images (COMPRESSION_EN), formats that refgpu does not decode.
    """
    _check(image)
    format_ = image.format
    if format_.block:
        row = FORMAT_TABLE[format_.row].copy()
        srgb = (format_.name.endswith("SRGB") or force_degamma) and not skip_degamma
        row[n.FLAGS] |= n.FLAG_SRGB_BLOCK if srgb else 0
    else:
        row = degamma_row(format_, force_degamma, skip_degamma)
    layout, address = layout_of(image)
    try:
        data = image.memory.view(address, layout.nbytes)
    except InputError as error:
        raise InputError(f"T# at {image.address:#x}, {image.width}x{image.height} {format_.name}: {error}") from None
    version = getattr(image.memory, "version", None)
    if version is None:
        return build(image, row, data, layout)
    key, stamp = (int(image.fields), image.profile, row.tobytes()), version(address, layout.nbytes)
    cache = _caches.setdefault(image.memory, _Cache())
    copy = cache.get(key, stamp)
    if copy is None:
        copy = build(image, row, data, layout)
        cache.put(key, stamp, copy)
    return copy
