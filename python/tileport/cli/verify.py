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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tile IR: bytecode, or its text form.")],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are errors.")] = False,
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="What this architecture can do too: sm_90.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the findings, and a verdict.")] = False,
) -> int:
    """Check a module: print everything that is wrong with it; exit status 1 if it is not valid."""
    modules, findings = _check(file, strict, target)
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
        print(_summary(file, modules, findings))
    return 0 if valid else 1


def _check(file: Path, strict: bool, target: str) -> tuple[list[Module], list[Finding]]:
    """What was read, and what is wrong with it. Raises if the file can't be opened."""
    from tileport import bytecode, text, verify

    try:
        data = file.read_bytes()
    except OSError:
        bytecode.read_file(file)  # Says why, with the code that all commands have for it.
        raise
    findings: list[Finding] = []
    try:
        if bytecode.is_bytecode(data):
            document = bytecode.read_document(data, str(file))
            return [document.module], verify.verify(document, strict=strict, target=target)
        modules = text.parse_modules(data, str(file))
        for module in modules:
            findings += verify.verify(module, strict=strict, target=target)
        return modules, findings
    except (bytecode.BytecodeError, text.TextError) as error:
        return [], [verify.Finding(**row) for row in error.diagnostics]


def _summary(file: Path, modules: list[Module], findings: list[Finding]) -> str:
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = sum(finding.severity == "warning" for finding in findings)
    counts = [
        f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n
    ]
    if not modules or errors:
        return f"{file}: not valid: {', '.join(counts)}"
    versions = ", ".join(sorted({f"{m.version[0]}.{m.version[1]}" for m in modules}))
    kernels = sum(len(module.functions) for module in modules)
    content = f"bytecode {versions}, {kernels} kernel(s), {sum(len(m.walk()) for m in modules)} ops"
    return f"{file}: valid ({content}){': ' if counts else ''}{', '.join(counts)}"
