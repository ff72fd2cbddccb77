# SPDX-License-Identifier: Apache-2.0
"""Run by test_wrappers_launches.py in a process of its own, on a pretended GPU (tileport.capture).

Calls operators twice through their capture drivers, first TileGym's own wrappers, then the ported ones, and
prints as JSON what each launched: kernel, grid, the description of the arguments, hints. For the port it also
prints which entry the dispatch table, made from the first run, found for each launch.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.session import start


def name_of(kernel: str, symbol: str, hints: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps([symbol, hints], sort_keys=True).encode()).hexdigest()
    return f"{kernel}__{digest[:10]}"


def main(model: str, folder: Path, ops: list[str]) -> None:
    recorded: list[Any] = []
    start(DEVICE_MODELS[model], recorded.append)
    import tilegym

    from tileport.wrappers import ports, runtime
    from tileport.wrappers.port import port_wrapper

    ported: list[Any] = []

    def record(kernel: Any, stream: int, grid: tuple[int, int, int], args: tuple[Any, ...]) -> None:
        entry = kernel.find(args)
        ported.append([kernel.name, list(grid), kernel.describe(args), kernel.hints, entry.name])

    runtime.Kernel.launch = record  # type: ignore[method-assign]

    def run(op: str) -> list[str]:
        driver = importlib.import_module(f"tileport.capture.drivers.{op}")
        failed = []
        for case in driver.cases():
            torch.manual_seed(0)
            try:
                driver.run(**case.arguments)
            except Exception as error:
                failed.append(f"{case.name}: {type(error).__name__}: {error}")
        return failed

    result: dict[str, Any] = {}
    for op in ops:
        tilegym.set_backend("cutile")
        recorded.clear()
        failures = run(op)
        rows: dict[str, Any] = {}
        original = []
        for launch in recorded:
            spec = launch.specialization
            name = name_of(spec.kernel, spec.symbol, spec.hints)
            signature = [{"name": p, **fact} for p, fact in zip(spec.parameters, spec.signature, strict=True)]
            rows[name] = {
                "name": name,
                "op": op,
                "kernel": spec.kernel,
                "signature": signature,
                "hints": spec.hints,
                "source": f"tilegym/ops/cutile/{op}.py",
            }
            # The search of the capture launches candidates; the ported one measures, which needs a GPU.
            if not launch.tuning:
                original.append([spec.kernel, [*launch.grid, 1, 1][:3], signature, spec.hints, name])
        index = {"schema": ports.INDEX_SCHEMA, "op": op, "specializations": list(rows.values())}
        files = {
            f"{op}/{relative}": text
            for relative, text in port_wrapper(op, f"tilegym/ops/cutile/{op}.py").files.items()
        }
        files[f"{op}/reference/index.json"] = json.dumps(index)
        for relative, text in files.items():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            (folder / relative).write_text(text)

        ported.clear()
        module = ports.load_wrapper(folder, op)
        tilegym.backend.get_available_backends().add("cutile-rs")
        tilegym.set_backend("cutile-rs")
        failures += run(op)
        result[op] = {
            "entries": len(rows),
            "original": original,
            "ported": list(ported),
            "failures": failures,
            "file": module.__file__,
        }
    print("RESULT" + json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
