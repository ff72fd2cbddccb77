# SPDX-License-Identifier: Apache-2.0
"""Asks the diff about mutants of real kernels, whose kinds say what it has to answer.

    python tests/python/diff_mutants.py --count 22000

prints the table of kinds with how many mutants were made of each, what the diff got wrong, and the mutants
that a named rule excuses because they are equivalent.
"""

from __future__ import annotations

import argparse
import random
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tileport import bytecode, diff, mutation
from tileport.ir import Module

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "tilegym24.tar.xz"

_WORST = {"value": "critical", "stronger_facts": "critical", "weaker_facts": "warning", "neutral": "note"}
_ORDER = ("critical", "warning", "note")


@dataclass
class Survey:
    """What became of the mutants."""

    made: Counter[str] = field(default_factory=Counter)
    """By kind."""
    operators: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    """Mutants that were judged otherwise than their kind asks."""
    excused: list[str] = field(default_factory=list)
    """Changed values that named rules accept: equivalent mutants, with the rules."""
    placed: int = 0
    misplaced: list[str] = field(default_factory=list)
    """Changes that no finding places at the changed op or a direct user."""

    @property
    def total(self) -> int:
        return sum(self.made.values())


def corpus_kernels() -> Iterator[tuple[str, Module]]:
    """Kernels of the corpus with their operators, read from the archive."""
    with tarfile.open(CORPUS) as archive:
        for member in archive:
            if not member.name.endswith(".tileirbc"):
                continue
            data = archive.extractfile(member)
            assert data is not None
            path = Path(member.name)
            yield path.parent.name, bytecode.read(data.read(), path.name)


def survey(kernels: Iterable[tuple[str, Module]], each: int, seed: int) -> Survey:
    """``each`` mutants of every kernel, its kinds in turn; the same for the same seed."""
    rng = random.Random(seed)
    result = Survey()
    for operator, module in kernels:
        for site in _choose(module, each, rng):
            mutant = mutation.mutate(module, site)
            if mutant is None:
                continue
            result.operators.add(operator)
            result.made[site.kind.name] += 1
            _judge(result, f"{operator}/{module.file}", module, site, mutant)
    return result


def _choose(module: Module, count: int, rng: random.Random) -> Iterator[mutation.Site]:
    by_kind: defaultdict[str, list[mutation.Site]] = defaultdict(list)
    for site in mutation.sites(module):
        by_kind[site.kind.name].append(site)
    names = sorted(by_kind)
    rng.shuffle(names)
    for sites in by_kind.values():
        rng.shuffle(sites)
    while count > 0 and names:
        for name in list(names):
            if count > 0:
                yield by_kind[name].pop()
                count -= 1
            if not by_kind[name]:
                names.remove(name)


def _judge(result: Survey, file: str, module: Module, site: mutation.Site, mutant: mutation.Mutant) -> None:
    comparison = diff.compare(module, mutant.module, target="sm_100")
    severities = {finding.severity for finding in comparison.findings}
    worst = min(severities, key=_ORDER.index, default=None)
    expected = _WORST[site.kind.change]
    if site.kind.change == "neutral":
        good = worst in (None, "note")
    else:
        good = worst is not None and _ORDER.index(worst) <= _ORDER.index(expected)
    if not good:
        story = f"{file}: {site.describe(module)}: {worst or comparison.equality}, not {expected}"
        # That differing values are accepted is right only where a rule says why.
        if site.kind.change == "value" and comparison.equality == "equal_up_to":
            rules = ", ".join(note.rule for note in comparison.notes)
            result.excused.append(f"{file}: {site.describe(module)}: {rules}")
        else:
            result.wrong.append(story)
        return
    if site.kind.change == "neutral":
        return
    at_place = any(
        finding.reference.path in mutant.original_paths or finding.port.path in mutant.mutant_paths
        for finding in comparison.findings
    )
    result.placed += at_place
    if not at_place:
        paths = [f"{f.reference.path} | {f.port.path}" for f in comparison.findings[:2]]
        result.misplaced.append(f"{file}: {site.describe(module)}: {'; '.join(paths)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=22_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    kernels = list(corpus_kernels())
    result = survey(kernels, -(-arguments.count // len(kernels)), arguments.seed)
    print("| kind | change | where | mutants |\n|---|---|---|---|")
    for kind in mutation.kinds():
        print(f"| {kind.name} | {kind.change} | {kind.guard} | {result.made[kind.name]} |")
    judged = result.placed + len(result.misplaced)
    print(f"\n{result.total} mutants of {len(result.operators)} operators, {len(result.wrong)} judged wrong,")
    print(f"{len(result.excused)} excused, {result.placed} of {judged} placed at the change")
    for title, rows in (
        ("wrong", result.wrong),
        ("excused", result.excused),
        ("misplaced", result.misplaced),
    ):
        for row in rows:
            print(f"{title}: {row}")


if __name__ == "__main__":
    main()
