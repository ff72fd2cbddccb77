# SPDX-License-Identifier: Apache-2.0
"""The pairs of ../shared/cases: two texts, and whether they mean the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tileport import diff, text

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY.parent / "shared" / "cases" / "tileir" / "pairs"
CASES = json.loads((FOLDER / "expected.json").read_text()) if FOLDER.is_dir() else []

# What the differing pairs are about, and where the first finding is, after the entry's name.
ABOUT = {
    "d01_divi_rounding": ("arithmetic", "critical", "divi#0"),
    "d03_padding_dropped": ("layout", "critical", "make_partition_view#0"),
    "d05_neg_zero": ("arithmetic", "critical", "constant#"),
    "d07_one_ulp": ("arithmetic", "critical", "constant#"),
    "d09_index_swap": ("addresses", "critical", "load_view_tko#"),
    "d11_approx": ("", "critical", ""),
    "d13_fma": ("", "critical", ""),
    "d15_identity": ("reductions", "critical", "scan#0"),
    "d17_break_values": ("control_flow", "critical", "break#0"),
    "d19_hints": ("hints", "critical", ""),
    "d21_static_shape": ("", "critical", "make_tensor_view#"),
}


@pytest.mark.skipif(not CASES, reason="../shared/cases is not here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_pair(case: dict[str, str]) -> None:
    sides = [(FOLDER / f"{case['id']}.{side}.txt").read_bytes() for side in "ab"]
    if case["id"] == "d21_static_shape":
        # As it stands the text is none: a static extent is written, not given as a value.
        with pytest.raises(text.TextError) as refused:
            text.parse_modules(sides[1], "b.txt")
        assert refused.value.code == "TP-X0010" and refused.value.diagnostics[0]["line"] == 12
        written = rb"shape = [16], strides = [1] : "
        dynamic = rb"shape = \[%assume_\d+\], strides = \[1\] : tile<i32> -> "
        sides[1] = re.sub(dynamic, written, sides[1])
    [a], [b] = (text.parse_modules(side, case["id"]) for side in sides)
    comparison = diff.compare(a, b)
    backward = diff.compare(b, a)
    script = diff.edit_script(a, b)
    if case["expected"] == "differ":
        group, severity, place = ABOUT[case["id"]]
        assert comparison.equality == backward.equality == "differs"
        first = comparison.findings[0]
        assert first.severity == severity and (not group or first.group == group), first
        assert place in first.reference.path, first
        assert script
        return
    assert comparison.equality in ("equal", "equal_up_to") and not comparison.findings, comparison.findings
    assert backward.equality == comparison.equality
    assert script.count("value") == 0
    if case["expected"] == "policy":
        # The operands of an addition may change places (a NaN's payload aside): never in silence.
        assert [note.rule for note in comparison.notes] == ["commuted_operands"]
