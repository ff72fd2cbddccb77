# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.mla_decoding_split_kv``, which also launches ``splitk_reduce``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, heads, keys, head dimension, positional dimension, dtype, keys per split)
SHAPES = [
    (4, 16, 1024, 512, 64, "bfloat16", None),
    (2, 32, 8192, 512, 64, "float16", None),
    (2, 32, 8192, 512, 64, "float16", 1024),
    (2, 16, 1000, 512, 64, "bfloat16", 256),  # keys are no multiple of the tile
    (2, 16, 1024, 256, 32, "float16", 512),
    (1, 16, 128, 128, 64, "bfloat16", None),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for batch, heads, keys, dimension, positional, dtype, split in SHAPES:
        yield case(
            f"{batch}x{heads}x{keys}-{dimension}+{positional}-{dtype}"
            f"{'' if split is None else f'-split{split}'}",
            batch=batch,
            heads=heads,
            keys=keys,
            dimension=dimension,
            positional=positional,
            dtype=dtype,
            split=split,
        )


def run(
    batch: int, heads: int, keys: int, dimension: int, positional: int, dtype: str, split: int | None
) -> None:
    import tilegym

    q = random_tensor(batch, heads, dimension, dtype=dtype)
    qpe = random_tensor(batch, heads, positional, dtype=dtype)
    kv = random_tensor(batch, keys, dimension, dtype=dtype)
    kpe = random_tensor(batch, keys, positional, dtype=dtype)
    tilegym.ops.mla_decoding_split_kv(q, qpe, kv, kpe, kv_len_per_split=split)
