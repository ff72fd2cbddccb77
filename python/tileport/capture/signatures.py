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


def constraint_of(parameter: dict[str, Any]) -> Any:
    """cuda.tile's constraint for a parameter as `describe_parameter` describes it."""
    import cuda.tile as ct
    from cuda.tile.compilation import (
        ArrayConstraint,
        ConstantConstraint,
        ListConstraint,
        ScalarConstraint,
        TupleConstraint,
    )

    kind = parameter["kind"]
    if kind == "array":
        return ArrayConstraint(
            getattr(ct, parameter["dtype"]),
            parameter["rank"],
            index_dtype=getattr(ct, parameter["index_dtype"]),
            stride_lower_bound_incl=parameter["stride_lower_bound"],
            alias_groups=parameter["alias_groups"],
            may_alias_internally=parameter["may_alias_internally"],
            stride_constant=parameter["stride_constant"],
            shape_constant=parameter["shape_constant"],
            stride_divisible_by=parameter["stride_divisible_by"],
            shape_divisible_by=parameter["shape_divisible_by"],
            base_addr_divisible_by=parameter["base_address_divisible_by"],
        )
    if kind == "scalar":
        return ScalarConstraint(getattr(ct, parameter["dtype"]))
    if kind == "constant":
        return ConstantConstraint(_constant_of(parameter["type"], parameter["value"]))
    if kind == "list":
        return ListConstraint(
            constraint_of(parameter["element"]),
            alias_groups=parameter["alias_groups"],
            elements_may_alias=parameter["elements_may_alias"],
        )
    if kind == "tuple":
        return TupleConstraint([constraint_of(item) for item in parameter["items"]])
    raise TypeError(f"a signature has no parameters of kind {kind}")


def _constant_of(type_name: str, value: Any) -> Any:
    if type_name == "float":
        return float(value)
    if type_name in ("int", "bool", "str", "NoneType"):
        return value
    raise TypeError(f"a constant of type {type_name} cannot be made from text")


def options_of(hints: dict[str, Any]) -> Any:
    """cuda.tile's ``CompilerOptions`` for hints as `describe_hints` describes them."""
    from cuda.tile._compiler_options import CompilerOptions

    def value_of(hint: Any) -> Any:
        if not isinstance(hint, dict):
            return hint
        targets = {target: value for target, value in hint.items() if target != "default"}
        default = {"default": hint["default"]} if "default" in hint else {}
        return ByTarget(**targets, **default)

    return CompilerOptions(**{name: value_of(hint) for name, hint in hints.items()})
