# SPDX-License-Identifier: Apache-2.0
"""Runs what makes launches: an operator's driver, or a user's own program."""

from __future__ import annotations

import importlib
import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tileport.capture.reporting import Reporter

if TYPE_CHECKING:
    from tileport.capture.launches import Recorder


def run_drivers(modules: tuple[str, ...], recorder: Recorder, reporter: Reporter) -> None:
    """Runs every case of drivers (``drivers/OP.py``). A case that fails is reported; the rest still run."""
    drivers: list[Any] = [importlib.import_module(module) for module in modules]
    cases = [(driver, case) for driver in drivers for case in driver.cases()]
    for done, (driver, case) in enumerate(cases):
        reporter.at(done, len(cases))
        operator = driver.__name__.removeprefix("tileport.capture.drivers.")
        recorder.test = f"driver/{operator}::{case.name}"
        before = recorder.launches
        torch.manual_seed(0)
        try:
            driver.run(**case.arguments)
        except Exception as error:
            _report_failure(reporter, recorder, before, error)
        else:
            reporter.outcome(recorder.test, "passed", recorder.launches - before)
    reporter.at(len(cases), len(cases))


def run_script(script: str, arguments: tuple[str, ...], recorder: Recorder, reporter: Reporter) -> None:
    """Runs a user's program as ``python SCRIPT ARGUMENTS`` would."""
    path = Path(script)
    recorder.test = f"script/{path.name}"
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(path.parent))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            reporter.outcome(
                recorder.test,
                "failed",
                recorder.launches,
                f"the script ended with exit status {end.code}",
                where=script,
            )
            return
    except Exception as error:
        _report_failure(reporter, recorder, 0, error, script)
        return
    reporter.outcome(recorder.test, "passed", recorder.launches)


def _report_failure(
    reporter: Reporter, recorder: Recorder, before: int, error: Exception, script: str | None = None
) -> None:
    from cuda.tile import TileError

    traceback.print_exc()
    frames = traceback.extract_tb(error.__traceback__)
    # The user wants the line of their own file, not that of the library in which it came to light.
    own = [frame for frame in frames if script is not None and Path(frame.filename) == Path(script)]
    frame = (own or frames)[-1]
    message = error.message if isinstance(error, TileError) else str(error)
    reporter.outcome(
        recorder.test,
        "failed",
        recorder.launches - before,
        f"{type(error).__name__}: {message}",
        where=f"{frame.filename}:{frame.lineno}",
        refused=isinstance(error, TileError),
    )
