# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.group_gemm``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows of A, columns of B, inner extent) of each pair
GROUPS = {
    "equal": [(512, 512, 256)] * 4,
    "different": [(1024, 512, 256), (256, 512, 1024), (128, 256, 64)],
    "odd": [(200, 520, 264), (1000, 264, 520)],  # extents that are not multiples of 16
    "one-pair": [(256, 256, 128)],
    "one-row": [(1, 256, 128), (1, 512, 128)],
}
DTYPES = ("float16", "bfloat16", "float32")


def cases() -> Iterator[Case]:
    for name, extents in GROUPS.items():
        for dtype in DTYPES if name == "equal" else DTYPES[:1]:
            yield case(f"{name}-{dtype}", extents=extents, dtype=dtype, transpose_b=False)
    for name in ("different", "odd"):
        yield case(f"{name}-transpose_b-bfloat16", extents=GROUPS[name], dtype="bfloat16", transpose_b=True)


def run(extents: list[tuple[int, int, int]], dtype: str, transpose_b: bool) -> None:
    import tilegym

    first = [random_tensor(m, k, dtype=dtype) for m, _, k in extents]
    second = [random_tensor(*((n, k) if transpose_b else (k, n)), dtype=dtype) for _, n, k in extents]
    tilegym.ops.group_gemm(first, second, transpose_b=transpose_b)
