# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.grpo_loss``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (sequences, tokens, vocabulary, dtype)
SHAPES = [(4, 64, 1024, "bfloat16"), (3, 33, 512, "float32")]

# Each selects code in the kernels.
OPTIONS: list[dict[str, object]] = [
    {},
    {"beta": 0.1},
    {"loss_type": "cispo"},
    {"loss_type": "sapo"},
    {"importance_sampling_level": "sequence"},
    {"importance_sampling_level": "sequence", "beta": 0.1},
]


def cases() -> Iterator[Case]:
    for number, (sequences, tokens, vocabulary, dtype) in enumerate(SHAPES):
        for options in OPTIONS if number == 0 else OPTIONS[::4]:
            name = "".join(f"-{option}={value}" for option, value in options.items())
            yield case(
                f"{sequences}x{tokens}x{vocabulary}-{dtype}{name}",
                sequences=sequences,
                tokens=tokens,
                vocabulary=vocabulary,
                dtype=dtype,
                **options,
            )


def run(sequences: int, tokens: int, vocabulary: int, dtype: str, beta: float = 0.0, **options: str) -> None:
    import torch
    from tilegym.suites.liger.ops import grpo_loss

    logits = random_tensor(sequences, tokens + 1, vocabulary, dtype=dtype, requires_grad=True)
    old, reference = (random_tensor(sequences, tokens, dtype="float32") for _ in range(2))
    loss, *_ = grpo_loss(
        logits * 1,  # gradients are written over the logits, which a leaf does not allow
        old,
        reference if beta else None,
        torch.randint(0, vocabulary, (sequences, tokens), device="cuda"),
        random_tensor(sequences, dtype="float32"),
        torch.ones(sequences, tokens, device="cuda", dtype=torch.int32),
        beta=beta,
        **options,
    )
    loss.backward(torch.ones_like(loss))
