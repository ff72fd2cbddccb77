# SPDX-License-Identifier: Apache-2.0
"""Calls of ``prefill_attention_kv_paged`` and ``_ragged`` of the flashinfer suite."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

PAGE = 16

# (batch, positions, query heads, key heads, head dimension, dtype)
SHAPES = [(2, 256, 8, 2, 128, "bfloat16"), (2, 100, 4, 4, 64, "float16")]


def cases() -> Iterator[Case]:
    for batch, positions, heads, key_heads, dimension, dtype in SHAPES:
        for layout in ("paged", "ragged"):
            for scheduled in (True, False):
                yield case(
                    f"{layout}-{batch}x{positions}x{heads}of{key_heads}x{dimension}-{dtype}"
                    f"{'-lpt' * scheduled}",
                    layout=layout,
                    extents=(batch, positions, heads, key_heads, dimension),
                    dtype=dtype,
                    scheduled=scheduled,
                )


def run(layout: str, extents: tuple[int, ...], dtype: str, scheduled: bool) -> None:
    import torch
    from tilegym.suites.flashinfer import ops

    batch, positions, heads, key_heads, dimension = extents
    pages = -(-positions // PAGE)
    q = random_tensor(batch * positions, heads, dimension, dtype=dtype)
    cache = (batch * pages, PAGE) if layout == "paged" else (batch * positions,)
    k, v = (random_tensor(*cache, key_heads, dimension, dtype=dtype) for _ in range(2))
    lengths = torch.full((batch,), positions, device="cuda", dtype=torch.int32)
    starts = torch.arange(batch, device="cuda", dtype=torch.int32) * positions
    tables = torch.arange(batch * pages, device="cuda", dtype=torch.int32).reshape(batch, pages)
    call = ops.prefill_attention_kv_paged if layout == "paged" else ops.prefill_attention_kv_ragged
    call(
        q,
        k,
        v,
        lengths,
        lengths,
        starts,
        tables,
        dimension**-0.5,
        1.0,
        batch,
        positions,
        use_lpt_scheduler=scheduled,
    )
