# SPDX-License-Identifier: Apache-2.0
"""Stops every kernel launch of this process at the point where it would be compiled, and records it.

The native launcher of cuda-tile runs unchanged up to its call of ``kernel._compile(signature, ...)``. So the
signature (calling convention, constraints, constants, symbol) is the launcher's own and not a reconstruction.
Import this module only after ``stub_driver.StubDriver.install`` and ``fake_cuda.install``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cuda.tile as ct
import cuda.tile.tune as tune
import cuda.tile.tune._tune as tune_implementation
from cuda.tile import _cext
from cuda.tile._compile import compile_tile, parse_bytecode_version
from cuda.tile._exception import TileError
from cuda.tile._execution import kernel as Kernel

from tileport.capture.device_models import DeviceModel
from tileport.capture.signatures import describe_arguments, describe_hints, describe_parameter


@dataclass(frozen=True)
class Specialization:
    """What the JIT would compile once: a kernel with constants, argument facts and hints, for one target."""

    key: str
    kernel: str
    source: str
    line: int
    symbol: str
    calling_convention: str
    parameters: tuple[str, ...]
    signature: tuple[dict[str, Any], ...]
    hints: dict[str, Any]
    target: str
    bytecode: bytes | None
    rejected: str | None = None
    """Why cuTile refuses this kernel for this target; then there is no bytecode."""


@dataclass(frozen=True)
class Launch:
    """One launch. ``arguments`` are the host's own objects: real tensors in CPU memory, not copies."""

    specialization: Specialization
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    test: str
    tuning: bool
    """Whether an autotuner made it to try a candidate."""

    @functools.cached_property
    def facts(self) -> dict[str, Any]:
        return describe_arguments(self.specialization.parameters, self.arguments)


class _Stopped(BaseException):
    """Leaves the native launcher from its compile callback. No Exception: nobody may swallow it."""


@dataclass
class Recorder:
    """Takes the place of the launcher. ``on_launch`` sees every launch, in order, while its tensors live."""

    model: DeviceModel
    on_launch: Callable[[Launch], None]
    bytecode_version: str = "13.3"
    every_candidate: bool = False
    test: str = ""
    launches: int = 0
    _pending: list[Any] = field(default_factory=list)
    _known: dict[Any, Specialization] = field(default_factory=dict)

    def install(self) -> None:
        """Replaces launching and tuning in cuda.tile for the rest of this process.

        Must run before the operators are imported: they take ``exhaustive_search`` by name, and TileGym wraps
        the ``launch`` that it finds.
        """
        self._native_launch = _cext.launch
        recorder = self

        def stop(kernel: Any, signature: Any, context: Any, compute_capability: Any = None) -> Any:
            recorder._pending.append(signature)
            raise _Stopped

        # The callback into which the native launcher hands the signature that it derived.
        Kernel._compile = stop
        # Host code calls ct.launch; _cext.launch is the same function for code that imports it from there.
        ct.launch = self.launch
        _cext.launch = self.launch
        # Measuring needs a GPU. Both names, because ``cuda.tile.tune`` re-exports the implementation's.
        tune.exhaustive_search = self.search
        tune_implementation.exhaustive_search = self.search

    def launch(
        self,
        stream: Any,
        grid: Any,
        kernel: Any,
        arguments: Any,
        /,
        *,
        programmatic_dependent_launch: bool = False,
    ) -> None:
        """What ``ct.launch`` does now. Raises what the real one raises for bad arguments and kernels."""
        self._launch(stream, grid, kernel, arguments, tuning=False)

    def _launch(self, stream: Any, grid: Any, kernel: Any, arguments: Any, *, tuning: bool) -> None:
        self._pending.clear()
        try:
            self._native_launch(stream, grid, kernel, arguments)
        except _Stopped:
            pass
        except SystemError:
            # Some paths of the launcher report the exception of its callback as "returned with an exception
            # set".
            if not self._pending:
                raise
        if not self._pending:
            raise RuntimeError(
                "cuda-tile's launcher returned without compiling; this version is not supported"
            )
        signature = self._pending.pop()
        specialization = self._specialization(kernel, signature)
        self.launches += 1
        self.on_launch(Launch(specialization, tuple(grid), tuple(arguments), self.test, tuning))
        if specialization.rejected is not None:
            # As on a GPU: host code may try another kernel, and a tuner goes on to its next candidate.
            raise self._refusals[specialization.key]

    _refusals: dict[str, TileError] = field(default_factory=dict)

    def _specialization(self, kernel: Any, signature: Any) -> Specialization:
        function = kernel._pyfunc
        if signature.symbol is None:
            signature = signature.with_mangled_symbol(function.__name__)
        hints = describe_hints(kernel._compiler_options)
        identity = (_function_identity(function), signature.symbol, repr(sorted(hints.items())))
        known = self._known.get(identity)
        if known is None:
            known = self._export(kernel, signature, hints, key=f"{self.model.name}:{len(self._known)}")
            self._known[identity] = known
        return known

    def _export(self, kernel: Any, signature: Any, hints: dict[str, Any], key: str) -> Specialization:
        function = kernel._pyfunc
        bytecode, rejected = None, None
        try:
            result = compile_tile(
                kernel._annotated_function,
                (signature,),
                self.model.target,
                kernel._compiler_options,
                bytecode_version=parse_bytecode_version(self.bytecode_version),
                return_bytecode=True,
                return_cubin=False,
            )
            bytecode = bytes(result.bytecode)
        except TileError as error:
            rejected = f"{type(error).__name__}: {error.message}"
            self._refusals[key] = error
        return Specialization(
            key=key,
            kernel=function.__name__,
            source=function.__code__.co_filename,
            line=_definition_line(function),
            symbol=signature.symbol,
            calling_convention=signature.calling_convention.name,
            parameters=function.__code__.co_varnames[: function.__code__.co_argcount],
            signature=tuple(describe_parameter(parameter) for parameter in signature.parameters),
            hints=hints,
            target=self.model.target,
            bytecode=bytecode,
            rejected=rejected,
        )

    def search(
        self,
        search_space: Sequence[Any],
        stream: Any,
        grid_fn: Callable[[Any], Any],
        kernel: Any,
        args_fn: Callable[[Any], Any],
        hints_fn: Callable[[Any], dict[str, Any]] | None = None,
        **_: Any,
    ) -> Any:
        """What ``exhaustive_search`` does now: there is no time to measure, so the first candidate wins.

        With ``every_candidate`` each is launched, else only as many as it takes to find one that compiles. As
        in the original, a candidate that fails is noted and skipped, and ValueError is raised if none is
        left.
        """
        successes, failures = [], []
        for candidate in search_space:
            grid = grid_fn(candidate)
            hints = hints_fn(candidate) if hints_fn is not None else {}
            try:
                chosen = kernel if isinstance(kernel, Kernel) else kernel(candidate)
                self._launch(stream, grid, chosen.replace_hints(**hints), args_fn(candidate), tuning=True)
            except Exception as error:
                failures.append((candidate, type(error), str(error)))
                continue
            successes.append(
                tune.Measurement(config=candidate, mean_us=1.0, num_samples=1, error_margin_us=0.0)
            )
            if not self.every_candidate:
                break
        if not successes:
            reasons = "; ".join(f"{candidate}: {kind.__name__}: {text}" for candidate, kind, text in failures)
            raise ValueError(
                f"no candidate of {getattr(kernel, '__name__', 'the kernel')} compiles: {reasons}"
            )
        return tune.TuningResult(best=successes[0], successes=tuple(successes), failures=tuple(failures))


def _function_identity(function: Any) -> Any:
    """Equal for functions that must compile alike.

    A factory makes a new function of the same code each time it is called; those are the same kernel as long
    as they captured the same numbers. Anything else captured counts as different.
    """
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    if all(isinstance(value, (bool, int, float, str, type(None))) for value in cells):
        return (function.__code__, tuple((type(value), value) for value in cells))
    return function


def _definition_line(function: Any) -> int:
    """The line of ``def``; the code object knows only that of the first decorator."""
    first = function.__code__.co_firstlineno
    for node in _functions_of(function.__code__.co_filename):
        if first in (node.lineno, *(decorator.lineno for decorator in node.decorator_list)):
            return node.lineno
    return first


@functools.lru_cache(maxsize=64)
def _functions_of(path: str) -> tuple[ast.FunctionDef, ...]:
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError):
        return ()  # made by exec or typed at a prompt
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
