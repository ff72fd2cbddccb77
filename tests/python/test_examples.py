# SPDX-License-Identifier: Apache-2.0
"""Every program under examples/ and every snippet of README.md runs and says what it should."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tileport.toolchain import disassemble


@pytest.fixture(scope="module")
def print_tile_ir(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """examples/cpp_consumer, built against an installation of the library, as a user would."""
    folder = tmp_path_factory.mktemp("consumer")
    prefix, build = folder / "prefix", folder / "build"
    commands = [
        ["cmake", "--install", repository / "build/python", "--component", "development", "--prefix", prefix],
        ["cmake", "-S", repository / "examples/cpp_consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", build],
    ]
    for command in commands:
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout + finished.stderr
    assert not list((prefix / "include").rglob("*.cpp"))
    return build / "print_tile_ir"


def test_cpp_consumer_prints_what_tileirdisasm_prints(print_tile_ir: Path, data: Path) -> None:
    file = data / "toolchain" / "softmax.tileirbc"
    finished = subprocess.run([print_tile_ir, file], capture_output=True, check=True)
    assert finished.stdout.decode() == disassemble(file)


def test_cpp_consumer_says_what_is_wrong(print_tile_ir: Path, data: Path, tmp_path: Path) -> None:
    truncated = tmp_path / "truncated.tileirbc"
    truncated.write_bytes((data / "toolchain" / "softmax.tileirbc").read_bytes()[:200])
    finished = subprocess.run([print_tile_ir, truncated], capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert re.search(rf"{re.escape(str(truncated))}.*error: .*\[TP-B\d{{4}}\]", finished.stderr)


# ---- README.md -----------------------------------------------------------------------------------


def readme_blocks(repository: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (repository / "README.md").read_text(), re.M | re.S)


@pytest.fixture
def own_kernel(repository: Path, tmp_path: Path) -> Path:
    """A copy of examples/own_kernel, which the README's commands are typed in."""
    return Path(shutil.copytree(repository / "examples" / "own_kernel", tmp_path / "own_kernel"))


@pytest.mark.timeout(900)
def test_commands_of_the_readme(repository: Path, own_kernel: Path, tmp_path: Path) -> None:
    lines = [
        line.split("#")[0].split() for block in readme_blocks(repository, "sh") for line in block.splitlines()
    ]
    makes = [line for line in lines if line and line[0] == "make"]
    commands = [line for line in lines if line and line[0] == ".venv/bin/tileport"]
    assert len(makes) == 2
    assert len(commands) == 2
    assert sorted(map(len, [*makes, *commands])) == [2, 2, 3, 5]
    listed = subprocess.run(
        ["make", "help"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    for _, goal in makes:
        assert f"make {goal} " in listed
    for command in commands:
        # The first is one of TileGym's operators, whose whole conversion is tested elsewhere.
        shorter = ["--stop-after", "capture"] if len(command) == 3 else []
        finished = subprocess.run(
            [Path(sys.executable).parent / "tileport", *command[1:], *shorter],
            cwd=own_kernel,
            env={**os.environ, "TILEPORT_PORTS": str(tmp_path / "ports")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
    assert (tmp_path / "ports" / "rms_norm" / "reference" / "index.json").is_file()
    (proof,) = (tmp_path / "ports").glob("*/proof.json")
    assert json.loads(proof.read_text())["verdict"] == "proven"


@pytest.mark.timeout(900)
def test_python_of_the_readme(repository: Path, tmp_path: Path) -> None:
    (code,) = readme_blocks(repository, "python")
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    verdict, report = finished.stdout.split()[-2:]
    assert verdict == "proven"
    assert Path(report) == tmp_path / "ports" / "softmax" / "report.html"
    assert Path(report).is_file()


def test_every_example_is_tested(repository: Path) -> None:
    tested = {"cpp_consumer", "own_kernel"}
    assert {path.name for path in (repository / "examples").iterdir() if path.is_dir()} == tested
