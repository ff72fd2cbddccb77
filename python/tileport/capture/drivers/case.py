# SPDX-License-Identifier: Apache-2.0
"""What drivers are written with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Case:
    """One call of a driver's ``run``: plain values only, so that it can be listed without loading torch."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def case(name: str, **arguments: Any) -> Case:
    return Case(name, arguments)


def random_tensor(*shape: int, dtype: str, requires_grad: bool = False) -> torch.Tensor:
    """A tensor "on the GPU" of the dtype called ``dtype`` in torch, with values that every dtype can hold."""
    import torch

    values = torch.rand(shape, device="cuda", dtype=torch.float32)
    return values.to(getattr(torch, dtype)).requires_grad_(requires_grad)
