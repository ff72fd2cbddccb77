# SPDX-License-Identifier: Apache-2.0
"""Small kernels that show each form that the translator knows, for test_translate_forms.py.

Every result ends in a print: what has no effect is dead, and comparisons leave it out.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from typing import Any

from cuda.tile._bytecode import attribute
from cuda.tile._bytecode.type_base import PaddingValue, PtrAttr
from tile_ir_kernel import (
    DYNAMIC,
    PROBES,
    Atomic,
    Kernel,
    Memory,
    Ordering,
    Overflow,
    Predicate,
    Rounding,
    S,
    Scope,
    Signedness,
    of,
    pointer_to,
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


# ---- arith, math, convert -------------------------------------------------------------------------


@form(of(S.I32), of(S.I32))
def integers(k: Kernel) -> None:
    a, b = k.parameters
    i = k.tile(S.I32)
    for op, overflow in itertools.product(("AddI", "SubI", "MulI", "ShLI"), Overflow):
        show(k, getattr(k, op)(i, a, b, overflow))
    for overflow in (Overflow.NONE, Overflow.NSW):
        show(k, k.NegI(i, a, overflow))
    for op, sign in itertools.product(("MaxI", "MinI", "RemI", "ShRI"), Signedness):
        show(k, getattr(k, op)(i, a, b, sign))
    for sign, mode in itertools.product(Signedness, (Rounding.ZERO, Rounding.POSITIVE_INF)):
        show(k, k.DivI(i, a, b, sign, mode))
    show(k, k.DivI(i, a, b, Signedness.Signed, Rounding.NEGATIVE_INF))
    for op in ("AndI", "OrI", "XOrI", "MulhiI"):
        show(k, getattr(k, op)(i, a, b))
    show(k, k.AbsI(i, a))


@form(of(S.I32), of(S.I32), of(S.F32), of(S.F32))
def comparisons(k: Kernel) -> None:
    a, b, f, g = k.parameters
    i1, i = k.tile(S.I1), k.tile(S.I32)
    conditions = [
        k.CmpI(i1, a, b, predicate, sign) for predicate, sign in itertools.product(Predicate, Signedness)
    ]
    conditions += [
        k.CmpF(i1, f, g, predicate, ordering)
        for predicate, ordering in itertools.product(Predicate, Ordering)
    ]
    for condition in conditions:
        show(k, k.Select(i, condition, a, b))
    show(k, k.Select(i, k.CmpI(i1, conditions[0], conditions[1], Predicate.EQUAL, Signedness.Unsigned), a, b))
    for op in ("AndI", "OrI", "XOrI"):
        show(k, k.ExtI(i, getattr(k, op)(i1, conditions[0], conditions[1]), Signedness.Unsigned))


@form(of(S.F32), of(S.F32), of(S.I32))
def floats(k: Kernel) -> None:
    a, b, i = k.parameters
    f = k.tile(S.F32)
    exact = (Rounding.NEAREST_EVEN, Rounding.ZERO, Rounding.NEGATIVE_INF, Rounding.POSITIVE_INF)
    for op, mode, flush in itertools.product(("AddF", "SubF", "MulF"), exact, (0, 1)):
        show(k, getattr(k, op)(f, a, b, mode, flush))
    for mode, flush in itertools.product((*exact, Rounding.APPROX), (False, True)):
        show(k, k.DivF(f, a, b, mode, flush), k.Sqrt(f, a, mode, flush))
    for mode, flush in itertools.product(exact, (0, 1)):
        show(k, k.Fma(f, a, b, a, mode, flush))
    for op, nan, flush in itertools.product(("MaxF", "MinF"), (0, 1), (0, 1)):
        show(k, getattr(k, op)(f, a, b, nan, flush))
    show(k, k.RemF(f, a, b), k.NegF(f, a), k.AbsF(f, a), k.FPowI(f, a, i), k.FPowF(f, a, b), k.Atan2(f, a, b))
    for op in ("Ceil", "Floor", "Log", "Log2", "Sin", "Cos", "Tan", "SinH", "CosH"):
        show(k, getattr(k, op)(f, a))
    for op, mode in itertools.product(("Exp", "TanH"), (Rounding.FULL, Rounding.APPROX)):
        show(k, getattr(k, op)(f, a, mode))
    for op, flush in itertools.product(("Exp2", "Rsqrt"), (False, True)):
        show(k, getattr(k, op)(f, a, flush))


@form(of(S.F32), of(S.I32), pointer_to(S.F32))
def conversions(k: Kernel) -> None:
    f, i, p = k.parameters
    for element in (S.F16, S.BF16, S.F64):
        narrow = k.FToF(k.tile(element), f, Rounding.NEAREST_EVEN)
        show(k, k.FToF(k.tile(S.F32), narrow, Rounding.NEAREST_EVEN))
    show(k, k.FToF(k.tile(S.F32), k.FToF(k.tile(S.F16), f, Rounding.ZERO), Rounding.NEAREST_EVEN))
    for element in (S.F8E4M3FN, S.F8E5M2, S.TF32):
        show(
            k, k.FToF(k.tile(S.F32), k.FToF(k.tile(element), f, Rounding.NEAREST_EVEN), Rounding.NEAREST_EVEN)
        )
    for sign, saturating in itertools.product(Signedness, (False, True)):
        show(k, k.FToI(k.tile(S.I32), f, sign, Rounding.NEAREST_INT_TO_ZERO, saturating))
    for sign in Signedness:
        show(k, k.IToF(k.tile(S.F32), i, sign, Rounding.NEAREST_EVEN), k.ExtI(k.tile(S.I64), i, sign))
    for overflow, sign in itertools.product(Overflow, Signedness):
        show(k, k.ExtI(k.tile(S.I32), k.TruncI(k.tile(S.I8), i, overflow), sign))
    show(k, k.Bitcast(k.tile(S.I32), f), k.PtrToInt(k.tile(S.I64), p))
    again = k.IntToPtr(k.tile(k.pointer(S.F32)), k.ExtI(k.tile(S.I64), i, Signedness.Signed))
    halves = k.PtrToPtr(k.tile(k.pointer(S.F16)), p)
    show(k, k.LoadPtrTko(k.tile(S.F32), k.token, again, None, None, None, Memory.WEAK, None, None)[0])
    show(k, k.LoadPtrTko(k.tile(S.F16), k.token, halves, None, None, None, Memory.WEAK, None, None)[0])


@form(of(S.F32))
def constants(k: Kernel) -> None:
    (f,) = k.parameters
    as_f32 = lambda value: k.FToF(k.tile(S.F32), value, Rounding.NEAREST_EVEN)  # noqa: E731
    for bits in (
        0,
        0x80000000,
        1,
        0x3F800000,
        0x3DCCCCCD,
        0x7F7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0xFFC00001,
    ):
        show(k, k.constant(S.F32, struct.pack("<I", bits)))
    for element, patterns in (
        (S.F16, (0, 0x3C00, 0x7C00, 0xFC00, 0x3555, 0x8000, 0x7E00)),
        (S.BF16, (0, 0x3F80, 0x7F80, 0xFF80, 0x3EAB, 0x8000, 0x7FC0)),
    ):
        for bits in patterns:
            show(k, as_f32(k.constant(element, struct.pack("<H", bits))))
    for element, bits in itertools.product((S.F8E4M3FN, S.F8E5M2), (0, 0x38, 0xB8)):
        show(k, as_f32(k.constant(element, bytes([bits]))))
    for bits in (0x3FF0000000000000, 0x3FB999999999999A, 0x7FF0000000000000, 0x7FF8000000000000):
        show(k, k.constant(S.F64, struct.pack("<Q", bits)))
    for value in (0, 1, -1, 2**31 - 1, -(2**31)):
        show(k, k.int32(value))
    for value in (2**63 - 1, -(2**63)):
        show(k, k.constant(S.I64, struct.pack("<q", value)))
    for value in (-128, 127):
        show(k, k.ExtI(k.tile(S.I32), k.constant(S.I8, struct.pack("<b", value)), Signedness.Signed))
    for value in (0, 255):
        show(k, k.Select(k.tile(S.F32), k.constant(S.I1, bytes([value])), f, f))
        wide = k.tile(S.F32, 8)
        four = k.constant(S.F32, struct.pack("<f", 4.0), 8)
        show(k, k.Select(wide, k.constant(S.I1, bytes([value]), 8), four, k.zeros(S.F32, 8)))


# ---- shape, reduce, scan, matrices ----------------------------------------------------------------


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


def identity(k: Kernel, element: S, value: int | float) -> Any:
    type = k.types.simple(element)
    if isinstance(value, float):
        return attribute.Float(value, element, k.types)
    return attribute.Integer(type, 64 if element == S.I64 else 32, value)


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


def running_sum(k: Kernel, element: S, axis: int, reverse: bool) -> None:
    op, zero = ("AddF", 0.0) if element == S.F32 else ("AddI", 0)
    x = cast_iota(k, element, 2, 8, 16)
    nested = k.Scan((k.tile(element, 2, 8, 16),), (x,), axis, reverse, (identity(k, element, zero),))
    with k.body(nested, k.tile(element), k.tile(element)) as (left, right):
        k.Yield((combine(k, op, element, left, right),))
    show(k, nested.done()[0])


@form()
def running_sums(k: Kernel) -> None:
    for element, reverse in itertools.product((S.F32, S.I32), (False, True)):
        running_sum(k, element, 0, reverse)


@form()
def running_sums_of_other_axes(k: Kernel) -> None:
    running_sum(k, S.F32, 1, False)
    running_sum(k, S.I32, 2, True)


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


# ---- memory, atomics, views -----------------------------------------------------------------------


def addresses(k: Kernel, p: Any, element: S, *shape: int) -> Any:
    pointer = k.pointer(element)
    ones = k.Reshape(k.tile(pointer, *([1] * len(shape))), p)
    return k.Offset(
        k.tile(pointer, *shape), k.Broadcast(k.tile(pointer, *shape), ones), cast_iota(k, S.I32, *shape)
    )


@form(pointer_to(S.F32), of(S.I32))
def pointers(k: Kernel) -> None:
    p, n = k.parameters
    f, at = k.tile(S.F32, 16), addresses(k, p, S.F32, 16)
    bound = k.Broadcast(k.tile(S.I32, 16), k.Reshape(k.tile(S.I32, 1), n))
    mask = k.CmpI(k.tile(S.I1, 16), k.Iota(k.tile(S.I32, 16)), bound, Predicate.LESS_THAN, Signedness.Signed)
    one = k.constant(S.F32, struct.pack("<f", 1.0))
    padding = k.Broadcast(f, k.Reshape(k.tile(S.F32, 1), one))
    first = k.MakeToken(k.token)
    x, t = k.LoadPtrTko(f, k.token, at, None, None, None, Memory.WEAK, None, None)
    y, u = k.LoadPtrTko(f, k.token, at, mask, padding, first, Memory.WEAK, None, hints(latency=3))
    z, v = k.LoadPtrTko(f, k.token, at, mask, padding, first, Memory.RELAXED, Scope.DEVICE, None)
    w, s = k.LoadPtrTko(f, k.token, at, mask, None, None, Memory.ACQUIRE, Scope.SYS, None)
    show(k, x, y, z, w)
    k.StorePtrTko(k.token, at, x, None, None, Memory.WEAK, None, None)
    last = k.StorePtrTko(k.token, at, x, mask, t, Memory.RELEASE, Scope.TL_BLK, hints(latency=2))
    joined = k.JoinTokens(k.token, (first, t, u, v, s, last))
    scalar_mask = k.CmpI(k.tile(S.I1), n, n, Predicate.EQUAL, Signedness.Signed)
    c, _ = k.LoadPtrTko(k.tile(S.F32), k.token, p, scalar_mask, one, joined, Memory.WEAK, None, None)
    waited = k.GdcWaitTko(k.token, k.StorePtrTko(k.token, p, c, scalar_mask, joined, Memory.WEAK, None, None))
    k.GdcLaunchDependentsTko(k.token, k.MemoryFenceAliasTko(k.token, waited))
    k.GdcLaunchDependentsTko(k.token, None)
    k.Assert(scalar_mask, 'a "message"\n\t\\')
    scratch = k.Alloca(k.tile(k.pointer(S.F32)), 128, 16, False)
    k.StorePtrTko(k.token, scratch, c, None, None, Memory.WEAK, None, None)


@form(pointer_to(S.F32), pointer_to(S.BF16), of(S.I1))
def paddings(k: Kernel) -> None:
    p, q, condition = k.parameters
    mask = k.Broadcast(k.tile(S.I1, 16), k.Reshape(k.tile(S.I1, 1), condition))
    token = k.MakeToken(k.token)
    for pointer, element, data in (
        (p, S.F32, struct.pack("<f", 2.0)),
        (q, S.BF16, struct.pack("<H", 0xFF80)),
    ):
        at, tile = addresses(k, pointer, element, 16), k.tile(element, 16)
        scalar = k.constant(element, data)
        spread = k.Broadcast(tile, k.Reshape(k.tile(element, 1), scalar))
        for padding in (spread, spread, k.constant(element, data, 16)):
            show(k, k.LoadPtrTko(tile, k.token, at, mask, padding, token, Memory.WEAK, None, None)[0])
        show(k, spread)  # Something else needs it too.


@form(pointer_to(S.F32), of(S.I1))
def paddings_of_rank_2(k: Kernel) -> None:
    p, condition = k.parameters
    at, tile = addresses(k, p, S.F32, 4, 8), k.tile(S.F32, 4, 8)
    mask = k.Broadcast(k.tile(S.I1, 4, 8), k.Reshape(k.tile(S.I1, 1, 1), condition))
    for padding in (k.constant(S.F32, struct.pack("<f", 2.0), 4, 8), cast_iota(k, S.F32, 4, 8)):
        x, t = k.LoadPtrTko(tile, k.token, at, mask, padding, None, Memory.WEAK, None, None)
        k.PrintTko(k.token, (x,), t, "%f")


@form(pointer_to(S.F32), pointer_to(S.I32), of(S.I32))
def atomics(k: Kernel) -> None:
    p, q, n = k.parameters
    at, f = addresses(k, q, S.I32, 16), k.tile(S.I32, 16)
    x = k.Iota(f)
    mask = k.CmpI(k.tile(S.I1, 16), x, x, Predicate.EQUAL, Signedness.Signed)
    first = k.MakeToken(k.token)
    modes = (
        Atomic.AND,
        Atomic.OR,
        Atomic.XOR,
        Atomic.ADD,
        Atomic.MAX,
        Atomic.MIN,
        Atomic.UMAX,
        Atomic.UMIN,
        Atomic.XCHG,
    )
    for mode in modes:
        show(k, k.AtomicRMWTko(f, k.token, at, x, None, None, Memory.RELAXED, Scope.DEVICE, mode)[0])
        show(k, k.AtomicRMWTko(f, k.token, at, x, mask, first, Memory.ACQ_REL, Scope.SYS, mode)[0])
    one = k.constant(S.F32, struct.pack("<f", 1.0))
    scalar_mask = k.CmpI(k.tile(S.I1), n, n, Predicate.EQUAL, Signedness.Signed)
    for given in (None, scalar_mask):
        old, after = k.AtomicRMWTko(
            k.tile(S.F32), k.token, p, one, given, first, Memory.RELEASE, Scope.DEVICE, Atomic.ADDF
        )
        k.PrintTko(k.token, (old,), after, "%f")
    show(k, k.AtomicCASTko(f, k.token, at, x, x, None, None, Memory.RELAXED, Scope.DEVICE)[0])
    show(k, k.AtomicCASTko(f, k.token, at, x, x, mask, first, Memory.ACQUIRE, Scope.TL_BLK)[0])
    show(
        k, k.AtomicCASTko(k.tile(S.I32), k.token, q, n, n, scalar_mask, None, Memory.RELAXED, Scope.DEVICE)[0]
    )


@form(pointer_to(S.F32), of(S.I32), of(S.I32))
def views(k: Kernel) -> None:
    p, n, m = k.parameters
    types, missing = k.types, PtrAttr.Missing
    element, f = types.simple(S.F32), k.tile(S.F32, 16, 8)
    tensors = [
        (types.tensor_view(element, (64, 32), (32, 1), missing), (), ()),
        (types.tensor_view(element, (DYNAMIC, DYNAMIC), (DYNAMIC, 1), missing), (n, m), (n,)),
        (types.tensor_view(element, (DYNAMIC, 32), (32, 1), missing), (n,), ()),
        (types.tensor_view(element, (64, 32), (DYNAMIC, DYNAMIC), missing), (), (n, m)),
    ]
    for type, extents, strides in tensors:
        tensor = k.MakeTensorView(type, p, extents, strides)
        for padding, order in itertools.product(PaddingValue, ((0, 1), (1, 0))):
            view = k.MakePartitionView(types.partition_view((16, 8), type, order, padding), tensor)
            show(k, k.LoadViewTko(f, k.token, view, (n, m), None, Memory.WEAK, None, None, (0, 0))[0])
        show(k, *k.GetIndexSpaceShape((k.tile(S.I32), k.tile(S.I32)), view))
        show(k, *k.GetTensorShape((k.tile(S.I32), k.tile(S.I32)), tensor))
    for given, inbounds in itertools.product(({"latency": 3}, {"allow_tma": False}, {}), ((0, 1), (1, 1))):
        x, t = k.LoadViewTko(
            f, k.token, view, (n, m), None, Memory.ACQUIRE, Scope.DEVICE, hints(**given), inbounds
        )
        k.StoreViewTko(k.token, x, view, (m, n), t, Memory.RELEASE, Scope.SYS, hints(**given), inbounds)
        k.StoreViewTko(k.token, x, view, (m, n), None, Memory.WEAK, None, hints(**given), inbounds)
    bare = k.MakePartitionView(types.partition_view((16, 8), type, (0, 1), PaddingValue.Missing), tensor)
    for inbounds in ((0, 0), (0, 1)):
        k.AtomicRedViewTko(k.token, bare, (n, m), x, t, Memory.RELAXED, Scope.DEVICE, Atomic.ADDF, inbounds)


@form(pointer_to(S.F32), of(S.I32))
def ranks(k: Kernel) -> None:
    p, n = k.parameters
    element = k.types.simple(S.F32)
    for rank in (1, 3, 5):
        type = k.types.tensor_view(element, (DYNAMIC,) * rank, (*(DYNAMIC,) * (rank - 1), 1), PtrAttr.Missing)
        tensor = k.MakeTensorView(type, p, (n,) * rank, (n,) * (rank - 1))
        shape = (2,) * rank
        view = k.MakePartitionView(
            k.types.partition_view(shape, type, tuple(reversed(range(rank))), PaddingValue.Zero), tensor
        )
        tile = k.tile(S.F32, *shape)
        x, t = k.LoadViewTko(tile, k.token, view, (n,) * rank, None, Memory.WEAK, None, None, (0,) * rank)
        k.StoreViewTko(k.token, x, view, (n,) * rank, t, Memory.WEAK, None, None, (0,) * rank)


@form(pointer_to(S.F32), of(S.I32))
def other_views(k: Kernel) -> None:
    p, n = k.parameters
    types, f = k.types, k.tile(S.F32, 16, 8)
    type = types.tensor_view(types.simple(S.F32), (64, 32), (32, 1), PtrAttr.Missing)
    tensor = k.MakeTensorView(type, p, (), ())
    gather = k.MakeGatherScatterView(types.gather_scatter_view((16, 8), type, 0, PaddingValue.Zero), tensor)
    rows = k.Iota(k.tile(S.I32, 16))
    x, t = k.LoadViewTko(f, k.token, gather, (rows, n), None, Memory.WEAK, None, None, (0, 0))
    k.StoreViewTko(k.token, x, gather, (rows, n), t, Memory.WEAK, None, None, (0, 0))
    for order, padding in itertools.product(((0, 1), (1, 0)), (PaddingValue.Missing, PaddingValue.Zero)):
        strided = k.MakeStridedView(types.strided_view((16, 8), (4, 8), type, order, padding), tensor)
        x, t = k.LoadViewTko(f, k.token, strided, (n, n), None, Memory.WEAK, None, None, (0, 0))
        k.StoreViewTko(k.token, x, strided, (n, n), t, Memory.WEAK, None, None, (0, 0))


# ---- promises, grid, control flow -----------------------------------------------------------------


@form(pointer_to(S.F32), of(S.I32))
def promises(k: Kernel) -> None:
    p, n = k.parameters
    i = k.tile(S.I32)
    show(k, k.Assume(i, n, attribute.DivBy(16)), k.Assume(i, n, attribute.Bounded(0, None)))
    show(k, k.Assume(i, n, attribute.Bounded(None, 7)), k.Assume(i, n, attribute.Bounded(-3, 7)))
    wide = k.Iota(k.tile(S.I32, 16))
    show(k, k.Assume(k.tile(S.I32, 16), wide, attribute.DivBy(8, 4, 0)))
    aligned = k.Assume(k.tile(k.pointer(S.F32)), p, attribute.DivBy(16))
    show(k, k.LoadPtrTko(k.tile(S.F32), k.token, aligned, None, None, None, Memory.WEAK, None, None)[0])


@form()
def grid(k: Kernel) -> None:
    i = k.tile(S.I32)
    _, y, _ = k.GetTileBlockId(i, i, i)
    x, _, z = k.GetNumTileBlocks(i, i, i)
    show(k, x, y, z)


@form(pointer_to(S.F32), of(S.I32), of(S.I32))
def loops(k: Kernel) -> None:
    _, n, m = k.parameters
    i, f = k.tile(S.I32), k.tile(S.F32, 8)
    zero, one = k.int32(0), k.int32(1)
    x, y = k.zeros(S.F32, 8), k.constant(S.F32, struct.pack("<f", 1.0), 8)
    with_index = k.For((), zero, n, one, (), False)
    with k.body(with_index, i) as (index,):
        show(k, index)
        k.Continue(())
    with_index.done()
    # Values that change places in every iteration, and one that stays.
    swapping = k.For((f, f, i), zero, n, m, (x, y, m), False)
    with k.body(swapping, i, f, f, i) as (index, left, right, stays):
        inner = k.For((i,), zero, index, one, (stays,), False)
        with k.body(inner, i, i) as (_, total):
            k.Continue((k.AddI(i, total, one, Overflow.NONE),))
        show(k, inner.done()[0])
        k.Continue((right, left, stays))
    show(k, *swapping.done())
    # Twelve values: their names must sort as they are numbered.
    many = k.For((i,) * 12, zero, n, one, (n, m) * 6, False)
    with k.body(many, i, *[i] * 12) as (index, *values):
        k.Continue(
            tuple(k.AddI(i, value, k.int32(number), Overflow.NONE) for number, value in enumerate(values))
        )
    show(k, *many.done())
    long = k.tile(S.I64)
    wide = [k.constant(S.I64, struct.pack("<q", value)) for value in (0, 10, 2)]
    counted = k.For((), *wide, (), False)
    with k.body(counted, long) as (index,):
        show(k, index)
        k.Continue(())
    counted.done()


@form(of(S.I32), of(S.I32))
def branches(k: Kernel) -> None:
    n, m = k.parameters
    i, f = k.tile(S.I32), k.tile(S.F32, 8)
    x = k.zeros(S.F32, 8)
    less = k.CmpI(k.tile(S.I1), n, m, Predicate.LESS_THAN, Signedness.Signed)
    for results, then, other in (
        ((i,), (n,), (m,)),
        ((i, f), (n, x), (m, x)),
        ((i, i, i), (n, m, n), (m, n, m)),
    ):
        chosen = k.If(results, less)
        with k.body(chosen):
            k.Yield(then)
        with k.body(chosen):
            k.Yield(other)
        show(k, *chosen.done())
    silent = k.If((), less)
    with k.body(silent):
        show(k, n)
        k.Yield(())
    with k.body(silent):
        nested = k.If((i,), less)
        with k.body(nested):
            k.Yield((k.AddI(i, n, m, Overflow.NONE),))
        with k.body(nested):
            k.Yield((m,))
        show(k, nested.done()[0])
        k.Yield(())
    silent.done()


@form(of(S.I32), of(S.I32))
def leaving(k: Kernel) -> None:
    n, m = k.parameters
    i = k.tile(S.I32)
    one = k.int32(1)
    forever = k.Loop((i, i), (n, m))
    with k.body(forever, i, i) as (count, other):
        done = k.CmpI(k.tile(S.I1), count, m, Predicate.GREATER_THAN, Signedness.Signed)
        stop = k.If((), done)
        with k.body(stop):
            k.Break((other, count))
        with k.body(stop):
            k.Yield(())
        stop.done()
        odd = k.CmpI(k.tile(S.I1), other, n, Predicate.EQUAL, Signedness.Signed)
        skip = k.If((), odd)
        with k.body(skip):
            k.Continue((k.AddI(i, count, one, Overflow.NONE), other))
        with k.body(skip):
            k.Yield(())
        skip.done()
        show(k, count)
        k.Continue((k.AddI(i, count, one, Overflow.NONE), count))
    show(k, *forever.done())


@form(of(S.I32), of(S.I32))
def loop_results(k: Kernel) -> None:
    n, m = k.parameters
    i, b = k.tile(S.I32), k.tile(S.I1)
    other = k.CmpI(b, n, m, Predicate.EQUAL, Signedness.Signed)
    show(k, k.Select(i, other, n, m))
    forever = k.Loop((i, b), (n,))
    with k.body(forever, i) as (count,):
        more = k.CmpI(b, count, m, Predicate.LESS_THAN, Signedness.Signed)
        go_on = k.If((i,), more)
        with k.body(go_on):
            k.Yield((k.AddI(i, count, k.int32(1), Overflow.NONE),))
        with k.body(go_on):
            k.Break((count, more))
        (following,) = go_on.done()
        show(k, following)
        k.Continue((following,))
    total, condition = forever.done()
    show(k, k.Select(i, condition, total, n))


@form(of(S.I32), of(S.I32))
def early_return(k: Kernel) -> None:
    n, m = k.parameters
    leave = k.If((), k.CmpI(k.tile(S.I1), n, m, Predicate.LESS_THAN, Signedness.Signed))
    with k.body(leave):
        show(k, n)
        k.Return(())
    with k.body(leave):
        k.Yield(())
    leave.done()
    show(k, m)
