# SPDX-License-Identifier: Apache-2.0
"""Runs what makes launches: an operator's driver, or a user's own program."""

from __future__ import annotations

import functools
import importlib
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tileport.capture.reporting import Reporter

if TYPE_CHECKING:
    from tileport.capture.launches import Recorder


def run_drivers(
    modules: tuple[str, ...], done: frozenset[str], recorder: Recorder, reporter: Reporter
) -> None:
    """Runs every case of drivers (``drivers/OP.py``) that is not in ``done``. A case that fails is reported;
    the rest still run."""
    drivers: list[Any] = [importlib.import_module(module) for module in modules]
    cases = [
        (name, driver, case)
        for driver in drivers
        for case in driver.cases()
        if (name := f"{driver_item(driver.__name__)}::{case.name}") not in done
    ]
    for number, (name, driver, case) in enumerate(cases):
        reporter.at(number, len(cases))
        run_case(name, functools.partial(driver.run, **case.arguments), recorder, reporter)
    reporter.at(len(cases), len(cases))


def driver_item(module: str) -> str:
    """What a driver is called where launches come from: "driver/OP"."""
    return "driver/" + module.removeprefix("tileport.capture.drivers.")


def run_case(name: str, call: Callable[[], Any], recorder: Recorder, reporter: Reporter) -> None:
    """Makes one call and reports how it ended."""
    recorder.test = name
    before = recorder.launches
    reporter.running(name)
    torch.manual_seed(0)
    try:
        call()
    except Exception as error:
        report_failure(name, reporter, recorder, before, error)
    else:
        reporter.outcome(name, "passed", recorder.launches - before)


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
        report_failure(recorder.test, reporter, recorder, 0, error, script)
        return
    reporter.outcome(recorder.test, "passed", recorder.launches)


def report_failure(
    test: str,
    reporter: Reporter,
    recorder: Recorder,
    before: int,
    error: Exception,
    script: str | None = None,
) -> None:
    """Reports an exception as the outcome of ``test``, with the place where it was raised."""
    from cuda.tile import TileError

    traceback.print_exc()
    frames = traceback.extract_tb(error.__traceback__)
    # The user wants the line of their own file, not that of the library in which it came to light.
    own = [frame for frame in frames if script is not None and Path(frame.filename) == Path(script)]
    frame = (own or frames)[-1]
    message = error.message if isinstance(error, TileError) else str(error)
    reporter.outcome(
        test,
        "failed",
        recorder.launches - before,
        f"{type(error).__name__}: {message}",
        where=f"{frame.filename}:{frame.lineno}",
        refused=isinstance(error, TileError),
    )
