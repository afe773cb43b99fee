"""The house rules that a machine can check: floors, one jit decorator, one name per module, a complete package list."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {"base": 0, "metadata": 1, "texture": 2, "raster": 3, "machine": 4, "tools": 5}
TOOLS = {"cli", "golden", "compare", "report", "explain", "oracle", "testing", "vulkan", "demo", "importers"}
FOLDERS = ("refgpu", "raster", "texture", "metadata")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def module_of(path: Path) -> str:
    relative = path.relative_to(ROOT).with_suffix("")
    parts = [part for part in relative.parts if part != "__init__"]
    return ".".join(parts if parts[0] == "refgpu" else ["refgpu", *parts])


def floor_of(module: str) -> int:
    parts = module.split(".")
    if len(parts) < 2:
        return -1  # refgpu itself: light, importable from anywhere
    if parts[1] in FLOORS:
        return FLOORS[parts[1]]
    return FLOORS["tools" if parts[1] in TOOLS else "machine"]


def imports_of(path: Path) -> set[str]:
    package = module_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found.update([f"{source}.{alias.name}" for alias in node.names] if source == "refgpu" else [source])
    return {name for name in found if name.split(".")[0] == "refgpu"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_the_floors(path):
    here = floor_of(module_of(path))
    for name in imports_of(path):
        assert floor_of(name) <= here or here == -1, f"{path.relative_to(ROOT)} imports {name}"


def test_no_module_is_imported_by_its_bare_folder_name():
    bare = re.compile(r"^\s*(from|import)\s+(raster|texture|metadata)\b", re.M)
    everywhere = [*SOURCES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py"),
                  *(ROOT / "examples").rglob("*.py")]
    assert [path for path in everywhere if bare.search(path.read_text("utf-8"))] == []


def test_base_holds_the_only_jit_decorator():
    jit = re.compile(r"\b(njit|jit|vectorize|guvectorize|cfunc)\s*\(|@\s*(numba|nb)\.")
    guilty = [path for path in SOURCES if "base" not in path.parts and jit.search(path.read_text("utf-8"))]
    assert guilty == []


def test_the_package_list_is_complete():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"])
    there = {module_of(path) for path in SOURCES if path.name == "__init__.py"}
    assert listed == there
