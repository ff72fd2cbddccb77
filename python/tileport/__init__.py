# SPDX-License-Identifier: Apache-2.0
"""Converts GPU tile kernels from cuTile Python to cuTile Rust and proves the port, with no GPU.

Importing this package imports neither torch, tilegym nor cuda.tile.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tileport.errors import Error, InputError, RefusedError, ToolchainError, UsageError

if TYPE_CHECKING:
    from tileport.conversion import convert, prove, resume

    __version__: str

__all__ = [
    "Error",
    "InputError",
    "RefusedError",
    "ToolchainError",
    "UsageError",
    "__version__",
    "convert",
    "prove",
    "resume",
]

_LAZY = {"convert": "tileport.conversion", "prove": "tileport.conversion", "resume": "tileport.conversion"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tileport")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
