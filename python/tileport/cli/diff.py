# SPDX-License-Identifier: Apache-2.0
"""``tileport diff``"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tileport.diff import Comparison, Site


def command(
    reference: Annotated[Path, typer.Argument(metavar="A", help="Bytecode of the reference.")],
    port: Annotated[Path, typer.Argument(metavar="B", help="Bytecode of the port.")],
    target: Annotated[
        str,
        typer.Option(
            "--target", metavar="T", help="Hints are resolved for this target before they are compared."
        ),
    ] = "sm_90",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: equality, notes and findings.")
    ] = False,
) -> int:
    """Compare two kernels by what they compute; exit status 1 if they differ."""
    from tileport import bytecode, diff

    comparison = diff.compare(bytecode.read_file(reference), bytecode.read_file(port), target)
    if as_json:
        document = {"reference": str(reference), "port": str(port), "target": target, **comparison.to_dict()}
        print(json.dumps(document, indent=2))
    else:
        _print(comparison)
    return 1 if comparison.equality == "differs" else 0


def _print(comparison: Comparison) -> None:
    for finding in comparison.findings:
        print(f"{finding.severity}: {finding.message} [{finding.kind}, {finding.owner}]")
        for side, site in (("reference", finding.reference), ("port", finding.port)):
            print(f"  {side:9}  {_place(site)}")
            if site.text:
                print(f"             {site.text}")
    for note in comparison.notes:
        print(f"note: {note.rule} x {note.count}: {note.message}")
    words = {"equal": "equal", "equal_up_to": "equal up to the notes above", "differs": "they differ"}
    print(words[comparison.equality])


def _place(site: Site) -> str:
    if not site.line:
        return site.path
    return f"{site.file}:{site.line}  {site.path}"
