# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.rms_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# Each mode has its own kernel; they share the backward kernel.
MODES = ("multi_wave_reload", "static_persistent", "multi_wave_cached")

# (rows, columns, dtype)
SHAPES = [
    (256, 256, "float16"),
    (300, 1000, "bfloat16"),  # not a power of two: bounds are checked
    (64, 4096, "float32"),
    (1, 768, "float32"),  # an extent of 1 becomes a constant of the kernel
]

# Gemma's variant adds 1 to the weight; it has no backward pass.
GEMMA_OFFSET = 1.0


def cases() -> Iterator[Case]:
    for mode in MODES:
        for rows, columns, dtype in SHAPES:
            yield case(
                f"{mode}-{rows}x{columns}-{dtype}",
                rows=rows,
                columns=columns,
                dtype=dtype,
                mode=mode,
                # One backward pass per shape is enough, as it does not depend on the mode.
                backward=mode == MODES[0],
            )
        yield case(
            f"{mode}-offset-256x2048-bfloat16",
            rows=256,
            columns=2048,
            dtype="bfloat16",
            mode=mode,
            offset=GEMMA_OFFSET,
        )


def run(rows: int, columns: int, dtype: str, mode: str, offset: float = 0.0, backward: bool = False) -> None:
    import tilegym
    import torch

    x = random_tensor(rows, columns, dtype=dtype, requires_grad=backward)
    weight = random_tensor(columns, dtype=dtype, requires_grad=backward)
    y = tilegym.ops.rms_norm(x, (columns,), weight, 1e-5, mode=mode, offset=offset)
    if backward:
        y.backward(torch.ones_like(y))
