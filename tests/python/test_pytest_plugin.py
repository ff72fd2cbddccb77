# SPDX-License-Identifier: Apache-2.0
"""The options --tileport-replace and --tileport-strict, on a test file that knows only "cutile"."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from serving import ported_launches, stand_in_library

from tileport.testing.replace import ReplacedBackend, replace_values
from tileport.wrappers.ports import exported_symbols, read_index

TESTS = """
import pytest, torch, tilegym
from tilegym.backend import is_backend_available

BACKENDS = ["cutile"] + (["cutile-rs"] if is_backend_available("cutile-rs") else []) + ["other"]

@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rows", [ROWS])
def test_launches(rows, backend, record_property):
    record_property("framework", {"of": [backend]})
    if backend == "other":
        pytest.skip("another backend")
    branch = "as cutile" if backend == "cutile" else "another"
    tilegym.set_backend(backend)
    x = torch.rand(rows, COLUMNS, dtype=torch.DTYPE, device="cuda")
    tilegym.ops.softmax(x)
    print("BRANCH", backend, branch)

@pytest.mark.parametrize("backend", ["cutile"])
def test_launches_nothing(backend):
    tilegym.set_backend(backend)

def test_without_backend():
    pass
"""
#: Puts the process on the pretended GPU before anything imports TileGym.
CONFTEST = """
from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.session import start
launched = []
start(DEVICE_MODELS["h200"], launched.append)
def pytest_make_parametrize_id(config, val, argname):
    return str(val).replace("-", "_")
def pytest_runtest_logreport(report):
    for name, value in report.user_properties:
        assert name != "framework" or type(value["of"][0]) is str
def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"CUTILE LAUNCHES {len(launched)}")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder with the test file and, under ports/, softmax with a stand-in library."""
    pytest.importorskip("tilegym", reason="TileGym is not installed")
    folder = tmp_path_factory.mktemp("project")
    ports = folder / "ports"
    shutil.copytree(ported_launches(tmp_path_factory)[0] / "softmax", ports / "softmax")
    index = read_index(ports, "softmax")
    kernels = sorted({row["kernel"] for row in index["specializations"]})
    stand_in_library(ports, repository, list(exported_symbols("softmax", kernels).values()))
    row = next(row for row in index["specializations"] if row["kernel"] == "_softmax_kernel")
    constants = {p["name"]: p["value"] for p in row["signature"] if p["kind"] == "constant"}
    text = TESTS.replace("ROWS]", f"{constants['N_ROWS']}]").replace("COLUMNS", str(constants["DIM_COLS"]))
    (folder / "test_op.py").write_text(text.replace("DTYPE", row["signature"][0]["dtype"]))
    (folder / "conftest.py").write_text(CONFTEST)
    return folder


def run(project: Path, *options: str, ports: str = "ports") -> tuple[int, str]:
    environment = {**os.environ, "TILEPORT_PORTS": str(project / ports), "TILEGYM_DISABLE_TRITON": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-vs", "--rootdir", str(project)]
    command += ["-o", "junit_family=xunit1"]
    finished = subprocess.run(
        [*command, *options, str(project / "test_op.py")],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    return finished.returncode, finished.stdout + finished.stderr


def outcomes(output: str) -> dict[str, str]:
    found = re.findall(r"test_op\.py::(\S+).*?(PASSED|FAILED|SKIPPED|ERROR)", output, flags=re.DOTALL)
    return {name: outcome for name, outcome in found}


def test_without_options_nothing_changes(project: Path) -> None:
    status, output = run(project)
    assert status == 0, output
    result = outcomes(output)
    assert sum(name.startswith("test_launches[") and name.endswith("-cutile]") for name in result) == 1
    assert "cutile_rs" not in output and "CUTILE LAUNCHES 1" in output and "as cutile" in output


def test_replace_runs_the_ports_and_strict_wants_launches(project: Path) -> None:
    junit = project / "junit.xml"
    status, output = run(project, "--tileport-replace", "--tileport-strict", f"--junitxml={junit}")
    assert status == 1, output
    result = outcomes(output)
    assert [outcome for name, outcome in result.items() if name.endswith("-cutile_rs]")] == ["PASSED"]
    assert result["test_launches_nothing[cutile_rs]"] == "FAILED"
    assert result["test_without_backend"] == "PASSED"
    assert "no kernel of a port was launched" in output
    # No case is left on cuTile or run twice, and the body took the branch of cuTile.
    assert "BRANCH cutile-rs as cutile" in output and "CUTILE LAUNCHES 0" in output
    assert len(result) == 4
    launched = re.findall(r'name="tileport_launches" value="([^"]*)"', junit.read_text())
    assert [bool(json.loads(html.unescape(value))) for value in launched] == [True, False]
    status, output = run(project, "--tileport-replace")
    assert status == 0, output


def test_replace_without_ports_is_a_usage_error(project: Path) -> None:
    status, output = run(project, "--tileport-replace", ports="none")
    assert status == pytest.ExitCode.USAGE_ERROR, output
    assert "no usable port in" in output and "tileport convert" in output


def test_replaced_values_keep_marks_and_ids() -> None:
    mark = pytest.mark.full
    values = [
        ("cutile", 1),
        pytest.param("cutile-rs", 2),
        pytest.param("cutile", 3, marks=mark),
        ("triton", 4),
    ]
    kept, ids = replace_values(["backend", "n"], values, ["a", "b", "c", "d"])
    assert ids == ["a", "c", "d"]
    assert [tuple(getattr(value, "values", value)) for value in kept] == [
        ("cutile-rs", 1),
        ("cutile-rs", 3),
        ("triton", 4),
    ]
    assert [mark.name for mark in kept[1].marks] == ["full"]
    # Where nothing is to be replaced, a test's own "cutile-rs" stays.
    assert replace_values(["backend"], ["cutile-rs", "x"], None) == (["cutile-rs", "x"], None)


def test_replaced_backend_equals_both_names() -> None:
    backend = ReplacedBackend()
    assert backend == "cutile" and backend == "cutile-rs" and backend != "triton"
    assert (backend != "cutile") is False and backend in {"cutile-rs"} and {"cutile-rs": 1}[backend] == 1
    assert str(backend) == "cutile-rs"
