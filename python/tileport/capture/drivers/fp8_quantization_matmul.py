# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.w8a8_block_fp8_matmul``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

BLOCK = 128

# (rows, columns, inner extent, dtype of the result)
CALLS = [
    (256, 512, 512, "float16"),
    (256, 512, 512, "bfloat16"),
    (256, 512, 512, "float32"),
    (100, 576, 448, "bfloat16"),  # no multiple of the block
    (1, 512, 256, "float16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for rows, columns, inner, dtype in CALLS:
        for tma in (True, False):
            yield case(
                f"{rows}x{columns}x{inner}-{dtype}{'-tma' * tma}",
                rows=rows,
                columns=columns,
                inner=inner,
                dtype=dtype,
                tma=tma,
            )


def run(rows: int, columns: int, inner: int, dtype: str, tma: bool) -> None:
    import tilegym
    import torch

    blocks = -(-inner // BLOCK)
    a = random_tensor(rows, inner, dtype="float8_e4m3fn")
    b = random_tensor(columns, inner, dtype="float8_e4m3fn")
    tilegym.ops.w8a8_block_fp8_matmul(
        a,
        b,
        random_tensor(rows, blocks, dtype="float32"),
        random_tensor(-(-columns // BLOCK), blocks, dtype="float32"),
        block_size=[BLOCK, BLOCK],
        output_dtype=getattr(torch, dtype),
        use_tma=tma,
    )
