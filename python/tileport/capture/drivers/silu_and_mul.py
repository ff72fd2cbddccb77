# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.silu_and_mul``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, sequence, hidden size, dtype): the input has twice the hidden size.
SHAPES = [
    (4, 128, 1024, "float16"),
    (4, 128, 1000, "bfloat16"),  # stride divisible by 16 bytes, extent not by 16 elements
    (7, 33, 501, "float32"),  # nothing is divisible
    (2, 64, 2048, "float32"),
    (1, 1, 512, "bfloat16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for batch, sequence, hidden, dtype in SHAPES:
        yield case(
            f"{batch}x{sequence}x{hidden}-{dtype}", batch=batch, sequence=sequence, hidden=hidden, dtype=dtype
        )


def run(batch: int, sequence: int, hidden: int, dtype: str) -> None:
    import tilegym
    import torch

    x = random_tensor(batch, sequence, 2 * hidden, dtype=dtype, requires_grad=True)
    y = tilegym.ops.silu_and_mul(x)
    y.backward(torch.ones_like(y))
