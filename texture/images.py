"""T#: image descriptors by field, and what they say about the image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from ..base.bits import Fields
from ..base.errors import DecodeError
from .buffers import GuestMemory
from .descriptors import check_dst_sel, decode_words, encode_fields, is_gfx103, words_of
from .format_table import Format, format_of

TYPE_1D, TYPE_2D, TYPE_3D, TYPE_CUBE, TYPE_1D_ARRAY, TYPE_2D_ARRAY, TYPE_2D_MSAA, TYPE_2D_MSAA_ARRAY = range(8, 16)
TYPE_NAMES: Final = {TYPE_1D: "1D", TYPE_2D: "2D", TYPE_3D: "3D", TYPE_CUBE: "CUBE", TYPE_1D_ARRAY: "1D_ARRAY",
                     TYPE_2D_ARRAY: "2D_ARRAY", TYPE_2D_MSAA: "2D_MSAA", TYPE_2D_MSAA_ARRAY: "2D_MSAA_ARRAY"}
_MSAA: Final = (TYPE_2D_MSAA, TYPE_2D_MSAA_ARRAY)
_HAS_PITCH: Final = (TYPE_1D, TYPE_2D, TYPE_2D_MSAA)
_LAYERED: Final = (TYPE_CUBE, TYPE_1D_ARRAY, TYPE_2D_ARRAY, TYPE_2D_MSAA_ARRAY)
_CUBE_FACES: Final = 6
_LAST_BC_SWIZZLE: Final = 5
_ADDRESS_UNIT: Final = 8


@dataclass(frozen=True)
class Image:
    """An image descriptor and the memory it points into.

    Attributes
    ----------
    fields : Fields
        Every field by its hardware name; they are attributes of the Image too.
    memory : refgpu.Memory
    profile : str
    """

    fields: Fields
    memory: GuestMemory
    profile: str

    @classmethod
    def from_words(cls, words: Sequence[int] | npt.NDArray[np.integer], memory: GuestMemory,
                   profile: str = "gfx1013") -> Self:
        """Decode the eight words of a T#.

        Raises
        ------
        InputError
            Not eight words.
        DecodeError
            A reserved bit or value; the message names the field.
        """
        fields = decode_words("T#", words, profile)
        image = cls(fields, memory, profile)
        if not image.null:
            image._check()
        return image

    @classmethod
    def from_fields(cls, memory: GuestMemory, profile: str = "gfx1013", **fields: int) -> Self:
        """A T# from named fields; RESOURCE_LEVEL is 1 and DST_SEL is XYZW unless they are given."""
        default = {"RESOURCE_LEVEL": 1, "DST_SEL_X": 4, "DST_SEL_Y": 5, "DST_SEL_Z": 6, "DST_SEL_W": 7}
        return cls.from_words(encode_fields("T#", profile, default | fields), memory, profile)

    def _check(self) -> None:
        fields = self.fields
        if fields.TYPE not in TYPE_NAMES:
            raise DecodeError(f"T#.TYPE = {fields.TYPE} is " + ("a buffer" if not fields.TYPE else "reserved"))
        check_dst_sel("T#", fields)
        if not fields.RESOURCE_LEVEL:
            raise DecodeError("T#.RESOURCE_LEVEL = 0: must be 1")
        if fields.BC_SWIZZLE > _LAST_BC_SWIZZLE:
            raise DecodeError(f"T#.BC_SWIZZLE = {fields.BC_SWIZZLE} is reserved")
        if self.layered and fields.DEPTH < fields.BASE_ARRAY:
            raise DecodeError(f"T#.DEPTH = {fields.DEPTH} (last slice) < BASE_ARRAY = {fields.BASE_ARRAY}")
        if self.msaa and fields.BASE_LEVEL:
            raise DecodeError(f"T#.BASE_LEVEL = {fields.BASE_LEVEL} with TYPE {TYPE_NAMES[fields.TYPE]}: must be 0")

    def to_words(self) -> npt.NDArray[np.uint32]:
        """The eight words."""
        return words_of("T#", int(self.fields))

    def __getattr__(self, name: str) -> int:
        if name.isupper():
            if name in self.fields:
                return self.fields[name]
            raise AttributeError(f"T# has no field {name!r} on {self.profile}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def null(self) -> bool:
        """All words zero: loads and samples give 0.  [DESC-TSHARP-NULL]"""
        return int(self.fields) == 0

    @property
    def address(self) -> int:
        """Guest address as the field holds it: the pipe/bank xor may stand in the low bits of a swizzled surface."""
        return self.fields["BASE_ADDRESS"] << _ADDRESS_UNIT

    @property
    def format(self) -> Format:
        """Its format; DecodeError when FORMAT is reserved, UnsupportedError when refgpu does not decode it."""
        return format_of(self.fields["FORMAT"])

    @property
    def width(self) -> int:
        """Texels of level 0."""
        return self.fields["WIDTH"] + 1

    @property
    def height(self) -> int:
        """Texels of level 0; 1 for 1D images."""
        return 1 if self.fields["TYPE"] in (TYPE_1D, TYPE_1D_ARRAY) else self.fields["HEIGHT"] + 1

    @property
    def depth(self) -> int:
        """Slices of level 0 of a 3D image, else 1."""
        return self.fields["DEPTH"] + 1 if self.fields["TYPE"] == TYPE_3D else 1

    @property
    def layered(self) -> bool:
        """Whether DEPTH names the last array slice."""
        return self.fields["TYPE"] in _LAYERED

    @property
    def msaa(self) -> bool:
        """Whether LAST_LEVEL and MAX_MIP hold log2 of the samples.  [TEX-MSAA-LEVELS]"""
        return self.fields["TYPE"] in _MSAA

    @property
    def layers(self) -> int:
        """Slices a view may reach: at least six for a cube.  [TEX-CUBE-SIX-FACES]"""
        if not self.layered:
            return 1
        count = self.fields["DEPTH"] - self.fields["BASE_ARRAY"] + 1
        return _CUBE_FACES if self.fields["TYPE"] == TYPE_CUBE and count == 1 else count

    @property
    def samples(self) -> int:
        """Samples a texel."""
        return 1 << self.fields["LAST_LEVEL"] if self.msaa else 1

    @property
    def levels(self) -> int:
        """Levels of the resource."""
        return 1 if self.msaa else self.fields["MAX_MIP"] + 1

    @property
    def base_level(self) -> int:
        """First level of the view."""
        return self.fields["BASE_LEVEL"]

    @property
    def last_level(self) -> int:
        """Last level of the view, inside the resource's chain."""
        return 0 if self.msaa else min(self.fields["LAST_LEVEL"], self.fields["MAX_MIP"])

    @property
    def empty(self) -> bool:
        """BASE_LEVEL past the chain or the view's end: nothing to read.  [TEX-EMPTY-VIEW]"""
        return self.null or (not self.msaa and self.base_level > self.last_level)

    @property
    def pitch(self) -> int:
        """Texels from row to row that PITCH asks for on gfx10.3, else 0."""
        if is_gfx103(self.profile) and self.fields["TYPE"] in _HAS_PITCH and self.fields["PITCH"]:
            return self.fields["PITCH"] + 1
        return 0

    def describe(self) -> dict[str, Any]:
        """Fields and what they mean, for people."""
        shown: dict[str, Any] = dict(self.fields)
        if not self.null:
            shown |= {"type": TYPE_NAMES[self.fields["TYPE"]], "address": f"{self.address:#x}", "width": self.width,
                      "height": self.height, "depth": self.depth, "layers": self.layers, "samples": self.samples,
                      "levels": self.levels, "format": self.format.name}
        return shown
