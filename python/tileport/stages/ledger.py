# SPDX-License-Identifier: Apache-2.0
"""The ledger of a port: which stage made what from what, by content hashes.

One JSON object a line, appended with one fsync each, never rewritten. A stage is up to date if its last
record has today's inputs and its outputs still hash as recorded; nothing else is believed.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ABSENT = "absent"
"""What an output that is not there hashes to."""


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file_hash(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() if _HAS_FILE_DIGEST else _digest(file)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT


def folder_hash(folder: Path, pattern: str = "*", skip: Iterable[str] = ("__pycache__",)) -> str:
    """One hash of all files below ``folder``: their relative names and their contents."""
    skipped = set(skip)
    files = sorted(
        path
        for path in folder.rglob(pattern)
        if path.is_file() and not skipped & set(path.relative_to(folder).parts)
    )
    if not files:
        return ABSENT
    lines = [f"{path.relative_to(folder).as_posix()}\0{file_hash(path)}" for path in files]
    return text_hash("\n".join(lines))


def content_hash(path: Path) -> str:
    """The hash of a file, or of a folder with all that is in it."""
    return folder_hash(path) if path.is_dir() else file_hash(path)


_HAS_FILE_DIGEST = hasattr(hashlib, "file_digest")  # Python 3.11


def _digest(file: Any) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True)
class Record:
    """One finished stage. ``inputs`` and ``outputs`` are hashes by name; names of outputs are paths
    relative to the port's folder. ``facts`` is what later runs want to know about this one."""

    stage: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    seconds: float
    cpu_seconds: float
    facts: Mapping[str, Any] = field(default_factory=dict)
    time: str = ""


class Ledger:
    """The ledger of the port in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "ledger.jsonl"

    def records(self) -> list[Record]:
        """All records, oldest first. A line that a killed run left unfinished is no record."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        records = []
        for line in lines:
            try:
                records.append(Record(**json.loads(line)))
            except (ValueError, TypeError):
                continue
        return records

    def last(self, stage: str) -> Record | None:
        return next((record for record in reversed(self.records()) if record.stage == stage), None)

    def current(self, stage: str, inputs: Mapping[str, str]) -> Record | None:
        """The stage's last record if it made, from these very inputs, what is in the folder now."""
        record = self.last(stage)
        if record is None or dict(record.inputs) != dict(inputs):
            return None
        return record if self._outputs_are_unchanged(record) else None

    def _outputs_are_unchanged(self, record: Record) -> bool:
        return all(content_hash(self.folder / name) == expected for name, expected in record.outputs.items())

    def append(
        self,
        stage: str,
        inputs: Mapping[str, str],
        outputs: Iterable[str],
        seconds: float,
        cpu_seconds: float,
        facts: Mapping[str, Any] | None = None,
    ) -> Record:
        """Records a finished stage; the outputs are hashed here, as they are now."""
        record = Record(
            stage,
            dict(inputs),
            {name: content_hash(self.folder / name) for name in outputs},
            round(seconds, 3),
            round(cpu_seconds, 3),
            dict(facts or {}),
            datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        self._write(json.dumps(vars(record), ensure_ascii=False, allow_nan=False))
        return record

    def _write(self, line: str) -> None:
        with open(self.path, "ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
                # What a killed run left behind ends its line here.
                if file.read(1) != b"\n":
                    line = "\n" + line
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
