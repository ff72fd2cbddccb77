# SPDX-License-Identifier: Apache-2.0
"""The user's cache folder, and the bounded cache of what tileiras made of a file.

Correctness never depends on a cache: an entry that is damaged, missing or unwritable is only slower.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/tileport``, by default ``~/.cache/tileport``; not created here."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory rules say that a relative path is to be ignored.
    root = Path(base) if base.startswith("/") else Path("~/.cache").expanduser()
    return root / "tileport"


def write_atomically(path: Path, data: bytes) -> None:
    """Writes beside ``path`` and renames, so that no reader ever sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


class RecordCache:
    """Records of (facts, bytes) by content key, in a folder of bounded size; the least recently used go.

    A file is one line of JSON (the facts and the SHA-256 of the rest) and then the bytes.
    """

    def __init__(self, folder: Path, limit_bytes: int, writes_between_prunes: int = 64) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._writes_between_prunes = writes_between_prunes
        self._writes = 0

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def get(self, key: str) -> tuple[dict[str, Any], bytes] | None:
        path = self._path(key)
        try:
            header, separator, payload = path.read_bytes().partition(b"\n")
            facts = json.loads(header)
            if not separator or facts.pop("payload_sha256") != hashlib.sha256(payload).hexdigest():
                return None
            os.utime(path)
        except (OSError, ValueError, KeyError, AttributeError):
            return None
        return facts, payload

    def put(self, key: str, facts: dict[str, Any], payload: bytes) -> None:
        header = json.dumps({**facts, "payload_sha256": hashlib.sha256(payload).hexdigest()})
        with contextlib.suppress(OSError):
            write_atomically(self._path(key), header.encode() + b"\n" + payload)
            self._writes += 1
            if self._writes % self._writes_between_prunes == 1 or self._writes_between_prunes == 1:
                self.prune()

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):
                status = path.stat()
                yield status.st_mtime, status.st_size, path

    def prune(self) -> None:
        """Deletes the least recently used records until the folder is within its limit."""
        files = sorted(self._files(), key=lambda file: file[0])
        excess = sum(size for _, size, _ in files) - self.limit_bytes
        for _, size, path in files:
            if excess <= 0:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                excess -= size
