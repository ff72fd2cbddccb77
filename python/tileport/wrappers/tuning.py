# SPDX-License-Identifier: Apache-2.0
"""Choosing among the candidates of an autotuned wrapper by measuring those that were converted."""

from __future__ import annotations

import contextlib
import functools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tileport.wrappers.errors import MissingSpecializationError

WARM_UP_LAUNCHES = 3
MEASURED_LAUNCHES = 20


@dataclass(frozen=True)
class Measurement:
    """One candidate's time: the median of its samples in microseconds, and half their interquartile range."""

    config: Any
    mean_us: float
    num_samples: int
    error_margin_us: float


@dataclass(frozen=True)
class TuningResult:
    """The outcome of a search. Each failure is (candidate, exception class, message)."""

    best: Measurement
    successes: tuple[Measurement, ...]
    failures: tuple[tuple[Any, type[BaseException], str], ...]


def exhaustive_search(
    search_space: Sequence[Any],
    stream: Any,
    grid_fn: Callable[[Any], Any],
    kernel: Any,
    args_fn: Callable[[Any], Any],
    hints_fn: Callable[[Any], dict[str, Any]] | None = None,
    **_: Any,
) -> TuningResult:
    """Launches every candidate that has an entry and picks the fastest by CUDA events on ``stream``.

    A candidate that was not converted, or whose launch fails, is noted among the failures, as one that does
    not compile is in cuda.tile. When none can be launched, the error of the first candidate is raised if it
    is for want of an entry, else ValueError. A single candidate that can be launched wins unmeasured, with a
    time of 0 samples. The L2 cache is not flushed between samples, so close candidates may be ranked
    differently than cuda.tile would.
    """
    from tileport.wrappers.runtime import Kernel

    launchable: list[tuple[Any, Callable[[], None]]] = []
    failures: list[tuple[Any, type[BaseException], str]] = []
    first: Exception | None = None
    for candidate in search_space:
        grid = grid_fn(candidate)
        hints = hints_fn(candidate) if hints_fn is not None else {}
        try:
            base = kernel if isinstance(kernel, Kernel) else kernel(candidate)
            hinted = base.replace_hints(**hints)

            hinted.find(tuple(args_fn(candidate)))
        except Exception as error:
            first = first or error
            failures.append((candidate, type(error), str(error)))
            continue
        launchable.append((candidate, functools.partial(_run, stream, grid, hinted, args_fn, candidate)))
    if len(launchable) == 1:
        best = Measurement(launchable[0][0], 0.0, 0, 0.0)
        return TuningResult(best, (best,), tuple(failures))
    measured: list[Measurement] = []
    for candidate, run in launchable:
        try:
            measured.append(measure(stream, candidate, run))
        except Exception as error:
            first = first or error
            failures.append((candidate, type(error), str(error)))
    if not measured:
        if isinstance(first, MissingSpecializationError):
            raise first
        raise ValueError(f"no candidate can be launched; the first says: {first}")
    return TuningResult(min(measured, key=lambda item: item.mean_us), tuple(measured), tuple(failures))


def _run(stream: Any, grid: Any, kernel: Any, args_fn: Callable[[Any], Any], candidate: Any) -> None:
    from tileport.wrappers.runtime import launch

    # As in cuda.tile, the arguments are made anew for every launch.
    launch(stream, grid, kernel, args_fn(candidate))


def measure(stream: Any, candidate: Any, run: Callable[[], None]) -> Measurement:
    """Times ``run`` launch by launch with CUDA events on ``stream``."""
    import torch

    on_stream = (
        torch.cuda.stream(stream) if isinstance(stream, torch.cuda.Stream) else contextlib.nullcontext()
    )
    samples = []
    with on_stream:
        for _ in range(WARM_UP_LAUNCHES):
            run()
        pairs = []
        for _ in range(MEASURED_LAUNCHES):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            end.record()
            pairs.append((start, end))
        torch.cuda.current_stream().synchronize()
        samples = [start.elapsed_time(end) * 1000.0 for start, end in pairs]
    low, middle, high = statistics.quantiles(samples, n=4)
    return Measurement(candidate, middle, len(samples), (high - low) / 2)
