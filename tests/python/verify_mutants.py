# SPDX-License-Identifier: Apache-2.0
"""Compares our verdicts with tileirdisasm's on mutants of real files.

    python tests/python/verify_mutants.py --count 100000 --seed 1 --jobs 2

lists the disagreements, grouped by what the tool says. Both verdicts are about reading and verifying
together.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import tile_ir_mutants

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = REPOSITORY / "tests" / "data" / "tileir" / "golden"
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "tilegym24.tar.xz"
LARGEST_SEED = 12_000
BATCH = 500
TOLD_EVERY = 5000

Verdict = list[str]
"""Why a file is refused, one line a finding; empty if it is accepted."""


@dataclass
class Tally:
    mutants: int = 0
    refused: int = 0
    by_verifier: int = 0
    """Refused for what an op or a function says, not for how the file is written."""
    argued: int = 0
    disagreements: list[tuple[str, Verdict, Verdict, bytes]] = field(default_factory=list)
    """Group, the tool's verdict, ours, the file."""

    def add(self, other: Tally) -> None:
        self.mutants += other.mutants
        self.refused += other.refused
        self.by_verifier += other.by_verifier
        self.argued += other.argued
        self.disagreements += other.disagreements


def seeds() -> list[bytes]:
    """Probes of every op (often), and kernels that cuTile wrote."""
    files = [path.read_bytes() for path in sorted(GOLDEN.glob("*.tileirbc"))]
    probes = [path.read_bytes() for path in sorted(GOLDEN.glob("probe_*.tileirbc"))]
    if CORPUS.exists():
        with tarfile.open(CORPUS) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.name.endswith(".tileirbc") else None
                if content:
                    files.append(content.read())
    files = [data for data in files if len(data) <= LARGEST_SEED]
    return files + probes * max(1, len(files) // max(1, len(probes)))


def tool_verdict(tool: str, data: bytes, path: str) -> Verdict:
    """What tileirdisasm says: its errors without the file's name."""
    Path(path).write_bytes(data)
    done = subprocess.run([tool, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    if done.returncode == 0:
        return []
    lines = done.stderr.decode("utf-8", "replace").replace(path, "").splitlines()
    errors = [line.split("error: ", 1)[1] for line in lines if "error: " in line]
    return errors or [f"exit status {done.returncode}: {lines[0] if lines else ''}"]


def our_verdict(data: bytes) -> Verdict:
    from tileport import bytecode, verify

    try:
        module = bytecode.read(data)
    except bytecode.BytecodeError as error:
        return [f"{error.code} {error.message}"]
    findings = verify.verify(module)
    return [f"{f.code} {f.path}: {f.message}" for f in findings if f.severity == "error"]


ARGUED = {
    r"^TP-B0014 .*extents of tiles are powers of two, got -9223372036854775808$": "accepted by the tool",
}
"""Disagreements that docs/verify.md argues: a pattern of our first finding (of the tool's, if we accept), and
who accepts."""


def is_argued(theirs: Verdict, ours: Verdict) -> bool:
    accepts, reason = ("accepted by us", theirs) if theirs else ("accepted by the tool", ours)
    return any(who == accepts and re.search(pattern, reason[0]) for pattern, who in ARGUED.items())


def group_of(theirs: Verdict, ours: Verdict) -> str:
    """Disagreements of one kind have one group."""

    def shape(text: str) -> str:
        text = re.sub(r"loc\(.*?\): ", "", text)
        text = re.sub(r"'?!cuda_tile\.[^']*'", "TYPE", text)
        text = re.sub(r"@\S+: ", "", text)
        return re.sub(r"-?\d+", "N", text)[:150]

    if not theirs:
        return f"accepted by the tool | {ours[0].split(' ')[0]} {shape(ours[0])}"
    return f"accepted by us | {shape(theirs[0])}"


def compare(
    count: int, seed: int, files: Sequence[bytes], tool: str, ours: Callable[[bytes], Verdict] = our_verdict
) -> Tally:
    rng = random.Random(seed)
    tally = Tally()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.NamedTemporaryFile(suffix=".tileirbc", dir=memory) as place:
        for _ in range(count):
            data = tile_ir_mutants.mutant(rng, files)
            theirs, mine = tool_verdict(tool, data, place.name), ours(data)
            tally.mutants += 1
            tally.refused += bool(theirs)
            tally.by_verifier += any("verification failed" in line for line in theirs)
            if bool(theirs) != bool(mine) and is_argued(theirs, mine):
                tally.argued += 1
            elif bool(theirs) != bool(mine):
                tally.disagreements.append((group_of(theirs, mine), theirs, mine, data))
    return tally


def batches(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Sizes and seeds; the mutants are the same however many processes work."""
    for number, start in enumerate(range(0, count, BATCH)):
        yield min(BATCH, count - start), seed * 1_000_003 + number


def compare_all(count: int, seed: int, tool: str, jobs: int) -> Tally:
    tally, files = Tally(), seeds()
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(compare, size, number, files, tool) for size, number in batches(count, seed)]
        for future in futures:
            tally.add(future.result())
            if tally.mutants % TOLD_EVERY == 0:
                found = len(tally.disagreements)
                print(f"{tally.mutants} of {count}: {found} disagreements", file=sys.stderr, flush=True)
    return tally


def report(tally: Tally, keep: Path | None = None) -> str:
    groups = defaultdict(list)
    for group, theirs, ours, data in tally.disagreements:
        groups[group].append((theirs, ours, data))
    lines = [
        f"{tally.mutants} mutants, {tally.refused} refused by the tool, {tally.by_verifier} of them by its "
        f"verifier; {tally.argued} argued and {len(tally.disagreements)} other disagreements"
    ]
    for number, (group, rows) in enumerate(sorted(groups.items(), key=lambda item: -len(item[1]))):
        lines.append(f"{len(rows):6}  {group}")
        theirs, ours, data = rows[0]
        lines.append(f"        tool: {'; '.join(theirs)[:300] or 'accepts'}")
        lines.append(f"        ours: {'; '.join(ours)[:300] or 'accepts'}")
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{number:03}.tileirbc").write_bytes(data)
            lines.append(f"        file: {keep / f'{number:03}.tileirbc'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for one file of each group")
    options = parser.parse_args()
    from tileport.toolchain import find_toolchain

    tool = find_toolchain().tileirdisasm.path
    if tool is None:
        print("tileirdisasm is not installed", file=sys.stderr)
        return 3
    tally = compare_all(options.count, options.seed, str(tool), options.jobs)
    print(report(tally, options.keep))
    return 1 if tally.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
