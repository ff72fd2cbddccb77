# SPDX-License-Identifier: Apache-2.0
"""From what workers recorded to ``reference/``: bytecode files and index.json (schema tileport/index/1)."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tileport import contract
from tileport.capture.registry import Operator, operator_of_source, tilegym_folder
from tileport.capture.session import BYTECODE_VERSION
from tileport.errors import InputError
from tileport.toolchain import disassemble

SCHEMA = "tileport/index/1"


@dataclass
class Recorded:
    """One specialization as one worker saw it, with the launches that used it."""

    data: dict[str, Any]
    folder: Path
    tests: list[str] = field(default_factory=list)
    grids: list[list[int]] = field(default_factory=list)
    facts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def bytecode(self) -> Path | None:
        return self.folder / self.data["file"] if self.data["file"] else None

    def add_launch(self, test: str, grid: list[int], facts: dict[str, Any]) -> None:
        for values, value in ((self.tests, test), (self.grids, grid), (self.facts, facts)):
            if value not in values:
                values.append(value)  # type: ignore[arg-type]


def toolchain_versions() -> dict[str, str | None]:
    """Versions of what made the bytecode; None for what is not installed."""
    packages = {
        "cuda_tile": "cuda-tile",
        "tileiras": "nvidia-cuda-tileiras",
        "tilegym": "tilegym",
        "torch": "torch",
    }
    versions: dict[str, str | None] = {}
    for name, package in packages.items():
        try:
            versions[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    versions["bytecode"] = BYTECODE_VERSION
    return versions


def relative_source(path: Path) -> str:
    """``path`` relative to what holds its outermost package: "tilegym/ops/cutile/softmax.py"."""
    root = path.parent
    while (root / "__init__.py").exists() and root != root.parent:
        root = root.parent
    return path.relative_to(root).as_posix()


def specialization_name(kernel: str, text: str) -> str:
    """NAME of a specialization: its kernel and a hash of its Tile IR as ``tileirdisasm`` prints it."""
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
    return f"{kernel}__{digest[:10]}"


def operator_name(source: Path, operator: Operator | None) -> str:
    """The op that owns the kernels of ``source``: a TileGym operator, or the name of a file of one's own."""
    if operator is not None and source == operator.source:
        return operator.name
    owner = operator_of_source(source)
    if owner is not None:
        return owner.name
    return relative_source(source).removesuffix(".py").replace("/", ".")


def build_rows(
    records: Iterable[Recorded], operator: Operator | None, workers: int = 2
) -> list[dict[str, Any]]:
    """One row per distinct text, merged over tests, launches and device models, sorted by kernel and name.

    Several bytecodes can have the same text, as they may differ in what the text does not show. The one with
    the smallest sha256 is taken, which depends on nothing but the set itself.
    """
    exported = [
        (hashlib.sha256(record.bytecode.read_bytes()).hexdigest(), record)
        for record in records
        if record.bytecode is not None
    ]
    one_file_of = {sha256: record.bytecode for sha256, record in exported if record.bytecode is not None}
    with ThreadPoolExecutor(workers) as pool:
        texts = dict(zip(one_file_of, pool.map(disassemble, one_file_of.values()), strict=True))
    groups: dict[tuple[str, str], list[tuple[str, Recorded]]] = {}
    for sha256, record in exported:
        name = specialization_name(record.data["kernel"], texts[sha256])
        owner = operator_name(Path(record.data["source"]), operator)
        groups.setdefault((owner, name), []).append((sha256, record))
    rows = [_row(owner, name, group) for (owner, name), group in groups.items()]
    return sorted(rows, key=lambda row: (row["op"], row["kernel"], row["name"]))


def _row(owner: str, name: str, group: list[tuple[str, Recorded]]) -> dict[str, Any]:
    sha256, first = min(group, key=lambda item: item[0])
    data = first.data
    merged = Recorded(data, first.folder)
    for _, record in group:
        for test in record.tests:
            merged.tests += [test] if test not in merged.tests else []
        merged.grids += [grid for grid in record.grids if grid not in merged.grids]
        merged.facts += [facts for facts in record.facts if facts not in merged.facts]
    signature = [
        {"name": parameter, **described}
        for parameter, described in zip(data["parameters"], data["signature"], strict=True)
    ]
    models = {record.data["device_model"] for _, record in group}
    return {
        "name": name,
        "op": owner,
        "kernel": data["kernel"],
        "source": relative_source(Path(data["source"])),
        "line": data["line"],
        "symbol": data["symbol"],
        "calling_convention": data["calling_convention"],
        "signature": signature,
        "constants": {item["name"]: item["value"] for item in signature if item["kind"] == "constant"},
        "dtypes": {item["name"]: dtype for item in signature if (dtype := _dtype(item)) is not None},
        "arg_kinds": {item["name"]: item["kind"] for item in signature},
        "argument_facts": sorted(merged.facts, key=json.dumps),
        "hints": data["hints"],
        "grid": sorted(merged.grids),
        "device_model": sorted(models),
        "tests": sorted(merged.tests),
        "sha256": sha256,
        # Not written: where the bytecode is until it is copied.
        "_file": str(first.bytecode),
    }


def _dtype(item: dict[str, Any]) -> str | None:
    return item["element"]["dtype"] if item["kind"] == "list" else item.get("dtype")


def rejected_rows(records: Iterable[Recorded], operator: Operator | None) -> list[dict[str, Any]]:
    """What cuTile refused, with its reason: one row per kernel, symbol, hints, target and reason."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        data = record.data
        if data["rejected"] is None:
            continue
        source = Path(data["source"])
        row = {
            "op": operator_name(source, operator),
            "kernel": data["kernel"],
            "source": relative_source(source),
            "line": data["line"],
            "symbol": data["symbol"],
            "hints": data["hints"],
            "target": data["target"],
            "reason": data["rejected"],
        }
        known = rows.setdefault(json.dumps(row), {**row, "tests": []})
        known["tests"] = sorted({*known["tests"], *record.tests})
    return sorted(rows.values(), key=lambda row: (row["op"], row["kernel"], row["symbol"], row["target"]))


def make_index(
    op: str, rows: list[dict[str, Any]], rejected: list[dict[str, Any]], requires: list[str]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "op": op,
        "toolchain": toolchain_versions(),
        "requires": requires,
        "specializations": [{name: value for name, value in row.items() if name != "_file"} for row in rows],
        "rejected": rejected,
    }


def write_reference(
    folder: Path, indexes: dict[str, dict[str, Any]], files: dict[str, dict[str, Path]]
) -> None:
    """Replaces ``folder`` by the given indexes and their bytecode files, all or nothing.

    The key "" is the operator itself; any other key is an operator whose kernels it launches too, and goes to
    ``required/OP/``.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".reference-", dir=folder.parent))
    try:
        staging.chmod(0o755)  # mkdtemp makes private folders
        for key, index in indexes.items():
            place = staging / "required" / key if key else staging
            place.mkdir(parents=True, exist_ok=True)
            for name, source in files[key].items():
                shutil.copyfile(source, place / f"{name}.tileirbc")
            contract.write(SCHEMA, index, place / "index.json")
        _replace(staging, folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _replace(new: Path, folder: Path) -> None:
    # A folder can't be renamed onto one that isn't empty, so the old one steps aside first.
    if folder.exists():
        aside = Path(tempfile.mkdtemp(prefix=".reference-old-", dir=folder.parent))
        os.rename(folder, aside / "reference")
        os.rename(new, folder)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        os.rename(new, folder)


def read_index(reference: Path) -> dict[str, Any]:
    """The index of a reference folder; InputError if there is none or it is of another schema."""
    path = reference / "index.json"
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("unreadable-index", error.strerror or str(error), str(path)) from None
    except ValueError as error:
        raise InputError("malformed-index", f"not valid JSON: {error}", str(path)) from None
    if not isinstance(index, dict) or index.get("schema") != SCHEMA:
        raise InputError("malformed-index", f"not an index of schema {SCHEMA}", str(path))
    return index


def source_path(row: dict[str, Any]) -> Path | None:
    """Where the source of a row's kernel is installed; None if it belongs to no installed package."""
    relative = Path(row["source"])
    if relative.parts[0] == "tilegym":
        path = tilegym_folder().parent / relative
        return path if path.is_file() else None
    return None
