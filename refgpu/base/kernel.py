"""The one place where code becomes machine code: `kernel` and `callback`.

No fastmath, NumPy's error model (x/0 is inf, no exception), no GIL while running, cached on disk. Numba's cache does
not notice edits in *other* files (numba PR 8359, issues 8851, 8926), which would make a stale oracle: the cache folder
is therefore named by a hash of all sources that the kernel's module is built from (`refgpu.base.sources`), of the
numba and llvmlite versions, the CPU and the compile options. Functions from outside refgpu are never cached.
With ``NUMBA_DISABLE_JIT=1`` kernels are plain Python functions with the same results.
"""

import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import llvmlite
import llvmlite.binding
import numba
import numpy as np

from .sources import closure_hash

JIT = not numba.config.DISABLE_JIT
_OPTIONS: dict[str, Any] = {"fastmath": False, "error_model": "numpy", "nogil": True}
_KEEP_SECONDS = 14 * 24 * 3600


@functools.cache
def toolchain_hash() -> str:
    """Hash of what compiles the code: versions, CPU and compile options, as 8 hex digits."""
    config = numba.config
    options = (config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT, config.CPU_NAME, config.CPU_FEATURES)
    host = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version
    return hashlib.sha256(repr((versions, host, options)).encode()).hexdigest()[:8]


def user_cache_folder() -> Path:
    """Folder for all of refgpu's caches; ``REFGPU_CACHE_DIR`` overrides it."""
    override = os.environ.get("REFGPU_CACHE_DIR")
    if override:
        return Path(override)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "refgpu"


@functools.cache
def cache_folder(module: str) -> Path:
    """Folder for the machine code of one module's kernels; drops folders that nobody used for two weeks."""
    parent = user_cache_folder() / "kernels" / toolchain_hash()
    folder = parent / f"{module.removeprefix('refgpu.')}-{closure_hash(module)}"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            for old in parent.iterdir():
                if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
                    shutil.rmtree(old, ignore_errors=True)
        os.utime(folder)
    except OSError:
        pass  # unwritable: numba falls back to its own rules or compiles each time
    return folder


class _CacheDir:
    """Points numba at our folder while one function is decorated, and leaves the user's setting alone."""

    def __init__(self, function: Callable[..., Any]):
        self.folder = cache_folder(function.__module__)

    def __enter__(self) -> None:
        self.before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)

    def __exit__(self, *_: object) -> None:
        numba.config.CACHE_DIR = self.before


def _ours(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith("refgpu.")


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Plain-Python stand-in for a kernel: NumPy scalars must not warn where machine code would not."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return run


def kernel(function: Callable[..., Any] | None = None, *, inline: str = "never", cache: bool = True) -> Any:
    """Compile `function`; the only jit decorator in refgpu.

    Parameters
    ----------
    function : callable
        A module-level function over scalars, arrays and other kernels.
    inline : {"never", "always"}
        As numba's option; LLVM inlines small kernels by itself.
    cache : bool
        Keep the machine code on disk. Off only for code that is not refgpu's own (a user's shader).
    """
    if function is None:
        return functools.partial(kernel, inline=inline, cache=cache)
    if not JIT:
        return _quiet(function)
    with _CacheDir(function):
        return numba.njit(cache=cache and _ours(function), inline=inline, **_OPTIONS)(function)


class Callback:
    """A function with an address that kernels can call through `refgpu.base.pointers.call_address`."""

    registry: ClassVar[dict[int, Callable[..., Any]]] = {}

    def __init__(self, function: Callable[..., Any], signature: Any, cache: bool):
        self.function = function
        self._signature = signature
        self._cache = cache and _ours(function)

    @functools.cached_property
    def address(self) -> int:
        """Where the machine code lies; compiled when first asked for."""
        if not JIT:
            number = len(self.registry) + 1
            self.registry[number] = _quiet(self.function)
            return number
        with _CacheDir(self.function):
            self._compiled = numba.cfunc(self._signature, cache=self._cache, **_OPTIONS)(self.function)
        return int(self._compiled.address)


def callback(signature: Any, *, cache: bool = True) -> Callable[[Callable[..., Any]], Callback]:
    """Decorate a function so that kernels can call it by address (shaders are called this way).

    Parameters
    ----------
    signature : numba signature
        For example ``numba.void(numba.int64, numba.int64)``.
    cache : bool
        As for `kernel`.
    """
    return lambda function: Callback(function, signature, cache)
