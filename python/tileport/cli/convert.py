# SPDX-License-Identifier: Apache-2.0
"""``tileport convert``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tileport.conversion import Conversion
    from tileport.stages.progress import Progress


def command(
    ops: Annotated[
        list[str],
        typer.Argument(metavar="OP...|FILE.py:KERNEL", help="Operators of TileGym, or your own kernel."),
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
    stop_after: Annotated[
        str | None,
        typer.Option(
            "--stop-after", metavar="STAGE", help="capture, translate, check, prove, host or report."
        ),
    ] = None,
    tileiras_timeout: Annotated[
        float,
        typer.Option("--tileiras-timeout", metavar="S", help="Seconds that tileiras may take for one file."),
    ] = 120.0,
    tests: Annotated[
        Path | None,
        typer.Option(
            "--tests", metavar="DIR", help="Folder of TileGym's tests, run as well (or $TILEGYM_TESTS)."
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="SCRIPT.py", help="Program that launches your own kernel (default: FILE.py)."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what earlier runs made.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Convert operators to cuTile Rust and prove the ports, with no GPU.

    What earlier runs made and is still valid is kept. Exit status 0 if everything is proven (or equivalent,
    which is listed), 1 if something is not, 2 for wrong names, options or folders, 3 if something is not
    installed.
    """
    from tileport import conversion
    from tileport.cli._conversions import run_each

    def work(op: str, progress: Progress) -> Conversion:
        return conversion.convert(
            op, out=out, targets=targets, jobs=jobs, tests=tests, run=run, tileiras_timeout=tileiras_timeout,
            stop_after=stop_after, fresh=fresh, progress=progress,
        )  # fmt: skip

    return run_each(ops, as_json, work)
