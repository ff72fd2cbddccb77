# SPDX-License-Identifier: Apache-2.0
"""Registers ports with TileGym's dispatcher and takes them out again."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tileport.backend.readiness import OpStatus, op_status, op_statuses
from tileport.errors import ToolchainError
from tileport.toolchain import find_toolchain
from tileport.wrappers.build import ensure_library
from tileport.wrappers.errors import PortMissingError
from tileport.wrappers.ports import forget_wrapper, load_wrapper, ports_folder

BACKEND = "cutile-rs"


@dataclass
class _Enabled:
    """What `disable` needs to undo: the state of TileGym's registry and selector before."""

    ops: list[str]
    implementations: dict[str, Any] = field(default_factory=dict)
    was_available: bool = False
    current: str = ""


_enabled: _Enabled | None = None


def enable(folder: Path | None = None) -> bool:
    """Serves the ports of ``folder`` (default: the ports folder); False when none of them is usable.

    Then TileGym is left as it was. The kernel library is built first where it is missing or older than its
    sources and cargo is there. Enabling again starts from what is in the folder now, but a library that this
    process has loaded stays.
    """
    global _enabled
    disable()
    place = folder or ports_folder()
    ensure_library(place)
    statuses = op_statuses(place)
    usable = [op for op, state in statuses.items() if state.available]
    if not usable:
        return False
    name_assembler()
    tilegym = import_tilegym()
    registry = _registry()
    state = _Enabled(
        usable,
        {name: backends.get(BACKEND) for name, backends in registry.items()},
        BACKEND in tilegym.backend.get_available_backends(),
        tilegym.backend.get_current_backend(),
    )
    try:
        for name in registry:
            registry[name][BACKEND] = _unported(name, place)
        for op in usable:
            load_wrapper(place, op)
        tilegym.backend.get_available_backends().add(BACKEND)
    except BaseException:
        _restore(state)
        raise
    _enabled = state
    return True


def disable() -> None:
    """Takes the ports out of TileGym again; does nothing when the backend is not enabled."""
    global _enabled
    if _enabled is not None:
        _restore(_enabled)
        _enabled = None


def is_enabled() -> bool:
    """Whether TileGym currently has the backend."""
    return _enabled is not None


def status(folder: Path | None = None) -> dict[str, OpStatus]:
    """Every ported op of the folder with its state, and why one cannot be served."""
    return op_statuses(folder or ports_folder())


def require(op: str, folder: Path | None = None) -> None:
    """Raises PortMissingError, with what to do, unless the port of ``op`` can be served."""
    place = folder or ports_folder()
    state = op_status(place, op)
    if not state.available:
        raise PortMissingError("port-missing", state.reason, str(place), f"Run `tileport convert {op}`.")


def name_assembler() -> None:
    """Tells the kernel library, which compiles each entry at its first launch, where tileiras is."""
    tool = find_toolchain().tileiras
    if tool.path is not None and tool.problem is None:
        os.environ.setdefault("TILEPORT_TILEIRAS", str(tool.path))


def import_tilegym() -> ModuleType:
    """TileGym, imported so that it neither builds its own Rust kernels nor insists on cuda.tile."""
    if "tilegym" in sys.modules:
        return sys.modules["tilegym"]
    if importlib.util.find_spec("tilegym") is None:
        raise ToolchainError(
            "tilegym-missing", "TileGym is not installed", help="pip install 'tileport[tilegym]'"
        )
    # Read by TileGym while it is imported: without the first it may start a cargo build of its own, without
    # the second it refuses to load where cuda.tile is not installed.
    overrides = {"CUTILE_RS_AUTOBUILD": "0"}
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.tile") is None:
        overrides["CUTILE_TUTORIALS_BACKEND"] = "triton"
    before = {name: os.environ.get(name) for name in overrides}
    os.environ.update({name: value for name, value in overrides.items() if before[name] is None})
    try:
        return importlib.import_module("tilegym")
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def _registry() -> dict[str, dict[str, Any]]:
    from tilegym.backend import dispatcher

    registry: dict[str, dict[str, Any]] = dispatcher._REGISTRY
    return registry


def _unported(name: str, folder: Path) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PortMissingError(
            "port-missing",
            f"no port of {name} for backend {BACKEND}",
            str(folder),
            f"Run `tileport convert {name}`.",
        )

    refuse.__name__ = name
    return refuse


def _restore(state: _Enabled) -> None:
    from tilegym.backend import get_available_backends, get_current_backend, set_backend

    for name, backends in _registry().items():
        before = state.implementations.get(name)
        if before is None:
            backends.pop(BACKEND, None)
        else:
            backends[BACKEND] = before
    if not state.was_available:
        get_available_backends().discard(BACKEND)
        if get_current_backend() == BACKEND:
            set_backend(state.current)
    for op in state.ops:
        forget_wrapper(op)
