# SPDX-License-Identifier: Apache-2.0
"""Forms of arithmetic, mathematics, conversions and constants."""

from __future__ import annotations

import itertools
import struct

from tile_ir_kernel import (
    Kernel,
    Memory,
    Ordering,
    Overflow,
    Predicate,
    Rounding,
    S,
    Signedness,
    of,
    pointer_to,
)
from translate_forms import form, show


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
    for flush in (False, True):
        show(k, k.DivF(f, a, b, Rounding.FULL, flush))
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
    show(k, k.Select(k.tile(S.I32), k.TruncI(k.tile(S.I1), i, Overflow.NONE), i, i))
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
