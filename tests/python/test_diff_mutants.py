# SPDX-License-Identifier: Apache-2.0
"""Mutants of the corpus' kernels, judged by the diff as their kinds ask."""

from __future__ import annotations

import diff_mutants
import pytest

from tileport import diff, ir, mutation


@pytest.fixture(scope="module")
def kernels() -> list[tuple[str, ir.Module]]:
    if not diff_mutants.CORPUS.is_file():
        pytest.skip("the corpus of real kernels (../shared/corpus) is not here")
    return list(diff_mutants.corpus_kernels())


def check(result: diff_mutants.Survey, operators: int) -> None:
    assert not result.wrong, "\n".join(result.wrong[:20])
    assert len(result.excused) <= 0.01 * result.total, "\n".join(result.excused[:20])
    judged = result.placed + len(result.misplaced)
    assert result.placed >= 0.95 * judged, "\n".join(result.misplaced[:20])
    assert len(result.operators) == operators


def test_a_sample_of_mutants(kernels: list[tuple[str, ir.Module]]) -> None:
    result = diff_mutants.survey(kernels, each=11, seed=1)
    assert result.total >= 2000
    check(result, operators=24)


@pytest.mark.full
def test_twenty_thousand_mutants(kernels: list[tuple[str, ir.Module]]) -> None:
    result = diff_mutants.survey(kernels, each=100, seed=2)
    assert result.total >= 20_000
    assert len(+result.made) >= 50
    check(result, operators=24)


def test_scripts_of_corpus_pairs(kernels: list[tuple[str, ir.Module]]) -> None:
    """Each kernel and the next one, of the same operator or of another."""
    modules = [module for _, module in kernels]
    for reference, port in zip(modules, [*modules[1:], modules[0]], strict=True):
        assert not diff.edit_script(reference, reference)
        made = diff.edit_script(reference, port).apply(reference)
        assert ir.first_difference(made, port) is None, (reference.file, port.file)


def test_the_judgement_can_fail(
    kernels: list[tuple[str, ir.Module]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A diff that sees nothing is found out, and so is one that sees something everywhere."""
    blind = diff.Comparison("equal", (), ())
    monkeypatch.setattr(diff, "compare", lambda *_, **__: blind)
    result = diff_mutants.survey(kernels[:3], each=60, seed=3)
    changing = sum(count for name, count in result.made.items() if _kind(name).change != "neutral")
    assert len(result.wrong) == changing > 0


def _kind(name: str) -> mutation.Kind:
    return next(kind for kind in mutation.kinds() if kind.name == name)
