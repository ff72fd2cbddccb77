# SPDX-License-Identifier: Apache-2.0
"""Where the time of a conversion goes.

    python benchmarks/convert.py [OP...] [--targets sm_90,sm_100] [--tests DIR] [--jobs N] [--json FILE]

Each operator is converted from scratch in a process of its own, with nothing in the cubin cache, then once
more to see what a repeat costs. Printed are wall and CPU time of every stage, the CPU time of the tileiras
processes, the bound that a conversion keeps (1.15 x tileiras CPU / cores + 60 s), and the largest memory of
all processes together. Capture by TileGym's tests (--tests) is timed apart and is not part of the bound.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tileport.stages.ledger import Ledger

OPERATORS = ("softmax", "rms_norm", "silu_and_mul", "swiglu", "matmul")
_GIB = 1 << 30


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*", default=list(OPERATORS), metavar="OP")
    parser.add_argument("--targets", default="sm_90,sm_100")
    parser.add_argument("--tests", metavar="DIR", help="TileGym's tests, captured as well")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    figures = []
    print(
        f"{arguments.jobs} assemblies at once on {len(os.sched_getaffinity(0))} cores; "
        f"targets {arguments.targets}\n"
    )
    for op in arguments.ops:
        figures.append(measure(op, arguments))
        show(figures[-1])
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 0 if all(figure["within_bound"] for figure in figures) else 1


def measure(op: str, arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tileport-benchmark-") as name:
        scratch = Path(name)
        environment = {**os.environ, "TILEPORT_CUBINS": str(scratch / "cubins")}
        environment.pop("TILEGYM_TESTS", None)
        command = [sys.executable, "-m", "tileport", "convert", op, "--out", str(scratch / "ports"), "--json",
                   "--targets", arguments.targets, "--jobs", str(arguments.jobs)]  # fmt: skip
        if arguments.tests:
            command += ["--tests", arguments.tests]
        first, seconds, memory = run(command, environment)
        again, repeat_seconds, _ = run(command, environment)
        capture = Ledger(scratch / "ports" / op).last("capture")
    made_again = [stage["stage"] for stage in again["stages"] if not stage["up_to_date"]]
    if made_again:
        sys.exit(f"{op}: the repeat made anew: {', '.join(made_again)} (were tileport's own files changed?)")
    tests_seconds = capture.facts["seconds"].get("tests", 0.0) if capture else 0.0
    tileiras = first["tileiras"]
    bound = 1.15 * tileiras["cpu_seconds"] / arguments.jobs + 60
    return {
        "op": op,
        "verdict": first["verdict"],
        "specializations": len(first["specializations"]),
        "stages": first["stages"],
        "tileiras": tileiras,
        "seconds": round(seconds, 1),
        "tests_seconds": round(tests_seconds, 1),
        "bound_seconds": round(bound, 1),
        "within_bound": seconds - tests_seconds <= bound,
        "repeat_seconds": round(repeat_seconds, 1),
        "peak_gib": round(memory / _GIB, 2),
    }


def run(command: list[str], environment: dict[str, str]) -> tuple[dict[str, Any], float, int]:
    """What a command printed as JSON, its wall time, and the largest memory of it and its children
    together."""
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    largest, finished = [0], threading.Event()

    def watch() -> None:
        while not finished.wait(0.25):
            largest[0] = max(largest[0], memory_of_tree(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    finished.set()
    watcher.join()
    result = json.loads(output) if output else {"error": f"status {process.returncode}"}
    if "error" in result:
        sys.exit(f"{' '.join(command)} failed: {result['error']}")
    return result, time.monotonic() - started, largest[0]


def memory_of_tree(root: int) -> int:
    """Bytes that a process and its descendants hold, what they share counted once (proportional set size)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, [])
        try:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total


def show(figure: dict[str, Any]) -> None:
    print(f"{figure['op']}: {figure['specializations']} specializations, {figure['verdict']}")
    for stage in figure["stages"]:
        times = f"{stage['seconds']:8.1f} s wall {stage['cpu_seconds']:8.1f} s CPU"
        print(f"  {stage['stage']:<10}{times}   {stage['summary']}")
    tileiras = figure["tileiras"]
    print(f"  {'tileiras':<10}{'':15}{tileiras['cpu_seconds']:8.1f} s CPU   {tileiras['runs']} runs")
    if figure["tests_seconds"]:
        seconds = f"{figure['tests_seconds']:.1f} s wall"
        print(f"  of which capture by TileGym's tests: {seconds} (not part of the bound)")
    word = "within" if figure["within_bound"] else "OVER"
    bound = f"{word} the bound of {figure['bound_seconds']:.1f} s"
    print(f"  {'total':<10}{figure['seconds']:8.1f} s wall, {bound}")
    print(f"  {'repeat':<10}{figure['repeat_seconds']:8.1f} s wall")
    print(f"  {'memory':<10}{figure['peak_gib']:8.2f} GiB at most\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
