# SPDX-License-Identifier: Apache-2.0
"""Runs TileGym's own tests, for their launches only.

Launches compute nothing here, so comparing results is pointless and computing references on a CPU is most of
the time. Both are cut short, from outside: nothing of TileGym or its tests is changed or copied. What is
replaced is listed below with its reason; all else runs as it is, so the launches are exactly those of a GPU
run.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from tileport.capture.reporting import Reporter

if TYPE_CHECKING:
    from tileport.capture.launches import Recorder

# Parameters by which a test chooses an implementation; only "cutile" launches what is captured.
_BACKEND_PARAMETERS = ("backend", "framework", "impl", "provider")

# Multiplications above which a contraction returns zeros at once. Models around an operator are made of
# these.
_LARGE_CONTRACTION = 1e8

_CONTRACTIONS = frozenset(
    {
        torch.matmul,
        torch.mm,
        torch.bmm,
        torch.einsum,
        torch.addmm,
        torch.baddbmm,
        torch.conv1d,
        torch.conv2d,
        torch.Tensor.matmul,
        torch.Tensor.mm,
        torch.Tensor.bmm,
        torch.Tensor.__matmul__,
        torch.nn.functional.linear,
        torch.nn.functional.conv1d,
        torch.nn.functional.conv2d,
        torch.nn.functional.scaled_dot_product_attention,
    }
)


def run_tests(root: str | None, files: tuple[str, ...], recorder: Recorder, reporter: Reporter) -> None:
    """Runs the correctness tests (not the benchmarks) in ``files`` for the cuTile back end."""
    assert root is not None
    # Called before every test, to free memory of the GPU: a second each.
    gc.collect = _do_nothing  # type: ignore[assignment]
    _agree_with_references()
    plugin = _Plugin(recorder, reporter)
    with _SkipLargeContractions():
        status = pytest.main(
            [
                *files,
                f"--rootdir={root}",
                "-q",
                "--tb=line",
                "-p",
                "no:cacheprovider",
                "-o",
                "addopts=",
                "-p",
                "no:randomly",
                "-p",
                "no:xdist",
            ],
            plugins=[plugin],
        )
    # 1: tests failed, 5: nothing was collected; both are the tests' affair.
    if status not in (0, 1, 5):
        raise RuntimeError(f"pytest ended with status {int(status)}")


def _do_nothing(*_: Any, **__: Any) -> int:
    return 0


def _agree_with_references() -> None:
    """Comparisons always succeed, as there are no results to compare and a failure would end a test early."""
    torch.allclose = lambda *_, **__: True
    torch.testing.assert_close = lambda *_, **__: None


class _SkipLargeContractions(TorchFunctionMode):
    """Large matrix products and convolutions become zeros of the right shape that still pass gradients on."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _CONTRACTIONS:
            tensors = [value for value in _flatten([args, list(kwargs.values())])]
            if _multiplications(tensors) > _LARGE_CONTRACTION:
                zeros = _zeros_like_result(func, args, kwargs, tensors)
                if zeros is not None:
                    return zeros
        return func(*args, **kwargs)


def _flatten(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _flatten(item)]
    return []


def _multiplications(tensors: list[torch.Tensor]) -> float:
    """About how many a contraction of these does: elements of the largest times the longest inner extent."""
    if len(tensors) < 2:
        return 0
    inner = max((extent for tensor in tensors[:2] for extent in tensor.shape[-2:]), default=1)
    return float(max(tensor.numel() for tensor in tensors)) * inner


def _zeros_like_result(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[torch.Tensor]
) -> torch.Tensor | None:
    def shapes_only(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().to("meta")
        if isinstance(value, (list, tuple)):
            return type(value)(shapes_only(item) for item in value)
        return value

    with torch._C.DisableTorchFunction():
        try:
            result = func(*shapes_only(args), **{name: shapes_only(value) for name, value in kwargs.items()})
        except (RuntimeError, TypeError, NotImplementedError):
            return None  # let the real call say what is wrong
        zeros = torch.zeros(result.shape, dtype=result.dtype)
        if torch.is_grad_enabled():
            for tensor in tensors:
                if tensor.requires_grad:
                    zeros = zeros + tensor.reshape(-1)[:1].sum().to(zeros.dtype) * 0
        return zeros


class _Plugin:
    """Selects tests, tells the recorder which one is running, and reports how each ended."""

    def __init__(self, recorder: Recorder, reporter: Reporter) -> None:
        self._recorder = recorder
        self._reporter = reporter
        self._done = 0
        self._total = 0
        self._before = 0

    def pytest_addoption(self, parser: Any) -> None:
        with contextlib.suppress(ValueError):  # the tests' own conftest has it
            parser.addoption("--framework", default="cutile")

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        kept = [item for item in items if _is_cutile(item) and not _is_benchmark(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept
        self._total = len(kept)

    def pytest_collection_finish(self) -> None:
        common = sys.modules.get("tests.common")
        if common is not None:
            _shorten_assertions(common)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Any:
        self._reporter.at(self._done, self._total)
        self._recorder.test = item.nodeid
        self._before = self._recorder.launches
        torch.manual_seed(0)
        result = yield
        self._done += 1
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        # One outcome a test: of its body, or of what kept the body from running.
        if report.when != "call" and report.passed:
            return
        error = str(report.longrepr)[-500:] if report.failed else None
        self._reporter.outcome(report.nodeid, report.outcome, self._recorder.launches - self._before, error)

    def pytest_sessionfinish(self) -> None:
        self._reporter.at(self._done, self._total)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._reporter.outcome(report.nodeid or "tests", "failed", 0, str(report.longrepr)[-500:])


def _is_cutile(item: Any) -> bool:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    chosen = [parameters[name] for name in _BACKEND_PARAMETERS if isinstance(parameters.get(name), str)]
    return all(value == "cutile" for value in chosen)


def _is_benchmark(item: Any) -> bool:
    return "perf" in getattr(item, "originalname", item.name).lower()


def _shorten_assertions(common: Any) -> None:
    """TileGym's test base class: what compares an operator with a reference only calls the operator now."""

    def call(function: Callable[..., Any], arguments: dict[str, Any], gradient: Any, backward: bool) -> None:
        plain = {
            name: value.tensor if isinstance(value, common.TestParam) else value
            for name, value in arguments.items()
        }
        output = function(**plain)
        if backward and isinstance(output, torch.Tensor) and output.requires_grad:
            if gradient is None:
                gradient = torch.ones_like(output)
            elif callable(gradient):
                gradient = gradient(output)
            output.backward(gradient)

    def assert_correctness(
        self: Any,
        test_fn: Any,
        ref_fn: Any,
        kwargs: Any,
        extra_test_kwargs: Any = None,
        extra_ref_kwargs: Any = None,
        gradient: Any = None,
        *_: Any,
        multiple_outputs: bool = False,
        **__: Any,
    ) -> None:
        call(test_fn, {**kwargs, **(extra_test_kwargs or {})}, gradient, not multiple_outputs)

    def assert_deterministic(
        self: Any, fn: Any, kwargs: Any, gradient: Any = None, *_: Any, **__: Any
    ) -> None:
        # Once instead of a hundred times: each repetition launches the same.
        call(fn, kwargs, gradient, True)

    case = common.PyTestCase
    case.assertCorrectness = assert_correctness
    case.assertDeterministic = assert_deterministic
    for name in ("assertAllClose", "assertDiffsClose"):
        if hasattr(case, name):
            setattr(case, name, lambda *_, **__: None)
    common.compare_tensors = lambda *_, **__: (True, [])
