# SPDX-License-Identifier: Apache-2.0
"""What cuTile's launcher promises the compiler about the arguments of one launch.

The rules are those of cuda-tile's own launcher (version 1.7), so that a launch finds exactly the
specialization that cuTile would have compiled for it. Parameters are described as an index row does
under ``signature``. Nothing here needs PyTorch.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: The launcher looks at alignment to this many bytes, and at extents that are multiples of as many elements.
ALIGNMENT = 16
#: Arrays of a higher rank get no promise about extents and strides.
MAXIMUM_FACT_RANK = 5
INT32_MINIMUM, INT32_MAXIMUM = -(1 << 31), (1 << 31) - 1
GRID_MAXIMUM = (1 << 24) - 1

#: DLPack's type codes.
_INT, _UINT, _FLOAT, _BFLOAT = 0, 1, 2, 4


@dataclass(frozen=True)
class ElementType:
    """An element type by the name that cuda.tile and PyTorch share, with its DLPack code."""

    name: str
    code: int
    bits: int


ELEMENT_TYPES = {
    kind.name: kind
    for kind in (
        ElementType("float16", _FLOAT, 16),
        ElementType("float32", _FLOAT, 32),
        ElementType("float64", _FLOAT, 64),
        ElementType("bfloat16", _BFLOAT, 16),
        ElementType("float8_e4m3fn", 10, 8),
        ElementType("float8_e5m2", 12, 8),
        ElementType("float8_e8m0fnu", 14, 8),
        ElementType("int8", _INT, 8),
        ElementType("int16", _INT, 16),
        ElementType("int32", _INT, 32),
        ElementType("int64", _INT, 64),
        ElementType("uint8", _UINT, 8),
        ElementType("uint16", _UINT, 16),
        ElementType("uint32", _UINT, 32),
        ElementType("uint64", _UINT, 64),
    )
}


def describe_array(
    element: ElementType, address: int, shape: Sequence[int], strides: Sequence[int]
) -> dict[str, Any]:
    """The promises about an array of ``strides`` in elements; OverflowError outside 32-bit indexing."""
    for value in (*shape, *strides):
        if not INT32_MINIMUM <= value <= INT32_MAXIMUM:
            raise OverflowError(f"an extent or stride of {value} does not fit 32-bit indexing")
    rank = len(shape)
    stride_unit = ALIGNMENT * 8 // element.bits
    no_facts = rank > MAXIMUM_FACT_RANK
    unit_stride = [None if no_facts or stride != 1 else 1 for stride in strides]
    unit_extent = [None if no_facts or extent != 1 else 1 for extent in shape]
    # A stride or extent of zero counts as divisible; one that is known exactly needs no divisor.
    stride_divisors = [
        stride_unit if not no_facts and constant is None and stride % stride_unit == 0 else 1
        for stride, constant in zip(strides, unit_stride, strict=True)
    ]
    extent_divisors = [
        ALIGNMENT if not no_facts and constant is None and extent % ALIGNMENT == 0 else 1
        for extent, constant in zip(shape, unit_extent, strict=True)
    ]
    return {
        "kind": "array",
        "dtype": element.name,
        "rank": rank,
        "index_dtype": "int32",
        "shape_constant": unit_extent,
        "shape_divisible_by": extent_divisors,
        "stride_constant": unit_stride,
        "stride_divisible_by": stride_divisors,
        "stride_lower_bound": [0 if constant is None else None for constant in unit_stride],
        "base_address_divisible_by": ALIGNMENT if address % ALIGNMENT == 0 else 1,
        "may_alias_internally": not elements_are_disjoint(shape, strides),
        "alias_groups": [],
    }


def elements_are_disjoint(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """The launcher's test that indices never meet: by rising stride, each axis steps over the one before."""
    axes = sorted(zip(strides, shape, strict=True))
    if not axes:
        return True
    if axes[0][0] <= 0:
        return False
    return all(outer[0] >= inner[0] * inner[1] for inner, outer in itertools.pairwise(axes))


def describe_constant(value: Any) -> dict[str, Any]:
    """A compile-time constant. The type is part of it: True, 1 and 1.0 are three different constants."""
    if isinstance(value, bool):
        return {"kind": "constant", "type": "bool", "value": value}
    if isinstance(value, int):
        return {"kind": "constant", "type": "int", "value": int(value)}
    if isinstance(value, float):
        return {"kind": "constant", "type": "float", "value": value}
    raise TypeError(f"a constant must be a bool, int or float, not {type(value).__name__}")


def describe_scalar(value: Any) -> dict[str, Any]:
    """A run-time number: int becomes int32, float becomes float32."""
    if isinstance(value, bool):
        return {"kind": "scalar", "dtype": "bool_"}
    if isinstance(value, int):
        if not INT32_MINIMUM <= value <= INT32_MAXIMUM:
            raise OverflowError(f"the scalar {value} does not fit int32")
        return {"kind": "scalar", "dtype": "int32"}
    if isinstance(value, float):
        return {"kind": "scalar", "dtype": "float32"}
    raise TypeError(f"an argument of type {type(value).__name__} is not supported")


def normalize_grid(grid: Any) -> tuple[int, int, int]:
    """Three extents, padded with ones; errors as the launcher raises them."""
    if not isinstance(grid, tuple):
        raise TypeError(f"the grid must be a tuple of 1 to 3 integers, not {type(grid).__name__}")
    if not 1 <= len(grid) <= 3:
        raise ValueError(f"the grid must have 1 to 3 extents, not {len(grid)}")
    extents = [int(extent) for extent in grid]
    for axis, extent in enumerate(extents):
        if extent < 0:
            raise OverflowError(f"the grid's extent {axis} is negative ({extent})")
        if extent > GRID_MAXIMUM:
            raise ValueError(f"the grid's extent {axis} is {extent}, above {GRID_MAXIMUM}")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


#: Fields of a described parameter that tell specializations apart, by kind.
_KEY_FIELDS = {
    "array": (
        "dtype",
        "rank",
        "index_dtype",
        "shape_constant",
        "shape_divisible_by",
        "stride_constant",
        "stride_divisible_by",
        "stride_lower_bound",
        "base_address_divisible_by",
        "may_alias_internally",
        "alias_groups",
    ),
    "scalar": ("dtype",),
}


def parameter_key(parameter: dict[str, Any]) -> tuple[Any, ...]:
    """A hashable form of a described parameter, equal for parameters that compile alike.

    Raises ValueError for kinds that ported wrappers cannot pass.
    """
    kind = parameter["kind"]
    if kind == "constant":
        return kind, parameter["type"], constant_key(parameter["type"], parameter["value"])
    if kind not in _KEY_FIELDS:
        raise ValueError(f"parameters of kind {kind} cannot be passed yet")
    return kind, *(freeze(parameter[name]) for name in _KEY_FIELDS[kind])


def constant_key(type_name: str, value: Any) -> Any:
    """A constant's identity: floats by their bits, so that -0.0 differs from 0.0 and NaN equals itself."""
    return struct.pack("<d", float(value)) if type_name == "float" else value


def freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def argument_key(value: Any) -> tuple[type, Any]:
    """A hashable identity of a constant argument, exact as `constant_key` is."""
    return (float, struct.pack("<d", value)) if isinstance(value, float) else (type(value), value)
