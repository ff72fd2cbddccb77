# SPDX-License-Identifier: Apache-2.0
"""The pairs file: which entry of the port is the counterpart of which entry of the reference.

    {"schema": "tileport/pairs/1",
     "pairs": [{"variant": "tma", "ref_file": "softmax.tileirbc", "ref_entry": "softmax_tma",
                "gen_file": "port.tileirbc", "gen_entry": "softmax_tma"}, ...]}

Files are names within the compared folders, or of the compared files; a file may be left out where the
entry's name says enough. Other members are kept and mean nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileport.diff.comparison import DiffError

SCHEMA = "tileport/pairs/1"


@dataclass(frozen=True)
class Pair:
    """A reference's entry and its counterpart; an empty file stands for any."""

    ref_entry: str
    gen_entry: str
    ref_file: str = ""
    gen_file: str = ""
    variant: str = ""


def refuse(code: str, message: str, file: str, advice: str) -> DiffError:
    return DiffError([{"code": code, "message": message, "file": file, "advice": advice}])


def read_pairs(file: str | Path) -> list[Pair]:
    """Reads a pairs file. Raises ``DiffError`` TP-D0006 if it can't be read or is none."""
    name = str(file)
    advice = "docs/diff.md shows a pairs file; `tileport diff A B --write-pairs FILE` proposes one"
    try:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise refuse("TP-D0006", f"the pairs file can't be read: {error.strerror}", name, advice) from error
    except ValueError as error:
        raise refuse("TP-D0006", f"the pairs file is no JSON: {error}", name, advice) from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise refuse("TP-D0006", f'the pairs file lacks "schema": "{SCHEMA}"', name, advice)
    rows = document.get("pairs")
    if not isinstance(rows, list):
        raise refuse("TP-D0006", '"pairs" of the pairs file is no list', name, advice)
    return [_pair(row, number, name, advice) for number, row in enumerate(rows)]


def _pair(row: Any, number: int, file: str, advice: str) -> Pair:
    members = Pair.__dataclass_fields__
    if not isinstance(row, dict):
        raise refuse("TP-D0006", f"pair {number} is no object", file, advice)
    known = {member: row[member] for member in members if member in row}
    for member, value in known.items():
        if not isinstance(value, str):
            raise refuse("TP-D0006", f'"{member}" of pair {number} is no string', file, advice)
    for member in ("ref_entry", "gen_entry"):
        if not known.get(member):
            raise refuse("TP-D0006", f'pair {number} lacks "{member}"', file, advice)
    return Pair(**known)


def write_pairs(file: str | Path, pairs: Sequence[Pair]) -> None:
    """Writes a pairs file, to be looked at and kept."""
    rows = [{member: value for member, value in vars(pair).items() if value} for pair in pairs]
    Path(file).write_text(json.dumps({"schema": SCHEMA, "pairs": rows}, indent=2) + "\n", encoding="utf-8")
