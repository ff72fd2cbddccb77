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
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON: version, producer, and the text and hints of each kernel."),
    ] = False,
) -> int:
    """Print a bytecode file as text, byte for byte as tileirdisasm prints it."""
    from tileport import bytecode, text

    module = bytecode.read_file(file)
    printed = text.print(module)
    if as_json:
        document = {
            "file": str(file),
            "version": f"{module.version[0]}.{module.version[1]}",
            "producer": module.producer,
            "kernels": [
                {"name": kernel.name, "hints": kernel.hints, "ops": len(kernel.walk())}
                for kernel in module.functions
            ],
            "text": printed,
        }
        print(json.dumps(document, indent=2))
    else:
        sys.stdout.buffer.write(printed.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    return 0
