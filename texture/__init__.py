"""Floor 2: formats, descriptors, surface addresses and sampling."""

import importlib
from typing import Any

_PUBLIC = {
    "decode": "formats", "encode": "formats", "decode_color": "formats", "encode_color": "formats",
    "Buffer": "buffers", "fetch": "buffers", "surface_layout": "surface", "SurfaceLayout": "surface",
    "sample": "sampling", "get_lod": "sampling", "gather4": "gather", "load": "loading", "cube_coords": "cube",
    "trace": "sample_trace",
    "Image": "images", "Sampler": "samplers",
    "format_of": "formats", "color_format": "formats", "Format": "formats", "FORMATS": "formats",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
