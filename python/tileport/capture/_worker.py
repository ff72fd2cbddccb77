# SPDX-License-Identifier: Apache-2.0
"""``python -m tileport.capture._worker FD...``: the process in which a capture runs an operator's host code.

Reads one ``protocol.Request`` from standard input. PyTorch is imported once, which is most of the time; then
the process forks, one child per device model, each with its own pipe (the FDs, in the request's order) for
events. Forking right after the import is sound: no PyTorch thread exists yet, and nothing device-dependent
has happened.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tileport.capture.device_models import DEVICE_MODELS, DeviceModel
from tileport.capture.protocol import Channel, Request


def main(descriptors: list[int]) -> int:
    request = Request.from_json(sys.stdin.read())
    started = time.monotonic()
    import torch

    if request.backward:
        # What the first backward pass imports: a second of sympy.
        import torch.fx.experimental.symbolic_shapes  # noqa: F401

    children = {}
    for name, descriptor in zip(request.device_models, descriptors, strict=True):
        process = os.fork()
        if process == 0:
            for other in descriptors:
                if other != descriptor:
                    os.close(other)  # else the pipe of a child that dies would look alive
            # _exit, because leaving through the interpreter would flush what the parent has buffered.
            os._exit(_child(request, DEVICE_MODELS[name], descriptor, time.monotonic() - started))
        children[process] = name
    for descriptor in descriptors:
        os.close(descriptor)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in children]
    return max(abs(status) for status in statuses)


def _child(request: Request, model: DeviceModel, descriptor: int, seconds: float) -> int:
    """Runs everything under one device model; the exit status is 0 unless the capture itself broke."""
    with contextlib.suppress(OSError):
        # Should memory run out, this process shall end and no other: its parent records what it ran.
        Path("/proc/self/oom_score_adj").write_text("1000")
    _redirect_output(Path(request.folder) / f"{model.name}.log")
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        channel = Channel(stream)
        try:
            run(request, model, channel, seconds)
        except BaseException as error:  # the parent must hear of it, whatever it is
            channel.send("broken", error=f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    return 0


def _redirect_output(log: Path) -> None:
    """Sends what host code, tests and libraries print to a log, which is shown if something fails."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for standard in (1, 2):
        os.dup2(handle, standard)
    os.close(handle)


def run(request: Request, model: DeviceModel, channel: Channel, import_seconds: float) -> None:
    """Runs all that the request names under ``model``, reporting launches through ``channel``."""
    from tileport.capture.programs import run_drivers, run_script
    from tileport.capture.reporting import Reporter
    from tileport.capture.session import start

    began = time.monotonic()
    reporter = Reporter(channel, Path(request.folder), model)
    recorder = start(model, reporter, autotune=request.autotune)
    if request.script is None:
        import tilegym

        tilegym.set_backend("cutile")
    channel.send("phase", name="start", seconds=import_seconds + time.monotonic() - began)
    done = frozenset(request.done)
    programs: list[tuple[str, Any]] = []
    if request.drivers:
        programs.append(("drivers", lambda: run_drivers(request.drivers, done, recorder, reporter)))
    if request.tests:
        from tileport.capture.tilegym_tests import run_tests

        programs.append(("tests", lambda: run_tests(request, done, recorder, reporter)))
    if request.benchmarks:
        from tileport.capture.tilegym_benchmarks import run_benchmarks

        programs.append(("benchmarks", lambda: run_benchmarks(request, done, recorder, reporter)))
    if request.script is not None:
        programs.append(
            ("script", lambda: run_script(request.script, request.script_arguments, recorder, reporter))
        )
    for name, program in programs:
        began = time.monotonic()
        reporter.begin(name)
        program()
        channel.send("phase", name=name, seconds=time.monotonic() - began)
    channel.send("done", launches=recorder.launches)


if __name__ == "__main__":
    sys.exit(main([int(argument) for argument in sys.argv[1:]]))
