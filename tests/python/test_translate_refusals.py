# SPDX-License-Identifier: Apache-2.0
"""What cuTile Rust can't express is refused, with a code and a place, and nothing else is lost by it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cuda.tile._bytecode import attribute
from cuda.tile._bytecode.type_base import PaddingValue, PtrAttr
from tile_ir_kernel import (
    DYNAMIC,
    PROBES,
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
from translate_forms import cast_iota, identity, show

from tileport import bytecode, ir, translate

REFUSED: dict[str, tuple[Callable[[], bytes], str, str]] = {}


def refused(code: str, path: str, *arguments: Callable[[Kernel], Any], **options: Any) -> Callable[..., None]:
    """Registers a kernel that must be refused with this code at this access path."""

    def register(write: Callable[[Kernel], None]) -> None:
        name = f"refused_{write.__name__}"
        probe(*arguments, name=name, entry="k", **options)(write)
        REFUSED[write.__name__] = (PROBES.pop(name), code, path)

    return register


@refused("TP-T0105", "@k/constant#0")
def dense_constant(k: Kernel) -> None:
    show(k, k.constant(S.I32, struct.pack("<4i", 1, 2, 3, 4), 4))


@refused("TP-T0105", "@k/constant#1")
def tf32_constant(k: Kernel) -> None:
    show(k, k.int32(1))
    show(k, k.FToF(k.tile(S.F32), k.constant(S.TF32, b"\1\0\0"), Rounding.NEAREST_EVEN))


@refused("TP-T0108", "@k/for#0", of(S.I32))
def unsigned_for(k: Kernel) -> None:
    (n,) = k.parameters
    loop = k.For((), n, n, n, (), True)
    with k.body(loop, k.tile(S.I32)) as (index,):
        show(k, index)
        k.Continue(())
    loop.done()


@refused("TP-T0108", "@k/for#0", of(S.I64))
def wide_for_with_a_computed_step(k: Kernel) -> None:
    (n,) = k.parameters
    loop = k.For((), n, n, n, (), False)
    with k.body(loop, k.tile(S.I64)) as (index,):
        show(k, index)
        k.Continue(())
    loop.done()


@refused("TP-T0108", "@k/for#0/if#0", of(S.I32))
def return_from_a_loop(k: Kernel) -> None:
    (n,) = k.parameters
    loop = k.For((), n, n, n, (), False)
    with k.body(loop, k.tile(S.I32)):
        leave = k.If((), k.zeros(S.I1))
        with k.body(leave):
            k.Return(())
        with k.body(leave):
            k.Yield(())
        leave.done()
        k.Continue(())
    loop.done()


@refused("TP-T0108", "@k/for#0/if#0", of(S.I32))
def skipping_with_results_unlike_the_loops_values(k: Kernel) -> None:
    (n,) = k.parameters
    i = k.tile(S.I32)
    loop = k.For((i,), n, n, n, (n,), False)
    with k.body(loop, i, i) as (_, count):
        skip = k.If((i, k.tile(S.I1)), k.zeros(S.I1))
        with k.body(skip):
            k.Continue((count,))
        with k.body(skip):
            k.Yield((count, k.zeros(S.I1)))
        show(k, *skip.done())
        k.Continue((count,))
    loop.done()


@refused("TP-T0108", "@k/if#0", of(S.I64))
def pointers_out_of_nothing(k: Kernel) -> None:
    (n,) = k.parameters
    pointer = k.tile(k.pointer(S.F32))
    chosen = k.If((pointer, pointer), k.zeros(S.I1))
    for _ in range(2):
        with k.body(chosen):
            k.Yield((k.IntToPtr(pointer, n),) * 2)
    for each in chosen.done():
        show(k, k.LoadPtrTko(k.tile(S.F32), k.token, each, None, None, None, Memory.WEAK, None, None)[0])


@refused("TP-T0103", "@k/make_tensor_view#0", pointer_to(S.F32), of(S.I64))
def wide_extents(k: Kernel) -> None:
    p, n = k.parameters
    type = k.types.tensor_view(k.types.simple(S.F32), (DYNAMIC,), (1,), PtrAttr.Missing)
    k.MakeTensorView(type, p, (n,), ())


@refused("TP-T0103", "@k/exti#0", of(S.I32))
def signed_extension_of_a_condition(k: Kernel) -> None:
    show(k, k.ExtI(k.tile(S.I32), k.zeros(S.I1), Signedness.Signed))


@refused("TP-T0103", "@k/reshape#0")
def rank_seven(k: Kernel) -> None:
    k.Reshape(k.tile(S.I32, 2, 1, 1, 1, 1, 1, 1), k.Iota(k.tile(S.I32, 2)))


@refused("TP-T0106", "@k/load_ptr_tko#0", pointer_to(S.F32))
def hint_for_one_target(k: Kernel) -> None:
    (p,) = k.parameters
    only = attribute.make_load_store_hints({"sm_90": attribute.LoadStoreHints(latency=3)})
    show(k, k.LoadPtrTko(k.tile(S.F32), k.token, p, None, None, None, Memory.WEAK, None, only)[0])


@refused("TP-T0104", "@k/atomic_red_view_tko#0", pointer_to(S.F32), of(S.I32))
def atomic_into_a_padded_view(k: Kernel) -> None:
    p, n = k.parameters
    type = k.types.tensor_view(k.types.simple(S.F32), (64,), (1,), PtrAttr.Missing)
    view = k.MakePartitionView(
        k.types.partition_view((16,), type, (0,), PaddingValue.Zero), k.MakeTensorView(type, p, (), ())
    )
    x = k.zeros(S.F32, 16)
    k.AtomicRedViewTko(k.token, view, (n,), x, None, Memory.RELAXED, Scope.DEVICE, Atomic.ADDF, (0,))


def reduction(k: Kernel, element: S, value: int | float, combine: Callable[..., Any]) -> None:
    x = cast_iota(k, element, 8)
    nested = k.Reduce((k.tile(element),), (x,), 0, (identity(k, element, value),))
    with k.body(nested, k.tile(element), k.tile(element)) as (left, right):
        k.Yield((combine(k.tile(element), left, right),))
    show(k, nested.done()[0])


@refused("TP-T0107", "@k/reduce#0")
def sum_with_another_identity(k: Kernel) -> None:
    reduction(k, S.I32, 1, lambda type, x, y: k.AddI(type, x, y, Overflow.NONE))


@refused("TP-T0107", "@k/reduce#0")
def combination_by_way_of_a_shape(k: Kernel) -> None:
    def combine(type: Any, x: Any, y: Any) -> Any:
        line = k.Reshape(k.tile(S.I32, 1), y)
        return k.AddI(type, x, k.Reshape(type, k.AbsI(k.tile(S.I32, 1), line)), Overflow.NONE)

    reduction(k, S.I32, 0, combine)


@refused("TP-T0105", "@k/constant#1")
def constant_beside_a_tree(k: Kernel) -> None:
    """The place is the constant's in what was given; the port's tree has constants before it."""
    reduction(k, S.I32, 0, lambda type, x, y: k.XOrI(type, x, y))
    show(k, k.int32(1), k.constant(S.I32, struct.pack("<4i", 1, 2, 3, 4), 4))


@refused("TP-T0104", "@k/print_tko#0", of(S.I32))
def print_of_two_tiles(k: Kernel) -> None:
    (n,) = k.parameters
    k.PrintTko(k.token, (n, n), None, "%d %d")


@refused("TP-T0104", "@k/assert#0")
def assert_beyond_ascii(k: Kernel) -> None:
    k.Assert(k.zeros(S.I1), "größer")


@refused("TP-T0110", "@k", pointer_to(S.F32, next(each for each in PtrAttr if each is not PtrAttr.Missing)))
def pointer_with_an_attribute(k: Kernel) -> None:
    show(k, k.int32(1))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_with_code_and_place(name: str) -> None:
    build, code, path = REFUSED[name]
    translation = translate.translate([translate.Specialization("k__0", "k", bytecode.read(build()))])
    assert translation.entries == []
    (refusal,) = translation.refusals
    assert refusal.name == "k__0"
    assert [(each["code"], each["path"]) for each in refusal.diagnostics] == [(code, path)]
    assert "unsafe fn" not in translation.source


def test_the_other_kernels_are_still_translated() -> None:
    bad = bytecode.read(REFUSED["dense_constant"][0]())
    good = bytecode.read(_good())
    translation = translate.translate(
        [translate.Specialization("bad", "k", bad), translate.Specialization("good", "k", good)],
        generic=False,
    )
    assert translation.entries == ["good"]
    assert [each.name for each in translation.refusals] == ["bad"]
    assert translation.source.count("pub unsafe fn ") == 1


def _good() -> bytes:
    @probe(of(S.I32), name="refused_good")
    def write(k: Kernel) -> None:
        show(k, k.parameters[0])

    return PROBES.pop("refused_good")()


def test_one_reason_is_told_once() -> None:
    @probe(name="refused_twice", entry="k")
    def write(k: Kernel) -> None:
        for _ in range(3):
            show(k, k.constant(S.I32, struct.pack("<2i", 1, 2), 2))

    translation = translate.translate(
        [translate.Specialization("k", "k", bytecode.read(PROBES.pop("refused_twice")()))]
    )
    assert [each["path"] for each in translation.refusals[0].diagnostics] == ["@k/constant#0"]


def test_wrong_use_is_an_error() -> None:
    module = bytecode.read(_good())
    for names, code in ((["a", "a"], "TP-T0003"), (["fn"], "TP-T0004"), (["a-b"], "TP-T0004")):
        with pytest.raises(translate.TranslationError) as error:
            translate.translate([translate.Specialization(name, "k", module) for name in names])
        assert error.value.code == code
        assert error.value.exit_status == 2
    with pytest.raises(translate.TranslationError) as error:
        translate.translate([translate.Specialization("a", "k", module, ["x", "y"])])
    assert error.value.code == "TP-T0005"


def test_limits_page_names_exactly_the_ops_without_translation(repository: Path) -> None:
    page = (repository / "docs" / "limits.md").read_text()
    section = page.split("## Ops without a translation", 1)[1].split("\n## ", 1)[0]
    named = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    assert named == set(translate.untranslated_ops())
    assert named < {row["mnemonic"] for row in ir.op_table()}


def test_limits_page_names_exactly_the_codes(repository: Path) -> None:
    page = (repository / "docs" / "limits.md").read_text()
    declared = set(re.findall(r"TP-T\d{4}", (repository / "src" / "translate" / "codes.hpp").read_text()))
    assert set(re.findall(r"TP-T\d{4}", page)) == declared
