# SPDX-License-Identifier: Apache-2.0
"""First launches of the ported softmax on a GPU: ``softmax_smoke.py RESULT.json``; exit 1 when a check fails.

For every kernel of the operator one captured launch: the result against PyTorch, and bit by bit against
cuTile Python's where that runs. Then, on one of them: the call returns while its stream, not the default one,
is still busy, a CUDA graph can capture it, and what a call costs on the host.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tilegym
import torch

import tileport.backend
from tileport.wrappers.ports import ports_folder, read_index

OPTIONS = {
    "_softmax_kernel": {},
    "_softmax_kernel_tma": {"use_tma": True},
    "_softmax_kernel_chunked": {"use_chunked": True},
    "_softmax_kernel_multi_wave_full_row_reg_cached_ldg": {"use_multi_wave": True},
}
results: dict[str, Any] = {}


def check(name: str, function: Callable[[], Any]) -> None:
    """Runs one check; what it returns, or its error, is kept."""
    began = time.perf_counter()
    try:
        results[name] = {"ok": True, "result": function()}
    except Exception as error:
        traceback.print_exc()
        results[name] = {"ok": False, "result": f"{type(error).__name__}: {error}"}
    results[name]["seconds"] = round(time.perf_counter() - began, 3)
    print(name, results[name], flush=True)


def captured_input(kernel: str) -> torch.Tensor:
    """Random input for a launch of ``kernel``, as captured for this GPU."""
    for row in read_index(ports_folder(), "softmax")["specializations"]:
        if row["kernel"] == kernel and "h200" in row["device_model"]:
            torch.manual_seed(0)
            shape = row["argument_facts"][0]["input"]["shape"]
            return torch.rand(shape, device="cuda").to(getattr(torch, row["dtypes"]["input"]))
    raise LookupError(f"no launch of {kernel} was captured")


def softmax(x: torch.Tensor, kernel: str) -> torch.Tensor:
    """The operator's result in memory that held NaN before, so that what is not written shows."""
    torch.full_like(x, float("nan"))  # freed at once: PyTorch gives the operator's output the same block
    return tilegym.ops.softmax(x, **OPTIONS[kernel])


def compare(kernel: str) -> dict[str, Any]:
    x = captured_input(kernel)
    tilegym.set_backend("cutile-rs")
    before = tileport.backend.launch_counts()
    y = softmax(x, kernel)
    torch.cuda.synchronize()
    after = tileport.backend.launch_counts()
    risen = {
        name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)
    }
    assert list(risen.values()) == [1] and next(iter(risen)).startswith(kernel + "__"), risen
    expected = torch.nn.functional.softmax(x, dim=-1)
    tolerances = {"rtol": 1e-3, "atol": 1e-5} if x.dtype != torch.float32 else {"rtol": 1e-5, "atol": 1e-7}
    torch.testing.assert_close(y, expected, **tolerances)
    error = (y.float() - expected.float()).abs().max().item()
    return {"shape": list(x.shape), "dtype": str(x.dtype), "launched": risen, "largest_difference": error}


def equal_to_cutile(kernel: str) -> str:
    x = captured_input(kernel)
    tilegym.set_backend("cutile-rs")
    ours = softmax(x, kernel)
    tilegym.set_backend("cutile")
    try:
        theirs = softmax(x, kernel)
    finally:
        tilegym.set_backend("cutile-rs")
    assert not ours.isnan().any() and torch.equal(ours, theirs), (
        f"{(ours != theirs).sum().item()} of {ours.numel()} elements differ"
    )
    return "bit for bit"


def asynchronous() -> dict[str, Any]:
    """A launch behind a long sleep of the device: the host must be back first, the result must follow."""
    x = captured_input("_softmax_kernel")
    tilegym.ops.softmax(x)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)
        began = time.perf_counter()
        y = tilegym.ops.softmax(x)
        host_us = (time.perf_counter() - began) * 1e6
        done = torch.cuda.Event()
        done.record(stream)
        pending = not done.query()
    assert pending, "the call waited for the device"
    stream.synchronize()
    torch.testing.assert_close(y, torch.nn.functional.softmax(x, dim=-1), rtol=1e-3, atol=1e-5)
    return {"host_us_while_busy": round(host_us, 1)}


def graph() -> str:
    x = captured_input("_softmax_kernel")
    tilegym.ops.softmax(x)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        y = tilegym.ops.softmax(x)
    x.copy_(torch.rand_like(x))
    captured.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(y, torch.nn.functional.softmax(x, dim=-1), rtol=1e-3, atol=1e-5)
    return "captured and replayed"


def host_cost() -> dict[str, float]:
    """Microseconds of host time a call of the operator, in batches too short to fill the launch queue."""
    x = captured_input("_softmax_kernel")
    costs = {}
    for backend in ("cutile-rs", "cutile"):
        try:
            tilegym.set_backend(backend)
            samples = []
            for _ in range(20):
                torch.cuda.synchronize()
                began = time.perf_counter()
                for _ in range(50):
                    tilegym.ops.softmax(x)
                samples.append((time.perf_counter() - began) / 50 * 1e6)
            costs[backend] = round(statistics.median(samples[5:]), 2)
        except Exception as error:
            print(f"host cost of {backend}: {type(error).__name__}: {error}")
        finally:
            tilegym.set_backend("cutile-rs")
    return costs


def main(destination: str) -> int:
    print({name: state for name, state in tileport.backend.status().items()})
    for kernel in OPTIONS:
        check(f"result of {kernel}", lambda kernel=kernel: compare(kernel))
    required = list(results)
    check("asynchronous", asynchronous)
    check("graph", graph)
    required += ["asynchronous", "graph"]
    for kernel in OPTIONS:
        check(f"cutile and {kernel}", lambda kernel=kernel: equal_to_cutile(kernel))
    check("host cost in us", host_cost)
    Path(destination).write_text(json.dumps(results, indent=1))
    return int(not all(results[name]["ok"] for name in required))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
