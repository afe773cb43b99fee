"""Which source files can change a kernel's machine code: its module and everything that module imports from refgpu.

Numba freezes globals into machine code, so the data files (tables) beside those modules count too.
"""

import functools
import hashlib
import re
from pathlib import Path

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))", re.M)
_NAME = re.compile(r"[A-Za-z_]\w*")
_DATA = {".csv", ".json", ".npz", ".toml"}


@functools.cache
def _roots() -> tuple[Path, ...]:
    import refgpu

    return tuple(Path(folder).resolve() for folder in refgpu.__path__)


@functools.cache
def _file_of(module: str) -> Path | None:
    """Source file of ``refgpu.x.y``; None for a name that is no module."""
    parts = module.split(".")[1:]
    for root in _roots():
        base = root.joinpath(*parts)
        if parts and base.with_suffix(".py").is_file():
            return base.with_suffix(".py")
        if (base / "__init__.py").is_file():
            return base / "__init__.py"
    return None


def _imports(module: str, path: Path) -> set[str]:
    """Modules of refgpu that the text of `path` imports, at any level of nesting."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found: set[str] = set()
    for source, names, plain in _IMPORT.findall(path.read_text("utf-8")):
        if plain:
            found.update(name for name in re.split(r"[,\s]+", plain) if name.startswith("refgpu."))
            continue
        dots = len(source) - len(source.lstrip("."))
        if dots:
            tail = [source[dots:]] if source[dots:] else []
            source = ".".join(package[: len(package) - dots + 1] + tail)
        if source.split(".")[0] == "refgpu":
            found.add(source)
            found.update(f"{source}.{name}" for name in _NAME.findall(names))
    return {name for name in found if name != "refgpu" and _file_of(name) is not None}


@functools.cache
def closure(module: str) -> tuple[Path, ...]:
    """Every source file that `module` is built from, itself included, and the data files beside them; sorted."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file_of(name)
        if name in seen or path is None:
            continue
        seen.add(name)
        waiting.extend(_imports(name, path) - seen)
    code = {_file_of(name) for name in seen} - {None}
    data = {other for path in code for other in path.parent.iterdir() if other.suffix in _DATA}  # type: ignore[union-attr]
    return tuple(sorted(code | data))  # type: ignore[arg-type]


@functools.cache
def _file_hash(path: Path) -> bytes:
    return hashlib.sha256(path.name.encode() + path.read_bytes()).digest()


@functools.cache
def closure_hash(module: str) -> str:
    """Hash over `closure`, 16 hex digits."""
    digest = hashlib.sha256()
    for path in closure(module):
        digest.update(_file_hash(path))
    return digest.hexdigest()[:16]
