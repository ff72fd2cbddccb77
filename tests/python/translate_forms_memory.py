# SPDX-License-Identifier: Apache-2.0
"""Forms of memory, atomics and views."""

from __future__ import annotations

import itertools
import struct

from cuda.tile._bytecode.type_base import PaddingValue, PtrAttr
from tile_ir_kernel import (
    DYNAMIC,
    Atomic,
    Kernel,
    Memory,
    Predicate,
    S,
    Scope,
    Signedness,
    of,
    pointer_to,
)
from translate_forms import addresses, cast_iota, form, hints, show


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
def paddings_that_are_tiles(k: Kernel) -> None:
    p, condition = k.parameters
    for shape in ((1,), (16,)):
        few, tile = addresses(k, p, S.F32, *shape), k.tile(S.F32, *shape)
        mask = k.Broadcast(k.tile(S.I1, *shape), k.Reshape(k.tile(S.I1, 1), condition))
        one = k.Reshape(k.tile(S.F32, 1), k.constant(S.F32, struct.pack("<f", 2.0)))
        for padding in (k.constant(S.F32, struct.pack("<f", 2.0), *shape), one, cast_iota(k, S.F32, *shape)):
            if padding is not one or shape == (1,):
                show(k, k.LoadPtrTko(tile, k.token, few, mask, padding, None, Memory.WEAK, None, None)[0])
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
