# SPDX-License-Identifier: Apache-2.0
"""Building, editing and looking at modules from Python."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tileport import bytecode, ir, text, verify
from tileport.errors import UsageError

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"


def small() -> ir.Builder:
    """A loop over loads that stores a sum."""
    b = ir.Builder(ir.new_module())
    kernel = b.kernel("k", ["tile<ptr<f32>>", "tile<i32>"])
    pointer, count = kernel.arguments
    zero = b.op("constant", results=["tile<i32>"], attributes={"value": bytes(4)}).results[0]
    start = b.op("constant", results=["tile<f32>"], attributes={"value": struct.pack("<f", 0.5)}).results[0]
    loop = b.op(
        "for",
        {"lowerBound": zero, "upperBound": count, "step": count, "initValues": [start]},
        ["tile<f32>"],
        {"unsignedCmp": True},
    )
    index, total = b.body(loop, 0, ["tile<i32>", "tile<f32>"]).arguments
    address = b.op("offset", {"ptr": pointer, "offset": index}, ["tile<ptr<f32>>"]).results[0]
    loaded = b.op(
        "load_ptr_tko",
        {"source": address},
        ["tile<f32>", "token"],
        {"memory_ordering_semantics": "weak", "optimization_hints": {"sm_90": {"latency": 3}}},
    )
    sum = b.op(
        "addf",
        {"lhs": total, "rhs": loaded.results[0]},
        ["tile<f32>"],
        {"rounding_mode": "zero", "flush_to_zero": True},
    )
    b.op("continue", {"operands": sum.results})
    b.to_end_of(kernel)
    b.op(
        "store_ptr_tko",
        {"destination": pointer, "value": loop.results[0]},
        ["token"],
        {"memory_ordering_semantics": "weak"},
    )
    b.op("return")
    return b


TEXT = """\
entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
  %for = for unsigned %loopIdx in (%cst_0_i32 to %arg1, step %arg1) : tile<i32> \
iter_values(%iterArg0 = %cst_f32) -> (tile<f32>) {
    %1 = offset %arg0, %loopIdx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %result, %result_token = load_ptr_tko weak %1 optimization_hints = <sm_90 = {latency = 3}> : \
tile<ptr<f32>> -> tile<f32>, token
    %2 = addf %iterArg0, %result rounding<zero> flush_to_zero : tile<f32>
    continue %2 : tile<f32>
  }
  %0 = store_ptr_tko weak %arg0, %for : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""


def test_what_is_built_is_what_is_meant() -> None:
    module = small().module
    assert str(module) == TEXT
    assert ir.first_difference(module, text.parse(TEXT)) is None


def test_every_golden_can_be_built_from_what_is_seen_of_it() -> None:
    """Operation.attributes and Builder.op are inverse."""
    for file in sorted(GOLDEN.glob("probe_*.tileirbc")):
        module = bytecode.read_file(file)
        assert ir.first_difference(module, copied(module)) is None, file.name


def copied(module: ir.Module) -> ir.Module:
    b = ir.Builder(ir.new_module(module.version))
    for row in module.globals:
        b.add_global(row["name"], row["type"], row["data"], row["alignment"], row["private"], row["constant"])
    values: dict[ir.Value, ir.Value] = {}

    def copy_ops(ops: list[ir.Operation]) -> None:
        for op in ops:
            attributes: dict[str, Any] = dict(op.attributes) | dict.fromkeys(op.flags, True)
            groups = {name: [values[v] for v in group] for name, group in op.operand_groups.items()}
            made = b.op(op.mnemonic, groups, [v.type for v in op.results], attributes)
            values.update(zip(op.results, made.results, strict=True))
            for i, region in enumerate(op.regions):
                if region is not None:
                    block = b.body(made, i, [v.type for v in region.arguments])
                    values.update(zip(region.arguments, block.arguments, strict=True))
                    copy_ops(region.ops)
            b.after(made)

    for function in module.functions:
        kernel = b.kernel(function.name, [v.type for v in function.arguments])
        values.update(zip(function.arguments, kernel.arguments, strict=True))
        copy_ops(function.ops)
        # Hints of kernels are not built here.
    source = str(b.module)
    for function in module.functions:
        if function.hints:
            head = next(line for line in str(module).splitlines() if f"@{function.name}(" in line)
            plain = next(line for line in source.splitlines() if f"@{function.name}(" in line)
            source = source.replace(plain, head)
    return text.parse(source, version=module.version) if source != str(b.module) else b.module


@pytest.mark.parametrize(
    ("mnemonic", "operands", "results", "attributes", "code"),
    [
        ("addq", {}, [], {}, "TP-I0001"),
        ("entry", {}, [], {}, "TP-I0008"),
        ("addi", {"left": 0}, ["tile<i32>"], {}, "TP-I0002"),
        ("addi", {"lhs": 0}, ["tile<i32>"], {}, "TP-I0003"),
        ("addi", {"lhs": [0, 0], "rhs": 0}, ["tile<i32>"], {}, "TP-I0003"),
        ("addi", {"lhs": 0, "rhs": 0}, [], {}, "TP-I0004"),
        ("addi", {"lhs": 0, "rhs": 0}, ["tile<i32>", "token"], {}, "TP-I0004"),
        ("addi", {"lhs": 0, "rhs": 0}, ["tile<i33>"], {}, "TP-X0006"),
        ("addi", {"lhs": 0, "rhs": 0}, ["tile<3xi32>"], {}, "TP-X0026"),
        ("addi", {"lhs": 0, "rhs": 0}, ["tile<i32>"], {"overflow": "maybe"}, "TP-I0005"),
        ("addi", {"lhs": 0, "rhs": 0}, ["tile<i32>"], {"colour": True}, "TP-I0002"),
        ("maxi", {"lhs": 0, "rhs": 0}, ["tile<i32>"], {}, "TP-I0006"),
        ("constant", {}, ["tile<i32>"], {"value": b"\0"}, "TP-I0005"),
    ],
)
def test_misuse_is_refused(
    mnemonic: str, operands: dict[str, Any], results: list[str], attributes: dict[str, Any], code: str
) -> None:
    b = ir.Builder(ir.new_module())
    arguments = b.kernel("k", ["tile<i32>"]).arguments
    given = {
        group: [arguments[i] for i in ([which] if isinstance(which, int) else which)]
        for group, which in operands.items()
    }
    before = str(b.module)
    with pytest.raises(UsageError) as caught:
        b.op(mnemonic, given, results, attributes)
    assert isinstance(caught.value, ir.BuildError)
    assert caught.value.code == code
    assert caught.value.message
    assert str(b.module) == before


def test_misuse_of_places() -> None:
    b, other = small(), small()
    with pytest.raises(ir.BuildError, match="no place"):
        ir.Builder(ir.new_module()).op("return")
    with pytest.raises(ir.BuildError, match="another module"):
        b.before(other.module.functions[0].ops[0])
    with pytest.raises(ir.BuildError, match="has a body already"):
        b.body(b.module.functions[0].ops[2])
    constant = b.module.functions[0].ops[1]
    with pytest.raises(ir.BuildError, match="is used by @k/for#0") as caught:
        b.erase(constant)
    assert caught.value.code == "TP-I0007"


def test_edits() -> None:
    b = small()
    kernel = b.module.functions[0]
    _, start, loop, store, _ = kernel.ops
    b.before(loop)
    one = b.op("constant", results=["tile<f32>"], attributes={"value": struct.pack("<f", 1)}).results[0]
    assert [(op.mnemonic, i) for op, i in b.uses(start.results[0])] == [("for", 3)]
    assert b.replace_all_uses(start.results[0], one) == 1
    b.erase(start)
    b.set_attribute(store, "memory_ordering_semantics", "release")
    b.set_attribute(store, "memory_scope", "sys")
    b.before(store)
    b.set_operands(store, "token", b.op("make_token", results=["token"]).results)
    addf = next(op for op in b.module.walk() if op.mnemonic == "addf")
    b.remove_attribute(addf, "rounding_mode")
    b.remove_attribute(addf, "flush_to_zero")
    lines = str(b.module).splitlines()
    assert lines[1] == "  %cst_0_i32 = constant <i32: 0> : tile<i32>"
    assert lines[2] == "  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>"
    assert "iter_values(%iterArg0 = %cst_1_f32)" in lines[3]
    assert "store_ptr_tko release sys %arg0, %for token=" in str(b.module)
    assert "addf %iterArg0, %result  : tile<f32>" in str(b.module)
    b.set_operands(store, "token", [])
    b.remove_attribute(store, "memory_scope")
    b.erase(store)
    b.erase(loop)
    assert [op.mnemonic for op in kernel.ops] == ["constant", "constant", "make_token", "return"]
    with pytest.raises(ir.BuildError, match="erased"):
        b.before(store)
    assert ir.first_difference(b.module, text.parse(str(b.module))) is None


def test_constants_are_arrays() -> None:
    source = """entry @k() {
  %0 = constant <i32: [[1, -2], [3, 4], [5, 6], [7, 8]]> : tile<4x2xi32>
  %1 = constant <f32: 1.5> : tile<2x4xf32>
  %2 = constant <i1: [true, false, true, true]> : tile<4xi1>
  %3 = constant <i1: true> : tile<16xi1>
  %4 = constant <bf16: [1.0, 2.0]> : tile<2xbf16>
  %5 = constant <f8E4M3FN: 1.0> : tile<f8E4M3FN>
  %6 = constant <f64: [1.0, 2.0, 3.0, 4.0]> : tile<4xf64>
  %7 = constant <i4: [1, -1]> : tile<2xi4>
  return
}
"""
    module = text.parse(source)
    arrays = [ir.constant_array(op) for op in module.functions[0].ops]
    assert arrays.pop() is None
    integers, floats, bits, ones, brain, small_float, doubles, nibbles = arrays
    assert integers is not None and doubles is not None and bits is not None and ones is not None
    np.testing.assert_array_equal(integers, [[1, -2], [3, 4], [5, 6], [7, 8]])
    assert integers.dtype == np.int32
    np.testing.assert_array_equal(floats, np.full((2, 4), 1.5, np.float32))
    np.testing.assert_array_equal(bits, [True, False, True, True])
    assert ones.shape == (16,) and ones.all()
    np.testing.assert_array_equal(brain, np.array([0x3F80, 0x4000], np.uint16))
    assert small_float is not None and small_float.shape == () and small_float == 0x38
    np.testing.assert_array_equal(doubles, [1.0, 2.0, 3.0, 4.0])
    assert nibbles is not None and nibbles.shape == (2,)
    for array in arrays:
        assert array is not None and (not array.flags.writeable or array.dtype == bool)
    # The view holds the module, and constants that are added later don't move it.
    del module
    builder = ir.Builder(text.parse(source))
    view = ir.constant_array(builder.module.functions[0].ops[0])
    builder.to_end_of(builder.module.functions[0])
    for i in range(1000):
        builder.op("constant", results=["tile<i64>"], attributes={"value": struct.pack("<q", i)})
    np.testing.assert_array_equal(view, integers)


def test_hints_and_places() -> None:
    builder = small()
    kernel = builder.module.functions[0]
    loop = next(op for op in kernel.ops if op.mnemonic == "for")
    with pytest.raises(ir.BuildError, match="no place in a source"):
        builder.set_location(loop, "src/k.py", 7, 3)
    builder.set_location(kernel, "src/k.py", 5, 1)
    builder.set_location(loop, "src/k.py", 7, 3)
    builder.set_hints(kernel, {"sm_90": {"occupancy": 2}})
    read = bytecode.read(bytecode.write(builder.module))
    assert verify.verify(read) == []
    assert read.functions[0].hints == {"sm_90": {"occupancy": {"type": "i32", "value": 2}}}
    place = next(op for op in read.functions[0].ops if op.mnemonic == "for").location
    assert place is not None and (place.file, place.function, place.line, place.column) == (
        "src/k.py",
        "k",
        7,
        3,
    )
    assert 'loc("src/k.py":7:3)' in text.print(read, locations=True)
