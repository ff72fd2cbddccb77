# SPDX-License-Identifier: Apache-2.0
"""Every program under examples/ and every snippet of README.md runs and says what it should."""

from __future__ import annotations

import re
import subprocess
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


def test_every_example_is_tested(repository: Path) -> None:
    tested = {"cpp_consumer"}
    assert {path.name for path in (repository / "examples").iterdir() if path.is_dir()} == tested
