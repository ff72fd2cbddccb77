# SPDX-License-Identifier: Apache-2.0
"""Calls of ``dual_rms_norm_cutile`` of TileGym's olmo3 model."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, model_kernels, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (256, 2048, "bfloat16"),
    (100, 1000, "float16"),  # not a power of two: bounds are checked
    (1, 512, "float32"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    kernels = model_kernels("olmo3", "dual_rms_norm")
    q, k = (random_tensor(rows, columns, dtype=dtype) for _ in range(2))
    q_weight, k_weight = (random_tensor(columns, dtype=dtype) for _ in range(2))
    kernels.dual_rms_norm_cutile(q, k, q_weight, k_weight, 1e-6)
