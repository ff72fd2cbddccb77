# SPDX-License-Identifier: Apache-2.0
"""Runs TileGym's benchmark scripts, for their launches only: each configuration once, without measuring.

A script is a Triton ``perf_report``: a function called for every size and back end. Neither Triton's driver
nor its timers work without a GPU, so both are replaced, from outside; so is the loop over the configurations,
as the original wants to draw plots and goes through all back ends.
"""

from __future__ import annotations

import functools
import importlib
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tileport.capture.programs import report_failure, run_case
from tileport.capture.protocol import Request
from tileport.capture.reporting import Reporter
from tileport.capture.shortcuts import SkipLargeResults
from tileport.capture.tilegym_tests import shorten_references

if TYPE_CHECKING:
    from tileport.capture.launches import Recorder


def run_benchmarks(request: Request, done: frozenset[str], recorder: Recorder, reporter: Reporter) -> None:
    """Runs every configuration of the request's scripts that is not in ``done``."""
    assert request.tests_root is not None
    root = Path(request.tests_root)
    shorten_references()
    _replace_triton(done, recorder, reporter)
    sys.path.insert(0, str(root))
    with SkipLargeResults():
        for number, script in enumerate(request.benchmarks):
            reporter.at(number, len(request.benchmarks))
            _run_script(Path(script), root, done, recorder, reporter)
    reporter.at(len(request.benchmarks), len(request.benchmarks))


def _run_script(path: Path, root: Path, done: frozenset[str], recorder: Recorder, reporter: Reporter) -> None:
    name = path.relative_to(root).as_posix()
    if name in done:
        return
    recorder.test = name
    reporter.running(name)
    before = recorder.launches
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    try:
        _call_once_instead_of_profiling(path.parent)
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        reason = f"the script ended itself with status {end.code}" if end.code else None
        reporter.outcome(name, "failed" if reason else "passed", recorder.launches - before, reason)
    except Exception as error:
        report_failure(name, reporter, recorder, before, error)
    else:
        reporter.outcome(name, "passed", recorder.launches - before)
    finally:
        sys.path.remove(str(path.parent))


def _call_once_instead_of_profiling(folder: Path) -> None:
    """Some scripts time with PyTorch's profiler, through a module beside them."""
    if (folder / "bench_utils.py").is_file():
        vars(importlib.import_module("bench_utils"))["profile_with_l2flush"] = _measure


def _measure(function: Callable[[], Any], *_: Any, quantiles: Any = None, **__: Any) -> Any:
    function()
    return 1.0 if quantiles is None else [1.0] * len(quantiles)


class _Driver:
    """Stands for Triton's driver: scripts ask it for the device."""

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_current_device(self) -> int:
        return 0


def _replace_triton(done: frozenset[str], recorder: Recorder, reporter: Reporter) -> None:
    import triton
    import triton.testing

    triton.runtime.driver.set_active(_Driver())
    triton.testing.do_bench = _measure
    triton.testing.do_bench_cudagraph = _measure

    def run(mark: Any, *_: Any, **__: Any) -> None:
        script = recorder.test.partition("::")[0]
        benchmarks = mark.benchmarks if isinstance(mark.benchmarks, (list, tuple)) else [mark.benchmarks]
        for benchmark in benchmarks:
            for name, arguments in _configurations(benchmark):
                identity = f"{script}::{name}"
                if identity not in done:
                    run_case(identity, functools.partial(mark.fn, **arguments), recorder, reporter)
        recorder.test = script

    triton.testing.Mark.run = run


def _configurations(benchmark: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and arguments of each call that goes to cuTile."""
    lines = list(zip(benchmark.line_vals, benchmark.line_names, strict=True))
    # The others of a plot are other implementations, unless none of its lines is named after one.
    lines = [line for line in lines if any(_is_cutile(str(name)) for name in line)] or lines
    for values in benchmark.x_vals:
        sizes = values if isinstance(values, (list, tuple)) else [values] * len(benchmark.x_names)
        at = dict(zip(benchmark.x_names, sizes, strict=True))
        where = ",".join(f"{name}={value}" for name, value in at.items())
        for line, _ in lines:
            yield (
                f"{benchmark.plot_name}[{where},{benchmark.line_arg}={line}]",
                {**at, benchmark.line_arg: line, **benchmark.args},
            )


def _is_cutile(name: str) -> bool:
    return "cutile" in name.lower() and name.lower() != "cutile-rs"
