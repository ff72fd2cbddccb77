# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.recurrent_gated_delta_rule``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, steps, key heads, value heads, key dimension, value dimension, dtype)
SHAPES = [
    (2, 64, 4, 4, 128, 128, "bfloat16"),
    (1, 100, 2, 4, 64, 64, "float16"),  # two value heads a key head
    (1, 16, 2, 2, 128, 128, "float32"),
    (1, 20, 1, 1, 100, 100, "bfloat16"),  # dimensions that are no power of two
]
DECODING = [
    (4, 1, 4, 8, 128, 128, "bfloat16"),  # a single step has a kernel of its own
    (1, 1, 2, 2, 64, 64, "float32"),
    (2, 1, 2, 2, 64, 16, "float16"),  # but not for few values
]

# Each selects code in the kernels.
OPTIONS = [
    {"initial_state": True, "final_state": True},
    {"final_state": True},
    {"initial_state": True},
    {"normalize": True},
]


def cases() -> Iterator[Case]:
    for shape in [*SHAPES, *DECODING]:
        yield _case(shape, {})
    for options in OPTIONS:
        for shape in (SHAPES[0], DECODING[0]):
            yield _case(shape, options)
    for options in ({}, OPTIONS[0]):
        yield _case(SHAPES[0], {**options, "persistent": True})
    yield _case(SHAPES[1], {"persistent": True})


def _case(shape: tuple[int, int, int, int, int, int, str], options: dict[str, bool]) -> Case:
    *extents, dtype = shape
    name = "".join(f"-{option}" for option in options)
    return case(f"{'x'.join(map(str, extents))}-{dtype}{name}", extents=extents, dtype=dtype, **options)


def run(
    extents: list[int],
    dtype: str,
    initial_state: bool = False,
    final_state: bool = False,
    normalize: bool = False,
    persistent: bool = False,
) -> None:
    import tilegym

    batch, steps, heads, value_heads, keys, values = extents
    query, key = (random_tensor(batch, steps, heads, keys, dtype=dtype) for _ in range(2))
    value = random_tensor(batch, steps, value_heads, values, dtype=dtype)
    decay, beta = (random_tensor(batch, steps, value_heads, dtype=dtype) for _ in range(2))
    state = random_tensor(batch, value_heads, keys, values, dtype="float32") if initial_state else None
    tilegym.ops.recurrent_gated_delta_rule(
        query,
        key,
        value,
        decay,
        beta,
        initial_state=state,
        output_final_state=final_state,
        use_qk_l2norm_in_kernel=normalize,
        persistent=persistent,
    )
