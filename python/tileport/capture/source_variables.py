# SPDX-License-Identifier: Apache-2.0
"""Names that a kernel's source gives to its values, by the locations that cuTile writes into bytecode."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from tileport.capture.registry import parse

Location = tuple[int, int]
"""Line from 1, column from 0 in UTF-8 bytes: what ``tileirdisasm -g`` prints as ``"FILE":LINE:COLUMN``."""


def source_names(source_path: str | os.PathLike[str]) -> dict[Location, str]:
    """The variable that the value computed at each location is assigned to.

    cuTile locates an operation at the start of the expression it stems from, an augmented assignment and a
    ``for`` at the start of the statement, and a parameter at its own start; here these are the keys. Where an
    expression and its first part start at one place (``a.load().astype()``, ``x * y + z``) they share the
    entry, as they do in the bytecode. What is never assigned (an inner expression, a call for its effect) has
    none.

    ``x = f(...)``, ``x: T = f(...)``, ``(x := f(...))``, ``x += ...``, ``a, b = f(), g()``, ``for x in
    range(...)`` and parameters count; targets other than plain names (``a[0] = ...``, ``o.field = ...``) do
    not. A location that several names lay claim to (``x = y = f()``) has the first.

    Raises InputError if the file cannot be read or is not valid Python.
    """
    names: dict[Location, str] = {}
    for node in ast.walk(parse(Path(source_path))):
        for location, name in _named(node):
            names.setdefault(location, name)
    return names


def _named(node: ast.AST) -> list[tuple[Location, str]]:
    if isinstance(node, ast.Assign):
        return [pair for target in node.targets for pair in _assigned(target, node.value)]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return _assigned(node.target, node.value)
    if isinstance(node, ast.NamedExpr):
        return _assigned(node.target, node.value)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return [(_start(node), node.target.id)]
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        return [(_start(node), node.target.id)]
    if isinstance(node, ast.arg):
        return [(_start(node), node.arg)]
    return []


def _assigned(target: ast.expr, value: ast.expr) -> list[tuple[Location, str]]:
    if isinstance(target, ast.Name):
        # A conditional expression is computed by its branches, each at a place of its own.
        branches = [value.body, value.orelse] if isinstance(value, ast.IfExp) else []
        return [(_start(expression), target.id) for expression in (value, *branches)]
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
        and not any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
    ):
        return [
            pair
            for part, part_value in zip(target.elts, value.elts, strict=True)
            for pair in _assigned(part, part_value)
        ]
    return []


def _start(node: ast.expr | ast.stmt | ast.arg) -> Location:
    return node.lineno, node.col_offset
