# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.fused_neighborhood_attention``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, heads, positions, head dimension, neighbours, dilation, dtype)
SHAPES = [
    (2, 4, 256, 64, 7, 1, "bfloat16"),
    (1, 4, 256, 64, 7, 2, "float16"),
    (1, 2, 200, 32, 5, 1, "float32"),  # no multiple of the tile
]


def cases() -> Iterator[Case]:
    for batch, heads, positions, dimension, neighbours, dilation, dtype in SHAPES:
        yield case(
            f"{batch}x{heads}x{positions}x{dimension}-{neighbours}by{dilation}-{dtype}",
            shape=(batch, heads, positions, dimension),
            neighbours=neighbours,
            dilation=dilation,
            dtype=dtype,
        )


def run(shape: tuple[int, ...], neighbours: int, dilation: int, dtype: str) -> None:
    import torch
    from tilegym.suites.liger.ops import fused_neighborhood_attention

    q, k, v = (random_tensor(*shape, dtype=dtype, requires_grad=True) for _ in range(3))
    y = fused_neighborhood_attention(q, k, v, kernel_size=neighbours, dilation=dilation)
    y.backward(torch.ones_like(y))
