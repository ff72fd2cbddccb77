# SPDX-License-Identifier: Apache-2.0
"""Runs captured launches on the CPU, in place, so that host code reads what kernels computed.

Used only in a process that ``session.start`` turned into one; ``tileport.cpu.activate`` does both.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tileport import bytecode, cpu
from tileport.capture import index
from tileport.errors import InputError
from tileport.ir import Module

if TYPE_CHECKING:
    from tileport.capture.launches import Launch, Specialization


@dataclass
class Execution:
    """Called for each launch. ``module_of`` gives the Tile IR to run for a specialization."""

    module_of: Callable[[Specialization], Module]
    unchecked: bool = False
    unspecified: cpu.Unspecified = "zero"
    limits: cpu.Limits = field(default_factory=cpu.Limits)
    threads: int = 0
    launches: int = 0
    work: int = 0
    """Of all launches, as ``tileport.cpu.Limits.work`` counts it."""
    last: Launch | None = None
    printed: Callable[[str], None] = print
    bound: int = 0
    """Of ``work``; a launch that goes beyond it ends with TP-E0014, and ``exceeded`` says so. 0: none."""
    exceeded: bool = False
    _programs: dict[str, cpu.Program] = field(default_factory=dict)

    def __call__(self, launch: Launch) -> None:
        specialization = launch.specialization
        if specialization.bytecode is None:
            return  # refused by cuTile, which the launcher reports
        program = self._programs.get(specialization.key)
        if program is None:
            program = cpu.compile(
                self.module_of(specialization), unchecked=self.unchecked, unspecified=self.unspecified
            )
            self._programs[specialization.key] = program
        limits = self.limits
        if self.bound:
            limits = dataclasses.replace(limits, work=max(1, self.bound - self.work))
        with torch._C.DisableTorchFunction():
            arguments, more = flat_arguments(specialization.signature, launch.arguments)
            try:
                result = program.launch(
                    launch.grid, arguments, more=more, limits=limits, threads=self.threads
                )
            except cpu.ExecutionError as error:
                self.exceeded = self.exceeded or error.code == "TP-E0014"
                raise
        self.last = launch
        self.launches += 1
        self.work += result.work
        if result.printed:
            self.printed(result.printed)


def reference(specialization: Specialization) -> Module:
    """The Tile IR that cuTile Python compiles."""
    assert specialization.bytecode is not None
    return bytecode.read(specialization.bytecode, specialization.kernel)


def of_ports(folder: str | os.PathLike[str], target: str) -> Callable[[Specialization], Module]:
    """Gives the Tile IR of the port of a specialization, out of a folder of conversions."""

    def module_of(specialization: Specialization) -> Module:
        name = index.specialization_name(specialization.kernel, str(reference(specialization)))
        for path in sorted(Path(folder).glob(f"*/generated/{target}/{name}.tileirbc")):
            return bytecode.read_file(path)
        raise InputError(
            "port-missing",
            f"no port of this specialization of {specialization.kernel} for {target}",
            f"{folder}/OP/generated/{target}/{name}.tileirbc",
            "convert the operator, with what captures this launch: `tileport convert OP`",
        )

    return module_of


def flat_arguments(
    signature: tuple[dict[str, Any], ...], arguments: tuple[Any, ...]
) -> tuple[list[Any], list[Any]]:
    """What a kernel's entry gets for the arguments of its source, and the arrays that it reaches otherwise.

    An array becomes its address, extents and strides; a constant nothing; a list of arrays the address of a
    table, with a row of these words for each array, and its length.
    """
    flat: list[Any] = []
    more: list[Any] = []
    for parameter, value in zip(signature, arguments, strict=True):
        kind = parameter["kind"]
        if kind == "constant":
            continue
        if kind == "list":
            table = np.array([_words(array) for array in value], dtype=np.int64)
            more += [table, *value]
            flat += [int(table.ctypes.data), len(value)]
        elif isinstance(value, torch.Tensor):
            flat.append(_as_promised(value.detach(), parameter["shape_constant"]))
        else:
            flat.append(value)
    return flat, more


def _as_promised(array: torch.Tensor, constant_shape: Sequence[int | None]) -> torch.Tensor:
    """The same elements, with strides that keep what cuTile promises of them.

    Where it knows that an extent is 1, cuda-tile 1.7.0 promises that 16 bytes divide the stride, whatever
    it is: nothing is ever multiplied with it. Zero keeps every such promise.
    """
    if 1 not in constant_shape:
        return array
    strides = [
        0 if extent == 1 else stride for extent, stride in zip(constant_shape, array.stride(), strict=True)
    ]
    return array.as_strided(array.shape, strides)


def _words(array: torch.Tensor) -> list[int]:
    return [array.data_ptr(), *array.shape, *array.stride()]
