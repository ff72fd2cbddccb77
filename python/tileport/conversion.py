# SPDX-License-Identifier: Apache-2.0
"""Converting an operator, proving a port, and going on with a conversion: the package's top-level
functions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tileport import contract
from tileport.errors import Error, InputError
from tileport.stages.capture import Source, find_source
from tileport.stages.port import Port, open_port
from tileport.stages.progress import Progress
from tileport.stages.runner import DEFAULT_TARGETS, DEFAULT_TIMEOUT_S, Options, Run, Runner, make_options
from tileport.wrappers.ports import ports_folder


@dataclass
class Conversion:
    """What a conversion or a proof came to. Everything in it can be read again from ``directory``."""

    op: str
    directory: Path
    verdict: str | None
    """"proven", "equivalent" or "unproven"; None if the conversion stopped before there was a proof."""
    specializations: list[dict[str, Any]]
    """The proof's rows (before there is a proof, the index's), each with its own "verdict" added."""
    proof: dict[str, Any] | None
    report: Path | None
    run: Run
    required: dict[str, Conversion] = field(default_factory=dict)
    """The conversions of other operators whose kernels this one's tests launch."""
    required_errors: dict[str, Error] = field(default_factory=dict)
    """Why some of those could not be converted."""

    @property
    def exit_status(self) -> int:
        """0 if this port and those it requires are proven or equivalent (or not judged yet), 1 if one isn't;
        more if one that it requires could not be converted."""
        statuses = [1 if self.verdict == "unproven" else 0]
        statuses += [other.exit_status for other in self.required.values()]
        return max([*statuses, *(error.exit_status for error in self.required_errors.values())])

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "op": self.op,
            "directory": str(self.directory),
            "verdict": self.verdict,
            "specializations": [
                {"name": row["name"], "verdict": row["verdict"], **_classes(row)}
                for row in self.specializations
            ],
            "report": str(self.report) if self.report else None,
            "stages": [
                {
                    "stage": stage.stage,
                    "seconds": round(stage.seconds, 3),
                    "cpu_seconds": round(stage.cpu_seconds, 3),
                    "up_to_date": stage.up_to_date,
                    "summary": stage.summary,
                }
                for stage in self.run.stages
            ],
            "tileiras": {
                "runs": self.run.tileiras_runs,
                "remembered": self.run.tileiras_remembered,
                "cpu_seconds": round(self.run.tileiras_cpu_seconds, 3),
            },
            "notes": self.run.notes,
            "required": {op: conversion.as_dict() for op, conversion in self.required.items()},
            "required_errors": {op: error.as_dict() for op, error in self.required_errors.items()},
        }


def _classes(row: Mapping[str, Any]) -> dict[str, Any]:
    code = row.get("code") or {}
    return {
        "ir": row["ir"]["class"] if row.get("ir") else None,
        "code": {target: evidence["class"] for target, evidence in code.items()} or None,
    }


def convert(
    op_or_file: str,
    *,
    out: str | os.PathLike[str] | None = None,
    targets: str | Sequence[str] = DEFAULT_TARGETS,
    jobs: int | None = None,
    tests: str | os.PathLike[str] | None = None,
    run: str | os.PathLike[str] | None = None,
    run_arguments: Sequence[str] = (),
    tileiras_timeout: float = DEFAULT_TIMEOUT_S,
    stop_after: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Conversion:
    """Converts one operator to cuTile Rust, from capture to report, and proves the port. No GPU is needed.

    ``op_or_file``: an operator of TileGym ("softmax"), or ``FILE.py:KERNEL`` for a kernel of your own,
    launched by the program ``run`` (default: FILE.py itself) with ``run_arguments``. ``out``: the folder of
    all ports (default: $TILEPORT_PORTS, else $XDG_DATA_HOME/tileport/ports); this one goes to OUT/OP.
    ``targets``: what to compare machine code for, or "all". ``jobs``: how many assemblies run at once
    (default: one a core). ``tests``: a folder of TileGym's own tests, whose launches are captured too.
    ``tileiras_timeout``: seconds that tileiras may take for one file. ``stop_after``: the last stage to run,
    of capture, translate, check, prove, host, report. ``fresh``: forget what earlier runs made; otherwise
    what is still valid is kept.

    Raises ``tileport.Error``: UsageError for a wrong name or option or a folder that can't be written,
    InputError for files that can't be read, ToolchainError for missing tools, RefusedError if cuTile refuses
    every kernel or if files of the port were tampered with.
    """
    options = make_options(
        list(targets) if not isinstance(targets, str) else targets, jobs, tileiras_timeout, stop_after
    )
    source = find_source(op_or_file, tests, run, tuple(run_arguments))
    folder = (Path(out) if out is not None else ports_folder()).absolute()
    return _convert(source, folder, options, fresh, progress or Progress(), {})


def _convert(
    source: Source,
    folder: Path,
    options: Options,
    fresh: bool,
    progress: Progress,
    done: dict[str, Conversion | None],
) -> Conversion:
    port = Port(folder / source.operator.name)
    made = port.create()
    done[port.op] = None
    try:
        with port.locked():
            if fresh:
                port.clear()
            _record_request(port, source, options)
            with Runner(port, options, progress, source) as runner:
                runner.convert()
            conversion = _result(port, runner)
    finally:
        if made:
            _remove_if_nothing_was_captured(port, made)
    done[port.op] = conversion
    for required in contract.read(contract.INDEX, port.index).get("requires", ()):
        if required not in done:
            try:
                other = find_source(required, source.tests)
                conversion.required[required] = _convert(other, folder, options, fresh, progress, done)
            except Error as error:
                conversion.required_errors[required] = error
                progress.note(
                    port.op, f"{required}, whose kernels its tests launch, is not converted: {error}"
                )
    return conversion


def prove(
    op_or_directory: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    targets: str | Sequence[str] = DEFAULT_TARGETS,
    jobs: int | None = None,
    tileiras_timeout: float = DEFAULT_TIMEOUT_S,
    progress: Progress | None = None,
) -> Conversion:
    """Proves the port that is in a folder, from kernel.rs and reference/ alone; nothing remembered counts.

    ``op_or_directory``: an operator whose port is in ``out``, or the port's own folder. kernel.rs is compiled
    again, so an edited kernel.rs is proven as it is. The other arguments are those of ``convert``. Raises
    RefusedError if reference/ or generated/ were tampered with.
    """
    options = make_options(
        list(targets) if not isinstance(targets, str) else targets, jobs, tileiras_timeout, None
    )
    folder = (Path(out) if out is not None else ports_folder()).absolute()
    port = open_port(os.fspath(op_or_directory), folder)
    port.create()
    with port.locked():
        with Runner(port, options, progress or Progress()) as runner:
            runner.prove_again()
        return _result(port, runner)


def resume(
    directory: str | os.PathLike[str], *, jobs: int | None = None, progress: Progress | None = None
) -> Conversion:
    """Goes on with the conversion that was last begun in a port's folder, as it was asked for then."""
    port = open_port(os.fspath(directory), ports_folder())
    record = port.ledger.last("request")
    if record is None:
        raise InputError("no-request", "its ledger does not say what was asked for", str(port.folder),
                         "Run `tileport convert` with the operator's name.")  # fmt: skip
    asked = dict(record.facts)
    return convert(
        asked["given"],
        out=port.folder.parent,
        targets=asked["targets"],
        jobs=jobs,
        tests=asked["tests"],
        run=asked["script"],
        run_arguments=asked["script_arguments"],
        tileiras_timeout=asked["timeout_s"],
        stop_after=asked["stop_after"],
        progress=progress,
    )


def _record_request(port: Port, source: Source, options: Options) -> None:
    file, colon, kernel = source.given.partition(":")
    request = {
        "given": f"{Path(file).resolve()}{colon}{kernel}" if source.is_user_file else source.given,
        "tests": _absolute(source.tests),
        "script": _absolute(source.script),
        "script_arguments": list(source.script_arguments),
        "targets": list(options.targets),
        "timeout_s": options.timeout_s,
        "stop_after": options.stop_after,
    }
    last = port.ledger.last("request")
    if last is None or dict(last.facts) != request:
        port.ledger.append("request", {}, [], 0.0, 0.0, request)


def _absolute(path: Path | None) -> str | None:
    return str(path.resolve()) if path is not None else None


def _remove_if_nothing_was_captured(port: Port, made: list[Path]) -> None:
    """Takes back the folders of a conversion that failed before it captured anything."""
    if port.index.exists():
        return
    port.clear()
    (port.folder / ".lock").unlink(missing_ok=True)
    for folder in made:
        with contextlib.suppress(OSError):  # somebody else uses it by now
            folder.rmdir()


def _result(port: Port, runner: Runner) -> Conversion:
    # A run that stopped earlier says nothing about a proof that may be there.
    proof = contract.read(contract.PROOF, port.proof) if runner.options.reaches("prove") else None
    verdicts: dict[str, str] = contract.judge(proof)[1] if proof else {}
    rows = (proof or contract.read(contract.INDEX, port.index))["specializations"]
    return Conversion(
        op=port.op,
        directory=port.folder,
        verdict=proof["verdict"] if proof else None,
        specializations=[{**row, "verdict": verdicts.get(row["name"])} for row in rows],
        proof=proof,
        report=port.report if runner.options.reaches("report") else None,
        run=runner.run,
    )
