# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.linear_gluact_linear``, which also launches ``matmul``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, inner extent, hidden size, activation, dtype)
CALLS = [
    (512, 256, 512, "silu", "bfloat16"),
    (512, 256, 512, "relu", "float16"),
    (512, 256, 512, "gelu", "float16"),
    (200, 264, 520, "silu", "float16"),  # no multiple of the tile
    (1, 256, 512, "silu", "bfloat16"),  # an extent of 1 becomes a constant of the kernel
]


def cases() -> Iterator[Case]:
    for rows, inner, hidden, activation, dtype in CALLS:
        yield case(
            f"{rows}x{inner}x{hidden}-{activation}-{dtype}",
            rows=rows,
            inner=inner,
            hidden=hidden,
            activation=activation,
            dtype=dtype,
        )


def run(rows: int, inner: int, hidden: int, activation: str, dtype: str) -> None:
    import tilegym

    first, second = (random_tensor(hidden, inner, dtype=dtype) for _ in range(2))
    last = random_tensor(inner, hidden, dtype=dtype)
    x = random_tensor(rows, inner, dtype=dtype)
    tilegym.ops.linear_gluact_linear(x, first, second, last, act_type=activation)
