"""From shader exports to packed words: SPI_SHADER_COL_FORMAT, then the colour target's format."""

import numpy as np

from ..base.floats import bits_float, float_bits
from ..base.kernel import kernel
from ..base.pointers import float32_at
from .context import Word
from .layout import ROW

(EXPORT_ZERO, EXPORT_32_R, EXPORT_32_GR, EXPORT_32_AR, EXPORT_FP16, EXPORT_UNORM16, EXPORT_SNORM16, EXPORT_UINT16,
 EXPORT_SINT16, EXPORT_32_ABGR) = range(10)

_OUTPUTS = int(Word.OUTPUTS)
_HALF_MAX = np.float32(65504)
_HALF_TINY = np.float32(2.0**-14)
_HALF_STEP = np.float32(2.0**-24)
_HALF_SCALE = np.float32(2.0**24)


@kernel
def half_toward_zero(value):
    """float32 cut to what a float16 holds, as v_cvt_pkrtz_f16_f32 does: overflow gives 65504.  [CB-EXPORT-RTZ]"""
    value = np.float32(value)
    size = np.float32(abs(value))
    cut = bits_float(float_bits(value) & np.uint32(0xFFFFE000))
    tiny = value if size < _HALF_TINY else np.float32(0)
    small = np.float32(np.float32(np.int32(np.float32(tiny * _HALF_SCALE))) * _HALF_STEP)
    cut = bits_float(float_bits(small) | float_bits(value) & np.uint32(0x80000000)) if size < _HALF_TINY else cut
    largest = _HALF_MAX if value > np.float32(0) else np.float32(-_HALF_MAX)
    cut = largest if (size > _HALF_MAX) & (size < np.float32(np.inf)) else cut
    return cut if value == value else value


@kernel
def export_norm(value, low, top):
    """UNORM16 (low 0, top 65535) or SNORM16 (-1, 32767) export as the value its code stands for.  [CB-EXPORT-NORM]"""
    x = np.float64(value)
    if x != x:
        return np.float32(0)
    x = min(max(x, np.float64(low)), np.float64(1)) * np.float64(top)
    code = np.floor(x + np.float64(0.5)) if x >= np.float64(0) else np.ceil(x - np.float64(0.5))
    return np.float32(code / np.float64(top))


@kernel
def export_component(value, component, export):
    """One component as the export hands it on; integers travel as the bits of a float32.  [CB-EXPORT-MISSING]"""
    missing = np.float32(1) if component == 3 else np.float32(0)
    if export == EXPORT_FP16:
        return half_toward_zero(value)
    if export == EXPORT_UNORM16:
        return export_norm(value, 0.0, 65535.0)
    if export == EXPORT_SNORM16:
        return export_norm(value, -1.0, 32767.0)
    if export == EXPORT_UINT16:
        return bits_float(min(np.int64(float_bits(value)), np.int64(65535)))
    if export == EXPORT_SINT16:
        whole = np.int64(np.float32(value).view(np.int32))
        return bits_float(min(max(whole, np.int64(-32768)), np.int64(32767)) & np.int64(0xFFFFFFFF))
    if export == EXPORT_32_R:
        return value if component == 0 else missing
    if export == EXPORT_32_GR:
        return value if component < 2 else missing
    if export == EXPORT_32_AR:
        return value if (component == 0) | (component == 3) else missing
    return value


@kernel
def quantize_export(context, slot, export, lanes):
    """Apply `export_component` to the four rows of an export."""
    if export == EXPORT_32_ABGR:
        return
    for component in range(4):
        row = float32_at(context[_OUTPUTS] + (slot * np.int64(4) + component) * np.int64(4 * ROW), np.int64(ROW))
        if export == EXPORT_FP16:
            for lane in range(lanes):
                row[np.uint64(lane)] = half_toward_zero(row[np.uint64(lane)])
        else:
            for lane in range(lanes):
                row[np.uint64(lane)] = export_component(row[np.uint64(lane)], np.int64(component), export)
