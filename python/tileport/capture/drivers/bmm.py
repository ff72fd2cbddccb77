# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.bmm``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, rows of A, columns of B, inner extent)
DIVISIBLE = (4, 512, 512, 256)
ODD = (
    3,
    200,
    520,
    264,
)  # rows of all matrices start at multiples of 16 bytes, extents are not multiples of 16
ONE = (1, 256, 512, 128)  # an extent of 1 becomes a constant of the kernel


def cases() -> Iterator[Case]:
    for persistent in (False, True):
        for dtype in ("float16", "bfloat16", "float32"):
            yield _case(DIVISIBLE, dtype, persistent)
        yield _case(ODD, "float16", persistent)
        yield _case(ONE, "bfloat16", persistent)
    # Only the persistent kernel takes transposed operands.
    for a, b in ((True, False), (False, True), (True, True)):
        yield _case(DIVISIBLE, "bfloat16", True, a, b)
    yield _case(ODD, "bfloat16", True, True, True)
    yield _case(DIVISIBLE, "float8_e5m2", True)


def _case(
    extents: tuple[int, ...],
    dtype: str,
    persistent: bool,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Case:
    return case(
        f"{'persistent' if persistent else 'tiled'}-{'x'.join(map(str, extents))}-{dtype}"
        f"{'-transpose_a' * transpose_a}{'-transpose_b' * transpose_b}",
        extents=extents,
        dtype=dtype,
        persistent=persistent,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


def run(extents: tuple[int, ...], dtype: str, persistent: bool, transpose_a: bool, transpose_b: bool) -> None:
    import tilegym

    batch, m, n, k = extents
    a = random_tensor(batch, *((k, m) if transpose_a else (m, k)), dtype=dtype)
    b = random_tensor(batch, *((n, k) if transpose_b else (k, n)), dtype=dtype)
    tilegym.ops.bmm(a, b, transpose_a=transpose_a, transpose_b=transpose_b, static_persistent=persistent)
