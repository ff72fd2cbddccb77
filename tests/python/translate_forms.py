# SPDX-License-Identifier: Apache-2.0
"""The register of small kernels that show each form that the translator knows, for test_translate_forms.py.

The modules translate_forms_FAMILY.py fill it. Every result ends in a print: what has no effect is dead, and
comparisons leave it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.tile._bytecode import attribute
from tile_ir_kernel import (
    PROBES,
    Kernel,
    Rounding,
    S,
    Signedness,
    probe,
)

FORMS: dict[str, Callable[[], bytes]] = {}


def form(*arguments: Callable[[Kernel], Any], **options: Any) -> Callable[[Callable[[Kernel], None]], None]:
    """Registers a kernel here, and not among the probes of the reader and printer."""

    def register(write: Callable[[Kernel], None]) -> None:
        name = f"form_{write.__name__}"
        probe(*arguments, name=name, **options)(write)
        FORMS[write.__name__] = PROBES.pop(name)

    return register


def show(k: Kernel, *values: Any) -> None:
    for value in values:
        k.PrintTko(k.token, (value,), None, "%f\n")


def hints(**default: Any) -> Any:
    return attribute.make_load_store_hints({"default": attribute.LoadStoreHints(**default)})


def cast_iota(k: Kernel, element: S, *shape: int) -> Any:
    count = 1
    for extent in shape:
        count *= extent
    i = k.Reshape(k.tile(S.I32, *shape), k.Iota(k.tile(S.I32, count)))
    if element == S.I32:
        return i
    if element == S.I64:
        return k.ExtI(k.tile(S.I64, *shape), i, Signedness.Signed)
    return k.IToF(k.tile(element, *shape), i, Signedness.Signed, Rounding.NEAREST_EVEN)


def identity(k: Kernel, element: S, value: int | float) -> Any:
    type = k.types.simple(element)
    if isinstance(value, float):
        return attribute.Float(value, element, k.types)
    return attribute.Integer(type, 64 if element == S.I64 else 32, value)


def addresses(k: Kernel, p: Any, element: S, *shape: int) -> Any:
    pointer = k.pointer(element)
    ones = k.Reshape(k.tile(pointer, *([1] * len(shape))), p)
    return k.Offset(
        k.tile(pointer, *shape), k.Broadcast(k.tile(pointer, *shape), ones), cast_iota(k, S.I32, *shape)
    )
