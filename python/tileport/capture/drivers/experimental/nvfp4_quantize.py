# SPDX-License-Identifier: Apache-2.0
"""Calls of ``nvfp4_quantize``, which needs a target with 4-bit floats."""

from __future__ import annotations

from collections.abc import Iterator

from tileport.capture.drivers.case import Case, case, random_tensor

# (rows, columns, dtype)
SHAPES = [
    (256, 1024, "bfloat16"),
    (200, 1008, "float16"),  # no multiple of the tile
    (128, 64, "float32"),
]


def cases() -> Iterator[Case]:
    for rows, columns, dtype in SHAPES:
        yield case(f"{rows}x{columns}-{dtype}", rows=rows, columns=columns, dtype=dtype)


def run(rows: int, columns: int, dtype: str) -> None:
    # The dispatcher offers it only to development builds of cuda-tile, though released ones compile it.
    from tilegym.ops.cutile.experimental.nvfp4_quantize import tile_nvfp4_quantize

    tile_nvfp4_quantize(random_tensor(rows, columns, dtype=dtype))
