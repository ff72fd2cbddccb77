# SPDX-License-Identifier: Apache-2.0
"""The folder of one operator's port: its paths, its lock, and replacing parts of it whole."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tileport.errors import Error, InputError, UsageError
from tileport.stages.ledger import Ledger

_WRITTEN = ("kernel.rs", "dispatch.json", "ffi.rs", "proof.json", "report.html", "Cargo.toml")
_TEMPORARY = (".tmp-*", ".reference-*", *(f".{name}.*" for name in _WRITTEN))
"""What files and folders are called before they are renamed into place."""


class BusyError(Error):
    """Another process is at work on the same port."""

    exit_status = 3


class Port:
    """DIR/OP and everything in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.op = folder.name
        self.ledger = Ledger(folder)

    @property
    def reference(self) -> Path:
        return self.folder / "reference"

    @property
    def index(self) -> Path:
        return self.reference / "index.json"

    @property
    def kernel(self) -> Path:
        return self.folder / "kernel.rs"

    @property
    def dispatch(self) -> Path:
        return self.folder / "dispatch.json"

    @property
    def unseen(self) -> Path:
        """cuTile's bytecode for constants that were not captured, by which generics are proven."""
        return self.folder / "unseen"

    @property
    def generated(self) -> Path:
        return self.folder / "generated"

    @property
    def proof(self) -> Path:
        return self.folder / "proof.json"

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    def create(self) -> list[Path]:
        """Makes the folder and gives those that were not there before, the innermost first; UsageError if it
        can't be made or written."""
        made = [folder for folder in (self.folder, *self.folder.parents) if not folder.exists()]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise UsageError(
                "unwritable-folder",
                f"cannot be written: {error.strerror or error}",
                str(self.folder),
                "Name another folder with --out (or $TILEPORT_PORTS).",
            ) from None
        return made

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other runs out of this folder; the lock ends with the process, however it ends."""
        try:
            handle = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(
                "unwritable-folder", f"cannot be written: {error.strerror}", str(self.folder)
            ) from None
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = os.pread(handle, 32, 0).decode(errors="replace").strip()
                raise BusyError(
                    "port-busy",
                    f"another run is at work on this port{f' (process {owner})' if owner else ''}",
                    str(self.folder),
                    "Wait until it has finished, or convert into another folder with --out.",
                ) from None
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            self._sweep()
            yield
        finally:
            os.close(handle)

    def clear(self) -> None:
        """Removes everything but the lock: a fresh start."""
        for path in self.folder.iterdir():
            if path.name != ".lock":
                _remove(path)

    def _sweep(self) -> None:
        """Removes what killed runs left under temporary names."""
        for pattern in _TEMPORARY:
            for path in self.folder.glob(pattern):
                _remove(path)

    @contextlib.contextmanager
    def scratch(self, purpose: str) -> Iterator[Path]:
        """A temporary folder inside the port's, so that what is made there can be renamed into place."""
        folder = Path(tempfile.mkdtemp(prefix=f".tmp-{purpose}-", dir=self.folder))
        folder.chmod(0o755)
        try:
            yield folder
        finally:
            _remove(folder)

    def replace_folder(self, new: Path, place: Path) -> None:
        """Puts the folder ``new`` at ``place``, where an older one may be; never a mixture of both."""
        if place.exists():
            old = Path(tempfile.mkdtemp(prefix=".tmp-old-", dir=self.folder))
            os.rename(place, old / place.name)
            os.rename(new, place)
            _remove(old)
        else:
            os.rename(new, place)

    def discard(self, *paths: Path) -> None:
        """Removes results that what comes next makes untrue."""
        for path in paths:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def open_port(name: str, out: Path) -> Port:
    """The port called ``name``: a folder that holds one, or an operator's name under ``out``."""
    for folder in (Path(name), out / name):
        if (folder / "reference" / "index.json").is_file():
            return Port(folder.resolve())
    known = sorted(path.parent.parent.name for path in out.glob("*/reference/index.json"))
    raise InputError(
        "no-port",
        f"there is no port of {name}",
        str(out),
        f"Run `tileport convert {name}`." if not known else
        f"Run `tileport convert {name}`, or name one of {', '.join(known)}, or its folder.",
    )  # fmt: skip
