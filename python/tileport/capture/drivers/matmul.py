# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.matmul``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows of A, columns of B, inner extent)
DIVISIBLE = (1024, 1024, 1024)
ODD = (1000, 520, 264)  # rows of all matrices start at multiples of 16 bytes, extents are not multiples of 16
ONE_ROW = (1, 1024, 512)  # an extent of 1 becomes a constant of the kernel

DTYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


def cases() -> Iterator[Case]:
    for persistent in (False, True):
        kernel = "persistent" if persistent else "tiled"
        for dtype in DTYPES:
            yield _case(kernel, DIVISIBLE, dtype, static_persistent=persistent)
        yield _case(kernel, ODD, "float16", static_persistent=persistent)
        yield _case(kernel, ONE_ROW, "bfloat16", static_persistent=persistent)
    # Only the persistent kernel takes transposed operands.
    for trans_a, trans_b in ((True, False), (False, True), (True, True)):
        yield _case(
            "persistent", DIVISIBLE, "bfloat16", static_persistent=True, trans_a=trans_a, trans_b=trans_b
        )


def _case(kernel: str, extents: tuple[int, int, int], dtype: str, **options: bool) -> Case:
    m, n, k = extents
    transposed = "".join(f"-{name}" for name in ("trans_a", "trans_b") if options.get(name))
    return case(f"{kernel}-{m}x{n}x{k}-{dtype}{transposed}", m=m, n=n, k=k, dtype=dtype, **options)


def run(
    m: int, n: int, k: int, dtype: str, trans_a: bool = False, trans_b: bool = False, **options: bool
) -> None:
    import tilegym

    a = random_tensor(*((k, m) if trans_a else (m, k)), dtype=dtype)
    b = random_tensor(*((n, k) if trans_b else (k, n)), dtype=dtype)
    tilegym.ops.matmul(a, b, trans_a=trans_a, trans_b=trans_b, **options)
