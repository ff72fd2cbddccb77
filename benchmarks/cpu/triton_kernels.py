# SPDX-License-Identifier: Apache-2.0
"""Softmax, matrix product and attention in stock Triton, run by Triton's interpreter; times as JSON lines."""

from __future__ import annotations

import json
import os
import time

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + offsets, values / tl.sum(values, 0), mask=mask)


@triton.jit
def matmul_kernel(c, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def attention_kernel(out, q, k, v, scale, LENGTH, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * LENGTH * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    width = tl.arange(0, D)
    query = tl.load(q + base + rows[:, None] * D + width[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    for start in range(0, LENGTH, BN):
        keys = tl.load(k + base + (start + columns)[None, :] * D + width[:, None])
        values = tl.load(v + base + (start + columns)[:, None] * D + width[None, :])
        scores = tl.dot(query, keys) * scale
        new = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - new[:, None])
        factor = tl.exp(most - new)
        total = total * factor + tl.sum(weights, 1)
        result = result * factor[:, None] + tl.dot(weights.to(tl.float16), values)
        most = new
    tl.store(out + base + rows[:, None] * D + width[None, :], (result / total[:, None]).to(tl.float16))


def measure(name, launch, check):
    # The interpreter compiles nothing, so its first run is as quick as any other.
    began = time.perf_counter()
    launch()
    seconds = time.perf_counter() - began
    check()
    print(json.dumps({"case": name, "triton": seconds}), flush=True)


def main():
    torch.manual_seed(0)
    x = torch.randn(256, 2048)
    y = torch.empty_like(x)
    measure(
        "softmax", lambda: softmax_kernel[(256,)](y, x, 2048, BLOCK=2048),
        lambda: torch.testing.assert_close(y, torch.softmax(x, -1)),
    )  # fmt: skip
    a, b = torch.randn(512, 512).half(), torch.randn(512, 512).half()
    c = torch.empty_like(a)
    measure(
        "matmul", lambda: matmul_kernel[(8, 8)](c, a, b, 512, 512, 512, BM=64, BN=64, BK=32),
        lambda: torch.testing.assert_close(c, (a.float() @ b.float()).half(), rtol=1e-2, atol=1e-2),
    )  # fmt: skip
    q, k, v = (torch.randn(1, 8, 512, 64).half() for _ in range(3))
    o = torch.empty_like(q)
    exact = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float())
    measure(
        "attention", lambda: attention_kernel[(8, 8)](o, q, k, v, 0.125, 512, D=64, BM=64, BN=64),
        lambda: torch.testing.assert_close(o, exact.half(), rtol=1e-2, atol=1e-2),
    )  # fmt: skip


main()
