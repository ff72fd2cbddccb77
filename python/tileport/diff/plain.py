# SPDX-License-Identifier: Apache-2.0
"""A difference as text, for terminals and failed tests."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.diff.comparison import Comparison, Finding, Site
from tileport.diff.entries import Difference

_WORDS = {"equal": "equal", "equal_up_to": "equal up to the notes above", "differs": "they differ"}


def render_text(difference: Difference | Comparison, most: int | None = None) -> str:
    """Findings with both places and what would mend them, then notes, then the verdict.

    ``most``: that many findings of a pair are written out, the others counted.
    """
    if isinstance(difference, Comparison):
        return "\n".join([*_comparison(difference, most), _WORDS[difference.equality]]) + "\n"
    lines = []
    several = len(difference.entries) + len(difference.only_reference) + len(difference.only_port) != 1
    for finding in difference.findings[: len(difference.only_reference) + len(difference.only_port)]:
        lines.append(f"critical: {finding.message}")
    for entry in difference.entries:
        if several:
            same = entry.reference.label == entry.port.label
            lines.append(entry.reference.label if same else f"{entry.reference.label} and {entry.port.label}")
        lines += _comparison(entry.comparison, most)
        if several:
            lines.append(f"  {entry.comparison.equality.replace('_', ' ')}")
    return "\n".join([*lines, _WORDS[difference.equality]]) + "\n"


def _comparison(comparison: Comparison, most: int | None) -> Iterator[str]:
    for finding in comparison.findings[:most]:
        yield from _finding(finding)
    hidden = len(comparison.findings[most:]) if most is not None else 0
    if hidden:
        yield f"… and {hidden} more finding{'s' if hidden > 1 else ''}"
    for note in comparison.notes:
        yield f"note: {note.rule} x {note.count}: {note.message}"


def _finding(finding: Finding) -> Iterator[str]:
    yield f"{finding.severity}: {finding.message} [{finding.group}: {finding.kind}, {finding.owner}]"
    for side, site in (("reference", finding.reference), ("port", finding.port)):
        yield f"  {side:9}  {_place(site)}"
        if site.text:
            yield f"             {site.text}"
    if finding.fix:
        yield f"  fix        {finding.fix}"


def _place(site: Site) -> str:
    if not site.line:
        return site.path
    return f"{site.file}:{site.line}  {site.path}"
