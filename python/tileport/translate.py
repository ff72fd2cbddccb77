# SPDX-License-Identifier: Apache-2.0
"""Tile IR kernels as cuTile Rust source, one statement per op.

What cuTile Rust cannot express is refused with the op, its place and the reason; nothing is guessed.
``docs/limits.md`` lists what is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """Becomes the Rust function's name."""
    kernel: str
    """The Python function; entries of one kernel share a Rust module."""
    module: Any
    """A ``tileport.ir.Module`` with one kernel."""
    argument_names: Sequence[str] = ()
    """One for each of the entry's arguments, or none."""


@dataclass(frozen=True)
class Refusal:
    """A specialization that cannot be expressed, and all reasons."""

    name: str
    diagnostics: list[dict[str, Any]]


@dataclass(frozen=True)
class Translation:
    source: str
    """kernel.rs, with the entries that could be translated."""
    entries: list[str]
    """Their names, in order."""
    refusals: list[Refusal] = field(default_factory=list)


def translate(
    specializations: Sequence[Specialization], *, names: SourceNames | None = None, header: str = ""
) -> Translation:
    """Translates kernels to one Rust file. ``header`` becomes comment lines at its top.

    Raises TranslationError if a module has no kernel or several, two specializations share a name, or a
    name is no Rust identifier.
    """
    rows = [(each.name, each.kernel, each.module, list(each.argument_names)) for each in specializations]
    tables = {file: dict(positions) for file, positions in (names or {}).items()}
    result = _translate.translate(rows, tables, header)
    if "diagnostics" in result:
        raise TranslationError(result["diagnostics"])
    refusals = [Refusal(name, diagnostics) for name, diagnostics in result["refusals"]]
    return Translation(result["source"], result["entries"], refusals)


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


def kernel_name(module: Any) -> str:
    """The Python function that a module's only kernel was made from, as far as the module says."""
    name: str = _translate.kernel_name(module)
    return name


def untranslated_ops() -> list[str]:
    """Mnemonics of the ops that have no translation."""
    ops: list[str] = _translate.untranslated_ops()
    return ops
