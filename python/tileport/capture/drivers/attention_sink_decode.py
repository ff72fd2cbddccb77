# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.attention_sink_decode``, which also launches ``splitk_reduce``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, keys, key heads, query heads per key head, head dimension, dtype, sliding window, keys per split)
SHAPES = [
    (2, 1024, 8, 8, 64, "bfloat16", None, None),
    (2, 1024, 8, 8, 64, "bfloat16", 128, None),
    (1, 4096, 8, 8, 128, "float16", None, 256),
    (1, 1000, 8, 4, 64, "float16", None, 512),  # keys are no multiple of the tile, heads none of 8
    (4, 300, 2, 1, 32, "bfloat16", 100, 128),  # an extent of 1 becomes a constant of the kernel
    (1, 128, 4, 16, 256, "bfloat16", None, None),  # a single split
]


def cases() -> Iterator[Case]:
    for batch, keys, heads, repeats, dimension, dtype, window, split in SHAPES:
        for sinks in (True, False) if window is None and split is None else (True,):
            yield case(
                f"{batch}x{keys}x{heads}x{repeats}x{dimension}-{dtype}"
                f"{'' if window is None else f'-window{window}'}{'' if split is None else f'-split{split}'}"
                f"{'' if sinks else '-no-sinks'}",
                query_shape=(batch, 1, heads, repeats, dimension),
                key_shape=(batch, keys, heads, dimension),
                dtype=dtype,
                window=window,
                split=split,
                sinks=sinks,
            )


def run(
    query_shape: tuple[int, ...],
    key_shape: tuple[int, ...],
    dtype: str,
    window: int | None,
    split: int | None,
    sinks: bool,
) -> None:
    import tilegym
    import torch

    q = random_tensor(*query_shape, dtype=dtype)
    k, v = (random_tensor(*key_shape, dtype=dtype) for _ in range(2))
    weights = random_tensor(query_shape[2] * query_shape[3], dtype=dtype) if sinks else None
    start = torch.tensor([key_shape[1] - 1], dtype=torch.int32, device="cuda")
    tilegym.ops.attention_sink_decode(
        q, k, v, weights, query_shape[-1] ** -0.5, window, start, kv_len_per_split=split
    )
