# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.layer_norm_legacy`` and ``persistent_layer_norm``, which share a file."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (1024, 1024, "bfloat16"),
    (300, 1000, "bfloat16"),  # not a power of two: bounds are checked
    (64, 4096, "float32"),
    (1, 512, "float32"),  # an extent of 1 becomes a constant of the kernel
    (256, 501, "bfloat16"),  # rows do not start at multiples of 16 bytes
]
# cuTile refuses the persistent kernel for float16, to which it would store bfloat16.
LEGACY_ONLY = [(512, 1024, "float16"), (100, 500, "float16")]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        for kernel in ("legacy", "persistent"):
            yield case(
                f"{kernel}-{rows}x{columns}-{dtype}", kernel=kernel, rows=rows, columns=columns, dtype=dtype
            )
    for rows, columns, dtype in LEGACY_ONLY:
        yield case(
            f"legacy-{rows}x{columns}-{dtype}", kernel="legacy", rows=rows, columns=columns, dtype=dtype
        )
    yield case("legacy-shift-256x1024-float16", kernel="shifted", rows=256, columns=1024, dtype="float16")
    # Statistics that are given are not computed again.
    yield case("persistent-given-256x1024-bfloat16", kernel="given", rows=256, columns=1024, dtype="bfloat16")


def run(kernel: str, rows: int, columns: int, dtype: str) -> None:
    import tilegym

    x = random_tensor(rows, columns, dtype=dtype)
    weight, bias = (random_tensor(columns, dtype=dtype) for _ in range(2))
    if kernel in ("legacy", "shifted"):
        shift = 1.0 if kernel == "shifted" else 0.0
        tilegym.ops.layer_norm_legacy(x, (columns,), weight, bias, 1e-5, weight_shift=shift)
        return
    statistics = [random_tensor(rows, dtype="float32") if kernel == "given" else None for _ in range(2)]
    tilegym.ops.persistent_layer_norm(x, (columns,), weight, bias, 1e-5, *statistics)
