# SPDX-License-Identifier: Apache-2.0
"""Builds the kernel library of a ports folder with cargo and publishes it there."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tileport.errors import InputError, ToolchainError
from tileport.toolchain import cargo_environment, find_toolchain, write_atomically
from tileport.toolchain.crates import cargo_options, target_lock
from tileport.wrappers.crate import (
    AGGREGATE,
    RUNTIME,
    library_crate_name,
    workspace_lock,
    write_workspace,
)
from tileport.wrappers.ports import LIBRARY_NAME

#: Beside the library: the sources that it was built from.
RECORD_NAME = "libcutile_kernels.json"
RECORD_SCHEMA = "tileport/library/1"
#: Set to 0 to keep `ensure_library` from running cargo.
AUTOBUILD = "TILEPORT_AUTOBUILD"
#: Lines of cargo's output that an error shows.
_SHOWN_LINES = 30


def source_fingerprint(folder: Path) -> str:
    """The sha256 of everything in a ports folder that the library is built from, names included."""
    digest = hashlib.sha256()
    served = [path.parent for path in sorted(folder.glob("*/ffi.rs"))]
    files = [folder / "Cargo.toml"]
    for crate in [folder / AGGREGATE, *served]:
        files += [crate / name for name in ("Cargo.toml", "src/lib.rs", "kernel.rs", "ffi.rs")]
    files += [folder / RUNTIME / "Cargo.toml", *sorted((folder / RUNTIME / "src").glob("*.rs"))]
    for path in files:
        if path.is_file():
            digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_current(folder: Path) -> bool:
    """Whether the published library was built from the sources that are in ``folder`` now.

    A library without a record, as one built elsewhere and put there, counts as current.
    """
    if not (folder / LIBRARY_NAME).is_file():
        return False
    try:
        record = json.loads((folder / RECORD_NAME).read_bytes())
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("sources") == source_fingerprint(folder)


def build_library(folder: Path) -> Path:
    """Builds the crates of a ports folder; returns ``folder/libcutile_kernels.so``.

    The library appears by a rename, so that a process that loads it never finds half of it; one that has
    loaded it keeps the old one. Raises ToolchainError with the end of cargo's output when it does not build.
    """
    if not (folder / AGGREGATE / "Cargo.toml").is_file():
        raise InputError("no-workspace", "there are no generated crates to build", str(folder))
    cargo = find_toolchain().require("cargo")
    command = [str(cargo), "build", "--package", AGGREGATE, *cargo_options()]
    with workspace_lock(folder), target_lock() as target:
        # A folder that was moved or copied would build the library of where it was.
        write_workspace(folder)
        fingerprint = source_fingerprint(folder)
        # Without a look at the network while everything is there, which is the rule.
        finished = run_cargo([*command, "--offline"], folder)
        if finished.returncode != 0 and "offline" in finished.stderr:
            finished = run_cargo(command, folder)
        if finished.returncode != 0:
            end = "\n".join(finished.stderr.splitlines()[-_SHOWN_LINES:])
            raise ToolchainError(
                "library-build",
                f"the kernel library does not build:\n{end}",
                str(folder),
                "See `tileport doctor`.",
            )
        data = (target / "debug" / f"lib{library_crate_name(folder)}.so").read_bytes()
        published = folder / LIBRARY_NAME
        write_atomically(published, data)
        published.chmod(0o755)
        record = {"schema": RECORD_SCHEMA, "sources": fingerprint, "sha256": hashlib.sha256(data).hexdigest()}
        write_atomically(folder / RECORD_NAME, json.dumps(record, indent=2).encode() + b"\n")
    return published


def run_cargo(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=cargo_environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def ensure_library(folder: Path) -> None:
    """Builds the library if it is missing or was built from other sources; says so, as it can take minutes.

    Does nothing where nothing is to be built, where there is no cargo, and with ``TILEPORT_AUTOBUILD=0``.
    """
    if os.environ.get(AUTOBUILD) == "0" or is_current(folder) or not any(folder.glob("*/ffi.rs")):
        return
    cargo = find_toolchain().cargo
    if cargo.path is None or cargo.problem is not None:
        return
    print(
        f"tileport: building {folder / LIBRARY_NAME}: minutes the first time ({AUTOBUILD}=0 prevents it)",
        file=sys.stderr,
        flush=True,
    )
    build_library(folder)
