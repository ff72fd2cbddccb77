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

from tileport.capture.protocol import Request
from tileport.capture.reporting import Reporter
from tileport.capture.shortcuts import SkipLargeResults

if TYPE_CHECKING:
    from tileport.capture.launches import Recorder

# Parameters by which a test chooses an implementation; only "cutile" launches what is captured.
_BACKEND_PARAMETERS = ("backend", "framework", "impl", "provider")


def run_tests(request: Request, done: frozenset[str], recorder: Recorder, reporter: Reporter) -> None:
    """Runs the tests of the request that are not in ``done``, for the cuTile back end.

    Those that measure run once, without measuring, if the request asks for them.
    """
    root, files = request.tests_root, request.tests
    assert root is not None
    shorten_references()
    plugin = _Plugin(recorder, reporter, done, request.benchmark_tests)
    with SkipLargeResults():
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


def shorten_references() -> None:
    """Makes what tests and benchmarks do around the operators' calls cost little, for this whole process."""
    # Called before every test, to free memory of the GPU: a second each.
    gc.collect = _do_nothing  # type: ignore[assignment]
    _agree_with_references()


def _do_nothing(*_: Any, **__: Any) -> int:
    return 0


def _agree_with_references() -> None:
    """Comparisons always succeed, as there are no results to compare and a failure would end a test early."""
    torch.allclose = lambda *_, **__: True
    torch.testing.assert_close = lambda *_, **__: None


class _Plugin:
    """Selects tests, tells the recorder which one is running, and reports how each ended."""

    def __init__(
        self, recorder: Recorder, reporter: Reporter, done: frozenset[str], benchmarks: bool
    ) -> None:
        self._recorder = recorder
        self._reporter = reporter
        self._earlier = done
        self._benchmarks = benchmarks
        self._done = 0
        self._total = 0
        self._before = 0

    def pytest_addoption(self, parser: Any) -> None:
        with contextlib.suppress(ValueError):  # the tests' own conftest has it
            parser.addoption("--framework", default="cutile")

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        kept = [
            item
            for item in items
            if _is_cutile(item)
            and (self._benchmarks or not _is_benchmark(item))
            and item.nodeid not in self._earlier
        ]
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
        self._reporter.running(item.nodeid)
        self._before = self._recorder.launches
        torch.manual_seed(0)
        result = yield
        self._done += 1
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        # One outcome a test: of its body, or of what kept the body from running.
        if report.when != "call" and report.passed:
            return
        error = None if report.passed else _reason(report)
        self._reporter.outcome(report.nodeid, report.outcome, self._recorder.launches - self._before, error)

    def pytest_sessionfinish(self) -> None:
        self._reporter.at(self._done, self._total)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._reporter.outcome(report.nodeid or "tests", "failed", 0, _reason(report))
        elif report.skipped:  # a whole file
            self._reporter.outcome(report.nodeid, "skipped", 0, _reason(report))


def _reason(report: Any) -> str:
    """Why a test did not pass: the message of its skip, or the end of its error."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message[:500] if crash is not None else str(report.longrepr)[-500:]


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

    def measure(function: Callable[[], Any], mode: str = "auto", **_: Any) -> dict[str, Any]:
        output = function()
        first = output[0] if isinstance(output, (list, tuple)) and output else output
        if mode != "forward" and isinstance(first, torch.Tensor) and first.requires_grad:
            first.backward(torch.ones_like(first))
        return {}

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
    # What would be measured is called once.
    common.benchmark = measure
    common.compare_tensors = lambda *_, **__: (True, [])
