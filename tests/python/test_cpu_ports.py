# SPDX-License-Identifier: Apache-2.0
"""A port computes what its reference does, to the bit: its kernel.rs is compiled here and both are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tileport import bytecode, cpu
from tileport.toolchain import find_toolchain
from tileport.toolchain.check import check_kernels


def softmax(_: Any, x: Any) -> tuple[int, Any]:
    powers = np.exp(x - x.max(1, keepdims=True))
    return 0, powers / powers.sum(1, keepdims=True)


def swiglu(a: Any, b: Any, _: Any) -> tuple[int, Any]:
    return 2, a / (1 + np.exp(-a)) * b


@pytest.mark.parametrize(
    ("name", "arrays", "exact", "shape"),
    [
        ("_softmax_kernel_tma__5fec1e9b62", 2, softmax, (64, 8192)),
        ("_swiglu_forward_kernel__0b9f04d0ac", 3, swiglu, (64, 2048)),
    ],
)
def test_port_and_reference_agree(
    name: str, arrays: int, exact: Any, shape: tuple[int, int], data: Path, tmp_path: Path
) -> None:
    if find_toolchain().tileport_check.path is None:
        pytest.skip("tileport-check is not built")
    folder = data / "translate"
    (made,) = check_kernels(folder / f"{name}.rs", tmp_path, targets=("sm_90",))
    assert made.error is None and made.file is not None
    results = []
    for path in (folder / f"{name}.tileirbc", made.file):
        random = np.random.default_rng(1)
        tensors = [random.standard_normal(shape).astype(np.float32) for _ in range(arrays)]
        number, expected = exact(*(tensor.astype(np.float64) for tensor in tensors))
        cpu.launch(bytecode.read_file(path), (64,), tensors)
        np.testing.assert_allclose(tensors[number], expected, rtol=1e-5, atol=1e-7)
        results.append(tensors)
    for reference, port in zip(*results, strict=True):
        assert (reference.view(np.uint32) == port.view(np.uint32)).all()
