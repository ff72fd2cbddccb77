# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tileport.errors import UsageError

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
    """The op table by rows.

    A row has mnemonic, opcode, family, since (a version) and regions (their number); results and operands as
    {"name", "arity" ("one", "optional" or "variadic"), "since"}; attributes as {"name", "optional", "since",
    "enumerators" (by name, with the version that brought each)}; units, the names of unit attributes.
    """

class BuildError(UsageError):
    """A builder was told to make what no module can hold."""

    diagnostics: list[dict[str, Any]]
    """Dicts with code ("TP-I0003"), message and advice."""
    def __init__(self, diagnostics: list[dict[str, Any]]) -> None: ...

@final
class Builder:
    """Makes and changes a module.

    Types are texts ("tile<16x8xf32>"), attributes have the form that ``Operation.attributes`` gives them.
    Misuse raises ``BuildError``: unknown names, wrong numbers of operands or results, attributes that are
    missing or of another kind. Whether the program is valid is the verifier's business.
    """

    def __init__(self, module: Module) -> None: ...
    @property
    def module(self) -> Module: ...
    def kernel(self, name: str, parameters: Sequence[str]) -> Function:
        """Adds a kernel without ops. Ops go to its end from now on."""
    def add_global(
        self,
        name: str,
        type: str,
        data: bytes,
        alignment: int = 0,
        private: bool = False,
        constant: bool = False,
    ) -> None:
        """Adds a global. ``data`` is one element for all, or all elements, little-endian."""
    def op(
        self,
        mnemonic: str,
        operands: Mapping[str, Value | Sequence[Value]] = ...,
        results: Sequence[str] = ...,
        attributes: Mapping[str, Any] = ...,
    ) -> Operation:
        """Adds an op at the insertion point, which moves behind it.

        ``operands`` are by group, ``results`` are types, ``attributes`` by name: enumerators and strings as
        ``str``, unit attributes as ``True``, ``value`` of a constant as bytes, predicates as {"kind": ...}.
        Attributes that are left out have their defaults.
        """
    def body(self, op: Operation, region: int = 0, arguments: Sequence[str] = ...) -> Block:
        """Opens a region's block with arguments of these types. Ops go to its end from now on."""
    def to_end_of(self, place: Block | Function) -> None:
        """Ops go to the end of a block or function from now on."""
    def before(self, op: Operation) -> None: ...
    def after(self, op: Operation) -> None: ...
    def set_operands(self, op: Operation, group: str, values: Value | Sequence[Value]) -> None:
        """Replaces the operands of a group, which may change their number."""
    def set_attribute(self, op: Operation, name: str, content: Any) -> None: ...
    def set_hints(self, function: Function, hints: Mapping[str, Mapping[str, Any]]) -> None:
        """Optimization hints of a kernel, by target ("default", "sm_90"), then by hint."""
    def set_location(self, place: Function | Operation, file: str, line: int, column: int) -> None:
        """Where a kernel begins, or an op stands, in the source; line and column from 1. An op's place lies
        in its kernel's, which must be set before."""
    def remove_attribute(self, op: Operation, name: str) -> None:
        """Takes an optional attribute away, or gives one with a default its default."""
    def replace_all_uses(self, old: Value, new: Value) -> int:
        """Every operand that is ``old`` becomes ``new``. Says how many were."""
    def uses(self, value: Value) -> list[tuple[Operation, int]]:
        """The ops that use a value, and as which of their operands."""
    def erase(self, op: Operation) -> None:
        """Takes an op out, with everything in its regions. Refused while its results are used elsewhere."""

def constant_array(op: Operation) -> npt.NDArray[np.generic] | None:
    """The elements of a ``constant`` as a read-only array of the tile's shape; None for other ops.

    A view of the module's own bytes where NumPy has the element's type (i8 to i64, f16, f32, f64). bf16 is
    uint16 patterns, 8-bit and smaller floats are uint8 patterns, tf32 three bytes, i4 int8; i1 is unpacked.
    """

def first_difference(left: Module, right: Module) -> str | None:
    """Where two modules differ first; None if they are the same program, written alike.

    Neither the layout of the tables matters nor what the text leaves out: version, debug information, the
    order of keys, whether equal elements are stored once.
    """

def new_module(version: tuple[int, int] = (13, 3)) -> Module:
    """An empty module of a bytecode version."""
