# SPDX-License-Identifier: Apache-2.0
"""Generics that hold for constants which nobody captured.

How a generic follows from a kernel's constants is read off the captured specializations, and may be read
wrongly: two constants that were always equal, a product that was always the same. So each entry with such
generics is tried at other constants: cuTile compiles the kernel for them, and what it compiles to is
translated together with what was captured. Three things can come out. It has the entry's structure and the
predicted generics: the entry is confirmed at these constants. It has other generics: the translation, which
knows it now, derives them anew. It has another structure: these constants are not the entry's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tileport import bytecode, text
from tileport import translate as translator
from tileport.capture.compiling import Compiled, with_constants
from tileport.capture.index import specialization_name
from tileport.translate import Specialization, Translation, Variant
from tileport.wrappers.derivations import constants_in

WANTED = 3
"""So many other sets of constants confirm an entry."""

_MOST_ATTEMPTS = 16
_MOST_ROUNDS = 4

Compile = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Compiled]
Constants = dict[str, int | float]


@dataclass(frozen=True)
class Variation:
    """A specialization at constants that were not captured."""

    name: str
    of: str
    """The captured specialization that it differs from in constants only."""
    constants: Constants
    """Those that differ."""
    data: bytes
    """cuTile's bytecode."""
    module: Any
    predicted: tuple[str, ...]
    """How the entry's generics followed from constants when this was compiled, which was after they were
    read off."""


@dataclass
class Recovered:
    """A translation, and what confirms its generics."""

    translation: Translation
    variations: dict[str, Variation] = field(default_factory=dict)
    """Those that confirm an entry, by name; the translation's variants list them."""
    notes: list[str] = field(default_factory=list)


def recover(
    rows: Sequence[Mapping[str, Any]],
    specializations: Sequence[Specialization],
    translate: Callable[[Sequence[Specialization]], Translation],
    compile: Compile,
    advance: Callable[[int, int, str], None] = lambda *_: None,
) -> Recovered:
    """Translates, tries, and translates again until every entry's generics predict what cuTile makes.

    ``rows`` are the index's, in the order of ``specializations``.
    """
    by_name = {row["name"]: row for row in rows}
    tried = _Tried(by_name, compile)
    translation = translate(specializations)
    for _ in range(_MOST_ROUNDS):
        variants = [variant for variant in translation.variants if _follows_constants(variant)]
        before = len(tried.known)
        for number, variant in enumerate(variants):
            advance(number, len(variants), "trying other constants")
            tried.extend(variant)
        if len(tried.known) == before:
            break
        translation = translate([*specializations, *tried.specializations()])
    return _result(translation, tried)


class _Tried:
    """The variations that were compiled so far."""

    def __init__(self, rows: Mapping[str, Mapping[str, Any]], compile: Compile) -> None:
        self._rows = rows
        self._compile = compile
        self._asked: set[tuple[str, str]] = set()
        self.known: dict[str, Variation] = {}
        self.attempts: dict[str, int] = {}
        """By entry: sets of constants that were tried."""

    def specializations(self) -> Iterator[Specialization]:
        for variation in self.known.values():
            row = self._rows[variation.of]
            signature = with_constants(row["signature"], variation.constants)
            yield Specialization(
                variation.name,
                row["kernel"],
                variation.module,
                translator.argument_names(row["signature"]),
                translator.constants(signature),
                is_variation=True,
            )

    def extend(self, variant: Variant) -> None:
        """Compiles the variant's kernel at other constants until enough of them keep the structure."""
        confirming = len(tuple(self.confirming(variant)))
        name = next(iter(variant.instances))
        row = self._rows[name]
        relevant = _constants_of(variant)
        for constants in other_constants(row["signature"], relevant):
            attempts = self.attempts.get(variant.name, 0)
            if confirming >= WANTED or attempts >= _MOST_ATTEMPTS:
                return
            if (name, repr(constants)) in self._asked:
                continue
            self._asked.add((name, repr(constants)))
            self.attempts[variant.name] = attempts + 1
            compiled = self._compile(row, with_constants(row["signature"], constants))
            if compiled.bytecode is None:
                continue
            module = bytecode.read(compiled.bytecode, name)
            new = specialization_name(row["kernel"], text.print(module))
            if new in self._rows or new in self.known:
                continue
            predicted = _derivations(variant)
            self.known[new] = Variation(new, name, constants, compiled.bytecode, module, predicted)
            confirming += 1

    def confirming(self, variant: Variant) -> Iterator[Variation]:
        """The variations of which the variant's generics were known before they were compiled."""
        for name in variant.variations:
            variation = self.known[name]
            if variation.of in variant.instances and variation.predicted == _derivations(variant):
                yield variation


def _derivations(variant: Variant) -> tuple[str, ...]:
    return tuple(sorted(each.derivation.text for each in variant.generics if each.derivation is not None))


def _follows_constants(variant: Variant) -> bool:
    return any(generic.derivation is not None for generic in variant.generics)


def _constants_of(variant: Variant) -> set[str]:
    """The constants that the variant's generics follow."""
    derivations = (generic.derivation for generic in variant.generics)
    return {name for each in derivations if each is not None for name in constants_in(each.document)}


def other_constants(signature: Iterable[Mapping[str, Any]], names: Collection[str]) -> Iterator[Constants]:
    """Other values for the constants ``names`` of a signature: all doubled, halved, quadrupled; each alone
    doubled, or one more or less, which is the edge where tiles no longer divide extents, and so on."""
    values = {
        parameter["name"]: parameter["value"]
        for parameter in signature
        if parameter["kind"] == "constant" and parameter["name"] in names
    }

    def scaled(factor: float) -> Constants:
        changed: Constants = {}
        for name, value in values.items():
            new = value * factor
            if isinstance(value, int):
                new = int(new)
                if new < 1:
                    continue
            if new != value:
                changed[name] = new
        return changed

    candidates = [scaled(2), scaled(0.5), scaled(4)]
    for change in (lambda v: v * 2, lambda v: v + 1, lambda v: v - 1, lambda v: v * 3, lambda v: v + 16):
        candidates += [{name: change(value)} for name, value in values.items() if change(value) >= 1]
    seen: list[Constants] = []
    for candidate in candidates:
        if candidate and candidate not in seen and candidate != values:
            seen.append(candidate)
            yield candidate


def _result(translation: Translation, tried: _Tried) -> Recovered:
    recovered = Recovered(translation)
    for variant in translation.variants:
        if not _follows_constants(variant):
            continue
        confirming = {each.name: each for each in tried.confirming(variant)}
        recovered.variations |= confirming
        if len(confirming) < WANTED:
            recovered.notes.append(
                f"{variant.name} is confirmed at {len(confirming)} sets of other constants of "
                f"{tried.attempts.get(variant.name, 0)} that were tried: cuTile refuses the "
                "others, or they lead to another structure"
            )
    return recovered
