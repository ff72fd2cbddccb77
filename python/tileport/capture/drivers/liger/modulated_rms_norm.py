# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.suites.liger.ops.modulated_rms_norm``, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, rows of the modulation, dtype), and options
CALLS: list[tuple[tuple[int, int, int, str], dict[str, object]]] = [
    ((256, 1024, 256, "bfloat16"), {}),
    ((256, 1024, 4, "float16"), {}),
    ((256, 1024, 1, "float16"), {"shift": False}),
    ((100, 1000, 100, "float32"), {"affine": False}),  # not a power of two: bounds are checked
    ((64, 4096, 64, "bfloat16"), {"casting_mode": "gemma", "offset": 1.0}),
    ((64, 1024, 64, "float32"), {"casting_mode": "none", "affine": False, "shift": False}),
    ((16, 16384, 16, "bfloat16"), {}),
]


def cases() -> Iterator[Case]:
    for (rows, columns, modulation, dtype), options in CALLS:
        name = "".join(f"-{option}={value}" for option, value in options.items())
        yield case(
            f"{rows}x{columns}-by{modulation}-{dtype}{name}",
            rows=rows,
            columns=columns,
            modulation=modulation,
            dtype=dtype,
            **options,
        )


def run(
    rows: int,
    columns: int,
    modulation: int,
    dtype: str,
    affine: bool = True,
    shift: bool = True,
    offset: float = 0.0,
    casting_mode: str = "llama",
) -> None:
    import torch
    from tilegym.suites.liger.ops import modulated_rms_norm

    x = random_tensor(rows, columns, dtype=dtype, requires_grad=True)
    weight = random_tensor(columns, dtype=dtype, requires_grad=True) if affine else None
    scale, move = (random_tensor(modulation, columns, dtype=dtype, requires_grad=True) for _ in range(2))
    y = modulated_rms_norm(
        x, weight, scale, move if shift else None, offset=offset, casting_mode=casting_mode
    )
    y.backward(torch.ones_like(y))
