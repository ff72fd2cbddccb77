# SPDX-License-Identifier: Apache-2.0
"""cuTile's launches on the CPU, in place: host code and test files as they are, judged by PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("torch")
pytest.importorskip("cuda.tile")

PROGRAM = """
from tileport import cpu
execution = cpu.activate("h200")
import torch, tilegym, json
tilegym.set_backend("cutile")
x = torch.randn(64, 300, device="cuda", requires_grad=True)
y = tilegym.ops.softmax(x)
w = torch.ones(300, device="cuda", requires_grad=True)
z = tilegym.ops.rms_norm(x, (300,), w, 1e-6)
assert x.is_cuda and y.is_cuda
a, b = torch.randn(96, 80, device="cuda").half(), torch.randn(80, 112, device="cuda").half()
c = tilegym.ops.matmul(a, b)
with torch._C.DisableTorchFunction():
    exact = torch.softmax(x.double(), -1)
    normal = torch.nn.functional.rms_norm(x.double(), (300,), w.double(), 1e-6)
    print(json.dumps({
        "softmax": (y - exact).abs().max().item(),
        "rms_norm": (z - normal).abs().max().item(),
        "matmul": (c - a.double() @ b.double()).abs().max().item(),
        "launches": execution.launches, "work": execution.work,
    }))
"""

TESTS = """
import pytest, torch, tilegym

@pytest.mark.parametrize("backend", ["cutile", "triton"])
@pytest.mark.parametrize("rows", [16, 4096])
def test_softmax(rows, backend):
    tilegym.set_backend(backend)
    x = torch.randn(rows, 512, device="cuda")
    y = tilegym.ops.softmax(x)
    torch.testing.assert_close(y, torch.softmax(x, -1))

def test_that_fails():
    tilegym.set_backend("cutile")
    x = torch.randn(16, 512, device="cuda")
    torch.testing.assert_close(tilegym.ops.softmax(x), x)
"""


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=600)


def test_operators_compute(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run("program.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["softmax"] < 1e-6 and found["rms_norm"] < 1e-5 and found["matmul"] < 0.02
    assert found["launches"] >= 3 and found["work"] > 64 * 300


def test_pytest_option(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(textwrap.dedent(TESTS))
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--tileport-cpu=reference", "--tileport-cpu-work=1e7",
               "--junitxml=out.xml", "-rs", folder=tmp_path)  # fmt: skip
    assert "1 failed, 1 passed, 1 skipped, 2 deselected" in done.stdout, done.stdout + done.stderr
    assert "more than 10000000 elements (--tileport-cpu-work)" in done.stdout
    cases = {case.get("name"): case for case in ElementTree.parse(tmp_path / "out.xml").iter("testcase")}
    passed = {p.get("name"): p.get("value") for p in cases["test_softmax[16-cutile]"].iter("property")}
    assert passed["tileport_cpu_launches"] == "1" and int(passed["tileport_cpu_work"] or 0) > 16 * 512


def test_option_with_no_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch whose port is missing fails, and says how to get it."""
    monkeypatch.setenv("TILEPORT_PORTS", str(tmp_path / "ports"))
    (tmp_path / "test_it.py").write_text(textwrap.dedent(TESTS))
    done = run(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--tileport-cpu=port",
        "-k",
        "16-cutile",
        folder=tmp_path,
    )
    assert "1 failed" in done.stdout and "no port of this specialization of _softmax_kernel" in done.stdout
    assert "tileport convert" in done.stdout
