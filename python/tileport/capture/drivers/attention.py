# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.fmha``, and of its differentiable form, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, queries, keys, head dimension, dtype, causal)
FORWARD = [
    (2, 8, 8, 1024, 1024, 64, "float16", True),
    (1, 8, 2, 512, 512, 128, "bfloat16", True),  # several query heads share a key head
    (1, 4, 4, 256, 512, 128, "float16", False),  # fewer queries than keys
    (1, 4, 4, 300, 300, 64, "bfloat16", False),  # keys are no multiple of the tile: bounds are checked
    (1, 4, 4, 200, 1000, 64, "float16", True),
    (1, 8, 8, 512, 512, 128, "float8_e5m2", True),
    (1, 1, 1, 1, 256, 64, "bfloat16", True),  # extents of 1 become constants of the kernel
]

# As above, for tile sizes that depend on the head dimension.
BACKWARD = [
    (2, 4, 4, 256, 256, 64, "float16", True),
    (1, 8, 2, 256, 256, 128, "bfloat16", False),
    (1, 4, 4, 200, 200, 64, "bfloat16", True),
    (1, 4, 2, 256, 256, 256, "float16", True),
    (1, 1, 1, 128, 128, 64, "float16", False),
]


def cases() -> Iterator[Case]:
    for backward, shapes in ((False, FORWARD), (True, BACKWARD)):
        for batch, heads, key_heads, queries, keys, dimension, dtype, causal in shapes:
            yield case(
                f"{'backward' if backward else 'forward'}-{batch}x{heads}x{key_heads}-{queries}x{keys}"
                f"x{dimension}-{dtype}-{'causal' if causal else 'full'}",
                query_shape=(batch, heads, queries, dimension),
                key_shape=(batch, key_heads, keys, dimension),
                dtype=dtype,
                causal=causal,
                backward=backward,
            )


def run(
    query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, causal: bool, backward: bool
) -> None:
    import tilegym
    import torch

    q = random_tensor(*query_shape, dtype=dtype, requires_grad=backward)
    k, v = (random_tensor(*key_shape, dtype=dtype, requires_grad=backward) for _ in range(2))
    if not backward:
        tilegym.ops.fmha(q, k, v, is_causal=causal)
        return
    # The differentiable form is registered but has no dispatcher.
    from tilegym.ops.cutile.attention import tile_fmha_with_backward

    o = tile_fmha_with_backward(q, k, v, is_causal=causal)
    o.backward(torch.ones_like(o))
