# SPDX-License-Identifier: Apache-2.0
"""The launcher's description of a kernel's parameters, and of one launch's arguments, as plain data.

``docs/capture.md`` describes the result; it is what an index row holds under ``signature`` and
``argument_facts``. Nothing is derived again here: every promise is the launcher's own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import torch
from cuda.tile._by_target import UNSPECIFIED, ByTarget


def describe_parameter(constraint: Any) -> dict[str, Any]:
    """One of cuda.tile's ``ParameterConstraint`` objects as JSON data; ``kind`` says which."""
    kind = type(constraint).__name__
    if kind == "ArrayConstraint":
        return {
            "kind": "array",
            "dtype": str(constraint.dtype),
            "rank": constraint.ndim,
            "index_dtype": str(constraint.index_dtype),
            "shape_constant": list(constraint.shape_constant),
            "shape_divisible_by": list(constraint.shape_divisible_by),
            "stride_constant": list(constraint.stride_constant),
            "stride_divisible_by": list(constraint.stride_divisible_by),
            "stride_lower_bound": list(constraint.stride_lower_bound_incl),
            "base_address_divisible_by": constraint.base_addr_divisible_by,
            "may_alias_internally": constraint.may_alias_internally,
            "alias_groups": list(constraint.alias_groups),
        }
    if kind == "ScalarConstraint":
        return {"kind": "scalar", "dtype": str(constraint.dtype)}
    if kind == "ConstantConstraint":
        return {
            "kind": "constant",
            "type": type(constraint.value).__name__,
            "value": plain_value(constraint.value),
        }
    if kind == "ListConstraint":
        return {
            "kind": "list",
            "element": describe_parameter(constraint.element),
            "elements_may_alias": constraint.elements_may_alias,
            "alias_groups": list(constraint.alias_groups),
        }
    if kind == "TupleConstraint":
        return {"kind": "tuple", "items": [describe_parameter(item) for item in constraint.items]}
    raise TypeError(f"the launcher described a parameter by a {kind}, which this version does not know")


def plain_value(value: Any) -> Any:
    """A constant as JSON can hold it: floats that are no numbers become "inf", "-inf" or "nan"."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)


def parameter_dtype(parameter: dict[str, Any]) -> str | None:
    """The element type of an array, list or scalar parameter."""
    if parameter["kind"] == "list":
        return parameter_dtype(parameter["element"])
    return parameter.get("dtype")


def describe_hints(options: Any) -> dict[str, Any]:
    """cuda.tile's ``CompilerOptions``; a hint given per target becomes {target or "default": value}."""
    hints = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if isinstance(value, ByTarget):
            by_target = dict(sorted(value._by_target.items()))
            if value._default is not UNSPECIFIED:
                by_target["default"] = value._default
            value = by_target
        hints[field.name] = value
    return hints


def describe_arguments(names: Sequence[str], arguments: Sequence[Any]) -> dict[str, Any]:
    """What differs from launch to launch within one specialization: extents, strides, sharing, scalars.

    Arrays that share memory have the same ``storage`` number (counted in order of first appearance).
    """
    storages: dict[int, int] = {}
    return {
        name: _describe_argument(argument, storages) for name, argument in zip(names, arguments, strict=True)
    }


def _describe_argument(argument: Any, storages: dict[int, int]) -> Any:
    if isinstance(argument, torch.Tensor):
        with torch._C.DisableTorchFunction():
            storage = argument.untyped_storage().data_ptr()
            return {
                "shape": list(argument.shape),
                "strides": list(argument.stride()),
                "storage": storages.setdefault(storage, len(storages)),
            }
    if isinstance(argument, (list, tuple)):
        return [_describe_argument(item, storages) for item in argument]
    return plain_value(argument)
