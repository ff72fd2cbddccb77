# SPDX-License-Identifier: Apache-2.0
"""Calls of ``causal_conv1d_prefill_silu_cutile`` of TileGym's qwen3_5 model."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, model_kernels, random_tensor

# (channels, positions, dtype)
SHAPES = [
    (1024, 512, "bfloat16"),
    (1000, 300, "float16"),  # no multiple of the tile
    (64, 1, "float32"),
]


def cases() -> Iterator[Case]:
    for channels, positions, dtype in SHAPES:
        yield case(f"{channels}x{positions}-{dtype}", channels=channels, positions=positions, dtype=dtype)


def run(channels: int, positions: int, dtype: str) -> None:
    kernels = model_kernels("qwen3_5", "causal_conv1d_prefill_silu")
    x = random_tensor(1, channels, positions + 3, dtype=dtype)
    kernels.causal_conv1d_prefill_silu_cutile(x, random_tensor(channels, 4, dtype=dtype), positions)
