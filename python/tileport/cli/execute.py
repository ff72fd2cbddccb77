# SPDX-License-Identifier: Apache-2.0
"""``tileport run``"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tileport.cpu import ReductionOrder
    from tileport.ir import Module

_ARRAY = re.compile(r"(\w+)\[([\d,\s]*)\](?::(\w+))?")
_FILLS = ("zeros", "ones", "arange", "randn", "empty")
#: NumPy's names of element types; those with another module come from ml_dtypes.
_DTYPES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16",
    "f32": "float32", "f64": "float64", "bf16": "ml_dtypes.bfloat16", "f8E4M3FN": "ml_dtypes.float8_e4m3fn",
    "f8E5M2": "ml_dtypes.float8_e5m2", "f8E8M0FNU": "ml_dtypes.float8_e8m0fnu",
}  # fmt: skip


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tile IR: bytecode, or its text form.")],
    grid: Annotated[str, typer.Option("--grid", metavar="X[,Y[,Z]]", help="Blocks in each dimension.")],
    arguments: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            metavar="ARG",
            help="In order: a number; FILE.npy; or TYPE[EXTENTS]:FILL, such as f16[256,1024]:randn "
            f"(fills: {', '.join(_FILLS)}).",
        ),
    ] = None,
    save: Annotated[
        list[str] | None,
        typer.Option("--save", metavar="N=FILE.npy", help="Write argument N (from 0) there after the run."),
    ] = None,
    kernel: Annotated[str, typer.Option("--kernel", metavar="NAME", help="If the file has several.")] = "",
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="No guards: the kernel may touch any memory.")
    ] = False,
    reduction_order: Annotated[
        str, typer.Option("--reduction-order", metavar="ORDER", help="halves, neighbours or sequential.")
    ] = "halves",
    seconds: Annotated[float, typer.Option("--seconds", help="Stop after this time (0: never).")] = 0,
    steps: Annotated[int, typer.Option("--steps", help="Stop a block after N instructions (0: never).")] = 0,
    threads: Annotated[int, typer.Option("--threads", help="0: one a processor.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Of randn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the run, and each array.")] = False,
) -> int:
    """Execute a kernel on the CPU, with every access checked, and print what became of its arrays."""
    from tileport import cpu
    from tileport.errors import UsageError

    if reduction_order not in ("halves", "neighbours", "sequential"):
        raise UsageError("reduction-order", f"there is no order {reduction_order!r}", "--reduction-order")
    values = [_value(text, seed + i) for i, text in enumerate(arguments or [])]
    targets = [_target(text, values) for text in save or []]
    order: ReductionOrder = reduction_order  # type: ignore[assignment]
    program = cpu.compile(_read(file), kernel=kernel, unchecked=unchecked, reduction_order=order)
    limits = cpu.Limits(seconds=seconds, steps=steps)
    launched = program.launch(_grid(grid), values, limits=limits, threads=threads)
    for number, path in targets:
        _save(path, values[number])
    rows = [_row(i, value) for i, value in enumerate(values) if not isinstance(value, int | float)]
    if as_json:
        print(
            json.dumps(
                {"file": str(file), "kernel": program.kernel, **vars(launched), "arrays": rows}, indent=2
            )
        )
        return 0
    sys.stdout.write(launched.printed)
    for row in rows:
        described = (
            "empty"
            if not row["elements"]
            else f"min {row['min']:g}, max {row['max']:g}, mean {row['mean']:g}"
        )
        print(f"argument {row['argument']}: {row['type']}{row['shape']}: {described}, {row['nan']} NaN")
    print(
        f"{program.kernel}: {launched.blocks} blocks on {launched.threads} threads, "
        f"{launched.instructions} instructions, {launched.seconds * 1e3:.1f} ms"
    )
    return 0


def _read(file: Path) -> Module:
    from tileport import bytecode, text

    try:
        data = file.read_bytes()
    except OSError:
        return bytecode.read_file(file)  # says why
    return bytecode.read(data, str(file)) if data.startswith(b"\x7f") else text.parse(data, str(file))


def _grid(text: str) -> list[int]:
    from tileport.errors import UsageError

    try:
        return [int(extent) for extent in text.split(",")]
    except ValueError:
        raise UsageError(
            "bad-grid", f"{text!r} is no list of numbers", "--grid", "as in --grid 256,1,1"
        ) from None


def _value(text: str, seed: int) -> Any:
    import numpy as np

    from tileport.errors import InputError, UsageError

    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    if text.endswith(".npy"):
        try:
            return np.load(text)
        except (OSError, ValueError) as error:
            raise InputError("unreadable-array", f"no array could be read: {error}", text) from None
    match = _ARRAY.fullmatch(text)
    if match is None or match[1] not in _DTYPES or (match[3] or "zeros") not in _FILLS:
        raise UsageError(
            "bad-argument",
            f"{text!r} is no number, no .npy file and no TYPE[EXTENTS]:FILL",
            "--arg",
            f"types: {', '.join(_DTYPES)}; fills: {', '.join(_FILLS)}",
        )
    shape = tuple(int(extent) for extent in match[2].split(",") if extent.strip())
    return _filled(_dtype(match[1]), shape, match[3] or "zeros", seed)


def _dtype(name: str) -> Any:
    import importlib

    import numpy as np

    from tileport.errors import ToolchainError

    module, _, attribute = _DTYPES[name].rpartition(".")
    if not module:
        return np.dtype(attribute)
    try:
        return np.dtype(getattr(importlib.import_module(module), attribute))
    except ImportError:
        raise ToolchainError(
            "package-missing", f"NumPy alone has no {name}", module, "pip install ml_dtypes"
        ) from None


def _filled(dtype: Any, shape: tuple[int, ...], fill: str, seed: int) -> Any:
    import numpy as np

    count = int(np.prod(shape))
    if fill == "randn":
        return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    if fill == "arange":
        return np.arange(count).reshape(shape).astype(dtype)
    if fill == "ones":
        return np.ones(shape).astype(dtype)
    array = np.zeros(shape, dtype)
    if fill == "empty":
        array.view(np.uint8).fill(0xFF)  # NaN: what the kernel does not write shows
    return array


def _target(text: str, values: list[Any]) -> tuple[int, Path]:
    from tileport.errors import UsageError

    number, _, path = text.partition("=")
    if (
        not number.isdigit()
        or not path
        or int(number) >= len(values)
        or isinstance(values[int(number)], int | float)
    ):
        raise UsageError(
            "bad-target", f"{text!r} names no array argument and file", "--save", "as in --save 0=out.npy"
        )
    return int(number), Path(path)


def _save(path: Path, array: Any) -> None:
    import numpy as np

    from tileport.errors import UsageError

    try:
        with path.open("wb") as file:
            np.save(file, array)
    except OSError as error:
        raise UsageError("unwritable", f"cannot be written: {error.strerror}", str(path)) from None


def _row(number: int, array: Any) -> dict[str, Any]:
    import numpy as np

    values = array.astype(np.float64)
    finite = values[~np.isnan(values)]
    return {
        "argument": number,
        "type": str(array.dtype),
        "shape": list(array.shape),
        "elements": int(finite.size),
        "min": float(finite.min()) if finite.size else None,
        "max": float(finite.max()) if finite.size else None,
        "mean": float(finite.mean()) if finite.size else None,
        "nan": int(values.size - finite.size),
    }
