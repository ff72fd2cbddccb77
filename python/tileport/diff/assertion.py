# SPDX-License-Identifier: Apache-2.0
"""For tests: two kernels must be the same."""

from __future__ import annotations

from tileport.diff.comparison import Comparison, compare
from tileport.diff.plain import render_text
from tileport.ir import Module

_MOST_FINDINGS = 10


def assert_same(
    actual: Module,
    expected: Module,
    *,
    target: str = "sm_90",
    notes: bool = True,
    warnings: bool = False,
) -> Comparison:
    """Fails with the findings unless ``actual`` is the port of ``expected``: equal, up to notes.

    ``notes=False`` wants no notes either; ``warnings=True`` lets pass what is merely slower (lost hints,
    weaker facts). Returns the comparison, so that a test can ask for certain notes.
    """
    __tracebackhide__ = True
    comparison = compare(expected, actual, target)
    wrong = [finding for finding in comparison.findings if not (warnings and finding.severity != "critical")]
    if wrong or (comparison.notes and not notes):
        raise AssertionError(f"the kernels are not the same\n{render_text(comparison, _MOST_FINDINGS)}")
    return comparison
