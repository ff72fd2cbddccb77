# SPDX-License-Identifier: Apache-2.0
"""Stage check: kernel.rs to Tile IR with cutile's own compiler, and rustc's word on the crate."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tileport import bytecode, text
from tileport.errors import Error, InputError, RefusedError
from tileport.stages import dispatch
from tileport.stages.ledger import file_hash, text_hash
from tileport.stages.port import Port
from tileport.toolchain import find_toolchain
from tileport.toolchain.check import cargo_check, check_kernels
from tileport.wrappers.crate import write_check_crate

_LONGEST_MESSAGE = 4000
_MOST_DIAGNOSTICS = 50
ENTRY = re.compile(r"^\s*#\[\w+::entry\b", re.MULTILINE)
"""The attribute of an entry: `cutile::entry`, or another path that cutile's compiler takes and its macro
passes over (src/translate/entry.cpp)."""

_NEWER = re.compile(r"requires Tile IR (\d+\.\d+)")


@dataclass(frozen=True)
class Problem:
    """Why an entry does not compile, and where in kernel.rs."""

    code: str
    message: str
    line: int | None
    column: int | None


@dataclass
class Checked:
    """What kernel.rs compiles to: files and problems by (name, target)."""

    files: dict[tuple[str, str], Path] = field(default_factory=dict)
    problems: dict[tuple[str, str], Problem] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    """The bytecode version of the files, by target, where it is newer than the references'."""
    crate: dict[str, Any] | None = None
    """rustc's word, as proof.json has it under "check"."""

    @property
    def entries(self) -> set[str]:
        """Specializations that kernel.rs has an entry for, whether it compiles or not."""
        return {name for name, _ in (*self.files, *self.problems)}

    def summary(self) -> str:
        refused = {name for name, _ in self.problems}
        parts = [f"{len(self.entries) - len(refused)} specializations compile"]
        if refused:
            parts.append(f"{len(refused)} are refused")
        if self.crate is not None:
            parts.append(
                "rustc " + ("accepts" if self.crate["class"] == "accepted" else "refuses") + " the crate"
            )
        return ", ".join(parts)


def inputs(port: Port, names: list[str], targets: tuple[str, ...]) -> dict[str, str]:
    return {
        "kernel": file_hash(port.kernel),
        "dispatch": file_hash(port.dispatch),
        "names": text_hash(repr(names)),
        "targets": ",".join(targets),
        "checker": checker_hash(),
    }


def checker_hash() -> str:
    return file_hash(find_toolchain().require("tileport-check"))


def run(
    port: Port,
    names: list[str],
    targets: tuple[str, ...],
    jobs: int,
    reference_hashes: Mapping[str, str],
    compiled: Callable[[str, str, Path], None],
    advance: Callable[[int, int, str], None],
) -> Checked:
    """Compiles the instances of kernel.rs's entries that serve ``names`` for every target into generated/.

    What is in generated/ already is not believed: it is compared with what kernel.rs compiles to, and a
    folder that was copied from the reference or changed by hand is refused. ``compiled`` is called for each
    file once it is in its place; rustc checks the crate meanwhile.
    """
    refuse_copies(port, reference_hashes)
    checked = Checked()
    crate = _CrateCheck(port)
    with port.scratch("generated") as scratch:
        new = scratch / "generated"
        new.mkdir()
        _compile(port, names, targets, jobs, new, checked, advance)
        _refuse_tampering(port, new, targets)
        port.replace_folder(new, port.generated)
    for (name, target), path in checked.files.items():
        checked.files[name, target] = port.generated / path.relative_to(new)
        compiled(name, target, checked.files[name, target])
    checked.crate = crate.result()
    return checked


def _compile(
    port: Port,
    names: list[str],
    targets: tuple[str, ...],
    jobs: int,
    out: Path,
    checked: Checked,
    advance: Callable[[int, int, str], None],
) -> None:
    if not _has_entries(port.kernel):
        return
    instances = list(dispatch.read(port, names).values())
    total = len(instances) * len(targets)

    def take(result: Any) -> None:
        if result.file is not None:
            checked.files[result.name, result.target] = out / result.target / f"{result.name}.tileirbc"
        elif result.error.code != "unknown-entry":
            checked.problems[result.name, result.target] = _problem(result.error)
        advance(len(checked.files) + len(checked.problems), total, "compiling")

    check_kernels(port.kernel, out, instances, targets, jobs, on_result=take)
    for target, version in _newer_versions(checked, targets).items():
        checked.versions[target] = version
        for instance in instances:
            checked.problems.pop((instance.name, target), None)
        check_kernels(port.kernel, out, instances, [target], jobs, take, bytecode_version=version)


def _newer_versions(checked: Checked, targets: tuple[str, ...]) -> dict[str, str]:
    """Targets for which cutile writes no bytecode as old as the references', and the version it asks for.

    tileiras takes old bytecode for these too, so a reference may well assemble.
    """
    versions = {}
    for target in targets:
        asked = {
            _NEWER.search(problem.message) for (_, at), problem in checked.problems.items() if at == target
        }
        compiled = any(at == target for _, at in checked.files)
        found = {match.group(1) for match in asked if match}
        if not compiled and None not in asked and len(found) == 1:
            versions[target] = found.pop()
    return versions


def _problem(error: Any) -> Problem:
    return Problem(error.code, error.message[:_LONGEST_MESSAGE], error.line or None, error.column or None)


def _has_entries(kernel: Path) -> bool:
    # A kernel.rs in which every kernel was refused has no module for the compiler to look at.
    return kernel.is_file() and bool(ENTRY.search(kernel.read_text(encoding="utf-8", errors="replace")))


def refuse_copies(port: Port, reference_hashes: Mapping[str, str]) -> None:
    """Raises RefusedError if a generated file is a reference file."""
    names = {digest: name for name, digest in reference_hashes.items()}
    for path in sorted(port.generated.rglob("*.tileirbc")):
        name = names.get(file_hash(path))
        if name is not None:
            raise RefusedError(
                "copied-reference",
                f"is a copy of reference/{name}.tileirbc, which proves nothing about kernel.rs",
                str(path),
                "Remove generated/ and run the command again: it is made from kernel.rs.",
            )


def _refuse_tampering(port: Port, new: Path, targets: tuple[str, ...]) -> None:
    """Raises RefusedError if a generated file isn't what kernel.rs, unchanged since the last check,
    compiles to."""
    record = port.ledger.last("check")
    if record is None or record.inputs.get("kernel") != file_hash(port.kernel):
        return
    if record.inputs.get("dispatch") != file_hash(port.dispatch):
        return
    if record.inputs.get("checker") != checker_hash():
        return
    for target in targets:
        for path in sorted((port.generated / target).glob("*.tileirbc")):
            made = new / target / path.name
            if not made.is_file() or not _same_kernel(made, path):
                raise RefusedError(
                    "tampered-generated",
                    "is not what kernel.rs compiles to, although kernel.rs was not changed since it was made",
                    str(path),
                    "Remove generated/ and run the command again: it is made from kernel.rs.",
                )


def _same_kernel(made: Path, found: Path) -> bool:
    """Whether two files hold one kernel. Not byte for byte: cutile writes attributes in the order of a hash
    table, which is another one in every run. Debug locations are left out, as they are from machine code."""
    if file_hash(made) == file_hash(found):
        return True
    try:
        return text.print(bytecode.read_file(found)) == text.print(bytecode.read_file(made))
    except InputError:
        return False


class _CrateCheck:
    """cargo check of the port's crate, in the background: it mostly waits for one long compilation."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._result: dict[str, Any] | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            if _has_entries(self._port.kernel):
                write_check_crate(self._port.folder)
                self._result = _crate_evidence(cargo_check(self._port.folder))
        except BaseException as error:
            self._error = error

    def result(self) -> dict[str, Any] | None:
        self._thread.join()
        if isinstance(self._error, Error):
            raise self._error
        assert self._error is None, self._error
        return self._result


def _crate_evidence(outcome: Any) -> dict[str, Any]:
    diagnostics = [
        {
            "code": problem.code or "",
            "message": problem.message[:_LONGEST_MESSAGE],
            "file": problem.file or None,
            "line": problem.line,
            "column": problem.column,
        }
        for problem in outcome.diagnostics[:_MOST_DIAGNOSTICS]
    ]
    return {"class": "accepted" if outcome.accepted else "refused", "diagnostics": diagnostics}
