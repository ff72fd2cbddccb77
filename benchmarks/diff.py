# SPDX-License-Identifier: Apache-2.0
"""How fast kernels are compared, beside `diff` on their texts.

    python benchmarks/diff.py [--rounds N] [--json FILE]

Made kernels of growing size are compared with themselves and with changed copies (one op, every tenth, all),
by one call of tileport's core (an optimized build). `diff` compares the same kernels' texts as a process, in
the same run: it knows nothing of kernels, but tells what reading the lines costs. Times are processor time,
the best of some rounds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZES = (400, 5_000, 10_000, 20_000, 50_000)
FORMS = {
    "equal": "nothing differs",
    "first": "the first op differs",
    "every": "every tenth op differs",
    "other": "all ops differ",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    core = build_core()
    rows = [row for form in FORMS for row in measure(core, form, arguments.rounds)]
    show(rows)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def build_core() -> Path:
    folder = ROOT / "build" / "benchmark-diff"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTILEPORT_BUILD_TESTS=OFF"]
    command = ["cmake", "-S", ROOT / "benchmarks" / "diff", "-B", folder, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    build = ["cmake", "--build", folder, "--target", "measure_diff"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return folder / "measure_diff"


def measure(core: Path, form: str, rounds: int) -> list[dict[str, Any]]:
    command = [core, str(rounds), form, *map(str, SIZES)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = []
    for size, line in zip(SIZES, lines, strict=True):
        _, _, compare, script, findings, edits = map(float, line.split())
        rows.append({
            "form": form,
            "ops": size,
            "compare_ms": compare / 1e6,
            "script_ms": script / 1e6,
            "diff_ms": lines_ms(core, form, size, rounds),
            "findings": int(findings),
            "edits": int(edits),
        })  # fmt: skip
    return rows


def lines_ms(core: Path, form: str, size: int, rounds: int) -> float:
    """The best time of a `diff` process on the texts."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/a.mlir", f"{folder}/b.mlir"]
        subprocess.run([core, "1", "write", form, str(size), *files], check=True)
        best = float("inf")
        for _ in range(rounds):
            start = _children_s()
            subprocess.run(["diff", *files], stdout=subprocess.DEVNULL, check=False)
            best = min(best, _children_s() - start)
        return best * 1e3


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def show(rows: list[dict[str, Any]]) -> None:
    print(
        "| what differs | ops each | compare ms | µs an op | edit script ms | `diff` ms | findings | edits |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        each = row["compare_ms"] * 1e3 / row["ops"]
        print(
            f"| {FORMS[row['form']]} | {row['ops']:,} | {row['compare_ms']:.2f} | {each:.2f} "
            f"| {row['script_ms']:.2f} | {row['diff_ms']:.2f} | {row['findings']} | {row['edits']} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
