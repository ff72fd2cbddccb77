# SPDX-License-Identifier: Apache-2.0
"""Stage host: the crate's launchers and the ported wrapper, which serve the port to TileGym."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tileport.wrappers
from tileport.capture.registry import tilegym_folder
from tileport.errors import Error, ToolchainError
from tileport.stages.ledger import file_hash, folder_hash, text_hash
from tileport.stages.port import Port
from tileport.wrappers.crate import write_check_crate, write_crate

_TILEGYM = "tilegym/"


def inputs(port: Port, index: Mapping[str, Any]) -> dict[str, str]:
    return {
        "index": file_hash(port.index),
        "entries": text_hash(repr(entries(port, index))),
        "wrappers": folder_hash(Path(tileport.wrappers.__file__).parent, "*"),
        "tilegym": _tilegym_hash(index),
    }


def entries(port: Port, index: Mapping[str, Any]) -> list[str]:
    """Names of the specializations that kernel.rs has an entry for."""
    source = port.kernel.read_text(encoding="utf-8") if port.kernel.is_file() else ""
    return [row["name"] for row in index["specializations"] if f"fn {row['name']}(" in source]


def run(port: Port, index: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Writes what serves the operator and gives facts and the files, relative to the port's folder.

    A port that can't be served (yet) is proven all the same; the reason is in the facts' "refused".
    """
    problem = _reason_against(port, index)
    written: list[Path] = []
    if problem is None:
        try:
            written = write_crate(port.folder, dict(index), entries(port, index))
        except Error as error:
            problem = str(error).splitlines()[0]
    if problem is not None:
        # What an earlier conversion wrote would serve kernels that are no longer these.
        for stale in ("ffi.rs", f"{port.op}.py", "support"):
            _remove(port.folder / stale)
        if port.kernel.is_file():
            written = write_check_crate(port.folder)
    inside = sorted(
        path.relative_to(port.folder).as_posix() for path in written if port.folder in path.parents
    )
    summary = f"not served: {problem}" if problem else "launchers and wrapper written"
    return {"summary": summary, "refused": problem}, inside


def _reason_against(port: Port, index: Mapping[str, Any]) -> str | None:
    sources = {row["source"] for row in index["specializations"]}
    if not all(source.startswith(_TILEGYM) for source in sources):
        return "the kernels are no operator of TileGym"
    if not entries(port, index):
        return "no kernel was translated"
    return None


def _tilegym_hash(index: Mapping[str, Any]) -> str:
    if not any(row["source"].startswith(_TILEGYM) for row in index["specializations"]):
        return "none"
    try:
        return folder_hash(tilegym_folder(), "*.py")
    except ToolchainError:
        return "absent"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
