# SPDX-License-Identifier: Apache-2.0
"""Calls of ``ragged_bmm`` of the flashinfer suite."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (groups, rows of each, columns, inner extent, dtype)
SHAPES = [(4, 128, 512, 256, "float16"), (3, 100, 264, 520, "bfloat16")]
TILES = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_SIZE_M": 8, "num_ctas": 1, "occupancy": 2}


def cases() -> Iterator[Case]:
    for groups, rows, columns, inner, dtype in SHAPES:
        for swapped in (False, True):
            yield case(
                f"{groups}x{rows}x{columns}x{inner}-{dtype}{'-swapped' * swapped}",
                groups=groups,
                rows=rows,
                columns=columns,
                inner=inner,
                dtype=dtype,
                swapped=swapped,
            )


def run(groups: int, rows: int, columns: int, inner: int, dtype: str, swapped: bool) -> None:
    import torch
    from tilegym.suites.flashinfer.cutile.gemm.ragged_bmm import ragged_bmm

    starts = torch.arange(groups + 1, device="cuda", dtype=torch.int32) * rows
    a = random_tensor(groups * rows, inner, dtype=dtype)
    b = random_tensor(groups, columns, inner, dtype=dtype)
    # Only the autotuner, or its caller, chooses the kernel with swapped operands.
    chosen = {"kernel_configs": {**TILES, "swap_ab": True}} if swapped else {}
    ragged_bmm(a, b, starts, rows, **chosen)
