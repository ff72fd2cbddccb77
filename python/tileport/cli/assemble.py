# SPDX-License-Identifier: Apache-2.0
"""``tileport as``"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer


def _version(text: str | None) -> tuple[int, int] | None:
    from tileport.errors import UsageError

    if text is None:
        return None
    match = re.fullmatch(r"13\.([1-5])", text)
    if not match:
        raise UsageError(
            "bad-version", f"{text!r} is no bytecode version", "--target-version", "13.1 to 13.5."
        )
    return 13, int(match[1])


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE.mlir", help="Tile IR as text.")],
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.tileirbc", help="Where to write the bytecode.")
    ],
    target_version: Annotated[
        str | None,
        typer.Option(
            "--target-version",
            metavar="13.N",
            help="Bytecode version; 13.3 or the first later one that has everything if not given.",
        ),
    ] = None,
    debug_info: Annotated[
        bool, typer.Option("--debug-info/--no-debug-info", help="Write the places that loc(...) tells.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: version and size, or all errors.")
    ] = False,
) -> int:
    """Assemble a text to Tile IR bytecode: what dis and tileirdisasm print, and other forms of MLIR.

    The bytecode is canonical, so equal modules give equal files. Nothing is written if the text has an error.
    """
    from tileport import bytecode, text
    from tileport.errors import UsageError
    from tileport.toolchain import write_atomically

    version = _version(target_version)
    try:
        module = text.parse_file(file, version)
    except text.TextError as error:
        if as_json:
            print(json.dumps({"error": error.as_dict(), "diagnostics": error.diagnostics}, indent=2))
        else:
            for diagnostic in error.diagnostics:
                print(diagnostic["text"], file=sys.stderr)
        return error.exit_status
    data = bytecode.write(module, debug_info=debug_info)
    try:
        write_atomically(out, data)
    except OSError as error:
        raise UsageError("unwritable", f"cannot be written: {error.strerror}", str(out)) from None
    if as_json:
        major, minor = module.version
        document = {"file": str(file), "output": str(out), "version": f"{major}.{minor}", "bytes": len(data)}
        print(json.dumps(document, indent=2))
    return 0
