# SPDX-License-Identifier: Apache-2.0
"""Builds the kernel library of a ports folder with cargo and publishes it there."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

from tileport.errors import InputError, ToolchainError
from tileport.toolchain import cache_folder, cargo_environment, find_toolchain, write_atomically
from tileport.wrappers.crate import AGGREGATE
from tileport.wrappers.ports import LIBRARY_NAME

#: Lines of cargo's output that an error shows.
_SHOWN_LINES = 30


def build_target_folder() -> Path:
    """Where cargo builds kernel libraries: ``$CARGO_TARGET_DIR``, else a folder in the user's cache.

    All ports folders share it, so that cutile and what it needs, most of the work, is compiled once.
    """
    named = os.environ.get("CARGO_TARGET_DIR")
    return Path(named) if named else cache_folder() / "kernel-library"


def build_library(folder: Path) -> Path:
    """Builds ``folder/cutile_kernels`` in release mode; returns ``folder/libcutile_kernels.so``.

    The library appears by a rename, so that a process that loads it never finds half of it; one that has loaded
    it keeps the old one. Raises ToolchainError with the end of cargo's output when it does not build.
    """
    if not (folder / AGGREGATE / "Cargo.toml").is_file():
        raise InputError("no-workspace", "there are no generated crates to build", str(folder))
    cargo = find_toolchain().require("cargo")
    target = build_target_folder()
    target.mkdir(parents=True, exist_ok=True)
    command = [str(cargo), "build", "--release", "--package", AGGREGATE, "--target-dir", str(target)]
    # cargo has a lock of its own; this one also covers copying the result, whose name all folders share.
    with open(target / ".library.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        finished = subprocess.run(
            command, cwd=folder, env=cargo_environment(), capture_output=True, text=True, errors="replace", check=False
        )
        if finished.returncode != 0:
            end = "\n".join(finished.stderr.splitlines()[-_SHOWN_LINES:])
            raise ToolchainError(
                "library-build", f"the kernel library does not build:\n{end}", str(folder), "See `tileport doctor`."
            )
        data = (target / "release" / LIBRARY_NAME).read_bytes()
    published = folder / LIBRARY_NAME
    if not published.is_file() or published.read_bytes() != data:
        write_atomically(published, data)
        published.chmod(0o755)
    return published
