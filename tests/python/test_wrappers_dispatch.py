# SPDX-License-Identifier: Apache-2.0
"""The dispatch table: an entry is found for exactly what it was converted for."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tileport.errors import InputError
from tileport.wrappers.dispatch import DispatchTable
from tileport.wrappers.errors import MissingSpecializationError
from tileport.wrappers.facts import ELEMENT_TYPES, describe_array, describe_constant, describe_scalar
from tileport.wrappers.ports import exported_symbols

HINTS: dict[str, Any] = {"num_ctas": None, "occupancy": 4, "opt_level": 3, "num_worker_warps": None}


def signature() -> list[dict[str, Any]]:
    return [
        {"name": "output", **describe_array(ELEMENT_TYPES["float32"], 0, (256, 100), (100, 1))},
        {"name": "scale", **describe_scalar(1.0)},
        {"name": "count", **describe_constant(100)},
        {"name": "exact", **describe_constant(False)},
    ]


def row(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "op": "op", "kernel": "k", "signature": signature(), "hints": HINTS, **changes}


def table(*rows: dict[str, Any]) -> DispatchTable:
    return DispatchTable.from_index({"op": "op", "specializations": list(rows)})


def test_finds_the_entry_of_an_equal_launch() -> None:
    entry = table(row("k__0000000001"), row("k__0000000002", kernel="other")).find("k", signature(), HINTS)
    assert (entry.name, entry.symbol) == ("k__0000000001", "cutile_op__k")


CHANGES: dict[str, tuple[int, str, Any]] = {
    "dtype": (0, "dtype", "float16"),
    "rank": (0, "rank", 3),
    "extent constant": (0, "shape_constant", [1, None]),
    "extent divisor": (0, "shape_divisible_by", [1, 16]),
    "stride constant": (0, "stride_constant", [None, None]),
    "stride divisor": (0, "stride_divisible_by", [1, 1]),
    "address": (0, "base_address_divisible_by", 1),
    "aliasing": (0, "may_alias_internally", True),
    "scalar type": (1, "dtype", "int32"),
    "constant": (2, "value", 101),
    "constant type": (2, "type", "float"),
    "boolean constant": (3, "value", True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_entry_serves_a_launch_that_differs_in_one_thing(change: str) -> None:
    position, field, value = CHANGES[change]
    asked = copy.deepcopy(signature())
    assert asked[position][field] != value
    asked[position][field] = value
    with pytest.raises(MissingSpecializationError) as caught:
        table(row("k__0000000001")).find("k", asked, HINTS)
    message = str(caught.value)
    assert caught.value.where == "op" and "entry of k" in message
    assert f"nearest entry differs in: {asked[position]['name']}" in message
    assert "tileport convert op --tests" in message


def test_hints_are_part_of_the_key() -> None:
    with pytest.raises(MissingSpecializationError, match="occupancy=4 \\(asked: occupancy=2\\)"):
        table(row("k__0000000001")).find("k", signature(), {**HINTS, "occupancy": 2})
    with pytest.raises(InputError, match="unknown compiler hints: speed"):
        table(row("k__0000000001", hints={"speed": 1}))


def test_unknown_kernel_and_ambiguous_index() -> None:
    with pytest.raises(MissingSpecializationError, match="No entry of other was converted"):
        table(row("k__0000000001")).find("other", signature(), HINTS)
    with pytest.raises(InputError) as caught:
        table(row("k__0000000001"), row("k__0000000002"))
    assert caught.value.code == "ambiguous-specialization"
    assert len(table(row("k__0000000001"), row("k__0000000001")).entries) == 1


def test_rows_of_other_ops_and_unwanted_names_are_left_out() -> None:
    index = {"op": "op", "specializations": [row("k__0000000001"), row("x__0000000003", op="other")]}
    assert [entry.name for entry in DispatchTable.from_index(index).entries.values()] == ["k__0000000001"]
    assert DispatchTable.from_index(index, names=[]).entries == {}


def test_exported_symbols() -> None:
    assert exported_symbols("softmax", ["_k"]) == {"_k": "cutile_softmax"}
    assert exported_symbols("activation.gelu", ["f", "b"]) == {
        "f": "cutile_activation_gelu__f",
        "b": "cutile_activation_gelu__b",
    }
    with pytest.raises(InputError) as caught:
        exported_symbols("op", ["a.b", "a_b"])
    assert caught.value.code == "symbol-clash"
