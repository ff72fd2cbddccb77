# SPDX-License-Identifier: Apache-2.0
"""Run by test_backend.py in processes of their own: `python backend_process.py ACTION PORTS`; prints JSON."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

ACTION, PORTS = sys.argv[1], Path(sys.argv[2])
os.environ["TILEPORT_PORTS"] = str(PORTS)
os.environ.setdefault("TILEGYM_DISABLE_TRITON", "1")


def registered(name: str) -> str | None:
    from tilegym.backend import dispatcher

    implementation = dispatcher._REGISTRY[name].get("cutile-rs")
    return None if implementation is None else implementation.__module__


def state() -> dict[str, Any]:
    import tilegym

    return {
        "available": tilegym.is_backend_available("cutile-rs"),
        "current": tilegym.backend.get_current_backend(),
        "softmax": registered("softmax"),
        "matmul": registered("matmul"),
        "bmm": registered("bmm"),
    }


def orders(first: str, second: str) -> dict[str, Any]:
    """Imports both in an order, then enables, uses the selector, disables and enables again."""
    os.environ["CUTILE_RS_AUTOBUILD"] = "0"
    importlib.import_module(first)
    importlib.import_module(second)
    import tilegym

    import tileport.backend

    result = {"enabled": state()}
    tilegym.set_backend("cutile-rs")
    try:
        tilegym.ops.rms_norm(None, (1,), None, 0.0)
    except Exception as error:
        result["unported"] = [type(error).__name__, str(error)]
    tileport.backend.disable()
    result["disabled"] = state()
    tileport.backend.enable()
    result["again"] = state()
    return result


def unavailable() -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import tileport.backend
    warned = [str(item.message) for item in caught if "cutile-rs" in str(item.message)]
    tilegym_loaded = "tilegym" in sys.modules
    from tileport.errors import Error

    try:
        tileport.backend.require("softmax")
        required = ""
    except Error as error:
        required = str(error)
    statuses = {op: [item.available, item.reason] for op, item in tileport.backend.status().items()}
    return {"warned": warned, "tilegym_loaded": tilegym_loaded, "required": required, "statuses": statuses}


def calls() -> dict[str, Any]:
    """Calls softmax on the pretended GPU through TileGym; the stand-in library keeps what it is given."""
    from tileport.capture.device_models import DEVICE_MODELS
    from tileport.capture.session import start

    start(DEVICE_MODELS["h200"], lambda launch: None)
    import tilegym
    import torch

    import tileport.backend
    from tileport.wrappers import runtime

    library = ctypes.CDLL(str(PORTS / "libcutile_kernels.so"))
    library.stand_in_last_call.restype = ctypes.c_char_p
    tilegym.set_backend("cutile-rs")
    os.environ["DISABLE_FALLBACK"] = "1"
    from tileport.wrappers.ports import read_index

    def input_of(kernel: str, columns: str) -> torch.Tensor:
        """Random input for the first captured launch of a kernel."""
        row = next(r for r in read_index(PORTS, "softmax")["specializations"] if r["kernel"] == kernel)
        constants = {p["name"]: p["value"] for p in row["signature"] if p["kind"] == "constant"}
        dtype = getattr(torch, row["signature"][0]["dtype"])
        return torch.rand(constants["N_ROWS"], constants[columns], dtype=dtype, device="cuda")

    x = input_of("_softmax_kernel", "DIM_COLS")
    y = tilegym.ops.softmax(x)
    result = {"call": json.loads(library.stand_in_last_call()), "x": x.data_ptr(), "y": y.data_ptr()}
    result["shape"], result["bits"] = list(x.shape), x.element_size() * 8
    chunked = input_of("_softmax_kernel_chunked", "N_COLS")
    tilegym.ops.softmax(chunked, use_chunked=True)
    tilegym.ops.softmax(chunked, use_chunked=True)
    result["counts"] = tileport.backend.launch_counts()

    def error_of(function: Any, *args: Any, **kwargs: Any) -> list[str]:
        try:
            function(*args, **kwargs)
        except Exception as error:
            return [type(error).__name__, str(error)]
        return []

    result["no entry"] = error_of(tilegym.ops.softmax, torch.rand(3, 7, device="cuda"))
    kernel = sys.modules["tileport_ports.softmax"]._softmax_kernel
    args = (y, x, x.shape[0], 1 << (x.shape[1] - 1).bit_length(), x.shape[1])
    stream = torch.cuda.current_stream()
    table = runtime._table(PORTS, "softmax")
    for key, entry in list(table.entries.items()):
        table.entries[key] = type(entry)(
            "refuse" + entry.name, *(entry.symbol, entry.kernel, entry.parameters)
        )
    kernel._prepared.clear()
    result["refused"] = error_of(runtime.launch, stream, (256,), kernel, args)
    result["counts after"] = tileport.backend.launch_counts()
    result["wrong count"] = error_of(runtime.launch, stream, (256,), kernel, args[:3])
    result["wrong grid"] = error_of(runtime.launch, stream, [256], kernel, args)
    result["no stream"] = error_of(runtime.launch, None, (256,), kernel, args)
    result["no kernel"] = error_of(runtime.launch, stream, (256,), print, args)
    result["bad argument"] = error_of(runtime.launch, stream, (256,), kernel, (None, *args[1:]))
    return result


ACTIONS = {
    "tilegym-first": lambda: orders("tilegym", "tileport.backend"),
    "backend-first": lambda: orders("tileport.backend", "tilegym"),
    "unavailable": unavailable,
    "calls": calls,
}
print("RESULT" + json.dumps(ACTIONS[ACTION]()))
