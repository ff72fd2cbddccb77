# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.attention_sink``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, queries, keys, key heads, query heads per key head, head dimension, dtype, sliding window)
SHAPES = [
    (2, 256, 256, 8, 8, 64, "bfloat16", None),
    (2, 256, 256, 8, 8, 64, "bfloat16", 128),
    (1, 128, 1024, 4, 4, 128, "float16", None),  # a prefix is cached
    (1, 200, 300, 4, 2, 64, "float16", 64),  # nothing is a multiple of the tile
    (1, 256, 256, 2, 1, 32, "bfloat16", None),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for batch, queries, keys, heads, repeats, dimension, dtype, window in SHAPES:
        yield case(
            f"{batch}x{queries}x{keys}x{heads}x{repeats}x{dimension}-{dtype}"
            f"{'' if window is None else f'-window{window}'}",
            query_shape=(batch, queries, heads, repeats, dimension),
            key_shape=(batch, keys, heads, dimension),
            dtype=dtype,
            window=window,
            start=keys - queries,
        )


def run(
    query_shape: tuple[int, ...], key_shape: tuple[int, ...], dtype: str, window: int | None, start: int
) -> None:
    import tilegym

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    sinks = random_tensor(query_shape[2] * query_shape[3], dtype=dtype)
    tilegym.ops.attention_sink(q, k, v, sinks, query_shape[-1] ** -0.5, window, start)
