"""Alternatives of contested claims that a draw can follow, as the flags that kernels read."""

from typing import Final

from refgpu.raster.layout import GeometryVariant

from ..base.claims import Variant
from ..base.errors import UnsupportedError

_FLAGS: Final = {
    ("RAST-VTE-ROUND", "fused"): GeometryVariant.VTE_FUSED,
    ("RAST-SNAP-TRUNCATE", "zero"): GeometryVariant.SNAP_TO_ZERO,
    ("RAST-SNAP-HALF", "away"): GeometryVariant.SNAP_ROUND_AWAY,
    ("RAST-SNAP-ODD", "jam"): GeometryVariant.SNAP_JAM_ODD,
    ("RAST-BIAS-CLIPPED", "pieces"): GeometryVariant.BIAS_OF_PIECES,
}
_BUFFER_CLAIMS: Final = ("BUF-OOB-W", "BUF-OOB-PARTIAL")  # followed where a vertex shader loads


def geometry_flags(variant: Variant) -> int:
    """Flags for S.VARIANTS; UnsupportedError for an alternative that no draw can follow yet."""
    flags = 0
    for id_, name in variant.chosen.items():
        known = {claim for claim, _ in _FLAGS}
        if id_ in known:
            flags |= int(_FLAGS.get((id_, name), 0))
        elif id_ not in _BUFFER_CLAIMS:
            raise UnsupportedError(f"variant of claim {id_}", name)
    return flags
