# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.poly_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (64, 1024, "bfloat16"),
    (64, 1000, "float32"),  # not a power of two: bounds are checked
    (4, 70000, "bfloat16"),  # rows longer than a tile
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    import torch
    from tilegym.suites.liger.ops import poly_norm

    x = random_tensor(rows, columns, dtype=dtype, requires_grad=True)
    weight = random_tensor(3, dtype=dtype, requires_grad=True)
    y = poly_norm(x, weight, random_tensor(1, dtype=dtype, requires_grad=True))
    y.backward(torch.ones_like(y))
