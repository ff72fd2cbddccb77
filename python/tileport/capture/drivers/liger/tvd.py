# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.tvd``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (64, 8192, "bfloat16"),
    (64, 10000, "float32"),  # no multiple of the tile
    (64, 1001, "bfloat16"),  # rows do not start at multiples of 16 bytes
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        for reduction in ("batchmean", "none"):
            yield case(
                f"{rows}x{columns}-{reduction}-{dtype}",
                rows=rows,
                columns=columns,
                dtype=dtype,
                reduction=reduction,
            )
    yield case(
        "64x8192-labels-bfloat16", rows=64, columns=8192, dtype="bfloat16", reduction="mean", labels=True
    )


def run(rows: int, columns: int, dtype: str, reduction: str, labels: bool = False) -> None:
    import torch
    from tilegym.suites.liger.ops import tvd

    p = random_tensor(rows, columns, dtype=dtype, requires_grad=True)
    given = torch.randint(0, columns, (rows,), device="cuda") if labels else None
    loss = tvd(p, random_tensor(rows, columns, dtype=dtype), given, reduction=reduction)
    loss.backward(torch.ones_like(loss))
