# SPDX-License-Identifier: Apache-2.0
"""How much of what was captured the translator covers, how long it takes, and what is left.

    python benchmarks/translate.py FOLDER... [--ops NAME...] [--targets sm_90,sm_100] [--machine-code]
                                   [--most N] [--rustc] [--show] [--results FILE] [--json FILE]

Every *.tileirbc below a FOLDER is a reference; the folder that holds it (without a last part "reference")
names its operator. Each is translated, compiled with cutile's compiler for every target, and compared with
its port as Tile IR; --machine-code assembles both and compares that too, --rustc lets rustc check a crate of
each operator. Ports are kept in a JSON-lines file by the content of the Rust source, and cubins in
tileport's own cache, so an interrupted or repeated run only does what is new; verdicts are always made
again. --show prints every specialization that is not good, with its cause.
"""

from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tileport.bytecode
import tileport.translate
from tileport.capture import source_names, source_path
from tileport.errors import Error
from tileport.stages import machine_code, tile_ir
from tileport.stages.assembly import AssemblyQueue
from tileport.stages.check import ENTRY, checker_hash
from tileport.toolchain import Assembled, assemble, cache_folder
from tileport.toolchain.check import CheckResult, Instance, cargo_check, check_kernels
from tileport.wrappers.crate import write_check_crate

#: Entries that one process of cutile's compiler gets; a failure loses no more than these.
_IR_CLASSES = ("equal", "equal_up_to", "differs")
_CODE_CLASSES = ("identical", "differs", "neither", "timeout")


@dataclass
class Specialization:
    """One captured kernel and what became of it."""

    op: str
    path: Path
    row: dict[str, Any] | None
    module: Any = None
    refusals: list[dict[str, Any]] = field(default_factory=list)
    source: str = ""
    instance: Instance | None = None
    ports: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By target: the record of the results file."""
    ir: dict[str, Any] | None = None
    code: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def status(self) -> str:
        if self.refusals:
            return "refused"
        # A target that neither side can be made for says nothing; --machine-code tells whether it is one.
        return "not compiled" if self.ir is None else str(self.ir["class"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "name": self.name,
            "status": self.status,
            "refusals": self.refusals,
            "problems": {target: port["problem"] for target, port in self.ports.items() if port["problem"]},
            "ir": self.ir,
            "code": self.code or None,
            "seconds": {stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
        }


class Results:
    """Ports by content: one JSON object a line, appended as soon as it is there."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._records: dict[str, dict[str, Any]] = {}
        if path.is_file():
            for line in path.read_text().splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # The last line of a run that was interrupted.
                self._records[record["key"]] = record
        # Unbuffered, so that each line is one write and several runs can share the file.
        self._file = path.open("ab", buffering=0)

    def get(self, key: str) -> dict[str, Any] | None:
        return self._records.get(key)

    def put(self, record: dict[str, Any]) -> dict[str, Any]:
        self._records[record["key"]] = record
        self._file.write(json.dumps(record).encode() + b"\n")
        return record


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--ops", nargs="*", default=[], metavar="NAME", help="only these operators")
    parser.add_argument("--most", type=int, metavar="N", help="at most N specializations of each kernel")
    parser.add_argument("--targets", default="sm_90,sm_100")
    parser.add_argument("--machine-code", action="store_true", help="compare what tileiras makes, too")
    parser.add_argument("--rustc", action="store_true", help="let rustc check a crate of each operator")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds that tileiras may take a file")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--show", action="store_true", help="print what is not good, with its cause")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="leave each operator's kernel.rs there")
    parser.add_argument("--results", type=Path, default=cache_folder() / "translate.jsonl", metavar="FILE")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    started = time.monotonic()
    operators = group(arguments.folders, arguments.ops, arguments.most)
    results = Results(arguments.results)
    rustc: dict[str, Any] = {}
    with AssemblyQueue(arguments.jobs, arguments.timeout) as queue, scratch(arguments.sources) as folder:
        for op, specializations in operators.items():
            translate(specializations)
            compile_ports(specializations, folder / op, results, arguments)
            compare_tile_ir(specializations)
            if arguments.rustc:
                rustc[op] = check_crate(folder / op, results)
            print_row(op, specializations, rustc.get(op))
        if arguments.machine_code:
            compare_machine_code(operators, queue, folder, arguments)
    everything = [each for specializations in operators.values() for each in specializations]
    figures = {
        "specializations": [each.as_dict() for each in everything],
        "rustc": rustc,
        "summary": summary(everything),
        "wall_seconds": round(time.monotonic() - started, 1),
    }
    show(everything, figures, arguments)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")
    good = all(each.status in ("equal", "equal_up_to") for each in everything)
    return 0 if good else 1


@contextlib.contextmanager
def scratch(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="tileport-benchmark-") as name:
        yield Path(name)


def group(folders: list[Path], wanted: list[str], most: int | None) -> dict[str, list[Specialization]]:
    """The references below the folders, by operator; ``most`` of each kernel, those that sort first by the
    hash in their names."""
    operators: dict[str, list[Specialization]] = {}
    for root in folders:
        for path in sorted(root.rglob("*.tileirbc")):
            relative = path.parent.relative_to(root)
            if any(part.startswith(".") for part in relative.parts):
                continue  # What a capture is still at work on.
            parts = [part for part in relative.parts if part != "reference"] or [root.name]
            op = ".".join(parts)
            if not wanted or op in wanted:
                operators.setdefault(op, []).append(Specialization(op, path, row_of(path)))
    return {op: sample(operators[op], most) for op in sorted(operators)}


def sample(specializations: list[Specialization], most: int | None) -> list[Specialization]:
    taken: collections.Counter[str] = collections.Counter()
    kept = []
    for each in specializations:
        kernel = each.name.rpartition("__")[0]
        taken[kernel] += 1
        if most is None or taken[kernel] <= most:
            kept.append(each)
    return kept


_INDEXES: dict[Path, dict[str, Any]] = {}


def row_of(path: Path) -> dict[str, Any] | None:
    """The row of the folder's index.json about a reference, if the folder has one."""
    folder = path.parent
    if folder not in _INDEXES:
        index = folder / "index.json"
        document = json.loads(index.read_text()) if index.is_file() else {}
        _INDEXES[folder] = {row["name"]: row for row in document.get("specializations", ())}
    row: dict[str, Any] | None = _INDEXES[folder].get(path.stem)
    return row


# ---- translation ---------------------------------------------------------------------------------------


def translate(specializations: list[Specialization]) -> None:
    """All of an operator at once, as entries are shared; each specialization's time is its share."""
    for each in specializations:
        each.module = tileport.bytecode.read_file(str(each.path))
    started = time.perf_counter()
    translation = tileport.translate.translate(
        [request(each) for each in specializations], names=names_of(specializations)
    )
    seconds = time.perf_counter() - started
    refusals = {refusal.name: refusal.diagnostics for refusal in translation.refusals}
    instances = {
        name: Instance(name, variant.name, instance.generics, instance.hints)
        for variant in translation.variants
        for name, instance in variant.instances.items()
    }
    for each in specializations:
        each.seconds["translate"] = seconds / len(specializations)
        each.source = translation.source
        each.instance = instances.get(each.name)
        each.refusals = [
            {part: diagnostic[part] for part in ("code", "message", "file", "line", "path")}
            for diagnostic in refusals.get(each.name, ())
        ]


def request(each: Specialization) -> tileport.translate.Specialization:
    arguments = tileport.translate.argument_names(each.row["signature"]) if each.row else []
    constants = tileport.translate.constants(each.row["signature"]) if each.row else []
    kernel = each.row["kernel"] if each.row else tileport.translate.kernel_name(each.module)
    return tileport.translate.Specialization(each.name, kernel, each.module, arguments, constants)


def names_of(specializations: list[Specialization]) -> dict[str, dict[tuple[int, int], str]]:
    names = {}
    for row in (each.row for each in specializations if each.row):
        path = source_path(row)
        if row["source"] not in names and path is not None:
            names[row["source"]] = source_names(path)
    return names


# ---- cutile's compiler, rustc, Tile IR -----------------------------------------------------------------


def compile_ports(
    specializations: list[Specialization], folder: Path, results: Results, arguments: argparse.Namespace
) -> None:
    """Fills `ports`; what the results file doesn't know is compiled, a batch a process."""
    translated = [each for each in specializations if each.instance is not None]
    folder.mkdir(parents=True, exist_ok=True)
    kernel = folder / "kernel.rs"
    kernel.write_text(translated[0].source if translated else "")
    checker = checker_hash()
    for target in arguments.targets.split(","):
        missing = {}
        for each in translated:
            key = digest(checker, target, each.source, each.name)
            known = results.get(key)
            if known is None:
                missing[each.name] = (each, key)
            else:
                each.ports[target] = known
        compile_missing(kernel, missing, target, results, arguments.jobs)
    for each in translated:
        each.seconds["check"] = sum(port["seconds"] for port in each.ports.values())


def compile_missing(
    kernel: Path,
    missing: dict[str, tuple[Specialization, str]],
    target: str,
    results: Results,
    jobs: int,
) -> None:
    def take(result: CheckResult) -> None:
        each, key = missing[result.name]
        error = result.error
        each.ports[target] = results.put({
            "key": key,
            "name": result.name,
            "target": target,
            "seconds": result.seconds,
            "port": None if result.file is None else packed(result.file.read_bytes()),
            "problem": None if error is None else {"code": error.code, "message": error.message[:2000]},
        })  # fmt: skip

    instances = [each.instance for each, _ in missing.values() if each.instance is not None]
    with tempfile.TemporaryDirectory(prefix="tileport-benchmark-") as name:
        check_kernels(kernel, Path(name), instances, [target], jobs, on_result=take)


def packed(data: bytes) -> str:
    return base64.b85encode(zlib.compress(data, 9)).decode()


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compare_tile_ir(specializations: list[Specialization]) -> None:
    for each in specializations:
        started = time.perf_counter()
        modules = {
            target: tileport.bytecode.read(unpacked(record["port"]))
            for target, record in each.ports.items()
            if record["port"] is not None
        }
        if modules:
            each.ir = tile_ir.compare(each.module, modules, each.path.name)
            each.seconds["compare"] = time.perf_counter() - started
        each.module = None


def check_crate(folder: Path, results: Results) -> dict[str, Any]:
    source = (folder / "kernel.rs").read_text()
    if not ENTRY.search(source):
        return {"accepted": True, "diagnostics": [], "seconds": 0.0}
    key = digest("rustc", source)
    known = results.get(key)
    if known is None:
        started = time.monotonic()
        write_check_crate(folder)
        outcome = cargo_check(folder)
        known = results.put({
            "key": key,
            "accepted": outcome.accepted,
            "diagnostics": [str(problem)[:2000] for problem in outcome.diagnostics[:50]],
            "seconds": round(time.monotonic() - started, 2),
        })  # fmt: skip
    return {name: value for name, value in known.items() if name != "key"}


# ---- machine code --------------------------------------------------------------------------------------


def compare_machine_code(
    operators: dict[str, list[Specialization]], queue: AssemblyQueue, folder: Path, arguments: Any
) -> None:
    waiting: list[tuple[Specialization, str, Future[Assembled], Future[Assembled] | None]] = []
    for specializations in operators.values():
        for each in specializations:
            for target, record in each.ports.items():
                weight = each.path.stat().st_size / 4000
                submitted = None
                if record["port"] is not None:
                    file = folder / f"{record['key']}.tileirbc"
                    file.write_bytes(unpacked(record["port"]))
                    submitted = queue.submit(file, target, weight)
                waiting.append((each, target, queue.submit(each.path, target, weight), submitted))
    for done, (each, target, reference, made) in enumerate(waiting, 1):
        port = made.result() if made is not None else None
        problem = each.ports[target]["problem"]
        refusal = problem["message"] if problem else None
        sides = {"reference": each.path, "port": folder / f"{each.ports[target]['key']}.tileirbc"}

        def again(side: str, sides: Any = sides, target: str = target) -> Assembled:
            return assemble(sides[side], target, timeout_s=arguments.timeout, use_cache=False)

        each.code[target] = machine_code.compare(
            reference.result(),
            port,
            arguments.timeout,
            refusal,
            again if each.status != "differs" else None,
        )
        if sys.stderr.isatty() or done % 50 == 0:
            print(f"  {done}/{len(waiting)} compared as machine code", file=sys.stderr, flush=True)
    for op, specializations in operators.items():
        counts = collections.Counter(code["class"] for each in specializations for code in each.code.values())
        print(f"{op:<44}" + "  ".join(f"{name} {counts[name]}" for name in _CODE_CLASSES if counts[name]))


# ---- what is printed -----------------------------------------------------------------------------------


def summary(everything: list[Specialization]) -> dict[str, Any]:
    status = collections.Counter(each.status for each in everything)
    codes = collections.Counter(code for each in everything for code in {r["code"] for r in each.refusals})
    machine = {
        target: dict(
            collections.Counter(each.code[target]["class"] for each in everything if target in each.code)
        )
        for target in sorted({target for each in everything for target in each.code})
    }
    times = [sum(each.seconds.values()) for each in everything if each.ir is not None]
    return {
        "specializations": len(everything),
        "status": dict(status),
        "refusal_codes": dict(codes),
        "machine_code": machine,
        "median_seconds": round(statistics.median(times), 3) if times else None,
        "total_seconds": round(sum(times), 1),
    }


_HEAD = (
    f"{'operator':<44}{'all':>5}{'refused':>9}{'not comp.':>10}{'equal':>7}{'up_to':>7}{'differs':>9}"
    f"{'median s':>10}{'total s':>9}"
)


def print_row(op: str, specializations: list[Specialization], rustc: dict[str, Any] | None) -> None:
    global _HEAD
    if _HEAD:
        print(_HEAD)
        _HEAD = ""
    figures = summary(specializations)
    status = figures["status"]
    counts = [status.get(name, 0) for name in ("refused", "not compiled", *_IR_CLASSES)]
    word = "" if rustc is None else ("  rustc ok" if rustc["accepted"] else "  RUSTC REFUSES")
    median = "-" if figures["median_seconds"] is None else f"{figures['median_seconds']:.2f}"
    print(
        f"{op:<44}{len(specializations):>5}{counts[0]:>9}{counts[1]:>10}{counts[2]:>7}{counts[3]:>7}"
        f"{counts[4]:>9}{median:>10}{figures['total_seconds']:>9.1f}{word}",
        flush=True,
    )


def show(everything: list[Specialization], figures: dict[str, Any], arguments: argparse.Namespace) -> None:
    print(json.dumps(figures["summary"]))
    print(f"{figures['wall_seconds']} s wall on {arguments.jobs} cores")
    causes: dict[str, list[Specialization]] = collections.defaultdict(list)
    for each, cause in causes_of(everything):
        causes[cause].append(each)
    for cause, affected in sorted(causes.items(), key=lambda item: -len(item[1])):
        ops = sorted({each.op for each in affected})
        print(f"{len(affected):5}  {cause}\n       in {', '.join(ops)}")
        if arguments.show:
            for each in affected:
                print(f"       {each.path}")
    for op, verdict in figures["rustc"].items():
        for problem in verdict["diagnostics"][:5]:
            print(f"rustc, {op}: {problem}")


def causes_of(everything: list[Specialization]) -> Iterator[tuple[Specialization, str]]:
    for each in everything:
        for refusal in each.refusals:
            yield each, f"refused {refusal['code']}: {refusal['message']}"
        for message in {port["problem"]["message"] for port in each.ports.values() if port["problem"]}:
            yield each, f"cutile: {message[:300]}"
        if each.ir is not None:
            for message in {finding["message"] for finding in each.ir["findings"][:3]}:
                yield each, f"Tile IR: {message[:300]}"
        for target, code in each.code.items():
            if code["class"] not in ("identical", "neither"):
                yield each, f"{target}: {'; '.join(code['notes'])[:300]}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(str(error))
