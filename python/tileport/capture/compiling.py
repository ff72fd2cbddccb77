# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for signatures that nobody launched: other constants than the captured ones.

cuTile's compiler runs in a process of its own, where a GPU is pretended as it is for a capture; a kernel is
cuTile's compiler runs in a process of its own, where a GPU is pretended as it is for a capture; a kernel is
found by its source file and its name. What is asked for is a row of an index with a signature that was
changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tileport.errors import ToolchainError

_MOST_LINES = 15


@dataclass(frozen=True)
class Compiled:
    """What cuTile makes of a signature: bytecode, or the reason why there is none."""

    bytecode: bytes | None
    reason: str = ""


class KernelCompiler:
    """A running compiler process; a context manager. Results come in the order of the requests."""

    def __init__(self, device_model: str = "h200") -> None:
        self._device_model = device_model
        self._process: subprocess.Popen[str] | None = None
        self._said: IO[bytes]
        """What the process prints. A file: a pipe that nobody reads would stop it."""

    def __enter__(self) -> KernelCompiler:
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tileport.capture._compiler", self._device_model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            start_new_session=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        assert process is not None
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._said):
            if stream is not None:
                stream.close()

    def compile(self, row: Mapping[str, Any], signature: Sequence[Mapping[str, Any]]) -> Compiled:
        """The kernel of an index row with another signature.

        Raises ToolchainError if the process ends.
        """
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        request = {key: row[key] for key in ("source", "kernel", "line", "hints", "calling_convention")}
        request["signature"] = list(signature)
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            process.kill()
            process.wait()
            self._said.seek(0)
            said = "\n".join(self._said.read().decode(errors="replace").splitlines()[-_MOST_LINES:])
            raise ToolchainError("compiler-ended", f"cuTile's compiler ended:\n{said}", "cuda.tile")
        document = json.loads(answer)
        if document["bytecode"] is None:
            return Compiled(None, document["reason"])
        return Compiled(bytes.fromhex(document["bytecode"]))


def with_constants(
    signature: Iterable[Mapping[str, Any]], constants: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A signature of an index row with other values for some of its constants."""
    return [
        {**parameter, "value": constants[parameter["name"]]}
        if parameter["kind"] == "constant" and parameter["name"] in constants
        else dict(parameter)
        for parameter in signature
    ]


def module_name(source: str) -> str | None:
    """The module that an index row's source is, if it is one of a package ("tilegym/ops/x.py")."""
    path = Path(source)
    if path.is_absolute() or path.suffix != ".py" or len(path.parts) < 2:
        return None
    return ".".join(path.with_suffix("").parts)
