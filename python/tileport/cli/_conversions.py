# SPDX-License-Identifier: Apache-2.0
"""What ``convert``, ``prove`` and ``resume`` have in common: running several, and showing what came of it."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tileport.errors import Error

if TYPE_CHECKING:
    from tileport.conversion import Conversion
    from tileport.stages.progress import Progress

_COLOURS = {"proven": "green", "equivalent": "yellow", "unproven": "red"}


def run_each(names: Sequence[str], as_json: bool, work: Callable[[str, Progress], Conversion]) -> int:
    """Does ``work`` for each name. One that fails does not keep the others from being done; the highest exit
    status of all is given."""
    from tileport.cli._progress import shown

    status = 0
    results: list[dict[str, Any]] = []
    for name in names:
        try:
            with terminable(), shown(quiet=as_json) as progress:
                conversion = work(name, progress)
        except Error as error:
            if len(names) == 1:
                raise
            status = max(status, error.exit_status)
            results.append({"op": name, "error": error.as_dict()})
            print(f"tileport: {name}: {error}", file=sys.stderr)
            continue
        status = max(status, conversion.exit_status)
        results.append(conversion.as_dict())
        if not as_json:
            show(conversion)
    if as_json:
        print(json.dumps(results[0] if len(names) == 1 else results, indent=2))
    return status


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Lets a polite kill end the work as Ctrl-C does, so that no program is left running."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def show(conversion: Conversion) -> None:
    """The table, the verdict, and where the report is, for a conversion and those it required."""
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    if conversion.proof is not None and conversion.verdict is not None:
        console.print(_table(conversion.proof))
        _print_others(console, conversion)
        colour = _COLOURS[conversion.verdict]
        console.print(f"{escape(conversion.op)}: [bold {colour}]{conversion.verdict}[/]{_gpu(conversion)}")
    if conversion.report is not None:
        console.print(f"report: {escape(str(conversion.report))}", soft_wrap=True, highlight=False)
    else:
        console.print(f"written to {escape(str(conversion.directory))}", soft_wrap=True, highlight=False)
    for op, error in conversion.required_errors.items():
        console.print(f"[red]{escape(op)}, which it requires, is not converted:[/] {escape(str(error))}")
    for other in conversion.required.values():
        console.print()
        show(other)


def _gpu(conversion: Conversion) -> str:
    assert conversion.proof is not None
    return {"pending": ", GPU gate pending", "passed": ", GPU tests passed", "failed": ", GPU tests FAILED"}[
        conversion.proof["gpu"]
    ]


def _table(proof: dict[str, Any]) -> Any:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from tileport import contract
    from tileport.report import kernel_table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("kernel", overflow="fold")
    for title in ("specializations", "Tile IR", "target", "machine code", "instructions", "registers"):
        is_number = title in ("specializations", "instructions", "registers")
        table.add_column(title, justify="right" if is_number else "left")
    for row in kernel_table(proof, contract.judge(proof)[1]):
        first = [escape(row["kernel"]), str(row["specializations"]), _counts(row["ir"])]
        for target in proof["targets"]:
            table.add_row(
                *first, target, _counts(row["code"][target]), _range(row["instructions"][target]),
                _range(row["registers"][target]),
            )  # fmt: skip
            first = ["", "", ""]
    return table


def _counts(counter: dict[str, int]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counter.items()) or "–"


def _range(numbers: list[int]) -> str:
    if not numbers:
        return "–"
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def _print_others(console: Any, conversion: Conversion) -> None:
    """Those that are not simply proven, each with the first things that say why."""
    from rich.markup import escape

    for row in conversion.specializations:
        # Machine code may be the same for these targets although a promise or a hint differs.
        only_ir_differs = row["verdict"] == "proven" and row["ir"]["class"] == "differs"
        if row["verdict"] == "proven" and not only_ir_differs:
            continue
        colour = _COLOURS["equivalent" if only_ir_differs else row["verdict"]]
        what = "proven, but the Tile IR differs:" if only_ir_differs else row["verdict"]
        console.print(f"[{colour}]{what}[/] {escape(row['name'])}", highlight=False)
        for line in _reasons(row):
            console.print(f"  {escape(line)}", soft_wrap=True, highlight=False)
    check = conversion.proof["check"] if conversion.proof else None
    for problem in check["diagnostics"] if check and check["class"] == "refused" else []:
        place = f"{problem['file']}:{problem['line']}: " if problem["file"] and problem["line"] else ""
        console.print(f"  rustc: {escape(place + problem['message'])}", soft_wrap=True, highlight=False)


def _reasons(row: dict[str, Any]) -> list[str]:
    from tileport.report import place

    lines = []
    for finding in row["ir"]["findings"][:3] if row["ir"] else []:
        places = [
            f"{side}: {where}"
            for side in ("reference", "port")
            if (where := place(finding[side])) and where not in finding["message"]
        ]
        lines.append("; ".join([finding["message"], *places]))
    for target, evidence in (row["code"] or {}).items():
        if evidence["class"] != "identical":
            note = f": {evidence['notes'][0]}" if evidence["notes"] else ""
            lines.append(f"{target}: {evidence['class']}{note}")
    return lines
