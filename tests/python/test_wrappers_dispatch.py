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


# ---- constants that were not captured --------------------------------------------------------------------


def constant(name: str) -> dict[str, Any]:
    return {"operation": "constant", "name": name, "number": 0, "of": []}


def dispatch(refuted: dict[str, Any] | None = None, confirmed: bool = True) -> dict[str, Any]:
    """An entry with generics DOUBLE, which is 2 * count, and E, of the specialization k__0000000001."""
    two = {"operation": "number", "name": "", "number": 2, "of": []}
    doubled = {"operation": "product", "name": "", "number": 0, "of": [constant("count"), two]}
    generics = [
        {"name": "E", "kind": "type", "derivation": None, "follows": None, "refuted": None},
        {"name": "DOUBLE", "kind": "i32", "derivation": doubled, "follows": "count * 2", "refuted": refuted},
    ]
    instance = {
        "name": "k__0000000001",
        "entry": "k_f32",
        "generics": {"E": "f32", "DOUBLE": 200},
        "hints": {},
    }
    return {
        "schema": "tileport/dispatch/1",
        "op": "op",
        "variants": [{"entry": "k_f32", "kernel": "k", "generics": generics}],
        "instances": [instance],
        "unseen": [{**instance, "of": "k__0000000001"}] if confirmed else [],
    }


def at(count: Any, **changes: Any) -> list[dict[str, Any]]:
    asked = signature()
    asked[2] = {"name": "count", **describe_constant(count)}
    for name, value in changes.items():
        asked[0][name] = value
    return asked


def generic_table(**options: Any) -> DispatchTable:
    index = {"op": "op", "specializations": [row("k__0000000001")]}
    return DispatchTable.from_index(index, dispatch=dispatch(**options))


def test_an_entry_serves_constants_that_it_follows() -> None:
    entry = generic_table().find("k", at(7), HINTS)
    assert (entry.name, entry.symbol) == ("k__0000000001<f32,14>", "cutile_op")
    assert generic_table().find("k", at(100), HINTS).name == "k__0000000001"


@pytest.mark.parametrize(
    ("asked", "hints"),
    [
        (at(7, dtype="float16"), HINTS),
        (at(7, shape_divisible_by=[1, 1]), HINTS),
        (at(7.0), HINTS),
        (at(1 << 40), HINTS),  # the generic would be no i32
        (at(7), {**HINTS, "occupancy": 2}),
    ],
)
def test_nothing_else_may_differ(asked: list[dict[str, Any]], hints: dict[str, Any]) -> None:
    with pytest.raises(MissingSpecializationError):
        generic_table().find("k", asked, hints)


def test_constants_that_no_entry_follows_are_not_served() -> None:
    asked = at(7)
    asked[3] = {"name": "exact", **describe_constant(True)}
    with pytest.raises(MissingSpecializationError):
        generic_table().find("k", asked, HINTS)


@pytest.mark.parametrize("options", [{"confirmed": False}, {"refuted": constant("count")}])
def test_what_was_not_confirmed_or_was_refuted_serves_what_was_captured(options: dict[str, Any]) -> None:
    table_of = generic_table(**options)
    assert table_of.find("k", at(100), HINTS).name == "k__0000000001"
    with pytest.raises(MissingSpecializationError):
        table_of.find("k", at(7), HINTS)
