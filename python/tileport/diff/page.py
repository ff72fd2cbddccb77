# SPDX-License-Identifier: Apache-2.0
"""A difference as one self-contained HTML page: both texts side by side.

Partners stand on one row; runs of equal rows are folded; rows have the colour of the worst finding that
points at them. Keys: n and p go from finding to finding, f folds and unfolds, ? lists the keys.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tileport._core import diff as _diff
from tileport.diff.comparison import DiffError, Finding
from tileport.diff.entries import Difference, EntryDifference

_CONTEXT = 3
_SHORTEST_FOLD = 4
_TOKENS = re.compile(r"\w+|\s+|.")
_ORDER = ("critical", "warning", "note")
Piece = tuple[str, bool]
"""Text, and whether it is what differs in its line."""


@dataclass
class Row:
    """A line of both texts; a side without a line has number None."""

    kind: str
    layer: str
    left_number: int | None
    left: list[Piece]
    right_number: int | None
    right: list[Piece]
    severity: str = ""
    """Of the worst finding here, else what the edit matters for; empty for equal lines."""
    findings: list[int] = field(default_factory=list)


@dataclass
class Fold:
    """Neighbouring rows; those that are folded away are equal and no finding's."""

    rows: list[Row]
    folded: bool


def render_html(difference: Difference, reference: str = "reference", port: str = "port") -> str:
    """The page; ``reference`` and ``port`` name what was compared."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from tileport import __version__

    environment = Environment(
        loader=PackageLoader("tileport.diff", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    findings = list(difference.findings)
    return environment.get_template("page.html").render(
        version=__version__,
        reference=reference,
        port=port,
        difference=difference,
        counts=Counter(finding.severity for finding in findings),
        unpaired=[f for f in findings[: len(difference.only_reference) + len(difference.only_port)]],
        sections=list(_sections(difference)),
    )


def _sections(difference: Difference) -> Iterator[dict[str, Any]]:
    first = len(difference.only_reference) + len(difference.only_port)
    for number, entry in enumerate(difference.entries):
        findings = list(entry.comparison.findings)
        rows = _rows(entry, findings, first)
        yield {
            "number": number,
            "entry": entry,
            "equality": entry.comparison.equality,
            "findings": list(enumerate(findings, first)),
            "notes": entry.comparison.notes,
            "folds": _folds(rows),
        }
        first += len(findings)


def _rows(entry: EntryDifference, findings: list[Finding], first: int) -> list[Row]:
    result = _diff.side_by_side(
        entry.reference.module, entry.port.module, entry.reference.name, entry.port.name
    )
    if isinstance(result, list):
        raise DiffError(result)
    left, right, core = result
    rows, by_reference, by_port = [], {}, {}
    for kind, layer, in_left, in_right, reference_path, port_path in core:
        old = left[in_left] if in_left is not None else ""
        new = right[in_right] if in_right is not None else ""
        changed = kind == "changed"
        row = Row(
            kind,
            layer,
            None if in_left is None else in_left + 1,
            _pieces(old, new) if changed else [(old, False)],
            None if in_right is None else in_right + 1,
            _pieces(new, old) if changed else [(new, False)],
            "" if kind == "same" else {"value": "value", "facts": "facts"}.get(layer, "form"),
        )
        rows.append(row)
        if reference_path:
            by_reference[reference_path] = row
        if port_path:
            by_port[port_path] = row
    for number, finding in enumerate(findings, first):
        # An entry's own finding, and ops that the text leaves out, belong to the head.
        row = by_reference.get(finding.reference.path) or by_port.get(finding.port.path) or rows[0]
        places = {id(row): row}
        if other := by_port.get(finding.port.path):
            places[id(other)] = other
        for place in places.values():
            place.findings.append(number)
            worst = [finding.severity, place.severity] if place.severity in _ORDER else [finding.severity]
            place.severity = min(worst, key=_ORDER.index)
    return rows


def _pieces(line: str, other: str) -> list[Piece]:
    """The line cut where it differs from the other."""
    mine, theirs = _TOKENS.findall(line), _TOKENS.findall(other)
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    return [
        ("".join(mine[start:end]), tag != "equal")
        for tag, start, end, _, _ in matcher.get_opcodes()
        if end > start
    ]


def _folds(rows: list[Row]) -> list[Fold]:
    """Equal rows further than a few lines from any other are folded away."""
    keep = [False] * len(rows)
    for number, row in enumerate(rows):
        if row.kind != "same" or row.findings:
            for near in range(max(0, number - _CONTEXT), min(len(rows), number + _CONTEXT + 1)):
                keep[near] = True
    folds: list[Fold] = []
    for number, row in enumerate(rows):
        folded = not keep[number]
        if not folds or folds[-1].folded != folded:
            folds.append(Fold([], folded))
        folds[-1].rows.append(row)
    for fold in folds:
        fold.folded = fold.folded and len(fold.rows) >= _SHORTEST_FOLD
    return folds
