# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.dropout``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (elements, dtype, probability, seed)
CALLS = [
    (1 << 20, "float32", 0.5, 1),
    (1 << 20, "float16", 0.25, 1),
    (100_000, "bfloat16", 0.5, 12345),  # no multiple of the tile
    (1_001, "float32", 0.1, 2),
    (1, "float16", 0.5, 1),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for elements, dtype, probability, seed in CALLS:
        yield case(
            f"{elements}-{dtype}-p{probability}-seed{seed}",
            elements=elements,
            dtype=dtype,
            probability=probability,
            seed=seed,
        )
    yield case(
        "in-place-65536-float16", elements=1 << 16, dtype="float16", probability=0.5, seed=1, in_place=True
    )


def run(elements: int, dtype: str, probability: float, seed: int, in_place: bool = False) -> None:
    import tilegym

    tilegym.ops.dropout(random_tensor(elements, dtype=dtype), seed, probability, inplace=in_place)
