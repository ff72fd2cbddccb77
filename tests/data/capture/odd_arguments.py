# SPDX-License-Identifier: Apache-2.0
"""A program whose launches have arguments about which cuda-tile's launcher decides differently.

The constant CASE names what is odd about a launch and keeps it a specialization of its own.
"""

import cuda.tile as ct
import torch

CONTIGUOUS, ODD_COLUMNS, ODD_ROWS, ONE_ROW, EXPANDED, MISALIGNED, TRANSPOSED, HALF, HALF_ODD, EMPTY = range(
    10
)


@ct.kernel
def matrix(a, CASE: ct.Constant[int]):
    ct.store(a, index=(0, 0), tile=ct.load(a, index=(0, 0), shape=(1, 1)))


@ct.kernel
def six_dimensions(a):
    ct.store(a, index=(0, 0, 0, 0, 0, 0), tile=ct.load(a, index=(0, 0, 0, 0, 0, 0), shape=(1, 1, 1, 1, 1, 1)))


@ct.kernel
def scalars(a, integer, real):
    tile = ct.load(a, index=(0,), shape=(16,))
    ct.store(a, index=(0,), tile=tile * integer + real)


@ct.kernel
def constant(a, VALUE: ct.Constant):
    ct.store(a, index=(0,), tile=ct.full((16,), VALUE, dtype=a.dtype))


@ct.kernel
def array_list(arrays, out):
    ct.store(out, index=(0,), tile=ct.load(arrays[0], index=(0,), shape=(16,)))


@ct.kernel(occupancy=ct.ByTarget(sm_90=2, default=4))
def by_target(a):
    ct.store(a, index=(0,), tile=ct.load(a, index=(0,), shape=(16,)))


def factory(offset):
    @ct.kernel
    def made(a):
        ct.store(a, index=(0,), tile=ct.load(a, index=(0,), shape=(16,)) + offset)

    return made


def launch(kernel, *arguments, grid=(1,)):
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(shape, dtype=dtype, device="cuda")


launch(matrix, zeros(64, 128), CONTIGUOUS, grid=(3, 2))
launch(matrix, zeros(80, 256), CONTIGUOUS)
launch(matrix, zeros(64, 100), ODD_COLUMNS)
launch(matrix, zeros(63, 101), ODD_ROWS)
launch(matrix, zeros(1, 128), ONE_ROW)
launch(matrix, zeros(1, 128).expand(64, 128), EXPANDED)
launch(matrix, zeros(64 * 128 + 1)[1:].view(64, 128), MISALIGNED)
launch(matrix, zeros(128, 64).t(), TRANSPOSED)
launch(matrix, zeros(64, 104, dtype=torch.float16), HALF)
launch(matrix, zeros(64, 100, dtype=torch.float16), HALF_ODD)
launch(matrix, zeros(0, 128), EMPTY)
launch(six_dimensions, zeros(2, 2, 2, 2, 2, 16))
launch(scalars, zeros(16), 3, 0.5)
launch(scalars, zeros(16), 4, 1.5)
for value in (True, 1, 1.0, float("inf")):
    launch(constant, zeros(16), value)
shared = zeros(32)
launch(array_list, [shared[:16], shared[16:]], shared[:16])
launch(by_target, zeros(16))
for offset in (1.0, 1.0, 2.0):
    launch(factory(offset), zeros(16))

# What the launcher refuses must reach the program as the launcher's own exceptions.
for kernel, arguments, expected in (
    (scalars, (zeros(16), 1 << 40, 0.5), OverflowError),
    (constant, (zeros(16), None), TypeError),
    (matrix, (zeros(16, 16),), TypeError),
):
    try:
        launch(kernel, *arguments)
    except expected:
        continue
    raise AssertionError(f"{kernel} took {arguments[1:]}")

assert zeros(4).is_cuda and zeros(4).device.type == "cuda" and zeros(2).sum().item() == 0.0
assert torch.cuda.get_device_properties(0).multi_processor_count in (132, 148)
