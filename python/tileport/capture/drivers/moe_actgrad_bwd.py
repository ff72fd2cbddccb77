# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.moe_actgrad_bwd``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

ACTIVATIONS = ("swiglu", "geglu", "reglu", "silu", "relu", "gelu", "relu_sq")

# (tokens, experts per token, experts, intermediate size, hidden size, dtype)
SHAPES = [
    (256, 2, 8, 512, 1024, "bfloat16"),
    (100, 2, 4, 200, 520, "float16"),  # no multiple of the tile
]


def cases() -> Iterator[Case]:
    for number, (tokens, chosen, experts, intermediate, hidden, dtype) in enumerate(SHAPES):
        for activation in ACTIVATIONS if number == 0 else ACTIVATIONS[:1]:
            yield case(
                f"{tokens}-{chosen}of{experts}-{intermediate}x{hidden}-{activation}-{dtype}",
                tokens=tokens,
                chosen=chosen,
                experts=experts,
                intermediate=intermediate,
                hidden=hidden,
                activation=activation,
                dtype=dtype,
            )


def run(
    tokens: int, chosen: int, experts: int, intermediate: int, hidden: int, activation: str, dtype: str
) -> None:
    import tilegym
    import torch

    grouped = tokens * chosen
    width = intermediate * (2 if activation.endswith("glu") else 1)
    h, dh = (random_tensor(grouped, width, dtype=dtype) for _ in range(2))
    offsets = torch.arange(experts + 1, device="cuda", dtype=torch.int32) * (grouped // experts)
    rows = torch.arange(grouped, device="cuda", dtype=torch.int32)
    tilegym.ops.moe_actgrad_bwd(
        random_tensor(tokens, hidden, dtype=dtype),
        h,
        random_tensor(experts, intermediate, hidden, dtype=dtype),
        dh,
        torch.zeros(grouped, device="cuda", dtype=torch.float32),
        None,
        None,
        random_tensor(grouped, intermediate, dtype=dtype),
        random_tensor(grouped, dtype="float32"),
        offsets,
        rows // chosen,
        rows,
        activation,
    )
