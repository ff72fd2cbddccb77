# SPDX-License-Identifier: Apache-2.0
"""Calls of ``decode_attention_kv_paged`` and ``decode_mla_kv_paged`` of the flashinfer suite."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

PAGE = 16

# (batch, keys, query heads, key heads, head dimension, dtype)
SHAPES = [
    (2, 4096, 8, 2, 128, "bfloat16"),
    (2, 256, 4, 4, 64, "float16"),  # too short to be split
    (
        2,
        4096,
        6,
        2,
        64,
        "float16",
    ),  # heads are no multiple of 4, for which splits are added by another kernel
]
# (batch, keys, heads, latent dimension, positional dimension, dtype)
LATENT = [(2, 4096, 16, 512, 64, "bfloat16"), (2, 128, 16, 512, 64, "float16")]


def cases() -> Iterator[Case]:
    for latent, shapes in ((False, SHAPES), (True, LATENT)):
        for *extents, dtype in shapes:
            yield case(
                f"{'mla' if latent else 'gqa'}-{'x'.join(map(str, extents))}-{dtype}",
                latent=latent,
                extents=extents,
                dtype=dtype,
            )


def run(latent: bool, extents: list[int], dtype: str) -> None:
    import torch
    from tilegym.suites.flashinfer import ops

    batch, keys, heads, *_ = extents
    pages = keys // PAGE
    lengths = torch.full((batch,), keys, device="cuda", dtype=torch.int32)
    tables = torch.arange(batch * pages, device="cuda", dtype=torch.int32).reshape(batch, pages)
    if latent:
        dimension, positional = extents[3:]
        q = random_tensor(batch, heads, dimension, dtype=dtype)
        q_rope = random_tensor(batch, heads, positional, dtype=dtype)
        kv = random_tensor(batch * pages, PAGE, dimension, dtype=dtype)
        k_rope = random_tensor(batch * pages, PAGE, positional, dtype=dtype)
        scale = (dimension + positional) ** -0.5
        ops.decode_mla_kv_paged(q, q_rope, kv, k_rope, lengths, tables, scale, 1.0, keys)
        return
    key_heads, dimension = extents[3:]
    q = random_tensor(batch, heads, dimension, dtype=dtype)
    k, v = (random_tensor(batch * pages, PAGE, key_heads, dimension, dtype=dtype) for _ in range(2))
    ops.decode_attention_kv_paged(q, k, v, lengths, tables, dimension**-0.5, 1.0, keys)
