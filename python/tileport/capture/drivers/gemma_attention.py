# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.gemma_attention``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, queries, keys, head dimension, dtype), and options
CALLS: list[tuple[tuple[int, int, int, int, int, int, str], dict[str, float]]] = [
    ((2, 8, 4, 512, 512, 256, "bfloat16"), {}),
    ((2, 8, 4, 512, 512, 256, "bfloat16"), {"window_size": 128}),
    ((2, 8, 4, 512, 512, 256, "bfloat16"), {"soft_cap": 50.0}),
    ((1, 8, 8, 512, 512, 128, "float16"), {"window_size": 128, "soft_cap": 30.0}),
    ((1, 4, 4, 256, 512, 128, "float16"), {"is_causal": False}),
    ((1, 4, 4, 300, 300, 64, "float16"), {"is_causal": False, "soft_cap": 50.0}),  # bounds are checked
    ((1, 8, 4, 512, 512, 128, "bfloat16"), {"is_causal": False, "window_size": 64, "use_autotune": True}),
    ((1, 8, 4, 1, 512, 128, "bfloat16"), {}),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for (batch, heads, key_heads, queries, keys, dimension, dtype), options in CALLS:
        name = "".join(f"-{option}={value}" for option, value in options.items())
        yield case(
            f"{batch}x{heads}x{key_heads}-{queries}x{keys}x{dimension}-{dtype}{name}",
            query_shape=(batch, heads, queries, dimension),
            key_shape=(batch, key_heads, keys, dimension),
            dtype=dtype,
            **options,
        )


def run(query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, **options: float) -> None:
    import tilegym

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    tilegym.ops.gemma_attention(q, k, v, **options)
