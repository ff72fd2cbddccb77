# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.get_swiglu()``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, sequence, hidden size, dtype)
SHAPES = [
    (4, 128, 1024, "float16"),  # a power of two: no bounds to check
    (4, 128, 1000, "bfloat16"),  # stride divisible by 16 bytes, extent not by 16 elements
    (7, 33, 501, "float32"),  # nothing is divisible
    (2, 64, 4096, "float32"),
    # Few rows: the backward pass splits each among several blocks, by the number of multiprocessors, and with
    # these the device models get different tiles.
    (3, 3, 4096, "bfloat16"),
    (1, 1, 2048, "float16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for batch, sequence, hidden, dtype in SHAPES:
        yield case(
            f"{batch}x{sequence}x{hidden}-{dtype}", batch=batch, sequence=sequence, hidden=hidden, dtype=dtype
        )


def run(batch: int, sequence: int, hidden: int, dtype: str) -> None:
    import tilegym
    import torch

    gate = random_tensor(batch, sequence, hidden, dtype=dtype, requires_grad=True)
    up = random_tensor(batch, sequence, hidden, dtype=dtype, requires_grad=True)
    y = tilegym.ops.get_swiglu()(gate, up)
    y.backward(torch.ones_like(y))
