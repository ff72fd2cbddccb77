# SPDX-License-Identifier: Apache-2.0
"""Reads and writes Tile IR bytecode, versions 13.1 to 13.5."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from tileport._core import bytecode as _bytecode
from tileport.errors import Error, InputError
from tileport.ir import Module

__all__ = [
    "UNREADABLE",
    "BytecodeError",
    "Document",
    "is_bytecode",
    "read",
    "read_document",
    "read_file",
    "write",
]

UNREADABLE = "TP-B0001"
"""The code of a file that can't be opened or read at all."""


class BytecodeError(InputError):
    """Bytes are not well-formed Tile IR bytecode, a file cannot be read, or a module cannot be written.

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


@dataclass(frozen=True)
class Document:
    """A module and how its file wrote it: order of sections, filler, forms of numbers, ignored bytes."""

    module: Module
    _layout: Any = field(default_factory=_bytecode.Layout, repr=False)


def read_document(data: bytes, file: str = "") -> Document:
    """Reads one module so that ``write`` gives the same bytes again. Raises ``BytecodeError``."""
    return Document(*_checked(_bytecode.read_document(data, file)))


def write(
    module: Module | Document,
    *,
    canonical: bool | None = None,
    version: tuple[int, int] | None = None,
    debug_info: bool = True,
) -> bytes:
    """The bytecode of a module or document.

    ``canonical=False``, the default for a document, keeps the version and the order of all tables; of a
    document it gives the bytes that were read. ``canonical=True``, the default for a module, gives the one
    form that equal modules share (include/tileport/bytecode/write.hpp defines it), in another ``version`` if
    given, such as (13, 3), and without source places if not ``debug_info``.

    Raises ``BytecodeError`` with TP-B0027 if the version lacks something that the module uses, and
    ``ValueError`` if ``canonical=False`` is combined with what only the canonical form can do.
    """
    document = module if isinstance(module, Document) else Document(module)
    if canonical is None:
        canonical = document is not module
    if canonical:
        written = _bytecode.write_canonical(document.module, version, debug_info)
    elif version is not None or not debug_info:
        raise ValueError("version and debug_info need canonical=True")
    else:
        written = _bytecode.write_faithful(document.module, document._layout)
    result: bytes = _checked(written)
    return result


def _module(result: Any) -> Module:
    module = _checked(result)
    assert isinstance(module, Module)
    return module


def _checked(result: Any) -> Any:
    if isinstance(result, list):
        raise BytecodeError(result)
    return result


def is_bytecode(data: bytes) -> bool:
    """Whether a file is meant as bytecode, good or bad: texts have no zero bytes and are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return not data or data.startswith(b"\x7f") or b"\0" in data
