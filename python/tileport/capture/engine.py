# SPDX-License-Identifier: Apache-2.0
"""Captures an operator: starts the worker, follows it, and writes what it recorded."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileport.capture import index as index_module
from tileport.capture.device_models import select_device_models
from tileport.capture.index import Recorded
from tileport.capture.protocol import Request
from tileport.capture.registry import (
    Operator,
    driver_file,
    find_operator,
    package_folder,
    tilegym_folder,
    user_operator,
)
from tileport.capture.workers import Worker, last_lines
from tileport.errors import Error, InputError, RefusedError, ToolchainError, UsageError
from tileport.toolchain import find_toolchain

TESTS_VARIABLE = "TILEGYM_TESTS"
_INSTALL = "pip install 'tileport[capture,tilegym]'"


@dataclass(frozen=True)
class Progress:
    """Where one device model's run is. ``phase``: "start", "drivers", "tests", "benchmarks" or "script"."""

    device_model: str
    phase: str
    done: int
    total: int
    launches: int
    specializations: int


@dataclass(frozen=True)
class Outcome:
    """How one driver case, test or script ended under one device model."""

    test: str
    device_model: str
    outcome: str
    """"passed", "failed" or "skipped"."""
    launches: int
    error: str | None = None
    where: str | None = None
    refused: bool = False
    """Whether it failed because cuTile refused a kernel, which the index lists under ``rejected``."""


@dataclass(frozen=True)
class CaptureResult:
    """What was captured. ``folder`` is the reference folder that was written; ``index`` is its index.json."""

    op: str
    folder: Path
    index: dict[str, Any]
    required: dict[str, dict[str, Any]]
    """Indexes of other operators whose kernels were launched too, by op."""
    outcomes: tuple[Outcome, ...]
    launches: int
    seconds: dict[str, float]
    """Wall time by phase (the slower device model's): "start", "drivers", "tests", "script", "write"."""

    @property
    def specializations(self) -> list[dict[str, Any]]:
        return self.index["specializations"]

    @property
    def rejected(self) -> list[dict[str, Any]]:
        return self.index["rejected"]

    @property
    def requires(self) -> list[str]:
        return self.index["requires"]

    @property
    def failures(self) -> list[Outcome]:
        """Driver cases and scripts that failed other than by a refused kernel.

        Failed *tests* are not among them: launches compute nothing here, so a test that looks at results
        fails.
        """
        return [
            outcome
            for outcome in self.outcomes
            if outcome.outcome == "failed" and not outcome.refused and not outcome.test.startswith("tests/")
        ]

    def as_dict(self) -> dict[str, Any]:
        kernels: dict[str, int] = {}
        for row in self.specializations:
            kernels[row["kernel"]] = kernels.get(row["kernel"], 0) + 1
        counts: dict[str, int] = {}
        for outcome in self.outcomes:
            counts[outcome.outcome] = counts.get(outcome.outcome, 0) + 1
        return {
            "op": self.op,
            "folder": str(self.folder),
            "specializations": len(self.specializations),
            "kernels": kernels,
            "launches": self.launches,
            "rejected": self.rejected,
            "requires": self.requires,
            "outcomes": counts,
            "failures": [outcome.__dict__ for outcome in self.failures],
            "seconds": {phase: round(seconds, 2) for phase, seconds in self.seconds.items()},
        }


def capture(
    op: str,
    out: str | os.PathLike[str],
    *,
    tests: str | os.PathLike[str] | None = None,
    device_models: Sequence[str] = ("b200", "h200"),
    autotune: bool = False,
    run: str | os.PathLike[str] | None = None,
    run_arguments: Sequence[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> CaptureResult:
    """Runs an operator's host code with no GPU and writes all kernels that it launches to OUT/reference.

    ``op``: an operator of TileGym, or ``FILE.py`` or ``FILE.py:KERNEL`` for kernels of your own, launched by
    the program ``run`` (default: FILE.py itself). TileGym operators are run through ``drivers/OP.py`` and, if
    there is a folder of TileGym's tests (``tests``, default ``$TILEGYM_TESTS``), through those that launch
    them. ``device_models`` are run side by side in processes of their own; nothing of the caller's process
    changes.

    Raises UsageError for unknown names, InputError for files that cannot be read or folders that cannot be
    written, ToolchainError for missing packages, RefusedError if cuTile refuses every kernel, and Error if
    the user's program fails. OUT/reference is replaced as a whole, or not at all.
    """
    models = select_device_models(list(device_models))
    operator, is_user_file = _resolve(op)
    out = Path(out)
    require_packages(tilegym=not is_user_file)
    find_toolchain().require("tileirdisasm")
    with writable(out), tempfile.TemporaryDirectory(prefix="tileport-capture-") as scratch:
        request = _request(
            operator,
            is_user_file,
            Path(scratch),
            [m.name for m in models],
            autotune,
            tests,
            run,
            tuple(run_arguments),
        )
        followed = Follower(request, progress or (lambda _: None)).run()
        began = time.monotonic()
        result = write_capture(operator, out, followed)
        result.seconds["write"] = time.monotonic() - began
        return result


def _resolve(op: str) -> tuple[Operator, bool]:
    file, _, kernel = op.partition(":")
    if file.endswith(".py"):
        return user_operator(Path(file), kernel or None), True
    return find_operator(op), False


def require_packages(*, tilegym: bool) -> None:
    needed = ["torch", "tilegym"] if tilegym else ["torch"]
    for package in needed:
        package_folder(package)
    try:
        found = importlib.util.find_spec("cuda.tile")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ToolchainError(
            "package-missing",
            "the Python package 'cuda-tile' is not installed",
            help=f"install it: {_INSTALL}",
        )


class writable:
    """Checks, before minutes of work, that OUT can be written, and removes what it made if nothing was."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._made: list[Path] = []

    def __enter__(self) -> None:
        missing = [folder for folder in (self._out, *self._out.parents) if not folder.exists()]
        try:
            for folder in reversed(missing):
                folder.mkdir()
                self._made.append(folder)
            with tempfile.TemporaryFile(dir=self._out):
                pass
        except OSError as error:
            self.__exit__()
            raise UsageError(
                "unwritable-folder",
                f"cannot write there: {error.strerror}",
                str(self._out),
                "give another folder with -o",
            ) from None

    def __exit__(self, *_: object) -> None:
        for folder in reversed(self._made):
            try:
                folder.rmdir()
            except OSError:
                return  # something was written, so it stays


def _request(
    operator: Operator,
    is_user_file: bool,
    scratch: Path,
    models: list[str],
    autotune: bool,
    tests: str | os.PathLike[str] | None,
    run: str | os.PathLike[str] | None,
    run_arguments: tuple[str, ...],
) -> Request:
    common: dict[str, Any] = {"folder": str(scratch), "device_models": tuple(models), "autotune": autotune}
    if is_user_file:
        if tests is not None:
            raise UsageError(
                "tests-of-user-kernel",
                "tests belong to operators of TileGym",
                help="launch your own kernel from a program: --run SCRIPT.py",
            )
        script = Path(run) if run is not None else operator.source
        if not script.is_file():
            raise InputError("unreadable-script", "there is no such file", str(script))
        return Request(
            **common,
            backward=b".backward(" in script.read_bytes(),
            script=str(script.resolve()),
            script_arguments=run_arguments,
        )
    if run is not None:
        raise UsageError(
            "script-for-operator",
            "operators of TileGym are launched by their drivers and tests",
            help="to run a program of your own, name the file of the kernel: FILE.py:KERNEL",
        )
    driver = f"tileport.capture.drivers.{operator.name}"
    driver_source = driver_file(operator.name)
    test_root, test_files = _find_tests(operator, tests)
    if driver_source is None and not test_files:
        raise UsageError(
            "nothing-launches-op",
            f"tileport has no calls of its own for {operator.name!r}",
            help="give TileGym's tests, which are in its source repository: --tests DIR (or "
            f"{TESTS_VARIABLE}=DIR), where DIR holds its folder tests/"
            if test_root is None
            else f"and no test under {test_root} launches it",
        )
    return Request(
        **common,
        backward=bool(test_files)
        or (driver_source is not None and b".backward(" in driver_source.read_bytes()),
        drivers=(driver,) if driver_source is not None else (),
        tests=tuple(str(path) for path in test_files),
        tests_root=str(test_root) if test_root else None,
    )


def _find_tests(operator: Operator, tests: str | os.PathLike[str] | None) -> tuple[Path | None, list[Path]]:
    from tileport.capture.selection import select_tests

    root = tests_root(tests)
    if root is None:
        return None, []
    return root, select_tests(root, operator, tilegym_folder())


def tests_root(tests: str | os.PathLike[str] | None) -> Path | None:
    """The folder that holds TileGym's ``tests``: as given, else as the environment says; None if neither."""
    from tileport.capture.selection import folder_of_tests

    given = tests if tests is not None else os.environ.get(TESTS_VARIABLE) or None
    if given is None:
        return None
    root = folder_of_tests(Path(given))
    if importlib.util.find_spec("pytest") is None:
        raise ToolchainError(
            "package-missing", "running TileGym's tests needs pytest", help="pip install pytest"
        )
    return root


class Follower:
    """Runs the worker and collects its events until it ends."""

    def __init__(self, request: Request, progress: Callable[[Progress], None]) -> None:
        self.request = request
        self.progress = progress
        self.records: dict[str, Recorded] = {}
        self.outcomes: list[Outcome] = []
        self.launches = 0
        self.seconds: dict[str, float] = {}
        self._done: set[str] = set()

    def run(self) -> Follower:
        with Worker(self.request) as worker:
            for model in self.request.device_models:
                self.progress(Progress(model, "start", 0, 0, 0, 0))
            for model, event in worker.events():
                self._take(model, event)
        for model in self.request.device_models:
            if model not in self._done:
                self._broken(model, worker.reason)
        return self

    def _take(self, model: str, event: dict[str, Any]) -> None:
        name = event.pop("event")
        if name == "specialization":
            self.records[event["key"]] = Recorded(event, Path(self.request.folder))
        elif name == "launch":
            self.records[event["key"]].add_launch(event["test"], event["grid"], event["facts"])
        elif name == "progress":
            self.progress(Progress(**event))
        elif name == "outcome":
            self.outcomes.append(Outcome(device_model=model, **event))
        elif name == "phase":
            self.seconds[event["name"]] = max(self.seconds.get(event["name"], 0.0), event["seconds"])
        elif name == "done":
            self._done.add(model)
            self.launches += event["launches"]
        elif name == "broken":
            self._broken(model, event["error"])

    def _broken(self, model: str, reason: str) -> None:
        tail = last_lines(Path(self.request.folder), model)
        raise Error(
            "capture-broke",
            f"running host code for {model} failed: {reason}",
            help="\n".join(["the last lines it printed:", *tail] if tail else ["run `tileport doctor`"]),
        )


def write_capture(operator: Operator, out: Path, followed: Follower) -> CaptureResult:
    """Writes what a worker recorded of ``operator`` to OUT/reference; raises as ``capture`` does."""
    for outcome in followed.outcomes:
        if outcome.test.startswith("script/") and outcome.outcome == "failed" and not outcome.refused:
            raise Error(
                "script-failed",
                f"the program failed under {outcome.device_model}: {outcome.error}",
                outcome.where or "",
                "it must run to its end; nothing was written",
            )
    records = list(followed.records.values())
    rows = index_module.build_rows(records, operator, workers=len(os.sched_getaffinity(0)))
    rejected = index_module.rejected_rows(records, operator)
    own = [row for row in rows if _belongs(row, operator)]
    own_rejected = [row for row in rejected if _belongs(row, operator)]
    if not own:
        _nothing_captured(operator, own_rejected, rows, followed)
    # What else was launched counts if it was together with the operator: files may hold other tests too.
    together = {test for row in own for test in row["tests"]}
    rows = [row for row in rows if together.intersection(row["tests"])]
    others = sorted({row["op"] for row in rows if row["op"] != operator.name})
    indexes = {"": index_module.make_index(operator.name, own, own_rejected, others)}
    files = {"": {row["name"]: Path(row["_file"]) for row in own}}
    for other in others:
        theirs = [row for row in rows if row["op"] == other]
        indexes[other] = index_module.make_index(
            other, theirs, [row for row in rejected if row["op"] == other], []
        )
        files[other] = {row["name"]: Path(row["_file"]) for row in theirs}
    index_module.write_reference(out / "reference", indexes, files)
    required = {op: index for op, index in indexes.items() if op}
    return CaptureResult(
        operator.name,
        out / "reference",
        indexes[""],
        required,
        tuple(followed.outcomes),
        followed.launches,
        followed.seconds,
    )


def _belongs(row: dict[str, Any], operator: Operator) -> bool:
    # An operator of one's own may be a single kernel of its file; TileGym's own all kernels of theirs, also
    # those that no decorator shows.
    if row["op"] != operator.name:
        return False
    return row["kernel"] in operator.kernels or operator.module.startswith("tilegym.")


def _nothing_captured(
    operator: Operator, rejected: list[dict[str, Any]], rows: list[dict[str, Any]], followed: Follower
) -> None:
    if rejected:
        reasons = "; ".join(
            dict.fromkeys(f"{row['kernel']} for {row['target']}: {row['reason']}" for row in rejected)
        )
        raise RefusedError("kernels-refused", f"cuTile refuses every kernel: {reasons}", operator.name)
    failures = [outcome for outcome in followed.outcomes if outcome.outcome == "failed"]
    if failures:
        first = failures[0]
        raise Error(
            "nothing-launched",
            f"{len(failures)} calls failed before any launch, the first with {first.error}",
            first.where or first.test,
        )
    launched = sorted({f"{row['kernel']} ({row['source']})" for row in rows})
    raise UsageError(
        "nothing-launched",
        "no kernel of this operator was launched",
        operator.name,
        f"launched were {', '.join(launched)}" if launched else "the program launches no kernel at all",
    )


__all__ = ["CaptureResult", "Outcome", "Progress", "capture", "driver_file"]
