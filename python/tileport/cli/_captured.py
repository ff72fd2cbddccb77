# SPDX-License-Identifier: Apache-2.0
"""Shows what a capture of all of TileGym got, and what it did not get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tileport.capture import Everything

_CAUSES = {
    "skips-itself": "skip themselves",
    "launches-nothing": "pass without a launch",
    "looks-at-results": "look at results, which are zeros here",
    "refused": "have a kernel that cuTile refuses",
    "host-code-fails": "end with an error of host code",
    "limit": "exceed a limit of time or memory",
    "process-died": "end their process",
}
_REASONS_SHOWN = 12


def show(result: Everything) -> None:
    """A table of operators, then what is missing, by cause, with the most frequent reasons."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    summary = result.summary
    table = Table(box=None, pad_edge=False)
    table.add_column("operator")
    for column in ("kernels", "launches", "specializations", "refused"):
        table.add_column(column, justify="right")
    table.add_column("not reached")
    for row in summary["operators"]:
        reached = sum(count > 0 for count in row["kernels"].values())
        table.add_row(
            escape(row["op"]),
            f"{reached}/{len(row['kernels'])}",
            str(row["launches"]),
            str(row["specializations"]),
            str(row["refused"]),
            escape("; ".join(f"{kernel}: {reason}" for kernel, reason in row["unreached"].items())),
        )
    console.print(table)
    console.print(
        f"{summary['specializations']} specializations from {summary['launches']} launches "
        f"({summary['seconds']:.0f} s)"
    )
    _show_missing(console, summary)
    console.print(f"written to {escape(str(result.folder))}; all reasons: capture.json", soft_wrap=True)


def _show_missing(console: Any, summary: dict[str, Any]) -> None:
    from rich.markup import escape

    if not summary["tests"]:
        console.print("only tileport's own calls were run: give TileGym's tests with --tests DIR")
    by_cause: dict[str, list[dict[str, Any]]] = {}
    for entry in summary["not_captured"]:
        by_cause.setdefault(entry["cause"], []).append(entry)
    for cause, entries in by_cause.items():
        total = sum(entry["count"] for entry in entries)
        after = sum(entry["after_launches"] for entry in entries)
        console.print(
            f"{total} cases {_CAUSES[cause]}{f', {after} of them after launches' if after else ''}:"
        )
        entries.sort(key=lambda entry: -entry["count"])
        for entry in entries[:_REASONS_SHOWN]:
            console.print(
                f"  {entry['count']:4} {escape(entry['item'])}: {escape(entry['reason'])}", highlight=False
            )
        if len(entries) > _REASONS_SHOWN:
            console.print(f"       and {len(entries) - _REASONS_SHOWN} other reasons")
