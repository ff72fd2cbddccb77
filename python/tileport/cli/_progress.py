# SPDX-License-Identifier: Apache-2.0
"""Shows how far a conversion is: a bar on a terminal, plain lines elsewhere. Both on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from tileport.stages.progress import Progress

_SECONDS_BETWEEN_LINES = 10.0


class Lines(Progress):
    """A line when a stage ends or something is worth knowing, and now and then one in between."""

    def __init__(self) -> None:
        self._last = 0.0

    def begin(self, op: str, stage: str) -> None:
        self._last = time.monotonic()

    def advance(self, op: str, stage: str, done: int, total: int, what: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            count = f" {done}/{total}" if total else ""
            self._print(f"{op}: {stage}: {what}{count}")

    def end(self, op: str, stage: str, seconds: float, summary: str, up_to_date: bool = False) -> None:
        took = "up to date" if up_to_date else f"{seconds:.1f} s"
        self._print(f"{op}: {stage}: {', '.join(part for part in (summary, took) if part)}")

    def note(self, op: str, text: str) -> None:
        self._print(f"{op}: note: {text}")

    def _print(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class Bars(Progress):
    """One moving line for the running stage; finished stages scroll up above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._console = Console(stderr=True)
        self._bars = RichProgress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), TextColumn("{task.fields[what]}"), console=self._console, transient=True,
        )  # fmt: skip
        self._task: Any = None
        self._bars.start()

    def stop(self) -> None:
        self._bars.stop()

    def begin(self, op: str, stage: str) -> None:
        self._clear()
        self._task = self._bars.add_task(f"{op}: {stage}", total=None, what="")

    def advance(self, op: str, stage: str, done: int, total: int, what: str = "") -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=total or None, what=what)

    def end(self, op: str, stage: str, seconds: float, summary: str, up_to_date: bool = False) -> None:
        from rich.markup import escape

        self._clear()
        took = "up to date" if up_to_date else f"{seconds:.1f} s"
        self._console.print(f"[bold]{op}: {stage}[/]  {escape(summary)}  [dim]{took}[/]", highlight=False)

    def note(self, op: str, text: str) -> None:
        from rich.markup import escape

        self._console.print(f"[yellow]{op}: note:[/] {escape(text)}", highlight=False)

    def _clear(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None


@contextlib.contextmanager
def shown(quiet: bool) -> Iterator[Progress]:
    """The progress to hand to a conversion."""
    if quiet:
        yield Progress()
    elif sys.stderr.isatty():
        bars = Bars()
        try:
            yield bars
        finally:
            bars.stop()
    else:
        yield Lines()
