# SPDX-License-Identifier: Apache-2.0
"""`tileport doctor` and how the command line reports errors."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tileport import cli
from tileport.errors import InputError, RefusedError, ToolchainError, UsageError
from tileport.toolchain import doctor, find_toolchain


def run_doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    finished = subprocess.run(
        [sys.executable, "-m", "tileport", "doctor", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
    assert "Traceback" not in finished.stdout + finished.stderr
    return finished


def checks_of(finished: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(finished.stdout)["checks"]}


def program(folder: Path, name: str, prints: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{prints}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_everything_is_here_in_the_development_environment() -> None:
    finished = run_doctor("--json")
    checks = checks_of(finished)
    assert finished.returncode == 0, [check for check in checks.values() if check["status"] == "missing"]
    for distribution in ("torch", "tilegym", "cuda-tile"):
        assert checks[distribution]["version"] == importlib.metadata.version(distribution)
    tileiras = find_toolchain().require("tileiras")
    listed = subprocess.run([tileiras, "--list-versions"], capture_output=True, text=True, check=True).stdout
    assert checks["bytecode versions"]["version"].split(", ") == listed.split()
    rustc = subprocess.run(["rustc", "-V"], capture_output=True, text=True, check=True).stdout
    assert checks["rustc"]["version"] == rustc.split()[1]


def test_table_names_every_check() -> None:
    finished = run_doctor(COLUMNS="200")
    for check in doctor.examine():
        assert check.name in finished.stdout


def test_missing_tileiras_says_how_to_get_it() -> None:
    finished = run_doctor("--json", TILEPORT_TILEIRAS="/nowhere/tileiras")
    check = checks_of(finished)["tileiras"]
    assert finished.returncode == 3
    assert check["status"] == "missing"
    assert "TILEPORT_TILEIRAS names /nowhere/tileiras" in check["version"]
    assert "unset TILEPORT_TILEIRAS" in check["help"]


def test_tileiras_without_our_bytecode_version(tmp_path: Path) -> None:
    fake = program(tmp_path, "tileiras", "release 13.1, V13.1.20\n13.1\n13.2")
    finished = run_doctor("--json", TILEPORT_TILEIRAS=str(fake))
    check = checks_of(finished)["bytecode versions"]
    assert finished.returncode == 3
    assert check["status"] == "missing"
    assert "13.1, 13.2: 13.3, which tileport writes, is not among them" in check["version"]


def test_program_that_does_not_run(tmp_path: Path) -> None:
    broken = tmp_path / "tileirdisasm"
    broken.write_bytes(b"\x7fELF not a program")
    broken.chmod(0o755)
    check = checks_of(run_doctor("--json", TILEPORT_TILEIRDISASM=str(broken)))["tileirdisasm"]
    assert check["status"] == "missing"
    assert "does not run" in check["version"]


def test_old_rust(tmp_path: Path) -> None:
    old = program(tmp_path, "cargo", "cargo 1.65.0")
    finished = run_doctor("--json", CARGO=str(old))
    check = checks_of(finished)["cargo"]
    assert finished.returncode == 3
    assert check["version"] == "is 1.65.0, older than 1.89"
    assert "rustup toolchain install" in check["help"]


def test_empty_machine(tmp_path: Path) -> None:
    """No program on PATH, no cargo home, no cache: everything is listed, nothing fails."""
    environment = {
        "PATH": str(tmp_path),
        "CARGO_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path),
        "CXX": "",
    }
    finished = run_doctor("--json", **environment)
    checks = checks_of(finished)
    assert finished.returncode == 3
    assert {name for name in ("cargo", "rustc", "C++ compiler") if checks[name]["status"] == "missing"} == {
        "cargo",
        "rustc",
        "C++ compiler",
    }
    assert all(check["help"] for check in checks.values() if check["status"] == "missing")
    table = run_doctor(**environment)
    assert "To get what is missing:" in table.stdout
    assert "rustup toolchain install stable" in table.stdout


@pytest.mark.parametrize("code", ["import tileport", "import tileport.cli as c; c.run(['doctor', '--json'])"])
def test_heavy_packages_are_not_imported(code: str) -> None:
    probe = f"import sys; {code}; print([m for m in ('torch', 'tilegym', 'cuda.tile') if m in sys.modules])"
    finished = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert finished.stdout.strip().splitlines()[-1] == "[]"


# ---- the command line ----------------------------------------------------------------------------


def test_unknown_command_suggests_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["doctr"]) == 2
    assert "Did you mean doctor" in capsys.readouterr().err


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["doctor", "--jsn"]) == 2
    assert "--json" in capsys.readouterr().err


def test_help_lists_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    text = capsys.readouterr().out
    assert "doctor" in cli.subcommands()
    for name in cli.subcommands():
        assert name in text


@pytest.mark.parametrize(
    ("error", "status"), [(UsageError, 2), (InputError, 2), (ToolchainError, 3), (RefusedError, 1)]
)
def test_errors_become_messages(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[UsageError],
    status: int,
) -> None:
    def fails() -> None:
        raise error("a-code", "what is wrong", "file.py:3", "do this")

    monkeypatch.setattr(doctor, "examine", fails)
    assert cli.run(["doctor"]) == status
    assert capsys.readouterr().err == "tileport: file.py:3: what is wrong [a-code]\n  do this\n"
    assert cli.run(["doctor", "--json"]) == status
    assert json.loads(capsys.readouterr().out) == {
        "error": {"code": "a-code", "message": "what is wrong", "where": "file.py:3", "help": "do this"}
    }


def test_interrupt_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "examine", interrupted)
    assert cli.run(["doctor"]) == 1
    assert "interrupted" in capsys.readouterr().err


def test_bug_keeps_its_traceback_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def buggy() -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "examine", buggy)
    assert cli.run(["doctor"]) == 1
    message = capsys.readouterr().err
    assert "this is a bug: ZeroDivisionError: division by zero" in message
    assert "Traceback" not in message
    (saved,) = (tmp_path / "tileport" / "crashes").iterdir()
    assert str(saved) in message
    assert "Traceback" in saved.read_text()


def test_console_script_is_installed() -> None:
    script = shutil.which("tileport", path=str(Path(sys.executable).parent))
    assert script, "pip install puts the tileport command beside python"
    finished = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert finished.stdout == f"tileport {importlib.metadata.version('tileport')}\n"
