# SPDX-License-Identifier: Apache-2.0
"""What the tests of serving share: processes on a pretended GPU, and a ports folder of captured launches."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
OPS = ("softmax", "rms_norm", "silu_and_mul", "swiglu", "matmul")


def run_result(arguments: list[str], environment: dict[str, str] | None = None) -> Any:
    """Runs Python and returns the JSON after RESULT in what it prints."""
    finished = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env=environment,
    )
    assert finished.returncode == 0 and "RESULT" in finished.stdout, (
        finished.stderr[-4000:] + finished.stdout[-500:]
    )
    return json.loads(finished.stdout[finished.stdout.index("RESULT") + 6 :])


def ported_launches(factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A ports folder (wrappers and indexes of five ops) and what wrapper_launches.py printed; made once."""
    folder = factory.getbasetemp() / "serving-ports"
    record = folder / "launches.json"
    if not record.is_file():
        pytest.importorskip("tilegym", reason="TileGym is not installed")
        pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")
        folder.mkdir(exist_ok=True)
        result = run_result([str(HERE / "wrapper_launches.py"), "h200", str(folder), *OPS])
        record.write_text(json.dumps(result))
    return folder, json.loads(record.read_text())


def stand_in_library(folder: Path, repository: Path, symbols: list[str]) -> Path:
    """Compiles stand_in_library.c, which keeps what it is called with, as ``folder/libcutile_kernels.so``."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    library = folder / "libcutile_kernels.so"
    exports = "".join(f"EXPORT({symbol})\n" for symbol in symbols)
    (folder / "exports.h").write_text(exports)
    subprocess.run(
        [
            *(compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I", str(repository / "include")),
            *(
                "-I",
                str(folder),
                "-o",
                str(library),
                str(repository / "tests" / "data" / "stand_in_library.c"),
            ),
        ],
        check=True,
    )
    return library
