"""Raw addresses inside kernels: call a function by address, see memory as an array.

Arrays made here keep nothing alive and check no bounds: the caller holds the owner and knows the size.
"""

import ctypes
from typing import Any

import numpy as np

from .kernel import JIT, Callback

if JIT:
    from llvmlite import ir
    from numba import carray, njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def _pointer(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], cgutils.voidptr_t)

        return types.voidptr(types.int64), generate

    @intrinsic
    def _call5(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            function_type = ir.FunctionType(ir.VoidType(), [word] * 5)
            function = builder.inttoptr(arguments[0], function_type.as_pointer())
            builder.call(function, arguments[1:])
            return context.get_dummy_value()

        i = types.int64
        return types.none(i, i, i, i, i, i), generate

    def _array_at(dtype: Any) -> Any:
        def at(address: Any, count: Any) -> Any:
            return carray(_pointer(address), (count,), dtype)

        return njit(at, inline="never", nogil=True)

    float32_at = _array_at(np.float32)
    float64_at = _array_at(np.float64)
    int32_at = _array_at(np.int32)
    uint32_at = _array_at(np.uint32)
    int64_at = _array_at(np.int64)
    uint8_at = _array_at(np.uint8)
    uint16_at = _array_at(np.uint16)

    @intrinsic
    def _prefetch(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            flag = ir.IntType(32)
            function_type = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
            function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
            read, keep, data = ir.Constant(flag, 0), ir.Constant(flag, 3), ir.Constant(flag, 1)
            builder.call(function, [builder.inttoptr(arguments[0], cgutils.voidptr_t), read, keep, data])
            return context.get_dummy_value()

        return types.none(types.int64), generate

    @njit(nogil=True)
    def prefetch(address: Any) -> Any:
        """Ask for the cache line at `address`; any address is harmless."""
        _prefetch(np.int64(address))

    @njit(nogil=True)
    def call_address(address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        """Call ``void f(int64 a, int64 b, int64 c, int64 d, int64 e)`` at `address`."""
        _call5(np.int64(address), np.int64(a), np.int64(b), np.int64(c), np.int64(d), np.int64(e))

else:

    def _python_array_at(dtype: Any) -> Any:
        size = np.dtype(dtype).itemsize

        def at(address: Any, count: Any) -> Any:
            if int(count) == 0:
                return np.empty(0, dtype)
            raw = (ctypes.c_uint8 * (int(count) * size)).from_address(int(address))
            return np.frombuffer(raw, dtype)

        return at

    float32_at = _python_array_at(np.float32)
    float64_at = _python_array_at(np.float64)
    int32_at = _python_array_at(np.int32)
    uint32_at = _python_array_at(np.uint32)
    int64_at = _python_array_at(np.int64)
    uint8_at = _python_array_at(np.uint8)
    uint16_at = _python_array_at(np.uint16)

    def prefetch(address: Any) -> Any:
        """Ask for the cache line at `address`; any address is harmless."""

    def call_address(address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        """Call the Python function registered under `address`."""
        Callback.registry[int(address)](int(a), int(b), int(c), int(d), int(e))
