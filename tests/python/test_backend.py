# SPDX-License-Identifier: Apache-2.0
"""The backend "cutile-rs" in TileGym: registration in both import orders, errors, what a call hands over."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from serving import HERE, ported_launches, run_result, stand_in_library

from tileport.wrappers.build import source_fingerprint
from tileport.wrappers.ports import exported_symbols, read_index

pytest.importorskip("tilegym", reason="TileGym is not installed")


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A ports folder with softmax alone and a stand-in library."""
    folder = tmp_path_factory.mktemp("ports")
    shutil.copytree(ported_launches(tmp_path_factory)[0] / "softmax", folder / "softmax")
    kernels = sorted({row["kernel"] for row in read_index(folder, "softmax")["specializations"]})
    stand_in_library(folder, repository, list(exported_symbols("softmax", kernels).values()))
    return folder


def act(action: str, folder: Path) -> Any:
    environment = {**os.environ, "TILEPORT_AUTOBUILD": "0"}
    return run_result([str(HERE / "backend_process.py"), action, str(folder)], environment)


@pytest.mark.parametrize("order", ["tilegym-first", "backend-first"])
def test_registers_and_restores_in_both_import_orders(ports: Path, order: str) -> None:
    result = act(order, ports)
    port = "tileport_ports.softmax"
    stub = "tileport.backend.registration"
    assert result["enabled"] == {
        "available": True,
        "current": "cutile",
        "softmax": port,
        "matmul": stub,
        "bmm": stub,
    }
    name, message = result["unported"]
    assert name == "PortMissingError" and "Run `tileport convert rms_norm`" in message
    # TileGym brings kernels of its own under this name only when it may build them, which it may not here.
    assert result["disabled"] == {
        "available": False,
        "current": "cutile",
        "softmax": None,
        "matmul": None,
        "bmm": None,
    }
    assert result["again"] == result["enabled"]


def test_without_ports_it_is_unavailable_and_says_what_to_do(tmp_path: Path) -> None:
    result = act("unavailable", tmp_path)
    assert len(result["warned"]) == 1 and "Run `tileport convert softmax`" in result["warned"][0]
    assert str(tmp_path) in result["warned"][0]
    assert not result["tilegym_loaded"]
    assert "no port of softmax" in result["required"] and "tileport convert softmax" in result["required"]


def test_a_port_without_its_library_is_unavailable(ports: Path, tmp_path: Path) -> None:
    shutil.copytree(ports / "softmax", tmp_path / "softmax")
    available, reason = act("unavailable", tmp_path)["statuses"]["softmax"]
    assert not available and "libcutile_kernels.so has not been built" in reason


def test_a_library_that_lacks_a_kernel_is_unavailable(ports: Path, tmp_path: Path, repository: Path) -> None:
    shutil.copytree(ports / "softmax", tmp_path / "softmax")
    stand_in_library(tmp_path, repository, ["cutile_softmax___softmax_kernel"])
    available, reason = act("unavailable", tmp_path)["statuses"]["softmax"]
    assert not available and "cutile_softmax___softmax_kernel_tma" in reason


def test_a_library_of_other_sources_is_unavailable(ports: Path, tmp_path: Path) -> None:
    shutil.copytree(ports / "softmax", tmp_path / "softmax")
    shutil.copy(ports / "libcutile_kernels.so", tmp_path)
    record = {"schema": "tileport/library/1", "sources": source_fingerprint(tmp_path), "sha256": ""}
    (tmp_path / "libcutile_kernels.json").write_text(json.dumps(record))
    assert act("unavailable", tmp_path)["statuses"]["softmax"] == [True, ""]
    (tmp_path / "softmax" / "ffi.rs").write_text("// changed\n")
    available, reason = act("unavailable", tmp_path)["statuses"]["softmax"]
    assert not available and "was built from other sources" in reason and "tileport convert softmax" in reason


def test_what_a_call_hands_to_the_library(ports: Path) -> None:
    result = act("calls", ports)
    call = result["call"]
    assert call["symbol"] == "cutile_softmax___softmax_kernel"
    assert call["entry"].startswith("_softmax_kernel__")
    rows, columns = result["shape"]
    assert call["grid"] == [min(4 * 132, rows), 1, 1] and call["scalars"] == [] and call["device"] == 0
    code = {16: 2, 32: 2}[result["bits"]]
    for tensor, address in zip(call["tensors"], (result["y"], result["x"]), strict=True):
        assert tensor["dtype"][0] in (code, 4) and tensor.pop("dtype")[1:] == [result["bits"], 1]
        assert tensor == {
            "version": 1,
            "size": 168,
            "data": address,
            "ndim": 2,
            "device": 0,
            "flags": 0,
            "reachable": rows * columns * result["bits"] // 8,
            "shape": [rows, columns],
            "strides": [columns, 1],
        }
    # The counters are the library's: the last entry ran twice.
    assert sorted(result["counts"].values()) == [0, 2]
    assert result["counts after"] == result["counts"]

    name, message = result["no entry"]
    assert name == "MissingSpecializationError"
    assert "input: float32, extents (div 1, div 1), strides (div 1, =1)" in message
    assert "DIM_COLS = 7" in message and "tileport convert softmax --tests" in message
    name, message = result["refused"]
    assert name == "LaunchError" and "the stand-in refuses refuse_softmax_kernel__" in message
    assert "[invalid-argument]" in message
    assert result["wrong count"][0] == "TypeError" and "takes 5 arguments, got 3" in result["wrong count"][1]
    assert result["wrong grid"][0] == result["no stream"][0] == result["no kernel"][0] == "TypeError"
    assert result["bad argument"][0] == "TypeError" and "'output'" in result["bad argument"][1]
