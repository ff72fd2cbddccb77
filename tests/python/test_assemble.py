# SPDX-License-Identifier: Apache-2.0
"""``tileport as``: tileirdisasm takes what it writes and prints the text that it was given."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tileport import bytecode, ir, text
from tileport.cli import run
from tileport.toolchain import find_toolchain

DATA = Path(__file__).resolve().parents[1] / "data"
# What no bytecode can hold, or what only the verifier refuses.
NOT_VALID = {"break_outside_loop", "test_functions"}


def texts() -> list[Path]:
    accepted = [file for file in (DATA / "text" / "accepted").glob("*.txt") if file.stem not in NOT_VALID]
    return sorted((DATA / "tileir" / "golden").glob("*.txt")) + sorted(accepted)


def test_the_tool_prints_what_was_assembled(tmp_path: Path) -> None:
    tool = find_toolchain().tileirdisasm.path
    if tool is None:
        pytest.skip("tileirdisasm is not installed")
    out = tmp_path / "out.tileirbc"
    assert len(texts()) >= 60
    for file in texts():
        assert run(["as", str(file), "-o", str(out)]) == 0, file.name
        done = subprocess.run([str(tool), str(out)], capture_output=True, timeout=60)
        assert done.stdout == file.read_bytes(), (file.name, done.stderr)


def test_the_wanted_version(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "k.mlir", tmp_path / "k.tileirbc"
    source.write_text("entry @k(%n: tile<i32>) {\n  %0 = negi %n : tile<i32>\n}\n")
    for version in ("13.1", "13.2", "13.3", "13.4", "13.5"):
        assert run(["as", str(source), "-o", str(out), "--target-version", version, "--json"]) == 0
        assert json.loads(capfd.readouterr().out)["version"] == version
        module = bytecode.read_file(out)
        assert f"{module.version[0]}.{module.version[1]}" == version
        assert ir.first_difference(module, text.parse_file(source)) is None
    assert run(["as", str(source), "-o", str(out), "--target-version", "12.9"]) == 2
    assert "bad-version" in capfd.readouterr().err
    source.write_text("entry @k() {\n  %0 = gdc_wait_tko -> token\n}\n")
    assert run(["as", str(source), "-o", str(out), "--target-version", "13.3"]) == 2
    assert f"{source}:2:8: error: gdc_wait_tko does not exist in bytecode 13.3" in capfd.readouterr().err


def test_errors_leave_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "k.mlir", tmp_path / "k.tileirbc"
    source.write_text("entry @k(%n: tile<i32>) {\n  %0 = addq %n\n  %1 = addi %n : tile<i32>\n}\n")
    assert run(["as", str(source), "-o", str(out)]) == 2
    told = capfd.readouterr().err
    assert f"{source}:2:8: error: 'addq' is no op of Tile IR [TP-X0005]" in told
    assert f"{source}:3:16: error:" in told
    assert not out.exists()
    assert run(["as", str(source), "-o", str(out), "--json"]) == 2
    document = json.loads(capfd.readouterr().out)
    assert [d["line"] for d in document["diagnostics"]] == [2, 3]
    assert run(["as", str(tmp_path / "missing"), "-o", str(out)]) == 2
    source.write_text("entry @k() { }\n")
    assert run(["as", str(source), "-o", str(tmp_path)]) == 2
