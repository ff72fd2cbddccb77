# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.transpose``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (1024, 2048, "float16"),
    (4096, 4096, "bfloat16"),  # large ones have larger tiles
    (1000, 300, "float32"),  # no multiple of the tile
    (1, 512, "float16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    import tilegym
    import torch

    y = tilegym.ops.transpose(random_tensor(rows, columns, dtype=dtype, requires_grad=True))
    y.backward(torch.ones_like(y))
