# SPDX-License-Identifier: Apache-2.0
"""Prints Tile IR exactly as tileirdisasm does (without debug information)."""

from __future__ import annotations

from tileport._core import text as _text
from tileport.ir import Module

__all__ = ["print", "print_float"]


def print(module: Module) -> str:
    """The module's text. Bytes of names that are not UTF-8 become surrogates ("surrogateescape")."""
    result: str = _text.print(module)
    return result


def print_float(type: str, bits: int) -> str:
    """How the text writes a float of an element type ("f32") with this bit pattern.

    Raises ``ValueError`` if ``type`` is no float type of Tile IR.
    """
    result: str | None = _text.print_float(type, bits)
    if result is None:
        raise ValueError(f"{type!r} is not a float type of Tile IR")
    return result
