# SPDX-License-Identifier: Apache-2.0
"""One Python source file with its syntax tree, and the questions that the host port asks of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tileport.errors import InputError, RefusedError

TILE_PACKAGE = "cuda.tile"


def dotted_name(node: ast.AST) -> str:
    """``a.b.c`` of a name or attribute chain; empty when the chain starts at anything but a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def is_tile_module(name: str) -> bool:
    """Whether a module name is cuda.tile or a part of it."""
    return name == TILE_PACKAGE or name.startswith(TILE_PACKAGE + ".")


@dataclass
class ModuleSource:
    """A parsed module. Spans are byte offsets, as ``ast`` counts columns in UTF-8 bytes."""

    path: Path
    name: str
    is_package: bool
    data: bytes
    tree: ast.Module
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    #: Local names bound to the package cuda.tile (``import cuda.tile as ct`` -> ``ct``).
    tile_aliases: set[str] = field(default_factory=set)
    #: Local name -> (module, name) for names imported from cuda.tile.
    tile_names: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: Local name -> (absolute module, name) for other from-imports.
    from_imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, name: str) -> ModuleSource:
        """Parses ``path``; raises InputError when it cannot be read or is not Python."""
        try:
            data = path.read_bytes()
            tree = ast.parse(data, filename=str(path))
        except OSError as error:
            raise InputError("unreadable-source", f"cannot read: {error.strerror}", str(path)) from error
        except (SyntaxError, ValueError) as error:
            place = f"{path}:{getattr(error, 'lineno', None) or 1}"
            raise InputError("not-python", f"not valid Python: {error}", place) from error
        module = cls(path, name, path.name == "__init__.py", data, tree)
        module._index()
        return module

    def _index(self) -> None:
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if is_tile_module(alias.name):
                        self.tile_aliases.add(alias.asname or alias.name)
            elif isinstance(node, ast.ImportFrom):
                source = self.absolute_module(node)
                for alias in node.names:
                    bound = alias.asname or alias.name
                    if source == "cuda" and alias.name == "tile":
                        self.tile_aliases.add(bound)
                    elif is_tile_module(source):
                        self.tile_names[bound] = (source, alias.name)
                    else:
                        self.from_imports[bound] = (source, alias.name)

    def absolute_module(self, node: ast.ImportFrom) -> str:
        """The absolute name of the module that a from-import reads."""
        if not node.level:
            return node.module or ""
        base = self.name.split(".")
        if not self.is_package:
            base = base[:-1]
        base = base[: len(base) - (node.level - 1)]
        return ".".join([*base, node.module] if node.module else base)

    def place(self, node: ast.AST) -> str:
        """``file:line`` of a node, as messages name it."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"

    def refuse(self, node: ast.AST, message: str, help: str = "") -> RefusedError:
        """The error for host code that no rule covers."""
        advice = help or "No rule of the host port covers this; port this wrapper by hand."
        return RefusedError("host-port", message, self.place(node), advice)

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        for index, byte in enumerate(self.data):
            if byte == 0x0A:
                starts.append(index + 1)
        return starts

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Byte span of a node (a decorated function starts at its ``def``)."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.line_starts[node.lineno - 1] + node.col_offset
        return start, self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """Functions defined at module level."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}

    def tile_path(self, node: ast.AST) -> str:
        """The part of an attribute chain after the cuda.tile alias ("launch", "tune.search"), or ""."""
        chain = dotted_name(node)
        for alias in self.tile_aliases:
            if chain.startswith(alias + "."):
                return chain[len(alias) + 1 :]
        return ""

    def is_kernel_decorator(self, node: ast.expr) -> bool:
        return self.tile_path(node.func if isinstance(node, ast.Call) else node) == "kernel"

    @cached_property
    def kernels(self) -> list[ast.FunctionDef]:
        """Every function decorated as a cuTile kernel, in source order."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef) and any(map(self.is_kernel_decorator, node.decorator_list))
        ]

    def names(self, node: ast.AST, skip: frozenset[ast.AST] = frozenset()) -> set[str]:
        """Every name below ``node`` (string annotations included) that is not inside a node of ``skip``."""
        found: set[str] = set()
        for item in walk_outside(node, skip):
            if isinstance(item, ast.Name):
                found.add(item.id)
            elif isinstance(item, ast.Constant) and isinstance(item.value, str) and self.is_annotation(item):
                found |= annotation_names(item.value)
        return found

    def is_annotation(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.arg | ast.AnnAssign):
            return parent.annotation is node
        return isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef) and parent.returns is node

    def tile_uses(
        self, node: ast.AST, skip: frozenset[ast.AST] = frozenset()
    ) -> Iterator[tuple[ast.expr, str]]:
        """Each use of cuda.tile below ``node``: the whole attribute chain or name, and its cuda.tile path."""
        for item in walk_outside(node, skip):
            parent = self.parents.get(item)
            if isinstance(parent, ast.Attribute) and parent.value is item:
                continue
            if isinstance(item, ast.Attribute):
                base = chain_root(item)
                if self.tile_path(item):
                    yield item, self.tile_path(item)
                elif isinstance(base, ast.Name) and base.id in self.tile_names:
                    yield item, ".".join([self.tile_names[base.id][1], *dotted_name(item).split(".")[1:]])
            elif isinstance(item, ast.Name):
                if item.id in self.tile_names:
                    yield item, self.tile_names[item.id][1]
                elif item.id in self.tile_aliases:
                    yield item, ""


def chain_root(node: ast.expr) -> ast.expr:
    """What an attribute chain starts at."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def walk_outside(node: ast.AST, skip: frozenset[ast.AST]) -> Iterator[ast.AST]:
    """``ast.walk`` in source order that does not enter a node of ``skip``."""
    stack = [node]
    while stack:
        item = stack.pop()
        if item in skip:
            continue
        yield item
        stack.extend(reversed(list(ast.iter_child_nodes(item))))


def annotation_names(text: str) -> set[str]:
    """Names in an annotation written as a string; none when it is not an expression."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
