# SPDX-License-Identifier: Apache-2.0
"""Calls of ``lfm2_causal_conv1d_update_cutile`` of TileGym's lfm2_moe model."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, model_kernels, random_tensor

# (channels, dtype)
SHAPES = [(1024, "bfloat16"), (1000, "float16"), (64, "float32")]


def cases() -> Iterator[Case]:
    for channels, dtype in SHAPES:
        yield case(f"{channels}-{dtype}", channels=channels, dtype=dtype)


def run(channels: int, dtype: str) -> None:
    kernels = model_kernels("lfm2_moe", "causal_conv1d_update")
    x = random_tensor(1, channels, 1, dtype=dtype)
    state = random_tensor(1, channels, 3, dtype=dtype)
    kernels.lfm2_causal_conv1d_update_cutile(x, state, random_tensor(channels, 3, dtype=dtype))
