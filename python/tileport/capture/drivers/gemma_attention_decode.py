# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.gemma_attention_decode``, which also launches ``splitk_reduce``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, keys, head dimension, dtype), and options
CALLS: list[tuple[tuple[int, int, int, int, int, str], dict[str, float]]] = [
    ((2, 8, 4, 1024, 256, "bfloat16"), {}),
    ((2, 8, 4, 1024, 256, "bfloat16"), {"window_size": 512}),
    ((1, 16, 8, 2048, 128, "float16"), {"soft_cap": 50.0}),
    ((1, 16, 8, 1000, 128, "float16"), {"window_size": 256, "soft_cap": 30.0}),  # no multiple of the tile
    ((1, 32, 4, 4096, 128, "bfloat16"), {"kv_len_per_split": 1024}),
    ((1, 1, 1, 128, 64, "bfloat16"), {}),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for (batch, heads, key_heads, keys, dimension, dtype), options in CALLS:
        name = "".join(f"-{option}={value}" for option, value in options.items())
        yield case(
            f"{batch}x{heads}x{key_heads}x{keys}x{dimension}-{dtype}{name}",
            query_shape=(batch, heads, 1, dimension),
            key_shape=(batch, key_heads, keys, dimension),
            dtype=dtype,
            **options,
        )


def run(query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, **options: float) -> None:
    import tilegym

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    tilegym.ops.gemma_attention_decode(q, k, v, **options)
