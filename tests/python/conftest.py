# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several test files use."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from tileport.toolchain import find_toolchain

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("TILEPORT_FULL") == "1":
        return
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.skip(reason="a long test: run `make test-full`"))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The source tree."""
    return REPOSITORY


@pytest.fixture(scope="session")
def data() -> Path:
    """tests/data"""
    return REPOSITORY / "tests" / "data"


@pytest.fixture(scope="session")
def tool() -> str:
    """tileirdisasm, the judge of bytecode and text."""
    path = find_toolchain().tileirdisasm.path
    if path is None:
        pytest.skip("tileirdisasm is not installed")
    return str(path)


@pytest.fixture(scope="session")
def tilegym_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with TileGym's own tests, which this repository does not contain: TILEGYM_TESTS, or the
    archive ../shared/tilegym/tests-*.tar.gz unpacked. Skips where there is neither."""
    named = os.environ.get("TILEGYM_TESTS")
    if named:
        return Path(named)
    archives = sorted((REPOSITORY.parent / "shared" / "tilegym").glob("tests-*.tar.gz"))
    if not archives:
        pytest.skip("TileGym's tests are not here: set TILEGYM_TESTS to its folder tests/")
    folder = tmp_path_factory.mktemp("tilegym")
    with tarfile.open(archives[-1]) as archive:
        archive.extractall(folder, filter="data")
    found = sorted(folder.rglob("tests/ops"))
    return found[0].parent if found else folder
