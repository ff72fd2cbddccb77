# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.fmha_decode``, which also launches ``splitk_reduce``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, keys, head dimension, dtype, keys per split)
SHAPES = [
    (2, 32, 8, 1024, 128, "float16", None),
    (1, 32, 4, 4096, 128, "bfloat16", None),
    (1, 32, 4, 4096, 128, "bfloat16", 1024),
    (2, 8, 8, 1000, 64, "float16", None),  # keys are no multiple of the tile
    (1, 24, 8, 513, 64, "bfloat16", 512),  # three query heads a key head, which are no power of two
    (4, 64, 8, 2048, 256, "float16", None),
    (1, 1, 1, 128, 64, "bfloat16", None),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for batch, heads, key_heads, keys, dimension, dtype, split in SHAPES:
        yield case(
            f"{batch}x{heads}x{key_heads}x{keys}x{dimension}-{dtype}"
            f"{'' if split is None else f'-split{split}'}",
            query_shape=(batch, heads, 1, dimension),
            key_shape=(batch, key_heads, keys, dimension),
            dtype=dtype,
            split=split,
        )


def run(query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, split: int | None) -> None:
    import tilegym

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    tilegym.ops.fmha_decode(q, k, v, query_shape[-1] ** -0.5, kv_len_per_split=split)
