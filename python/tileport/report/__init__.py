# SPDX-License-Identifier: Apache-2.0
"""The report of a conversion: one self-contained HTML page made from proof.json (and the captured index)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import tileport
from tileport import contract
from tileport.stages.port import Port
from tileport.toolchain import write_atomically

VERDICT_TEXT = {
    "proven": "Proven: the machine code of the port equals the reference's.",
    "equivalent": "Equivalent: the Tile IR of port and reference is the same computation, but the machine "
    "code is not the same everywhere.",
    "unproven": "Unproven: a difference is not explained. Do not rely on this port.",
}
GPU_TEXT = {
    "pending": "GPU gate pending: nothing was executed on a GPU",
    "passed": "the operator's tests passed on a GPU",
    "failed": "the operator's tests failed on a GPU",
}


def write_report(port: Port) -> Path:
    """Writes the port's report.html from its proof.json and gives its path; InputError if there is none."""
    proof = contract.read(contract.PROOF, port.proof)
    index = contract.read(contract.INDEX, port.index) if port.index.is_file() else None
    write_atomically(port.report, render(proof, index).encode())
    return port.report


def render(proof: dict[str, Any], index: dict[str, Any] | None) -> str:
    """The page as HTML text. Without an index, constants and source places are missing from it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tileport.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pair"] = _pair
    environment.filters["value"] = _value
    return environment.get_template("page.html").render(**_content(proof, index))


def _content(proof: dict[str, Any], index: dict[str, Any] | None) -> dict[str, Any]:
    verdict, verdicts = contract.judge(proof)
    captured = {row["name"]: row for row in index["specializations"]} if index else {}
    rows = [
        {**row, "verdict": verdicts[row["name"]], "kernel": row["name"].rpartition("__")[0],
         "captured": captured.get(row["name"])}
        for row in proof["specializations"]
    ]  # fmt: skip
    return {
        "proof": proof,
        "version": tileport.__version__,
        "verdict": verdict,
        "verdict_text": VERDICT_TEXT[verdict],
        "gpu_text": GPU_TEXT[proof["gpu"]],
        "rows": rows,
        "kernels": kernel_table(proof, verdicts),
        "notes": _all_notes(proof),
        "look": [_look(row) for row in rows if row["verdict"] != "proven" or row["ir"]["class"] == "differs"],
        "refusals": proof["check"]["diagnostics"] if proof["check"] else [],
    }


def kernel_table(proof: dict[str, Any], verdicts: dict[str, str]) -> list[dict[str, Any]]:
    """One row a kernel: counts of verdicts, of IR classes and, by target, of code classes."""
    table: dict[str, dict[str, Any]] = {}
    for row in proof["specializations"]:
        kernel = row["name"].rpartition("__")[0]
        counts = table.setdefault(
            kernel,
            {
                "kernel": kernel,
                "specializations": 0,
                "verdicts": Counter(),
                "ir": Counter(),
                "code": {target: Counter() for target in proof["targets"]},
                "instructions": {target: [] for target in proof["targets"]},
                "registers": {target: [] for target in proof["targets"]},
            },
        )
        counts["specializations"] += 1
        counts["verdicts"][verdicts[row["name"]]] += 1
        counts["ir"][row["ir"]["class"] if row["ir"] else "not compared"] += 1
        for target, evidence in (row["code"] or {}).items():
            counts["code"][target][evidence["class"]] += 1
            for number in ("instructions", "registers"):
                if evidence[number][1] is not None:
                    counts[number][target].append(evidence[number][1])
    return list(table.values())


def _all_notes(proof: dict[str, Any]) -> list[dict[str, Any]]:
    """The harmless differences of all specializations, by rule."""
    notes: dict[str, dict[str, Any]] = {}
    for row in proof["specializations"]:
        for note in row["ir"]["notes"] if row["ir"] else []:
            total = notes.setdefault(note["rule"], {**note, "count": 0, "specializations": 0})
            total["count"] += note["count"]
            total["specializations"] += 1
    return sorted(notes.values(), key=lambda note: -note["count"])


def _look(row: dict[str, Any]) -> dict[str, Any]:
    """Where to look next for a specialization that isn't proven."""
    findings = row["ir"]["findings"] if row["ir"] else []
    order = {"critical": 0, "warning": 1, "note": 2}
    first = min(findings, key=lambda finding: order[finding["severity"]], default=None)
    code = [
        f"{target}: {evidence['class']}" + (f" ({evidence['notes'][0]})" if evidence["notes"] else "")
        for target, evidence in (row["code"] or {}).items()
        if evidence["class"] != "identical"
    ]
    return {
        "name": row["name"],
        "verdict": row["verdict"],
        "finding": first,
        "more": max(0, len(findings) - 1),
        "code": code,
    }


def place(site: dict[str, Any] | None) -> str:
    """``file:line``, the access path, or both, of one side of a finding."""
    if site is None:
        return ""
    line = f"{site['file']}:{site['line']}" if site["file"] and site["line"] else ""
    return f"{line} ({site['path']})" if line and site["path"] else line or site["path"]


def _pair(pair: list[Any]) -> str:
    """Two numbers, or one if they are equal."""
    left, right = ("–" if number is None else str(number) for number in pair)
    return left if left == right else f"{left} → {right}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={_value(item)}" for name, item in value.items())
    return "none" if value is None else str(value)
