# SPDX-License-Identifier: Apache-2.0
"""Forms of promises, the grid and control flow."""

from __future__ import annotations

import struct

from cuda.tile._bytecode import attribute
from tile_ir_kernel import (
    Kernel,
    Memory,
    Overflow,
    Predicate,
    Rounding,
    S,
    Signedness,
    of,
    pointer_to,
)
from translate_forms import form, show


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
def skipping_with_results(k: Kernel) -> None:
    """An if with the loop's values as results, of which one branch goes to the next iteration; twice, and
    what the first gives and what was there before are both read behind the second."""
    n, m = k.parameters
    i, f = k.tile(S.I32), k.tile(S.F32, 8)
    x = k.constant(S.F32, struct.pack("<f", 1.0), 8)
    loop = k.For((i, f), k.int32(0), n, k.int32(1), (m, k.zeros(S.F32, 8)), False)
    with k.body(loop, i, i, f) as (index, count, total):
        found = []
        for limit in (n, m):
            less = k.CmpI(k.tile(S.I1), index, limit, Predicate.LESS_THAN, Signedness.Signed)
            chosen = k.If((i, f), less)
            with k.body(chosen):
                k.Continue((k.AddI(i, count, limit, Overflow.NONE), total))
            with k.body(chosen):
                show(k, limit)
                k.Yield(
                    (k.MulI(i, index, limit, Overflow.NONE), k.AddF(f, total, x, Rounding.NEAREST_EVEN, 0))
                )
            found.append(chosen.done())
        show(k, *found[0], *found[1], count, total)
        k.Continue((k.AddI(i, found[0][0], count, Overflow.NONE), found[0][1]))
    show(k, *loop.done())


@form(of(S.I32), of(S.I32))
def early_return_with_results(k: Kernel) -> None:
    n, m = k.parameters
    i = k.tile(S.I32)
    leave = k.If((i, i), k.CmpI(k.tile(S.I1), n, m, Predicate.LESS_THAN, Signedness.Signed))
    with k.body(leave):
        show(k, n)
        k.Return(())
    with k.body(leave):
        k.Yield((m, k.AddI(i, n, m, Overflow.NONE)))
    show(k, *leave.done())


@form(of(S.I32), of(S.I32))
def results_of_new_types(k: Kernel) -> None:
    """Nothing of the results' types is there before."""
    n, m = k.parameters
    types = (k.tile(S.F32, 8), k.tile(S.BF16, 2, 4), k.tile(S.I1, 4), k.token)
    chosen = k.If(types, k.CmpI(k.tile(S.I1), n, m, Predicate.LESS_THAN, Signedness.Signed))
    for data in (b"\0", b"\xff"):
        with k.body(chosen):
            f = k.constant(S.F32, data * 4, 8)
            h = k.constant(S.BF16, data * 2, 2, 4)
            k.Yield((f, h, k.constant(S.I1, data, 4), k.PrintTko(k.token, (n,), None, "%d")))
    f, h, condition, token = chosen.done()
    show(k, f, k.FToF(k.tile(S.F32, 2, 4), h, Rounding.NEAREST_EVEN))
    show(k, k.Select(k.tile(S.I32, 4), condition, k.int32(1, 4), k.int32(2, 4)))
    k.PrintTko(k.token, (m,), token, "%d")


@form(*[of(S.I32)] * 80)
def eighty_arguments(k: Kernel) -> None:
    show(k, k.parameters[0], k.parameters[79])


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
