# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.mla``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, queries, keys, head dimension, positional dimension, dtype)
SHAPES = [
    (2, 16, 1, 512, 512, 512, 64, "bfloat16"),
    (1, 16, 16, 256, 256, 128, 64, "float16"),
    (1, 8, 2, 256, 1024, 128, 32, "bfloat16"),
    (1, 8, 8, 300, 300, 128, 64, "float16"),  # no multiple of the tile
    (1, 16, 1, 256, 256, 512, 64, "float8_e5m2"),
    (1, 1, 1, 64, 64, 128, 64, "bfloat16"),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for batch, heads, key_heads, queries, keys, dimension, positional, dtype in SHAPES:
        yield case(
            f"{batch}x{heads}x{key_heads}-{queries}x{keys}-{dimension}+{positional}-{dtype}",
            query_shape=(batch, heads, queries),
            key_shape=(batch, key_heads, keys),
            dimension=dimension,
            positional=positional,
            dtype=dtype,
        )


def run(
    query_shape: tuple[int, ...], key_shape: tuple[int, ...], dimension: int, positional: int, dtype: str
) -> None:
    import tilegym

    q = random_tensor(*query_shape, dimension, dtype=dtype)
    k, v = (random_tensor(*key_shape, dimension, dtype=dtype) for _ in range(2))
    qpe = random_tensor(*query_shape, positional, dtype=dtype)
    # One positional key serves all heads.
    kpe = random_tensor(key_shape[0], 1, key_shape[2], positional, dtype=dtype)
    tilegym.ops.mla(q, k, v, qpe, kpe, True, None)
