# SPDX-License-Identifier: Apache-2.0
"""Reads cubins, the ELF files that tileiras writes, and compares their machine code.

All content counts: instructions, constant banks, shared memory, registers, launch attributes, relocations,
and the host code that prepares launches. Left out are the kernel's name, symbol indices, the layout of the
file, debug sections, the assembler's own note, and the source place in the text of an assertion.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tileport._core import cubin as _cubin
from tileport.errors import Error, InputError

__all__ = ["Comparison", "CubinError", "Difference", "KernelSummary", "compare", "summarize"]


class CubinError(InputError):
    """Bytes are no well-formed cubin, or not one of a single kernel. ``diagnostics`` as in BytecodeError."""

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        place = f"offset {first['offset']:#x}" if first["offset"] is not None else ""
        super().__init__(first["code"], first["message"], place, first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


@dataclass(frozen=True)
class KernelSummary:
    name: str
    instructions: int
    """Without the padding at the end of the code."""
    registers: int
    """Per thread."""
    shared_bytes: int
    """Static shared memory per block."""


@dataclass(frozen=True)
class Difference:
    what: str
    """A section (".text"), an attribute (".nv.info EXIT_INSTR_OFFSETS") or a number ("registers")."""
    reference: str
    port: str


@dataclass(frozen=True)
class Comparison:
    identical: bool
    reference: KernelSummary
    port: KernelSummary
    differences: tuple[Difference, ...]
    """The code first, then what a launch needs, then the rest; empty if identical."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarize(data: bytes) -> list[KernelSummary]:
    """The kernels of a cubin. Raises ``CubinError``."""
    kernels, diagnostics = _cubin.summarize(data)
    if kernels is None:
        raise CubinError(diagnostics)
    return [KernelSummary(**kernel) for kernel in kernels]


def compare(reference: bytes, port: bytes) -> Comparison:
    """Compares two cubins of one kernel each by content. Raises ``CubinError``."""
    result, diagnostics = _cubin.compare(reference, port)
    if result is None:
        raise CubinError(diagnostics)
    return Comparison(
        result["identical"],
        KernelSummary(**result["reference"]),
        KernelSummary(**result["port"]),
        tuple(Difference(**difference) for difference in result["differences"]),
    )
