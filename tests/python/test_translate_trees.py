# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans that become trees: what the port computes, computed with NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import translate_forms_shape  # noqa: F401
from translate_forms import FORMS

from tileport import bytecode, translate
from tileport.toolchain import assemble
from tileport.toolchain.check import check_kernels

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "greater_than": np.greater,
    "equal": np.equal,
    "less_than": np.less,
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "muli": np.multiply,
    "remi": np.fmod,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
}


def shape(type: str) -> tuple[int, ...]:
    found = re.fullmatch(r"tile<((?:\d+x)*)\w+>", type)
    assert found, type
    return tuple(int(extent) for extent in found.group(1).split("x") if extent)


def printed_by(module: Any) -> list[Any]:
    """The arrays that a kernel without arguments and control flow prints."""
    values: dict[Any, Any] = {}
    printed = []
    (function,) = module.functions
    for op in function.ops:
        if op.mnemonic in ("return", "make_token"):
            continue
        operands = [values.get(value) for value in op.operands]
        if op.mnemonic == "print_tko":
            printed.append(operands[0])
        else:
            values[op.results[0]] = compute(op, operands)
    return printed


def compute(op: Any, operands: list[Any]) -> Any:
    result = shape(op.results[0].type)
    if op.mnemonic == "iota":
        return np.arange(result[0], dtype=np.int32)
    if op.mnemonic == "constant":
        return np.full(result, np.frombuffer(op.attributes["value"]["data"], np.int32)[0])
    if op.mnemonic == "reshape":
        return operands[0].reshape(result)
    if op.mnemonic == "broadcast":
        return np.broadcast_to(operands[0], result)
    if op.mnemonic == "bitcast":
        return operands[0]
    if op.mnemonic == "extract":
        source, *indices = operands
        starts = [int(index.item()) * extent for index, extent in zip(indices, result, strict=True)]
        window = tuple(slice(s, s + extent) for s, extent in zip(starts, result, strict=True))
        return source[window]
    if op.mnemonic == "cat":
        return np.concatenate(operands, axis=op.attributes["dim"])
    if op.mnemonic == "select":
        return np.where(*operands)
    if op.mnemonic == "cmpi":
        return _COMPARISONS[op.attributes["comparison_predicate"]](*operands)
    return _BINARY[op.mnemonic](*operands)


def expected() -> list[Any]:
    """What the kernel `trees` of translate_forms_shape.py says in Tile IR's reductions and scans."""
    numbers = np.fmod(np.arange(256) * 37, 101).astype(np.int32).reshape(64, 4)
    places = np.arange(256, dtype=np.int32).reshape(64, 4)
    arrays: list[Any] = []
    for axis in (0, 1):
        at = numbers.argmax(axis=axis, keepdims=True)
        arrays += [numbers.max(axis=axis), np.take_along_axis(places, at, axis).squeeze(axis)]
    arrays.append(np.bitwise_xor.reduce(numbers, axis=0))
    for axis, reverse in ((0, False), (0, True), (1, False), (1, True)):
        turned = np.flip(numbers, axis) if reverse else numbers
        product = np.multiply.accumulate(turned, axis=axis, dtype=np.int32)
        arrays.append(np.flip(product, axis) if reverse else product)
    highest = np.maximum.accumulate(numbers, axis=0)
    first = [[int(np.argmax(numbers[: row + 1, column])) for column in range(4)] for row in range(64)]
    return [*arrays, highest, np.take_along_axis(places, np.array(first), 0)]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    module = bytecode.read(FORMS["trees"]())
    translation = translate.translate([translate.Specialization("trees", "trees", module)], generic=False)
    (folder / "kernel.rs").write_text(translation.source)
    [result] = check_kernels(folder / "kernel.rs", folder, None, ["sm_90"], bytecode_version="13.5")
    assert result.file is not None, result.error
    return result.file


def test_the_trees_compute_what_the_reductions_and_scans_say(port: Path) -> None:
    module = bytecode.read_file(str(port))
    assert not {op.mnemonic for op in module.functions[0].ops} & {"reduce", "scan"}
    computed = printed_by(module)
    for made, wanted in zip(computed, expected(), strict=True):
        np.testing.assert_array_equal(made, wanted)


def test_tileiras_takes_the_trees(port: Path) -> None:
    assert assemble(port, "sm_90").cubin is not None
