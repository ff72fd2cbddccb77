# SPDX-License-Identifier: Apache-2.0
"""Which of TileGym's test files can launch an operator's kernels, found by following names through sources.

File names alone do not tell: a mixture-of-experts test launches ``silu_and_mul``, and backward passes are
tested in files of their own. So each top-level definition is a node with edges to what its text mentions
(through imports, re-exports and TileGym's dispatcher), and a test file is selected if a kernel of the
operator can be reached from it. That may select a file too many, never one too few unless names are made up
at run time.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tileport.capture.registry import Operator, dotted_name, parse
from tileport.errors import InputError

_TEST_FOLDERS = ("ops", "suites")

Symbol = tuple[str, str]  # (module, top-level name)


def folder_of_tests(folder: Path) -> Path:
    """The folder that holds TileGym's ``tests``, given that folder or ``tests`` itself; else InputError."""
    for root in (folder, folder.parent):
        if root.joinpath("tests", "ops").is_dir() and (root == folder or folder.name == "tests"):
            return root.resolve()
    raise InputError(
        "no-tilegym-tests",
        "there are no TileGym tests here (no tests/ops)",
        str(folder),
        "name the folder of TileGym's source repository",
    )


def select_tests(root: Path, operator: Operator, tilegym: Path) -> list[Path]:
    """The test files under ROOT/tests that can launch a kernel of ``operator``, in a fixed order."""
    files = [
        path for folder in _TEST_FOLDERS for path in sorted(root.joinpath("tests", folder).rglob("test_*.py"))
    ]
    sources = _Sources({"tilegym": tilegym, "tests": root / "tests"})
    goal = {(operator.module, kernel) for kernel in operator.kernels}
    return [path for path in files if sources.reaches(path, goal)]


@dataclass
class _Module:
    """One parsed file: where names come from, and what each top-level definition mentions."""

    name: str
    imports: dict[str, str] = field(default_factory=dict)  # local name -> dotted name
    star_imports: list[str] = field(default_factory=list)
    mentions: dict[str, set[str]] = field(default_factory=dict)  # definition -> dotted names in its text
    dispatches: dict[str, str] = field(default_factory=dict)  # definition -> registry name
    implements: list[tuple[str, str]] = field(default_factory=list)  # (registry name, definition)


class _Sources:
    """The definitions of several packages, parsed as they are needed."""

    def __init__(self, packages: dict[str, Path]) -> None:
        self._packages = packages
        self._modules: dict[str, _Module | None] = {}
        self._implementations: dict[str, list[Symbol]] | None = None

    def reaches(self, test: Path, goal: set[Symbol]) -> bool:
        start = self._module(self._name_of(test))
        assert start is not None
        queue = deque(
            symbol
            for mentioned in start.mentions.values()
            for name in mentioned
            for symbol in self._resolve(start, name)
        )
        seen: set[Symbol] = set()
        while queue:
            symbol = queue.popleft()
            if symbol in goal:
                return True
            if symbol in seen:
                continue
            seen.add(symbol)
            queue.extend(self._edges(symbol))
        return False

    def _edges(self, symbol: Symbol) -> Iterator[Symbol]:
        module = self._module(symbol[0])
        if module is None:
            return
        for name in module.mentions.get(symbol[1], ()):
            yield from self._resolve(module, name)
        if symbol[1] in module.dispatches:
            yield from self._implementations_of(module.dispatches[symbol[1]])

    def _resolve(self, module: _Module, name: str) -> Iterator[Symbol]:
        """The definitions that a dotted name in the text of ``module`` can mean."""
        first, _, rest = name.partition(".")
        if first in module.mentions:
            yield (module.name, first)
        elif first in module.imports:
            yield from self._locate(f"{module.imports[first]}.{rest}".rstrip("."))
        else:
            for star in module.star_imports:
                yield from self._locate(f"{star}.{name}")

    def _locate(self, dotted: str, depth: int = 0) -> Iterator[Symbol]:
        """The definition behind an absolute dotted name, through re-exporting packages."""
        parts = dotted.split(".")
        if parts[0] not in self._packages or depth > 16:
            return
        for length in range(len(parts) - 1, 0, -1):
            module = self._module(".".join(parts[:length]))
            if module is None:
                continue
            name, rest = parts[length], parts[length + 1 :]
            if name in module.mentions:
                yield (module.name, name)
            elif name in module.imports:
                yield from self._locate(".".join([module.imports[name], *rest]), depth + 1)
            else:
                for star in module.star_imports:
                    yield from self._locate(".".join([star, name, *rest]), depth + 1)
            return

    def _implementations_of(self, registered: str) -> list[Symbol]:
        if self._implementations is None:
            self._implementations = {}
            folder = self._packages["tilegym"]
            for path in sorted([*folder.glob("ops/cutile/**/*.py"), *folder.glob("suites/*/cutile/**/*.py")]):
                module = self._module(self._name_of(path))
                assert module is not None
                for name, definition in module.implements:
                    self._implementations.setdefault(name, []).append((module.name, definition))
        return self._implementations.get(registered, [])

    def _name_of(self, path: Path) -> str:
        for package, folder in self._packages.items():
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).with_suffix("").parts
                return ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))
        raise AssertionError(f"{path} is in none of the packages")

    def _module(self, name: str) -> _Module | None:
        if name not in self._modules:
            path = self._path_of(name)
            self._modules[name] = _read(name, path) if path is not None else None
        return self._modules[name]

    def _path_of(self, name: str) -> Path | None:
        package, *rest = name.split(".")
        if package not in self._packages:
            return None
        base = self._packages[package].joinpath(*rest)
        candidates = (base.with_suffix(".py") if rest else base / "__init__.py", base / "__init__.py")
        return next((path for path in candidates if path.is_file()), None)


def _read(name: str, path: Path) -> _Module:
    module = _Module(name)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for statement in parse(path).body:
        mentioned = _read_names(module, package, statement)
        defined = _defined_names(statement)
        # What runs when a file is imported reaches nothing by itself, but in a test it is part of the test.
        for definition in defined or ["<module>"]:
            module.mentions.setdefault(definition, set()).update(mentioned)
            for kind, registered in _registrations(statement):
                if kind == "dispatch":
                    module.dispatches[definition] = registered
                else:
                    module.implements.append((registered, definition))
        if isinstance(statement, ast.Expr):
            _read_registering_call(module, statement.value)
    return module


def _read_names(module: _Module, package: str, statement: ast.stmt) -> set[str]:
    """The dotted names that a statement mentions; its imports, wherever nested, are added to the module's."""
    names = set()
    pending: list[ast.AST] = [statement]
    # Written out instead of ast.walk, because this is where the time goes, and to take a.b.c as one name.
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Attribute, ast.Name)):
            name = dotted_name(node)
            if name is not None:
                names.add(name)
                continue
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _read_import(module, package, node)
            continue
        elif isinstance(node, ast.Constant):
            continue
        for field_name in node._fields:
            value = getattr(node, field_name, None)
            if isinstance(value, ast.AST):
                pending.append(value)
            elif isinstance(value, list):
                pending.extend(item for item in value if isinstance(item, ast.AST))
    return names


def _read_import(module: _Module, package: str, node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                module.imports[alias.asname] = alias.name
            else:
                first = alias.name.partition(".")[0]
                module.imports[first] = first
    else:
        base = node.module or ""
        if node.level:
            parents = package.split(".")[: len(package.split(".")) - (node.level - 1)]
            base = ".".join([*parents, base]).rstrip(".")
        for alias in node.names:
            if alias.name == "*":
                module.star_imports.append(base)
            else:
                module.imports[alias.asname or alias.name] = f"{base}.{alias.name}"


def _defined_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def _registrations(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """("dispatch" or "implement", registry name) for each of TileGym's decorators on a definition."""
    for decorator in getattr(statement, "decorator_list", ()):
        if isinstance(decorator, ast.Call):
            called = (dotted_name(decorator.func) or "").rpartition(".")[2]
            if called in ("dispatch", "register_impl") and (text := _first_text(decorator)) is not None:
                yield ("dispatch" if called == "dispatch" else "implement"), text


def _read_registering_call(module: _Module, node: ast.expr) -> None:
    """``register_impl(NAME, backend=...)(function)`` as a statement."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Call)
        and (dotted_name(node.func.func) or "").endswith("register_impl")
        and (text := _first_text(node.func)) is not None
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
    ):
        module.implements.append((text, node.args[0].id))


def _first_text(call: ast.Call) -> str | None:
    first = (
        call.args[0]
        if call.args
        else next((word.value for word in call.keywords if word.arg == "name"), None)
    )
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
