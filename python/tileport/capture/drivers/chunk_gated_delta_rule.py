# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.chunk_gated_delta_rule``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, steps, heads, key dimension, value dimension, dtype)
SHAPES = [
    (2, 256, 4, 128, 128, "bfloat16"),
    (1, 128, 2, 64, 64, "float16"),
    (1, 200, 4, 128, 128, "float32"),  # steps are no multiple of the chunk
    (1, 64, 1, 128, 128, "bfloat16"),  # an extent of 1 becomes a constant of the kernel
    (1, 128, 2, 64, 256, "bfloat16"),  # values in two blocks
]

# Each selects code in the kernels.
OPTIONS: list[dict[str, int]] = [
    {"initial_state": True, "final_state": True},
    {"final_state": True},
    {"initial_state": True},
    {"normalize": True},
    {"chunk_size": 32},
]


def cases() -> Iterator[Case]:
    for shape in SHAPES:
        yield _case(shape, {})
    for options in OPTIONS:
        yield _case(SHAPES[0], options)


def _case(shape: tuple[int, int, int, int, int, str], options: dict[str, int]) -> Case:
    *extents, dtype = shape
    name = "".join(f"-{option}{value if option == 'chunk_size' else ''}" for option, value in options.items())
    return case(f"{'x'.join(map(str, extents))}-{dtype}{name}", extents=extents, dtype=dtype, **options)


def run(
    extents: list[int],
    dtype: str,
    initial_state: bool = False,
    final_state: bool = False,
    normalize: bool = False,
    chunk_size: int = 64,
) -> None:
    import tilegym

    batch, steps, heads, keys, values = extents
    query, key = (random_tensor(batch, steps, heads, keys, dtype=dtype) for _ in range(2))
    value = random_tensor(batch, steps, heads, values, dtype=dtype)
    decay, beta = (random_tensor(batch, steps, heads, dtype=dtype) for _ in range(2))
    tilegym.ops.chunk_gated_delta_rule(
        query,
        key,
        value,
        decay,
        beta,
        chunk_size=chunk_size,
        initial_state=random_tensor(batch, heads, keys, values, dtype="float32") if initial_state else None,
        output_final_state=final_state,
        use_qk_l2norm_in_kernel=normalize,
    )
