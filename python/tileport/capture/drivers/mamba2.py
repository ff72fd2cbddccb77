# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.mamba2_chunk_forward`` and ``mamba2_chunk_backward``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, tokens, heads, groups, head size, state size, chunk size, dtype)
SHAPES = [
    (2, 256, 8, 2, 64, 128, 64, "bfloat16"),
    (1, 256, 4, 1, 64, 64, 128, "float16"),  # another chunk size has another kernel
    (1, 128, 8, 8, 64, 128, 64, "bfloat16"),
]


def cases() -> Iterator[Case]:
    for batch, tokens, heads, groups, head, state, chunk, dtype in SHAPES:
        for backward in (False, True):
            yield case(
                f"{batch}x{tokens}x{heads}of{groups}-{head}x{state}-chunk{chunk}-{dtype}"
                f"{'-backward' * backward}",
                extents=(batch, tokens, heads, groups, head, state),
                chunk=chunk,
                dtype=dtype,
                backward=backward,
            )


def run(extents: tuple[int, ...], chunk: int, dtype: str, backward: bool) -> None:
    import tilegym

    batch, tokens, heads, groups, head, state = extents
    x, upstream = (random_tensor(batch, tokens, heads, head, dtype=dtype) for _ in range(2))
    b, c = (random_tensor(batch, tokens, groups, state, dtype=dtype) for _ in range(2))
    a, d = (random_tensor(heads, dtype="float32") for _ in range(2))
    dt = random_tensor(batch, tokens, heads, dtype="float32")
    first, last = (random_tensor(batch, heads, head, state, dtype="float32") for _ in range(2))
    if backward:
        tilegym.ops.mamba2_chunk_backward(x, a, b, c, d, dt, first, upstream, last, chunk_size=chunk)
    else:
        tilegym.ops.mamba2_chunk_forward(x, a, b, c, d, dt, first, chunk_size=chunk)
