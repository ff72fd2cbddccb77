# SPDX-License-Identifier: Apache-2.0
"""Makes the pairs NAME.tileirbc, NAME.txt in golden/ anew: the probes of tests/python, and given files.

usage: make_goldens.py [FILE.tileirbc ...]

The text is what tileirdisasm prints. Every pair in the folder is a test, however it came there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))

import tile_ir_probes  # noqa: E402, F401
import tile_ir_text_probes  # noqa: E402, F401
from tile_ir_kernel import PROBES  # noqa: E402

from tileport.toolchain import find_toolchain  # noqa: E402


def store(name: str, data: bytes) -> None:
    path = HERE / "golden" / f"{name}.tileirbc"
    path.write_bytes(data)
    tool = find_toolchain().tileirdisasm.path
    run = subprocess.run([str(tool), str(path)], capture_output=True, check=True)
    path.with_suffix(".txt").write_bytes(run.stdout)


def main() -> None:
    for name, build in PROBES.items():
        store(f"probe_{name}", build())
    for argument in sys.argv[1:]:
        store(Path(argument).stem, Path(argument).read_bytes())


if __name__ == "__main__":
    main()
