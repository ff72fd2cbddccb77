# SPDX-License-Identifier: Apache-2.0
"""Stage host: the crate's launchers and the ported wrapper, which serve the port to TileGym."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import tileport.wrappers
from tileport.capture.registry import tilegym_folder
from tileport.errors import Error, ToolchainError
from tileport.stages import dispatch
from tileport.stages.check import ENTRY
from tileport.stages.ledger import file_hash, folder_hash, text_hash
from tileport.stages.port import Port
from tileport.toolchain.check import Instance
from tileport.wrappers.crate import write_check_crate, write_crate

_TILEGYM = "tilegym/"

_ENTRY = re.compile(
    ENTRY.pattern + r".*?\bfn\s+(?P<entry>\w+)\s*(?:<(?P<generics>[^>]*)>)?\s*\(", re.MULTILINE | re.DOTALL
)


def inputs(port: Port, index: Mapping[str, Any]) -> dict[str, str]:
    return {
        "index": file_hash(port.index),
        "instances": text_hash(repr(instances(port, index))),
        "wrappers": folder_hash(Path(tileport.wrappers.__file__).parent, "*"),
        "tilegym": _tilegym_hash(index),
    }


def instances(port: Port, index: Mapping[str, Any]) -> list[Instance]:
    """What serves the specializations that kernel.rs has an entry for, with generics in the entry's order."""
    source = port.kernel.read_text(encoding="utf-8") if port.kernel.is_file() else ""
    generics = entry_generics(source)
    found = []
    for instance in dispatch.read(port, [row["name"] for row in index["specializations"]]).values():
        order = generics.get(instance.entry)
        if order is not None and set(order) == set(instance.generics):
            values = {name: instance.generics[name] for name in order}
            found.append(replace(instance, generics=values))
    return found


def entry_generics(source: str) -> dict[str, list[str]]:
    """The names of the generics of each entry in the text of a kernel.rs, in order."""
    return {
        match["entry"]: re.findall(r"(?:const\s+)?(\w+)\s*:", match["generics"] or "")
        for match in _ENTRY.finditer(source)
    }


def run(port: Port, index: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Writes what serves the operator and gives facts and the files, relative to the port's folder.

    A port that can't be served (yet) is proven all the same; the reason is in the facts' "refused".
    """
    problem = _reason_against(port, index)
    written: list[Path] = []
    if problem is None:
        try:
            written = write_crate(port.folder, dict(index), instances(port, index))
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
    if not instances(port, index):
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
