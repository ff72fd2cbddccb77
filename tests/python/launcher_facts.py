# SPDX-License-Identifier: Apache-2.0
"""Run by test_wrappers_facts.py: compares the facts of random arguments with cuda.tile's native launcher.

The launcher runs up to its call of the compiler, with the stub driver of tileport.capture. Prints as JSON how
many argument lists were compared, how many both sides refused, and the first differences.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.session import start

recorder = start(DEVICE_MODELS["h200"], lambda launch: None)

import cuda.tile as ct  # noqa: E402  only after the stub driver is in place
import torch  # noqa: E402

from tileport.capture.launches import _Stopped  # noqa: E402
from tileport.capture.signatures import describe_parameter  # noqa: E402
from tileport.wrappers.runtime import Kernel  # noqa: E402


@ct.kernel
def theirs(a, b, i, f, ci: ct.Constant[int], cf: ct.Constant[float], cb: ct.Constant[bool]):  # type: ignore[no-untyped-def]
    pass


OURS = Kernel("op", "k", params=("a", "b", "i", "f", "ci", "cf", "cb"), constants=("ci", "cf", "cb"))
DTYPES = [
    *(torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.float8_e4m3fn, torch.float8_e5m2),
    *(torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64),
]


def random_tensor(choose: random.Random) -> torch.Tensor:
    """Slices, permutations and expansions of all ranks, often at the rules' edges."""
    rank = choose.choice([1, 2, 2, 2, 3, 3, 4, 5, 6])
    extents = [0, 1, 1, 2, 3, 8, 16, 16, 32, 33, 48] if rank < 4 else [1, 2, 3, 16]
    shape = [choose.choice(extents) for _ in range(rank)]
    tensor = torch.zeros(
        [extent + choose.choice([0, 0, 1, 15]) for extent in shape], dtype=choose.choice(DTYPES)
    )
    for axis, extent in enumerate(shape):
        tensor = tensor.narrow(axis, choose.randrange(tensor.shape[axis] - extent + 1), extent)
    if rank > 1 and choose.random() < 0.4:
        axes = list(range(rank))
        choose.shuffle(axes)
        tensor = tensor.permute(axes)
    axis = choose.randrange(rank)
    if choose.random() < 0.2 and tensor.shape[axis] == 1:
        expanded = list(tensor.shape)
        expanded[axis] = choose.choice([1, 4, 16])
        tensor = tensor.expand(expanded)
    return tensor


def native(args: tuple[Any, ...]) -> Any:
    recorder._pending.clear()
    try:
        recorder._native_launch(0, (1,), theirs, args)
    except _Stopped:
        pass
    except Exception as error:
        if not recorder._pending:
            return type(error).__name__
    constraints = recorder._pending[-1].parameters
    return [
        {"name": name, **describe_parameter(item)}
        for name, item in zip(OURS.params, constraints, strict=True)
    ]


def ours(args: tuple[Any, ...]) -> Any:
    try:
        return OURS.describe(args)
    except Exception as error:
        return type(error).__name__


def main(count: int) -> None:
    choose = random.Random(20261130)
    differences, refused = [], 0
    for _ in range(count):
        args = (
            *(random_tensor(choose), random_tensor(choose)),
            choose.choice([0, 1, -5, 2**31 - 1, -(2**31), 2**31]),
            choose.choice([0.0, 1e30, -1.5]),
            choose.choice([0, 1, -3, 2**40, True]),
            choose.choice([0.1, -0.0, 1e-300, 2]),
            choose.choice([True, False, 1]),
        )
        expected, found = native(args), ours(args)
        refused += isinstance(expected, str)
        if json.dumps(expected) != json.dumps(found):
            differences.append([expected, found])
    print("RESULT" + json.dumps({"compared": count, "refused": refused, "differences": differences[:3]}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
