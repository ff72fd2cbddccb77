# SPDX-License-Identifier: Apache-2.0
"""Wrong use and bad input of ``convert``: a clear message, the right exit status, nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import ports
import pytest
from test_prove import stand_in

from tileport import cli
from tileport.stages import capture
from tileport.stages.ledger import Ledger
from tileport.stages.port import Port


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TILEGYM_TESTS", raising=False)
    return tmp_path / "ports"


def refused(arguments: list[str], status: int, *expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["convert", *arguments]) == status
    captured = capsys.readouterr()
    for part in expected:
        assert part in captured.err
    assert "Traceback" not in captured.err and captured.out == ""


def test_an_unknown_operator(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(
        ["softmx", "--out", str(out)],
        2,
        "there is no operator 'softmx'",
        "did you mean softmax",
        capsys=capsys,
    )
    assert not out.exists()


def test_a_module_without_kernels(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("import math\n\ndef kernel(x):\n    return x\n")
    file = str(tmp_path / "mine.py")
    refused([file, "--out", str(out)], 2, file, "@ct.kernel", "[no-kernels]", capsys=capsys)
    assert not out.exists()


def test_a_kernel_that_the_module_does_not_have(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("import cuda.tile as ct\n\n@ct.kernel\ndef scale(x):\n    pass\n")
    command = [f"{tmp_path}/mine.py:scael", "--out", str(out)]
    refused(command, 2, "there is no kernel 'scael'", "did you mean scale", capsys=capsys)
    assert not out.exists()


@pytest.mark.parametrize("content", [b"def broken(:\n", b"\x7fELF\x02\x01\x00\x00"])
def test_a_module_that_is_not_python(
    out: Path, tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_bytes(content)
    refused(
        [f"{tmp_path}/mine.py", "--out", str(out)],
        2,
        f"{tmp_path}/mine.py",
        "not valid Python",
        capsys=capsys,
    )
    assert not out.exists()


def test_a_module_that_is_not_there(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(["/nowhere/mine.py", "--out", str(out)], 2, "/nowhere/mine.py", "No such file", capsys=capsys)
    assert not out.exists()


@pytest.mark.parametrize(
    "options,expected",
    [
        (["--targets", "sm_89,gfx1100"], "no target 'gfx1100'"),
        (["--stop-after", "compile"], "no stage 'compile'"),
        (["--jobs", "0"], "0 jobs"),
        (["--tileiras-timeout", "-1"], "-1 seconds"),
        (["--run", "script.py"], "FILE.py:KERNEL"),
    ],
)
def test_a_wrong_option(
    out: Path, options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(["softmax", "--out", str(out), *options], 2, expected, capsys=capsys)
    assert not out.exists()


def test_tests_that_are_not_tilegyms(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(
        ["softmax", "--out", str(out), "--tests", str(tmp_path)], 2, str(tmp_path), "tests/ops", capsys=capsys
    )
    assert not (out / "softmax").exists()


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/ports"])
def test_an_unwritable_folder(tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    refused(
        ["softmax", "--out", str(tmp_path / place)], 2, place, "cannot be written", "--out", capsys=capsys
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("tool", ["TILEPORT_TILEIRAS", "TILEPORT_TILEIRDISASM", "TILEPORT_CHECK"])
def test_a_missing_tool(
    out: Path, tool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(tool, "/nowhere/tool")
    refused(
        ["softmax", "--out", str(out)], 3, "/nowhere/tool", "tileport doctor", "[missing-tool]", capsys=capsys
    )
    assert not out.exists()


@pytest.fixture
def captured(data: Path, out: Path) -> Port:
    """A port that was captured, as its ledger says, so that a run starts with the translation."""
    port = ports.translated(data, out)
    port.kernel.unlink()
    inputs = capture.inputs(capture.find_source("softmax"), port)
    Ledger(port.folder).append("capture", inputs, ["reference"], 1.0, 1.0, {"failures": []})
    return port


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing_half_made_and_the_next_goes_on(
    captured: Port, tmp_path: Path, number: signal.Signals
) -> None:
    mark = tmp_path / "assembling"
    slow = stand_in(tmp_path / "tileiras", f"echo $$ >> {mark}; sleep 600")
    environment = {**os.environ, "TILEPORT_TILEIRAS": str(slow), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tileport", "convert", "softmax", "--out", str(captured.folder.parent)]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell that runs the tests in the background lets them ignore Ctrl-C, and what they start too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(mark, process)
    process.send_signal(number)
    output, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted" in error and "Traceback" not in error and output == ""
    for text in mark.read_text().split():
        stat = Path("/proc", text, "stat")
        assert not stat.exists() or stat.read_text().split()[2] == "Z", "a tileiras is still running"
    assert not captured.proof.exists() and not captured.report.exists()
    [last] = [record.stage for record in captured.ledger.records()][-1:]
    assert last in ("capture", "request", "translate", "check")
    # Whatever is there is whole: the same command, with the real tileiras, goes on.
    finished = subprocess.run(
        [*command, "--stop-after", "translate"], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert not list(captured.folder.glob(".tmp-*"))
    assert captured.kernel.is_file()


def wait_for(mark: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not (mark.exists() and mark.read_text().strip()):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)


def test_a_busy_port(captured: Port, capsys: pytest.CaptureFixture[str]) -> None:
    with captured.locked():
        command = ["softmax", "--out", str(captured.folder.parent)]
        refused(command, 3, "another run is at work", str(os.getpid()), capsys=capsys)


def test_a_damaged_ledger_is_only_slower(captured: Port, capsys: pytest.CaptureFixture[str]) -> None:
    with open(captured.ledger.path, "ab") as file:
        file.write(b'\x00\xff{"stage": "translate"\n[]\n{"stage": 3}\n')
    command = ["convert", "softmax", "--out", str(captured.folder.parent), "--stop-after", "translate"]
    assert cli.run(command) == 0
    assert "capture: 2 specializations of 2 kernels, up to date" in capsys.readouterr().err
    assert captured.kernel.is_file()
