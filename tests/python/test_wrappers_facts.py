# SPDX-License-Identifier: Apache-2.0
"""The launcher's facts, against cuda.tile's native launcher and at the edges of each rule."""

from __future__ import annotations

import pytest
from serving import HERE, run_result

from tileport.wrappers.facts import (
    ELEMENT_TYPES,
    describe_array,
    describe_scalar,
    normalize_grid,
    parameter_key,
)

F16 = ELEMENT_TYPES["float16"]


def test_facts_equal_those_of_the_native_launcher() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    result = run_result([str(HERE / "launcher_facts.py"), "3000"])
    assert result["differences"] == []
    assert result["compared"] == 3000 and 100 < result["refused"] < 2000


def test_each_fact_at_its_edge() -> None:
    plain = describe_array(F16, 16, (32, 24), (24, 1))
    assert plain["base_address_divisible_by"] == 16
    assert (plain["shape_divisible_by"], plain["stride_divisible_by"]) == ([16, 1], [8, 1])
    assert plain["stride_constant"] == [None, 1] and plain["stride_lower_bound"] == [0, None]
    assert describe_array(F16, 8, (32, 24), (24, 1))["base_address_divisible_by"] == 1
    assert describe_array(F16, 0, (1, 16), (20, 1))["shape_constant"] == [1, None]
    assert describe_array(F16, 0, (32, 24), (20, 1))["stride_divisible_by"] == [1, 1]
    # Rows that overlap, and rows that just do not.
    assert describe_array(F16, 0, (2, 24), (23, 1))["may_alias_internally"]
    assert not describe_array(F16, 0, (2, 24), (24, 1))["may_alias_internally"]
    assert describe_array(F16, 0, (2, 24), (0, 1))["may_alias_internally"]
    assert describe_array(F16, 0, (16,) * 6, (1,) * 6)["stride_constant"] == [None] * 6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError, match="2147483648"):
        describe_array(F16, 0, (2**31,), (1,))
    with pytest.raises(OverflowError, match="int32"):
        describe_scalar(2**31)
    with pytest.raises(TypeError, match="NoneType"):
        describe_scalar(None)


def test_constants_of_different_types_are_different() -> None:
    keys = [
        parameter_key({"kind": "constant", "type": kind, "value": value})
        for kind, value in (
            ("int", 1),
            ("bool", True),
            ("float", 1.0),
            ("float", -0.0),
            ("float", 0.0),
            ("int", 0),
        )
    ]
    assert len(set(keys)) == len(keys)
    nan = {"kind": "constant", "type": "float", "value": "nan"}
    assert parameter_key(nan) == parameter_key({**nan, "value": float("nan")})


def test_grid_rules() -> None:
    assert normalize_grid((3,)) == (3, 1, 1)
    assert normalize_grid((3, 2, 1)) == (3, 2, 1)
    for grid, error in (
        ([1], TypeError),
        ((), ValueError),
        ((1, 1, 1, 1), ValueError),
        ((-1,), OverflowError),
    ):
        with pytest.raises(error):
            normalize_grid(grid)
    with pytest.raises(ValueError, match="16777216"):
        normalize_grid((1 << 24,))
