# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of docs/proof-status.md from the proofs in a ports folder.

    python -m tileport.report.proof_status PORTS docs/proof-status.md

What is between the two markers is replaced; the explanations around them are written by hand.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tileport import contract
from tileport.errors import Error, InputError
from tileport.toolchain import write_atomically

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


def tables(proofs: list[dict[str, Any]]) -> str:
    """Markdown: a row for each operator and target, then whatever is not identical on every target."""
    lines = [
        "| operator | specializations | Tile IR | target | machine code | verdict |",
        "|---|---|---|---|---|---|",
    ]
    others = []
    for proof in proofs:
        _, verdicts = contract.judge(proof)
        rows = proof["specializations"]
        ir = _counts(row["ir"]["class"] if row["ir"] else "not compared" for row in rows)
        for target in proof["targets"]:
            code = _counts(row["code"][target]["class"] for row in rows if row["code"])
            lines.append(f"| {proof['op']} | {len(rows)} | {ir} | {target} | {code} | {proof['verdict']} |")
        for row in rows:
            if any(
                evidence["class"] != "identical" for evidence in (row["code"] or {"": {"class": ""}}).values()
            ):
                others.append(f"| `{row['name']}` | {verdicts[row['name']]} | {_reason(row)} |")
    lines.append("")
    if others:
        lines += ["| not identical on every target | verdict | what differs |", "|---|---|---|", *others]
    else:
        lines.append("Every specialization is identical on every target.")
    return "\n".join(lines) + "\n"


def _counts(classes: Any) -> str:
    counter = Counter(classes)
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in sorted(counter.items()))


def _reason(row: dict[str, Any]) -> str:
    parts = [finding["message"] for finding in (row["ir"]["findings"][:1] if row["ir"] else [])]
    for target, evidence in (row["code"] or {}).items():
        if evidence["class"] != "identical":
            parts.append(f"{target} {evidence['class']}: {'; '.join(evidence['notes'][:1])}")
    return "; ".join(parts).replace("|", "\\|").replace("\n", " ") or "not compared"


def update(document: Path, ports: Path) -> None:
    """Replaces the tables of ``document`` by those of the proofs in ``ports``."""
    paths = sorted(ports.glob("*/proof.json"))
    if not paths:
        raise InputError(
            "no-proofs", "there are no proofs here", str(ports), "Run `tileport convert OP` first."
        )
    text = document.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError("no-markers", f"lacks the lines {BEGIN} and {END}", str(document))
    made = tables([contract.read(contract.PROOF, path) for path in paths])
    write_atomically(document, f"{before}{BEGIN}\n{made}{END}{after}".encode())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        update(Path(sys.argv[2]), Path(sys.argv[1]))
    except Error as error:
        sys.exit(f"proof_status: {error}")
