"""Which claims of grade inferred or assumed a draw rests on, by the state that makes them matter."""

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from refgpu.raster.layout import TARGETS, C, PixelFlag, S, VertexFlag

from ..base.claims import table

Row = npt.NDArray[np.int64]
_POINT_FACES: Final = 1 << 11 | 1 << 12   # PA_SU_SC_MODE_CNTL: POLY_OFFSET_FRONT_ENABLE, POLY_OFFSET_BACK_ENABLE
_FP16_ABGR, _UNORM16_ABGR, _SNORM16_ABGR = 4, 5, 6
_PARTIAL_EXPORTS: Final = (1, 2, 3)
_INTEGER_TYPES: Final = (4, 5)
_SRGB: Final = 6
_ROP3_COPY: Final = 0xCC


def _targets(row: Row) -> list[Row]:
    groups = [row[S.COLOR + C.COUNT * n : S.COLOR + C.COUNT * (n + 1)] for n in range(TARGETS)]
    return [group for group in groups if group[C.MASK]]


def _any_target(test: Callable[[Row], bool]) -> Callable[[Row], bool]:
    return lambda row: any(test(group) for group in _targets(row))


def _round_mode(row: Row) -> int:
    return int(row[S.VTX]) >> 1 & 3


def _number_type(group: Row) -> int:
    return int(group[C.INFO]) >> 8 & 7


_RULES: Final[tuple[tuple[Callable[[Row], bool], tuple[str, ...]], ...]] = (
    (lambda row: True, ("RAST-VTE-ROUND",)),
    (lambda row: bool(row[S.Z_ENABLE]), ("DEPTH-PLANE",)),
    (lambda row: bool(row[S.Z_ENABLE] and not row[S.Z_CLAMP]), ("DEPTH-CLAMP-OFF",)),
    (lambda row: bool(row[S.SC_MODE] & _POINT_FACES and row[S.BIAS_FORMAT] >> 8 & 1), ("RAST-BIAS-EXPONENT",)),
    (lambda row: _round_mode(row) == 0, ("RAST-SNAP-TRUNCATE",)),
    (lambda row: _round_mode(row) == 1, ("RAST-SNAP-HALF",)),
    (lambda row: _round_mode(row) == 3, ("RAST-SNAP-ODD",)),
    (lambda row: not row[S.VTX] & 1, ("RAST-PIX-CENTER",)),
    (lambda row: bool(row[S.VERTEX_FLAGS] & VertexFlag.LAYER), ("RAST-LAYER",)),
    (lambda row: bool(row[S.CLIP] >> 16 & 1), ("RAST-CLIP-DISABLE",)),
    (lambda row: bool(row[S.DEPTH_CLEAR]), ("DEPTH-CLEAR-VALUE",)),
    (lambda row: bool(row[S.STENCIL_CLEAR]), ("STENCIL-CLEAR-VALUE",)),
    (lambda row: bool(row[S.PS_INPUTS] or row[S.PS_FLAGS] & PixelFlag.POSITION),
     ("RAST-BARYCENTRIC", "RAST-INTERP-FMA", "RAST-INTERP-DELTA")),
    (lambda row: bool(row[S.DEFER]), ("RAST-DEFER",)),
    (_any_target(lambda group: bool(group[C.BLEND])), ("BLEND-ROUND",)),
    (lambda row: row[S.ROP3] != _ROP3_COPY and bool(_targets(row)), ("CB-ROP3",)),
    (_any_target(lambda group: group[C.EXPORT] == _FP16_ABGR), ("CB-EXPORT-RTZ",)),
    (_any_target(lambda group: group[C.EXPORT] in (_UNORM16_ABGR, _SNORM16_ABGR)), ("CB-EXPORT-NORM",)),
    (_any_target(lambda group: group[C.EXPORT] in _PARTIAL_EXPORTS), ("CB-EXPORT-MISSING",)),
    (_any_target(lambda group: _number_type(group) in _INTEGER_TYPES), ("FMT-INT-SATURATE",)),
    (_any_target(lambda group: _number_type(group) == _SRGB), ("FMT-SRGB-ENCODE",)),
)
# By the counts of a pass: what happened to its triangles.
_BY_COUNT: Final = {
    "clipped": ("RAST-CLIP-VERTEX", "RAST-CLIP-W", "RAST-CLIP-LINEAR"),
    "zero_area": ("RAST-ZERO-AREA",),
    "wrong_layer": ("RAST-LAYER",),
}


def _open(ids: Iterable[str]) -> set[str]:
    return {id_ for id_ in ids if table()[id_].open}


def claims_of_state(row: Row) -> frozenset[str]:
    """Open claims that a draw with this state row rests on."""
    return frozenset(_open(id_ for applies, ids in _RULES if applies(row) for id_ in ids))


def claims_of_counts(counts: dict[str, int]) -> set[str]:
    """Open claims that what happened in a pass rests on."""
    return _open(id_ for name, ids in _BY_COUNT.items() if counts.get(name) for id_ in ids)


def rule_ids() -> set[str]:
    """Every id named here, for the lint."""
    return {id_ for _, ids in _RULES for id_ in ids} | {id_ for ids in _BY_COUNT.values() for id_ in ids}
