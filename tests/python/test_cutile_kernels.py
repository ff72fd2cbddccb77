# SPDX-License-Identifier: Apache-2.0
"""The kernels of cutile's own tests: another writer's bytecode, read as tileirdisasm reads it.

They are made by tests/cutile/write_test_kernels.py; TILEPORT_CUTILE_KERNELS names a folder that holds them
already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tileport import bytecode, ir, text, verify
from tileport.toolchain import find_toolchain

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

FEWEST = 250


@pytest.fixture(scope="module")
def kernels(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    named = os.environ.get("TILEPORT_CUTILE_KERNELS")
    folder = Path(named) if named else tmp_path_factory.mktemp("kernels")
    if not named:
        if find_toolchain().cargo.path is None:
            pytest.skip("cargo is not installed")
        program = repository / "tests" / "cutile" / "write_test_kernels.py"
        subprocess.run([sys.executable, str(program), str(folder)], check=True)
    return sorted(folder.glob("*.tileirbc"))


def test_they_are_read_as_the_tool_reads_them(kernels: list[Path]) -> None:
    tool = find_toolchain().require("tileirdisasm")
    accepted, faults = 0, []
    for path in kernels:
        done = subprocess.run([tool, path], capture_output=True, timeout=60)
        data = path.read_bytes()
        try:
            module = bytecode.read(data)
            findings = [finding for finding in verify.verify(module) if finding.severity == "error"]
        except bytecode.BytecodeError as error:
            findings = list(error.diagnostics)
        if (done.returncode == 0) != (not findings):
            faults.append((path.name, done.stderr.decode(errors="replace")[:300], findings[:1]))
        if done.returncode != 0 or findings:
            continue
        accepted += 1
        printed = text.print(module)
        if printed.encode("utf-8", "surrogateescape") != done.stdout:
            faults.append((path.name, "another text", []))
        if difference := ir.first_difference(module, text.parse(printed)):
            faults.append((path.name, f"parsed otherwise: {difference}", []))
        if bytecode.write(bytecode.read_document(data)) != data:
            faults.append((path.name, "not written back", []))
    assert faults == []
    assert accepted >= FEWEST
