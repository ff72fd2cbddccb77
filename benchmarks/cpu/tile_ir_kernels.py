# SPDX-License-Identifier: Apache-2.0
"""TileGym's softmax, matrix product and attention, their Tile IR run on the CPU; and PyTorch's. JSON lines.

Timed is `Program.launch` on tensors in place, with all guards and without, on as many threads as there are
processors.
"""

from __future__ import annotations

import json
import time

from tileport import cpu

execution = cpu.activate("h200")
import tilegym
import torch

from tileport import bytecode
from tileport.capture.execution import flat_arguments


def best(rounds, call):
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def measure(name, call, exact, rtol, atol):
    tilegym.set_backend("cutile")
    result = call()
    last = execution.last
    with torch._C.DisableTorchFunction():
        torch.testing.assert_close(result, exact(), rtol=rtol, atol=atol)
        module = bytecode.read(last.specialization.bytecode)
        arguments, _ = flat_arguments(last.specialization.signature, last.arguments)
        row = {"case": name, "torch": best(20, exact)}
        for key, unchecked in (("checked", False), ("unchecked", True)):
            program = cpu.compile(module, unchecked=unchecked, unspecified="zero")
            row[key] = best(10, lambda program=program: program.launch(last.grid, arguments))
        print(json.dumps(row), flush=True)


torch.manual_seed(0)
x = torch.randn(256, 2048, device="cuda")
measure("softmax", lambda: tilegym.ops.softmax(x), lambda: torch.softmax(x, -1), 1e-5, 1e-6)
a, b = (torch.randn(512, 512, device="cuda").half() for _ in range(2))
measure("matmul", lambda: tilegym.ops.matmul(a, b), lambda: a @ b, 1e-2, 1e-2)
q, k, v = (torch.randn(1, 8, 512, 64, device="cuda").half() for _ in range(3))
measure(
    "attention",
    lambda: tilegym.ops.fmha(q, k, v, scaling=0.125, is_causal=False),
    lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v),
    1e-2,
    1e-2,
)
