"""GB_ADDR_CONFIG: how many pipes and packers a chip spreads its memory over, and what each profile allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..base.bits import Bits, Fields
from ..base.errors import DecodeError, InputError, UnsupportedError

GB_ADDR_CONFIG: Mapping[str, Bits] = MappingProxyType({
    "NUM_PIPES": Bits(0, 3),
    "PIPE_INTERLEAVE_SIZE": Bits(3, 3),
    "MAX_COMPRESSED_FRAGS": Bits(6, 2),
    "NUM_PKRS": Bits(8, 3),
})
PIPE_INTERLEAVE_LOG2 = 8
MAX_PIPES_LOG2 = 6
MAX_PACKERS_LOG2 = 5


@dataclass(frozen=True)
class Profile:
    """What addressing needs to know of a chip family."""

    gb_addr_config: int
    rb_plus: bool
    depth_tail_fits_htile: bool  # the mip tail of 8 and 16 bpp depth shrinks to what 8x8 HTILE tiles can tell apart


PROFILES: Mapping[str, Profile] = MappingProxyType({
    "gfx1013": Profile(0x00100044, False, True),
    "gfx1010": Profile(0x00100044, False, False),
    "gfx1030": Profile(0x00000444, True, True),
    "gfx1035": Profile(0x00000242, True, True),
})


@dataclass(frozen=True)
class AddressConfig:
    """Decoded GB_ADDR_CONFIG of one profile; counts are log2.  [META-PIPE-INTERLEAVE]."""

    rb_plus: bool
    pipes: int
    packers: int
    max_compressed_frags: int
    depth_tail_fits_htile: bool

    @property
    def shader_arrays(self) -> int:
        """log2 of the shader arrays: half the packers."""
        return max(self.packers - 1, 0)

    @property
    def metadata_pipes(self) -> int:
        """log2 of the pipes that a metablock is built for: one more where RB+ has as many packers as pipes."""
        shares = self.rb_plus and self.pipes == self.shader_arrays + 1 and self.pipes > 1
        return self.pipes + int(shares)

    @property
    def pipe_mask(self) -> int:
        """Which bits of a pipe xor count."""
        return (1 << self.pipes) - 1


def address_config(profile: str, gb_addr_config: int | None = None) -> AddressConfig:
    """Decode GB_ADDR_CONFIG.

    Parameters
    ----------
    profile : str
        gfx1013, gfx1010, gfx1030 or gfx1035.
    gb_addr_config : int, optional
        The register; by default the profile's own. Bits 11 and up do not matter, nor the packers without RB+.

    Raises
    ------
    InputError
        Unknown profile.
    DecodeError
        A number of pipes or packers that no chip of the family can have.
    UnsupportedError
        A pipe interleave other than 256 bytes.
    """
    try:
        chip = PROFILES[profile]
    except (KeyError, TypeError):
        raise InputError(f"no profile {profile!r}; profiles: {', '.join(PROFILES)}") from None
    word = chip.gb_addr_config if gb_addr_config is None else gb_addr_config
    if not 0 <= word <= 0xFFFFFFFF:
        raise InputError(f"GB_ADDR_CONFIG: {word:#x} is not a 32-bit word")
    fields = Fields(word, GB_ADDR_CONFIG)
    where = f"GB_ADDR_CONFIG {word:#010x} ({profile})"
    pipes, packers = fields.NUM_PIPES, fields.NUM_PKRS if chip.rb_plus else 0
    if pipes > MAX_PIPES_LOG2:
        raise DecodeError(f"{where}: NUM_PIPES = {pipes} is reserved")
    if fields.PIPE_INTERLEAVE_SIZE:
        raise UnsupportedError(f"{where}: PIPE_INTERLEAVE_SIZE", fields.PIPE_INTERLEAVE_SIZE)
    if chip.rb_plus and not (packers <= pipes <= packers + 2 and packers <= MAX_PACKERS_LOG2):
        raise DecodeError(f"{where}: NUM_PKRS = {packers} does not go with NUM_PIPES = {pipes}")
    return AddressConfig(chip.rb_plus, pipes, packers, fields.MAX_COMPRESSED_FRAGS, chip.depth_tail_fits_htile)
