# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.softmax``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# Which option makes the operator launch which of its kernels.
KERNELS = {
    "gather": {},
    "tma": {"use_tma": True},
    "chunked": {"use_chunked": True},
    "multi_wave": {"use_multi_wave": True},
}

# (rows, columns, dtype)
SHAPES = [
    (256, 2048, "float16"),  # a power of two: no bounds to check
    (64, 1000, "bfloat16"),  # stride divisible by 16 bytes, extent not by 16 elements
    (256, 1009, "float16"),  # neither is divisible
    (1, 4096, "float32"),  # an extent of 1 becomes a constant of the kernel
]

# Longer than the largest chunk, so that the kernel's loop runs more than once.
CHUNKED_SHAPE = (64, 20000, "float32")


def cases() -> Iterator[Case]:
    for kernel, options in KERNELS.items():
        for rows, columns, dtype in SHAPES:
            yield case(
                f"{kernel}-{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype, **options
            )
    rows, columns, dtype = CHUNKED_SHAPE
    yield case(f"chunked-{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype, use_chunked=True)


def run(rows: int, columns: int, dtype: str, **options: bool) -> None:
    import tilegym

    tilegym.ops.softmax(random_tensor(rows, columns, dtype=dtype), **options)
