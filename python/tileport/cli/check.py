# SPDX-License-Identifier: Apache-2.0
"""``tileport check``"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer


def command(
    kernel: Annotated[Path, typer.Argument(metavar="KERNEL.rs", help="cuTile Rust source.")],
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="E", help="The entry to compile; needed if there are several."),
    ] = None,
    generics: Annotated[
        str,
        typer.Option("--generics", metavar="N=64,...", help="Values for the generics of the entry."),
    ] = "",
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="The target to compile for.")
    ] = "sm_90",
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write the bytecode.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the result for each entry.")] = False,
) -> int:
    """Compile an entry of a kernel.rs to Tile IR bytecode, with cutile's compiler and without rustc.

    Without -o all entries (or the named one) are compiled and nothing is kept.
    """
    from tileport.errors import UsageError
    from tileport.toolchain import write_atomically
    from tileport.toolchain.check import Instance, check_kernels

    entries: list[str | Instance] | None = [entry] if entry else None
    if generics:
        if entry is None:
            raise UsageError("no-entry", "values are of one entry", "--generics", "Name it with --entry.")
        entries = [Instance(entry, entry, _values(generics))]
    with tempfile.TemporaryDirectory(prefix="tileport-check-") as scratch:
        results = check_kernels(kernel, scratch, entries, [target])
        if out is not None and len(results) > 1:
            names = ", ".join(result.name for result in results)
            raise UsageError(
                "several-entries", f"has several entries: {names}", str(kernel), "Choose one with --entry."
            )
        for result in results:
            if out is not None and result.file is not None:
                try:
                    write_atomically(out, result.file.read_bytes())
                except OSError as error:
                    raise UsageError("unwritable", f"cannot be written: {error.strerror}", str(out)) from None
    if as_json:
        rows = [
            {
                "entry": result.name,
                "target": result.target,
                "file": str(out) if out is not None and result.error is None else None,
                "error": result.error
                and {
                    "code": result.error.code,
                    "message": result.error.message,
                    "line": result.error.line,
                    "column": result.error.column,
                },
            }
            for result in results
        ]
        print(json.dumps({"kernel": str(kernel), "results": rows}, indent=2))
    else:
        for result in results:
            if result.error is not None:
                print(f"{result.error}", file=sys.stderr)
            elif out is None:
                print(f"{result.name}: compiles for {result.target}")
    return 1 if any(result.error for result in results) else 0


def _values(text: str) -> dict[str, int | str]:
    """ "N=64,E=f16" by name."""
    from tileport.errors import UsageError

    values: dict[str, int | str] = {}
    for pair in text.split(","):
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                "generics", f"{pair!r} is not NAME=VALUE", "--generics", "Write them as N=64,BLOCK=128."
            )
        values[name.strip()] = value.strip()
    return values
