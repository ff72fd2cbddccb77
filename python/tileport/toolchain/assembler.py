# SPDX-License-Identifier: Apache-2.0
"""Running tileiras and tileirdisasm: with a time limit, in a clean environment, results kept by content."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from tileport.errors import InputError, ToolchainError, UsageError
from tileport.toolchain.cache import RecordCache, cache_folder, write_atomically
from tileport.toolchain.finding import find_toolchain

_CUBIN_CACHE_LIMIT = 1 << 30

# Exit statuses of tileiras 13.5: 3 says that the input is not valid bytecode, 5 that it does not compile.
# Everything else (wrong options, a signal, no memory) says nothing about the file and is never kept.
_VERDICTS_ABOUT_THE_FILE = frozenset({0, 3, 5})

_running: set[int] = set()
"""Process groups that `_run` waits for, in whatever threads."""


@dataclass(frozen=True)
class Assembled:
    """What tileiras made of one file for one target. ``cubin`` is None if it refused or ran out of time.

    ``cpu_seconds`` is user plus system time of tileiras and its children, from the run that made the result,
    also when the result comes out of the cache.
    """

    cubin: bytes | None
    cpu_seconds: float
    timed_out: bool
    stderr: str
    cached: bool = False


@dataclass(frozen=True)
class _Finished:
    status: int  # as subprocess has it: negative for a signal
    cpu_seconds: float
    timed_out: bool
    stdout: bytes
    stderr: str


def tool_environment(tool: Path) -> dict[str, str]:
    """The environment for a program of NVIDIA's ROOT/bin: it must find ROOT's own libraries, whatever CUDA
    the machine has (tileiras fails outright if CUDA_HOME or CUDA_PATH names a folder without them)."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "CUDA_PATH")
    }
    environment["PATH"] = f"{tool.parent}{os.pathsep}{environment.get('PATH', os.defpath)}"
    root = tool.resolve().parent.parent
    if any(root.glob("lib*/libnvvm.so*")) or (root / "nvvm").is_dir():
        environment["CUDA_HOME"] = str(root)
    return environment


def _run(command: list[str], timeout_s: float, scratch: Path) -> _Finished:
    """Runs a command in a process group of its own, which is killed whole at the time limit or on Ctrl-C."""
    stdout_path, stderr_path = scratch / "stdout", scratch / "stderr"
    timed_out = threading.Event()
    with open(stdout_path, "wb") as stdout, open(stderr_path, "wb") as stderr:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=tool_environment(Path(command[0])),
                start_new_session=True,
            )
        except OSError as error:
            raise ToolchainError(
                "tool-not-runnable", f"cannot be run: {error.strerror}", command[0], "Run `tileport doctor`."
            ) from error

        _running.add(process.pid)

        def kill_group() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        def run_out_of_time() -> None:
            timed_out.set()
            kill_group()

        timer = threading.Timer(timeout_s, run_out_of_time)
        timer.daemon = True
        timer.start()
        try:
            # Not Popen.wait: only wait4 tells the CPU time of this one child and what it waited for.
            _, wait_status, usage = os.wait4(process.pid, 0)
        except BaseException:
            kill_group()
            process.wait()
            raise
        finally:
            _running.discard(process.pid)
            timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(wait_status)
    return _Finished(
        status=process.returncode,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        timed_out=timed_out.is_set() and process.returncode < 0,
        stdout=stdout_path.read_bytes(),
        stderr=stderr_path.read_text(errors="replace"),
    )


def stop_running() -> None:
    """Kills the programs that other threads wait for; those waits end with a ToolchainError."""
    for group in list(_running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


@functools.cache
def _fingerprint(tileiras: Path) -> str:
    """Names the assembler for cache keys: what it prints as version, and the sizes of what it may load."""
    printed = subprocess.run([str(tileiras), "--version"], capture_output=True, check=False).stdout
    root = tileiras.resolve().parent.parent
    parts = [tileiras.resolve(), root / "bin" / "ptxas", *sorted(root.glob("lib*/libnvvm.so*"))]
    sizes = [f"{path.name}:{path.stat().st_size}" for path in parts if path.exists()]
    return hashlib.sha256(printed + " ".join(sizes).encode()).hexdigest()


def cubin_folder() -> Path:
    """Where cubins are kept: ``$TILEPORT_CUBINS``, else in the user's cache folder."""
    named = os.environ.get("TILEPORT_CUBINS")
    return Path(named) if named else cache_folder() / "cubins"


@functools.cache
def _cubin_cache(folder: Path) -> RecordCache:
    return RecordCache(folder, _CUBIN_CACHE_LIMIT)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("unreadable-file", f"cannot be read: {error.strerror}", str(path)) from error


def assemble(
    bytecode_path: str | Path,
    target: str,
    out: str | Path | None = None,
    timeout_s: float = 120.0,
    opt_level: int = 3,
    use_cache: bool = True,
) -> Assembled:
    """Assembles one bytecode file for one target ("sm_90") with tileiras.

    A refused file and one over ``timeout_s`` (wall time) are results, not errors; a time-out is never kept,
    since it depends on the machine. ``out``, if given, receives the cubin when there is one. Raises
    ToolchainError if tileiras is missing or broken, UsageError if it has no such target, InputError if the
    file can't be read.
    """
    bytecode_path = Path(bytecode_path)
    bytecode = _read(bytecode_path)
    toolchain = find_toolchain()
    tileiras = toolchain.require("tileiras")
    if target not in toolchain.targets:
        raise UsageError(
            "unknown-target",
            f"tileiras {toolchain.tileiras.version} has no target {target!r}",
            "",
            f"It has {', '.join(toolchain.targets)}.",
        )
    options = ["--gpu-name", target, f"-O{opt_level}"]
    cache = _cubin_cache(cubin_folder())
    text = "\0".join([_fingerprint(tileiras), *options, hashlib.sha256(bytecode).hexdigest()])
    key = hashlib.sha256(text.encode()).hexdigest()
    known = cache.get(key) if use_cache else None
    if known is not None:
        facts, payload = known
        result = Assembled(
            payload if facts["assembled"] else None, facts["cpu_seconds"], False, facts["stderr"], cached=True
        )
    else:
        result = _assemble_now(tileiras, bytecode, options, timeout_s)
        if not result.timed_out:
            facts = {
                "assembled": result.cubin is not None,
                "cpu_seconds": result.cpu_seconds,
                "stderr": result.stderr,
            }
            cache.put(key, facts, result.cubin or b"")
    if out is not None and result.cubin is not None:
        write_atomically(Path(out), result.cubin)
    return result


def _assemble_now(tileiras: Path, bytecode: bytes, options: list[str], timeout_s: float) -> Assembled:
    with tempfile.TemporaryDirectory(prefix="tileport-assemble-") as name:
        scratch = Path(name)
        # A copy, so that the file that is assembled is the one whose hash was taken.
        (scratch / "input.tileirbc").write_bytes(bytecode)
        cubin_path = scratch / "output.cubin"
        command = [str(tileiras), *options, str(scratch / "input.tileirbc"), "-o", str(cubin_path)]
        finished = _run(command, timeout_s, scratch)
        stderr = finished.stderr.replace(f"{scratch}{os.sep}", "")
        if finished.timed_out:
            return Assembled(None, finished.cpu_seconds, True, stderr)
        if finished.status not in _VERDICTS_ABOUT_THE_FILE:
            ending = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
            raise ToolchainError(
                "tileiras-failed",
                f"ended with {ending}, which says nothing about the file: {stderr.strip() or 'no message'}",
                str(tileiras),
                "Run `tileport doctor`; check free memory and disk space.",
            )
        cubin = cubin_path.read_bytes() if finished.status == 0 else None
        return Assembled(cubin, finished.cpu_seconds, False, stderr)


def disassemble(path: str | Path, timeout_s: float = 120.0) -> str:
    """The text of a bytecode file, exactly as ``tileirdisasm`` prints it (no debug locations, LF, UTF-8)."""
    path = Path(path)
    _read(path)
    tool = find_toolchain().require("tileirdisasm")
    with tempfile.TemporaryDirectory(prefix="tileport-disassemble-") as scratch:
        finished = _run([str(tool), str(path.resolve())], timeout_s, Path(scratch))
    if finished.status != 0:
        reason = (
            "took too long" if finished.timed_out else finished.stderr.strip() or f"status {finished.status}"
        )
        raise InputError("not-bytecode", f"tileirdisasm refuses it: {reason}", str(path))
    return finished.stdout.decode("utf-8")
