# SPDX-License-Identifier: Apache-2.0
"""`pip install .` into an empty environment."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_pip_install_gives_package_and_command(repository: Path, data: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CMAKE_"))
    }
    variables["PATH"] = f"{environment / 'bin'}:/usr/bin:/bin"
    variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    variables["CARGO_HOME"] = str(tmp_path / "no-cargo")

    def run(*command: str | Path, status: int = 0) -> str:
        finished = subprocess.run(
            command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert finished.returncode == status, finished.stdout + finished.stderr
        assert "Traceback" not in finished.stderr
        return finished.stdout

    run(environment / "bin" / "pip", "install", "--quiet", repository)
    assert run("tileport", "--version").startswith("tileport ")
    checks = {
        check["name"]: check for check in json.loads(run("tileport", "doctor", "--json", status=3))["checks"]
    }
    assert checks["C++ core"]["status"] == "ok"
    assert Path(checks["C++ core"]["path"]).is_relative_to(environment)
    assert Path(checks["Rust sources"]["path"]).is_relative_to(environment)
    assert checks["cuda-tile"]["help"] == "pip install 'tileport[capture]'"
    assert "cargo install --locked" in checks["tileport-check"]["help"]
    # The core works with nothing else installed: text of a bytecode file.
    text = run("tileport", "dis", data / "toolchain" / "softmax.tileirbc")
    assert text.startswith("entry @_softmax_kernel")
    probe = "import tileport.capture.stub_driver as d; print(d.library_path())"
    assert Path(run(environment / "bin" / "python", "-c", probe).strip()).is_file()
