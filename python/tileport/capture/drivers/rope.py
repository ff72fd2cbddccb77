# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.apply_rope_base`` and of its forms for models, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, positions, head dimension, dtype)
SHAPES = [
    (2, 32, 8, 256, 128, "bfloat16"),
    (2, 8, 8, 128, 64, "float16"),
    (1, 6, 2, 100, 96, "float32"),  # heads and dimensions that are no power of two
    (1, 1, 1, 1, 128, "bfloat16"),  # extents of 1 become constants of the kernel
]


def cases() -> Iterator[Case]:
    for shape in SHAPES:
        yield _case(shape)
    yield _case(SHAPES[0], backward=True)
    yield _case(SHAPES[0], model="qwen3_5")  # rotates a quarter of each head
    yield _case(SHAPES[1], per_batch=True)  # angles differ from sequence to sequence


def _case(shape: tuple[int, int, int, int, int, str], **options: bool | str) -> Case:
    *extents, dtype = shape
    name = "".join(f"-{value if option == 'model' else option}" for option, value in options.items())
    return case(f"{'x'.join(map(str, extents))}-{dtype}{name}", extents=extents, dtype=dtype, **options)


def run(
    extents: list[int], dtype: str, model: str = "llama", backward: bool = False, per_batch: bool = False
) -> None:
    import tilegym

    batch, heads, key_heads, positions, dimension = extents
    q = random_tensor(batch, heads, positions, dimension, dtype=dtype, requires_grad=backward)
    k = random_tensor(batch, key_heads, positions, dimension, dtype=dtype, requires_grad=backward)
    rotated = dimension // 4 if model == "qwen3_5" else dimension
    angles = (batch if per_batch else 1, positions, rotated)
    cos, sin = (random_tensor(*angles, dtype=dtype) for _ in range(2))
    if backward:
        # Rotation is in place, which a leaf does not allow.
        q, k = q * 1, k * 1
    rotated_q, rotated_k = tilegym.ops.get_apply_rope_func(model)(q, k, cos, sin)
    if backward:
        (rotated_q.sum() + rotated_k.sum()).backward()
