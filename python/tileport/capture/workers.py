# SPDX-License-Identifier: Apache-2.0
"""A worker process (``_worker.py``) as its parent sees it: started with a request, read event by event."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tileport.capture.protocol import Request

_LOG_LINES = 15

Event = dict[str, Any]


class Worker:
    """One run of the worker process. Leaving the context ends it, whatever state it is in."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._errors = ""

    def __enter__(self) -> Worker:
        readers, writers = zip(*(os.pipe() for _ in self._request.device_models), strict=True)
        self._model_of = dict(zip(readers, self._request.device_models, strict=True))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tileport.capture._worker", *map(str, writers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=writers,
            env=self._environment(),
            start_new_session=True,
        )
        for writer in writers:
            os.close(writer)
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(self._request.to_json())
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # it ended at once; the caller sees that there are no events
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        for reader in self._model_of:
            os.close(reader)

    def stop(self) -> None:
        """Ends the worker and its children: a session of their own, which Ctrl-C does not reach."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, 9)
            self._process.wait()

    @property
    def reason(self) -> str:
        """Why the process ended, for one that ended without saying that it was done."""
        return self._errors.strip() or f"its process ended with status {self._process.returncode}"

    def memory(self) -> int:
        """Bytes of memory that the worker and its children use together; 0 where the system does not say."""
        parent = self._process.pid
        total = 0
        with contextlib.suppress(OSError, ValueError):
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
            for process in [str(parent), *children]:
                pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
                total += pages * os.sysconf("SC_PAGE_SIZE")
        return total

    def events(self) -> Iterator[tuple[str, Event]]:
        """What the children say, as (device model, event), until all have ended."""
        for found in self.lines(None):
            assert found is not None
            yield found[0], json.loads(found[1])

    def lines(self, tick: float | None) -> Iterator[tuple[str, bytes] | None]:
        """The same as lines of JSON; and None whenever nothing came for ``tick`` seconds."""
        buffers = dict.fromkeys(self._model_of, b"")
        with selectors.DefaultSelector() as selector:
            for reader in self._model_of:
                selector.register(reader, selectors.EVENT_READ)
            while selector.get_map():
                ready = selector.select(tick)
                if not ready:
                    yield None
                for key, _ in ready:
                    chunk = os.read(key.fd, 1 << 16)
                    if not chunk:
                        selector.unregister(key.fd)
                        continue
                    *lines, buffers[key.fd] = (buffers[key.fd] + chunk).split(b"\n")
                    for line in lines:
                        yield self._model_of[key.fd], line
        assert self._process.stderr is not None
        self._errors = self._process.stderr.read()
        self._process.wait()

    @staticmethod
    def _environment() -> dict[str, str]:
        environment = dict(os.environ)
        # The worker must import this very package, however it got here.
        package = str(Path(__file__).parent.parent.parent)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH"))))
        # One thread each, as workers run side by side; and no real GPU, should there be one.
        environment.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="")
        return environment


def last_lines(folder: Path, model: str) -> list[str]:
    """The last lines that the host code printed under a device model."""
    log = folder / f"{model}.log"
    return log.read_text(errors="replace").strip().splitlines()[-_LOG_LINES:] if log.exists() else []
