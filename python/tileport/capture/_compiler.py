# SPDX-License-Identifier: Apache-2.0
"""``python -m tileport.capture._compiler MODEL``: compiles what it is asked for, one JSON object a line.

A request names a kernel (source, kernel, line) and holds a signature, hints and a calling convention as an
index row does. The answer has the bytecode in hexadecimal digits, or null and a reason.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from typing import Any

from tileport.capture.compiling import module_name
from tileport.capture.device_models import DEVICE_MODELS


def main(model: str) -> int:
    # Whatever imported modules print must not get among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from tileport.capture.session import start

    target = DEVICE_MODELS[model].target
    start(DEVICE_MODELS[model], lambda launch: None)
    compiler = _Compiler(target)
    for line in sys.stdin:
        answer: dict[str, str | None]
        try:
            answer = {"bytecode": compiler.compile(json.loads(line)).hex(), "reason": ""}
        except Exception as error:  # cuTile refuses in many ways; each is an answer
            answer = {"bytecode": None, "reason": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


class _Compiler:
    def __init__(self, target: str) -> None:
        self._target = target
        self._kernels: dict[tuple[str, str], Any] = {}

    def compile(self, request: dict[str, Any]) -> bytes:
        from cuda.tile._compile import compile_tile, parse_bytecode_version
        from cuda.tile.compilation import CallingConvention, KernelSignature

        from tileport.capture.session import BYTECODE_VERSION
        from tileport.capture.signatures import constraint_of, options_of

        kernel = self._find(request["source"], request["kernel"])
        signature = KernelSignature(
            [constraint_of(parameter) for parameter in request["signature"]],
            getattr(CallingConvention, request["calling_convention"])(),
        ).with_mangled_symbol(kernel._pyfunc.__name__)
        result = compile_tile(
            kernel._annotated_function,
            (signature,),
            self._target,
            options_of(request["hints"]),
            bytecode_version=parse_bytecode_version(BYTECODE_VERSION),
            return_bytecode=True,
            return_cubin=False,
        )
        return bytes(result.bytecode)

    def _find(self, source: str, name: str) -> Any:
        found = self._kernels.get((source, name))
        if found is None:
            found = self._kernels[source, name] = _kernel_of(_module_of(source), name)
        return found


def _module_of(source: str) -> Any:
    name = module_name(source)
    if name is not None:
        if name.startswith("tilegym."):
            import tilegym

            tilegym.set_backend("cutile")
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location("tileport_kernel_source", source)
    if spec is None or spec.loader is None:
        raise LookupError(f"{source} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _kernel_of(module: Any, name: str) -> Any:
    from cuda.tile._execution import kernel as Kernel

    for value in vars(module).values():
        if isinstance(value, Kernel) and value._pyfunc.__name__ == name:
            return value
    raise LookupError(f"no kernel {name} at the top level of {module.__name__}: a function made it")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
