# SPDX-License-Identifier: Apache-2.0
"""Findings and notes of one comparison, as objects."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from tileport._core import diff as _diff
from tileport.errors import Error, InputError
from tileport.ir import Module

Equality = Literal["equal", "equal_up_to", "differs"]
FindingClass = Literal[
    "mistranslation",
    "specialization_loss",
    "hint_value",
    "source_semantics",
    "host_abi",
    "compiler_limitation",
    "equivalence",
    "noise",
]

Group = Literal[
    "memory_family",
    "tile_structure",
    "layout",
    "addresses",
    "masks",
    "reductions",
    "mma",
    "math",
    "arithmetic",
    "control_flow",
    "specialization",
    "divisibility",
    "bounds",
    "hints",
    "tokens",
    "block_mapping",
    "dtype",
]


class DiffError(InputError):
    """Two modules can't be compared, or their entries paired. ``diagnostics`` as in BytecodeError."""

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        super().__init__(first["code"], first["message"], first["file"], first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


@dataclass(frozen=True)
class Site:
    """One side of a finding. Members are empty (line and column 0) where that side has nothing there."""

    path: str
    """Access path, "@softmax/for#0/exp#2": the third exp in the first for."""
    text: str
    """The op with its attributes and types."""
    file: str
    """Source file as the front end recorded it."""
    line: int
    column: int


@dataclass(frozen=True)
class Finding:
    """One difference that is not accepted."""

    kind: FindingClass
    group: Group
    """What it is about: a row of the checklist that ports are judged by."""
    side: Literal["both", "reference", "port"]
    """Which side has what the other lacks."""
    severity: Literal["critical", "warning", "note"]
    owner: Literal["kernel", "host", "none"]
    effect: Literal["value", "code", "none", "unknown"]
    message: str
    reference: Site
    port: Site
    fix: str
    """The Rust that says what the reference says there, or what to leave out; empty if there is no word for
    it."""


@dataclass(frozen=True)
class Note:
    """An accepted difference: by which rule, and how often."""

    rule: str
    count: int
    message: str


@dataclass(frozen=True)
class Comparison:
    """``equality``: equal, equal_up_to (only notes), or differs (there are findings)."""

    equality: Equality
    notes: tuple[Note, ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON: {"equality", "notes": [...], "findings": [...]}, a finding's kind under "class"."""
        findings = []
        for finding in self.findings:
            row = asdict(finding)
            findings.append({"class": row.pop("kind"), **row})
        return {
            "equality": self.equality,
            "notes": [asdict(note) for note in self.notes],
            "findings": findings,
        }


def compare(
    reference: Module,
    port: Module,
    target: str = "sm_90",
    *,
    reference_entry: str = "",
    port_entry: str = "",
) -> Comparison:
    """Compares two kernels: the entries that are named, or the only one of each module.

    Hints are resolved for ``target`` first: its own entry over ``default``. Raises ``DiffError`` (TP-D0001
    no kernel, TP-D0002 several, TP-D0003 nested too deep, TP-D0004 no entry of the name).
    """
    result = _diff.compare(reference, port, target, reference_entry, port_entry)
    if isinstance(result, list):
        raise DiffError(result)
    return Comparison(
        result["equality"],
        tuple(Note(**note) for note in result["notes"]),
        tuple(_finding(finding) for finding in result["findings"]),
    )


def rules() -> dict[str, str]:
    """Every rule that a note can name, with the reason why the difference can change no result."""
    return dict(_diff.rules())


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(
        row["class"],
        row["group"],
        row["side"],
        row["severity"],
        row["owner"],
        row["effect"],
        row["message"],
        Site(**row["reference"]),
        Site(**row["port"]),
        row["fix"],
    )
