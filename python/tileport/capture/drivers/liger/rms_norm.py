# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.rms_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [(64, 1024, "bfloat16"), (64, 1000, "float32"), (16, 16384, "float16")]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        for affine in (True, False):
            yield case(
                f"{rows}x{columns}-{dtype}{'' if affine else '-plain'}",
                rows=rows,
                columns=columns,
                dtype=dtype,
                affine=affine,
            )


def run(rows: int, columns: int, dtype: str, affine: bool) -> None:
    import torch
    from tilegym.suites.liger.ops import rms_norm

    x = random_tensor(rows, columns, dtype=dtype, requires_grad=True)
    weight = random_tensor(columns, dtype=dtype, requires_grad=True) if affine else None
    y = rms_norm(x, weight, 1e-6)
    y.backward(torch.ones_like(y))
