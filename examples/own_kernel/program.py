# SPDX-License-Identifier: Apache-2.0
"""Launches the kernel as any program would: `tileport convert kernels.py:scale --run program.py`."""

import cuda.tile as ct
import torch
from kernels import scale


def scaled(x: torch.Tensor, bias: torch.Tensor, factor: float) -> torch.Tensor:
    y = torch.empty_like(x)
    rows, columns = x.shape
    width = 1 << (columns - 1).bit_length()  # tiles have powers of two as extents
    ct.launch(torch.cuda.current_stream(), (rows,), scale, (x, bias, y, factor, width))
    return y


for columns in (256, 1000):
    scaled(torch.randn(64, columns, device="cuda"), torch.randn(columns, device="cuda"), 0.5)
