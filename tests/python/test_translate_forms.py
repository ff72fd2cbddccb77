# SPDX-License-Identifier: Apache-2.0
"""Each form of each op: translated, compiled back by cutile's compiler, compared with where it came from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import translate_forms_arith  # noqa: F401
import translate_forms_control  # noqa: F401
import translate_forms_memory  # noqa: F401
import translate_forms_shape  # noqa: F401
from translate_forms import FORMS

from tileport import bytecode, diff, text, translate
from tileport.toolchain import find_toolchain
from tileport.toolchain.check import cargo_check, check_kernels
from tileport.wrappers import write_check_crate

TARGET = "sm_100"
REWRITTEN = {"running_sums_of_other_axes", "loop_results", "trees"}
"""Forms whose port is another computation of the same values, which the comparison of graphs can't see."""


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The bytecode that cutile makes of each form's port; all forms stand in one kernel.rs."""
    folder = tmp_path_factory.mktemp("forms")
    forms = [
        translate.Specialization(f"{name}__port", name, bytecode.read(build()))
        for name, build in FORMS.items()
    ]
    translation = translate.translate(forms, generic=False)
    assert not translation.refusals
    kernel = folder / "kernel.rs"
    kernel.write_text(translation.source)
    results = check_kernels(kernel, folder, None, [TARGET], bytecode_version="13.5")
    assert [f"{each.name}: {each.error}" for each in results if each.error] == []
    return {each.name.removesuffix("__port"): each.file for each in results if each.file is not None}


@pytest.mark.parametrize("name", sorted(set(FORMS) - REWRITTEN))
def test_the_port_computes_the_same(name: str, ports: dict[str, Path]) -> None:
    comparison = diff.compare(bytecode.read(FORMS[name]()), bytecode.read_file(ports[name]), target=TARGET)
    assert [f"{each.message}: {each.reference.path}, {each.port.path}" for each in comparison.findings] == []
    assert comparison.equality == "equal_up_to"  # An entry's name never stays.


def test_a_scan_along_another_axis_goes_by_way_of_axis_0(ports: dict[str, Path]) -> None:
    printed = text.print(bytecode.read_file(ports["running_sums_of_other_axes"]))
    steps = re.findall(r"(permute) %\S+ (\[.*?\])|(scan) %\S+ (dim=\d+ reverse=\w+)", printed)
    assert [" ".join(filter(None, step)) for step in steps] == [
        "permute [1, 0, 2]",
        "scan dim=0 reverse=false",
        "permute [1, 0, 2]",
        "permute [2, 0, 1]",
        "scan dim=0 reverse=true",
        "permute [1, 2, 0]",
    ]


def test_a_loop_with_other_results_than_it_carries_carries_them_too(ports: dict[str, Path]) -> None:
    printed = text.print(bytecode.read_file(ports["loop_results"]))
    assert re.search(r"%\S+:3 = loop iter_values\(.*\) : tile<i32>, tile<i32>, tile<i1> ->", printed)
    assert len(re.findall(r"break %\S+, %\S+, %\S+ : tile<i32>, tile<i32>, tile<i1>", printed)) == 1


def test_tileirdisasm_accepts_every_port(ports: dict[str, Path]) -> None:
    tool = find_toolchain().require("tileirdisasm")
    for name, file in ports.items():
        run = subprocess.run([str(tool), str(file)], capture_output=True, text=True)
        assert run.returncode == 0, f"{name}: {run.stderr}"


def test_no_form_gives_a_constant_that_cutile_misreads(ports: dict[str, Path]) -> None:
    """Constants of the reference, in order, by the bits that arrive in the port's text."""
    printed = text.print(bytecode.read_file(ports["constants"]))
    for line in (
        "constant <f32: 0xFF800000> : tile<f32>",
        "constant <f32: -0.000000e+00> : tile<f32>",
        "constant <bf16: 0xFF80> : tile<bf16>",
        "constant <bf16: 1.000000e+00> : tile<bf16>",
        "constant <f16: 0xFC00> : tile<f16>",
        "constant <i32: -2147483648> : tile<i32>",
        "constant <i64: 9223372036854775807> : tile<i64>",
        "constant <i1: false> : tile<i1>",
        "constant <i1: true> : tile<8xi1>",
    ):
        assert f"= {line}\n" in printed, line


FAULTS = [
    ("conversions", "trunci_wrapping(arg1_1)", "trunci(arg1_1, overflow::NoSignedWrap)"),
    ("floats", "divf_full(arg0_1, arg1_1, ", "divf(arg0_1, arg1_1, rounding::Approx, "),
    ("paddings_that_are_tiles", "Some(const_f32_5),", "None,"),
    ("paddings_that_are_tiles", "Some(lanes_9),", "Some(const_f32_4),"),
    ("skipping_with_results", "carried = carried_before;", "carried = zero_f32;"),
    ("skipping_with_results", "arg1_2 = product;", "arg1_2 = arg1_2_before;"),
    ("skipping_with_results", "= arg1_2_chosen + arg1_2_before;", "= arg1_2 + arg1_2_before;"),
    ("skipping_with_results", "arg1_2 = sum;", "arg1_2 = arg1_2_before;"),
    ("early_return_with_results", "arg0_1 + arg1_1", "arg0_1 + arg0_1"),
    ("running_sums_behind_unit_axes", "0, reverse::Forward", "0, reverse::Reverse"),
    (
        "running_sums_behind_unit_axes",
        "let lanes_from_axis: Tile<f32, { [8, 16] }> = reshape(lanes_2, ",
        "let turned: Tile<f32, { [1, 16, 8] }> = permute(lanes_2, const_array![0, 2, 1]);"
        "let lanes_from_axis: Tile<f32, { [8, 16] }> = reshape(turned, ",
    ),
]
"""Kernels, statements of their ports, and what a wrong translation could have written instead."""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The bytecode of each fault, by its number; all stand in one kernel.rs."""
    folder = tmp_path_factory.mktemp("faults")
    source = ""
    for number, (name, old, new) in enumerate(FAULTS):
        module = bytecode.read(FORMS[name]())
        port = translate.translate(
            [translate.Specialization(f"fault_{number}", f"m{number}", module)], generic=False
        )
        assert port.source.count(old) >= 1, old
        source += port.source[port.source.index("#[cutile::module]") :].replace(old, new, 1)
    (folder / "kernel.rs").write_text(source)
    results = check_kernels(folder / "kernel.rs", folder, None, [TARGET], bytecode_version="13.5")
    assert [f"{each.name}: {each.error}" for each in results if each.error] == []
    return {each.name: each.file for each in results if each.file is not None}


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=lambda number: f"{FAULTS[number][0]}-{number}")
def test_a_wrong_rewrite_is_noticed(number: int, faulty: dict[str, Path]) -> None:
    reference = bytecode.read(FORMS[FAULTS[number][0]]())
    comparison = diff.compare(reference, bytecode.read_file(faulty[f"fault_{number}"]), target=TARGET)
    assert comparison.equality == "differs"


def test_rustc_accepts_every_port(tmp_path: Path) -> None:
    """rustc types what cutile's compiler takes loosely, the ops that the module declares above all."""
    crate = tmp_path / "forms"
    crate.mkdir()
    forms = [
        translate.Specialization(f"{name}__port", name, bytecode.read(build()))
        for name, build in FORMS.items()
    ]
    (crate / "kernel.rs").write_text(translate.translate(forms, generic=False).source)
    write_check_crate(crate)
    assert [str(problem) for problem in cargo_check(crate).diagnostics] == []
