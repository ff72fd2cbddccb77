# SPDX-License-Identifier: Apache-2.0
"""``tileport diff``"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    reference: Annotated[
        Path,
        typer.Argument(
            metavar="A", help="The reference: Tile IR as bytecode or text, or a folder of such files."
        ),
    ],
    port: Annotated[Path, typer.Argument(metavar="B", help="The port: a file or a folder.")],
    target: Annotated[
        str,
        typer.Option(
            "--target", metavar="T", help="Hints are resolved for this target before they are compared."
        ),
    ] = "sm_90",
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="JSON that says which entries belong together. Without it the most similar ones are paired.",
        ),
    ] = None,
    write_pairs: Annotated[
        Path | None,
        typer.Option(
            "--write-pairs", metavar="FILE", help="Write the pairs that were compared, for --pairs."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page that shows both texts side by side."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: pairs with findings, notes and edit scripts.")
    ] = False,
) -> int:
    """Compare kernels by what they compute; exit status 1 if they differ."""
    from tileport import diff

    difference = diff.compare_all(
        diff.read_entries(reference),
        diff.read_entries(port),
        diff.read_pairs(pairs) if pairs else None,
        target,
    )
    if write_pairs:
        diff.write_pairs(write_pairs, difference.pairs())
    if html:
        html.write_text(diff.render_html(difference, str(reference), str(port)), encoding="utf-8")
    if as_json:
        print(json.dumps({"reference": str(reference), "port": str(port), **difference.to_dict()}, indent=2))
    else:
        print(diff.render_text(difference), end="")
    return 1 if difference.equality == "differs" else 0
