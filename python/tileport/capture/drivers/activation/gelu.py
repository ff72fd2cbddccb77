# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.gelu``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (elements, dtype)
SHAPES = [(1 << 16, "float16"), (100_000, "bfloat16"), (1001, "float32")]


def cases() -> Iterator[Case]:
    for elements, dtype in SHAPES:
        for approximate in ("none", "tanh"):
            yield case(
                f"{elements}-{approximate}-{dtype}", elements=elements, approximate=approximate, dtype=dtype
            )


def run(elements: int, approximate: str, dtype: str) -> None:
    import torch
    from tilegym.ops.activation import gelu

    y = gelu(random_tensor(elements, dtype=dtype, requires_grad=True), approximate)
    y.backward(torch.ones_like(y))
