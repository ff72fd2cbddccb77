# SPDX-License-Identifier: Apache-2.0
"""Files and folders with any number of entries: which entries belong together, and how each pair compares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileport import bytecode, text
from tileport._core import diff as _diff
from tileport.diff.comparison import Comparison, DiffError, Equality, Finding, Site, compare
from tileport.diff.pairs import Pair, refuse
from tileport.diff.script import EditScript, edit_script
from tileport.ir import Module

SUFFIXES = (".tileirbc", ".mlir", ".txt")
_WORSE: tuple[Equality, ...] = ("equal", "equal_up_to", "differs")


@dataclass(frozen=True)
class Entry:
    """A kernel of a module."""

    module: Module
    name: str
    file: str = ""
    """Within what was compared; empty for a module without a file."""

    @property
    def label(self) -> str:
        return f"{self.file}:{self.name}" if self.file else self.name


@dataclass(frozen=True)
class EntryDifference:
    """A pair of entries and how they compare."""

    reference: Entry
    port: Entry
    comparison: Comparison
    variant: str = ""

    def script(self) -> EditScript:
        return edit_script(
            self.reference.module,
            self.port.module,
            reference_entry=self.reference.name,
            port_entry=self.port.name,
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "reference": {"file": self.reference.file, "entry": self.reference.name},
            "port": {"file": self.port.file, "entry": self.port.name},
            "variant": self.variant,
            **self.comparison.to_dict(),
            "script": self.script().to_dict(),
        }


@dataclass(frozen=True)
class Difference:
    """All pairs, and the entries that have no counterpart."""

    entries: tuple[EntryDifference, ...]
    only_reference: tuple[Entry, ...]
    only_port: tuple[Entry, ...]
    proposed: bool
    """Whether the pairs are a proposal, by similarity, and not from a pairs file."""
    target: str

    @property
    def equality(self) -> Equality:
        if self.only_reference or self.only_port:
            return "differs"
        return max((entry.comparison.equality for entry in self.entries), key=_WORSE.index, default="differs")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all pairs, and one for each entry without a counterpart."""
        lost = [_lost(entry, "reference") for entry in self.only_reference]
        more = [_lost(entry, "port") for entry in self.only_port]
        return (*lost, *more, *(finding for entry in self.entries for finding in entry.comparison.findings))

    def pairs(self) -> list[Pair]:
        """The pairs as a pairs file has them."""
        return [
            Pair(each.reference.name, each.port.name, each.reference.file, each.port.file, each.variant)
            for each in self.entries
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON, schema tileport/diff/1."""

        def unpaired(entries: Iterable[Entry]) -> list[dict[str, str]]:
            return [{"file": entry.file, "entry": entry.name} for entry in entries]

        return {
            "schema": "tileport/diff/1",
            "target": self.target,
            "equality": self.equality,
            "pairs_proposed": self.proposed,
            "only_reference": unpaired(self.only_reference),
            "only_port": unpaired(self.only_port),
            "entries": [entry.to_dict() for entry in self.entries],
        }


def _lost(entry: Entry, side: str) -> Finding:
    here = Site(f"@{entry.name}", "", entry.file, 0, 0)
    nothing = Site("", "", "", 0, 0)
    of_reference = side == "reference"
    other = "port" if of_reference else "reference"
    return Finding(
        "mistranslation",
        "specialization",
        "reference" if of_reference else "port",
        "critical",
        "kernel",
        "value",
        f"entry '{entry.label}' of the {side} has no counterpart in the {other}",
        here if of_reference else nothing,
        nothing if of_reference else here,
        "",
    )


def entries_of(module: Module, file: str = "") -> list[Entry]:
    """The kernels of a module."""
    return [Entry(module, function.name, file) for function in module.functions]


def read_entries(path: str | Path) -> list[Entry]:
    """The kernels of a file, bytecode or text, or of all such files in a folder and below.

    Raises what reading them raises; ``DiffError`` TP-D0009 for a folder without any.
    """
    root = Path(path)
    if not root.is_dir():
        return _read_file(root, root.name)
    files = sorted(file for file in root.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    if not files:
        raise refuse(
            "TP-D0009",
            f"the folder holds no Tile IR ({', '.join(SUFFIXES)})",
            str(path),
            "Name a file, or a folder of such files",
        )
    return [entry for file in files for entry in _read_file(file, str(file.relative_to(root)))]


def _read_file(file: Path, name: str) -> list[Entry]:
    try:
        data = file.read_bytes()
    except OSError:
        bytecode.read_file(file)  # Says why, with the code that all commands have for it.
        raise
    if bytecode.is_bytecode(data):
        modules = [bytecode.read(data, str(file))]
    else:
        modules = text.parse_modules(data, str(file))
    entries = [entry for module in modules for entry in entries_of(module, name)]
    if not entries:
        raise refuse("TP-D0001", "the module has no kernel", str(file), "Compare files that have an entry")
    return entries


def compare_all(
    reference: Sequence[Entry] | Module,
    port: Sequence[Entry] | Module,
    pairs: Sequence[Pair] | None = None,
    target: str = "sm_90",
) -> Difference:
    """Compares entries pair by pair.

    Without ``pairs`` the most similar entries are paired; raises ``DiffError`` TP-D0005 if that is ambiguous,
    TP-D0007 if a pair names an entry that isn't there, or one twice.
    """
    left = entries_of(reference) if isinstance(reference, Module) else list(reference)
    right = entries_of(port) if isinstance(port, Module) else list(port)
    matched = _propose(left, right) if pairs is None else _named(left, right, pairs)
    compared = tuple(
        EntryDifference(
            a,
            b,
            compare(a.module, b.module, target, reference_entry=a.name, port_entry=b.name),
            variant,
        )
        for a, b, variant in matched
    )
    used = {id(entry) for each in compared for entry in (each.reference, each.port)}
    return Difference(
        compared,
        tuple(entry for entry in left if id(entry) not in used),
        tuple(entry for entry in right if id(entry) not in used),
        pairs is None,
        target,
    )


Matched = list[tuple[Entry, Entry, str]]


def _propose(left: list[Entry], right: list[Entry]) -> Matched:
    if len(left) == 1 and len(right) == 1:
        return [(left[0], right[0], "")]

    def rows(entries: list[Entry]) -> list[tuple[Module, str, str]]:
        return [(entry.module, entry.name, entry.label) for entry in entries]

    result = _diff.propose_pairs(rows(left), rows(right))
    if isinstance(result, list):
        raise DiffError(result)
    return [(left[a], right[b], "") for a, b, _ in result]


def _named(left: list[Entry], right: list[Entry], pairs: Sequence[Pair]) -> Matched:
    matched: Matched = []
    used: set[int] = set()
    for pair in pairs:
        a = _find(left, pair.ref_file, pair.ref_entry, "reference")
        b = _find(right, pair.gen_file, pair.gen_entry, "port")
        for entry in (a, b):
            if id(entry) in used:
                raise refuse(
                    "TP-D0007",
                    f"two pairs name the entry '{entry.label}'",
                    entry.file,
                    "Pair entries one to one",
                )
            used.add(id(entry))
        matched.append((a, b, pair.variant))
    return matched


def _find(entries: list[Entry], file: str, name: str, side: str) -> Entry:
    found = [entry for entry in entries if entry.name == name and file in ("", entry.file)]
    if len(found) == 1:
        return found[0]
    wanted = f"{file}:{name}" if file else name
    if found:
        labels = ", ".join(entry.label for entry in found)
        message = f"a pair's entry '{wanted}' of the {side} is ambiguous: {labels}"
        raise refuse("TP-D0007", message, file, "Name the file too")
    message = f"a pair names the entry '{wanted}' of the {side}, which is not there"
    labels = ", ".join(entry.label for entry in entries[:8])
    raise refuse("TP-D0007", message, file, f"There are: {labels}")
