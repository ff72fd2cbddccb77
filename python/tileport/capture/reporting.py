# SPDX-License-Identifier: Apache-2.0
"""What a worker tells the capture about launches: each specialization once, each kind of launch once."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tileport.capture.device_models import DeviceModel
from tileport.capture.protocol import Channel

if TYPE_CHECKING:
    from tileport.capture.launches import Launch, Specialization

_SECONDS_BETWEEN_PROGRESS = 0.2


class Reporter:
    """Called for every launch. Tensors are described, never kept or sent."""

    def __init__(self, channel: Channel, folder: Path, model: DeviceModel) -> None:
        self._channel = channel
        self._folder = folder
        self._model = model
        self._sent: set[str] = set()
        self._launches_sent: set[tuple[str, str, str]] = set()
        self._launches = 0
        self._counts: dict[str, int] = {}
        self._phase = ""
        self._last_progress = 0.0
        self._position = (0, 0)

    def __call__(self, launch: Launch) -> None:
        self._launches += 1
        specialization = launch.specialization
        self._counts[specialization.key] = self._counts.get(specialization.key, 0) + 1
        if specialization.key not in self._sent:
            self._sent.add(specialization.key)
            self._send_specialization(specialization)
        grid = [*launch.grid, 1, 1][:3]
        facts = launch.facts
        kind = (specialization.key, launch.test, json.dumps([grid, facts]))
        if kind not in self._launches_sent:
            self._launches_sent.add(kind)
            self._channel.send(
                "launch",
                key=specialization.key,
                test=launch.test,
                grid=grid,
                facts=facts,
                tuning=launch.tuning,
            )
        self._send_progress()

    def _send_specialization(self, specialization: Specialization) -> None:
        file = None
        if specialization.bytecode is not None:
            file = f"{specialization.key.replace(':', '-')}.tileirbc"
            (self._folder / file).write_bytes(specialization.bytecode)
        self._channel.send(
            "specialization",
            key=specialization.key,
            kernel=specialization.kernel,
            source=specialization.source,
            line=specialization.line,
            symbol=specialization.symbol,
            calling_convention=specialization.calling_convention,
            parameters=specialization.parameters,
            signature=specialization.signature,
            hints=specialization.hints,
            target=specialization.target,
            device_model=self._model.name,
            file=file,
            rejected=specialization.rejected,
        )

    def begin(self, phase: str) -> None:
        self._phase, self._position = phase, (0, 0)
        self._send_progress(force=True)

    def at(self, done: int, total: int) -> None:
        self._position = (done, total)
        self._send_progress(force=done == total)

    def _send_progress(self, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self._last_progress >= _SECONDS_BETWEEN_PROGRESS:
            self._last_progress = now
            done, total = self._position
            self._channel.send(
                "progress",
                device_model=self._model.name,
                phase=self._phase,
                done=done,
                total=total,
                launches=self._launches,
                specializations=len(self._sent),
            )

    def running(self, test: str) -> None:
        """What runs now: should the process die or hang, this is what did it."""
        self._counts.clear()
        self._channel.send("running", test=test)

    def outcome(self, test: str, outcome: str, launches: int, error: str | None = None, **place: Any) -> None:
        """How one case, test or script ended: "passed", "failed" or "skipped", and why if it did not pass."""
        if self._counts:
            self._channel.send("counts", test=test, counts=self._counts)
            self._counts = {}
        self._channel.send("outcome", test=test, outcome=outcome, launches=launches, error=error, **place)
