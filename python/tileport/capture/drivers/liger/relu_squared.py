# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.relu_squared``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [(64, 4096, "float16"), (64, 1000, "bfloat16"), (7, 501, "float32")]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    import torch
    from tilegym.suites.liger.ops import relu_squared

    y = relu_squared(random_tensor(rows, columns, dtype=dtype, requires_grad=True))
    y.backward(torch.ones_like(y))
