# SPDX-License-Identifier: Apache-2.0
"""Checks what a well-formed Tile IR module can still have wrong.

Types, attributes, dominance, terminators, versions, targets, and each op's own rules: what tileirdisasm
refuses is an error, and nothing else is. ``rules()`` lists what is checked and where each rule comes from.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from tileport._core import verify as _verify
from tileport.bytecode import Document
from tileport.ir import Module

__all__ = ["Finding", "Rule", "rules", "verify"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or odd (severity "warning")."""

    code: str
    """ "TP-V0101"; ``rules()`` explains it. TP-B codes are about how the file is written."""
    severity: Literal["error", "warning", "note"]
    message: str
    advice: str
    file: str
    offset: int | None
    """Bytes from the start of the bytecode file; None where there is none."""
    line: int
    """Of the text, from 1; 0 for bytecode."""
    column: int
    path: str
    """Access path, "@softmax/for#0/exp#2"."""
    source: str
    """Where the front end found it, "softmax.py:12:5 in softmax"; empty if unknown."""
    text: str
    """All of it, as compilers print it."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Rule:
    code: str
    holds: str
    """What must hold."""
    source: str
    """Where the rule comes from."""


def verify(module: Module | Document, *, strict: bool = False, target: str = "") -> list[Finding]:
    """All findings; none for a valid module.

    Of a document (``bytecode.read_document``), also warnings about what its file holds that readers pass
    over: sections that stand twice, bytes that nobody looks at, numbers in longer forms. ``strict`` makes
    errors of warnings. ``target`` ("sm_90") adds what that architecture can't do.
    """
    document = module if isinstance(module, Document) else Document(module)
    return [Finding(**row) for row in _verify.verify(document.module, document._layout, strict, target)]


def rules() -> list[Rule]:
    """Every rule of the verifier, by code."""
    return [Rule(*row) for row in _verify.rules()]
