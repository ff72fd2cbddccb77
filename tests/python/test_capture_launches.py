# SPDX-License-Identifier: Apache-2.0
"""What capture records of a program of one's own, against the launcher's documented rules.

One capture of tests/data/capture/odd_arguments.py under both device models serves all tests here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tileport.capture import CaptureResult, Progress, capture
from tileport.toolchain import find_toolchain

if importlib.util.find_spec("torch") is None or find_toolchain().tileirdisasm.path is None:
    pytest.skip("needs torch and tileirdisasm", allow_module_level=True)

CONTIGUOUS, ODD_COLUMNS, ODD_ROWS, ONE_ROW, EXPANDED, MISALIGNED, TRANSPOSED, HALF, HALF_ODD, EMPTY = range(
    10
)


@pytest.fixture(scope="module")
def progress() -> list[Progress]:
    return []


@pytest.fixture(scope="module")
def result(data: Path, tmp_path_factory: pytest.TempPathFactory, progress: list[Progress]) -> CaptureResult:
    out = tmp_path_factory.mktemp("capture")
    return capture(str(data / "capture" / "odd_arguments.py"), out, progress=progress.append)


def rows(result: CaptureResult, kernel: str) -> list[dict[str, Any]]:
    return [row for row in result.specializations if row["kernel"] == kernel]


def row(result: CaptureResult, kernel: str, **constants: Any) -> dict[str, Any]:
    found = [row for row in rows(result, kernel) if row["constants"] == constants]
    assert len(found) == 1
    return found[0]


def array(result: CaptureResult, case: int) -> dict[str, Any]:
    return row(result, "matrix", CASE=case)["signature"][0]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # float32: 16 bytes are 4 elements; extents count 16 elements.
        (CONTIGUOUS, {}),
        (ODD_COLUMNS, {"shape_divisible_by": [16, 1]}),
        (ODD_ROWS, {"shape_divisible_by": [1, 1], "stride_divisible_by": [1, 1]}),
        (ONE_ROW, {"shape_constant": [1, None], "shape_divisible_by": [1, 16]}),
        (EXPANDED, {"may_alias_internally": True}),
        (MISALIGNED, {"base_address_divisible_by": 1}),
        (
            TRANSPOSED,
            {"stride_constant": [1, None], "stride_divisible_by": [1, 4], "stride_lower_bound": [None, 0]},
        ),
        # float16: 16 bytes are 8 elements.
        (HALF, {"dtype": "float16", "shape_divisible_by": [16, 1], "stride_divisible_by": [8, 1]}),
        (HALF_ODD, {"dtype": "float16", "shape_divisible_by": [16, 1], "stride_divisible_by": [1, 1]}),
        # An extent of 0 is divisible by everything.
        (EMPTY, {}),
    ],
)
def test_facts_about_arrays(result: CaptureResult, case: int, expected: dict[str, Any]) -> None:
    ordinary = {
        "name": "a",
        "kind": "array",
        "dtype": "float32",
        "rank": 2,
        "index_dtype": "int32",
        "shape_constant": [None, None],
        "stride_constant": [None, 1],
        "stride_lower_bound": [0, None],
        "shape_divisible_by": [16, 16],
        "stride_divisible_by": [4, 1],
        "base_address_divisible_by": 16,
        "may_alias_internally": False,
        "alias_groups": [],
    }
    assert array(result, case) == {**ordinary, **expected}


def test_an_extent_of_one_changes_the_calling_convention(result: CaptureResult) -> None:
    conventions = {r["constants"]["CASE"]: r["calling_convention"] for r in rows(result, "matrix")}
    assert conventions.pop(ONE_ROW) == "cutile_python_v2"
    assert set(conventions.values()) == {"cutile_python_v1"}


def test_more_than_five_dimensions_promise_nothing(result: CaptureResult) -> None:
    found = row(result, "six_dimensions")["signature"][0]
    assert found["rank"] == 6
    assert found["shape_divisible_by"] == found["stride_divisible_by"] == [1] * 6
    assert found["stride_constant"] == found["shape_constant"] == [None] * 6
    assert (found["base_address_divisible_by"], found["may_alias_internally"]) == (16, False)


def test_launches_of_one_specialization_are_one_row(result: CaptureResult) -> None:
    found = row(result, "matrix", CASE=CONTIGUOUS)
    assert found["grid"] == [[1, 1, 1], [3, 2, 1]]
    assert [facts["a"] for facts in found["argument_facts"]] == [
        {"shape": [64, 128], "strides": [128, 1], "storage": 0},
        {"shape": [80, 256], "strides": [256, 1], "storage": 0},
    ]
    assert found["device_model"] == ["b200", "h200"]
    assert found["tests"] == ["script/odd_arguments.py"]


def test_scalar_values_are_no_part_of_a_specialization(result: CaptureResult) -> None:
    [found] = rows(result, "scalars")
    assert found["dtypes"] == {"a": "float32", "integer": "int32", "real": "float32"}
    assert found["arg_kinds"] == {"a": "array", "integer": "scalar", "real": "scalar"}
    assert [(facts["integer"], facts["real"]) for facts in found["argument_facts"]] == [(3, 0.5), (4, 1.5)]


def test_constants_differ_by_type(result: CaptureResult) -> None:
    found = {
        (item["type"], item["value"])
        for row in rows(result, "constant")
        for item in row["signature"]
        if item["kind"] == "constant"
    }
    assert found == {("bool", True), ("int", 1), ("float", 1.0), ("float", "inf")}


def test_lists_of_arrays(result: CaptureResult) -> None:
    [found] = rows(result, "array_list")
    arrays, _ = found["signature"]
    assert (arrays["kind"], arrays["elements_may_alias"], arrays["element"]["dtype"]) == (
        "list",
        True,
        "float32",
    )
    assert found["dtypes"] == {"arrays": "float32", "out": "float32"}
    # All three are slices of one tensor.
    [facts] = found["argument_facts"]
    assert [item["storage"] for item in facts["arrays"]] == [0, 0]
    assert facts["out"] == {"shape": [16], "strides": [1], "storage": 0}


def test_hints_per_target(result: CaptureResult) -> None:
    [found] = rows(result, "by_target")
    assert found["hints"] == {
        "num_ctas": None,
        "occupancy": {"sm_90": 2, "default": 4},
        "opt_level": 3,
        "num_worker_warps": None,
    }


def test_kernels_made_by_a_factory_differ_by_what_they_captured(result: CaptureResult) -> None:
    assert len(rows(result, "made")) == 2


def test_names_are_hashes_of_the_disassembly(result: CaptureResult) -> None:
    tool = find_toolchain().require("tileirdisasm")
    files = {path.name for path in result.folder.iterdir()}
    assert files == {f"{row['name']}.tileirbc" for row in result.specializations} | {"index.json"}
    for found in result.specializations:
        path = result.folder / f"{found['name']}.tileirbc"
        text = subprocess.run([tool, path], capture_output=True, check=True).stdout
        assert found["name"] == f"{found['kernel']}__{hashlib.sha256(text).hexdigest()[:10]}"
        assert found["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert f"entry @{found['symbol']}(".encode() in text


def test_sources_and_lines(result: CaptureResult, data: Path) -> None:
    lines = (data / "capture" / "odd_arguments.py").read_text().splitlines()
    for found in result.specializations:
        assert found["source"] == "odd_arguments.py"
        assert lines[found["line"] - 1].strip().startswith(f"def {found['kernel']}(")


def test_the_index_on_disk_is_the_result(result: CaptureResult) -> None:
    assert json.loads((result.folder / "index.json").read_text()) == result.index
    assert result.op == result.index["op"] == "odd_arguments"
    assert (result.rejected, result.requires, result.failures) == ([], [], [])
    assert result.launches == 2 * 23


def test_progress_is_reported(result: CaptureResult, progress: list[Progress]) -> None:
    assert {(now.device_model, now.phase) for now in progress} >= {
        (model, phase) for model in ("b200", "h200") for phase in ("start", "script")
    }
    assert max(now.specializations for now in progress) <= 20
