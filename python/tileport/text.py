# SPDX-License-Identifier: Apache-2.0
"""Prints Tile IR exactly as tileirdisasm does, and parses such texts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tileport._core import text as _text
from tileport.errors import Error, InputError
from tileport.ir import Module

__all__ = ["TextError", "parse", "parse_file", "parse_modules", "print", "print_float"]


class TextError(InputError):
    """A text is not Tile IR, or a file cannot be read.

    ``diagnostics`` are dicts as those of ``tileport.bytecode.BytecodeError``, with codes "TP-X0004" and with
    line and column. There may be several: the parser goes on after an error.
    """

    def __init__(self, diagnostics: list[dict[str, Any]]) -> None:
        first = diagnostics[0]
        place = first["file"]
        if first["line"]:
            line = f"{first['line']}:{first['column']}"
            place = f"{place}:{line}" if place else f"line {line}"
        message = first["message"]
        if len(diagnostics) > 1:
            message += f" (and {len(diagnostics) - 1} more)"
        super().__init__(first["code"], message, place, first["advice"])
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.diagnostics,)


def print(module: Module, *, locations: bool = False) -> str:
    """The module's text, with source places as ``tileirdisasm -g`` writes them if ``locations``.

    Bytes of names that are not UTF-8 become surrogates ("surrogateescape").
    """
    result: str = _text.print(module, locations)
    return result


def parse_modules(
    source: str | bytes, file: str = "", version: tuple[int, int] | None = None
) -> list[Module]:
    """Parses a text with any number of modules. See ``parse``."""
    data = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    result = _text.parse_modules(data, file, version)
    if isinstance(result, list):
        raise TextError(result)
    return list(result)


def parse(source: str | bytes, file: str = "", version: tuple[int, int] | None = None) -> Module:
    """Parses one module: what ``print`` gives, and the other forms that MLIR tools write.

    ``file`` only names the text in errors. ``version`` is the bytecode version that the module is for; if not
    given, 13.3 or the first later one that has everything in the text. Raises ``TextError``.
    """
    modules = parse_modules(source, file, version)
    if len(modules) == 1:
        return modules[0]
    advice = "Put each into a file of its own."
    raise InputError("TP-X0024", f"the text has {len(modules)} modules", file, advice)


def parse_file(path: str | os.PathLike[str], version: tuple[int, int] | None = None) -> Module:
    """Opens and parses a file. Raises ``TextError``, or ``InputError`` TP-X0001 if it can't be opened."""
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise InputError("TP-X0001", f"the file can't be read: {error.strerror}", os.fspath(path)) from error
    return parse(source, os.fspath(path), version)


def print_float(type: str, bits: int) -> str:
    """How the text writes a float of an element type ("f32") with this bit pattern.

    Raises ``ValueError`` if ``type`` is no float type of Tile IR.
    """
    result: str | None = _text.print_float(type, bits)
    if result is None:
        raise ValueError(f"{type!r} is not a float type of Tile IR")
    return result
