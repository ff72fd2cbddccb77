# SPDX-License-Identifier: Apache-2.0
"""The JSON documents of a conversion: their schemas, their validation, and verdicts.

The schemas and the rules are those of the C++ core, the one authority on them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tileport._core import contract as _contract
from tileport.errors import Error, InputError

DISPATCH = "tileport/dispatch/1"
INDEX = "tileport/index/1"
PROOF = "tileport/proof/1"

VERDICTS = ("proven", "equivalent", "unproven")
"""From good to bad. ``proven`` and ``equivalent`` end a command with exit status 0."""


class ContractError(InputError):
    """A document is not what its schema says. ``diagnostics`` are dicts with code, message, file, line,
    column, path (a JSON pointer) and advice."""

    def __init__(self, message: str, where: str, diagnostics: list[dict[str, Any]]) -> None:
        super().__init__(diagnostics[0]["code"], message, where, diagnostics[0]["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.message, self.where, self.diagnostics)


def schema_names() -> list[str]:
    """Names of all schemas, as a document's "schema" member gives them."""
    names: list[str] = _contract.schema_names()
    return names


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 7) called ``name``; raises ``KeyError`` if there is none."""
    text = _contract.schema_text(name)
    if text is None:
        raise KeyError(name)
    content: dict[str, Any] = json.loads(text)
    return content


def diagnose(name: str, text: str, file: str = "") -> list[dict[str, Any]]:
    """What is wrong with the document ``text``; empty if nothing is."""
    diagnostics: list[dict[str, Any]] = _contract.validate(name, text, file)
    return diagnostics


def validate(name: str, text: str, file: str = "") -> None:
    """Raises ``ContractError`` unless ``text`` is a document of the schema ``name``."""
    diagnostics = diagnose(name, text, file)
    if diagnostics:
        raise ContractError(_summary(name, diagnostics), file, diagnostics)


def judge(proof: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """The verdict that follows from a proof's evidence, and that of each specialization by name."""
    result = _contract.judge(json.dumps(proof))
    if "diagnostics" in result:
        raise ContractError(_summary(PROOF, result["diagnostics"]), "", result["diagnostics"])
    return result["verdict"], result["specializations"]


def read(name: str, path: Path) -> dict[str, Any]:
    """Reads and validates one document."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("unreadable", f"cannot be read: {reason}", str(path)) from None
    except UnicodeDecodeError as error:
        raise InputError("not-utf-8", f"is not UTF-8 text: {error}", str(path)) from None
    validate(name, text, str(path))
    document: dict[str, Any] = json.loads(text)
    return document


def write(name: str, document: dict[str, Any], path: Path) -> None:
    """Validates ``document`` and writes it; a reader sees the old file or the whole new one.

    A document of ours that its schema refuses is a fault of ours, so it is an assertion.
    """
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    diagnostics = diagnose(name, text, str(path))
    assert not diagnostics, f"{path} would violate {name}: {_summary(name, diagnostics)}"
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _summary(name: str, diagnostics: list[dict[str, Any]]) -> str:
    lines = [f"is not a document of {name}:"]
    for diagnostic in diagnostics[:10]:
        place = f"line {diagnostic['line']}" if diagnostic["line"] else diagnostic["path"] or "the document"
        lines.append(f"  {place}: {diagnostic['message']} [{diagnostic['code']}]")
    if len(diagnostics) > 10:
        lines.append(f"  and {len(diagnostics) - 10} more")
    return "\n".join(lines)
