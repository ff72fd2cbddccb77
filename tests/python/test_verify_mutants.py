# SPDX-License-Identifier: Apache-2.0
"""Our verdicts are tileirdisasm's on mutants of real files; verify_mutants.py says how they are made."""

from __future__ import annotations

import os

import pytest
import verify_mutants

SAMPLE = 2000
MANY = 100_000


def check(count: int, seed: int, tool: str) -> None:
    tally = verify_mutants.compare_all(count, seed, tool, min(4, os.cpu_count() or 1))
    assert tally.mutants == count
    # The rules decide, not only the reader: a third is refused by the tool's verifier, a fifth is valid.
    assert tally.by_verifier > count / 4
    assert tally.mutants - tally.refused > count / 5
    assert not tally.disagreements, verify_mutants.report(tally)


def test_a_sample(tool: str) -> None:
    check(SAMPLE, 1, tool)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many(tool: str) -> None:
    check(MANY, 2, tool)
