# SPDX-License-Identifier: Apache-2.0
"""Captures all of TileGym: every driver, and with TileGym's tests every test and benchmark.

One worker process per device model runs everything in turn, as loading PyTorch and collecting the tests takes
longer than most tests. A worker that dies or hangs is started again without the test that did it. Everything
is written to a journal as it comes, so that the next run goes on where this one ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileport.capture.device_models import select_device_models
from tileport.capture.engine import Progress
from tileport.capture.index import toolchain_versions
from tileport.capture.journal import Attempt, Journal, State
from tileport.capture.protocol import Request
from tileport.capture.registry import driver_modules, tilegym_folder
from tileport.capture.workers import Worker, last_lines
from tileport.errors import Error

STATE_FOLDER = ".capture"
# Modules of this package that decide what a launch records; a change of the others needs no new run.
_RECORDING = (
    "device_models", "fake_cuda", "launches", "programs", "session", "shortcuts", "signatures",
    "tilegym_benchmarks", "tilegym_tests",
)  # fmt: skip

_TICK = 1.0  # seconds
_MEMORY_SHARE = 0.5  # of the machine's, for all workers together


@dataclass(frozen=True)
class Item:
    """One file whose launches are captured."""

    kind: str
    """"drivers", "tests" or "benchmarks"."""
    name: str
    """As cases and tests name it: "driver/softmax", "tests/ops/test_softmax.py"."""
    path: Path


@dataclass(frozen=True)
class NotRun:
    """Files that are left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Plan:
    items: tuple[Item, ...]
    not_run: tuple[NotRun, ...]
    root: Path | None
    """The folder that holds TileGym's ``tests``."""


_LEFT_OUT = (
    (
        "tests/kernel_inventory",
        "describes kernels for another package (flashinfer_bench); launches none of its own",
    ),
    ("tests/test_utils", "tests the tests' own functions; launches no kernel"),
    ("tests/benchmark/run_all_json.py", "runs the other benchmarks in processes of their own"),
    ("tests/benchmark/bench_utils.py", "what other benchmarks import"),
)


def make_plan(root: Path | None) -> Plan:
    """What there is to run: all drivers, and all tests and benchmarks under ROOT/tests."""
    items = [Item("drivers", f"driver/{name}", path) for name, path in driver_modules().items()]
    not_run = []
    if root is not None:
        tests = root / "tests"
        for folder in ("ops", "suites", "transformers"):
            for path in sorted(tests.joinpath(folder).rglob("test_*.py")):
                items.append(Item("tests", path.relative_to(root).as_posix(), path))
        left_out = {name for name, _ in _LEFT_OUT}
        for path in sorted(tests.joinpath("benchmark").rglob("bench_*.py")):
            name = path.relative_to(root).as_posix()
            if name not in left_out:
                items.append(Item("benchmarks", name, path))
        not_run = [NotRun(name, reason) for name, reason in _LEFT_OUT if root.joinpath(name).exists()]
    return Plan(tuple(items), tuple(not_run), root)


class Sweep:
    """Runs a plan under device models. ``limit``: seconds that a single case or test may take."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        device_models: Sequence[str],
        *,
        autotune: bool = False,
        limit: float = 300.0,
        jobs: int = 1,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._plan = plan
        self._models = [model.name for model in select_device_models(list(device_models))]
        self._autotune = autotune
        self._limit = limit
        self._jobs = max(1, jobs)
        self._memory = _MEMORY_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / self._jobs
        self._progress = progress
        with_all = {"drivers": [Path(__file__).parent / "drivers" / "case.py"]}
        items = {item.name: _hash([item.path, *with_all.get(item.kind, ())]) for item in plan.items}
        self.journal = Journal(folder, self._inputs(), items)
        self._state = State()
        self._stopped = threading.Event()

    def _inputs(self) -> str:
        """One hash of what every launch depends on, besides the file that makes it."""
        package = Path(__file__).parent
        files = [package / f"{module}.py" for module in _RECORDING]
        files += sorted(tilegym_folder().rglob("*.py"))
        if self._plan.root is not None:
            files += sorted(self._plan.root.joinpath("tests").glob("*.py"))
        return _hash(files, repr([sorted(toolchain_versions().items()), self._autotune]))

    def run(self) -> State:
        """Runs what the journal lacks, and gives all that it then holds."""
        self._state = self.journal.read()
        # With more workers than device models, each model's items are dealt out among several.
        shares = max(1, self._jobs // len(self._models))
        units = [(model, share) for share in range(shares) for model in self._models]
        with ThreadPoolExecutor(self._jobs) as pool:
            futures = [pool.submit(self._run_unit, *unit, shares) for unit in units]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                # Also Ctrl-C, which only this thread hears of.
                self._stopped.set()
                pool.shutdown(cancel_futures=True)
                raise
        return self.journal.read()

    def _run_unit(self, model: str, share: int, shares: int) -> None:
        items = list(self._plan.items)[share::shares]
        label = model if shares == 1 else f"{model} {share + 1}/{shares}"
        done = set(self._state.done(model))
        for _ in range(len(items) + 1):  # a worker that keeps failing must not be started forever
            attempt = self.journal.start(model, [item.name for item in items])
            try:
                request = self._request(attempt, model, items, done)
                run = _Run(request, attempt, self._limit, self._memory, self._progress, label)
                run.follow(self._stopped)
            finally:
                attempt.close()
            done |= run.ended
            if run.finished or self._stopped.is_set():
                return
            if run.blamed is None:
                tail = last_lines(attempt.folder, model)
                raise Error(
                    "capture-broke",
                    f"running host code for {model} failed: {run.reason}",
                    help="\n".join(["the last lines it printed:", *tail])
                    if tail
                    else "run `tileport doctor`",
                )

    def _request(self, attempt: Attempt, model: str, items: list[Item], done: set[str]) -> Request:
        def paths(kind: str) -> tuple[str, ...]:
            return tuple(str(item.path) for item in items if item.kind == kind)

        return Request(
            folder=str(attempt.folder),
            device_models=(model,),
            autotune=self._autotune,
            backward=True,
            drivers=tuple(
                f"tileport.capture.drivers.{item.name.removeprefix('driver/')}"
                for item in items
                if item.kind == "drivers"
            ),
            tests=paths("tests"),
            tests_root=str(self._plan.root) if self._plan.root is not None else None,
            benchmarks=paths("benchmarks"),
            benchmark_tests=True,
            done=tuple(sorted(done)),
        )


class _Run:
    """Follows one worker until it is done, dies, or spends too long on a test."""

    def __init__(
        self,
        request: Request,
        attempt: Attempt,
        limit: float,
        memory: float,
        progress: Callable[[Progress], None],
        label: str,
    ) -> None:
        self._request = request
        self._attempt = attempt
        self._limit = limit
        self._memory = memory
        self._progress = progress
        self._label = label
        self._running: str | None = None
        self._since = time.monotonic()
        self._next_look = 0.0
        self.finished = False
        self.ended: set[str] = set()
        self.blamed: str | None = None
        """The test that ended the worker's process, or that it was ended for."""
        self.reason = ""

    def follow(self, stopped: threading.Event) -> None:
        with Worker(self._request) as worker:
            self._progress(Progress(self._label, "start", 0, 0, 0, 0))
            for found in worker.lines(tick=_TICK):
                if found is not None:
                    self._take(found[1])
                if stopped.is_set():
                    return
                reason = self._exceeded(worker)
                if reason is not None:
                    self._blame(reason)
                    return
            if not self.finished:
                self.reason = self.reason or worker.reason
                if self._running is not None:
                    self._blame(f"the process died: {self.reason}")

    def _exceeded(self, worker: Worker) -> str | None:
        """Which limit the running test exceeds; looked at once a second."""
        now = time.monotonic()
        if self._running is None or now < self._next_look:
            return None
        self._next_look = now + _TICK
        if now - self._since > self._limit:
            return f"not done after {self._limit:.0f} s"
        memory = worker.memory()
        if memory > self._memory:
            return f"not done within {self._memory / 2**30:.1f} GiB of memory"
        return None

    def _take(self, line: bytes) -> None:
        event: dict[str, Any] = json.loads(line)
        self._attempt.add(event, line)
        name = event.pop("event")
        if name == "running":
            self._running, self._since = event["test"], time.monotonic()
        elif name == "outcome":
            self.ended.add(event["test"])
            if event["test"] == self._running:
                self._running = None
        elif name == "progress":
            self._progress(Progress(**{**event, "device_model": self._label}))
        elif name == "broken":
            self.reason = event["error"]
        elif name == "done":
            self.finished = True

    def _blame(self, error: str) -> None:
        assert self._running is not None
        self._attempt.blame(self._running, error)
        self.ended.add(self._running)
        self.blamed = self._running


def _hash(files: Sequence[Path], text: str = "") -> str:
    digest = hashlib.sha256(text.encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
