# SPDX-License-Identifier: Apache-2.0
"""A module as JSON, for tools that don't read bytecode."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tileport.ir import Block, Function, Location, Module, Operation, Value


def module_json(module: Module) -> dict[str, Any]:
    """Globals and kernels; each kernel with its ops, their operands, attributes, bodies and places.

    Values are numbered within a kernel, in the order of their definitions; an op's operands are lists of
    those numbers by the groups of the op table. Bytes of constants are base64.
    """
    return {
        "version": f"{module.version[0]}.{module.version[1]}",
        "producer": module.producer,
        "globals": [_plain(row) for row in module.globals],
        "kernels": [_Kernel(function).as_dict() for function in module.functions],
    }


class _Kernel:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.numbers: dict[Value, int] = {}

    def as_dict(self) -> dict[str, Any]:
        function = self.function
        return {
            "name": function.name,
            "hints": _plain(function.hints),
            "location": _location(function.location),
            "arguments": self._define(function.arguments),
            "ops": [self._op(op) for op in function.ops],
        }

    def _define(self, values: Iterable[Value]) -> list[dict[str, Any]]:
        rows = []
        for value in values:
            self.numbers[value] = len(self.numbers)
            rows.append({"id": self.numbers[value], "type": value.type})
        return rows

    def _op(self, op: Operation) -> dict[str, Any]:
        operands = {
            group: [self.numbers[value] for value in values] for group, values in op.operand_groups.items()
        }
        regions = [self._block(block) if block else None for block in op.regions]
        return {
            "op": op.mnemonic,
            "path": op.path,
            "operands": operands,
            "attributes": _plain(op.attributes),
            "flags": op.flags,
            "regions": regions,
            "results": self._define(op.results),
            "location": _location(op.location),
        }

    def _block(self, block: Block) -> dict[str, Any]:
        return {"arguments": self._define(block.arguments), "ops": [self._op(op) for op in block.ops]}


def _location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "function": location.function,
        "inlined_at": _location(location.inlined_at),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
