# SPDX-License-Identifier: Apache-2.0
"""Stage translate: the captured kernels as cuTile Rust, in kernel.rs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tileport
from tileport import _core, translate
from tileport.capture import source_names, source_path
from tileport.stages.ledger import file_hash, text_hash
from tileport.stages.port import Port
from tileport.toolchain import write_atomically


def inputs(port: Port, index: Mapping[str, Any], references_hash: str) -> dict[str, str]:
    sources = sorted({row["source"] for row in index["specializations"]})
    return {
        "reference": references_hash,
        "translator": text_hash(f"{file_hash(Path(_core.__file__))}\0{file_hash(Path(__file__))}"),
        "sources": text_hash(repr([file_hash(path) if (path := _installed(index, source)) else "absent" for source in sources])),
    }


def run(port: Port, index: Mapping[str, Any], modules: Mapping[str, Any]) -> dict[str, Any]:
    """Writes kernel.rs and gives facts: entries, and by name the diagnostics of what is refused."""
    raise AssertionError


def _installed(index: Mapping[str, Any], source: str) -> Path | None:
    row = next(row for row in index["specializations"] if row["source"] == source)
    return source_path(row)


_USED = (tileport, translate, source_names, write_atomically)
