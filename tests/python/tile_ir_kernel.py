# SPDX-License-Identifier: Apache-2.0
"""Writes small Tile IR modules with cuTile Python's encoder.

``PROBES`` maps names to functions that return bytecode; tile_ir_probes.py and tile_ir_text_probes.py fill it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cuda.tile._bytecode import attribute, encodings
from cuda.tile._bytecode.debug_info import DebugAttrId
from cuda.tile._bytecode.type import SimpleType
from cuda.tile._bytecode.type_base import PtrAttr
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._bytecode.writer import write_bytecode

S = SimpleType
Rounding = encodings.RoundingMode
Overflow = encodings.IntegerOverflow
Signedness = encodings.Signedness
Predicate = encodings.ComparisonPredicate
Ordering = encodings.ComparisonOrdering
Memory = encodings.MemoryOrderingSemantics
Scope = encodings.MemoryScope
Atomic = encodings.AtomicRMWMode

DYNAMIC = -(2**63)
VERSIONS = {
    "13.1": BytecodeVersion.V_13_1,
    "13.2": BytecodeVersion.V_13_2,
    "13.3": BytecodeVersion.V_13_3,
    "13.4": BytecodeVersion.V_13_4,
    "13.5": BytecodeVersion.V_13_5,
}


class Kernel:
    """One entry that is being written. ``k.AddF(...)`` encodes an addf op, and so on for every op."""

    def __init__(self, writer: Any, builder: Any, parameters: Sequence[Any]) -> None:
        self.types = writer.type_table
        self.builder = builder
        self.parameters = parameters
        self.token = self.types.Token

    def __getattr__(self, op: str) -> Callable[..., Any]:
        encode = getattr(encodings, f"encode_{op}Op")
        return lambda *arguments: encode(self.builder, *arguments)

    def tile(self, element: Any, *shape: int) -> Any:
        return self.types.tile(self.types.simple(element) if isinstance(element, S) else element, shape)

    def pointer(self, element: S, address: PtrAttr = PtrAttr.Missing) -> Any:
        return self.types.pointer(self.types.simple(element), address)

    def constant(self, element: S, data: bytes, *shape: int) -> Any:
        return self.Constant(self.tile(element, *shape), data)

    def int32(self, value: int, *shape: int) -> Any:
        return self.constant(S.I32, struct.pack("<i", value), *shape)

    def zeros(self, element: S, *shape: int) -> Any:
        size = {"I1": 1, "TF32": 3, "I64": 8, "F64": 8, "I32": 4, "F32": 4, "I16": 2, "F16": 2, "BF16": 2}
        return self.constant(element, bytes(size.get(element.name, 1)), *shape)

    @contextmanager
    def body(self, nested: Any, *types: Any) -> Iterator[Any]:
        with nested.new_block(types) as arguments:
            yield arguments

    def bounded(self, value: Any, type: Any = None) -> Any:
        return self.Assume(type or self.tile(S.I32), value, attribute.Bounded(0, None))


PROBES: dict[str, Callable[[], bytes]] = {}


def probe(
    *arguments: Callable[[Kernel], Any],
    version: str = "13.5",
    hints: dict[str, Any] | None = None,
    entry: str | None = None,
    name: str | None = None,
    globals: Callable[[Kernel, Any], None] | None = None,
) -> Callable[[Callable[[Kernel], None]], Callable[[Kernel], None]]:
    """Registers a function that writes the body of a kernel with these argument types."""

    def register(write: Callable[[Kernel], None]) -> Callable[[Kernel], None]:
        called = name or write.__name__

        def build() -> bytes:
            data = bytearray()
            with write_bytecode(1, data, VERSIONS[version]) as writer:
                outside = Kernel(writer, None, ())
                if globals:
                    globals(outside, writer.global_section)
                types = [make(outside) for make in arguments]
                with writer.function(entry or called, types, [], True, hints or {}, DebugAttrId(0)) as (
                    builder,
                    values,
                ):
                    kernel = Kernel(writer, builder, values)
                    write(kernel)
                    kernel.Return(())
            return bytes(data)

        PROBES[called] = build
        return write

    return register


def of(element: S, *shape: int) -> Callable[[Kernel], Any]:
    return lambda k: k.tile(element, *shape)


def pointer_to(element: S, address: PtrAttr = PtrAttr.Missing) -> Callable[[Kernel], Any]:
    return lambda k: k.tile(k.pointer(element, address))
