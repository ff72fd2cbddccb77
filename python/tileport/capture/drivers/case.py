# SPDX-License-Identifier: Apache-2.0
"""What drivers are written with."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
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


def model_kernels(model: str, file: str) -> Any:
    """The module of a model's kernels in TileGym, also where the package ``transformers``, which the models
    need but their kernels do not, is missing."""
    package = "tilegym.transformers"
    try:
        importlib.import_module(package)
    except ImportError:
        # In its place a package that only knows where its modules are.
        found = importlib.util.find_spec(package)
        assert found is not None and found.submodule_search_locations is not None
        bare = types.ModuleType(package)
        bare.__path__ = list(found.submodule_search_locations)
        sys.modules[package] = bare
        # The models' own packages import the models.
        models = types.ModuleType(f"{package}.{model}")
        models.__path__ = [f"{folder}/{model}" for folder in bare.__path__]
        sys.modules[models.__name__] = models
    return importlib.import_module(f"{package}.{model}.kernels.{file}")
