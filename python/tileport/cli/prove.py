# SPDX-License-Identifier: Apache-2.0
"""``tileport prove``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tileport.conversion import Conversion
    from tileport.stages.progress import Progress


def command(
    ops: Annotated[
        list[str], typer.Argument(metavar="OP|DIR...", help="Converted operators, or their folders.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder of all ports (default: $TILEPORT_PORTS, else in $XDG_DATA_HOME).",
        ),
    ] = None,
    targets: Annotated[
        str, typer.Option("--targets", metavar="all|sm_90,...", help="What to compare machine code for.")
    ] = "sm_90,sm_100",
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Assemblies at once (default: one a core).")
    ] = None,
    tileiras_timeout: Annotated[
        float,
        typer.Option("--tileiras-timeout", metavar="S", help="Seconds that tileiras may take for one file."),
    ] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Prove ports from kernel.rs and the captured references alone: everything that needs no GPU, as a table.

    kernel.rs is compiled again, so an edited one is proven as it is. Exit status 0 if everything is proven
    (or equivalent, which is listed), 1 if something is not or files were tampered with.
    """
    from tileport import conversion
    from tileport.cli._conversions import run_each

    def work(op: str, progress: Progress) -> Conversion:
        return conversion.prove(
            op, out=out, targets=targets, jobs=jobs, tileiras_timeout=tileiras_timeout, progress=progress
        )

    return run_each(ops, as_json, work)
