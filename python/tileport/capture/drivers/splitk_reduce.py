# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.splitk_reduce``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, heads, splits, head dimension, keys, dtype)
SHAPES = [
    (2, 32, 8, 128, 1024, "float16"),
    (2, 32, 32, 128, 4096, "bfloat16"),  # many splits are added by a matrix product
    (1, 16, 5, 128, 640, "bfloat16"),  # splits that are no power of two
    (1, 16, 20, 512, 2560, "float16"),  # heads in several blocks
    (4, 8, 3, 96, 384, "float32"),  # a dimension that is no power of two
    (1, 1, 1, 64, 128, "bfloat16"),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for batch, heads, splits, dimension, keys, dtype in SHAPES:
        yield case(
            f"{batch}x{heads}x{splits}x{dimension}-{keys}-{dtype}",
            batch=batch,
            heads=heads,
            splits=splits,
            dimension=dimension,
            keys=keys,
            dtype=dtype,
        )


def run(batch: int, heads: int, splits: int, dimension: int, keys: int, dtype: str) -> None:
    import tilegym

    partial = random_tensor(batch, heads, splits, dimension, dtype=dtype)
    sums = random_tensor(batch, heads, splits, dtype="float32")
    tilegym.ops.splitk_reduce(partial, sums, random_tensor(batch, heads, dimension, dtype=dtype), keys)
