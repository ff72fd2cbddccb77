# SPDX-License-Identifier: Apache-2.0
"""What the workers of a capture of all of TileGym said, kept so that a run cut short continues.

    STATE/ATTEMPT/events.jsonl       the header of the attempt, then the worker's events as they came
    STATE/ATTEMPT/MODEL-N.tileirbc   bytecode, named by the events

An attempt is one worker process. What it recorded counts as long as what decides it is the same: the header
holds one hash of all that every launch depends on, and one of each item (a driver, a test file, a
benchmark). What a changed item recorded is passed over when the journal is read, and so is run again.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from tileport.capture.engine import Outcome
from tileport.capture.index import Recorded

_EVENTS = "events.jsonl"
_KEPT = frozenset({"specialization", "launch", "counts", "outcome", "running"})


@dataclass
class State:
    """All that attempts recorded and that still counts."""

    records: list[Recorded] = field(default_factory=list)
    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    """By device model and test."""
    counts: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    """By device model and test: how often it launched which of ``records``, by index."""

    @property
    def launches(self) -> dict[int, int]:
        """How many there were of each of ``records``, by index."""
        total: dict[int, int] = {}
        for counts in self.counts.values():
            for index, count in counts.items():
                total[index] = total.get(index, 0) + count
        return total

    def done(self, model: str) -> list[str]:
        return [test for of, test in self.outcomes if of == model]


class Attempt:
    """One worker's part of the journal, open for writing."""

    def __init__(self, folder: Path, model: str, inputs: str, items: Mapping[str, str]) -> None:
        self.folder = folder
        self._file: BinaryIO = (folder / _EVENTS).open("wb")
        self._write({"event": "attempt", "device_model": model, "inputs": inputs, "items": dict(items)})

    def add(self, event: dict[str, Any], line: bytes) -> None:
        if event["event"] in _KEPT:
            self._file.write(line + b"\n")
            if event["event"] == "outcome":
                self._file.flush()

    def blame(self, test: str, error: str) -> None:
        """Records what the worker cannot say itself: that a test ended its process, or never ended."""
        self._write({"event": "outcome", "test": test, "outcome": "failed", "launches": 0, "error": error})

    def _write(self, event: dict[str, Any]) -> None:
        self._file.write(json.dumps(event).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class Journal:
    """The folder of all attempts."""

    def __init__(self, folder: Path, inputs: str, items: Mapping[str, str]) -> None:
        """``inputs``: one hash of what every launch depends on; ``items``: the hash of each item."""
        self._folder = folder
        self._inputs = inputs
        self._items = dict(items)
        self._lock = threading.Lock()

    def start(self, model: str, items: list[str]) -> Attempt:
        with self._lock:
            numbers = [int(path.name) for path in self._folder.glob("[0-9]*") if path.name.isdigit()]
            folder = self._folder / f"{max(numbers, default=0) + 1:04}"
            folder.mkdir(parents=True)
        return Attempt(folder, model, self._inputs, {item: self._items[item] for item in items})

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def read(self) -> State:
        """What counts of all attempts; what does not count is left out, and removed where a whole attempt
        does not."""
        state = State()
        for folder in sorted(self._folder.glob("[0-9]*")):
            events = _events(folder / _EVENTS)
            header = next(events, None)
            if header is None or header.get("inputs") != self._inputs:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            current = {item for item, sha in header["items"].items() if self._items.get(item) == sha}
            _read_attempt(state, folder, header["device_model"], current, events)
        return state


def item_of(test: str) -> str:
    """The item that a case or test belongs to: "driver/softmax", "tests/ops/test_softmax.py"."""
    return test.partition("::")[0]


def _events(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    return  # the last line of a run that was cut short
                if isinstance(event, dict):
                    yield event
    except OSError:
        return


def _read_attempt(
    state: State, folder: Path, model: str, current: set[str], events: Iterator[dict[str, Any]]
) -> None:
    index_of: dict[str, int] = {}
    seen: dict[str, Recorded] = {}
    for event in events:
        name = event.pop("event")
        if name == "specialization":
            seen[event["key"]] = Recorded(event, folder)
        elif name == "launch" and item_of(event["test"]) in current:
            record = seen[event["key"]]
            if event["key"] not in index_of:
                # Kept only now: what a changed item alone launched does not count.
                index_of[event["key"]] = len(state.records)
                state.records.append(record)
            record.add_launch(event["test"], event["grid"], event["facts"])
        elif name == "counts" and item_of(event["test"]) in current:
            # A test that was run again, as it had not ended, counts once.
            state.counts[model, event["test"]] = {
                index_of[key]: count for key, count in event["counts"].items() if key in index_of
            }
        elif name == "outcome" and item_of(event["test"]) in current:
            state.outcomes[model, event["test"]] = Outcome(device_model=model, **event)
