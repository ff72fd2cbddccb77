# SPDX-License-Identifier: Apache-2.0
"""Runs the stages of one conversion in order, skips those that are up to date, and keeps the ledger."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tileport import contract, report
from tileport.errors import UsageError
from tileport.stages import capture, check, dispatch, host, prove, translate
from tileport.stages.assembly import AssemblyQueue
from tileport.stages.capture import Source
from tileport.stages.ledger import Record, file_hash, folder_hash
from tileport.stages.port import Port
from tileport.stages.progress import STAGES, Progress
from tileport.toolchain import find_toolchain

DEFAULT_TARGETS = ("sm_90", "sm_100")
DEFAULT_TIMEOUT_S = 120.0


_TOOLS = {"capture": ("tileirdisasm",), "check": ("tileport-check", "cargo", "rustc"), "prove": ("tileiras",)}
"""What each stage cannot do without."""


@dataclass(frozen=True)
class Options:
    """What a conversion was asked for, checked."""

    targets: tuple[str, ...] = DEFAULT_TARGETS
    jobs: int = 1
    timeout_s: float = DEFAULT_TIMEOUT_S
    stop_after: str | None = None

    def reaches(self, stage: str) -> bool:
        return self.stop_after is None or STAGES.index(stage) <= STAGES.index(self.stop_after)


@dataclass(frozen=True)
class StageRun:
    """One stage of a run. ``cpu_seconds`` is this process and its children, tileiras excluded."""

    stage: str
    seconds: float
    cpu_seconds: float
    up_to_date: bool
    summary: str


@dataclass
class Run:
    """What happened, for whoever asked for it."""

    stages: list[StageRun] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tileiras_cpu_seconds: float = 0.0
    tileiras_runs: int = 0
    tileiras_remembered: int = 0


def make_options(
    targets: str | tuple[str, ...] | list[str],
    jobs: int | None,
    tileiras_timeout: float,
    stop_after: str | None,
) -> Options:
    """Checks what the user asked for; raises UsageError (or ToolchainError if targets can't be looked up)."""
    available = len(os.sched_getaffinity(0))
    if jobs is not None and jobs < 1:
        raise UsageError("bad-jobs", f"{jobs} jobs: at least one is needed", "--jobs")
    if not tileiras_timeout > 0:
        raise UsageError(
            "bad-timeout", f"{tileiras_timeout:g} seconds: must be positive", "--tileiras-timeout"
        )
    if stop_after is not None and stop_after not in STAGES:
        raise UsageError("unknown-stage", f"there is no stage {stop_after!r}", "--stop-after",
                         f"Stages are {', '.join(STAGES)}.")  # fmt: skip
    options = Options(_select_targets(targets), jobs or available, tileiras_timeout, stop_after)
    # Said before minutes of work, not after.
    for stage, tools in _TOOLS.items():
        for tool in tools if options.reaches(stage) else ():
            find_toolchain().require(tool)
    return options


def _select_targets(targets: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    toolchain = find_toolchain()
    toolchain.require("tileiras")
    known = toolchain.targets
    named = [targets] if isinstance(targets, str) else list(targets)
    wanted = [part.strip() for item in named for part in item.split(",") if part.strip()]
    if wanted == ["all"]:
        return known
    if not wanted:
        raise UsageError(
            "no-target", "no target is named", "--targets", f"Targets are {', '.join(known)}, or all."
        )
    for target in wanted:
        if target not in known:
            raise UsageError("unknown-target", f"tileiras has no target {target!r}", "--targets",
                             f"Targets are {', '.join(known)}, or all.")  # fmt: skip
    return tuple(dict.fromkeys(wanted))


class Runner:
    """One conversion of one operator; a context manager, because assemblies run in the background."""

    def __init__(
        self, port: Port, options: Options, progress: Progress, source: Source | None = None
    ) -> None:
        self.port = port
        self.options = options
        self.progress = progress
        self.source = source
        self.run = Run()
        self._index: dict[str, Any] = {}
        self._checked: check.Checked | None = None
        self._references: prove.References | None = None
        self._resources = contextlib.ExitStack()
        self._queue: AssemblyQueue | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: Any) -> None:
        self._resources.__exit__(*error)
        self._count_assemblies()

    # ---- the conversion --------------------------------------------------------------------------------

    def convert(self) -> None:
        assert self.source is not None
        self._capture()
        if self.options.reaches("translate"):
            if self.options.reaches("prove") and not self._is_proven():
                self._start_references()
            self._translate()
        if self.options.reaches("check"):
            self._check()
        if self.options.reaches("prove"):
            self._prove()
        if self.options.reaches("host"):
            self._host()
        if self.options.reaches("report"):
            self._report()

    def prove_again(self) -> None:
        """Proves what is in the folder, whatever the ledger says."""
        self._index = self._read_references()
        self._start_references()
        self._check(force=True)
        self._prove(force=True)
        self._report()

    def _capture(self) -> None:
        source = self.source
        assert source is not None

        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            facts = capture.run(source, self.port, advance)
            for failure in facts["failures"]:
                self._note(f"a call failed during the capture: {failure}")
            return self._captured_summary(), facts, ["reference"]

        self._stage("capture", capture.inputs(source, self.port), work, self._captured_summary)
        self._index = self._read_references()

    def _captured_summary(self) -> str:
        index = contract.read(contract.INDEX, self.port.index)
        kernels = {row["kernel"] for row in index["specializations"]}
        return f"{len(index['specializations'])} specializations of {len(kernels)} kernels"

    def _read_references(self) -> dict[str, Any]:
        index = contract.read(contract.INDEX, self.port.index)
        self._references = prove.read_references(self.port, index)
        return index

    def _translate(self) -> None:
        source = self.source
        assert source is not None

        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            edited = self._keep_edited_kernel()
            facts = translate.run(self.port, self._index, self._loaded.modules, source, advance)
            if edited is not None:
                self._note(f"kernel.rs had been edited; the edited file is kept as {edited.name}")
            for note in facts["notes"]:
                self._note(note)
            for name, problems in facts["refusals"].items():
                self._note(f"{name} is refused: {problems[0]['message']}")
            return self._translated_summary(facts), facts, ["kernel.rs", "dispatch.json", "unseen"]

        inputs = translate.inputs(self._index, self._loaded.hash, source)
        self._stage("translate", inputs, work, lambda: self._translated_summary(self._facts("translate")))

    def _keep_edited_kernel(self) -> Path | None:
        """Renames a kernel.rs that is not what the last translation wrote, so that no work is lost."""
        record = self.port.ledger.last("translate")
        if record is None or file_hash(self.port.kernel) in ("absent", record.outputs.get("kernel.rs")):
            return None
        kept = self.port.folder / "kernel.edited.rs"
        os.replace(self.port.kernel, kept)
        return kept

    def _translated_summary(self, facts: Mapping[str, Any]) -> str:
        refused = len(facts["refusals"])
        return f"{len(facts['entries'])} entries" + (f", {refused} refused" if refused else "")

    def _check(self, force: bool = False) -> None:
        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            checked = self._compile(advance)
            return checked.summary(), {"cargo": checked.crate}, ["generated"]

        self._stage("check", self._check_inputs(), work, lambda: "", force=force)

    def _check_inputs(self) -> dict[str, str]:
        return check.inputs(self.port, self._names(), self.options.targets)

    def _compile(self, advance: Callable[[int, int, str], None]) -> check.Checked:
        prove.read_unseen(self.port, self._loaded)
        if self._queue is not None:
            self._loaded.submit(self._queue, self.options.targets)

        def compiled(name: str, target: str, path: Path) -> None:
            if self._queue is not None:
                self._loaded.submit_port(self._queue, name, target, path)

        self._checked = check.run(
            self.port,
            self._names(),
            self.options.targets,
            self.options.jobs,
            self._loaded.hashes,
            compiled,
            advance,
        )
        return self._checked

    def _prove(self, force: bool = False) -> None:
        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            self._start_references()
            assert self._queue is not None
            if self._checked is None:
                self._compile(lambda *_: None)
            assert self._checked is not None
            proof = prove.run(
                self.port, self._index, self._loaded, self._checked, self._refusals(), self._queue,
                self.options.targets, advance,
            )  # fmt: skip
            return self._proven_summary(), {"verdict": proof["verdict"]}, ["proof.json"]

        self._stage("prove", self._prove_inputs(), work, self._proven_summary, force=force)

    def _prove_inputs(self) -> dict[str, str]:
        return {
            **self._check_inputs(),
            "timeout": repr(self.options.timeout_s),
            "comparison": prove.code_hash(),
            "tileiras": find_toolchain().tileiras.version or "",
        }

    def _is_proven(self) -> bool:
        return self.port.ledger.current("prove", self._prove_inputs()) is not None

    def _refusals(self) -> dict[str, list[dict[str, Any]]]:
        """Why entries are missing from kernel.rs, as long as it is what the translation wrote."""
        record = self.port.ledger.last("translate")
        if record is None or record.outputs.get("kernel.rs") != file_hash(self.port.kernel):
            return {}
        refusals: dict[str, list[dict[str, Any]]] = record.facts["refusals"]
        return refusals

    def _proven_summary(self) -> str:
        proof = contract.read(contract.PROOF, self.port.proof)
        _, verdicts = contract.judge(proof)
        counts = {verdict: list(verdicts.values()).count(verdict) for verdict in contract.VERDICTS}
        return (
            ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
            or "nothing to prove"
        )

    def _host(self) -> None:
        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            facts, outputs = host.run(self.port, self._index)
            return facts["summary"], facts, outputs

        inputs = host.inputs(self.port, self._index)
        self._stage("host", inputs, work, lambda: self._facts("host")["summary"])

    def _report(self) -> None:
        def work(advance: Callable[[int, int, str], None]) -> tuple[str, dict[str, Any], list[str]]:
            return str(report.write_report(self.port)), {}, ["report.html"]

        inputs = {
            "proof": file_hash(self.port.proof),
            "index": file_hash(self.port.index),
            "report": folder_hash(Path(report.__file__).parent),
        }
        self._stage("report", inputs, work, lambda: str(self.port.report))

    # ---- what the stages share -------------------------------------------------------------------------

    @property
    def _loaded(self) -> prove.References:
        assert self._references is not None
        return self._references

    def _names(self) -> list[str]:
        captured = [row["name"] for row in self._index["specializations"]]
        return captured + [row["name"] for row in dispatch.unseen(self.port)]

    def _facts(self, stage: str) -> Mapping[str, Any]:
        record = self.port.ledger.last(stage)
        assert record is not None
        return record.facts

    def _note(self, text: str) -> None:
        self.run.notes.append(text)
        self.progress.note(self.port.op, text)

    def _start_references(self) -> None:
        """Opens the queue and puts the references in, which is most of the work and needs no port."""
        if self._queue is None:
            self._queue = self._resources.enter_context(
                AssemblyQueue(self.options.jobs, self.options.timeout_s)
            )
            self._loaded.submit(self._queue, self.options.targets)

    def _count_assemblies(self) -> None:
        if self._queue is not None:
            self.run.tileiras_cpu_seconds = self._queue.cpu_seconds
            self.run.tileiras_runs = self._queue.finished - self._queue.cached
            self.run.tileiras_remembered = self._queue.cached

    def _stage(
        self,
        stage: str,
        inputs: Mapping[str, str],
        work: Callable[[Callable[[int, int, str], None]], tuple[str, dict[str, Any], list[str]]],
        summary: Callable[[], str],
        force: bool = False,
    ) -> None:
        """Runs a stage unless its record is up to date; records it when it has finished."""
        op, ledger = self.port.op, self.port.ledger
        started, cpu = time.monotonic(), self._cpu_seconds()
        record: Record | None = None if force else ledger.current(stage, inputs)
        if record is None:
            self.progress.begin(op, stage)
            # Whatever follows was made from what is about to change.
            if stage in ("capture", "translate", "check", "prove"):
                self.port.discard(self.port.proof, self.port.report)
            text, facts, outputs = work(
                lambda done, total, what: self.progress.advance(op, stage, done, total, what)
            )
            seconds, cpu_seconds = time.monotonic() - started, self._cpu_seconds() - cpu
            ledger.append(stage, inputs, outputs, seconds, cpu_seconds, facts)
        else:
            text, seconds, cpu_seconds = summary(), time.monotonic() - started, self._cpu_seconds() - cpu
        self.run.stages.append(StageRun(stage, seconds, max(0.0, cpu_seconds), record is not None, text))
        self.progress.end(op, stage, seconds, text, record is not None)

    def _cpu_seconds(self) -> float:
        times = os.times()
        assembling = self._queue.cpu_seconds if self._queue is not None else 0.0
        return times.user + times.system + times.children_user + times.children_system - assembling
