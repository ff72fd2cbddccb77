# SPDX-License-Identifier: Apache-2.0
"""Capture: runs an operator's host code with no GPU and records every kernel that it launches, as bytecode.

Importing this package imports neither torch, tilegym nor cuda.tile; they are loaded in a process of their
own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tileport.capture.device_models import DEVICE_MODELS, DeviceModel
    from tileport.capture.engine import CaptureResult, Outcome, Progress, capture
    from tileport.capture.everything import Everything, capture_all
    from tileport.capture.index import read_index, source_path
    from tileport.capture.registry import Operator, find_operator, operators
    from tileport.capture.source_variables import source_names

_MODULE_OF = {
    "DEVICE_MODELS": "device_models",
    "DeviceModel": "device_models",
    "Everything": "everything",
    "CaptureResult": "engine",
    "Outcome": "engine",
    "Progress": "engine",
    "capture": "engine",
    "capture_all": "everything",
    "read_index": "index",
    "source_path": "index",
    "Operator": "registry",
    "find_operator": "registry",
    "operators": "registry",
    "source_names": "source_variables",
}

__all__ = [
    "DEVICE_MODELS",
    "CaptureResult",
    "DeviceModel",
    "Everything",
    "Operator",
    "Outcome",
    "Progress",
    "capture",
    "capture_all",
    "find_operator",
    "operators",
    "read_index",
    "source_names",
    "source_path",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
