"""Access to arrays by address, prefetching, and the decorator of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import carray

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Function = TypeVar("Function", bound="Callable[..., Any]")
Whole = int | np.int64
"""A whole number, as Python or as kernels have it."""


def kernel(function: Function) -> Function:
    """Compile `function`, inlined into its callers: a real call would count references to every array argument.

    Only kernels call it, so it needs no entry points for Python and C, which take a sixth of the time to compile.
    """
    internal: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Function", njit(nogil=True, error_model="numpy", **internal)(function))


def _pointer_to(_typing: Any, address: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


_pointer: Any = intrinsic(_pointer_to)


def _prefetch_at(_typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        int32 = ir.IntType(32)
        signature = ir.FunctionType(ir.VoidType(), [pointer.type, int32, int32, int32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (pointer.type,), signature)
        builder.call(prefetch, [pointer, int32(0), int32(3), int32(1)])
        return context.get_dummy_value()

    return types.void(address), generate


_prefetch: Any = intrinsic(_prefetch_at)
_array: Any = carray


@kernel
def fetch(address: Whole) -> None:
    """Prefetch what is at an address into the processor's cache. An address that does not exist does no harm."""
    _prefetch(address)


@kernel
def bytes_at(address: Whole, count: Whole) -> NDArray[np.uint8]:
    """The array of `count` bytes at an address."""
    array: NDArray[np.uint8] = _array(_pointer(address), (count,), np.uint8)
    return array


@kernel
def shorts_at(address: Whole, count: Whole) -> NDArray[np.uint16]:
    """The array of `count` unsigned 16-bit integers at an address."""
    array: NDArray[np.uint16] = _array(_pointer(address), (count,), np.uint16)
    return array


@kernel
def words_at(address: Whole, count: Whole) -> NDArray[np.uint32]:
    """The array of `count` unsigned 32-bit integers at an address."""
    array: NDArray[np.uint32] = _array(_pointer(address), (count,), np.uint32)
    return array


@kernel
def ints_at(address: Whole, count: Whole) -> NDArray[np.int32]:
    """The array of `count` 32-bit integers at an address."""
    array: NDArray[np.int32] = _array(_pointer(address), (count,), np.int32)
    return array


@kernel
def longs_at(address: Whole, count: Whole) -> NDArray[np.int64]:
    """The array of `count` 64-bit integers at an address."""
    array: NDArray[np.int64] = _array(_pointer(address), (count,), np.int64)
    return array


@kernel
def numbers_at(address: Whole, count: Whole) -> NDArray[np.uint64]:
    """The array of `count` unsigned 64-bit integers at an address."""
    array: NDArray[np.uint64] = _array(_pointer(address), (count,), np.uint64)
    return array


@kernel
def floats_at(address: Whole, count: Whole) -> NDArray[np.float32]:
    """The array of `count` 32-bit floats at an address."""
    array: NDArray[np.float32] = _array(_pointer(address), (count,), np.float32)
    return array


@kernel
def doubles_at(address: Whole, count: Whole) -> NDArray[np.float64]:
    """The array of `count` 64-bit floats at an address."""
    array: NDArray[np.float64] = _array(_pointer(address), (count,), np.float64)
    return array


@kernel
def number_at(address: Whole, size: Whole, place: Whole) -> np.int64:
    """One element of an array of unsigned integers of `size` bytes."""
    if size == 1:
        return np.int64(bytes_at(address, 1)[place])
    if size == 2:  # noqa: PLR2004 - bytes
        return np.int64(shorts_at(address, 1)[place])
    return np.int64(words_at(address, 1)[place])
