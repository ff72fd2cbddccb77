# SPDX-License-Identifier: Apache-2.0
"""Plants faults in a proven kernel.rs. Each must make the proof fail and be named with its place.

The kernels are two of TileGym's softmax (tests/data/prove): one gathers with masks and padding, the other
goes through partition views. A fault replaces text of one statement of one entry; a finding must name that
statement's lines of kernel.rs and a line of softmax.py. The machine code is compared too, for a target on
which it shows.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ports
import pytest
from ports import GATHER, VIEWS

import tileport
from tileport.stages.port import Port


@dataclass(frozen=True)
class Fault:
    name: str
    kernel: str
    old: str
    new: str
    at: str = ""
    """Text of the statement that a finding must name, if it is not the changed one: the one that uses it."""


FAULTS = [
    Fault("wrong axis", VIEWS, "reduce_sum(numerator, 1)", "reduce_sum(numerator, 0)", "reshape(total,"),
    Fault("wrong reduction", GATHER, "reduce_max(row_1, 0)", "reduce_min(row_1, 0)"),
    Fault("swapped operands", GATHER, "subf(row_1, row_max_1,", "subf(row_max_1, row_1,"),
    Fault("padding dropped", VIEWS, "padding::NegInf", "padding::None"),
    Fault("mask of a store dropped", GATHER, "Some(both_1)", "None", "store_ptr_tko("),
    Fault("other mask", GATHER, "Some(both)", "Some(is_less_than)"),
    Fault("changed constant", GATHER, "constant(256, shape![])", "constant(255, shape![])"),
    Fault("changed predicate", GATHER, "cmpi(offsets_unsigned, input_size1_unsigned, predicate::LessThan)",
          "cmpi(offsets_unsigned, input_size1_unsigned, predicate::LessThanOrEqual)"),
    Fault("changed rounding", VIEWS, "exp_with_rounding(row_minus_max, rounding::Approx)",
          "exp_with_rounding(row_minus_max, rounding::Full)"),
    Fault("flush to zero lost", VIEWS, "rounding::Approx, ftz::Enabled", "rounding::Approx, ftz::Disabled"),
    Fault("divisibility of a pointer lost", VIEWS, "assume_div_by_raw(input_1, 16, None, None)", "input_1",
          "make_tensor_view(input_2"),
    Fault("divisibility of a stride lost", GATHER, "assume_div_by_raw(input_stride0_1, 8, None, None)",
          "input_stride0_1", "exti(input_stride0_3)"),
    Fault("occupancy changed", VIEWS, "occupancy = 2", "occupancy = 8", "pub unsafe fn _softmax_kernel_tma"),
    Fault("wrong index order", VIEWS, "[row_idx_1, zero_i32],", "[zero_i32, row_idx_1],"),
    Fault("wrong dimension of the grid", GATHER, "(grid_x, _, _)", "(_, grid_x, _)", "for row_idx in"),
    Fault("wrong loop start", VIEWS, "tile_to_scalar(pid)", "tile_to_scalar(num_programs)", "for row_idx in"),
    Fault("wrong loop step", GATHER, "tile_to_scalar(num_programs)", "tile_to_scalar(pid)", "for row_idx in"),
    Fault("wrong stride", GATHER, "row_idx_4 * input_stride0_6", "row_idx_4 * input_size0_6"),
    Fault("wrong argument", VIEWS, "pointer_to_tile(input)", "pointer_to_tile(output)",
          "make_tensor_view(input_2"),
    Fault("wrong operation", GATHER, "product_2 + product", "product_2 - product"),
]  # fmt: skip


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[str, Port]:
    """By kernel, a port of that kernel alone, made by the translator."""
    return {
        kernel: ports.translated(data, tmp_path_factory.mktemp("ports"), (kernel,))
        for kernel in (GATHER, VIEWS)
    }


@pytest.fixture
def rustc_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    """rustc is the other gate, tested elsewhere; here the comparison alone has to find the fault."""
    ports.rustc_accepts(monkeypatch)


@pytest.mark.usefixtures("rustc_accepts")
@pytest.mark.parametrize("kernel", [GATHER, VIEWS])
def test_the_unspoilt_port_is_proven(proven: dict[str, Port], kernel: str) -> None:
    conversion = tileport.prove(proven[kernel].folder)
    assert (conversion.verdict, conversion.exit_status) == ("proven", 0)
    [row] = conversion.specializations
    assert (row["verdict"], row["ir"]["findings"]) == ("proven", [])


@pytest.mark.usefixtures("rustc_accepts")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_and_named(proven: dict[str, Port], tmp_path: Path, fault: Fault) -> None:
    good, port = proven[fault.kernel], Port(tmp_path / "softmax")
    shutil.copytree(good.reference, port.reference)
    shutil.copy(good.folder / "dispatch.json", port.folder)
    bad = plant(good.kernel.read_text(), fault)
    port.kernel.write_text(bad)
    conversion = tileport.prove(port.folder, targets=["sm_90"])
    assert (conversion.verdict, conversion.exit_status) == ("unproven", 1)
    [row] = conversion.specializations
    assert row["code"]["sm_90"]["class"] == "differs"
    assert row["ir"]["class"] == "differs"
    lines = statement(bad, fault.at or fault.new)
    findings = row["ir"]["findings"]
    assert [finding for finding in findings if names(finding, lines)], (lines, findings)


def plant(source: str, fault: Fault) -> str:
    assert source.count(fault.old) >= 1
    return source.replace(fault.old, fault.new, 1)


def statement(source: str, part: str) -> range:
    """The lines of kernel.rs that the statement with ``part`` takes."""
    lines = source.splitlines()
    place = first = last = source.count("\n", 0, source.index(part))
    while not re.match(r"\s*(let|for|pub)\b", lines[first]):
        first -= 1
    while not re.search(r"[;{(]$", lines[last]) or last < place:
        last += 1
    return range(first + 1, last + 2)


def names(finding: dict[str, Any], lines: range) -> bool:
    """Whether a finding points at these lines of kernel.rs and at some line of softmax.py."""
    port, reference = finding["port"], finding["reference"]
    in_port = port is not None and port["file"] == "kernel.rs" and port["line"] in lines
    return in_port and reference is not None and reference["file"] == "softmax.py" and reference["line"] > 0
