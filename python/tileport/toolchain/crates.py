# SPDX-License-Identifier: Apache-2.0
"""The target folder that cargo uses for all generated crates.

What these crates stand on (cutile and a hundred packages below it) takes minutes to compile, so it is
compiled once a machine. The folder starts as a copy of what building tileport itself left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tileport.errors import ToolchainError
from tileport.toolchain.cache import cache_folder
from tileport.toolchain.finding import cargo_environment, find_toolchain, rust_sources

_PREFIX = "crates-"
_LOCK = ".tileport.lock"
_KEPT_DAYS = 14


def cargo_options() -> list[str]:
    """Options for every cargo command on generated crates, after the subcommand.

    With them, all generated crates share one target folder and the profile that tileport itself is built
    with. Sharing is safe for `check` and for libraries whose files bear a hash, since cargo tells packages
    apart by their path; it is not for a cdylib, whose file name has no hash: two of the same name overwrite
    each other.
    """
    sources = rust_sources()
    profile = sources / ".cargo" / "config.toml" if sources is not None else None
    options = ["--target-dir", str(shared_target_folder())]
    if profile is not None and profile.is_file():
        options += ["--config", str(profile)]
    return options


def shared_target_folder() -> Path:
    """The folder that `cargo_options` names. Its name has a key of what decides whether dependencies fit: the
    locked versions, the profile and the compiler."""
    sources = rust_sources()
    digest = hashlib.sha256()
    if sources is not None:
        locked = _text(sources / "Cargo.lock").split("[[package]]")
        # Packages without a source are tileport's own, which no generated crate finds compiled here.
        digest.update("".join(package for package in locked if "\nsource = " in package).encode())
        profile = _text(sources / ".cargo" / "config.toml").splitlines()
        digest.update("\n".join(line for line in profile if not line.startswith("#")).encode())
    digest.update(_compiler().encode())
    return cache_folder() / f"{_PREFIX}{digest.hexdigest()[:12]}"


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


@functools.lru_cache(maxsize=1)
def _compiler() -> str:
    rustc = find_toolchain().require("rustc")
    return subprocess.run([str(rustc), "-V"], capture_output=True, text=True, check=False).stdout


@contextlib.contextmanager
def target_lock() -> Iterator[Path]:
    """Keeps other processes of tileport out of the shared target folder, which is made if it is not there.

    cargo has a lock of its own, but waiting for that would count against the time limit of a command.
    """
    folder = shared_target_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, so that the folder can be renamed into place.
        file = open(folder.with_name(folder.name + _LOCK), "w")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise _unwritable(folder, error) from None
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not folder.is_dir():
            try:
                _remove_unused(folder)
                _create(folder)
            except OSError as error:
                raise _unwritable(folder, error) from None
        yield folder


def _create(folder: Path) -> None:
    """Makes the folder from the compiled dependencies in the target folder of tileport's own workspace."""
    sources = rust_sources()
    built = sources / "target" / "debug" if sources is not None else Path()
    scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        for part in (".fingerprint", "build", "deps"):
            if sources is not None and (built / part).is_dir():
                shutil.copytree(built / part, scratch / "debug" / part, symlinks=True, ignore=_programs)
        scratch.chmod(0o755)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _programs(folder: str, names: list[str]) -> set[str]:
    """Test programs: large, and nothing depends on them."""
    if Path(folder).name != "deps":
        return set()
    return {name for name in names if "." not in name}


def _remove_unused(folder: Path) -> None:
    """Deletes folders of other versions that nothing has used for two weeks; each has a gigabyte."""
    oldest = time.time() - _KEPT_DAYS * 24 * 3600
    for lock in folder.parent.glob(f"{_PREFIX}*{_LOCK}"):
        other = lock.with_name(lock.name.removesuffix(_LOCK))
        with contextlib.suppress(OSError):
            if other != folder and lock.stat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)
                lock.unlink()


def _unwritable(folder: Path, error: OSError) -> ToolchainError:
    return ToolchainError(
        "unwritable-cache", f"cannot be written: {error.strerror}", str(folder), "Set XDG_CACHE_HOME."
    )


def warm_up() -> None:
    """Compiles what checking a generated crate needs, if it is not there: a minute, once a machine.

    ``python -m tileport.toolchain.crates`` does it from the command line, as setting up a checkout does.
    """
    sources = rust_sources()
    if sources is None:
        raise ToolchainError(
            "rust-sources-missing", "tileport's Rust workspace was not found", "", "Set TILEPORT_RUST."
        )
    cargo = find_toolchain().require("cargo")
    command = [str(cargo), "check", "--quiet", "--locked", "--package", "tileport-rt", *cargo_options()]
    with target_lock():
        status = subprocess.run(command, cwd=sources, env=cargo_environment(), check=False).returncode
    if status != 0:
        raise ToolchainError(
            "cargo-failed", "cargo check of tileport-rt fails", str(sources), "Run `tileport doctor`."
        )


if __name__ == "__main__":
    try:
        warm_up()
    except ToolchainError as problem:
        print(f"tileport: {problem}", file=sys.stderr)
        sys.exit(problem.exit_status)
