# SPDX-License-Identifier: Apache-2.0
"""The ports folder: where conversions leave ops, and where the backend finds them and their library."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tileport.errors import InputError
from tileport.wrappers.errors import PortMissingError

LIBRARY_NAME = "libcutile_kernels.so"
INDEX_SCHEMA = "tileport/index/1"
DISPATCH_SCHEMA = "tileport/dispatch/1"
#: Ported wrappers are imported as parts of this package, which exists only in memory.
PORTS_PACKAGE = "tileport_ports"

_loading: Path | None = None


def ports_folder() -> Path:
    """``$TILEPORT_PORTS``, else ``$XDG_DATA_HOME/tileport/ports`` (``~/.local/share`` without it)."""
    named = os.environ.get("TILEPORT_PORTS")
    if named:
        return Path(named).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tileport" / "ports"


def identifier(text: str) -> str:
    """``text`` with every character that an identifier cannot hold replaced by ``_``."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


def exported_symbols(op: str, kernels: list[str]) -> dict[str, str]:
    """Kernel -> the C symbol that launches it: ``cutile_OP`` for an only one, else ``cutile_OP__KERNEL``."""
    if len(kernels) == 1:
        return {kernels[0]: f"cutile_{identifier(op)}"}
    symbols = {kernel: f"cutile_{identifier(op)}__{identifier(kernel)}" for kernel in kernels}
    if len(set(symbols.values())) != len(symbols):
        raise InputError("symbol-clash", f"two kernels of {op} would export the same symbol", op)
    return symbols


def ported_ops(folder: Path) -> list[str]:
    """Ops in ``folder`` that have a ported wrapper and an index."""
    if not folder.is_dir():
        return []
    return sorted(
        path.name
        for path in folder.iterdir()
        if (path / f"{path.name}.py").is_file() and (path / "reference" / "index.json").is_file()
    )


def library_path(folder: Path) -> Path:
    """The library built from ``folder``; raises PortMissingError when it is not there."""
    path = folder / LIBRARY_NAME
    if path.is_file():
        return path
    raise PortMissingError(
        "library-missing",
        f"{LIBRARY_NAME} has not been built",
        str(folder),
        "With cargo installed, `import tileport.backend` builds it; or put one built elsewhere there.",
    )


def read_index(folder: Path, op: str) -> dict[str, Any]:
    """The index of an op's specializations; InputError when it is damaged or of another schema."""
    path = folder / op / "reference" / "index.json"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PortMissingError(
            "port-missing", f"no port of {op}", str(folder), f"Run `tileport convert {op}`."
        ) from error
    return _document(data, path, op, INDEX_SCHEMA, "bad-index")


def read_dispatch(folder: Path, op: str) -> dict[str, Any] | None:
    """The op's dispatch.json, by which entries serve constants not captured; None if there is none."""
    path = folder / op / "dispatch.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            "bad-dispatch", f"cannot be read: {error}", str(path), f"Run `tileport convert {op} --fresh`."
        ) from error
    return _document(data, path, op, DISPATCH_SCHEMA, "bad-dispatch")


def _document(data: bytes, path: Path, op: str, schema: str, code: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except ValueError as error:
        raise InputError(
            code, f"not JSON: {error}", str(path), f"Run `tileport convert {op} --fresh`."
        ) from error
    if not isinstance(document, dict) or document.get("schema") != schema:
        found = document.get("schema") if isinstance(document, dict) else type(document).__name__
        raise InputError(code, f"expected schema {schema}, found {found}", str(path))
    return document


def load_wrapper(folder: Path, op: str) -> ModuleType:
    """Imports the ported wrapper of ``op``, which registers its implementations with TileGym."""
    path = folder / op / f"{op}.py"
    if not path.is_file():
        raise PortMissingError(
            "port-missing", f"no port of {op}", str(folder), f"Run `tileport convert {op}`."
        )
    if PORTS_PACKAGE not in sys.modules:
        package = ModuleType(PORTS_PACKAGE, "Ported wrappers of this process.")
        package.__path__ = []
        sys.modules[PORTS_PACKAGE] = package
    name = wrapper_module(op)
    global _loading
    # A package, so that the wrapper finds its helpers under support/ by relative import.
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    forget_wrapper(op)
    sys.modules[name] = module
    before, _loading = _loading, folder
    try:
        spec.loader.exec_module(module)
    except BaseException:
        forget_wrapper(op)
        raise
    finally:
        _loading = before
    return module


def current_folder() -> Path:
    """The folder that the wrapper being imported comes from, else `ports_folder`; kernels remember it."""
    return _loading if _loading is not None else ports_folder()


def forget_wrapper(op: str) -> None:
    """Removes an imported wrapper and its helpers from the interpreter's module table."""
    name = wrapper_module(op)
    for loaded in [item for item in sys.modules if item == name or item.startswith(name + ".")]:
        del sys.modules[loaded]


def wrapper_module(op: str) -> str:
    return f"{PORTS_PACKAGE}.{identifier(op)}"
