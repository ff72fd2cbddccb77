# SPDX-License-Identifier: Apache-2.0
"""Calls of ``gdr_preprocess_cutile`` of TileGym's qwen3_5 model."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, model_kernels, random_tensor

# (tokens, heads, dtype)
SHAPES = [
    (256, 32, "bfloat16"),
    (100, 24, "float16"),  # not a power of two: bounds are checked
    (1, 16, "bfloat16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for tokens, heads, dtype in SHAPES:
        yield case(f"{tokens}x{heads}-{dtype}", tokens=tokens, heads=heads, dtype=dtype)


def run(tokens: int, heads: int, dtype: str) -> None:
    kernels = model_kernels("qwen3_5", "gdr_preprocess")
    b, a = (random_tensor(tokens, heads, dtype=dtype) for _ in range(2))
    bias = random_tensor(heads, dtype=dtype)
    kernels.gdr_preprocess_cutile(b, a, random_tensor(heads, dtype="float32"), bias)
