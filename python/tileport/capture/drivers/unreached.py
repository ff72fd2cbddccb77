# SPDX-License-Identifier: Apache-2.0
"""Kernels of TileGym that no call of a public operator reaches, and why: the one place where they are listed.

A test holds this against what the drivers reach, so that neither list can go stale.
"""

from __future__ import annotations

# (operator, kernel) -> reason
UNREACHED: dict[tuple[str, str], str] = {
    ("unsloth.fp8", "w8a8_block_fp8_matmul_kernel_ct"): "nothing in TileGym launches it",
}
