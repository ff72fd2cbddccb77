# SPDX-License-Identifier: Apache-2.0
"""A kernel of one's own: every row of a matrix times a factor, plus a bias."""

import cuda.tile as ct


@ct.kernel
def scale(x, bias, y, factor, COLUMNS: ct.Constant[int]):
    row = ct.bid(0)
    tile = ct.load(x, index=(row, 0), shape=(1, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    added = ct.load(bias, index=(0,), shape=(COLUMNS,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(row, 0), tile=tile * factor + added)
