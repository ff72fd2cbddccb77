# SPDX-License-Identifier: Apache-2.0
"""Runs tileiras on many files with a few workers, the longest first.

References can be assembled as soon as they are captured, so the queue is opened early and works beside the
stages that make the port.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType

from tileport.toolchain import Assembled, assemble, assembler


class AssemblyQueue:
    """A context manager; leaving it by an exception stops the running assemblies and drops the waiting
    ones."""

    def __init__(self, workers: int, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.cpu_seconds = 0.0
        """CPU time of the tileiras runs that finished, those that the cache remembers excluded."""
        self.cached = 0
        self.finished = 0
        self._heap: list[tuple[float, int, Path, str, Future[Assembled]]] = []
        self._order = itertools.count()
        self._change = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(max(1, workers))]
        for thread in self._threads:
            thread.start()

    def submit(self, path: Path, target: str, weight: float) -> Future[Assembled]:
        """Queues one file; of those that wait, the one of the largest ``weight`` is taken first."""
        future: Future[Assembled] = Future()
        with self._change:
            heapq.heappush(self._heap, (-weight, next(self._order), path, target, future))
            self._change.notify()
        return future

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._heap and not self._closed:
                    self._change.wait()
                if not self._heap:
                    return
                _, _, path, target, future = heapq.heappop(self._heap)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = assemble(path, target, timeout_s=self.timeout_s)
            except BaseException as error:
                future.set_exception(error)
                continue
            with self._change:
                self.finished += 1
                self.cached += result.cached
                self.cpu_seconds += 0.0 if result.cached else result.cpu_seconds
            future.set_result(result)

    def close(self, *, drop: bool) -> None:
        with self._change:
            self._closed = True
            waiting, self._heap = (self._heap, []) if drop else ([], self._heap)
            self._change.notify_all()
        for *_, future in waiting:
            future.cancel()
        for thread in self._threads:
            while drop and thread.is_alive():
                # Again and again, as a worker may be just about to start its program.
                assembler.stop_running()
                thread.join(0.1)
            thread.join()

    def __enter__(self) -> AssemblyQueue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(drop=error is not None)
