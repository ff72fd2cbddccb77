# SPDX-License-Identifier: Apache-2.0
"""Machine code of one file that differs from run to run of tileiras."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tileport.stages import machine_code
from tileport.toolchain import Assembled


def outcome(data: Path, name: str) -> Assembled:
    return Assembled((data / "cubin" / f"{name}.cubin").read_bytes(), 1.0, False, "")


def assembler(runs: dict[str, Iterator[Assembled]]) -> Callable[[str], Assembled]:
    return lambda side: next(runs[side])


def test_a_code_that_both_sides_have_counts(data: Path) -> None:
    one, same, other = (outcome(data, name) for name in ("scale_sm_90", "scale_port_sm_90", "scale_sm_110"))
    first = machine_code.compare(one, other, 1.0)
    assert first["class"] == "differs"
    for runs in (
        {"reference": iter([one] * 3), "port": iter([other, same])},  # The port's third run.
        {"reference": iter([other, one]), "port": iter([other] * 3)},  # The reference's second.
    ):
        again = machine_code.compare_again(first, one, other, 1.0, assembler(runs))
        assert again["class"] == "identical"
        assert again["registers"][0] == again["registers"][1]
        [note] = again["notes"]
        assert "different code of the same file" in note


def test_what_always_differs_differs(data: Path) -> None:
    one, other = outcome(data, "scale_sm_90"), outcome(data, "scale_sm_110")
    first = machine_code.compare(one, other, 1.0)
    runs = {"reference": iter([one] * 9), "port": iter([other] * 9)}
    assert machine_code.compare_again(first, one, other, 1.0, assembler(runs)) == first


def test_a_side_with_several_codes_that_never_agree_is_noted(data: Path) -> None:
    one, same, other = (outcome(data, name) for name in ("scale_sm_90", "checked_sm_100", "scale_sm_110"))
    first = machine_code.compare(one, other, 1.0)
    runs = {"reference": iter([one, same, one]), "port": iter([other] * 3)}
    again = machine_code.compare_again(first, one, other, 1.0, assembler(runs))
    assert again["class"] == "differs"
    assert again["notes"] == [
        *first["notes"],
        "tileiras makes different code of the reference in different runs",
    ]
