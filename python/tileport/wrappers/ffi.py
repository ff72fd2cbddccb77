# SPDX-License-Identifier: Apache-2.0
"""Generates ffi.rs: the exported launchers of an op, with what each entry promises about its arguments.

The promises are the launcher facts that the specialization was captured with. tileport-rt checks them at
every launch, so that a host which calls the exported symbol itself cannot make a false one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tileport.errors import RefusedError
from tileport.toolchain.check import Instance
from tileport.wrappers.ports import exported_symbols, identifier

#: Element types as tileport-rt names them (module ``dtype``).
RUST_ELEMENTS = {
    "bool_": "BOOL",
    "bfloat16": "BF16",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "float8_e4m3fn": "F8E4M3FN",
    "float8_e5m2": "F8E5M2",
    "float8_e8m0fnu": "F8E8M0FNU",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
}
_SCALARS = {"int32": "Int32", "float32": "Float32"}


def launcher_source(op: str, rows: Sequence[dict[str, Any]], instances: Iterable[Instance]) -> str:
    """The text of ffi.rs for the specializations among the index rows of ``op`` that have an instance.

    One exported symbol a kernel of the index, so that symbols do not change with what could be translated; a
    kernel without any entry exports none. Raises RefusedError when there is no entry at all, and for
    parameters that cannot be passed.
    """
    wanted = {instance.name: instance for instance in instances}
    symbols = exported_symbols(op, sorted({row["kernel"] for row in rows}))
    blocks = []
    for kernel, symbol in symbols.items():
        served = [row for row in rows if row["kernel"] == kernel and row["name"] in wanted]
        if served:
            served.sort(key=lambda row: str(row["name"]))
            blocks.append(kernel_block(kernel, symbol, [(row, wanted[row["name"]]) for row in served]))
    if not blocks:
        raise RefusedError(
            "no-entries", f"no specialization of {op} has an entry, so there is nothing to launch", op
        )
    body = "\n".join(blocks)
    used = [name for name in ("any", "equal_to", "multiple_of") if f"{name}(" in body]
    facts = f"use tileport_rt::fact::{{{', '.join(used)}}};\n" if used else ""
    items = ", ".join(name for name in ("Array", "Entry", "Parameter", "dtype") if name in body)
    return (
        f"//! The exported launchers of {op}: one a kernel, with every entry and its promises.\n\n"
        f"use crate::kernel;\n{facts}use tileport_rt::{{{items}}};\n\n{body}"
    )


def kernel_block(kernel: str, symbol: str, served: Sequence[tuple[dict[str, Any], Instance]]) -> str:
    """The specializations of one kernel and the export of its launcher."""
    table = f"ENTRIES_{identifier(kernel).upper()}"
    lines = [f"static {table}: &[Entry] = &["]
    for row, instance in served:
        values = ", ".join(f'"{value}"' for value in instance.generics.values())
        hints = ", ".join(f'("{name}", {value})' for name, value in instance.hints.items())
        lines += [
            "    Entry {",
            f'        name: "{row["name"]}",',
            f'        function: "{instance.entry}",',
            f"        generics: &[{values}],",
            f"        hints: &[{hints}],",
            f'        module: "{kernel}",',
            f"        module_ast: kernel::{kernel}::__module_ast_self,",
            "        parameters: &[",
            *(f"            {text}," for text in map(parameter, row["signature"]) if text),
            "        ],",
            "    },",
        ]
    return "\n".join([*lines, "];", f"tileport_rt::export_kernel!({symbol}, {table});", ""])


def parameter(described: dict[str, Any]) -> str:
    """One parameter as a Rust expression; empty for constants, which are part of the entry."""
    kind, name = described["kind"], described["name"]
    if kind == "constant":
        return ""
    if kind == "scalar" and described["dtype"] in _SCALARS:
        return f'Parameter::{_SCALARS[described["dtype"]]}("{name}")'
    if kind == "array" and described["dtype"] in RUST_ELEMENTS and described["index_dtype"] == "int32":
        return array(described)
    what = f"{described['dtype']} {kind}" if "dtype" in described else kind
    raise RefusedError(
        "argument-kind",
        f"parameter {name}: a {what} cannot be passed to a ported kernel",
        name,
        "Only arrays, int32 and float32 scalars and constants can.",
    )


def array(described: dict[str, Any]) -> str:
    """An array parameter with its promises."""
    extents = axis_facts(described["shape_constant"], described["shape_divisible_by"])
    strides = axis_facts(described["stride_constant"], described["stride_divisible_by"])
    element = RUST_ELEMENTS[described["dtype"]]
    return (
        f'Parameter::Array(Array {{ name: "{described["name"]}", dtype: dtype::{element}, '
        f"address: {fact(None, described['base_address_divisible_by'])}, "
        f"extents: &[{extents}], strides: &[{strides}], "
        f"may_alias: {str(described['may_alias_internally']).lower()} }})"
    )


def axis_facts(constants: Sequence[int | None], divisors: Sequence[int]) -> str:
    return ", ".join(fact(known, divisor) for known, divisor in zip(constants, divisors, strict=True))


def fact(known: int | None, divisor: int) -> str:
    """What is promised about one number: its value, a divisor, or nothing."""
    if known is not None:
        return f"equal_to({known})"
    return "any()" if divisor == 1 else f"multiple_of({divisor})"
