# SPDX-License-Identifier: Apache-2.0
"""Calls of ``tilegym.ops.fmha_variant``."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (batch, query heads, key heads, queries, keys, head dimension, dtype)
DIVISIBLE = (2, 8, 2, 512, 512, 64, "float16")
ODD = (1, 4, 4, 300, 500, 128, "bfloat16")  # no multiple of the tile

# Each selects code in the kernels.
OPTIONS: list[dict[str, object]] = [
    {},
    {"is_causal": False},
    {"window_size": 128},
    {"bias_type": "vector"},
    {"bias_type": "matrix"},
    {"bias_type": "alibi"},
    {"mask": True, "is_causal": False},
    {"lengths": True, "is_causal": False},
]


def cases() -> Iterator[Case]:
    for layout in ("bnsd", "nsbd"):
        for options in OPTIONS:
            yield _case(DIVISIBLE, layout, options)
        yield _case(ODD, layout, {"is_causal": False})


def _case(shape: tuple[int, int, int, int, int, int, str], layout: str, options: dict[str, object]) -> Case:
    *extents, dtype = shape
    name = "".join(f"-{option}={value}" for option, value in options.items())
    return case(
        f"{layout}-{'x'.join(map(str, extents))}-{dtype}{name}",
        extents=extents,
        dtype=dtype,
        layout=layout,
        **options,
    )


def run(
    extents: list[int],
    dtype: str,
    layout: str,
    is_causal: bool = True,
    window_size: int = 0,
    bias_type: str | None = None,
    mask: bool = False,
    lengths: bool = False,
) -> None:
    import tilegym
    import torch

    batch, heads, key_heads, queries, keys, dimension = extents

    def shape(heads: int, positions: int) -> tuple[int, ...]:
        order = (batch, heads, positions) if layout == "bnsd" else (heads, positions, batch)
        return (*order, dimension)

    q = random_tensor(*shape(heads, queries), dtype=dtype)
    k, v = (random_tensor(*shape(key_heads, keys), dtype=dtype) for _ in range(2))
    bias = {
        None: None,
        "vector": (batch, heads, 1, keys),
        "matrix": (batch, heads, queries, keys),
        "alibi": (heads,),
    }[bias_type]
    length = torch.full((batch,), queries // 2, dtype=torch.int32, device="cuda") if lengths else None
    tilegym.ops.fmha_variant(
        q,
        k,
        v,
        is_causal=is_causal,
        q_lens=length,
        kv_lens=length,
        bias_type=bias_type,
        bias=None if bias is None else random_tensor(*bias, dtype=dtype),
        window_size=window_size,
        random_mask=torch.ones(batch, heads, queries, keys, dtype=torch.int8, device="cuda")
        if mask
        else None,
        layout=layout,
    )
