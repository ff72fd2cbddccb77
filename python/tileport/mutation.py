# SPDX-License-Identifier: Apache-2.0
"""Plants one change in a kernel, of a kind from a table.

For asking of whatever judges kernels whether it sees what it should see, and stays silent where nothing
changed. ``kinds()`` is the table, ``sites(module)`` lists where each kind applies, ``mutate`` makes a mutant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from tileport._core import mutation as _mutation
from tileport.ir import Module

__all__ = ["Kind", "Mutant", "Site", "kinds", "mutate", "sites"]

Change = Literal["value", "stronger_facts", "weaker_facts", "neutral"]


@dataclass(frozen=True)
class Kind:
    """One way to change a kernel."""

    name: str
    change: Change
    """What the mutant has changed: a value, more or less of what is promised, or nothing."""
    guard: str
    """Which ops are eligible, in words."""


@dataclass(frozen=True)
class Site:
    """Where a kind can be applied in a module."""

    kind: Kind
    row: tuple[int, int, int]
    """Number of the kind, of the op in the module, and of the way to do it there."""

    def describe(self, module: Module) -> str:
        """ "mask of @k/load_ptr_tko#1, variant 0" """
        return _mutation.describe(module, self.row)


@dataclass(frozen=True)
class Mutant:
    """A changed module, and where the change is: the changed op and its direct users, by access path."""

    module: Module
    original_paths: frozenset[str]
    mutant_paths: frozenset[str]


@cache
def kinds() -> tuple[Kind, ...]:
    """The table."""
    return tuple(Kind(*row) for row in _mutation.kinds())


def sites(module: Module) -> list[Site]:
    """All places of all kinds, in program order."""
    return [Site(kinds()[row[0]], row) for row in _mutation.sites(module)]


def mutate(module: Module, site: Site) -> Mutant | None:
    """The mutant of one of the module's sites; None if it would not be valid."""
    made = _mutation.mutate(module, site.row)
    return None if made is None else Mutant(made[0], frozenset(made[1]), frozenset(made[2]))
