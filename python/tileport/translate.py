# SPDX-License-Identifier: Apache-2.0
"""Tile IR kernels as cuTile Rust source, one statement per op.

What cuTile Rust cannot express is refused with the op, its place and the reason; nothing is guessed.
``docs/limits.md`` lists what is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tileport._core import translate as _translate
from tileport.errors import Error, InputError

SourceNames = Mapping[str, Mapping[tuple[int, int], str]]
"""Variables of Python sources: file -> (line from 1, column from 0) -> name. A file may be given by the tail
of the path that the module records ("tilegym/ops/cutile/softmax.py")."""


class TranslationError(InputError):
    """The input is no set of kernels. ``diagnostics`` are dicts with code, message, file, line, column, path
    and advice."""

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        super().__init__(first["code"], first["message"], first["file"], first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


@dataclass(frozen=True)
class Specialization:
    """One kernel to translate."""

    name: str
    """What instances and refusals are called by, and the entry if it has one of its own."""
    kernel: str
    """The Python function; entries of one kernel share a Rust module."""
    module: Any
    """A ``tileport.ir.Module`` with one kernel."""
    argument_names: Sequence[str] = ()
    """One for each of the entry's arguments, or none."""
    constants: Sequence[tuple[str, bool | int | float]] = ()
    """The constants of the Python kernel with their values; const generics follow them."""
    is_variation: bool = False
    """Made to learn how generics follow from constants; it needs no entry itself."""


@dataclass(frozen=True)
class Derivation:
    """How a number follows from the constants of a kernel."""

    document: Mapping[str, Any]
    """The expression as dispatch.json has it: operation, name, number, of."""
    text: str
    """As documentation shows it: "cdiv(N, BLOCK)"."""

    def evaluate(self, constants: Iterable[tuple[str, bool | int | float]]) -> int | None:
        """The number for these constants; None if one is missing or the operation has no result."""
        result: int | None = _translate.evaluate(self.document, list(constants))
        return result


@dataclass(frozen=True)
class Generic:
    """A generic of an entry: an i32, or an element type."""

    name: str
    is_type: bool
    derivation: Derivation | None
    """None: it follows from what is known of the arguments, as divisors and types do."""
    refuted: Mapping[str, Any] | None = None
    """What explains the captured specializations, but not a variation: at constants of this expression the
    entry is good for captured values only."""


@dataclass(frozen=True)
class Instance:
    """What makes a specialization of an entry."""

    generics: Mapping[str, int | str]
    """Values, in the order of the entry's generics."""
    hints: Mapping[str, int]
    """Compiler hints for every target, beside those that the entry states."""


@dataclass(frozen=True)
class Variant:
    """One entry of kernel.rs: specializations of one structure."""

    name: str
    kernel: str
    generics: Sequence[Generic]
    instances: Mapping[str, Instance]
    """By specialization."""
    variations: Mapping[str, Instance] = field(default_factory=dict)
    """The same for specializations that are variations."""


@dataclass(frozen=True)
class Refusal:
    """A specialization that cannot be expressed, and all reasons."""

    name: str
    diagnostics: list[dict[str, Any]]


@dataclass(frozen=True)
class Translation:
    source: str
    """kernel.rs, with the entries that could be translated."""
    variants: list[Variant]
    """These entries, in order."""
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def entries(self) -> list[str]:
        """Names of the entries, in order."""
        return [variant.name for variant in self.variants]


def translate(
    specializations: Sequence[Specialization],
    *,
    names: SourceNames | None = None,
    header: str = "",
    generic: bool = True,
) -> Translation:
    """Translates kernels to one Rust file. ``header`` becomes comment lines at its top.

    Specializations of a kernel that have one structure share an entry with const generics; with ``generic``
    off each has its own, by its name.

    Raises TranslationError if a module has no kernel or several, two specializations share a name, or a
    name is no Rust identifier.
    """
    rows = [
        (
            each.name,
            each.kernel,
            each.module,
            list(each.argument_names),
            list(each.constants),
            each.is_variation,
        )
        for each in specializations
    ]
    tables = {file: dict(positions) for file, positions in (names or {}).items()}
    result = _translate.translate(rows, tables, header, generic)
    if "diagnostics" in result:
        raise TranslationError(result["diagnostics"])
    refusals = [Refusal(name, diagnostics) for name, diagnostics in result["refusals"]]
    return Translation(result["source"], [_variant(row) for row in result["variants"]], refusals)


def _variant(row: Mapping[str, Any]) -> Variant:
    generics = [
        Generic(name, is_type, Derivation(document, text) if document else None, refuted)
        for name, is_type, document, text, refuted in row["generics"]
    ]
    names = [generic.name for generic in generics]
    instances, variations = (
        {name: Instance(dict(zip(names, values, strict=True)), hints) for name, values, hints in row[part]}
        for part in ("instances", "variations")
    )
    return Variant(row["name"], row["kernel"], generics, instances, variations)


def argument_names(signature: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names for a kernel's arguments from an index row's ``signature``.

    An array is a pointer, its extents and its strides; a scalar is itself; a constant is none. Empty if the
    signature has parameters whose arguments are laid out otherwise.
    """
    names: list[str] = []
    for parameter in signature:
        name, kind = parameter["name"], parameter["kind"]
        if kind == "array":
            axes = range(parameter["rank"])
            names += [
                name,
                *(f"{name}_size{axis}" for axis in axes),
                *(f"{name}_stride{axis}" for axis in axes),
            ]
        elif kind == "scalar":
            names.append(name)
        elif kind != "constant":
            return []
    return names


def constants(signature: Sequence[Mapping[str, Any]]) -> list[tuple[str, bool | int | float]]:
    """The constants of an index row's ``signature`` that are numbers, by name. A bool decides structure."""
    return [
        (parameter["name"], parameter["value"])
        for parameter in signature
        if parameter["kind"] == "constant"
        and isinstance(parameter["value"], int | float)
        and not isinstance(parameter["value"], bool)
    ]


def kernel_name(module: Any) -> str:
    """The Python function that a module's only kernel was made from, as far as the module says."""
    name: str = _translate.kernel_name(module)
    return name


def untranslated_ops() -> list[str]:
    """Mnemonics of the ops that have no translation."""
    ops: list[str] = _translate.untranslated_ops()
    return ops
