# SPDX-License-Identifier: Apache-2.0
"""Which ports of a folder can be served: a wrapper, an index, and a library that exports their kernels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tileport.errors import Error
from tileport.wrappers.build import is_current
from tileport.wrappers.ports import exported_symbols, library_path, ported_ops, read_index


@dataclass(frozen=True)
class OpStatus:
    """Whether the port of an op can be served; ``reason`` says why not and what to do."""

    op: str
    available: bool
    reason: str = ""


def op_statuses(folder: Path) -> dict[str, OpStatus]:
    """The state of every ported op in ``folder``. Loads the kernel library, so PyTorch is imported."""
    return {op: op_status(folder, op) for op in ported_ops(folder)}


def op_status(folder: Path, op: str) -> OpStatus:
    """The state of one op; never raises for what is wrong with the port."""
    convert = f"Run `tileport convert {op}`."
    if op not in ported_ops(folder):
        return OpStatus(op, False, f"no port of {op} in {folder}. {convert}")
    try:
        index = read_index(folder, op)
        kernels = sorted({row["kernel"] for row in index["specializations"] if row["op"] == op})
        library_path(folder)
        if not is_current(folder):
            return OpStatus(
                op, False, f"the kernel library in {folder} was built from other sources. {convert}"
            )
        # Imported late: the run-time module imports PyTorch.
        from tileport.wrappers.runtime import open_library

        library = open_library(folder)
        missing = [symbol for symbol in exported_symbols(op, kernels).values() if not library.has(symbol)]
    except Error as error:
        return OpStatus(op, False, str(error))
    if missing or not kernels:
        return OpStatus(
            op, False, f"{library.path} does not export {', '.join(missing) or 'any kernel'}. {convert}"
        )
    return OpStatus(op, True)
