# SPDX-License-Identifier: Apache-2.0
"""The built kernel library as Python calls it: tensor descriptors, scalars, and the exported functions.

Mirrors ``include/tileport/native/abi.h``; `KernelLibrary` refuses a library of another ABI version.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from pathlib import Path

from tileport.errors import ToolchainError
from tileport.wrappers.errors import LaunchError
from tileport.wrappers.facts import ElementType

ABI_VERSION = 1
MAXIMUM_RANK = 8
#: abi_version, struct_size | data | ndim, dtype code, bits, lanes, device_id, flags, shape, strides,
#: reachable_bytes
_HEAD = struct.Struct("=II")
_TAIL = struct.Struct(f"=iBBHiI{MAXIMUM_RANK}q{MAXIMUM_RANK}qQ")
_ADDRESS = struct.Struct("=Q")
SCALAR_BYTES = 8
DESCRIPTOR_BYTES = _HEAD.size + _ADDRESS.size + _TAIL.size
FLAG_MAY_ALIAS = 2

_INT32, _FLOAT32 = 0, 1

#: Status codes of the C ABI -> code of the error raised.
STATUS = {
    -2: "unsupported-dtype",
    -3: "launch-failed",
    -4: "no-device",
    -5: "null-descriptor",
    -6: "invalid-argument",
    -7: "abi-mismatch",
    -8: "kernel-library-panic",
    -9: "stream-capture",
    -10: "device-mismatch",
}


def reachable_bytes(element: ElementType, shape: Sequence[int], strides: Sequence[int]) -> int:
    """Bytes from the first element to the end of the last that indices can reach; 0 for an empty array."""
    if any(extent == 0 for extent in shape):
        return 0
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True) if stride > 0)
    return (last + 1) * element.bits // 8


_ABI_WORDS = ("abi_version", "struct_size", "tensor_bytes", "scalar_bytes", "maximum_rank")


class _AbiInfo(ctypes.Structure):
    """``tp_abi_info``: sizes in bytes, by which both sides know that they mean the same structures."""

    _fields_ = [(name, ctypes.c_uint32) for name in _ABI_WORDS]


class TensorTemplate:
    """A tensor descriptor (version 1) of which only the address varies from launch to launch."""

    __slots__ = ("_after", "_before")

    def __init__(
        self, element: ElementType, shape: Sequence[int], strides: Sequence[int], device: int, may_alias: bool
    ) -> None:
        rank = len(shape)
        if rank > MAXIMUM_RANK:
            raise ValueError(f"arrays of rank {rank} cannot be passed; {MAXIMUM_RANK} is the most")
        padding = [0] * (MAXIMUM_RANK - rank)
        self._before = _HEAD.pack(ABI_VERSION, DESCRIPTOR_BYTES)
        flags = FLAG_MAY_ALIAS if may_alias else 0
        self._after = _TAIL.pack(
            *(rank, element.code, element.bits, 1, device, flags),
            *(*shape, *padding, *strides, *padding),
            reachable_bytes(element, shape, strides),
        )

    def at(self, address: int) -> bytes:
        """The descriptor of the tensor whose first element is at ``address``."""
        return self._before + _ADDRESS.pack(address) + self._after


def pack_scalar(value: int | float) -> bytes:
    """A run-time number as the ABI passes it: its kind and 32 bits."""
    if isinstance(value, float):
        return struct.pack("=If", _FLOAT32, value)
    return struct.pack("=Ii", _INT32, int(value))


class KernelLibrary:
    """A loaded ``libcutile_kernels.so``. Calls are asynchronous."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: set[str] = set()
        try:
            self._handle = ctypes.CDLL(str(path))
            abi = self._handle.tp_abi
            self._last_error = self._handle.tp_last_error
            self._launch_count = self._handle.tp_launch_count
        except OSError as error:
            raise ToolchainError("library-unloadable", f"cannot be loaded: {error}", str(path)) from error
        except AttributeError as error:
            raise ToolchainError(
                "not-a-kernel-library", f"does not export what a kernel library does: {error}", str(path)
            ) from error
        abi.restype = ctypes.POINTER(_AbiInfo)
        found = abi().contents
        expected = (ABI_VERSION, ctypes.sizeof(_AbiInfo), DESCRIPTOR_BYTES, SCALAR_BYTES, MAXIMUM_RANK)
        words = tuple(getattr(found, name) for name in _ABI_WORDS)
        if words != expected:
            raise ToolchainError(
                "abi-mismatch",
                f"its ABI is {words}, this tileport speaks {expected}",
                str(path),
                "Remove it and `import tileport.backend` where cargo is installed: that builds it again.",
            )
        self._launch_count.restype = ctypes.c_uint64
        self._launch_count.argtypes = (ctypes.c_char_p,)
        self._last_error.argtypes = (ctypes.c_char_p, ctypes.c_uint64)
        self._functions: dict[str, ctypes._NamedFuncPointer] = {}

    def function(self, symbol: str) -> ctypes._NamedFuncPointer:
        """The exported launcher ``symbol``; ToolchainError when the library has none."""
        found = self._functions.get(symbol)
        if found is None:
            try:
                found = getattr(self._handle, symbol)
            except AttributeError as error:
                raise ToolchainError(
                    "symbol-missing",
                    f"does not export {symbol}",
                    str(self.path),
                    "It is older than this op: `import tileport.backend` with cargo installed builds it.",
                ) from error
            found.restype = ctypes.c_int32
            found.argtypes = (
                *(ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_uint32),
                *(ctypes.c_uint32 * 3, ctypes.c_int32, ctypes.c_uint64),
            )
            self._functions[symbol] = found
        return found

    def has(self, symbol: str) -> bool:
        """Whether the library exports ``symbol``."""
        return hasattr(self._handle, symbol)

    def launch(
        self,
        symbol: str,
        entry: str,
        tensors: Sequence[bytes],
        scalars: Sequence[bytes],
        grid: tuple[int, int, int],
        device: int,
        stream: int,
    ) -> None:
        """Submits one launch to ``stream`` (a raw CUstream); LaunchError holds the library's own text."""
        status = self.function(symbol)(
            *(entry.encode(), b"".join(tensors), len(tensors), b"".join(scalars), len(scalars)),
            *((ctypes.c_uint32 * 3)(*grid), device, stream),
        )
        if status != 0:
            raise LaunchError(
                STATUS.get(status, "launch-failed"),
                f"{entry} was not launched: {self.last_error() or f'status {status}'}",
                str(self.path),
            )
        self._entries.add(entry)

    def launch_counts(self) -> dict[str, int]:
        """Entry -> launches that the library itself counted, for the entries used in this process."""
        return {entry: self._launch_count(entry.encode()) for entry in sorted(self._entries)}

    def last_error(self) -> str:
        """The text of this thread's last failure."""
        buffer = ctypes.create_string_buffer(8192)
        self._last_error(buffer, len(buffer))
        return buffer.value.decode(errors="replace")
