# SPDX-License-Identifier: Apache-2.0
"""Finds the Rust entry of a launch by cuTile's specialization key, among those that were converted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tileport.errors import InputError
from tileport.wrappers.derivations import constants_in, evaluate
from tileport.wrappers.errors import MissingSpecializationError
from tileport.wrappers.facts import INT32_MAXIMUM, INT32_MINIMUM, parameter_key
from tileport.wrappers.ports import exported_symbols

#: cuTile's compiler hints with the values it uses when nothing is said.
DEFAULT_HINTS: dict[str, Any] = {
    "num_ctas": None,
    "occupancy": None,
    "opt_level": 3,
    "num_worker_warps": None,
}

Key = tuple[str, tuple[Any, ...], tuple[Any, ...]]


@dataclass(frozen=True)
class Entry:
    """One converted specialization: its NAME and the exported symbol that launches it."""

    name: str
    symbol: str
    kernel: str
    parameters: tuple[dict[str, Any], ...] = field(compare=False)
    hints: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Family:
    """How the generics of a specialization's entry follow from constants."""

    generics: tuple[tuple[str, Any, dict[str, Any] | None], ...]
    """Name, value for the specialization, and the derivation from constants."""
    followed: frozenset[str]
    """The constants in the derivations."""

    def differs_in_followed_constants(
        self, captured: tuple[dict[str, Any], ...], asked: tuple[dict[str, Any], ...]
    ) -> bool:
        """Whether two signatures are alike but for values of constants that are followed."""
        if len(captured) != len(asked):
            return False
        return all(
            parameter_key(have) == parameter_key(want)
            or (
                have["kind"] == want["kind"] == "constant"
                and have["type"] == want["type"]
                and have["name"] in self.followed
            )
            for have, want in zip(captured, asked, strict=True)
        )

    def instance(self, name: str, parameters: tuple[dict[str, Any], ...]) -> str | None:
        """How the kernel library calls the specialization ``name`` at other constants: ``NAME<64,f16>``.

        None if a derivation has no result for them, or none that a generic can be.
        """
        constants = [
            (parameter["name"], parameter["value"])
            for parameter in parameters
            if parameter["kind"] == "constant" and isinstance(parameter["value"], int | float)
        ]
        values = []
        for _, value, derivation in self.generics:
            new = value if derivation is None else evaluate(derivation, constants)
            if new is None or (isinstance(new, int) and not INT32_MINIMUM <= new <= INT32_MAXIMUM):
                return None
            values.append(str(new))
        return f"{name}<{','.join(values)}>"


def families_of(dispatch: dict[str, Any]) -> dict[str, Family]:
    """The families in a dispatch.json, of entries that were confirmed at constants not captured."""
    confirmed = {row["entry"] for row in dispatch["unseen"]}
    variants = {row["entry"]: row["generics"] for row in dispatch["variants"] if row["entry"] in confirmed}
    captured_only = {
        entry: {name for each in generics if each["refuted"] for name in constants_in(each["refuted"])}
        for entry, generics in variants.items()
    }
    families = {}
    for row in dispatch["instances"]:
        derivations = {each["name"]: each["derivation"] for each in variants.get(row["entry"], ())}
        followed = frozenset(
            name for derivation in derivations.values() if derivation for name in constants_in(derivation)
        ) - captured_only.get(row["entry"], set())
        if followed:
            generics = tuple((name, value, derivations[name]) for name, value in row["generics"].items())
            families[row["name"]] = Family(generics, followed)
    return families


@dataclass
class DispatchTable:
    """The entries of one op."""

    op: str
    entries: dict[Key, Entry]
    families: dict[str, Family] = field(default_factory=dict)
    """Of those specializations whose entry follows constants, by name."""

    @classmethod
    def from_index(
        cls,
        index: dict[str, Any],
        names: Iterable[str] | None = None,
        dispatch: dict[str, Any] | None = None,
    ) -> DispatchTable:
        """Reads an index (schema tileport/index/1); ``names`` limits it to those that have an entry.

        With ``dispatch`` (schema tileport/dispatch/1) entries also serve constants that were not captured, if
        they follow constants and that was confirmed.
        """
        op = index["op"]
        wanted = None if names is None else set(names)
        rows = [row for row in index["specializations"] if row["op"] == op]
        symbols = exported_symbols(op, sorted({row["kernel"] for row in rows}))
        table = cls(op, {}, families_of(dispatch) if dispatch is not None else {})
        for row in rows:
            if wanted is not None and row["name"] not in wanted:
                continue
            parameters = tuple(row["signature"])
            entry = Entry(
                row["name"], symbols[row["kernel"]], row["kernel"], parameters, hints_key(row["hints"])
            )
            key = specialization_key(row["kernel"], parameters, row["hints"])
            other = table.entries.setdefault(key, entry)
            if other.name != entry.name:
                raise InputError(
                    "ambiguous-specialization",
                    f"{other.name} and {entry.name} are launched with the same arguments and hints",
                    f"index of {op}",
                )
        return table

    def find(self, kernel: str, parameters: Iterable[dict[str, Any]], hints: dict[str, Any]) -> Entry:
        """The entry of a launch; MissingSpecializationError tells what was asked for and what is nearest."""
        described = tuple(parameters)
        entry = self.entries.get(specialization_key(kernel, described, hints))
        if entry is None:
            entry = self._at_other_constants(kernel, described, hints)
        if entry is not None:
            return entry
        lines = [f"  {describe_parameter(parameter)}" for parameter in described]
        lines.append(f"  hints: {describe_hints(hints)}")
        raise MissingSpecializationError(
            "no-specialization",
            f"the port of {self.op} has no entry of {kernel} for this launch:\n" + "\n".join(lines),
            self.op,
            f"{self._nearest(kernel, described, hints)}\n"
            f"Run `tileport convert {self.op} --tests DIR` with a test that makes this launch.",
        )

    def _at_other_constants(
        self, kernel: str, parameters: tuple[dict[str, Any], ...], hints: dict[str, Any]
    ) -> Entry | None:
        """The instance of an entry that differs from a captured one in constants that the entry follows."""
        asked = hints_key(hints)
        for entry in self.entries.values():
            family = self.families.get(entry.name)
            if family is None or entry.kernel != kernel or entry.hints != asked:
                continue
            if not family.differs_in_followed_constants(entry.parameters, parameters):
                continue
            name = family.instance(entry.name, parameters)
            if name is not None:
                return replace(entry, name=name, parameters=parameters)
        return None

    def _nearest(self, kernel: str, parameters: tuple[dict[str, Any], ...], hints: dict[str, Any]) -> str:
        best: list[str] | None = None
        for entry in self.entries.values():
            if entry.kernel != kernel or len(entry.parameters) != len(parameters):
                continue
            differing = [
                f"{describe_parameter(have)} (asked: {describe_parameter(asked)})"
                for have, asked in zip(entry.parameters, parameters, strict=True)
                if parameter_key(have) != parameter_key(asked)
            ]
            if entry.hints != hints_key(hints):
                differing.append(
                    f"hints {describe_hints(dict(entry.hints))} (asked: {describe_hints(hints)})"
                )
            if best is None or len(differing) < len(best):
                best = differing
        return (
            f"The nearest entry differs in: {'; '.join(best)}."
            if best
            else f"No entry of {kernel} was converted."
        )


def specialization_key(kernel: str, parameters: Iterable[dict[str, Any]], hints: dict[str, Any]) -> Key:
    """What the launcher and the compiler tell specializations of one op apart by."""
    return (
        kernel,
        tuple(parameter_key(parameter) for parameter in parameters),
        tuple(v for _, v in hints_key(hints)),
    )


def hints_key(hints: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """All hints in a fixed order; one that depends on the target is a tuple of (target, value)."""
    unknown = set(hints) - set(DEFAULT_HINTS)
    if unknown:
        raise InputError("unknown-hint", f"unknown compiler hints: {', '.join(sorted(unknown))}")
    values = {**DEFAULT_HINTS, **hints}
    return tuple(
        (name, tuple(sorted(value.items())) if isinstance(value, dict) else value)
        for name, value in values.items()
    )


def describe_parameter(parameter: dict[str, Any]) -> str:
    """One line about a parameter, as error messages show it."""
    name = parameter.get("name", "?")
    if parameter["kind"] == "constant":
        return f"{name} = {parameter['value']!r}"
    if parameter["kind"] == "scalar":
        return f"{name}: {parameter['dtype']}"
    if parameter["kind"] != "array":
        return f"{name}: {parameter['kind']}"

    def axes(kind: str) -> str:
        pairs = zip(parameter[f"{kind}_constant"], parameter[f"{kind}_divisible_by"], strict=True)
        return ", ".join(f"={known}" if known is not None else f"div {divisor}" for known, divisor in pairs)

    alias = ", may alias itself" if parameter["may_alias_internally"] else ""
    return (
        f"{name}: {parameter['dtype']}, extents ({axes('shape')}), strides ({axes('stride')}), "
        f"address div {parameter['base_address_divisible_by']}{alias}"
    )


def describe_hints(hints: dict[str, Any]) -> str:
    chosen = {name: value for name, value in hints.items() if value != DEFAULT_HINTS.get(name)}
    return ", ".join(f"{name}={value}" for name, value in chosen.items()) or "none"
