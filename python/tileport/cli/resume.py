# SPDX-License-Identifier: Apache-2.0
"""``tileport resume``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tileport.conversion import Conversion
    from tileport.stages.progress import Progress


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR|OP", help="Folder of a port, or its operator.")],
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Assemblies at once (default: one a core).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Go on with the conversion that was last begun in a folder, with the options it was begun with."""
    from tileport import conversion
    from tileport.cli._conversions import run_each

    def work(name: str, progress: Progress) -> Conversion:
        return conversion.resume(name, jobs=jobs, progress=progress)

    return run_each([directory], as_json, work)
