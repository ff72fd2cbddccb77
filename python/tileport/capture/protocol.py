# SPDX-License-Identifier: Apache-2.0
"""What the capture and its worker process say to each other: one request, then events, as JSON lines."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, TextIO


@dataclass(frozen=True)
class Request:
    """What a worker has to run: drivers and tests of TileGym's operators, or a script."""

    folder: str
    """Where the worker puts bytecode and logs; its own."""
    device_models: tuple[str, ...]
    autotune: bool
    backward: bool = False
    """Whether backward passes will run: PyTorch then loads more, best done once for all device models."""
    drivers: tuple[str, ...] = ()
    """Modules of our own calls of operators."""
    tests: tuple[str, ...] = ()
    """Test files, absolute."""
    tests_root: str | None = None
    """The folder that holds TileGym's ``tests`` folder."""
    benchmarks: tuple[str, ...] = ()
    """TileGym's benchmark scripts, absolute."""
    benchmark_tests: bool = False
    """Whether those of the tests run that measure, at the sizes of benchmarks."""
    done: tuple[str, ...] = ()
    """Identifiers of cases and tests not to run, as an earlier worker did."""
    script: str | None = None
    script_arguments: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text: str) -> Request:
        data: dict[str, Any] = json.loads(text)
        data = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return Request(**data)


class Channel:
    """Sends events to the parent: {"event": name, ...}."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, event: str, **data: Any) -> None:
        self._stream.write(json.dumps({"event": event, **data}) + "\n")
        self._stream.flush()
