# SPDX-License-Identifier: Apache-2.0
from typing import Any, final

__all__ = ["Block", "Function", "Location", "Module", "Operation", "Value", "op_table"]

@final
class Location:
    """Where the front end found an op."""

    @property
    def file(self) -> str:
        """Name as recorded, with directory if there is one."""
    @property
    def function(self) -> str:
        """The innermost function; may be empty."""
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def inlined_at(self) -> Location | None:
        """The call that this place was inlined into."""

@final
class Value:
    """A result of an op, or an argument of a block."""

    @property
    def type(self) -> str:
        """As the text form writes it: "tile<16x8xf32>"."""
    @property
    def index(self) -> int:
        """Which result or argument it is."""
    @property
    def producer(self) -> Operation | None:
        """The op that defines it; None for arguments."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Block:
    """The body of a region."""

    @property
    def arguments(self) -> list[Value]: ...
    @property
    def ops(self) -> list[Operation]: ...
    def walk(self) -> list[Operation]:
        """All ops of the block and below, in program order, a region op before its body."""

@final
class Operation:
    @property
    def mnemonic(self) -> str: ...
    @property
    def family(self) -> str:
        """arith, math, convert, shape, memory, atomic, control, view or misc."""
    @property
    def operands(self) -> list[Value]: ...
    @property
    def operand_groups(self) -> dict[str, list[Value]]:
        """The operands by the groups of the op table; an optional one that is absent is empty."""
    @property
    def results(self) -> list[Value]: ...
    @property
    def attributes(self) -> dict[str, Any]:
        """By the names of the op table, absent ones with their defaults or left out.

        Enumerators and types are strings; constants are {"type", "data" (raw little-endian elements, one if
        all are equal)}; predicates are {"kind": "div_by" | "same_elements" | "bounded", ...}; typed numbers
        are {"type", "value"} or {"type", "bits", "text"} for floats; hints are nested dicts by target.
        """
    @property
    def flags(self) -> list[str]:
        """Unit attributes that are set, such as "flush_to_zero"."""
    @property
    def regions(self) -> list[Block | None]:
        """Bodies; None for an ``else`` that is not there."""
    @property
    def location(self) -> Location | None: ...
    @property
    def path(self) -> str:
        """ "@kernel/for#0/addf#3": the fourth addf in the first for of @kernel."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Function:
    """A kernel."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> list[Value]: ...
    @property
    def ops(self) -> list[Operation]: ...
    def walk(self) -> list[Operation]:
        """All ops of the function, in program order, a region op before its body."""
    @property
    def hints(self) -> dict[str, Any]:
        """By target ("default", "sm_90"), then by hint."""
    @property
    def location(self) -> Location | None: ...

@final
class Module:
    @property
    def version(self) -> tuple[int, int]:
        """The bytecode's version, (13, 3)."""
    @property
    def file(self) -> str:
        """Where it was read from; may be empty."""
    @property
    def producer(self) -> str | None: ...
    @property
    def functions(self) -> list[Function]: ...
    @property
    def globals(self) -> list[dict[str, Any]]: ...
    def walk(self) -> list[Operation]:
        """All ops of all functions."""

def op_table() -> list[dict[str, Any]]:
    """The op table by rows: mnemonic, opcode, family, since; names of operands, results and so on."""
