"""Float bit patterns and the two operations Python and Numba lack: fused multiply-add, and f32 seen as its bits."""

import ctypes
import ctypes.util
from typing import Any

import numpy as np

from .kernel import JIT, kernel


@kernel
def float_bits(value):
    """Bits of a float32, as uint32."""
    return np.float32(value).view(np.uint32)


@kernel
def bits_float(bits):
    """float32 with these bits."""
    return np.uint32(bits).view(np.float32)


if JIT:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def _fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.fma(*arguments)

        f = types.float32
        return f(f, f, f), generate

    @kernel
    def fma(a, b, c):
        """a*b + c in float32, rounded once."""
        return _fma(np.float32(a), np.float32(b), np.float32(c))

else:
    _libm = ctypes.CDLL(ctypes.util.find_library("m") or "msvcrt")
    _libm.fmaf.restype = ctypes.c_float
    _libm.fmaf.argtypes = [ctypes.c_float] * 3

    def fma(a, b, c):
        """a*b + c in float32, rounded once."""
        return np.float32(_libm.fmaf(float(a), float(b), float(c)))
