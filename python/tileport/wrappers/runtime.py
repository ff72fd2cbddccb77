# SPDX-License-Identifier: Apache-2.0
"""What ported wrappers use in place of cuda.tile: kernels as descriptors, launching, tuning.

A launch derives the facts that cuTile's launcher would, finds the Rust entry that was converted for exactly
these, and hands the tensors to it on the caller's stream: asynchronously, without a copy. A launch for which
there is no entry is an error; nothing falls back to another backend.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tileport.wrappers import facts
from tileport.wrappers.dispatch import DEFAULT_HINTS, DispatchTable, Entry
from tileport.wrappers.library import KernelLibrary, TensorTemplate, pack_scalar
from tileport.wrappers.ports import current_folder, library_path, read_dispatch, read_index
from tileport.wrappers.tuning import Measurement, TuningResult, exhaustive_search

__all__ = [
    "Kernel",
    "Measurement",
    "TuningResult",
    "cdiv",
    "compiler_timeout",
    "exhaustive_search",
    "experimental_kernel",
    "kernel",
    "launch",
    "launch_counts",
]

#: Prepared launches kept per kernel; the table starts anew when it is full.
PREPARED_LIMIT = 1024

_ELEMENTS = {
    getattr(torch, name): element for name, element in facts.ELEMENT_TYPES.items() if hasattr(torch, name)
}


@functools.cache
def _table(folder: Path, op: str) -> DispatchTable:
    return DispatchTable.from_index(read_index(folder, op), dispatch=read_dispatch(folder, op))


@functools.cache
def _library(path: Path) -> KernelLibrary:
    return KernelLibrary(path)


def launch_counts() -> dict[str, int]:
    """Entry -> launches that the loaded kernel libraries counted in this process."""
    counts: dict[str, int] = {}
    for library in _libraries:
        for entry, launches in library.launch_counts().items():
            counts[entry] = counts.get(entry, 0) + launches
    return counts


_libraries: list[KernelLibrary] = []


def open_library(folder: Path) -> KernelLibrary:
    """The kernel library of a ports folder, loaded once per process."""
    library = _library(library_path(folder).resolve())
    if library not in _libraries:
        _libraries.append(library)
    return library


@dataclass(frozen=True)
class _Prepared:
    """A launch with everything but addresses, scalar values, grid and stream resolved."""

    entry: Entry
    library: KernelLibrary
    templates: tuple[TensorTemplate, ...]
    device: int


class Kernel:
    """A kernel of a ported wrapper: its name, its parameters and the compiler hints it is launched with."""

    def __init__(
        self, op: str, name: str, *, params: tuple[str, ...], constants: tuple[str, ...] = (), **hints: Any
    ) -> None:
        unknown = set(hints) - set(DEFAULT_HINTS)
        if unknown:
            raise TypeError(f"kernel {name}: unknown compiler hints {sorted(unknown)}")
        self.op = op
        self.name = self.__name__ = name
        self.params = params
        self.constants = frozenset(constants)
        self.hints = {**DEFAULT_HINTS, **hints}
        self.folder = current_folder()
        self._tracked_message: str | None = None
        self._constant_flags = tuple(parameter in self.constants for parameter in params)
        self._prepared: dict[tuple[Any, ...], _Prepared] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.op}.{self.name} {self.hints}>"

    def replace_hints(self, **hints: Any) -> Kernel:
        """The same kernel with other hints; those that are not named stay."""
        unknown = set(hints) - set(DEFAULT_HINTS)
        if unknown:
            raise TypeError(f"kernel {self.name}: unknown compiler hints {sorted(unknown)}")
        constants = tuple(self.constants)
        changed = Kernel(
            self.op, self.name, params=self.params, constants=constants, **{**self.hints, **hints}
        )
        changed.folder = self.folder
        return changed

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError("a tile kernel cannot be called directly; use launch()")

    def describe(self, args: tuple[Any, ...]) -> list[dict[str, Any]]:
        """The launcher's description of ``args``, one dictionary a parameter, as index rows hold it."""
        described = []
        for parameter, is_constant, argument in zip(self.params, self._constant_flags, args, strict=True):
            try:
                if is_constant:
                    fact = facts.describe_constant(argument)
                elif isinstance(argument, torch.Tensor):
                    fact = describe_tensor(argument)
                else:
                    fact = facts.describe_scalar(argument)
            except (TypeError, OverflowError) as error:
                raise type(error)(f"{self.op}.{self.name}, argument {parameter!r}: {error}") from None
            described.append({"name": parameter, **fact})
        return described

    def find(self, args: tuple[Any, ...]) -> Entry:
        """The entry that serves a launch with ``args``."""
        return _table(self.folder, self.op).find(self.name, self.describe(args), self.hints)

    def prepare(self, args: tuple[Any, ...]) -> _Prepared:
        """Resolves a launch; the errors are those of `launch`."""
        entry = self.find(args)
        templates, device = [], None
        for parameter, is_constant, argument in zip(self.params, self._constant_flags, args, strict=True):
            if is_constant or not isinstance(argument, torch.Tensor):
                continue
            self._check_tensor(parameter, argument, device)
            device = argument.get_device()
            shape, strides = tuple(argument.shape), tuple(argument.stride())
            aliased = not facts.elements_are_disjoint(shape, strides)
            templates.append(TensorTemplate(_ELEMENTS[argument.dtype], shape, strides, device, aliased))
        if device is None:
            raise TypeError(f"{self.op}.{self.name}: a launch needs at least one tensor")
        return _Prepared(entry, open_library(self.folder), tuple(templates), device)

    def _check_tensor(self, parameter: str, argument: torch.Tensor, device: int | None) -> None:
        where = f"{self.op}.{self.name}, argument {parameter!r}"
        if not argument.is_cuda:
            raise ValueError(f"{where}: the tensor is on {argument.device}, not on a CUDA device")
        if device is not None and argument.get_device() != device:
            raise ValueError(f"{where}: the tensor is on {argument.device}, others are on cuda:{device}")
        if argument.is_neg() or argument.is_conj():
            raise ValueError(
                f"{where}: a lazily negated or conjugated view; call resolve_neg() or resolve_conj()"
            )
        if argument.data_ptr() == 0 and argument.numel() > 0:
            raise ValueError(f"{where}: the tensor has no memory")

    def launch(self, stream: int, grid: tuple[int, int, int], args: tuple[Any, ...]) -> None:
        """Submits one launch to a raw stream."""
        identity: list[Any] = []
        addresses: list[int] = []
        scalars: list[bytes] = []
        for argument, is_constant in zip(args, self._constant_flags, strict=True):
            if is_constant:
                identity.append(facts.argument_key(argument))
            elif isinstance(argument, torch.Tensor):
                address = argument.data_ptr()
                addresses.append(address)
                identity.append(
                    (
                        argument.dtype,
                        argument.shape,
                        argument.stride(),
                        address % facts.ALIGNMENT,
                        address == 0,
                    )
                )
                identity.append((argument.get_device(), argument.is_neg()))
            else:
                identity.append(type(argument))
                if isinstance(argument, int | float):
                    facts.describe_scalar(argument)
                    scalars.append(pack_scalar(argument))
        key = tuple(identity)
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self.prepare(args)
            if len(self._prepared) >= PREPARED_LIMIT:
                self._prepared.clear()
            self._prepared[key] = prepared
        tensors = [
            template.at(address) for template, address in zip(prepared.templates, addresses, strict=True)
        ]
        entry = prepared.entry
        prepared.library.launch(entry.symbol, entry.name, tensors, scalars, grid, prepared.device, stream)


#: The name under which ported wrappers use it, as cuda.tile's.
kernel = Kernel


def describe_tensor(tensor: torch.Tensor) -> dict[str, Any]:
    """The launcher's promises about a tensor; TypeError for element types that cannot be passed."""
    element = _ELEMENTS.get(tensor.dtype)
    if element is None:
        raise TypeError(f"tensors of {tensor.dtype} cannot be passed to a ported kernel")
    return facts.describe_array(element, tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()))


def launch(
    stream: Any, grid: Any, kernel: Kernel, args: Any, /, *, programmatic_dependent_launch: bool = False
) -> None:
    """Launches ``kernel`` over ``grid`` on ``stream`` (a torch stream or a raw CUstream), asynchronously.

    Argument errors have the classes that cuda.tile's launcher raises (TypeError, ValueError, OverflowError);
    MissingSpecializationError says that no entry was converted for this launch, LaunchError that the library
    or the driver refused it.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"not a ported kernel: {kernel!r}")
    if programmatic_dependent_launch:
        raise ValueError(f"{kernel.op}.{kernel.name}: programmatic dependent launch is not supported")
    if not isinstance(args, tuple | list) or len(args) != len(kernel.params):
        given = len(args) if isinstance(args, tuple | list) else type(args).__name__
        raise TypeError(f"kernel {kernel.name} takes {len(kernel.params)} arguments, got {given}")
    if kernel._tracked_message:
        from tilegym.logger import warn_once

        warn_once(kernel._tracked_message, "EXPERIMENTAL")
        kernel._tracked_message = None
    kernel.launch(raw_stream(stream), facts.normalize_grid(grid), tuple(args))


def raw_stream(stream: Any) -> int:
    """The CUstream of a torch stream, or an int as it is."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    handle = getattr(stream, "cuda_stream", None)
    if not isinstance(handle, int):
        raise TypeError(f"a launch needs a CUDA stream, not {type(stream).__name__}")
    return handle


def cdiv(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(dividend // -divisor)


@contextlib.contextmanager
def compiler_timeout(seconds: float) -> Iterator[None]:
    """Accepted so that wrappers run unchanged; nothing to bound, as a search tries converted entries only."""
    yield


def experimental_kernel(message_or_kernel: Any = None) -> Any:
    """Marks a kernel as TileGym's decorator does: its first launch prints a note, once."""

    def mark(marked: Kernel, message: str | None = None) -> Kernel:
        marked._tracked_message = message or (
            f"{marked.name} is marked experimental by TileGym: contributed from outside its core team, "
            "not fully validated."
        )
        return marked

    if isinstance(message_or_kernel, Kernel):
        return mark(message_or_kernel)
    decorator: Callable[[Kernel], Kernel] = functools.partial(mark, message=message_or_kernel)
    return decorator
