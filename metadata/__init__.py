"""Floor 1: HTILE, CMASK and DCC: where a word lies, and what it means."""

from .color_clear import (
    CMASK_CLEARED_BYTE,
    CMASK_CLEARED_WITH_DCC_BYTE,
    alpha_channel,
    clear_register_pixel,
    cmask_expanded_byte,
    dcc_clear_key,
    dcc_clear_pixel,
    fmask_bits,
    fmask_identity,
)
from .fill import FillEffect, fill_effect
from .htile_word import HtileWord, clear_word, expanded_word, plane_mask
from .layout import Layout
from .layouts import cmask_layout, dcc_layout, htile_layout

__all__ = [
    "CMASK_CLEARED_BYTE",
    "CMASK_CLEARED_WITH_DCC_BYTE",
    "FillEffect",
    "HtileWord",
    "Layout",
    "alpha_channel",
    "clear_register_pixel",
    "clear_word",
    "cmask_expanded_byte",
    "cmask_layout",
    "dcc_clear_key",
    "dcc_clear_pixel",
    "dcc_layout",
    "expanded_word",
    "fill_effect",
    "fmask_bits",
    "fmask_identity",
    "htile_layout",
    "plane_mask",
]
