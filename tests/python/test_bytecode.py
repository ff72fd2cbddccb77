# SPDX-License-Identifier: Apache-2.0
"""tileport.bytecode, tileport.ir and tileport.text from Python, and the command ``dis``."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from tileport import bytecode, ir, text
from tileport.cli import run
from tileport.errors import InputError

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"


def golden(name: str) -> ir.Module:
    return bytecode.read_file(GOLDEN / f"{name}.tileirbc")


def test_an_error_says_what_and_where() -> None:
    with pytest.raises(InputError) as caught:
        bytecode.read(b"\x7fTileIR\0\x0d", "cut.tileirbc")
    error = caught.value
    assert isinstance(error, bytecode.BytecodeError)
    assert error.code == "TP-B0005"
    assert error.where == "cut.tileirbc:0x9"
    assert error.exit_status == 2
    (diagnostic,) = error.diagnostics
    assert diagnostic["offset"] == 9
    assert diagnostic["text"] == "cut.tileirbc:0x9: error: 1 more byte expected, 0 left [TP-B0005]"
    assert pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(bytecode.BytecodeError) as caught:
        bytecode.read_file(tmp_path / "missing")
    assert caught.value.code == "TP-B0001"
    assert str(tmp_path / "missing") in str(caught.value)


def test_bytes_only() -> None:
    with pytest.raises(TypeError):
        bytecode.read("text")  # type: ignore[arg-type]


def test_a_module_in_parts() -> None:
    module = golden("probe_control_flow")
    assert module.version == (13, 5)
    assert module.producer is None
    assert module.file.endswith("probe_control_flow.tileirbc")
    (kernel,) = module.functions
    assert kernel.name == "control_flow"
    assert [value.type for value in kernel.arguments] == ["tile<i32>", "tile<i1>"]
    assert len(kernel.walk()) == len(module.walk())
    loops = [op for op in kernel.ops if op.mnemonic == "for"]
    assert [op.flags for op in loops] == [[], ["unsignedCmp"], []]
    last = loops[2]
    assert last.path == "@control_flow/for#2"
    assert [value.type for value in last.operand_groups["initValues"]] == ["tile<i32>", "tile<i32>", "token"]
    assert last.operand_groups["upperBound"][0] == kernel.arguments[0]
    (body,) = last.regions
    assert body is not None
    assert [op.mnemonic for op in body.ops] == ["addi", "continue"]
    assert body.ops[0].operands[0] == body.arguments[0]
    assert body.ops[0].operands[0].producer is None
    assert body.ops[1].operands[0].producer == body.ops[0]
    assert body.ops[0].path == "@control_flow/for#2/addi#0"
    assert body.ops[0].attributes == {"overflow": "none"}
    assert body.ops[0].family == "arith"


def test_branches_without_operands() -> None:
    branch = next(op for op in golden("probe_control_flow").walk() if op.mnemonic == "if")
    then, other = branch.regions
    assert then is not None and other is not None
    assert other.ops[0].path.endswith("/if#0/else/yield#0")


def test_attributes() -> None:
    ops = golden("probe_views").walk()
    load = [op for op in ops if op.mnemonic == "load_view_tko"][1]
    assert load.attributes["memory_ordering_semantics"] == "acquire"
    assert load.attributes["memory_scope"] == "device"
    assert load.attributes["inbounds"] == [True, False]
    assert load.attributes["optimization_hints"] == {
        "sm_90": {"allow_tma": False, "latency": {"type": "i32", "value": 3}},
        "default": {"latency": {"type": "i32", "value": 2}},
    }
    assert "memory_scope" not in next(op for op in ops if op.mnemonic == "load_view_tko").attributes
    predicates = [
        op.attributes["predicate"] for op in golden("probe_assumed_names").walk() if op.mnemonic == "assume"
    ]
    assert {"kind": "bounded", "lower": 0, "upper": None} in predicates
    assert {"kind": "bounded", "lower": None, "upper": 5} in predicates
    assert {"kind": "div_by", "divisor": 4, "every": 4, "along": 0} in predicates
    reduce = next(op for op in golden("probe_reductions").walk() if op.mnemonic == "reduce")
    assert reduce.attributes["identities"] == [
        {"type": "f32", "bits": 0xFF800000, "text": "0xFF800000"},
        {"type": "i32", "value": -1},
    ]
    constant = next(op for op in golden("probe_reductions").walk() if op.mnemonic == "constant")
    assert constant.attributes["value"] == {"type": "tile<8x16xf32>", "data": bytes(4)}


def test_older_versions_have_the_defaults() -> None:
    ops = {op.mnemonic: op for op in golden("probe_version_13_1").walk()}
    assert ops["exp"].attributes["rounding_mode"] == "full"
    assert ops["negi"].attributes["overflow"] == "none"
    # 13.1 writes no token for a print, but there is one.
    assert [value.type for value in ops["print_tko"].results] == ["token"]


def test_globals_and_hints() -> None:
    first, second, *_ = golden("probe_globals_").globals
    assert first["name"] == "first"
    assert first["alignment"] == 16
    assert second["private"] and second["constant"]
    assert second["data"] == bytes(range(8))
    (kernel,) = golden("probe_entry_hints").functions
    assert kernel.hints["sm_90"]["occupancy"] == {"type": "i32", "value": 4}


def test_source_locations() -> None:
    file = next(GOLDEN.glob("_softmax_kernel__*.tileirbc"))
    (kernel,) = bytecode.read_file(file).functions
    assert kernel.location is not None
    assert kernel.location.function == "_softmax_kernel"
    places = [op.location for op in kernel.walk() if op.location is not None]
    assert all(place.file.endswith("/softmax.py") for place in places)
    assert {place.line for place in places} > {kernel.location.line + 1}
    assert len(places) > 20


def test_inlined_locations() -> None:
    chains = []
    for file in GOLDEN.glob("_*.tileirbc"):
        for op in bytecode.read_file(file).walk():
            if op.location is not None and op.location.inlined_at is not None:
                chains.append((op.location.function, op.location.inlined_at.function))
    assert chains
    assert all(inner and outer for inner, outer in chains)


def test_handles_keep_their_module_alive() -> None:
    ops = golden("probe_constants").walk()
    assert ops[0].results[0].type == "tile<i1>"
    assert len({op.results[0] for op in ops if op.results}) == len(ops) - 1


def test_op_table() -> None:
    table = {row["mnemonic"]: row for row in ir.op_table()}
    assert len(table) == 109
    addf, load = table["addf"], table["load_view_tko"]
    assert [group["name"] for group in addf["operands"]] == ["lhs", "rhs"]
    assert addf["units"] == ["flush_to_zero"]
    assert addf["attributes"][0]["enumerators"]["nearest_away"] == (13, 4)
    assert load["operands"][1] == {"name": "index", "arity": "variadic", "since": (13, 1)}
    assert load["attributes"][1]["optional"] and load["attributes"][3]["since"] == (13, 4)
    assert table["atan2"]["since"] == (13, 2)


def test_print_float() -> None:
    assert text.print_float("f32", 0x40490FDB) == "3.14159274"
    with pytest.raises(ValueError, match="i32"):
        text.print_float("i32", 0)


def test_dis_prints_the_golden_text(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["dis", str(GOLDEN / "probe_pointers.tileirbc")]) == 0
    assert capfdbinary.readouterr().out == (GOLDEN / "probe_pointers.txt").read_bytes()


def test_dis_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["dis", str(GOLDEN / "probe_entry_hints.tileirbc"), "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["version"] == "13.5"
    assert document["kernels"][0]["name"] == "entry_hints"
    assert document["text"] == (GOLDEN / "probe_entry_hints.txt").read_text()


def test_every_op_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["dis", str(GOLDEN / "probe_control_flow.tileirbc"), "--json"]) == 0
    (kernel,) = json.loads(capfd.readouterr().out)["kernels"]
    assert kernel["arguments"] == [{"id": 0, "type": "tile<i32>"}, {"id": 1, "type": "tile<i1>"}]
    constant, token, loop = kernel["ops"][:3]
    assert constant["op"] == "constant" and constant["results"] == [{"id": 2, "type": "tile<i32>"}]
    assert constant["attributes"]["value"] == {"type": "tile<i32>", "data": "AAAAAA=="}
    assert token["location"] is None
    assert loop["path"] == "@control_flow/for#0"
    assert loop["operands"] == {"lowerBound": [2], "upperBound": [0], "step": [0], "initValues": []}
    (body,) = loop["regions"]
    assert body["arguments"] == [{"id": 4, "type": "tile<i32>"}]
    assert [op["op"] for op in body["ops"]] == ["addi", "continue"]
    assert body["ops"][0]["operands"] == {"lhs": [4], "rhs": [4]}
    branch = next(op for op in kernel["ops"] if op["op"] == "if")
    assert [region and len(region["ops"]) for region in branch["regions"]] == [2, 1]


def test_dis_refuses_with_the_place(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.tileirbc"
    cut.write_bytes((GOLDEN / "probe_pointers.tileirbc").read_bytes()[:40])
    assert run(["dis", str(cut)]) == 2
    output = capfd.readouterr()
    assert output.out == ""
    assert f"{cut}:0x" in output.err and "[TP-B0005]" in output.err
    assert run(["dis", str(cut), "--json"]) == 2
    assert json.loads(capfd.readouterr().out)["error"]["code"] == "TP-B0005"
    assert run(["dis", str(tmp_path / "missing")]) == 2
    assert "[TP-B0001]" in capfd.readouterr().err
