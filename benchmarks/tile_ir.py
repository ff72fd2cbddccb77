# SPDX-License-Identifier: Apache-2.0
"""How fast Tile IR is read, verified and printed, against other programs on the same files.

    python benchmarks/tile_ir.py [FILE.tileirbc...] [--rounds N] [--json FILE]

Without files, those of tests/data/tileir/golden. Compared are one call of tileport's core (an optimized
build), `tileirdisasm` as a process, and the decoder of the crate cutile-ir. Each time is the best of some
rounds; the three take turns file by file, so that a disturbance meets all of them. Then a module of growing
size is read, whose time for each byte has to stay the same.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import tileport.bytecode
import tileport.text
from tileport.toolchain import cargo_environment, find_toolchain

ROOT = Path(__file__).resolve().parent.parent
#: Ops of the synthetic modules; the last is about 1 MB.
SIZES = (10_000, 20_000, 40_000, 80_000, 160_000)
#: Files that each program gets at once.
_TURN = 8


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    files = arguments.files or sorted((ROOT / "tests/data/tileir/golden").glob("*.tileirbc"))
    core, cutile_ir = build_core(), build_cutile_ir()
    rows: list[dict[str, Any]] = []
    for first in range(0, len(files), _TURN):
        turn = files[first : first + _TURN]
        ours = lines(core, arguments.rounds, turn)
        theirs = lines(cutile_ir, arguments.rounds, turn)
        for file, our, their in zip(turn, ours, theirs, strict=True):
            size, read, whole, memory = map(float, our)
            rows.append({
                "file": file.name,
                "bytes": int(size),
                "read_ns": read,
                "read_verify_print_ns": whole,
                "memory": int(memory),
                "cutile_ir_ns": float(their[0]) if their[0] != "refused" else None,
                "tileirdisasm_ns": process_time(file, min(arguments.rounds, 5)),
            })  # fmt: skip
    figures = {"files": rows, "growth": growth(core, arguments.rounds)}
    show(figures)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 0


def build_core() -> Path:
    folder = ROOT / "build" / "benchmark"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTILEPORT_BUILD_TESTS=OFF"]
    command = ["cmake", "-S", ROOT / "benchmarks" / "tile_ir", "-B", folder, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "measure"], check=True, stdout=subprocess.DEVNULL)
    return folder / "measure"


def build_cutile_ir() -> Path:
    cargo = find_toolchain().require("cargo")
    name = "measure-cutile-ir"
    command = [cargo, "build", "--locked", "--release", "--package", name]
    subprocess.run(command, cwd=ROOT / "rust", env=cargo_environment(), check=True)
    return ROOT / "rust" / "target" / "release" / name


def lines(program: Path, rounds: int, files: list[Path]) -> list[list[str]]:
    finished = subprocess.run([program, str(rounds), *files], check=True, capture_output=True, text=True)
    return [line.split() for line in finished.stdout.splitlines()]


def process_time(file: Path, rounds: int) -> float:
    command = [find_toolchain().require("tileirdisasm"), file]
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter_ns()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter_ns() - started)
    return best


def growth(core: Path, rounds: int) -> list[dict[str, float]]:
    """Time and memory for each byte of modules that differ in length only."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="tileport-benchmark-") as name:
        for ops in SIZES:
            file = Path(name) / f"{ops}.tileirbc"
            file.write_bytes(synthetic(ops))
            ((size, read, whole, memory),) = lines(core, rounds, [file])
            figures.append({
                "bytes": int(size),
                "read_ns_per_byte": float(read) / int(size),
                "read_verify_print_ns_per_byte": float(whole) / int(size),
                "memory_per_byte": int(memory) / int(size),
            })  # fmt: skip
    return figures


def synthetic(ops: int) -> bytes:
    """A kernel of that many additions, each of the two values before it."""
    body = [f"  %v{i} = addi %v{i - 1}, %v{i - 2} : tile<i32>" for i in range(2, ops + 2)]
    text = "\n".join(["entry @sums(%v0: tile<i32>, %v1: tile<i32>) {", *body, "  return", "}", ""])
    return tileport.bytecode.write(tileport.text.parse(text))


def show(figures: dict[str, Any]) -> None:
    rows = figures["files"]
    total = sum(row["bytes"] for row in rows)

    def per_byte(name: str) -> float:
        known = [row for row in rows if row[name] is not None]
        return sum(row[name] for row in known) / sum(row["bytes"] for row in known)

    print(f"{len(rows)} files, {total} bytes; nanoseconds for each byte (tileirdisasm: a process each)")
    for name, what in (
        ("read_ns", "read"),
        ("read_verify_print_ns", "read, verify, print"),
        ("cutile_ir_ns", "cutile-ir's decoder"),
        ("tileirdisasm_ns", "tileirdisasm"),
    ):
        print(f"  {what:<22}{per_byte(name):10.1f}")
    process = statistics.median(row["tileirdisasm_ns"] / row["read_verify_print_ns"] for row in rows)
    print(f"read, verify, print: {process:.0f} times as fast as tileirdisasm (median of files)")
    decoder = per_byte("cutile_ir_ns") / per_byte("read_ns")
    print(f"read: {decoder:.2f} times as fast as cutile-ir's decoder (all bytes)")
    print(f"memory: at most {max(row['memory'] / row['bytes'] for row in rows):.1f} times the file's size\n")
    print("a module of growing size:      bytes   read ns/B   whole ns/B   memory/B")
    for row in figures["growth"]:
        print(
            f"{row['bytes']:>36}{row['read_ns_per_byte']:>12.2f}"
            f"{row['read_verify_print_ns_per_byte']:>13.2f}{row['memory_per_byte']:>11.1f}"
        )


if __name__ == "__main__":
    sys.exit(main())
