# SPDX-License-Identifier: Apache-2.0
"""What the drivers capture of TileGym's operators, against bytecode that was captured independently.

One worker runs the drivers of 24 operators; the long tests run those of all others and TileGym's own tests.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tileport.capture import CaptureResult, capture, find_operator, source_names
from tileport.capture.drivers.unreached import UNREACHED
from tileport.capture.engine import Follower
from tileport.capture.index import build_rows, make_index
from tileport.capture.protocol import Request
from tileport.capture.registry import driver_modules, operators
from tileport.toolchain import find_toolchain

if importlib.util.find_spec("tilegym") is None or find_toolchain().tileirdisasm.path is None:
    pytest.skip("needs torch, tilegym and tileirdisasm", allow_module_level=True)

OPS = (
    "attention", "attention_sink", "attention_sink_decode", "bmm", "chunk_gated_delta_rule", "dropout",
    "flash_decode", "gemma_attention", "gemma_attention_decode", "group_gemm", "layer_norm_legacy", "matmul",
    "mla", "mla_decoding", "mla_decoding_split_kv", "moe", "moe_align_block", "recurrent_gated_delta_rule",
    "rms_norm", "rope", "silu_and_mul", "softmax", "splitk_reduce", "swiglu",
)  # fmt: skip
OTHERS = tuple(sorted(set(driver_modules()) - set(OPS)))

FIRST = {"softmax", "rms_norm", "silu_and_mul", "swiglu", "matmul"}  # whose tests are run one by one

# Operators whose host code launches kernels of others.
LAUNCHES_TOO = {
    "attention_sink_decode": {"splitk_reduce"},
    "flash_decode": {"splitk_reduce"},
    "gemma_attention_decode": {"splitk_reduce"},
    "linear_gluact_linear": {"matmul"},
    "mla_decoding_split_kv": {"splitk_reduce"},
    "moe": {"moe_align_block", "silu_and_mul"},
}

Rows = list[dict[str, Any]]


def disassemble(path: Path | str, *options: str) -> str:
    tool = find_toolchain().require("tileirdisasm")
    return subprocess.run([tool, *options, path], capture_output=True, check=True, text=True).stdout


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Follower:
    return run_drivers(OPS, tmp_path_factory.mktemp("capture"))


def run_drivers(ops: Sequence[str], folder: Path) -> Follower:
    request = Request(
        folder=str(folder),
        device_models=("b200", "h200"),
        autotune=False,
        backward=True,
        drivers=tuple(f"tileport.capture.drivers.{op}" for op in ops),
    )
    return Follower(request, lambda _: None).run()


@pytest.fixture(scope="module")
def rows(captured: Follower) -> Rows:
    return build_rows(captured.records.values(), find_operator("softmax"))


@pytest.fixture(scope="module")
def corpus(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    """Rows of the corpus with the text of each."""
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.is_file():
        pytest.skip("the corpus of reference bytecode is not here")
    folder = tmp_path_factory.mktemp("corpus")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    index = json.loads((folder / "corpus" / "index.json").read_text())
    found = [
        row for row in index if row["op"] in OPS and any(target.get("file") for target in row["ir"].values())
    ]  # cuTile refuses some
    for row in found:
        path = next(target["file"] for target in row["ir"].values() if target.get("file"))
        row["text"] = disassemble(folder / "corpus" / f"{path}.tileirbc")
    yield found


def identity(row: dict[str, Any]) -> str:
    return json.dumps([row["kernel"], row["symbol"], row["hints"]], sort_keys=True)


def test_every_case_of_every_driver_runs(captured: Follower) -> None:
    assert [outcome for outcome in captured.outcomes if outcome.outcome != "passed"] == []
    assert {outcome.test.split("::")[0] for outcome in captured.outcomes} == {f"driver/{op}" for op in OPS}
    assert all(outcome.launches >= 1 for outcome in captured.outcomes)


@pytest.mark.parametrize("op", OPS)
def test_a_driver_launches_every_kernel_of_its_operator(rows: Rows, op: str) -> None:
    own = [row for row in rows if row["op"] == op]
    check_kernels(own, op)
    # Enough to tell constants from sizes, and few enough to assemble all of them for every target.
    assert 5 <= len(own) <= 60
    dtypes = {dtype for row in own for dtype in row["dtypes"].values()}
    assert dtypes >= ({"int32", "int64"} if op == "moe_align_block" else {"float16", "bfloat16"})
    # Each operator has a launch with an extent of 1, and one with an extent that is no multiple of 16.
    arrays = [item for row in own for item in row["signature"] if item["kind"] in ("array", "list")]
    arrays = [item.get("element", item) for item in arrays]
    assert any(1 in item["shape_constant"] for item in arrays)
    assert any(
        divisor == 1 and constant is None
        for item in arrays
        for divisor, constant in zip(item["shape_divisible_by"], item["shape_constant"], strict=True)
    )


def check_kernels(rows: Rows, op: str) -> None:
    """Every kernel of the operator's file was launched, but those that are known to be out of reach."""
    unreached = {kernel for of, kernel in UNREACHED if of == op}
    assert {row["kernel"] for row in rows} == set(find_operator(op).kernels) - unreached


def test_drivers_launch_nothing_of_other_operators(rows: Rows) -> None:
    check_origins(rows)


def check_origins(rows: Rows) -> None:
    for row in rows:
        for test in row["tests"]:
            op = test.removeprefix("driver/").partition("::")[0]
            assert row["op"] == op or row["op"] in LAUNCHES_TOO.get(op, ()), test


def test_every_driver_has_its_operator_and_lists_nothing_twice() -> None:
    known = operators()
    for op, path in driver_modules().items():
        assert known[op].kernels, path
        cases = list(importlib.import_module(f"tileport.capture.drivers.{op}").cases())
        assert len({case.name for case in cases}) == len(cases) >= 3, op
        assert len({json.dumps(case.arguments) for case in cases}) == len(cases), op


@pytest.mark.full
def test_drivers_of_the_other_operators(tmp_path: Path) -> None:
    followed = run_drivers(OTHERS, tmp_path)
    failed = [outcome for outcome in followed.outcomes if outcome.outcome != "passed"]
    # 4-bit floats do not exist on sm_90.
    assert {(outcome.test.split("::")[0], outcome.device_model, outcome.refused) for outcome in failed} == {
        ("driver/experimental.nvfp4_quantize", "h200", True)
    }
    rows = build_rows(followed.records.values(), None)
    check_origins(rows)
    for op in OTHERS:
        check_kernels([row for row in rows if row["op"] == op], op)


def test_rows_fit_the_schema(rows: Rows, repository: Path) -> None:
    schema = json.loads((repository / "src" / "contract" / "schemas" / "index.1.json").read_text())
    for op in OPS:
        index = make_index(op, [row for row in rows if row["op"] == op], [], [])
        jsonschema.validate(json.loads(json.dumps(index)), schema)


def test_device_models_differ_where_host_code_asks(rows: Rows) -> None:
    """swiglu's backward pass divides 4096 columns by the multiprocessors per row, of 148 or 132."""
    split = {
        row["constants"]["TILE_SIZE"]: row["device_model"]
        for row in rows
        if row["kernel"] == "_swiglu_backward_kernel"
        and any(facts["dc"]["shape"] == [9, 4096] for facts in row["argument_facts"])
    }
    assert split == {256: ["b200"], 512: ["h200"]}


def test_texts_equal_those_of_the_corpus(rows: Rows, corpus: Rows) -> None:
    known = {identity(row): row for row in corpus}
    matched = [(row, known[identity(row)]) for row in rows if identity(row) in known]
    assert {row["op"] for row, _ in matched} >= FIRST
    for row, reference in matched:
        assert disassemble(row["_file"]) == reference["text"], row["name"]
        assert row["constants"] == reference["constants"]
        assert list(row["arg_kinds"].values()) == reference["arg_kinds"]


def test_variables_are_named_where_bytecode_says_they_are_computed(rows: Rows) -> None:
    """The debug locations of the bytecode meet the source's names."""
    row = next(row for row in rows if row["kernel"] == "_rms_norm_kernel_gather")
    text = disassemble(row["_file"], "-g")
    places = {
        key: (int(line), int(column))
        for key, line, column in re.findall(
            r'^#(loc\d*) = loc\(".*rms_norm\.py":(\d+):(\d+)\)$', text, re.MULTILINE
        )
    }
    aliases = dict(re.findall(r"^#(loc\d*) = #cuda_tile\.di_loc<#(loc\d*) in", text, re.MULTILINE))
    names = source_names(find_operator("rms_norm").source)
    found: dict[str, set[str | None]] = {}
    for operation, location in re.findall(
        r"^ *%\S+(?:, %\S+)* = (\w+) .*loc\(#(loc\d*)\)$", text, re.MULTILINE
    ):
        found.setdefault(operation, set()).add(names.get(places[aliases.get(location, location)]))
    assert found["load_ptr_tko"] == {"xj", "wj"}
    assert found["fma"] == {"_rms"}
    assert found["rsqrt"] == {"rms"}
    assert found["get_tile_block_id"] == {"row"}
    assert found["iota"] == {"offsets"}


def test_launches_can_be_executed_in_place() -> None:
    """What `on_launch` writes into the arguments is what the host code returns."""
    program = """
import torch
from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.session import start

launches = []

def execute(launch):
    launches.append(launch)
    output, given = launch.arguments[:2]
    output.copy_(torch.softmax(given, dim=1))

recorder = start(DEVICE_MODELS["h200"], execute)
recorder.test = "mine"
import tilegym

tilegym.set_backend("cutile")
x = torch.rand(64, 1000, device="cuda")
assert torch.equal(tilegym.ops.softmax(x), torch.softmax(x, dim=1))
[launch] = launches
assert launch.arguments[1].data_ptr() == x.data_ptr()
assert (launch.grid, launch.test, launch.tuning) == ((64, 1, 1), "mine", False)
assert launch.specialization.target == "sm_90" and launch.specialization.bytecode[:8] == b"\\x7fTileIR\\x00"
assert launch.facts["input"] == {"shape": [64, 1000], "strides": [1000, 1], "storage": 1}
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


@pytest.fixture(scope="module", params=sorted(FIRST))
def fully_captured(
    request: pytest.FixtureRequest, tilegym_tests: Path, tmp_path_factory: pytest.TempPathFactory
) -> CaptureResult:
    out = tmp_path_factory.mktemp("full") / request.param
    return capture(request.param, out, tests=tilegym_tests)


@pytest.mark.full
def test_everything_that_tilegyms_tests_launch_is_captured(
    fully_captured: CaptureResult, corpus: Rows
) -> None:
    """Every row of the corpus that came from TileGym's tests is found again, with the same text."""
    own = {identity(row): row for row in fully_captured.specializations}
    expected = [row for row in corpus if row["op"] == fully_captured.op and row["test"].startswith("tests/")]
    assert expected
    for reference in expected:
        row = own[identity(reference)]
        assert disassemble(fully_captured.folder / f"{row['name']}.tileirbc") == reference["text"]
        models = {"cc100": "b200", "cc90": "h200"}
        assert set(row["device_model"]) >= {models[name] for name in reference["config_for"]}
    tests = {test.partition("::")[0] for row in own.values() for test in row["tests"]}
    assert any(test.startswith("tests/ops/") for test in tests)
    assert fully_captured.failures == []
