# SPDX-License-Identifier: Apache-2.0
"""Names of operators and where they are defined, read from the sources without importing them.

An operator's name is the path of its file under TileGym's ``ops/cutile`` or ``suites/*/cutile`` with ``/`` as
``.`` (``liger.rope``), and for kernels of a model ``transformers.MODEL.FILE``; the names it registers with
TileGym's dispatcher are aliases. A kernel belongs to the file that defines it.
"""

from __future__ import annotations

import ast
import difflib
import functools
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tileport.errors import InputError, ToolchainError, UsageError

_INSTALL = "pip install 'tileport[capture,tilegym]'"


@dataclass(frozen=True)
class Operator:
    """One file of kernels: an operator of TileGym, or a user's own file."""

    name: str
    source: Path
    module: str
    kernels: tuple[str, ...]
    aliases: tuple[str, ...] = field(default=())


def package_folder(package: str) -> Path:
    """The folder of an installed package, found without importing it; ToolchainError if there is none."""
    parent, _, _ = package.rpartition(".")
    # find_spec imports parent packages; the ones asked for here ("tilegym", "torch") have none.
    assert not parent
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ToolchainError(
            "package-missing",
            f"the Python package {package!r} is not installed",
            help=f"install it: {_INSTALL}",
        )
    return Path(next(iter(spec.submodule_search_locations)))


def tilegym_folder() -> Path:
    return package_folder("tilegym")


def operators(folder: Path | None = None) -> dict[str, Operator]:
    """All operators of the TileGym in ``folder`` (default: the installed one), by name."""
    return _operators(folder if folder is not None else tilegym_folder())


@functools.lru_cache(maxsize=4)
def _operators(folder: Path) -> dict[str, Operator]:
    found = {}
    for prefix, root in _roots(folder):
        for path in sorted(root.rglob("*.py")):
            operator = _operator(folder, prefix, root, path)
            if operator is not None:
                found[operator.name] = operator
    return found


@functools.lru_cache(maxsize=512)
def _operator(folder: Path, prefix: tuple[str, ...], root: Path, path: Path) -> Operator | None:
    """The operator that ``path`` under ``root`` defines; None if it has neither kernels nor registrations."""
    tree = parse(path)
    kernels, aliases = kernel_functions(tree), _registered_names(tree)
    if not kernels and not aliases:
        return None
    name = ".".join((*prefix, *path.relative_to(root).with_suffix("").parts))
    module = ".".join((folder.name, *path.relative_to(folder).with_suffix("").parts))
    return Operator(name, path, module, tuple(kernels), tuple(aliases))


def _roots(folder: Path) -> Iterator[tuple[tuple[str, ...], Path]]:
    yield (), folder / "ops" / "cutile"
    for suite in sorted((folder / "suites").glob("*/cutile")):
        yield (suite.parent.name,), suite
    for model in sorted((folder / "transformers").glob("*/kernels")):
        yield ("transformers", model.parent.name), model


def find_operator(name: str, folder: Path | None = None) -> Operator:
    """The operator called ``name``, or registered under it.

    Raises UsageError ``unknown-op`` (with near names) or ``ambiguous-op`` (with the candidates).
    """
    folder = folder if folder is not None else tilegym_folder()
    # A file's own name needs no reading of all the others, which takes a second.
    for prefix, root in _roots(folder):
        if name.split(".")[: len(prefix)] == list(prefix):
            path = root.joinpath(*name.split(".")[len(prefix) :]).with_suffix(".py")
            operator = _operator(folder, prefix, root, path) if path.is_file() else None
            if operator is not None:
                return operator
    known = operators(folder)
    candidates = [operator for operator in known.values() if name in operator.aliases]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise UsageError(
            "ambiguous-op",
            f"several operators register {name!r}",
            help="name one of " + ", ".join(sorted(operator.name for operator in candidates)),
        )
    every_name = sorted({*known, *(alias for operator in known.values() for alias in operator.aliases)})
    near = difflib.get_close_matches(name, every_name, n=3, cutoff=0.5)
    near += [other for other in every_name if name in other.split(".") and other not in near]
    raise UsageError(
        "unknown-op",
        f"there is no operator {name!r}",
        help=f"did you mean {', '.join(near)}?"
        if near
        else "FILE.py:KERNEL captures kernels of your own; the operators are " + ", ".join(sorted(known)),
    )


def driver_file(op: str) -> Path | None:
    """The file of our own calls of an operator, or None if there is none."""
    path = _DRIVERS.joinpath(*op.split(".")).with_suffix(".py")
    return path if path.is_file() and op not in _NO_DRIVERS else None


def driver_modules() -> dict[str, Path]:
    """All files of our own calls, by the operator that they call."""
    found = {
        ".".join(path.relative_to(_DRIVERS).with_suffix("").parts): path
        for path in sorted(_DRIVERS.rglob("*.py"))
    }
    return {op: path for op, path in found.items() if path.name != "__init__.py" and op not in _NO_DRIVERS}


_DRIVERS = Path(__file__).parent / "drivers"
_NO_DRIVERS = frozenset({"case", "unreached"})  # what drivers are written with


def operator_of_source(path: Path, folder: Path | None = None) -> Operator | None:
    """The TileGym operator that ``path`` defines, or None."""
    try:
        folder = folder if folder is not None else tilegym_folder()
    except ToolchainError:
        return None
    for prefix, root in _roots(folder):
        if path.is_relative_to(root):
            return _operator(folder, prefix, root, path)
    return None


def user_operator(path: Path, kernel: str | None = None) -> Operator:
    """The operator made of a user's own file; ``kernel`` restricts it to one kernel.

    Raises InputError if the file cannot be read, is not Python or defines no ``@ct.kernel`` function, and
    UsageError if ``kernel`` is not among them.
    """
    tree = parse(path)
    kernels = kernel_functions(tree)
    if not kernels:
        raise InputError(
            "no-kernels",
            "no function of this file is decorated with @ct.kernel",
            str(path),
            "name the file that defines the kernel, not the one that launches it",
        )
    if kernel is not None and kernel not in kernels:
        near = difflib.get_close_matches(kernel, kernels, n=3, cutoff=0.4) or list(kernels)
        raise UsageError(
            "unknown-kernel", f"there is no kernel {kernel!r}", str(path), f"did you mean {', '.join(near)}?"
        )
    name = re.sub(r"\W", "_", path.stem, flags=re.ASCII)  # names folders, a crate and symbols
    return Operator(name, path.resolve(), path.stem, (kernel,) if kernel else tuple(kernels))


def parse(path: Path) -> ast.Module:
    """The syntax tree of a Python file; InputError with the place if it cannot be read or parsed."""
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except OSError as error:
        raise InputError("unreadable-source", error.strerror or str(error), str(path)) from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(
            "malformed-source",
            f"not valid Python: {getattr(error, 'msg', error)}",
            f"{path}:{line}" if line else str(path),
        ) from None


def kernel_functions(tree: ast.Module) -> dict[str, int]:
    """Name and line (of ``def``) of every function that is decorated with cuda.tile's ``kernel``."""
    modules, names = _tile_names(tree)
    return {
        node.name: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(_is_kernel_decorator(decorator, modules, names) for decorator in node.decorator_list)
    }


def _tile_names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """What a file calls the module ``cuda.tile`` ("ct", "cuda.tile") and the decorator ``kernel``."""
    modules: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.asname or alias.name for alias in node.names if alias.name == "cuda.tile")
        elif isinstance(node, ast.ImportFrom) and node.module == "cuda":
            modules.update(alias.asname or alias.name for alias in node.names if alias.name == "tile")
        elif isinstance(node, ast.ImportFrom) and node.module == "cuda.tile":
            names.update(alias.asname or alias.name for alias in node.names if alias.name == "kernel")
    return modules, names


def _is_kernel_decorator(node: ast.expr, modules: set[str], names: set[str]) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr == "kernel" and dotted_name(node.value) in modules


def dotted_name(node: ast.expr) -> str | None:
    """``a.b.c`` for a chain of attributes that starts at a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _registered_names(tree: ast.Module) -> list[str]:
    """Names under which a file registers cuTile implementations with TileGym's dispatcher."""
    names = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        backend = next((word.value for word in node.keywords if word.arg == "backend"), None)
        if (
            called == "register_impl"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(backend, ast.Constant)
            and backend.value == "cutile"
        ):
            names.append(str(node.args[0].value))
    return list(dict.fromkeys(names))
