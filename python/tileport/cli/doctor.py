# SPDX-License-Identifier: Apache-2.0
"""``tileport doctor``"""

from __future__ import annotations

import json
from typing import Annotated

import typer

_SIGNS = {"ok": "[green]ok[/]", "missing": "[red]MISSING[/]", "absent": "[dim]absent[/]"}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> int:
    """Say what is installed, what is missing, and the command that gets each missing thing.

    Exit status 0 if everything that conversion needs is there, else 3.
    """
    from tileport.toolchain import doctor

    checks = doctor.examine()
    if as_json:
        print(json.dumps(doctor.as_json(checks), indent=2))
    else:
        _print_table(checks)
    return 0 if doctor.ready(checks) else 3


def _print_table(checks: list) -> None:  # type: ignore[type-arg]
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(box=None, pad_edge=False)
    for title in ("", "what", "found", "needed for"):
        table.add_column(title, overflow="fold")
    group = ""
    for check in checks:
        if check.group != group:
            table.add_section()
            group = check.group
        table.add_row(
            _SIGNS[check.status], escape(check.name), escape(check.version), escape(check.needed_for)
        )
    console.print(table)
    missing = [check for check in checks if check.status == "missing"]
    if missing:
        console.print("\n[bold]To get what is missing:[/]")
        for check in missing:
            # Not wrapped, so that a command can be copied.
            console.print(f"  {escape(check.name)}: {escape(check.help)}", soft_wrap=True)
    else:
        console.print("\nEverything that conversion needs is here.")
