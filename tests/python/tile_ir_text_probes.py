# SPDX-License-Identifier: Apache-2.0
"""Probes of names, literals, frames and versions."""

from __future__ import annotations

import random
import struct

from cuda.tile._bytecode import attribute
from cuda.tile._bytecode.type_base import PaddingValue, PtrAttr
from cuda.tile._bytecode.version import BytecodeVersion
from tile_ir_kernel import (
    DYNAMIC,
    VERSIONS,
    Atomic,
    Kernel,
    Memory,
    Overflow,
    Rounding,
    S,
    Scope,
    Signedness,
    of,
    pointer_to,
    probe,
)

# ---- names, literals, frames ----------------------------------------------------------------------


@probe(of(S.I32), pointer_to(S.I32), of(S.I1))
def assumed_names(k: Kernel) -> None:
    """Each kind of producer gives its assume another name."""
    n, p, condition = k.parameters
    i, types = k.tile(S.I32), k.types
    x, y, _ = k.GetTileBlockId(i, i, i)
    for value in (n, x, y, k.bounded(k.bounded(x)), k.int32(-3)):
        k.bounded(value)
    k.bounded(k.GetNumTileBlocks(i, i, i)[2])
    k.Assume(i, n, attribute.Bounded(None, 5))
    k.Assume(i, n, attribute.Bounded(None, None))
    k.Assume(k.tile(S.I32, 16), k.Iota(k.tile(S.I32, 16)), attribute.DivBy(4, 4, 0))
    loaded, _ = k.LoadPtrTko(i, k.token, p, None, None, None, Memory.WEAK, None, None)
    k.bounded(loaded)
    k.bounded(k.AtomicRMWTko(i, k.token, p, loaded, None, None, Memory.RELAXED, Scope.DEVICE, Atomic.ADD)[0])
    for count in (1, 2):
        branch = k.If((i,) * count, condition)
        for _ in range(2):
            with k.body(branch):
                k.Yield((n,) * count)
        k.bounded(k.bounded(branch.done()[-1]))
    loop = k.For((i, i), n, n, n, (n, n), False)
    with k.body(loop, i, i, i) as (index, a, b):
        k.bounded(index)
        k.bounded(a)
        k.Continue((a, b))
    for value in loop.done():
        k.bounded(value)
    loop = k.Loop((i,), (n,))
    with k.body(loop, i) as (a,):
        k.bounded(a)
        k.Break((a,))
    k.bounded(loop.done()[0])
    zero, four = attribute.Integer(types.I32, 32, 0), k.zeros(S.I32, 4)
    reduce = k.Reduce((i, i), (four, four), 0, (zero, zero))
    with k.body(reduce, i, i, i, i) as (a, _, c, _):
        k.Yield((a, c))
    for value in reduce.done():
        k.bounded(value)
    tensor = types.tensor_view(types.I32, (64, 32), (32, 1), PtrAttr.Missing)
    view = k.MakeTensorView(tensor, p, (), ())
    for value in k.GetTensorShape((i, i), view):
        k.bounded(value)
    partition = k.MakePartitionView(types.partition_view((16, 8), tensor, (0, 1), PaddingValue.Missing), view)
    tile = k.tile(S.I32, 16, 8)
    k.bounded(k.LoadViewTko(tile, k.token, partition, (n, n), None, Memory.WEAK, None, None, (0, 0))[0], tile)
    k.bounded(k.Select(i, condition, n, n))
    k.bounded(k.Broadcast(k.tile(S.I32, 4), k.Reshape(k.tile(S.I32, 1), n)), k.tile(S.I32, 4))


def interesting_floats() -> list[tuple[S, bytes]]:
    """Floats whose text takes each of the ways that there are, and random ones."""
    rng = random.Random(7)
    singles = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        1e10,
        1e-10,
        3.4e38,
        0.1,
        100000.0,
        123456.789,
        16777216.0,
        1e18,
        1e19,
        1e20,
    ]
    doubles = [0.1, 1e300, 5e-324, -2.0, 3.141592653589793, 1 / 3, 1e22, 123456789.0]
    constants = [(S.F32, struct.pack("<f", v)) for v in [*singles, float("inf"), float("-inf"), float("nan")]]
    constants += [(S.F64, struct.pack("<d", v)) for v in [*doubles, float("inf"), float("nan")]]
    for _ in range(60):
        scaled = rng.choice((-1, 1)) * rng.randrange(10 ** rng.randrange(1, 12)) / 10 ** rng.randrange(9)
        constants.append((S.F32, struct.pack("<f", scaled)))
        constants.append((S.F64, struct.pack("<d", scaled * 7)))
        constants.append((S.F32, struct.pack("<I", rng.getrandbits(32))))
        constants.append((S.F64, struct.pack("<Q", rng.getrandbits(64))))
        constants.append((S.F16, struct.pack("<H", rng.getrandbits(16))))
        constants.append((S.BF16, struct.pack("<H", rng.getrandbits(16))))
        constants.append((S.TF32, struct.pack("<I", rng.getrandbits(19))[:3]))
    for bits in range(256):
        constants += [
            (element, bytes([bits])) for element in (S.F8E4M3FN, S.F8E5M2, S.F8E8M0FNU, S.FNV8E5M3FNU)
        ]
    return constants


@probe()
def floats(k: Kernel) -> None:
    for element, data in interesting_floats():
        k.constant(element, data)
    for bits in range(16):
        k.constant(S.F4E2M1FN, bytes([bits]), 2)


@probe()
def constants(k: Kernel) -> None:
    for data, *shape in (
        (b"\x01",),
        (b"\x00",),
        (b"\x05", 4),
        (b"\x0f", 4),
        (b"\xff", 8),
        (b"\x00", 16),
        (b"\x05\x01", 16),
    ):
        k.constant(S.I1, data, *shape)
    for number in (0, -1, 127, -128):
        k.constant(S.I8, struct.pack("b", number))
    k.constant(S.I16, struct.pack("<h", -5))
    k.constant(S.I64, struct.pack("<q", -(2**63)))
    k.constant(S.I64, struct.pack("<q", 2**63 - 1))
    four = struct.pack("<4i", 1, -2, 3, 4)
    k.int32(-7, 4)
    k.constant(S.I32, four, 4)
    k.constant(S.I32, four, 2, 2)
    k.constant(S.I32, struct.pack("<4i", 1, 1, 1, 1), 4)
    k.constant(S.I32, struct.pack("<64i", *range(64)), 64)
    k.constant(S.I32, struct.pack("<128i", *range(128)), 8, 16)
    k.constant(S.F32, struct.pack("<4f", 1, 2, 3, float("inf")), 2, 2)
    k.constant(S.F32, struct.pack("<2f", float("nan"), 1), 2)
    k.constant(S.F64, struct.pack("<d", 2.0**70), 1)


@probe(entry='odd name "$x.y"')
def odd_name(k: Kernel) -> None:
    pass


@probe(hints={"sm_90": attribute.EntryHints(2, 4, 8), "default": attribute.EntryHints(occupancy=1)})
def entry_hints(k: Kernel) -> None:
    pass


@probe(hints={"sm_90": attribute.EntryHints()}, version="13.4")
def empty_hints(k: Kernel) -> None:
    pass


@probe(hints={"sm_100": attribute.EntryHints(2, 4)}, version="13.3")
def older_hints(k: Kernel) -> None:
    pass


# ---- versions -------------------------------------------------------------------------------------


def _gated_ops(k: Kernel) -> None:
    """Ops whose encoding changed from version to version."""
    p, n, f = k.parameters
    i, flush = k.tile(S.I32), False
    version = k.builder.version
    k.NegI(i, n, Overflow.NONE)
    k.TanH(k.tile(S.F32), f, Rounding.FULL)
    k.Exp(k.tile(S.F32), f, Rounding.FULL)
    k.Exp2(k.tile(S.F32), f, flush)
    k.FToI(i, f, Signedness.Signed, Rounding.NEAREST_INT_TO_ZERO, False)
    half = k.zeros(S.F16, 16, 16)
    k.MmaF(k.tile(S.F32, 16, 16), half, half, k.zeros(S.F32, 16, 16), False)
    loop = k.For((i,), n, n, n, (n,), False)
    with k.body(loop, i, i) as (_, sum):
        k.Continue((sum,))
    loop.done()
    # In 13.1 a print writes no token, but one exists and takes a number in the text.
    printed = k.token if version >= BytecodeVersion.V_13_2 else None
    k.PrintTko(printed, (n,), None, "%d")
    k.PrintTko(printed, (), None, "done")
    tensor = k.types.tensor_view(k.types.F32, (DYNAMIC, 32), (32, 1), PtrAttr.Missing)
    made = k.MakeTensorView(tensor, p, (n,), ())
    for padding in (PaddingValue.Missing, PaddingValue.Zero):
        view = k.MakePartitionView(k.types.partition_view((16, 8), tensor, (0, 1), padding), made)
        tile, t = k.LoadViewTko(
            k.tile(S.F32, 16, 8), k.token, view, (n, n), None, Memory.WEAK, None, None, (0, 0)
        )
        k.StoreViewTko(k.token, tile, view, (n, n), t, Memory.WEAK, None, None, (0, 0))
        if version >= BytecodeVersion.V_13_3:
            k.AtomicRedViewTko(
                k.token, view, (n, n), tile, t, Memory.RELAXED, Scope.DEVICE, Atomic.ADDF, (0, 0)
            )
    k.AddI(i, n, n, Overflow.NONE)


for _version in VERSIONS:
    _name = f"version_{_version.replace('.', '_')}"
    probe(pointer_to(S.F32), of(S.I32), of(S.F32), version=_version, name=_name)(_gated_ops)
