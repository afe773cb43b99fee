"""S#: sampler descriptors by field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from ..base.bits import Fields
from ..base.errors import DecodeError
from .descriptors import SSHARP, decode_words, encode_fields, words_of

_LAST_ANISO: Final = 4
_LAST_FILTER_MODE: Final = 2
_LOD_STEPS: Final = 256


@dataclass(frozen=True)
class Sampler:
    """A sampler descriptor.

    Attributes
    ----------
    fields : Fields
        Every field by its hardware name; they are attributes of the Sampler too.
    """

    fields: Fields

    @classmethod
    def from_words(cls, words: Sequence[int] | npt.NDArray[np.integer]) -> Self:
        """Decode the four words of an S#.

        Raises
        ------
        InputError
            Not four words.
        DecodeError
            A reserved bit or value; the message names the field.
        """
        fields = decode_words("S#", words, "gfx1013")
        if fields.MAX_ANISO_RATIO > _LAST_ANISO:
            raise DecodeError(f"S#.MAX_ANISO_RATIO = {fields.MAX_ANISO_RATIO} is reserved")
        if fields.FILTER_MODE > _LAST_FILTER_MODE:
            raise DecodeError(f"S#.FILTER_MODE = {fields.FILTER_MODE} is reserved")
        return cls(fields)

    @classmethod
    def from_fields(cls, **fields: int) -> Self:
        """An S# from named fields, the others 0 but MAX_LOD, which is the largest."""
        return cls.from_words(encode_fields("S#", "gfx1013", {"MAX_LOD": 0xFFF} | fields))

    def to_words(self) -> npt.NDArray[np.uint32]:
        """The four words."""
        return words_of("S#", int(self.fields))

    def __getattr__(self, name: str) -> int:
        if name in SSHARP:
            return self.fields[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def min_lod(self) -> float:
        """MIN_LOD as a level."""
        return self.fields["MIN_LOD"] / _LOD_STEPS

    @property
    def max_lod(self) -> float:
        """MAX_LOD as a level."""
        return self.fields["MAX_LOD"] / _LOD_STEPS

    @property
    def lod_bias(self) -> float:
        """LOD_BIAS as a level."""
        return self.fields["LOD_BIAS"] / _LOD_STEPS
