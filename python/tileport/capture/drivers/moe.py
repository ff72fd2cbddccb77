# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.fused_moe``, which also launches ``moe_align_block`` and ``silu_and_mul``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (tokens, hidden size, intermediate size, experts, experts per token, dtype)
SHAPES = [
    (64, 1024, 512, 8, 2, "bfloat16"),
    (64, 1024, 512, 8, 2, "float16"),
    (100, 520, 264, 16, 4, "float16"),  # sizes that are no multiple of the tile
    (32, 512, 256, 4, 1, "bfloat16"),
]


def cases() -> Iterator[Case]:
    for tokens, hidden, intermediate, experts, chosen, dtype in SHAPES:
        yield case(
            f"{tokens}x{hidden}x{intermediate}-{chosen}of{experts}-{dtype}",
            tokens=tokens,
            hidden=hidden,
            intermediate=intermediate,
            experts=experts,
            chosen=chosen,
            dtype=dtype,
        )


def run(tokens: int, hidden: int, intermediate: int, experts: int, chosen: int, dtype: str) -> None:
    import tilegym
    import torch

    scores = random_tensor(tokens, experts, dtype="float32")
    weights, ids = torch.topk(torch.softmax(scores, dim=-1), chosen, dim=-1)
    tilegym.ops.fused_moe(
        random_tensor(tokens, hidden, dtype=dtype),
        random_tensor(experts, 2 * intermediate, hidden, dtype=dtype),
        random_tensor(experts, hidden, intermediate, dtype=dtype),
        weights,
        ids,
    )
