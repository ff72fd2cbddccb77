# SPDX-License-Identifier: Apache-2.0
"""Kernels of one op, written as text, and their launch on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from tileport import cpu, text, verify

DTYPES: dict[str, Any] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip


def tile(element: str, shape: Sequence[int]) -> str:
    return "tile<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def load(name: str, argument: str, element: str, shape: Sequence[int]) -> str:
    """Text that loads a whole contiguous array."""
    dims = ",".join(str(extent) for extent in strides(shape))
    extents = "".join(f"{extent}x" for extent in shape)
    view = f"tensor_view<{extents}{element}, strides=[{dims}]>"
    part = f"partition_view<tile=({'x'.join(map(str, shape))}), {view}>"
    zeros = ", ".join("%zero" for _ in shape)
    return f"""
  %v_{name} = make_tensor_view {argument}, shape = [{", ".join(map(str, shape))}], strides = [{dims.replace(",", ", ")}] : {view}
  %p_{name} = make_partition_view %v_{name} : {part}
  %{name}, %t_{name} = load_view_tko weak %p_{name}[{zeros}] : {part}, tile<i32> -> {tile(element, shape)}, token"""


def store(value: str, argument: str, element: str, shape: Sequence[int]) -> str:
    name = value.removeprefix("%")
    dims = ",".join(str(extent) for extent in strides(shape))
    extents = "".join(f"{extent}x" for extent in shape)
    view = f"tensor_view<{extents}{element}, strides=[{dims}]>"
    part = f"partition_view<tile=({'x'.join(map(str, shape))}), {view}>"
    zeros = ", ".join("%zero" for _ in shape)
    return f"""
  %v_{name}o = make_tensor_view {argument}, shape = [{", ".join(map(str, shape))}], strides = [{dims.replace(",", ", ")}] : {view}
  %p_{name}o = make_partition_view %v_{name}o : {part}
  %t_{name}o = store_view_tko weak {value}, %p_{name}o[{zeros}] : {tile(element, shape)}, {part}, tile<i32> -> token"""


def strides(shape: Sequence[int]) -> list[int]:
    result = [1] * len(shape)
    for d in range(len(shape) - 1, 0, -1):
        result[d - 1] = result[d] * shape[d]
    return result


def kernel(parameters: str, body: str, version: tuple[int, int] = (13, 4)) -> Any:
    """The module of a kernel, which must be valid."""
    module = text.parse(
        f"entry @k({parameters}) {{\n  %zero = constant <i32: 0> : tile<i32>\n{body}\n  return\n}}\n",
        version=version,
    )
    findings = [finding.text for finding in verify.verify(module) if finding.severity == "error"]
    assert not findings, findings
    return module


def run(
    op: str,
    inputs: Sequence[tuple[str, Any]],
    result: tuple[str, Sequence[int]],
    version: tuple[int, int] = (13, 4),
    first: str = "%r",
    **options: Any,
) -> Any:
    """Computes ``%r = OP`` on arrays %a, %b …, given with their element types, and gives the result.

    ``first``: what OP defines, if it goes on with further ops up to that of %r.
    """
    names = "abcdefgh"[: len(inputs)]
    element, shape = result
    parameters = [f"%p{name}: tile<ptr<{kind}>>" for name, (kind, _) in zip(names, inputs, strict=True)]
    parameters.append(f"%out: tile<ptr<{element}>>")
    body = "".join(
        load(name, f"%p{name}", kind, array.shape) for name, (kind, array) in zip(names, inputs, strict=True)
    )
    body += f"\n  {first} = {op}" + store("%r", "%out", element, shape)
    out = np.zeros(shape, DTYPES[element])
    arrays = [np.ascontiguousarray(array) for _, array in inputs]
    cpu.launch(kernel(", ".join(parameters), body, version), (1, 1, 1), [*arrays, out], **options)
    return out


def same(got: Any, expected: Any) -> None:
    """Every bit, except that a NaN is a NaN."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape and got.dtype == expected.dtype, (got.dtype, expected.dtype)
    both_nan = np.zeros(got.shape, bool)
    if got.dtype.kind not in "biu":
        both_nan = np.isnan(got.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    bits = f"u{got.dtype.itemsize}"
    differ = (got.view(bits) != expected.view(bits)) & ~both_nan
    assert not differ.any(), [
        (int(i), got.ravel()[i], expected.ravel()[i]) for i in np.flatnonzero(differ)[:5]
    ]
