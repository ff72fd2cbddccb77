# SPDX-License-Identifier: Apache-2.0
"""How fast Tile IR runs on the CPU, against Triton's interpreter and PyTorch on the same operations.

    python benchmarks/cpu_execution.py [--json FILE]

Three operations: softmax of 256 x 2048 f32, the product of two matrices of 512 x 512 f16, and attention of
one batch, 8 heads, 512 positions and 64 channels in f16. Tile IR is what TileGym's operators compile to;
Triton's kernels are in benchmarks/cpu/triton_kernels.py. Every result is compared with PyTorch's before it
is timed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "cpu"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    for script in ("triton_kernels.py", "tile_ir_kernels.py"):
        done = subprocess.run([sys.executable, FOLDER / script], capture_output=True, text=True)
        if done.returncode != 0:
            sys.stderr.write(done.stderr)
            return 1
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                rows.setdefault(row.pop("case"), {}).update(row)
    columns = ("operation", "Triton's interpreter", "Tile IR, checked", "unchecked", "PyTorch")
    print("| " + " | ".join([*columns, "Triton / checked", "checked / PyTorch"]) + " |")
    print("|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        milliseconds = [f"{row[key] * 1e3:.2f} ms" for key in ("triton", "checked", "unchecked", "torch")]
        ratios = [f"{row['triton'] / row['checked']:.0f}", f"{row['checked'] / row['torch']:.1f}"]
        print("| " + " | ".join([name, *milliseconds, *ratios]) + " |")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2))
    return 0


sys.exit(main())
