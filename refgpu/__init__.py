"""refgpu: an executable specification of the GFX10 graphics pipeline.

Public names load on first use, so ``import refgpu`` stays cheap and floor 0 can be imported from anywhere.
"""

from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

# In a source checkout the subpackages raster, texture and metadata lie beside this folder.
_root = Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "raster" / "__init__.py").is_file():
    __path__.append(str(_root))

_PUBLIC = {
    "Memory": "refgpu.memory",
    "Gpu": "refgpu.gpu",
    "Capture": "refgpu.capture",
    "RefGpuError": "refgpu.base.errors",
    "DecodeError": "refgpu.base.errors",
    "UnsupportedError": "refgpu.base.errors",
    "InputError": "refgpu.base.errors",
}
_MODULES = ("shaders", "texture", "metadata", "raster", "compare", "pm4", "draw_inputs", "claims")

__all__ = ["__version__", *_PUBLIC, *_MODULES]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
    elif name in _MODULES:
        value = import_module(f"refgpu.{name}")
    else:
        raise AttributeError(f"module 'refgpu' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
