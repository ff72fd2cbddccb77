# SPDX-License-Identifier: Apache-2.0
"""Ports for tests, made of the captured kernels in tests/data/prove without running a capture."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tileport.capture
from tileport import contract
from tileport.stages import check, prove, translate
from tileport.stages.capture import find_source
from tileport.stages.port import Port
from tileport.toolchain.check import CrateCheck

GATHER, VIEWS = "_softmax_kernel__40814dbf16", "_softmax_kernel_tma__4d015cbf19"


def translated(data: Path, folder: Path, kernels: tuple[str, ...] = (GATHER, VIEWS)) -> Port:
    """FOLDER/softmax with reference/ of these kernels and kernel.rs."""
    port = Port(folder / "softmax")
    shutil.copytree(data / "prove" / "softmax", port.folder)
    index = contract.read(contract.INDEX, port.index)
    index["specializations"] = [row for row in index["specializations"] if row["name"] in kernels]
    contract.write(contract.INDEX, index, port.index)
    for path in port.reference.glob("*.tileirbc"):
        if path.stem not in kernels:
            path.unlink()
    translate.run(port, index, prove.read_references(port, index).modules, find_source("softmax"))
    return port


def capture_from_data(monkeypatch: pytest.MonkeyPatch, data: Path) -> list[str]:
    """Replaces the capture by a copy of tests/data/prove, and gives the list that each call is added to."""
    calls: list[str] = []

    def capture(op: str, out: Path, **_: Any) -> Any:
        calls.append(op)
        shutil.rmtree(out / "reference", ignore_errors=True)
        shutil.copytree(data / "prove" / op / "reference", out / "reference")
        return SimpleNamespace(seconds={"drivers": 1.0}, launches=2, failures=[])

    monkeypatch.setattr(tileport.capture, "capture", capture)
    monkeypatch.delenv("TILEGYM_TESTS", raising=False)
    return calls


def rustc_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves rustc out, for tests that ask about something else."""
    monkeypatch.setattr(check, "cargo_check", lambda _: CrateCheck(True, []))
