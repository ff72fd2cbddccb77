# SPDX-License-Identifier: Apache-2.0
"""``tileport verify``"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tileport.ir import Module
    from tileport.verify import Finding


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tile IR bytecode.")],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are errors.")] = False,
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="What this architecture can do too: sm_90.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the findings, and a verdict.")] = False,
) -> int:
    """Check a module: print everything that is wrong with it; exit status 1 if it is not valid."""
    module, findings = _check(file, strict, target)
    valid = all(finding.severity != "error" for finding in findings)
    if as_json:
        document = {
            "file": str(file),
            "valid": valid,
            "diagnostics": [finding.to_dict() for finding in findings],
        }
        print(json.dumps(document, indent=2))
    else:
        for finding in findings:
            print(finding.text)
        print(_summary(file, module, findings))
    return 0 if valid else 1


def _check(file: Path, strict: bool, target: str) -> tuple[Module | None, list[Finding]]:
    """What was read, if it could be, and what is wrong with it. Raises if the file can't be opened."""
    from tileport import bytecode, verify

    try:
        module = bytecode.read_file(file)
    except bytecode.BytecodeError as error:
        if error.code == bytecode.UNREADABLE:
            raise
        return None, [verify.Finding(**row) for row in error.diagnostics]
    return module, verify.verify(module, strict=strict, target=target)


def _summary(file: Path, module: Module | None, findings: list[Finding]) -> str:
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = sum(finding.severity == "warning" for finding in findings)
    counts = [
        f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n
    ]
    if module is None or errors:
        return f"{file}: not valid: {', '.join(counts)}"
    ops = len(module.walk())
    version = f"{module.version[0]}.{module.version[1]}"
    content = f"bytecode {version}, {len(module.functions)} kernel(s), {ops} ops"
    return f"{file}: valid ({content}){': ' if counts else ''}{', '.join(counts)}"
