# SPDX-License-Identifier: Apache-2.0
"""How the generics of an entry follow from a kernel's constants, evaluated where there is no C++ core.

A GPU machine that only serves ports has none. The operations are those of src/translate/derivation.cpp, which
finds them; tests/python/test_translate_generics.py compares both on each.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Number = int | float
_LARGEST = 1 << 53


def evaluate(derivation: Mapping[str, Any], constants: Iterable[tuple[str, Number]]) -> int | None:
    """The number that an expression of dispatch.json gives for constants; None if it gives none."""
    return _integer(derivation, dict(constants))


def constants_in(derivation: Mapping[str, Any]) -> set[str]:
    """The names of the constants in an expression."""
    own = {derivation["name"]} if derivation["operation"] == "constant" else set()
    return own.union(*(constants_in(inner) for inner in derivation["of"]))


def _integer(derivation: Mapping[str, Any], constants: Mapping[str, Number]) -> int | None:
    operation, of = derivation["operation"], derivation["of"]
    if operation == "number":
        return int(derivation["number"])
    if operation == "constant":
        value = constants.get(derivation["name"])
        return _small(value) if isinstance(value, int) else None
    if operation in _FLOATS:
        value = _real(of[0], constants) if len(of) == 1 else None
        return None if value is None else _bits(_FLOATS[operation], value)
    operands = [_integer(inner, constants) for inner in of]
    known = {1: _UNARY, 2: _BINARY}.get(len(operands), {}).get(operation)
    if known is None or None in operands:
        return None
    result = known(*operands)
    return None if result is None else _small(result)


def _real(derivation: Mapping[str, Any], constants: Mapping[str, Number]) -> float | None:
    value: Number | None
    if derivation["operation"] == "constant":
        value = constants.get(derivation["name"])
    else:
        value = _integer(derivation, constants)
    return None if value is None else float(value)


def _small(value: int) -> int | None:
    return value if -_LARGEST < value < _LARGEST else None


def _bits(function: Callable[[float], float], value: float) -> int | None:
    """The bits of an f32, as an i32; none for a NaN, whose bits no constant means."""
    try:
        result = function(value)
    except ZeroDivisionError:
        result = math.copysign(math.inf, value)
    except ValueError:
        return None
    if math.isnan(result):
        return None
    try:
        packed = struct.pack("<f", result)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, result))
    bits: int = struct.unpack("<i", packed)[0]
    return bits


def _log2(value: int) -> int | None:
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


_UNARY: dict[str, Callable[..., int | None]] = {
    "next_power_of_two": lambda a: None if a < 1 else 1 << (a - 1).bit_length(),
    "negative": lambda a: -a,
    "log2": _log2,
}

_BINARY: dict[str, Callable[..., int | None]] = {
    "cdiv": lambda a, b: -(-a // b) if b > 0 else None,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a // b if b > 0 else None,
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "minimum": min,
    "maximum": max,
    "remainder": lambda a, b: a % b if b > 0 and a >= 0 else None,
}

_LOG2_E = 1.4426950408889634

_FLOATS: dict[str, Callable[[float], float]] = {
    "bits": lambda a: a,
    "bits_of_negative": lambda a: -a,
    "bits_of_reciprocal": lambda a: 1.0 / a,
    "bits_times_log2e": lambda a: a * _LOG2_E,
    "bits_over_log2e": lambda a: a / _LOG2_E,
    "bits_of_complement": lambda a: 1.0 - a,
    "bits_of_reciprocal_complement": lambda a: 1.0 / (1.0 - a),
    "bits_of_square": lambda a: a * a,
    "bits_of_reciprocal_root": lambda a: 1.0 / math.sqrt(a),
}


def operations() -> list[str]:
    """Names of all operations."""
    return [*_UNARY, *_BINARY, *_FLOATS]
