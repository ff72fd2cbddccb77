# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.moe_align_block_size``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case

# (tokens, experts per token, experts, block size)
CALLS = [
    (64, 2, 8, 128),
    (1000, 6, 64, 64),  # experts are a power of two, assignments no multiple of anything
    (1024, 8, 60, 128),  # experts that are no power of two
    (1, 1, 4, 16),  # an extent of 1 becomes a constant of the kernel
    (8192, 4, 16, 128),  # more assignments than a program counts at once
]
# Routers give either.
DTYPES = ("int32", "int64")


def cases() -> Iterator[Case]:
    for tokens, chosen, experts, block in CALLS:
        for dtype in DTYPES if tokens == 64 else DTYPES[:1]:
            yield case(
                f"{tokens}-{chosen}of{experts}-block{block}-{dtype}",
                tokens=tokens,
                chosen=chosen,
                experts=experts,
                block=block,
                dtype=dtype,
            )


def run(tokens: int, chosen: int, experts: int, block: int, dtype: str) -> None:
    import torch
    from tilegym.ops.moe_interface import moe_align_block_size

    ids = torch.randint(0, experts, (tokens, chosen), device="cuda", dtype=getattr(torch, dtype))
    moe_align_block_size(ids, block, experts)
