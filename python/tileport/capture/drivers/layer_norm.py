# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.layer_norm``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (shape, first and last axis that is normalized, dtype)
CALLS = [
    ((64, 256, 32), (1, 2), "float16"),
    ((16, 300, 20), (1, 2), "bfloat16"),  # no multiple of the tile
    ((64, 1024, 8), (1, 2), "float32"),  # a short inner extent has a kernel of its own
    ((256, 1000), (1, 2), "bfloat16"),
    ((1, 512), (1, 2), "float16"),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for shape, axes, dtype in CALLS:
        yield case(f"{'x'.join(map(str, shape))}-{dtype}", shape=shape, axes=axes, dtype=dtype)
    yield case("64x256x32-shift-float16", shape=(64, 256, 32), axes=(1, 2), dtype="float16", shift=1.0)


def run(shape: tuple[int, ...], axes: tuple[int, int], dtype: str, shift: float = 0.0) -> None:
    import tilegym

    weight, bias = (random_tensor(shape[1], dtype=dtype) for _ in range(2))
    tilegym.ops.layer_norm(random_tensor(*shape, dtype=dtype), *axes, weight, bias, 1e-5, weight_shift=shift)
