# SPDX-License-Identifier: Apache-2.0
"""``--tileport-cpu=reference|port``: unmodified test files run their kernels on the CPU.

Cases of other back ends are deselected. PyTorch and cuTile see the GPU that ``--tileport-cpu-device``
names; each launch runs the reference's Tile IR, or that of its Rust port, in place. A case that computes
more than ``--tileport-cpu-work`` elements is skipped, with that reason and its count; the count is the same
on every machine (``tileport.cpu.Limits.work``). What a case launched is kept among its properties
(``tileport_cpu_launches``, ``tileport_cpu_work``).
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from typing import Any

import pytest

from tileport.testing.replace import PARAMETERS, REFERENCE

_BEFORE = pytest.StashKey[tuple[int, int]]()


def add_option(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--tileport-cpu",
        choices=("reference", "port"),
        help="run cuTile kernels on the CPU: those of cuTile Python, or their Rust ports",
    )
    group.addoption(
        "--tileport-cpu-device", default="h200", metavar="MODEL", help="the GPU to pretend (default: h200)"
    )
    group.addoption(
        "--tileport-cpu-work",
        type=float,
        default=0,
        metavar="N",
        help="skip cases whose kernels compute more than N elements (default: no bound)",
    )


def start(config: pytest.Config) -> None:
    """Before anything of a test folder is imported: its conftest files may import TileGym already."""
    options = config.known_args_namespace
    mode = getattr(options, "tileport_cpu", None)
    if mode is None or config.pluginmanager.hasplugin("tileport-cpu"):
        return
    from tileport import cpu
    from tileport.errors import Error
    from tileport.wrappers.ports import ports_folder

    try:
        execution = cpu.activate(
            options.tileport_cpu_device, ports=ports_folder() if mode == "port" else None
        )
    except Error as error:
        raise pytest.UsageError(f"--tileport-cpu: {error}") from None
    config.pluginmanager.register(OnCpu(execution, int(options.tileport_cpu_work)), "tileport-cpu")


def is_cutile(item: pytest.Item) -> bool:
    """Whether a case names no back end, or cuTile's."""
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params if callspec is not None else {}
    return all(
        value == REFERENCE
        for name, value in parameters.items()
        if name in PARAMETERS and isinstance(value, str)
    )


class OnCpu:
    """The hooks of the option."""

    def __init__(self, execution: Any, work: int) -> None:
        self.execution = execution
        self.bound = work

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        # Other back ends need a GPU.
        kept = [item for item in items if is_cutile(item)]
        config.hook.pytest_deselected(items=[item for item in items if not is_cutile(item)])
        items[:] = kept

    def pytest_collection_finish(self) -> None:
        # TileGym's tests collect garbage before each case; what was imported is none, and going through it
        # takes a second.
        gc.freeze()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        item.stash[_BEFORE] = (self.execution.launches, self.execution.work)
        self.execution.bound = self.bound + self.execution.work if self.bound else 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when != "call":
            return report
        launches, work = item.stash[_BEFORE]
        for properties in (item.user_properties, report.user_properties):
            properties.append(("tileport_cpu_launches", self.execution.launches - launches))
            properties.append(("tileport_cpu_work", self.execution.work - work))
        if self.execution.exceeded and not report.passed:
            report.outcome = "skipped"
            path, line, _ = item.location
            reason = f"its kernels compute more than {self.bound} elements (--tileport-cpu-work)"
            report.longrepr = (path, line or 0, f"Skipped: {reason}")
        self.execution.exceeded = False
        return report
