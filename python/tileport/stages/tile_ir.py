# SPDX-License-Identifier: Apache-2.0
"""Compares the Tile IR of a reference and of its port, and says where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileport import diff

_WORSE = ("equal", "equal_up_to", "differs")
_LONGEST_TEXT = 2000
_MOST_FINDINGS = 40
"""A port that is wrong from its first op on differs everywhere; the first findings say enough."""


def compare(reference: Any, ports: Mapping[str, Any], reference_file: str) -> dict[str, Any]:
    """The evidence of all targets together, as proof.json has it: the worst class, the notes of the rules
    that accepted harmless differences, and the findings. ``ports`` are modules by target."""
    worst = "equal"
    notes: dict[str, dict[str, Any]] = {}
    findings: dict[str, dict[str, Any]] = {}
    for target, port in ports.items():
        comparison = diff.compare(reference, port, target=target)
        worst = max(worst, comparison.equality, key=_WORSE.index)
        for note in comparison.notes:
            known = notes.setdefault(
                note.rule, {"rule": note.rule, "count": 0, "message": note.message[:_LONGEST_TEXT]}
            )
            known["count"] = max(known["count"], note.count)
        for finding in comparison.findings[:_MOST_FINDINGS]:
            record = _finding(finding, reference_file)
            key = repr([record[part] for part in ("class", "message", "reference", "port")])
            findings.setdefault(key, record)["targets"].append(target)
        hidden = len(comparison.findings) - _MOST_FINDINGS
        if hidden > 0:
            text = f"{hidden} further differences follow the first {_MOST_FINDINGS}"
            findings.setdefault(text, _plain_finding("mistranslation", "note", text))["targets"].append(
                target
            )
    return {"class": worst, "notes": list(notes.values()), "findings": list(findings.values())}


def finding(
    kind: str, message: str, targets: list[str], reference: dict[str, Any] | None, port: dict[str, Any] | None
) -> dict[str, Any]:
    """A finding of our own: a kernel was refused, for the reason given."""
    record = _plain_finding(kind, "critical", message[:_LONGEST_TEXT])
    record.update(targets=targets, reference=reference, port=port)
    return record


def site(file: str, line: int | None, path: str = "") -> dict[str, Any]:
    """One side of a finding that has no op to show."""
    return {"path": path, "text": "", "file": file, "line": line}


def _plain_finding(kind: str, severity: str, message: str) -> dict[str, Any]:
    return {
        "class": kind,
        "severity": severity,
        "owner": "kernel",
        "effect": "unknown",
        "message": message,
        "targets": [],
        "reference": None,
        "port": None,
    }


def _finding(finding: Any, reference_file: str) -> dict[str, Any]:
    return {
        "class": finding.kind,
        "severity": finding.severity,
        "owner": finding.owner,
        "effect": finding.effect,
        "message": finding.message[:_LONGEST_TEXT],
        "targets": [],
        "reference": _site(finding.reference, reference_file),
        "port": _site(finding.port, "kernel.rs"),
    }


def _site(site: Any, file: str) -> dict[str, Any] | None:
    if not site.path and not site.text and not site.line:
        return None
    return {
        "path": site.path,
        "text": site.text[:_LONGEST_TEXT],
        # The file's own name only: a front end may record the folder it was built in.
        "file": file if site.line and _same_file(site.file, file) else _base_name(site.file),
        "line": site.line or None,
    }


def _base_name(path: str) -> str | None:
    return path.rsplit("/", 1)[-1] or None


def _same_file(path: str, file: str) -> bool:
    return _base_name(path) == _base_name(file)
