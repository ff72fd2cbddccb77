# SPDX-License-Identifier: Apache-2.0
"""Reads Tile IR bytecode, versions 13.1 to 13.5."""

from __future__ import annotations

import os
from typing import Any

from tileport._core import bytecode as _bytecode
from tileport.errors import Error, InputError
from tileport.ir import Module

__all__ = ["UNREADABLE", "BytecodeError", "read", "read_file"]

UNREADABLE = "TP-B0001"
"""The code of a file that can't be opened or read at all."""


class BytecodeError(InputError):
    """Bytes are not well-formed Tile IR bytecode, or a file cannot be read.

    ``diagnostics`` are dicts with code ("TP-B0005"), message, file, offset (bytes from the start of the
    file), line, column, path, source ("softmax.py:12:5 in softmax", where a front end found it), severity,
    advice and text (all of it as a compiler prints it).
    """

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        place = first["file"]
        if first["offset"] is not None:
            place = f"{place}:{first['offset']:#x}" if place else f"offset {first['offset']:#x}"
        super().__init__(first["code"], first["message"], place, first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


def read(data: bytes, file: str = "") -> Module:
    """Reads one module. ``file`` only names the data in errors. Raises ``BytecodeError``."""
    return _module(_bytecode.read(data, file))


def read_file(path: str | os.PathLike[str]) -> Module:
    """Opens and reads a file. Raises ``BytecodeError``, with code TP-B0001 if the file can't be opened."""
    return _module(_bytecode.read_file(os.fspath(path)))


def _module(result: Any) -> Module:
    if isinstance(result, list):
        raise BytecodeError(result)
    assert isinstance(result, Module)
    return result
