# SPDX-License-Identifier: Apache-2.0
"""Tile IR modules, as ``tileport.bytecode.read`` and ``tileport.text.parse`` give them, or built.

Handles (functions, operations, values, locations) keep their module alive. ``str(module)`` is its text.
"""

from __future__ import annotations

from typing import Any

from tileport._core import ir as _ir
from tileport.errors import Error, UsageError

Block = _ir.Block
Builder = _ir.Builder
Function = _ir.Function
Location = _ir.Location
Module = _ir.Module
Operation = _ir.Operation
Value = _ir.Value
constant_array = _ir.constant_array
first_difference = _ir.first_difference
op_table = _ir.op_table

__all__ = [
    "Block",
    "BuildError",
    "Builder",
    "Function",
    "Location",
    "Module",
    "Operation",
    "Value",
    "constant_array",
    "first_difference",
    "new_module",
    "op_table",
]


class BuildError(UsageError):
    """A builder was told to make what no module can hold. ``diagnostics`` are dicts with code and message."""

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        super().__init__(first["code"], first["message"], "", first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


def new_module(version: tuple[int, int] = (13, 3)) -> Module:
    """An empty module of a bytecode version."""
    return _ir.new_module(version)
