# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.fused_add_rms_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (64, 1024, "bfloat16"),
    (64, 1000, "float32"),  # not a power of two: bounds are checked
    (32, 8192, "bfloat16"),  # long rows are read in two halves
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    import torch
    from tilegym.suites.liger.ops import fused_add_rms_norm

    x, residual = (random_tensor(rows, columns, dtype=dtype, requires_grad=True) for _ in range(2))
    y, total = fused_add_rms_norm(x, residual, random_tensor(columns, dtype=dtype, requires_grad=True))
    torch.autograd.backward([y, total], [torch.ones_like(y), torch.ones_like(total)])
