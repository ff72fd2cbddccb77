# SPDX-License-Identifier: Apache-2.0
"""``tileport report``"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR|OP", help="Folder of a port, or its operator.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder of all ports (default: $TILEPORT_PORTS, else in $XDG_DATA_HOME).",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Write a port's report.html anew from its proof.json, and say where it is."""
    from tileport import contract, report
    from tileport.stages.port import open_port
    from tileport.wrappers.ports import ports_folder

    port = open_port(directory, out if out is not None else ports_folder())
    with port.locked():
        path = report.write_report(port)
    if as_json:
        proof = contract.read(contract.PROOF, port.proof)
        print(json.dumps({"op": port.op, "report": str(path), "verdict": proof["verdict"]}, indent=2))
    else:
        print(path)
    return 0
