# SPDX-License-Identifier: Apache-2.0
"""``tileport dis``"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE.tileirbc", help="Tile IR bytecode.")],
    locations: Annotated[
        bool, typer.Option("--locations", "-g", help="Print source places too, as tileirdisasm -g does.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON: every op with operands, types, attributes and places."),
    ] = False,
) -> int:
    """Print a bytecode file as text, byte for byte as tileirdisasm prints it."""
    from tileport import bytecode, text
    from tileport.cli._module_json import module_json

    module = bytecode.read_file(file)
    printed = text.print(module, locations=locations)
    if as_json:
        print(json.dumps({"file": str(file), **module_json(module), "text": printed}, indent=2))
    else:
        sys.stdout.buffer.write(printed.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    return 0
