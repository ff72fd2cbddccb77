# SPDX-License-Identifier: Apache-2.0
"""The host port: a TileGym wrapper of cuTile kernels becomes one that launches their Rust ports.

The analysis works on the syntax tree, the output is made by replacing byte spans of the original text, so
comments, layout and every untouched line survive and a diff against TileGym reads like a review. The rules:

1. a ``@ct.kernel`` function becomes a descriptor ``name = rt.kernel(op, name, params, constants, hints)``;
   its other decorators stay, as calls around it;
2. functions that only kernels reach are device code and go, as do private ones that use device operations
   and that nothing names;
3. module constants and imports that only removed code used go with it;
4. the cuda.tile names in ``HOST_NAMES`` become the same names of the run-time module ``rt``;
5. ``"cutile"`` as a backend name becomes ``"cutile-rs"``;
6. modules of TileGym that import cuda.tile and define no kernel are ported beside the wrapper (``support/``);
7. the result must parse, import nothing of cuda.tile and use no undefined name.

Everything else is refused with its place: nothing is guessed.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib.metadata
import importlib.util
import symtable
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import tileport
from tileport.errors import InputError, ToolchainError
from tileport.wrappers.module_source import ModuleSource, dotted_name, is_tile_module

RUNTIME_MODULE = "tileport.wrappers.runtime"
RUNTIME_ALIAS = "rt"
BACKEND = "cutile-rs"

#: What host code may use of cuda.tile; each has a counterpart of the same name in the run-time module.
HOST_NAMES = frozenset(
    {"launch", "cdiv", "kernel", "compiler_timeout", "exhaustive_search", "tune.exhaustive_search"}
)
#: Helpers of TileGym that import cuda.tile and that the run-time module provides instead.
REDIRECTED = {("tilegym.experimental", "experimental_kernel")}
#: What host code may read of a kernel object.
KERNEL_ATTRIBUTES = frozenset({"replace_hints"})
#: Calls whose positional string argument names a backend.
BACKEND_CALLS = frozenset(
    {"register_impl", "is_backend_available", "set_backend", "assert_backend_available"}
)


@dataclass(frozen=True)
class KernelDescriptor:
    """A kernel as its wrapper declares it: parameter names in order, and which of them are constants."""

    name: str
    parameters: tuple[str, ...]
    constants: tuple[str, ...]


@dataclass
class PortedWrapper:
    """The files of one ported wrapper (path relative to the op's folder -> text) and what they declare."""

    op: str
    files: dict[str, str] = field(default_factory=dict)
    kernels: list[KernelDescriptor] = field(default_factory=list)
    #: Names under which the wrapper registers implementations with TileGym.
    registry_names: list[str] = field(default_factory=list)
    #: Functions dropped as dead device code, which nothing refers to.
    dropped: list[str] = field(default_factory=list)


def tilegym_root() -> Path:
    """The folder of the installed TileGym package, found without importing it."""
    spec = importlib.util.find_spec("tilegym")
    if spec is None or not spec.submodule_search_locations:
        raise ToolchainError(
            "tilegym-missing",
            "TileGym is not installed, so there is no wrapper to port",
            help="pip install 'tileport[tilegym]'",
        )
    return Path(next(iter(spec.submodule_search_locations)))


def port_wrapper(op: str, source: str, root: Path | None = None) -> PortedWrapper:
    """Ports the wrapper of ``op``; ``source`` is its path as index.json gives it ("tilegym/ops/.../x.py").

    ``root`` is the TileGym package to read, by default the installed one. Raises RefusedError with the place
    of the first thing that no rule covers, InputError when the file is missing or is not Python.
    """
    package = root or tilegym_root()
    relative = Path(source)
    if relative.parts[:1] != (package.name,) or relative.suffix != ".py" or ".." in relative.parts:
        raise InputError("wrapper-source", f"not a Python file of the package {package.name}", source)
    ported = PortedWrapper(op)
    module = ModuleSource.read(package.parent / relative, ".".join(relative.with_suffix("").parts))
    support: dict[str, Path] = {}
    ported.files[f"{op}.py"] = ModulePort(op, module, package, support, ported).text()
    done: set[str] = set()
    while missing := sorted(set(support) - done):
        name = missing[0]
        done.add(name)
        helper = ModuleSource.read(support[name], name)
        if helper.kernels:
            raise helper.refuse(
                helper.kernels[0],
                f"the wrapper of {op} uses {name}, which defines kernels of its own",
                "Wrappers that call another op's wrapper directly are not ported yet.",
            )
        ported.files[f"support/{support_name(name)}.py"] = ModulePort(
            op, helper, package, support, ported
        ).text()
    return ported


def support_name(module: str) -> str:
    """The file name, without suffix, of a helper module under ``support/``."""
    return module.removeprefix("tilegym.").removeprefix("ops.cutile.").replace(".", "_")


class ModulePort:
    """The port of one module: finds what is device code, then collects the edits of the rest."""

    def __init__(
        self, op: str, module: ModuleSource, package: Path, support: dict[str, Path], ported: PortedWrapper
    ) -> None:
        self.op = op
        self.module = module
        self.package = package
        self.support = support
        self.ported = ported
        self.edits: list[tuple[int, int, str]] = []
        self.runtime_used = bool(module.kernels)
        self.kernel_names = {kernel.name for kernel in module.kernels}
        self.device = self._device_functions()
        self.removed: set[ast.AST] = set()
        self._remove_device_only_statements()

    # What goes

    @property
    def dropped(self) -> frozenset[ast.AST]:
        """Nodes that the port does not keep as host code."""
        return frozenset([*self.module.kernels, *self.device, *self.removed])

    def _device_functions(self) -> list[ast.FunctionDef]:
        module = self.module
        for kernel in module.kernels:
            if module.parents[kernel] is not module.tree:
                raise module.refuse(
                    kernel, f"kernel {kernel.name} is defined inside another function or a class"
                )
        reached = self._reached_from(module.kernels)
        unused = self._unused_device_helpers(reached)
        device = reached | unused
        while True:
            host = self._host_names(frozenset([*module.kernels, *device]))
            needed = {function for function in device if function.name in host}
            for function in sorted(needed, key=lambda item: item.lineno):
                self._require_host_only(function, f"host code calls the device function {function.name}")
            if not needed:
                break
            device -= needed
        self.ported.dropped += sorted(f"{module.name}.{function.name}" for function in unused & device)
        return sorted(device, key=lambda function: function.lineno)

    def _reached_from(self, kernels: Iterable[ast.FunctionDef]) -> set[ast.FunctionDef]:
        reached: set[ast.FunctionDef] = set()
        work = list(kernels)
        while work:
            for name in self.module.names(work.pop()):
                function = self.module.functions.get(name)
                if function and function.name not in self.kernel_names and function not in reached:
                    reached.add(function)
                    work.append(function)
        return reached

    def _unused_device_helpers(self, reached: set[ast.FunctionDef]) -> set[ast.FunctionDef]:
        unused: set[ast.FunctionDef] = set()
        for function in self.module.functions.values():
            if function.name in self.kernel_names or function in reached or self._is_host_only(function):
                continue
            others = [node for node in self.module.tree.body if node is not function]
            named = any(function.name in self.module.names(node) for node in others)
            if named or function.decorator_list or not function.name.startswith("_"):
                self._require_host_only(function, f"host function {function.name} uses device operations")
            unused.add(function)
        return unused

    def _host_names(self, dropped: frozenset[ast.AST]) -> set[str]:
        names: set[str] = set()
        for statement in self.module.tree.body:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                names |= self.module.names(statement, dropped)
        for kernel in self.module.kernels:
            for decorator in kernel.decorator_list:
                names |= self.module.names(decorator)
        return names

    def _is_host_only(self, node: ast.AST) -> bool:
        return all(path in HOST_NAMES for _, path in self.module.tile_uses(node))

    def _require_host_only(self, function: ast.FunctionDef, message: str) -> None:
        for node, path in self.module.tile_uses(function):
            if path not in HOST_NAMES:
                raise self.module.refuse(node, f"{message} (cuda.tile.{path})")

    def _remove_device_only_statements(self) -> None:
        """Removes module constants that only removed code used, until nothing more goes."""
        device_names: set[str] = set()
        for node in [*self.module.kernels, *self.device]:
            device_names |= self.module.names(node)
        while True:
            before = len(self.removed)
            for statement in self.module.tree.body:
                targets = assigned_names(statement)
                if not targets or statement in self.removed:
                    continue
                others = self._host_names(self.dropped | {statement})
                if targets & others:
                    continue
                if not self._is_host_only(statement) or targets & device_names:
                    self.removed.add(statement)
                    device_names |= self.module.names(statement)
            if len(self.removed) == before:
                return

    # Edits

    def text(self) -> str:
        """The ported text of the module."""
        live = self._host_names(self.dropped)
        for node in self.removed | set(self.device):
            assert isinstance(node, ast.stmt)
            self._cut_statement(node)
        for kernel in self.module.kernels:
            self._replace_kernel(kernel)
        for node in walk_host(self.module.tree, self.dropped):
            if isinstance(node, ast.Import):
                self._port_import(node, live)
            elif isinstance(node, ast.ImportFrom):
                self._port_from_import(node, live)
            elif isinstance(node, ast.Call):
                self._port_backend_names(node)
            elif isinstance(node, ast.Attribute):
                self._check_kernel_attribute(node)
        for node, path in self.module.tile_uses(self.module.tree, self.dropped):
            self.edits.append((*self.module.span(node), self._runtime_name(node, path)))
        result = self._apply()
        check_result(self.module, result)
        return self._header() + result

    def _header(self) -> str:
        digest = hashlib.sha256(self.module.data).hexdigest()
        relative = self.module.path.relative_to(self.package.parent).as_posix()
        try:
            version = importlib.metadata.version("tilegym")
        except importlib.metadata.PackageNotFoundError:
            version = "unknown"
        return (
            f"# Ported by tileport {tileport.__version__} from {relative} of tilegym {version}.\n"
            f"# sha256 of the source: {digest}\n"
            "# Generated: edits are lost at the next conversion.\n"
        )

    def _runtime_name(self, node: ast.AST, path: str) -> str:
        if path not in HOST_NAMES:
            raise self.module.refuse(node, f"host code uses cuda.tile.{path or '<the module itself>'}")
        self.runtime_used = True
        return f"{RUNTIME_ALIAS}.{path.rsplit('.', 1)[-1]}"

    def _cut_statement(self, node: ast.stmt) -> None:
        """Removes a statement with the comment lines right above it and the blank lines below it."""
        lines = self.module.data.split(b"\n")
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(item.lineno for item in decorators)]) - 1
        while first > 0 and lines[first - 1].lstrip().startswith(b"#") and b"SPDX" not in lines[first - 1]:
            first -= 1
        assert node.end_lineno is not None
        last = node.end_lineno
        while last < len(lines) - 1 and not lines[last].strip():
            last += 1
        starts = [*self.module.line_starts, len(self.module.data)]
        self.edits.append((starts[first], starts[last], ""))

    def _replace_kernel(self, kernel: ast.FunctionDef) -> None:
        module = self.module
        arguments = kernel.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise module.refuse(kernel, f"kernel {kernel.name} has variadic or keyword-only parameters")
        parameters = [*arguments.posonlyargs, *arguments.args]
        names = [parameter.arg for parameter in parameters]
        constants = [item.arg for item in parameters if self._is_constant(item.annotation)]
        hints, outer = "", []
        for decorator in kernel.decorator_list:
            if not module.is_kernel_decorator(decorator):
                outer.append(module.text(decorator))
            elif isinstance(decorator, ast.Call):
                hints = self._hints(kernel, decorator)
        call = (
            f"{RUNTIME_ALIAS}.kernel(\n"
            f'    "{self.op}",\n'
            f'    "{kernel.name}",\n'
            f"    params={string_tuple(names)},\n"
            f"    constants={string_tuple(constants)},\n"
            f"{hints})"
        )
        for decorator_text in reversed(outer):
            call = f"{decorator_text}({call})"
        start = module.line_starts[min(item.lineno for item in kernel.decorator_list) - 1]
        self.edits.append((start, module.span(kernel)[1], f"{kernel.name} = {call}"))
        self.ported.kernels.append(KernelDescriptor(kernel.name, tuple(names), tuple(constants)))

    def _hints(self, kernel: ast.FunctionDef, decorator: ast.Call) -> str:
        if decorator.args or any(keyword.arg is None for keyword in decorator.keywords):
            raise self.module.refuse(decorator, f"kernel {kernel.name}: only named hints can be ported")
        for keyword in decorator.keywords:
            for node, path in self.module.tile_uses(keyword.value):
                raise self.module.refuse(node, f"a hint of kernel {kernel.name} uses cuda.tile.{path}")
        return "".join(
            f"    {keyword.arg}={self.module.text(keyword.value)},\n" for keyword in decorator.keywords
        )

    def _is_constant(self, annotation: ast.expr | None) -> bool:
        """Whether an annotation is ct.Constant, ct.Constant[...] or a module-level alias of one."""
        if isinstance(annotation, ast.Subscript):
            return self._is_constant(annotation.value)
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return self._is_constant(ast.parse(annotation.value, mode="eval").body)
        if isinstance(annotation, ast.Name):
            if self.module.tile_names.get(annotation.id, ("", ""))[1] == "Constant":
                return True
            for statement in self.module.tree.body:
                if annotation.id in assigned_names(statement) and isinstance(statement, ast.Assign):
                    return self._is_constant(statement.value)
            return False
        return annotation is not None and self.module.tile_path(annotation) == "Constant"

    # Imports

    def _port_import(self, node: ast.Import, live: set[str]) -> None:
        kept = []
        for alias in node.names:
            if is_tile_module(alias.name):
                continue
            if self._is_dead_import(node, alias.asname or alias.name.split(".")[0], live):
                continue
            self._check_foreign_module(node, alias.name)
            kept.append(alias)
        if len(kept) != len(node.names):
            self._replace_import(node, [f"import {import_list(kept)}"] if kept else [])

    def _port_from_import(self, node: ast.ImportFrom, live: set[str]) -> None:
        source = self.module.absolute_module(node)
        kept: list[ast.alias] = []
        moved: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            bound = alias.asname or alias.name
            if is_tile_module(source) or (source == "cuda" and alias.name == "tile"):
                # Uses of the names are rewritten one by one, so the import itself just goes.
                continue
            if (source, alias.name) in REDIRECTED:
                moved.setdefault(RUNTIME_MODULE, []).append(alias)
            elif self._is_dead_import(node, bound, live):
                continue
            elif helper := self._support_module(node, source, alias.name):
                moved.setdefault(helper, []).append(alias)
            else:
                kept.append(alias)
        if len(kept) == len(node.names) and not node.level:
            return
        lines = [f"from {name} import {import_list(aliases)}" for name, aliases in moved.items()]
        if kept:
            lines.append(f"from {source} import {import_list(kept)}")
        self._replace_import(node, lines)

    def _is_dead_import(self, node: ast.stmt, bound: str, live: set[str]) -> bool:
        """Whether a module-level import was used before the port and is used by nothing after it."""
        if self.module.parents[node] is not self.module.tree or bound in live:
            return False
        return any(
            bound in self.module.names(statement)
            for statement in self.module.tree.body
            if not isinstance(statement, ast.Import | ast.ImportFrom)
        )

    def _support_module(self, node: ast.stmt, source: str, name: str) -> str:
        """The import path of the port of a TileGym module that imports cuda.tile; empty for other modules."""
        path = self._module_path(f"{source}.{name}") or self._module_path(source)
        if path is None:
            return ""
        if self._module_path(f"{source}.{name}") is not None:
            self._check_foreign_module(node, f"{source}.{name}")
            return ""
        if not imports_tile(path):
            return ""
        if path.name == "__init__.py":
            raise self.module.refuse(node, f"{source} imports cuda.tile and is a package")
        self.support[source] = path
        inside_support = self.module.name in self.support
        return f"{'.' if inside_support else '.support.'}{support_name(source)}"

    def _module_path(self, name: str) -> Path | None:
        """The file of a module of the TileGym package; None for modules of others."""
        parts = name.split(".")
        if parts[0] != self.package.name:
            return None
        base = self.package.joinpath(*parts[1:])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
        return None

    def _check_foreign_module(self, node: ast.stmt, name: str) -> None:
        path = self._module_path(name)
        if path is not None and imports_tile(path):
            raise self.module.refuse(node, f"the module {name} imports cuda.tile")

    def _replace_import(self, node: ast.Import | ast.ImportFrom, lines: list[str]) -> None:
        start, end = self.module.span(node)
        if lines:
            indent = "\n" + " " * node.col_offset
            self.edits.append((start, end, indent.join(lines)))
            return
        if self.module.parents[node] is not self.module.tree:
            self.edits.append((start, end, "pass"))
            return
        line = self.module.line_starts[node.lineno - 1]
        self.edits.append((line, min(end + 1, len(self.module.data)), ""))

    # Smaller rules

    def _port_backend_names(self, node: ast.Call) -> None:
        candidates = [keyword.value for keyword in node.keywords if keyword.arg == "backend"]
        if dotted_name(node.func).rsplit(".", 1)[-1] in BACKEND_CALLS:
            candidates += node.args
        for value in candidates:
            if isinstance(value, ast.Constant) and value.value == "cutile":
                self.edits.append((*self.module.span(value), f'"{BACKEND}"'))
        if dotted_name(node.func).rsplit(".", 1)[-1] == "register_impl" and node.args:
            name = node.args[0]
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                raise self.module.refuse(node, "the name of a registered implementation is not a literal")
            self.ported.registry_names.append(name.value)

    def _check_kernel_attribute(self, node: ast.Attribute) -> None:
        of_kernel = isinstance(node.value, ast.Name) and node.value.id in self.kernel_names
        if of_kernel and node.attr not in KERNEL_ATTRIBUTES:
            raise self.module.refuse(node, f"host code reads {dotted_name(node)} of a kernel")

    def _apply(self) -> str:
        data = self.module.data
        self.edits.sort()
        for (_, end, _), (start, _, _) in zip(self.edits, self.edits[1:], strict=False):
            assert start >= end, f"overlapping edits in {self.module.path}"
        for start, end, replacement in reversed(self.edits):
            data = data[:start] + replacement.encode() + data[end:]
        text = data.decode()
        if not self.runtime_used:
            return text
        if RUNTIME_ALIAS in self.module.names(self.module.tree) or RUNTIME_ALIAS in self.module.from_imports:
            raise self.module.refuse(self.module.tree, f"the module uses the name {RUNTIME_ALIAS} itself")
        return insert_import(
            text, f"from {RUNTIME_MODULE.rsplit('.', 1)[0]} import runtime as {RUNTIME_ALIAS}"
        )


def assigned_names(statement: ast.stmt) -> set[str]:
    """The names that a plain assignment binds; empty for other statements and other targets."""
    if isinstance(statement, ast.AnnAssign):
        targets: list[ast.expr] = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets
    else:
        return set()
    if not all(isinstance(target, ast.Name) for target in targets):
        return set()
    return {target.id for target in targets if isinstance(target, ast.Name)}


def walk_host(tree: ast.Module, dropped: frozenset[ast.AST]) -> Iterable[ast.AST]:
    """Every node that stays, with the decorators of kernels excepted."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if node in dropped:
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))


def imports_tile(path: Path) -> bool:
    """Whether a module imports cuda.tile when it is loaded (not only inside a function)."""
    module = ModuleSource.read(path, path.stem)
    for node in module.tree.body:
        if isinstance(node, ast.Import) and any(is_tile_module(alias.name) for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and is_tile_module(node.module or ""):
            return True
    return False


def import_list(aliases: Iterable[ast.alias]) -> str:
    return ", ".join(f"{item.name} as {item.asname}" if item.asname else item.name for item in aliases)


def string_tuple(items: list[str]) -> str:
    quoted = ", ".join(f'"{item}"' for item in items)
    return f"({quoted},)" if len(items) == 1 else f"({quoted})"


def insert_import(text: str, line: str) -> str:
    """Puts an import before the first import that is not from ``__future__``, else after the docstring."""
    body = ast.parse(text).body
    lines = text.split("\n")
    at = 0
    for statement in body:
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        if is_import and getattr(statement, "module", "") != "__future__":
            at = statement.lineno - 1
            break
        if not is_import and not isinstance(statement, ast.Expr):
            at = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))]) - 1
            break
    lines.insert(at, line)
    return "\n".join(lines)


def check_result(module: ModuleSource, text: str) -> None:
    """Rule 7: the ported text parses, imports nothing of cuda.tile and uses no undefined name."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(is_tile_module(name) or name == "cuda" for name in names):
            raise module.refuse(module.tree, "an import of cuda.tile is left in the port")
    table = symtable.symtable(text, str(module.path), "exec")
    defined = {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    defined |= {name for scope in walk_scopes(table) for name in declared_globals(scope)}
    defined |= {child.get_name() for child in table.get_children()}
    defined |= set(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__path__", "__spec__"}
    for scope in walk_scopes(table):
        for symbol in scope.get_symbols():
            is_global = symbol.is_global() or scope is table
            if is_global and symbol.is_referenced() and symbol.get_name() not in defined:
                raise module.refuse(module.tree, f"the port would use the undefined name {symbol.get_name()}")


def walk_scopes(table: symtable.SymbolTable) -> Iterable[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from walk_scopes(child)


def declared_globals(scope: symtable.SymbolTable) -> list[str]:
    return [
        item.get_name() for item in scope.get_symbols() if item.is_declared_global() and item.is_assigned()
    ]
