# SPDX-License-Identifier: Apache-2.0
"""A maximum over float64: cuda-tile 1.7.0 loses the sign of its identity, -inf."""

import cuda.tile as ct
import torch


@ct.kernel
def largest(x, y):
    ct.store(y, index=(0,), tile=ct.max(ct.load(x, index=(0, 0), shape=(4, 16)), 1))


ct.launch(
    torch.cuda.current_stream(),
    (1,),
    largest,
    (
        torch.zeros(4, 16, dtype=torch.float64, device="cuda"),
        torch.zeros(4, dtype=torch.float64, device="cuda"),
    ),
)
