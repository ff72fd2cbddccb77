# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.fmha_varlen``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, queries, keys, head dimension, dtype, causal, lengths given)
SHAPES = [
    (2, 8, 8, 512, 512, 64, "float16", True, "both"),
    (2, 8, 2, 512, 512, 128, "bfloat16", False, "both"),
    (2, 8, 8, 300, 500, 64, "float16", False, "keys"),  # no multiple of the tile
    (1, 4, 4, 256, 256, 64, "bfloat16", True, "none"),
    (2, 4, 4, 512, 4096, 64, "bfloat16", False, "queries"),  # has other tiles
]


def cases() -> Iterator[Case]:
    for batch, heads, key_heads, queries, keys, dimension, dtype, causal, lengths in SHAPES:
        yield case(
            f"{batch}x{heads}x{key_heads}-{queries}x{keys}x{dimension}-{dtype}"
            f"-{'causal' if causal else 'full'}-{lengths}",
            query_shape=(batch, heads, queries, dimension),
            key_shape=(batch, key_heads, keys, dimension),
            dtype=dtype,
            causal=causal,
            lengths=lengths,
        )


def run(
    query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, causal: bool, lengths: str
) -> None:
    import tilegym
    import torch

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    given = {}
    for name, shape, where in (("q_lens", query_shape, "queries"), ("kv_lens", key_shape, "keys")):
        if lengths in ("both", where):
            given[name] = torch.full((shape[0],), shape[2] // 2, dtype=torch.int32, device="cuda")
    tilegym.ops.fmha_varlen(q, k, v, is_causal=causal, **given)
