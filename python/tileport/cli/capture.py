# SPDX-License-Identifier: Apache-2.0
"""``tileport capture``"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tileport.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tileport.capture import CaptureResult, Progress


def command(
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="Writes DIR/reference; with --all DIR/OP/reference."),
    ],
    op: Annotated[
        str | None,
        typer.Argument(metavar="OP|FILE.py:KERNEL", help="Operator of TileGym, or your own kernel."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="All of TileGym: every driver, and with its tests every test and benchmark."
        ),
    ] = False,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="SCRIPT.py", help="Program that launches your kernel (default: FILE.py)."
        ),
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option(
            "--tests", metavar="DIR", help="Folder with TileGym's tests/ (default: $TILEGYM_TESTS)."
        ),
    ] = None,
    device_model: Annotated[
        list[str] | None,
        typer.Option(
            "--device-model", metavar="b200|h200", help="GPU to pretend; may be repeated (default: both)."
        ),
    ] = None,
    autotune: Annotated[
        bool, typer.Option("--autotune", help="Record every candidate of autotuners.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option("--jobs", metavar="N", min=1, help="With --all: how many processes run side by side."),
    ] = 1,
    limit: Annotated[
        float,
        typer.Option("--test-timeout", metavar="S", min=1, help="With --all: seconds that a test may take."),
    ] = 300.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="With --all: run everything again, not only what is missing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Run an operator's host code with no GPU and record every kernel that it launches, as bytecode.

    With --all a run that was cut short goes on where it ended when it is given the same DIR.

    Exit status 0 if everything ran, 1 if calls or the program failed or cuTile refuses every kernel, 2 for
    wrong names or folders, 3 if something is not installed.
    """
    from tileport.capture import capture

    if everything != (op is None):
        raise UsageError(
            "op-or-all", "name one operator, or give --all", op or "", "see `tileport capture --help`"
        )
    if everything:
        if run is not None:
            raise UsageError("script-for-operator", "--all runs TileGym's operators, not a program of yours")
        return _capture_all(out, tests, device_model, autotune, jobs, limit, fresh, as_json)
    assert op is not None
    with _progress(quiet=as_json) as show:
        result = capture(
            op,
            out,
            run=run,
            tests=tests,
            autotune=autotune,
            device_models=device_model or ("b200", "h200"),
            progress=show,
        )
    if as_json:
        print(json.dumps(result.as_dict(), indent=2))
    else:
        _print_result(result)
    return 1 if result.failures else 0


def _capture_all(
    out: Path,
    tests: Path | None,
    device_models: list[str] | None,
    autotune: bool,
    jobs: int,
    limit: float,
    fresh: bool,
    as_json: bool,
) -> int:
    from tileport.capture import capture_all
    from tileport.cli._captured import show
    from tileport.cli._conversions import terminable

    with terminable(), _progress(quiet=as_json) as report:
        result = capture_all(
            out,
            tests=tests,
            device_models=device_models or ("b200", "h200"),
            autotune=autotune,
            jobs=jobs,
            limit=limit,
            fresh=fresh,
            progress=report,
        )
    if as_json:
        print(json.dumps(result.summary, indent=2))
    else:
        show(result)
    return 1 if result.failures else 0


def _print_result(result: CaptureResult) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    data = result.as_dict()
    table = Table(box=None, pad_edge=False)
    table.add_column("kernel")
    table.add_column("specializations", justify="right")
    for kernel, count in data["kernels"].items():
        table.add_row(escape(kernel), str(count))
    console.print(table)
    times = ", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in data["seconds"].items())
    console.print(
        f"{data['specializations']} specializations from {data['launches']} launches ({times})\n"
        f"written to {escape(str(result.folder))}",
        soft_wrap=True,
    )
    if result.requires:
        console.print(f"also launched, from other operators: {escape(', '.join(result.requires))}")
    for row in result.rejected:
        console.print(
            f"[yellow]refused by cuTile for {row['target']}:[/] "
            f"{escape(row['kernel'])}: {escape(row['reason'])}",
            soft_wrap=True,
        )
    for failure in result.failures:
        console.print(
            f"[red]failed:[/] {escape(failure.test)} ({failure.device_model}): {escape(failure.error or '')}"
            f" at {escape(failure.where or 'an unknown place')}",
            soft_wrap=True,
        )


_SECONDS_BETWEEN_LINES = 10.0


class _progress:
    """A bar per device model on a terminal, a line now and then elsewhere, nothing when ``quiet``."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._last = time.monotonic()
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._phases: set[tuple[str, str]] = set()

    def __enter__(self) -> Callable[[Progress], None]:
        if self._quiet:
            return lambda _: None
        if not sys.stderr.isatty():
            return self._print_phase
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[found]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bars.start()
        return self._move_bar

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def _print_phase(self, now: Progress) -> None:
        new = (now.device_model, now.phase) not in self._phases
        if new or time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self._phases.add((now.device_model, now.phase))
            self._last = time.monotonic()
            count = f" {now.done}/{now.total}, {now.specializations} specializations" if now.total else ""
            print(f"{_describe(now)}{count}", file=sys.stderr, flush=True)

    def _move_bar(self, now: Progress) -> None:
        if now.device_model not in self._tasks:
            self._tasks[now.device_model] = self._bars.add_task("", total=None, found="")
        self._bars.update(
            self._tasks[now.device_model],
            description=_describe(now),
            completed=now.done,
            total=now.total or None,
            found=f"{now.specializations} specializations",
        )


_PHASES = {
    "start": "loading PyTorch and the operators",
    "drivers": "tileport's own calls",
    "tests": "TileGym's tests",
    "benchmarks": "TileGym's benchmarks",
    "script": "your program",
}


def _describe(now: Progress) -> str:
    return f"{now.device_model}: {_PHASES.get(now.phase, now.phase)}"
