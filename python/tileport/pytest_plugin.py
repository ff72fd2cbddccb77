# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: its options, each done by a file of tileport.testing. Without one it does nothing."""

from __future__ import annotations

import pytest

from tileport.testing import cpu, replace, strict


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tileport", "tests against ports")
    replace.add_option(group)
    strict.add_option(group)
    cpu.add_option(group)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    cpu.start(early_config)


def pytest_configure(config: pytest.Config) -> None:
    replace.configure(config)
    strict.configure(config)
