# SPDX-License-Identifier: Apache-2.0
"""``capture_all``: from the launches of all of TileGym to a folder per operator, and what is missing and why.

OUT/OP/reference/     as a capture of the operator alone writes it
OUT/capture.json      what was run, what each operator's kernels got, and what was not captured
OUT/.capture/         the journal, from which the next run goes on
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileport.capture import index as index_module
from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.drivers.unreached import UNREACHED
from tileport.capture.engine import Outcome, Progress, require_packages, tests_root, writable
from tileport.capture.journal import State, item_of
from tileport.capture.registry import operators
from tileport.capture.sweep import STATE_FOLDER, Plan, Sweep, make_plan
from tileport.toolchain import find_toolchain

SCHEMA = "tileport/capture/1"
SUMMARY = "capture.json"

# How an error says that cuTile refused a kernel.
_REFUSED = re.compile(r"\b(Tile\w*Error|TypeCheckingError|UnsupportedFeatureError)\b")
# Where pytest says that an error was raised.
_PLACE = re.compile(r"^\S+\.py:\d+: ")


@dataclass(frozen=True)
class Everything:
    """What ``capture_all`` did. ``summary`` is what capture.json holds."""

    folder: Path
    summary: dict[str, Any]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Failed calls of our own drivers, other than by a refused kernel: defects of tileport."""
        return [
            entry
            for entry in self.summary["not_captured"]
            if entry["item"].startswith("driver/") and entry["cause"] not in ("refused", "launches-nothing")
        ]


def capture_all(
    out: str | os.PathLike[str],
    *,
    tests: str | os.PathLike[str] | None = None,
    device_models: Sequence[str] = tuple(DEVICE_MODELS),
    autotune: bool = False,
    jobs: int = 1,
    limit: float = 300.0,
    fresh: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Everything:
    """Runs all of TileGym with no GPU and writes the kernels of every operator to OUT/OP/reference.

    Run are all drivers and, with TileGym's tests (``tests``, default ``$TILEGYM_TESTS``), all tests, those
    that measure included, and all benchmarks. ``jobs`` workers run side by side; a case or test that takes
    longer than ``limit`` seconds is given up. What an earlier run into the same folder recorded is taken,
    unless ``fresh`` or what decides it has changed. Raises as ``capture`` does for wrong names, folders and
    missing packages.
    """
    out = Path(out)
    require_packages(tilegym=True)
    find_toolchain().require("tileirdisasm")
    root = tests_root(tests)
    began = time.monotonic()
    with writable(out):
        plan = make_plan(root)
        sweep = Sweep(
            plan,
            out / STATE_FOLDER,
            device_models,
            autotune=autotune,
            limit=limit,
            jobs=jobs,
            progress=progress or (lambda _: None),
        )
        if fresh:
            sweep.journal.clear()
        state = sweep.run()
        summary = _write(out, plan, state, list(device_models), autotune)
        summary["seconds"] = round(time.monotonic() - began, 1)
        _write_json(out / SUMMARY, summary)
    return Everything(out, summary)


def _write(out: Path, plan: Plan, state: State, models: list[str], autotune: bool) -> dict[str, Any]:
    workers = len(os.sched_getaffinity(0))
    rows = index_module.build_rows(state.records, None, workers)
    rejected = index_module.rejected_rows(state.records, None)
    launched_by: dict[str, set[str]] = {}
    for row in rows:
        for test in row["tests"]:
            launched_by.setdefault(test, set()).add(row["op"])
    for op in sorted({row["op"] for row in rows}):
        own = [row for row in rows if row["op"] == op]
        together = set().union(*(launched_by[test] for row in own for test in row["tests"]))
        index = index_module.make_index(
            op, own, [row for row in rejected if row["op"] == op], sorted(together - {op})
        )
        files = {row["name"]: Path(row["_file"]) for row in own}
        index_module.write_reference(out / op / "reference", {"": index}, {"": files})
    return {
        "schema": SCHEMA,
        "toolchain": index_module.toolchain_versions(),
        "device_models": models,
        "autotune": autotune,
        "tests": plan.root is not None,
        "specializations": len(rows),
        "launches": sum(state.launches.values()),
        "operators": _operators(state, rows, rejected),
        "items": _items(plan, state),
        "not_run": [{"item": left_out.name, "reason": left_out.reason} for left_out in plan.not_run],
        "not_captured": not_captured(list(state.outcomes.values())),
    }


def _operators(
    state: State, rows: list[dict[str, Any]], rejected: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Per operator, and per file of kernels that belongs to none: launches and specializations."""
    launches: dict[str, int] = {}
    counts_of = state.launches
    for number, record in enumerate(state.records):
        op = index_module.operator_name(Path(record.data["source"]), None)
        launches[op] = launches.get(op, 0) + counts_of.get(number, 0)
    known = {name: operator.kernels for name, operator in operators().items() if operator.kernels}
    table = []
    for op in sorted({*known, *launches}):
        counts: dict[str, int] = dict.fromkeys(known.get(op, ()), 0)
        for row in rows:
            if row["op"] == op:
                counts[row["kernel"]] = counts.get(row["kernel"], 0) + 1
        refused = [row for row in rejected if row["op"] == op]
        table.append(
            {
                "op": op,
                "kernels": counts,
                "launches": launches.get(op, 0),
                "specializations": sum(counts.values()),
                "refused": len(refused),
                "unreached": {
                    kernel: UNREACHED.get((op, kernel), "no call of it is known")
                    for kernel, count in counts.items()
                    if count == 0
                },
            }
        )
    return table


def _items(plan: Plan, state: State) -> list[dict[str, Any]]:
    """Per driver, test file and benchmark, over all device models: how its cases ended."""
    table: dict[str, dict[str, Any]] = {
        item.name: {
            "item": item.name,
            "kind": item.kind,
            "passed": 0,
            "skipped": 0,
            "failed": 0,
            "launches": 0,
        }
        for item in plan.items
    }
    for outcome in state.outcomes.values():
        row = table.get(item_of(outcome.test))
        if row is not None:
            row[outcome.outcome] += 1
            if "::" in outcome.test:  # a benchmark's own outcome counts its configurations' launches again
                row["launches"] += outcome.launches
    return list(table.values())


def not_captured(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """What launched nothing, or may have ended before its last launch, by item, cause and reason."""
    groups: dict[tuple[str, str, str], dict[str, Any]] = {}
    for outcome in outcomes:
        found = cause_of(outcome)
        if found is None:
            continue
        cause, reason = found
        key = (item_of(outcome.test), cause, reason)
        group = groups.setdefault(
            key,
            {"item": key[0], "cause": cause, "reason": reason, "count": 0, "after_launches": 0, "tests": []},
        )
        group["count"] += 1
        group["after_launches"] += outcome.launches > 0
        if outcome.test not in group["tests"]:
            group["tests"].append(outcome.test)
    return sorted(groups.values(), key=lambda group: (group["item"], group["cause"], group["reason"]))


def cause_of(outcome: Outcome) -> tuple[str, str] | None:
    """Why a case or test was not wholly captured, as (cause, reason); None if it was."""
    reason = _one_line(outcome.error or "")
    if outcome.outcome == "skipped":
        return "skips-itself", reason
    if outcome.outcome == "passed":
        return None if outcome.launches else ("launches-nothing", "it passes without a launch")
    if outcome.refused or _REFUSED.search(reason):
        return "refused", reason
    if reason.startswith("not done "):
        return "limit", reason
    if reason.startswith("the process died"):
        return "process-died", reason
    if ("AssertionError" in reason or reason.startswith(("assert ", "Failed"))) and outcome.launches:
        # Launches compute nothing, so results are zeros.
        return "looks-at-results", reason
    return "host-code-fails", reason


def _one_line(error: str) -> str:
    """What stands first of an error's message, without the place, which pytest puts before it."""
    lines = [line.removeprefix("E ").strip() for line in error.strip().splitlines() if line.strip()]
    for line in lines:
        if _PLACE.match(line):
            return _PLACE.sub("", line)[:200]
    return lines[0][:200] if lines else ""


def _write_json(path: Path, data: dict[str, Any]) -> None:
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(scratch, path)
