# SPDX-License-Identifier: Apache-2.0
"""``tileport capture``"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tileport.capture import CaptureResult, Progress


def command(
    op: Annotated[
        str, typer.Argument(metavar="OP|FILE.py:KERNEL", help="Operator of TileGym, or your own kernel.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Writes DIR/reference.")],
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Run an operator's host code with no GPU and record every kernel that it launches, as bytecode.

    Exit status 0 if everything ran, 1 if calls or the program failed or cuTile refuses every kernel, 2 for
    wrong names or folders, 3 if something is not installed.
    """
    from tileport.capture import capture

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


class _progress:
    """A bar per device model on a terminal, a line per phase elsewhere, nothing when ``quiet``."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
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
        if (now.device_model, now.phase) not in self._phases:
            self._phases.add((now.device_model, now.phase))
            print(_describe(now), file=sys.stderr, flush=True)

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
    "script": "your program",
}


def _describe(now: Progress) -> str:
    return f"{now.device_model}: {_PHASES.get(now.phase, now.phase)}"
