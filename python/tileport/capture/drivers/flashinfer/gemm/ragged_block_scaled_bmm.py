# SPDX-License-Identifier: Apache-2.0
"""Calls of ``ragged_block_scaled_bmm`` of the flashinfer suite."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

BLOCK = 128
TILES = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": BLOCK, "GROUP_SIZE_M": 8, "num_ctas": 1, "occupancy": 1}

# (rows of each group, columns, inner extent, kernel)
CALLS = [
    ((128, 128, 128, 128), 512, 256, "uniform"),
    ((600, 16, 16, 16), 512, 256, "per-expert"),  # groups of different sizes
    ((128, 128), 512, 256, "swapped"),
]


def cases() -> Iterator[Case]:
    for rows, columns, inner, kernel in CALLS:
        for scaled in (True, False):
            yield case(
                f"{kernel}-{'+'.join(map(str, rows))}x{columns}x{inner}{'' if scaled else '-unscaled'}",
                rows=rows,
                columns=columns,
                inner=inner,
                kernel=kernel,
                scaled=scaled,
            )


def run(rows: tuple[int, ...], columns: int, inner: int, kernel: str, scaled: bool) -> None:
    import torch
    from tilegym.suites.flashinfer.cutile.gemm.ragged_block_scaled_bmm import ragged_block_scaled_bmm

    starts = torch.tensor([sum(rows[:end]) for end in range(len(rows) + 1)], device="cuda", dtype=torch.int32)
    a = random_tensor(sum(rows), inner, dtype="float8_e4m3fn")
    b = random_tensor(len(rows), columns, inner, dtype="float8_e4m3fn")
    a_scale = random_tensor(sum(rows), inner // BLOCK, dtype="float32") if scaled else None
    b_scale = random_tensor(len(rows), columns // BLOCK, inner // BLOCK, dtype="float32")
    # Only the autotuner, or its caller, chooses the kernel with swapped operands.
    chosen = {"kernel_configs": {**TILES, "swap_ab": True}} if kernel == "swapped" else {}
    ragged_block_scaled_bmm(a, b, a_scale, b_scale, starts, max(rows), **chosen)
