# SPDX-License-Identifier: Apache-2.0
"""Forms of shapes, reductions, scans and matrices."""

from __future__ import annotations

import itertools
from typing import Any

from tile_ir_kernel import (
    Kernel,
    Overflow,
    Predicate,
    Rounding,
    S,
    Signedness,
    of,
)
from translate_forms import cast_iota, form, identity, show


@form(of(S.I32))
def shapes(k: Kernel) -> None:
    (n,) = k.parameters
    i = k.Iota(k.tile(S.I32, 128))
    a = k.Reshape(k.tile(S.I32, 16, 8), i)
    show(k, k.Cat(k.tile(S.I32, 16, 16), a, a, 1), k.Cat(k.tile(S.I32, 32, 8), a, a, 0))
    show(k, k.Permute(k.tile(S.I32, 8, 16), a, (1, 0)))
    five = k.Reshape(k.tile(S.I32, 2, 4, 1, 2, 8), i)
    show(k, k.Permute(k.tile(S.I32, 8, 2, 4, 2, 1), five, (4, 0, 1, 3, 2)))
    show(k, k.Broadcast(k.tile(S.I32, 2, 4, 2, 2, 8), five))
    show(k, k.Broadcast(k.tile(S.I32, 16), k.Reshape(k.tile(S.I32, 1), n)))
    show(k, k.Extract(k.tile(S.I32, 8, 8), a, (n, n)))
    show(k, k.Insert(k.tile(S.I32, 16, 8), k.zeros(S.I32, 8, 8), a, (n, n)))


def combine(k: Kernel, op: str, element: S, x: Any, y: Any) -> Any:
    scalar = k.tile(element)
    if op in ("AddF", "MulF"):
        return getattr(k, op)(scalar, x, y, Rounding.NEAREST_EVEN, 0)
    if op in ("MaxF", "MinF"):
        return getattr(k, op)(scalar, x, y, 0, 0)
    if op in ("AddI", "MulI"):
        return getattr(k, op)(scalar, x, y, Overflow.NONE)
    sign = Signedness.Unsigned if op.endswith("U") else Signedness.Signed
    return getattr(k, op.removesuffix("U"))(scalar, x, y, sign)


IDENTITIES: dict[str, dict[S, int | float]] = {
    "AddF": dict.fromkeys((S.F16, S.BF16, S.F32), 0.0),
    "MulF": dict.fromkeys((S.F16, S.BF16, S.F32), 1.0),
    "MaxF": dict.fromkeys((S.F16, S.BF16, S.F32), float("-inf")),
    "MinF": dict.fromkeys((S.F16, S.BF16, S.F32), float("inf")),
    "AddI": {S.I32: 0, S.I64: 0},
    "MulI": {S.I32: 1},
    "MaxI": {S.I32: -(2**31)},
    "MinI": {S.I32: 2**31 - 1},
    "MaxIU": {S.I32: 0},
    "MinIU": {S.I32: 2**32 - 1},
}


@form()
def reductions(k: Kernel) -> None:
    for op, elements in IDENTITIES.items():
        for element, value in elements.items():
            x = cast_iota(k, element, 8, 16)
            for axis, result in ((0, (16,)), (1, (8,))):
                nested = k.Reduce((k.tile(element, *result),), (x,), axis, (identity(k, element, value),))
                with k.body(nested, k.tile(element), k.tile(element)) as (left, right):
                    k.Yield((combine(k, op, element, left, right),))
                show(k, nested.done()[0])


def running_sum(k: Kernel, element: S, axis: int, reverse: bool, *shape: int) -> None:
    op, zero = ("AddF", 0.0) if element == S.F32 else ("AddI", 0)
    x = cast_iota(k, element, *shape)
    nested = k.Scan((k.tile(element, *shape),), (x,), axis, reverse, (identity(k, element, zero),))
    with k.body(nested, k.tile(element), k.tile(element)) as (left, right):
        k.Yield((combine(k, op, element, left, right),))
    show(k, nested.done()[0])


@form()
def running_sums(k: Kernel) -> None:
    for element, reverse in itertools.product((S.F32, S.I32), (False, True)):
        running_sum(k, element, 0, reverse, 2, 8, 16)


@form()
def running_sums_of_other_axes(k: Kernel) -> None:
    running_sum(k, S.F32, 1, False, 2, 8, 16)
    running_sum(k, S.I32, 2, True, 2, 8, 16)


@form()
def running_sums_behind_unit_axes(k: Kernel) -> None:
    running_sum(k, S.F32, 1, False, 1, 8, 16)
    running_sum(k, S.I32, 2, True, 1, 1, 16)


def aggregate(
    k: Kernel,
    op: str,
    operands: tuple[Any, ...],
    axis: int,
    identities: tuple[Any, ...],
    combine: Any,
    *flags: Any,
) -> None:
    """A reduce or scan; ``combine`` gets the left elements and the right ones, and gives one of each."""
    shape = [64, 4]
    kept = shape if op == "Scan" else [extent for i, extent in enumerate(shape) if i != axis]
    results = tuple(k.tile(element, *kept) for element, _ in operands)
    elements = tuple(k.tile(element) for element, _ in operands)
    nested = getattr(k, op)(results, tuple(x for _, x in operands), axis, *flags, identities)
    with k.body(nested, *(each for element in elements for each in (element, element))) as arguments:
        k.Yield(tuple(combine(arguments[::2], arguments[1::2])))
    show(k, *nested.done())


@form()
def trees(k: Kernel) -> None:
    """Reductions and scans that cutile has no call for: two tiles at once (the place of the largest), other
    bodies, other element types, the other direction."""
    i = k.tile(S.I32)
    numbers, places = mixed(k), k.Reshape(k.tile(S.I32, 64, 4), k.Iota(k.tile(S.I32, 256)))

    def largest(left: Any, right: Any) -> Any:
        more = k.CmpI(k.tile(S.I1), left[0], right[0], Predicate.GREATER_THAN, Signedness.Signed)
        same = k.CmpI(k.tile(S.I1), left[0], right[0], Predicate.EQUAL, Signedness.Signed)
        first = k.CmpI(k.tile(S.I1), left[1], right[1], Predicate.LESS_THAN, Signedness.Unsigned)
        wins = k.OrI(k.tile(S.I1), more, k.AndI(k.tile(S.I1), same, first))
        return k.Select(i, wins, left[0], right[0]), k.Select(i, wins, left[1], right[1])

    least, zero = identity(k, S.I32, -(2**31)), identity(k, S.I32, 0)
    for axis in (0, 1):
        aggregate(k, "Reduce", ((S.I32, numbers), (S.I32, places)), axis, (least, zero), largest)
    exclusive = lambda left, right: (k.XOrI(i, left[0], right[0]),)  # noqa: E731
    aggregate(k, "Reduce", ((S.I32, numbers),), 0, (zero,), exclusive)
    product = lambda left, right: (k.MulI(i, left[0], right[0], Overflow.NONE),)  # noqa: E731
    for axis, reverse in itertools.product((0, 1), (False, True)):
        aggregate(k, "Scan", ((S.I32, numbers),), axis, (identity(k, S.I32, 1),), product, reverse)
    aggregate(k, "Scan", ((S.I32, numbers), (S.I32, places)), 0, (least, zero), largest, False)


def mixed(k: Kernel) -> Any:
    """Numbers of a tile of 64 x 4 that rise and fall."""
    i = k.tile(S.I32, 256)
    places = k.Iota(i)
    product = k.MulI(i, places, k.int32(37, 256), Overflow.NONE)
    return k.Reshape(k.tile(S.I32, 64, 4), k.RemI(i, product, k.int32(101, 256), Signedness.Signed))


@form()
def matrices(k: Kernel) -> None:
    for element, result in (
        (S.F16, S.F32),
        (S.BF16, S.F32),
        (S.F64, S.F64),
        (S.F8E5M2, S.F16),
        (S.F32, S.F32),
    ):
        a, b = k.zeros(element, 16, 32), k.zeros(element, 32, 16)
        show(k, k.MmaF(k.tile(result, 16, 16), a, b, k.zeros(result, 16, 16), False))
    a, b = k.zeros(S.F16, 2, 16, 32), k.zeros(S.F16, 2, 32, 16)
    show(k, k.MmaF(k.tile(S.F32, 2, 16, 16), a, b, k.zeros(S.F32, 2, 16, 16), False))
    a, b = k.zeros(S.F8E4M3FN, 16, 32), k.zeros(S.F8E4M3FN, 32, 16)
    show(k, k.MmaF(k.tile(S.F32, 16, 16), a, b, k.zeros(S.F32, 16, 16), True))
    for left, right in itertools.product(Signedness, Signedness):
        a, b = k.zeros(S.I8, 16, 32), k.zeros(S.I8, 32, 16)
        show(k, k.MmaI(k.tile(S.I32, 16, 16), a, b, k.zeros(S.I32, 16, 16), left, right))
