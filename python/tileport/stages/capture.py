# SPDX-License-Identifier: Apache-2.0
"""Stage capture: reference/ with the bytecode of every launch, from the operator's own host code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tileport.capture
from tileport import contract
from tileport.capture.engine import TESTS_VARIABLE
from tileport.capture.index import make_index, toolchain_versions
from tileport.capture.registry import Operator, find_operator, operators, tilegym_folder, user_operator
from tileport.errors import ToolchainError, UsageError
from tileport.stages.ledger import content_hash, file_hash, folder_hash, text_hash
from tileport.stages.port import Port


@dataclass(frozen=True)
class Source:
    """What is converted: an operator of TileGym or kernels of a user's own file, and what launches them."""

    operator: Operator
    given: str
    """As the user named it: "softmax", "mine.py:kernel"."""
    tests: Path | None = None
    script: Path | None = None
    script_arguments: tuple[str, ...] = ()

    @property
    def is_user_file(self) -> bool:
        return self.given.partition(":")[0].endswith(".py")


def find_source(
    given: str,
    tests: str | os.PathLike[str] | None = None,
    script: str | os.PathLike[str] | None = None,
    script_arguments: tuple[str, ...] = (),
) -> Source:
    """Resolves what the user named; raises as the capture would, before any work is done."""
    file, _, kernel = given.partition(":")
    if file.endswith(".py"):
        if tests is not None:
            raise UsageError("tests-of-user-kernel", "tests belong to operators of TileGym", given,
                             "launch your own kernel from a program: --run SCRIPT.py")  # fmt: skip
        operator = user_operator(Path(file), kernel or None)
        return Source(operator, given, None, Path(script) if script else None, script_arguments)
    if script is not None:
        raise UsageError(
            "script-for-operator",
            "operators of TileGym are launched by their drivers and tests",
            given,
            "to run a program of your own, name the file of the kernel: FILE.py:KERNEL",
        )
    named = tests if tests is not None else os.environ.get(TESTS_VARIABLE) or None
    return Source(find_operator(given), given, Path(named) if named is not None else None)


def known_operators() -> list[str]:
    """Names of all operators of the installed TileGym; empty if it isn't installed."""
    try:
        return sorted(operators())
    except ToolchainError:
        return []


def inputs(source: Source, port: Port) -> dict[str, str]:
    """Hashes of all that decides what is captured."""
    package = Path(tileport.capture.__file__).parent
    hashes = {
        "source": text_hash(f"{source.given.partition(':')[2]}\0{file_hash(source.operator.source)}"),
        "capture": folder_hash(package),
        "versions": text_hash(repr(sorted(toolchain_versions().items()))),
        "required": text_hash("\0".join(content_hash(path.parent) for path in _launched_elsewhere(port))),
    }
    if source.is_user_file:
        script = source.script or source.operator.source
        # A program may import what lies beside it.
        hashes["script"] = text_hash(
            "\0".join([folder_hash(script.parent, "*.py"), *source.script_arguments])
        )
    else:
        hashes["tilegym"] = folder_hash(tilegym_folder(), "*.py")
        hashes["tests"] = folder_hash(source.tests, "*.py") if source.tests else "none"
    return hashes


def run(source: Source, port: Port, progress: Callable[[int, int, str], None]) -> dict[str, Any]:
    """Captures into the port's reference/ and gives facts for the ledger. What other operators' conversions
    launched of this one's kernels is added."""
    latest: dict[str, Any] = {}

    def show(now: Any) -> None:
        latest[now.device_model] = now
        done = sum(each.done for each in latest.values())
        total = sum(each.total for each in latest.values())
        progress(done, total, f"{now.device_model}: {now.phase}, {now.specializations} specializations")

    elsewhere = _launched_elsewhere(port)
    try:
        result = tileport.capture.capture(
            source.given,
            port.folder,
            tests=source.tests,
            run=source.script,
            run_arguments=source.script_arguments,
            progress=show,
        )
    except UsageError as error:
        if error.code not in ("nothing-launches-op", "nothing-launched") or not elsewhere:
            raise
        _start_reference(source, port)
        facts: dict[str, Any] = {"seconds": {}, "launches": 0, "failures": []}
    else:
        facts = {
            "seconds": {phase: round(seconds, 3) for phase, seconds in result.seconds.items()},
            "launches": result.launches,
            "failures": [f"{failure.test}: {failure.error}" for failure in result.failures],
        }
    for path in elsewhere:
        _add(port, path)
    return facts


def _launched_elsewhere(port: Port) -> list[Path]:
    """Indexes of what the conversions of other operators beside this one launched of its kernels."""
    return sorted(port.folder.parent.glob(f"*/reference/required/{port.op}/index.json"))


def _start_reference(source: Source, port: Port) -> None:
    with port.scratch("reference") as scratch:
        reference = scratch / "reference"
        reference.mkdir()
        contract.write(contract.INDEX, make_index(source.operator.name, [], [], []), reference / "index.json")
        port.replace_folder(reference, port.reference)


def _add(port: Port, other: Path) -> None:
    """Adds the rows of another index; rows of one name are one specialization and are merged."""
    index = contract.read(contract.INDEX, port.index)
    added = contract.read(contract.INDEX, other)
    rows = {row["name"]: row for row in index["specializations"]}
    for row in added["specializations"]:
        known = rows.get(row["name"])
        if known is None:
            file = f"{row['name']}.tileirbc"
            shutil.copyfile(other.parent / file, port.reference / file)
            rows[row["name"]] = row
        else:
            for part in ("tests", "grid", "argument_facts", "device_model"):
                known[part] += [item for item in row[part] if item not in known[part]]
    index["specializations"] = sorted(rows.values(), key=lambda row: (row["op"], row["kernel"], row["name"]))
    contract.write(contract.INDEX, index, port.index)


def required_operators(index: Mapping[str, Any]) -> list[str]:
    return list(index.get("requires", ()))
