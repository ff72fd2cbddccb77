# SPDX-License-Identifier: Apache-2.0
"""Stage prove: compares every port with its reference, as Tile IR and as machine code, and writes
proof.json."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tileport
from tileport import _core, bytecode, contract, text
from tileport.capture.index import specialization_name
from tileport.errors import InputError, RefusedError
from tileport.stages import dispatch, machine_code, tile_ir
from tileport.stages.assembly import AssemblyQueue
from tileport.stages.check import ENTRY, Checked, Problem
from tileport.stages.ledger import file_hash, folder_hash, text_hash
from tileport.stages.port import Port
from tileport.toolchain import Assembled, assemble, find_toolchain
from tileport.toolchain.check import Instance
from tileport.wrappers.crate import CUTILE_VERSION

_BYTES_PER_SECOND = 4000.0
"""How much bytecode tileiras gets through in a second, roughly; only the order of assembling depends on
it."""


@dataclass
class References:
    """The captured bytecode of a port: modules and hashes by name, and what tileiras makes of each."""

    files: dict[str, Path]
    modules: dict[str, Any]
    hashes: dict[str, str]
    """sha256 of each file."""
    hash: str
    """Of all of them and the index."""
    assembled: dict[tuple[str, str], Future[Assembled]] = field(default_factory=dict)
    ports: dict[tuple[str, str], Future[Assembled]] = field(default_factory=dict)

    def submit(self, queue: AssemblyQueue, targets: tuple[str, ...]) -> None:
        """Queues those that were not queued before."""
        for name, path in self.files.items():
            for target in targets:
                if (name, target) in self.assembled:
                    continue
                weight = path.stat().st_size / _BYTES_PER_SECOND
                self.assembled[name, target] = queue.submit(path, target, weight)

    def submit_port(self, queue: AssemblyQueue, name: str, target: str, path: Path) -> None:
        """Queues a port; it takes about as long as its reference did, if that is known by now."""
        reference = self.assembled.get((name, target))
        known = reference is not None and reference.done() and reference.exception() is None
        weight = (
            reference.result().cpu_seconds if known and reference else path.stat().st_size / _BYTES_PER_SECOND
        )
        self.ports[name, target] = queue.submit(path, target, weight)


def read_references(port: Port, index: Mapping[str, Any]) -> References:
    """Reads and verifies reference/: each file is what the index says, and its text is what its name says.

    RefusedError if a file was changed, InputError if one is missing or no bytecode.
    """
    references = References({}, {}, {}, "")
    for row in index["specializations"]:
        name = row["name"]
        path = port.reference / f"{name}.tileirbc"
        references.modules[name] = _read_reference(path, name, row["sha256"])
        references.files[name] = path
        references.hashes[name] = row["sha256"]
    references.hash = text_hash(repr([file_hash(port.index), sorted(references.hashes.items())]))
    return references


def _read_reference(path: Path, name: str, sha256: str) -> Any:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            "unreadable-reference", f"cannot be read: {error.strerror}", str(path), _RECAPTURE
        ) from None
    module = bytecode.read(data, str(path))
    kernel = name.rpartition("__")[0]
    if hashlib.sha256(data).hexdigest() != sha256 or name != specialization_name(kernel, text.print(module)):
        raise RefusedError(
            "tampered-reference",
            "is not the bytecode that was captured under this name",
            str(path),
            _RECAPTURE,
        )
    return module


def read_unseen(port: Port, references: References) -> list[str]:
    """Adds the bytecode of unseen/ that dispatch.json lists, and gives the names that are new."""
    new = []
    for row in dispatch.unseen(port):
        name = row["name"]
        if name not in references.files:
            path = port.unseen / f"{name}.tileirbc"
            references.modules[name] = _read_reference(path, name, row["sha256"])
            references.files[name] = path
            references.hashes[name] = row["sha256"]
            new.append(name)
    return new


_RECAPTURE = "Capture it again: `tileport convert OP --fresh`."


def code_hash() -> str:
    """The hash of what compares: proofs made by other code are made again."""
    core = file_hash(Path(_core.__file__))
    return text_hash(f"{core}\0{folder_hash(Path(__file__).parent, '*.py')}")


def toolchain_versions(index: Mapping[str, Any]) -> dict[str, str | None]:
    captured = index["toolchain"]
    return {
        "tileport": tileport.__version__,
        "cutile": CUTILE_VERSION,
        "cuda_tile": captured["cuda_tile"],
        "tilegym": captured["tilegym"],
        "torch": captured["torch"],
        "tileiras": find_toolchain().tileiras.version or "unknown",
        "bytecode": captured["bytecode"],
    }


def run(
    port: Port,
    index: Mapping[str, Any],
    references: References,
    checked: Checked,
    refusals: Mapping[str, list[dict[str, Any]]],
    queue: AssemblyQueue,
    targets: tuple[str, ...],
    advance: Callable[[int, int, str], None],
) -> dict[str, Any]:
    """Makes and writes the proof of what was checked. Assemblies that were not queued before are queued
    here."""
    references.submit(queue, targets)
    for name, target in checked.files:
        if (name, target) not in references.ports:
            references.submit_port(queue, name, target, checked.files[name, target])
    # While tileiras works.
    captured = {row["name"]: row for row in index["specializations"]}
    unseen = dispatch.unseen(port)
    compared = {
        name: _tile_ir(row, references, checked, refusals, targets)
        for name, row in (
            *captured.items(),
            *((row["name"], {**captured[row["of"]], "name": row["name"]}) for row in unseen),
        )
    }
    instances = dispatch.read(port, list(references.files))
    total = len(references.assembled) + len(references.ports)

    def codes(name: str) -> dict[str, dict[str, Any]]:
        found = {}
        for target in targets:
            found[target] = _machine_code(
                name, target, references, checked, queue.timeout_s, compared[name]["class"] != "differs"
            )
            advance(queue.finished, total, "assembling")
        return found

    rows = [
        _evidence(port, name, instances.get(name), checked, compared[name], codes(name)) for name in captured
    ]
    by_name = {row["name"]: row for row in rows}
    for row in unseen:
        evidence = _evidence(port, row["name"], instances.get(row["name"]), checked, compared[row["name"]],
                             codes(row["name"]))  # fmt: skip
        of = by_name[row["of"]]
        of["unseen"] = [
            *(of["unseen"] or ()),
            {
                "name": row["name"],
                "constants": row["constants"],
                "generics": row["generics"],
                "ir": evidence["ir"],
                "code": evidence["code"],
            },
        ]
    proof = {
        "schema": contract.PROOF,
        "op": index["op"],
        "toolchain": toolchain_versions(index),
        "targets": list(targets),
        "requires": list(index.get("requires", ())),
        "check": checked.crate,
        "specializations": rows,
        "verdict": None,
        "gpu": "pending",
    }
    proof["verdict"] = contract.judge(proof)[0]
    contract.write(contract.PROOF, proof, port.proof)
    return proof


def _evidence(
    port: Port,
    name: str,
    instance: Instance | None,
    checked: Checked,
    ir: dict[str, Any],
    code: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """The row of one specialization."""
    for target, evidence in code.items():
        problem = checked.problems.get((name, target))
        # A target that neither side can be made for says nothing against the port.
        if problem is not None and evidence["class"] != "neither":
            ir["class"] = "differs"
            _add(ir["findings"], _not_compiled(port, problem, target))
    served = instance if name in checked.entries else None
    return {
        "name": name,
        "variant": served.entry if served else None,
        "entry": served.entry if served else None,
        "generics": dict(served.generics) if served else None,
        "kernel_sha256": file_hash(port.kernel) if served else None,
        "ir": ir,
        "code": code,
        "unseen": None,
        "cpu": None,
        "tests": None,
        "timing": None,
    }


def _add(findings: list[dict[str, Any]], new: dict[str, Any]) -> None:
    """Adds a finding, or its targets to one that says the same."""
    for known in findings:
        if {**known, "targets": []} == {**new, "targets": []}:
            known["targets"] += new["targets"]
            return
    findings.append(new)


def _machine_code(
    name: str, target: str, references: References, checked: Checked, timeout_s: float, same_ir: bool
) -> dict[str, Any]:
    reference = references.assembled[name, target].result()
    waiting = references.ports.get((name, target))
    problem = checked.problems.get((name, target))
    refusal = problem.message if problem is not None else None

    def again(side: str) -> Assembled:
        file = references.files[name] if side == "reference" else checked.files[name, target]
        return assemble(file, target, timeout_s=timeout_s, use_cache=False)

    evidence = machine_code.compare(
        reference, waiting.result() if waiting else None, timeout_s, refusal, again if same_ir else None
    )
    if target in checked.versions:
        evidence["notes"].append(
            f"the port is Tile IR {checked.versions[target]}: cutile writes no older one for {target}"
        )
    return evidence


def _tile_ir(
    row: Mapping[str, Any],
    references: References,
    checked: Checked,
    refusals: Mapping[str, list[dict[str, Any]]],
    targets: tuple[str, ...],
) -> dict[str, Any]:
    """The comparison for the targets that there is a port for."""
    name = row["name"]
    if name not in checked.entries:
        return _not_translated(row, refusals.get(name), targets)
    files = {target: checked.files[name, target] for target in targets if (name, target) in checked.files}
    if not files:
        return {"class": "differs", "notes": [], "findings": []}
    ports = {target: bytecode.read_file(str(path)) for target, path in files.items()}
    return tile_ir.compare(references.modules[name], ports, Path(row["source"]).name)


def _not_compiled(port: Port, problem: Problem, target: str) -> dict[str, Any]:
    place = f"kernel.rs:{problem.line}: " if problem.line else ""
    message = f"{place}cutile's compiler refuses the entry: {problem.message}"
    here = tile_ir.site("kernel.rs", problem.line) if problem.line else None
    source = _source_of_line(port.kernel.read_text(encoding="utf-8"), problem.line) if problem.line else None
    return tile_ir.finding("mistranslation", message, [target], source, here)


def _source_of_line(kernel: str, line: int) -> dict[str, Any] | None:
    """The place in the Python source that the translator noted above a line of kernel.rs."""
    for above in reversed(kernel.splitlines()[:line]):
        if ENTRY.match(above):
            return None
        noted = re.fullmatch(r"\s*// (\S+\.py):(\d+)", above)
        if noted:
            return tile_ir.site(noted.group(1), int(noted.group(2)))
    return None


def _not_translated(
    row: Mapping[str, Any], problems: list[dict[str, Any]] | None, targets: tuple[str, ...]
) -> dict[str, Any]:
    if not problems:
        return _refused("mistranslation", f"kernel.rs has no entry for {row['name']}", targets, None)
    first = problems[0]
    site = tile_ir.site(Path(row["source"]).name, first["line"] or row["line"], first["path"])
    advice = f"; {first['advice']}" if first.get("advice") else ""
    message = f"was not translated: {first['message']} [{first['code']}]{advice}"
    return _refused("compiler_limitation", message, targets, site)


def _refused(
    kind: str, message: str, targets: tuple[str, ...], reference: dict[str, Any] | None
) -> dict[str, Any]:
    finding = tile_ir.finding(kind, message, list(targets), reference, None)
    return {"class": "differs", "notes": [], "findings": [finding]}
