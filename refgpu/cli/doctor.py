"""``refgpu doctor``: what a bug report should tell of this machine."""

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .output import Output

_DRIVER_FOLDERS = ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parser = commands.add_parser("doctor", parents=[common], help="versions, CPU, threads, cache folder")
    parser.set_defaults(run=run)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cache_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def _writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _vulkan_drivers() -> list[str]:
    named = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if named:
        return named.split(os.pathsep)
    return sorted(str(path) for folder in _DRIVER_FOLDERS for path in Path(folder).glob("*.json"))


def facts() -> dict[str, Any]:
    """Everything `doctor` tells, by name."""
    import llvmlite.binding

    from .. import __version__
    from ..base.kernel import JIT, toolchain_hash, user_cache_folder
    from ..gpu import available_threads

    cache = user_cache_folder()
    return {
        "refgpu": __version__,
        "installed in": str(Path(__file__).resolve().parent.parent),
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        **{package: _version(package) for package in ("numpy", "numba", "llvmlite", "pillow")},
        "cpu": llvmlite.binding.get_host_cpu_name(),
        "cores": os.cpu_count(),
        "threads used": available_threads(),
        "jit": "on" if JIT else "off (NUMBA_DISABLE_JIT)",
        "cache folder": str(cache),
        "cache writable": _writable(cache),
        "cache MiB": round(_cache_size(cache) / 2**20, 1),
        "toolchain": toolchain_hash(),
        "vulkan driver manifests": _vulkan_drivers(),
    }


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Print the facts."""
    found = facts()
    output.result(found)
    output.table((name, ", ".join(value) or "none" if isinstance(value, list) else value)
                 for name, value in found.items())
    return 0
