# SPDX-License-Identifier: Apache-2.0
"""The two gates of a kernel.rs: cutile's own compiler, run in one process for many entries, and rustc.

cutile's compiler turns the text into Tile IR in milliseconds a statement but types it loosely; rustc types it
exactly but makes no Tile IR. A port has to pass both.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tileport.errors import InputError, ToolchainError, UsageError
from tileport.toolchain.crates import cargo_options, shared_target_folder, target_lock
from tileport.toolchain.finding import cargo_environment, find_toolchain

__all__ = [
    "DEFAULT_TARGETS",
    "CheckResult",
    "CrateCheck",
    "Diagnostic",
    "Instance",
    "cargo_check",
    "cargo_options",
    "check_kernels",
    "shared_target_folder",
]

DEFAULT_TARGETS = ("sm_90", "sm_100")

# cutile's compiler clones syntax trees all the time; with glibc's default of seven cached blocks a size, a
# fifth of its time goes into malloc.
_MALLOC_TUNABLES = "glibc.malloc.tcache_count=65535:glibc.malloc.tcache_max=8192"

# These change what cutile's compiler emits. A port is checked without them, whatever the user debugs with.
_STEERING = (
    "CUTILE_DISABLE_CHECK_HOISTING",
    "CUTILE_FORCE_DEVICE_CHECKS",
    "CUTILE_DUMP",
    "CUTILE_DUMP_FILTER",
)

_CARGO_TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class Diagnostic:
    """A problem in kernel.rs. Lines and columns count from 1; None where the place is not known.

    ``code`` is tileport-check's ("refused", "panic", "bytecode", ...) or rustc's ("E0308", or "").
    """

    code: str
    message: str
    line: int | None
    column: int | None
    file: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        code = f" [{self.code}]" if self.code else ""
        return f"{place}: {self.message}{code}" if place else f"{self.message}{code}"


@dataclass(frozen=True)
class Instance:
    """An entry with values for its generics, and compiler hints beside those that it states."""

    name: str
    """What results and files are called by."""
    entry: str
    generics: Mapping[str, int | str] = field(default_factory=dict)
    hints: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckResult:
    """What became of one instance for one target: ``file``, the bytecode, or ``error``, why there is none."""

    name: str
    """The instance's, which is the entry's unless instances were asked for."""
    target: str
    file: Path | None
    error: Diagnostic | None
    seconds: float


@dataclass(frozen=True)
class CrateCheck:
    """rustc's word on a crate: its errors, if it has any."""

    accepted: bool
    diagnostics: list[Diagnostic]


# ---- cutile's compiler ---------------------------------------------------------------------------------


def check_kernels(
    kernel: str | Path,
    out: str | Path,
    entries: Sequence[str | Instance] | None = None,
    targets: Sequence[str] = DEFAULT_TARGETS,
    jobs: int = 2,
    on_result: Callable[[CheckResult], None] | None = None,
    bytecode_version: str = "13.3",
) -> list[CheckResult]:
    """Compiles entries or instances (None: all entries) of a kernel.rs: ``out/TARGET/NAME.tileirbc``.

    ``on_result`` is called with each result as soon as it is there. A refused entry is a result, and so is
    an instance that fits no entry; InputError is raised if the file as a whole is unusable, UsageError for
    unknown entries and targets and for an unwritable ``out``, ToolchainError if tileport-check is missing or
    broken.
    """
    kernel, out = Path(kernel), Path(out)
    tool = find_toolchain().require("tileport-check")
    command = [
        str(tool),
        str(kernel),
        "--out",
        str(out),
        "--jobs",
        str(max(1, jobs)),
        "--bytecode",
        bytecode_version,
    ]
    names = [each for each in entries or () if isinstance(each, str)]
    instances = [asdict(each) for each in entries or () if isinstance(each, Instance)]
    for target in targets:
        command += ["--target", target]
    results: list[CheckResult] = []
    if (entries is not None and not entries) or not targets:
        return results
    with contextlib.ExitStack() as resources:
        if instances:
            rows = [*instances, *({"name": name, "entry": name} for name in names)]
            listing = resources.enter_context(tempfile.NamedTemporaryFile("w", suffix=".json"))
            json.dump(rows, listing)
            listing.flush()
            command += ["--instances", listing.name]
        for name in [] if instances else names:
            command += ["--entry", name]
        process = resources.enter_context(_running(command, _check_environment()))
        assert process.stdout is not None
        for line in process.stdout:
            result = _result_of(_parsed(line, tool), kernel, tool)
            results.append(result)
            if on_result is not None:
                on_result(result)
        status = process.wait()
    expected = 1 if any(result.error for result in results) else 0
    if status != expected or not results:
        raise ToolchainError(
            "check-failed", f"ended with {_ending(status)} after {len(results)} results", str(tool), _doctor()
        )
    return results


def _check_environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _STEERING}
    environment.setdefault("GLIBC_TUNABLES", _MALLOC_TUNABLES)
    return environment


def _parsed(line: bytes, tool: Path) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ToolchainError(
            "check-failed", f"prints what is no result: {line[:200]!r}", str(tool), _doctor()
        )
    return document


def _result_of(document: dict[str, Any], kernel: Path, tool: Path) -> CheckResult:
    error = document.get("error")
    if error is not None and "name" not in document:
        raise _unusable(error, kernel)
    try:
        problem = None
        if error is not None:
            problem = Diagnostic(error["code"], error["message"], error["line"], error["column"], str(kernel))
        file = Path(document["file"]) if problem is None else None
        return CheckResult(document["name"], document["target"], file, problem, document.get("seconds", 0.0))
    except (KeyError, TypeError):
        raise ToolchainError(
            "check-failed", f"prints a result that lacks parts: {document}", str(tool), _doctor()
        ) from None


def _unusable(error: dict[str, Any], kernel: Path) -> InputError | UsageError:
    """The error for a file, or a request, that has no results at all."""
    code, message = error.get("code", "unusable"), error.get("message", "cannot be compiled")
    if code in ("unknown-entry", "unknown-target", "unknown-version", "unwritable"):
        return UsageError(code, message, "" if code == "unwritable" else str(kernel))
    place = ":".join(str(part) for part in (kernel, error.get("line"), error.get("column")) if part)
    return InputError(code, message.removeprefix(f"{kernel}: "), place)


# ---- rustc ---------------------------------------------------------------------------------------------


def cargo_check(crate: str | Path, timeout_s: float = _CARGO_TIMEOUT_S) -> CrateCheck:
    """Lets rustc check the crate in the folder ``crate``; its errors are the result.

    The first check on a machine compiles cutile (a minute, see `crates.warm_up`); later ones take seconds.
    Raises InputError if there is no crate, ToolchainError if cargo or something a build needs is missing.
    """
    crate = Path(crate)
    if not (crate / "Cargo.toml").is_file():
        raise InputError("no-crate", "there is no Cargo.toml", str(crate))
    cargo = find_toolchain().require("cargo")
    command = [str(cargo), "check", "--quiet", "--lib", "--message-format", "json", *cargo_options()]
    with target_lock():
        # Without a look at the network while everything is there, which is the rule.
        finished = _cargo([*command, "--offline"], crate, timeout_s)
        if finished.returncode != 0 and _lacks_packages(finished.stderr):
            finished = _cargo(command, crate, timeout_s)
    diagnostics = _errors(finished.stdout, crate)
    if finished.returncode == 0:
        return CrateCheck(True, [])
    if not diagnostics:
        ending = f"cargo check ends with {_ending(finished.returncode)}"
        raise ToolchainError("cargo-failed", f"{ending}:\n{_tail(finished.stderr)}", str(crate), _doctor())
    return CrateCheck(False, diagnostics)


def _cargo(command: list[str], crate: Path, timeout_s: float) -> subprocess.CompletedProcess[str]:
    # Incremental compilation gains nothing for a file that is generated whole, and its data only grow.
    environment = {**cargo_environment(), "CARGO_INCREMENTAL": "0"}
    with _running(command, environment, crate, subprocess.PIPE) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise ToolchainError(
                "cargo-timeout", f"cargo has not ended after {timeout_s:.0f} s", str(crate), _doctor()
            ) from None
    return subprocess.CompletedProcess(
        command, process.returncode, stdout.decode(errors="replace"), stderr.decode(errors="replace")
    )


def _lacks_packages(stderr: str) -> bool:
    return "--offline" in stderr or "offline mode" in stderr or "no matching package" in stderr


def _errors(stdout: str, crate: Path) -> list[Diagnostic]:
    """rustc's errors, each at its main place. A note that just counts the errors is left out."""
    found = []
    for line in stdout.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        message = record.get("message") if record.get("reason") == "compiler-message" else None
        if not isinstance(message, dict) or message.get("level") not in (
            "error",
            "error: internal compiler error",
        ):
            continue
        spans = [span for span in message.get("spans", ()) if span.get("is_primary")]
        if not spans and message.get("message", "").startswith(("aborting due to", "could not compile")):
            continue
        code = (message.get("code") or {}).get("code", "")
        span = _outermost(spans[0]) if spans else {}
        line_number, column = span.get("line_start"), span.get("column_start")
        text = _with_labels(message, spans)
        found.append(Diagnostic(code, text, line_number, column, _relative(span.get("file_name", ""), crate)))
    return found


def _outermost(span: dict[str, Any]) -> dict[str, Any]:
    """The place in the user's file: for code that a macro made, where the macro was called."""
    while span.get("expansion") and not span["file_name"].endswith("kernel.rs"):
        span = span["expansion"]["span"]
    return span


def _with_labels(message: dict[str, Any], spans: list[dict[str, Any]]) -> str:
    labels = [span["label"] for span in spans if span.get("label")]
    return ": ".join([message["message"], *labels[:1]])


def _relative(file: str, crate: Path) -> str:
    """rustc names files relative to the workspace; here they are relative to the crate ("kernel.rs")."""
    parts = Path(os.path.normpath(file)).parts if file else ()
    if crate.resolve().name in parts:
        parts = parts[parts.index(crate.resolve().name) + 1 :]
    return str(Path(*parts)) if parts else file


# ---- processes -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _running(
    command: list[str], environment: dict[str, str], folder: Path | None = None, stderr: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a process group of its own, which does not outlive the block."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError(
            "tool-not-runnable", f"cannot be run: {error.strerror}", command[0], _doctor()
        ) from error
    try:
        yield process
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


def _tail(text: str, lines: int = 20) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


def _doctor() -> str:
    return "Run `tileport doctor`."
