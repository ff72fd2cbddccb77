# SPDX-License-Identifier: Apache-2.0
"""Small documents of the contract for tests."""

from __future__ import annotations

from typing import Any

from tileport import contract

FINDING: dict[str, Any] = {
    "class": "mistranslation",
    "severity": "critical",
    "owner": "kernel",
    "effect": "value",
    "message": "the reduction is along another axis",
    "targets": ["sm_90"],
    "reference": {
        "path": "@a/for#0/reduce#0",
        "text": "reduce dim=1 <evil & co>",
        "file": "a.py",
        "line": 12,
    },
    "port": {"path": "@a/for#0/reduce#0", "text": "reduce dim=0", "file": "kernel.rs", "line": 40},
}


def code(code_class: str, port_assembles: bool = True) -> dict[str, Any]:
    port = 90 if port_assembles else None
    notes = [] if code_class == "identical" else [f"why it is {code_class}"]
    return {
        "class": code_class,
        "instructions": [90, port],
        "registers": [32, port and 32],
        "shared_bytes": [0, port and 0],
        "notes": notes,
    }


def specialization(
    name: str,
    ir: str = "equal_up_to",
    sm_90: str = "identical",
    sm_100: str = "identical",
    findings: list[dict[str, Any]] | None = None,
    port_assembles: bool = True,
) -> dict[str, Any]:
    note = {"rule": "dead-constant", "count": 2, "message": "a constant that nothing uses"}
    return {
        "name": name,
        "variant": name,
        "entry": name,
        "generics": {},
        "kernel_sha256": "0" * 64,
        "ir": {"class": ir, "notes": [note] if ir == "equal_up_to" else [], "findings": findings or []},
        "code": {"sm_90": code(sm_90, port_assembles), "sm_100": code(sm_100)},
        "unseen": None,
        "cpu": None,
        "tests": None,
        "timing": None,
    }


def proof(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A proof with the verdict that follows from its rows."""
    document: dict[str, Any] = {
        "schema": contract.PROOF,
        "op": "softmax",
        "toolchain": {
            "tileport": "0.1.0",
            "cutile": "0.5.0",
            "cuda_tile": "1.7.0",
            "tilegym": "1.5.1",
            "torch": None,
            "tileiras": "13.5.37",
            "bytecode": "13.3",
        },
        "targets": ["sm_90", "sm_100"],
        "requires": [],
        "check": {"class": "accepted", "diagnostics": []},
        "specializations": rows,
        "verdict": None,
        "gpu": "pending",
    }
    document["verdict"] = contract.judge(document)[0]
    return document


def row(name: str) -> dict[str, Any]:
    """A row of an index."""
    array = {
        "name": "x",
        "kind": "array",
        "dtype": "float32",
        "rank": 2,
        "index_dtype": "int32",
        "shape_constant": [None, 1],
        "shape_divisible_by": [16, 1],
        "stride_constant": [None, 1],
        "stride_divisible_by": [4, 1],
        "stride_lower_bound": [0, None],
        "base_address_divisible_by": 16,
        "may_alias_internally": False,
        "alias_groups": [],
    }
    return {
        "name": name,
        "op": "softmax",
        "kernel": name.rpartition("__")[0],
        "source": "tilegym/ops/cutile/softmax.py",
        "line": 30,
        "symbol": "a_Kt1",
        "calling_convention": "cutile_python_v1",
        "signature": [array, {"name": "n", "kind": "constant", "type": "int", "value": 3}],
        "constants": {"n": 3},
        "dtypes": {"x": "float32"},
        "arg_kinds": {"x": "array", "n": "constant"},
        "argument_facts": [{"x": {"shape": [16, 1], "strides": [1, 1], "storage": 0}, "n": 3}],
        "hints": {"occupancy": 2},
        "grid": [[16, 1, 1]],
        "device_model": ["b200", "h200"],
        "tests": ["driver/softmax::small"],
        "sha256": "0" * 64,
    }


def index(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": contract.INDEX,
        "op": "softmax",
        "toolchain": {
            "cuda_tile": "1.7.0",
            "tileiras": "13.5.37",
            "tilegym": "1.5.1",
            "torch": None,
            "bytecode": "13.3",
        },
        "requires": ["activation.gelu"],
        "specializations": rows,
        "rejected": [],
    }
