# SPDX-License-Identifier: Apache-2.0
"""Edit scripts: what makes the port's kernel of the reference's, as data that can be applied."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from tileport._core import diff as _diff
from tileport.diff.comparison import DiffError, Site
from tileport.ir import Module

Layer = Literal["value", "facts", "form"]


@dataclass(frozen=True)
class Edit:
    """One op that is put in, left out, changed or moved."""

    kind: Literal["insert", "remove", "change", "move"]
    layer: Layer
    """What it matters for: what is computed, promises and hints only, or nothing."""
    reference: Site
    """Empty for an insertion."""
    port: Site
    """Empty for a removal."""


class EditScript:
    """Removals in the reference's order, then the others in the port's. It holds all it needs of the port."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def reference_entry(self) -> str:
        return self._core.reference_entry

    @property
    def port_entry(self) -> str:
        return self._core.port_entry

    @property
    def entry_changed(self) -> bool:
        """Whether the entries differ in name, parameters or hints."""
        return self._core.entry_changed

    @property
    def file_changed(self) -> bool:
        """Whether the files differ in version, producer or globals."""
        return self._core.file_changed

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(
            Edit(row["kind"], row["layer"], Site(**row["reference"]), Site(**row["port"]))
            for row in self._core.edits()
        )

    def count(self, layer: Layer) -> int:
        return sum(edit.layer == layer for edit in self.edits)

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.edits) or self.entry_changed or self.file_changed

    def apply(self, reference: Module) -> Module:
        """The reference with the port's kernel in the place of its own, op for op.

        Places in the source of inserted ops are left out. Raises ``DiffError`` TP-D0008 for another module
        than the script was made of.
        """
        result = _diff.apply(self._core, reference)
        if isinstance(result, list):
            raise DiffError(result)
        return result

    def to_dict(self) -> dict[str, Any]:
        """As JSON: the entries, whether they or the files differ, and "edits"."""
        return {
            "reference_entry": self.reference_entry,
            "port_entry": self.port_entry,
            "entry_changed": self.entry_changed,
            "file_changed": self.file_changed,
            "edits": [asdict(edit) for edit in self.edits],
        }


def edit_script(
    reference: Module, port: Module, *, reference_entry: str = "", port_entry: str = ""
) -> EditScript:
    """The script from one kernel to the other: of the entries that are named, or the only ones."""
    result = _diff.edit_script(reference, port, reference_entry, port_entry)
    if isinstance(result, list):
        raise DiffError(result)
    return EditScript(result)
