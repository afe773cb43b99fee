"""Floor 1: HTILE, CMASK and DCC: where a word lies, and what it means."""

from .layout import Layout
from .layouts import cmask_layout, dcc_layout, htile_layout

__all__ = ["Layout", "cmask_layout", "dcc_layout", "htile_layout"]
