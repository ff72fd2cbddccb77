# SPDX-License-Identifier: Apache-2.0
"""Executes Tile IR on the CPU, in place, on NumPy arrays and CPU tensors of PyTorch.

    from tileport import bytecode, cpu
    cpu.launch(bytecode.read_file("softmax.tileirbc"), (256, 1, 1), [x, y])

docs/cpu.md says what is exact, in which order sums are formed, and what is checked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tileport._core import cpu as _cpu
from tileport.errors import Error, UsageError
from tileport.ir import Module

if TYPE_CHECKING:
    from tileport.capture.execution import Execution

__all__ = [
    "ExecutionError",
    "Launched",
    "Limits",
    "Program",
    "activate",
    "compile",
    "executes",
    "launch",
    "refusals",
]

ReductionOrder = Literal["halves", "neighbours", "sequential"]
Unspecified = Literal["nan", "zero"]

_MISUSE = {"TP-E0002", "TP-E0003", "TP-E0004", "TP-E0005"}

# Element types by the names that NumPy, ml_dtypes and PyTorch have for them.
_ELEMENTS = {
    "bool": "i1", "int8": "i8", "uint8": "i8", "int16": "i16", "uint16": "i16", "int32": "i32",
    "uint32": "i32",
    "int64": "i64", "uint64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e8m0fnu": "f8E8M0FNU",
}  # fmt: skip


class ExecutionError(Error):
    """A kernel could not be compiled or was stopped while it ran; memory may have been written.

    ``diagnostics`` are dicts with code ("TP-E0020"), message, path, source ("softmax.py:12:5 in softmax"),
    advice and text (all of it as a compiler prints it); include/tileport/cpu/launch.hpp lists the codes.
    """

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        place = first["source"] or first["path"] or first["file"]
        super().__init__(first["code"], first["message"], place, first["advice"])
        self.diagnostics = diagnostics
        if first["code"] in _MISUSE:
            self.exit_status = 2

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


@dataclass(frozen=True)
class Limits:
    """What one launch may use; 0 is no limit."""

    seconds: float = 0
    bytes: int = 4 << 30
    """Tile buffers of all threads, and what guards note about memory."""
    steps: int = 0
    """Instructions of one block."""
    blocks: int = 1 << 32
    work: int = 0
    """Elements that all instructions of a launch compute together; 16 multiplications of an mma count as one.
    Unlike seconds the same on every machine."""


@dataclass(frozen=True)
class Launched:
    printed: str
    """What the kernel printed, block by block."""
    blocks: int
    instructions: int
    work: int
    """As ``Limits.work`` counts it."""
    threads: int
    seconds: float


@dataclass(frozen=True)
class Program:
    """A compiled kernel."""

    _program: Any = field(repr=False)

    @property
    def kernel(self) -> str:
        return str(self._program.kernel)

    @property
    def parameters(self) -> list[str]:
        """Element types of the parameters, "ptr" for pointers."""
        return list(self._program.parameters)

    @property
    def instruction_count(self) -> int:
        return int(self._program.instruction_count)

    @property
    def buffer_bytes(self) -> int:
        """Bytes of tile buffers that a thread needs."""
        return int(self._program.buffer_bytes)

    def launch(
        self,
        grid: Sequence[int],
        args: Sequence[Any],
        *,
        more: Sequence[Any] = (),
        undefined: Sequence[int] = (),
        limits: Limits | None = None,
        threads: int = 0,
        any_order: bool = False,
    ) -> Launched:
        """Runs every block of a grid of one to three extents on the arrays among ``args``, in place.

        ``args``: one a parameter, an array standing for its address; or one a parameter of the source,
        where an array stands for its address, extents and strides, as cuTile passes arrays. ``more``:
        arrays that the kernel reaches through tables of addresses. ``undefined``: numbers of arguments that
        hold nothing yet, so that reading what nobody has written is an error. ``threads``: 0 takes all
        processors. Kernels with atomics run their blocks in order on one thread, so that sums come out the
        same each time, unless
        ``any_order``.

        Raises ``ExecutionError``, and ``UsageError`` for arguments that are no arrays of the CPU.
        """
        extents = [int(extent) for extent in grid]
        if not 1 <= len(extents) <= 3:
            raise UsageError("bad-grid", f"a grid has one to three extents, not {len(extents)}")
        bounds = limits or Limits()
        arguments = [_argument(value, i, i in set(undefined)) for i, value in enumerate(args)]
        arrays = [_argument(value, i, False, "further array") for i, value in enumerate(more)]
        result = _cpu.launch(
            self._program, [*extents, 1, 1][:3], arguments, arrays, bounds.seconds, bounds.bytes,
            bounds.steps, bounds.blocks, bounds.work, threads, any_order,
        )  # fmt: skip
        if isinstance(result, list):
            raise ExecutionError(result)
        return Launched(*result)


def compile(
    module: Module,
    *,
    kernel: str = "",
    unchecked: bool = False,
    reduction_order: ReductionOrder = "halves",
    unspecified: Unspecified = "nan",
) -> Program:
    """Compiles a kernel of a valid module (``tileport.verify``), by name if there are several.

    ``unchecked`` leaves out all guards: the kernel may then touch any memory of the process.
    ``reduction_order``: in which order reductions combine elements, which the IR leaves open; docs/cpu.md.
    ``unspecified``: what elements are that the program leaves open, of loads that are masked out or reach
    outside and have no padding: NaN (integers: -1), so that whatever uses them shows, or zero, as on GPUs.

    Raises ``ExecutionError`` if there is an op that can't be executed (TP-E0001) or no such kernel
    (TP-E0002).
    """
    program = _cpu.compile(module, kernel, unchecked, reduction_order, unspecified)
    if isinstance(program, list):
        raise ExecutionError(program)
    return Program(program)


def launch(
    module: Module | Program,
    grid: Sequence[int],
    args: Sequence[Any],
    *,
    kernel: str = "",
    unchecked: bool = False,
    reduction_order: ReductionOrder = "halves",
    unspecified: Unspecified = "nan",
    **options: Any,
) -> Launched:
    """Compiles a module, unless it is a ``Program`` already, and launches it; see ``Program.launch``."""
    if not isinstance(module, Program):
        module = compile(
            module,
            kernel=kernel,
            unchecked=unchecked,
            reduction_order=reduction_order,
            unspecified=unspecified,
        )
    return module.launch(grid, args, **options)


def activate(
    device_model: str = "h200",
    *,
    ports: str | os.PathLike[str] | None = None,
    unchecked: bool = False,
    unspecified: Unspecified = "zero",
    limits: Limits | None = None,
    threads: int = 0,
) -> Execution:
    """Makes every cuTile launch of this process run on the CPU, on the tensors' own memory.

    From now on PyTorch seems to have the GPU that ``device_model`` names, tensors on "cuda" live in memory of
    the CPU, and cuTile's launcher compiles as it does on that GPU. Call it before ``cuda.tile`` or
    ``tilegym`` is imported; it can't be undone. With ``ports``, a folder of conversions, launches run the
    Tile IR of the Rust ports instead of the reference's, and one without a port is an error.
    ``unspecified`` is zero here, as on the GPU: operators rely on it. Memory that nobody has written
    (``torch.empty``) holds NaN, or -1.
    """
    from tileport.capture import session
    from tileport.capture.device_models import select_device_models

    model = select_device_models([device_model])[0]
    # The session's imports pretend to have a GPU; ours must come after them.
    execution: list[Execution] = []
    session.start(model, lambda launch: execution[0](launch), real_numbers=True)
    from tileport.capture.execution import Execution, of_ports, reference

    module_of = reference if ports is None else of_ports(ports, model.target)
    execution.append(Execution(module_of, unchecked, unspecified, limits or Limits(), threads))
    return execution[0]


def refusals() -> dict[str, str]:
    """Ops that can't be executed, and why."""
    return dict(_cpu.refusals())


def executes(mnemonic: str) -> bool:
    """Whether there is a function that executes an op."""
    return bool(_cpu.executes(mnemonic))


def _argument(value: Any, number: int, undefined: bool, kind: str = "argument") -> Any:
    name = f"{kind} {number}"
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return value
    if hasattr(value, "untyped_storage"):
        return _torch_array(value, name, undefined)
    if hasattr(value, "__array_interface__"):
        return _numpy_array(value, name, undefined)
    if hasattr(value, "__dlpack__"):
        address, element, shape, strides, read_only = _dlpack(value, name)
        begin, length = _reach(address, shape, strides, _item_bytes(element))
        return _cpu.Array(address, element, shape, strides, begin, length, not read_only, undefined, name)
    raise UsageError(
        "not-an-argument",
        f"{name} is a {type(value).__name__}, which is no number and no array",
        help="pass numbers, NumPy arrays, CPU tensors, or what has __dlpack__",
    )


def _element(dtype: str, name: str) -> str:
    element = _ELEMENTS.get(dtype.removeprefix("torch."))
    if element is None:
        raise UsageError("element-type", f"{name} has elements of {dtype}, which Tile IR does not have")
    return element


def _numpy_array(value: Any, name: str, undefined: bool) -> Any:
    interface = value.__array_interface__
    item = value.dtype.itemsize
    strides = value.strides
    if any(stride % item for stride in strides):
        raise UsageError("strides", f"{name} has strides that are no multiples of its elements' {item} bytes")
    owner = value
    while isinstance(owner.base, type(value)) and owner.base is not None:
        owner = owner.base
    begin, length = _reach(
        owner.__array_interface__["data"][0], owner.shape, [s // owner.itemsize for s in owner.strides],
        owner.itemsize,
    )  # fmt: skip
    address, read_only = interface["data"]
    elements = [stride // item for stride in strides]
    return _cpu.Array(
        address, _element(value.dtype.name, name), list(value.shape), elements, begin, length, not read_only,
        undefined, name,
    )  # fmt: skip


def _torch_array(value: Any, name: str, undefined: bool) -> Any:
    storage = value.untyped_storage()
    if str(storage.device) != "cpu":
        raise UsageError("not-on-cpu", f"{name} is on {storage.device}", help="move it to the CPU")
    return _cpu.Array(
        value.data_ptr(), _element(str(value.dtype), name), list(value.shape), list(value.stride()),
        storage.data_ptr(), storage.nbytes(), True, undefined, name,
    )  # fmt: skip


_DLPACK_CPU = 1
_DLPACK_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


def _dlpack(value: Any, name: str) -> tuple[int, str, list[int], list[int], bool]:
    address, code, bits, lanes, shape, strides, device, read_only = _cpu.read_dlpack(value.__dlpack__())
    if device != _DLPACK_CPU:
        raise UsageError("not-on-cpu", f"{name} is not in memory of the CPU", help="move it there")
    kind = _DLPACK_KINDS.get(code)
    if kind is None or lanes != 1:
        raise UsageError(
            "element-type", f"{name} has elements (DLPack code {code}) that Tile IR does not have"
        )
    dtype = "bool" if kind == "bool" else f"{kind}{bits}"
    return address, _element(dtype, name), shape, strides, read_only


def _item_bytes(element: str) -> int:
    return {"i1": 1, "i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4}.get(element, 8)


def _reach(address: int, shape: Sequence[int], strides: Sequence[int], item: int) -> tuple[int, int]:
    """The first byte of an array's elements, and how many bytes they span."""
    if 0 in shape:
        return address, 0
    spans = [(extent - 1) * stride * item for extent, stride in zip(shape, strides, strict=True)]
    low = sum(span for span in spans if span < 0)
    high = sum(span for span in spans if span > 0)
    return address + low, high - low + item
