# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.layer_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [(64, 1024, "bfloat16"), (64, 1000, "float32")]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        for trained in (True, False):
            yield case(
                f"{rows}x{columns}-{dtype}{'' if trained else '-frozen'}",
                rows=rows,
                columns=columns,
                dtype=dtype,
                trained=trained,
            )


def run(rows: int, columns: int, dtype: str, trained: bool) -> None:
    import torch
    from tilegym.suites.liger.ops import layer_norm

    x = random_tensor(rows, columns, dtype=dtype, requires_grad=True)
    # Without gradients of the weights the backward pass has another kernel.
    weight, bias = (random_tensor(columns, dtype=dtype, requires_grad=trained) for _ in range(2))
    y = layer_norm(x, weight, bias)
    y.backward(torch.ones_like(y))
