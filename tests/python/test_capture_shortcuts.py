# SPDX-License-Identifier: Apache-2.0
"""Large tensors of tests and references: not computed, but with all that a launch looks at."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("needs torch", allow_module_level=True)

# In a process of its own: PyTorch is not imported into pytest's, and the GPU is pretended for good.
PROGRAM = """
import resource

import torch
from tileport.capture import fake_cuda
from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.shortcuts import SkipLargeResults

fake_cuda.install(DEVICE_MODELS["h200"])
N = 1 << 13  # N * N elements are large

def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # MiB

with SkipLargeResults():
    # Numbers of small tensors are right, also of contractions.
    small = torch.arange(6.0, device="cuda").reshape(2, 3)
    assert torch.equal(small @ small.T, torch.tensor([[5.0, 14.0], [14.0, 50.0]]))
    assert torch.equal((small + 1).sum(0), torch.tensor([5.0, 7.0, 9.0]))
    # A device is one whether or not there is a GPU.
    assert str(torch.device("cuda", 0)) == "cuda:0" and small.device == torch.device("cuda:0")

    before = resident()
    x = torch.randn(N, N, device="cuda", requires_grad=True)
    y = torch.softmax(x * 2, dim=-1).to(torch.bfloat16)
    assert y.shape == (N, N) and y.dtype == torch.bfloat16 and y.stride() == (N, 1) and y.requires_grad
    # Views stay views of the same memory, and strides are those of the real result.
    flat = y.view(-1)
    assert flat.data_ptr() == y.data_ptr() and y.T.stride() == (1, N)
    assert (y.T + 1).stride() == (1, N) and y.T.contiguous().stride() == (N, 1)
    assert y.detach().contiguous().data_ptr() == y.data_ptr()
    # Small operands of a large broadcast, and fills in place.
    assert (torch.zeros(N, 1, device="cuda") + torch.zeros(1, N, device="cuda")).shape == (N, N)
    assert torch.ones(N, N, device="cuda").mul_(3).shape == (N, N)
    # Reductions are small, so they are computed.
    assert torch.zeros(N, N, device="cuda").sum().item() == 0
    # Each result here is 128 to 256 MiB; none of it was touched but by that sum, which reads one page.
    assert resident() - before < 600, (before, resident())
    # Gradients come through.
    y.backward(torch.ones_like(y))
    assert x.grad.shape == (N, N) and x.grad.stride() == (N, 1)
    # What is wrong is said by the real call.
    try:
        torch.zeros(N, N, device="cuda") @ torch.zeros(3, N, device="cuda")
    except RuntimeError as error:
        assert "shapes cannot be multiplied" in str(error)
    else:
        raise AssertionError("no error")
"""


def test_large_results() -> None:
    finished = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
