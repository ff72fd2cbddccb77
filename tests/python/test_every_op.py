# SPDX-License-Identifier: Apache-2.0
"""Every op of the op table with every value of its attributes, in every version of the bytecode.

Modules are made of the golden ones: each attribute of each op is set to all its enumerators, taken away and,
if it is a unit, turned over, and the result is written in all versions that can hold it. Of each such file
the verdict must be tileirdisasm's, and what it accepts must print, parse and be written back as it says.
"""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tileport import bytecode, ir, text, verify

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"
VERSIONS = [(13, minor) for minor in range(1, 6)]
TABLE = {row["mnemonic"]: row for row in ir.op_table()}
#: Occurrences of an op that get every change; more only repeat.
MOST_OCCURRENCES = 4
#: The short run takes every n-th change.
STRIDE = 40

#: Rows that are no op of a body.
FRAMES = {"module", "entry", "global"}


@dataclass(frozen=True)
class Change:
    """One attribute of one op of one golden file."""

    file: str
    op: int
    mnemonic: str
    attribute: str
    value: str
    """An enumerator; "set", "not set" or "absent"; "" if nothing changes."""


@dataclass
class Outcome:
    change: Change
    accepted: list[tuple[int, int]]
    """Versions in which the tool takes it."""
    faults: list[str]


def changes() -> Iterator[Change]:
    """In the order of files and ops; an op without attributes gets one change that changes nothing."""
    seen: dict[str, int] = defaultdict(int)
    for path in sorted(GOLDEN.glob("*.tileirbc")):
        for number, op in enumerate(bytecode.read_file(path).walk()):
            name = op.mnemonic
            seen[name] += 1
            if seen[name] > MOST_OCCURRENCES:
                continue
            yield Change(path.name, number, name, "", "")
            for attribute in TABLE[name]["attributes"]:
                for value in attribute["enumerators"]:
                    yield Change(path.name, number, name, attribute["name"], value)
                if attribute["optional"]:
                    yield Change(path.name, number, name, attribute["name"], "absent")
            for unit in TABLE[name]["units"]:
                yield Change(path.name, number, name, unit, "set")
                yield Change(path.name, number, name, unit, "not set")


def isolate(module: ir.Module, number: int) -> None:
    """Leaves only an op, what it needs and what holds it: other ops of the file may be newer than it."""
    ops: list[ir.Operation] = []
    holders: dict[ir.Operation, ir.Operation | None] = {}

    def visit(block: ir.Block | ir.Function, holder: ir.Operation | None) -> None:
        for op in block.ops:
            ops.append(op)
            holders[op] = holder
            for body in op.regions:
                if body is not None:
                    visit(body, op)

    for function in module.functions:
        visit(function, None)
    needed: set[ir.Operation] = set()
    open_ends = [ops[number], *(function.ops[-1] for function in module.functions)]
    while open_ends:
        op = open_ends.pop()
        if op in needed:
            continue
        needed.add(op)
        holder = holders[op]
        open_ends += [holder] if holder is not None else []
        open_ends += [body.ops[-1] for body in op.regions if body is not None]
        open_ends += [value.producer for value in op.operands if value.producer is not None]
    builder = ir.Builder(module)
    for op in reversed(ops):
        if op not in needed:
            builder.erase(op)


def apply(change: Change, module: ir.Module) -> None:
    builder, op = ir.Builder(module), module.walk()[change.op]
    if change.value == "absent":
        if change.attribute in op.attributes:
            builder.remove_attribute(op, change.attribute)
    elif change.value in ("set", "not set"):
        builder.set_attribute(op, change.attribute, change.value == "set")
    elif change.value:
        builder.set_attribute(op, change.attribute, change.value)


def encoded(source: str) -> bytes:
    return source.encode("utf-8", "surrogateescape")


def faults_of(data: bytes, said: bytes) -> Iterator[str]:
    """What is wrong with how tileport reads a file that the tool takes and prints so."""
    module = bytecode.read(data)
    printed = text.print(module)
    if encoded(printed) != said:
        yield "another text"
    if (difference := ir.first_difference(module, text.parse(printed))) is not None:
        yield f"parsed otherwise: {difference}"
    if bytecode.write(bytecode.read_document(data)) != data:
        yield "not written back"


def try_out(change: Change, tool: str, path: Path) -> Outcome:
    outcome = Outcome(change, [], [])
    for version in VERSIONS:
        module = bytecode.read_file(GOLDEN / change.file)
        apply(change, module)
        isolate(module, change.op)
        try:
            data = bytecode.write(module, version=version)
        except bytecode.BytecodeError as error:
            if error.diagnostics[0]["code"] != "TP-B0027":
                outcome.faults.append(f"{version}: {error}")
            continue
        path.write_bytes(data)
        done = subprocess.run([tool, str(path)], capture_output=True, timeout=60)
        good = done.returncode == 0
        findings = [f for f in verify.verify(bytecode.read(data)) if f.severity == "error"]
        if good != (not findings):
            said = findings[0].text if findings else done.stderr.decode(errors="replace")
            outcome.faults.append(f"{version}: {'accepted' if good else 'refused'} by the tool; {said}")
        elif good:
            outcome.accepted.append(version)
            outcome.faults += [f"{version}: {fault}" for fault in faults_of(data, done.stdout)]
    return outcome


def try_all(work: list[Change], tool: str) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        jobs = min(4, os.cpu_count() or 1)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            numbered = enumerate(work)
            run = [pool.submit(try_out, c, tool, Path(folder) / f"{i}.tileirbc") for i, c in numbered]
            return [done.result() for done in run]


def faults(outcomes: list[Outcome]) -> list[str]:
    return [f"{outcome.change}: {fault}" for outcome in outcomes for fault in outcome.faults]


def test_goldens_hold_every_op() -> None:
    assert {change.mnemonic for change in changes()} == set(TABLE) - FRAMES - {"preview$call"}


def test_a_sample_of_changes(tool: str) -> None:
    outcomes = try_all(list(changes())[::STRIDE], tool)
    assert faults(outcomes) == []
    assert sum(len(outcome.accepted) for outcome in outcomes) > len(outcomes)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_every_value_in_every_version(tool: str) -> None:
    outcomes = try_all(list(changes()), tool)
    assert faults(outcomes) == []
    accepted: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for outcome in outcomes:
        accepted[outcome.change.mnemonic, outcome.change.attribute].update(outcome.accepted)
    # Each op and each of its attributes is there in every version that has it.
    missing = {}
    for (name, attribute), versions in accepted.items():
        since = {entry["name"]: entry["since"] for entry in TABLE[name]["attributes"]}
        first = max(TABLE[name]["since"], since.get(attribute, (13, 1)))
        if lacking := {version for version in VERSIONS if version >= first} - versions:
            missing[name, attribute] = sorted(lacking)
    assert missing == {}
