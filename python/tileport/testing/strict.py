# SPDX-License-Identifier: Apache-2.0
"""``--tileport-strict``: a test of a port passes only if kernels of the port were launched.

TileGym's fallback is disabled, and a case of the backend "cutile-rs" that passes without a launch counter
having risen is failed. What each case launched is kept among its properties (``tileport_launches``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator

import pytest

from tileport.testing.replace import uses_port

_BEFORE = pytest.StashKey[dict[str, int]]()


def add_option(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--tileport-strict",
        action="store_true",
        help="disable TileGym's fallback and fail a passed test of a port that launched none of its kernels",
    )


def configure(config: pytest.Config) -> None:
    if config.getoption("--tileport-strict"):
        # Read by TileGym at each dispatch.
        os.environ["DISABLE_FALLBACK"] = "1"
        config.pluginmanager.register(Strict(), "tileport-strict")


class Strict:
    """The hooks of the option."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        if uses_port(item):
            item.stash[_BEFORE] = launch_counts()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when != "call" or _BEFORE not in item.stash:
            return report
        launched = risen(item.stash[_BEFORE], launch_counts())
        # The item's are what later reports, and with them a junit file, take; this report has a copy.
        for properties in (item.user_properties, report.user_properties):
            properties.append(("tileport_launches", json.dumps(launched, sort_keys=True)))
        if report.passed and not launched:
            report.outcome = "failed"
            report.longrepr = "--tileport-strict: the test passed, but no kernel of a port was launched"
        return report


def launch_counts() -> dict[str, int]:
    """The counters now; empty while the backend has not been used."""
    import tileport.backend

    return tileport.backend.launch_counts()


def risen(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Entry -> launches since ``before``, for those that have any."""
    return {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}
