# SPDX-License-Identifier: Apache-2.0
"""Memory, views, control flow, atomics and guards of the executor."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from cpu_kernels import DTYPES, kernel, load, store

from tileport import cpu

POINTERS = """
  %i = iota : tile<8xi32>
  %w = constant <i32: {width}> : tile<8xi32>
  %b0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %b0 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %p = offset %b, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %mask = cmpi less_than %i, %w, signed : tile<8xi32> -> tile<8xi1>
  %pad = constant <f32: 9.0> : tile<8xf32>
"""


def code(caught: Any) -> str:
    return str(caught.value.diagnostics[0]["code"])


def test_masks_and_padding() -> None:
    x, y = np.arange(5, dtype=np.float32), np.zeros(8, np.float32)
    body = POINTERS.format(width=5) + """
  %v, %t = load_ptr_tko weak %p, %mask, %pad : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
""" + store("%v", "%out", "f32", (8,))  # fmt: skip
    cpu.launch(kernel("%a: tile<ptr<f32>>, %out: tile<ptr<f32>>", body), (1,), [x, y])
    assert y.tolist() == [0, 1, 2, 3, 4, 9, 9, 9]


def test_masked_store_leaves_the_rest() -> None:
    x = np.full(8, 3, np.float32)
    body = (
        POINTERS.format(width=5)
        + """
  %t = store_ptr_tko weak %p, %pad, %mask : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
"""
    )
    cpu.launch(kernel("%a: tile<ptr<f32>>", body), (1,), [x])
    assert x.tolist() == [9] * 5 + [3] * 3


def test_access_outside_is_found() -> None:
    for width, bad in ((8, False), (9, True)):
        x = np.arange(width - 1, dtype=np.float32)
        body = (
            POINTERS.format(width=width)
            + """
  %v, %t = load_ptr_tko weak %p, %mask, %pad : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
"""
        )
        module = kernel("%a: tile<ptr<f32>>", body)
        if not bad:
            x = np.arange(8, dtype=np.float32)
            cpu.launch(module, (1,), [x])
            continue
        with pytest.raises(cpu.ExecutionError, match=r"bytes behind the end of argument 0|element") as caught:
            cpu.launch(module, (1,), [np.arange(7, dtype=np.float32)[:7].copy()])
        assert code(caught) == "TP-E0020"
        assert caught.value.diagnostics[0]["path"] == "@k/load_ptr_tko#0"


VIEW = "tensor_view<?x?x{kind}, strides=[?,1]>"


def view_kernel(
    kind: str, padding: str, dims: str = "", index: str = "%bx, %by", version: Any = (13, 4)
) -> Any:
    """Copies tile (bx, by) of a tensor into tile (bx, by) of a full 8 x 8 grid of tiles of 4 x 8."""
    view = VIEW.format(kind=kind)
    part = f"partition_view<tile=(4x8), {padding}{view}{dims}>"
    whole = f"tensor_view<32x64x{kind}, strides=[64,1]>"
    target = f"partition_view<tile=(4x8), {whole}>"
    return kernel(
        f"%a: tile<ptr<{kind}>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %one: tile<i32>, %out: tile<ptr<{kind}>>",
        f"""
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %v = make_tensor_view %a, shape = [%m, %n], strides = [%s, 1] : tile<i32> -> {view}
  %p = make_partition_view %v : {part}
  %x, %t = load_view_tko weak %p[{index}] : {part}, tile<i32> -> tile<4x8x{kind}>, token
  %vo = make_tensor_view %out, shape = [32, 64], strides = [64, 1] : {whole}
  %po = make_partition_view %vo : {target}
  %to = store_view_tko weak %x, %po[%bx, %by] : tile<4x8x{kind}>, {target}, tile<i32> -> token""",
        version,
    )


@pytest.mark.parametrize("kind", ["i8", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E5M2"])
@pytest.mark.parametrize(("padding", "value"), [("zero", 0), ("nan", np.nan), ("neg_inf", -np.inf), ("pos_inf", np.inf), ("neg_zero", -0.0)])  # fmt: skip
def test_padding(kind: str, padding: str, value: float) -> None:
    if kind.startswith("i") and padding != "zero":
        return
    dtype = DTYPES[kind]
    base = np.arange(20 * 40).reshape(20, 40).astype(dtype)
    a = base[:18, :37]
    out = np.zeros((32, 64), dtype)
    cpu.launch(
        view_kernel(kind, f"padding_value = {padding}, "),
        (5, 5, 1),
        [_address(a), 18, 37, 40, 1, out],
        more=[base],
    )
    expected = np.full((20, 40), value).astype(dtype)
    expected[:18, :37] = a
    bits = f"u{np.dtype(dtype).itemsize}"
    nan = np.isnan(expected.astype(np.float64))
    assert ((out[:20, :40].view(bits) == expected.view(bits)) | nan).all()
    assert (np.isnan(out[:20, :40].astype(np.float64)) == nan).all()
    assert not out[20:].astype(np.float64).any()


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def test_dim_map() -> None:
    """Tile dimension d runs along tensor dimension dim_map[d]."""
    a = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
    out = np.zeros((32, 64), np.float32)
    cpu.launch(
        view_kernel("f32", "", ", dim_map=[1, 0]"), (2, 2, 1), [_address(a), 16, 8, 8, 1, out], more=[a]
    )
    assert (out[:8, :16] == a.T).all()


def test_tiles_outside_of_the_view() -> None:
    """Every element of such a tile is outside: a load pads it all, a store drops it all."""
    a, out = np.ones((16, 8), np.float32), np.full((32, 64), 5, np.float32)
    arguments = [_address(a), 16, 8, 8, 1, out]
    cpu.launch(view_kernel("f32", "padding_value = zero, "), (1, 2, 1), arguments, more=[a])
    assert (out[:4, :8] == 1).all() and (out[:4, 8:16] == 0).all()
    for unspecified, expected in (("nan", np.nan), ("zero", 0)):
        cpu.launch(view_kernel("f32", ""), (1, 2, 1), arguments, more=[a], unspecified=unspecified)
        np.testing.assert_array_equal(out[:4, 8:16], np.full((4, 8), expected, np.float32))


def test_extents_beyond_the_array() -> None:
    a, out = np.zeros((15, 8), np.float32), np.zeros((32, 64), np.float32)
    with pytest.raises(cpu.ExecutionError, match="behind the end of further array 0") as caught:
        cpu.launch(view_kernel("f32", ""), (4, 1, 1), [_address(a), 16, 8, 8, 1, out], more=[a])
    assert code(caught) == "TP-E0020"


def test_broken_inbounds() -> None:
    body = """
  %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %p = make_partition_view %v : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
  %x, %t = load_view_tko weak %p[%zero] inbounds = [true] : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
"""
    module = kernel("%a: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>", body)
    cpu.launch(module, (1,), [np.zeros(8, np.float32)])
    with pytest.raises(cpu.ExecutionError, match="begins at 0 of 7 and is 8 long") as caught:
        cpu.launch(module, (1,), [np.zeros(7, np.float32)])
    assert code(caught) == "TP-E0024"


@pytest.mark.parametrize(
    ("predicate", "good", "bad"),
    [("div_by<16>", 32, 24), ("bounded<0, ?>", 0, -1), ("bounded<?, 7>", -9, 8), ("bounded<-2, 2>", 2, 3)],
)
def test_broken_assumes(predicate: str, good: int, bad: int) -> None:
    module = kernel("%n: tile<i32>", f"  %m = assume {predicate}, %n : tile<i32>")
    cpu.launch(module, (1,), [good])
    with pytest.raises(cpu.ExecutionError, match=f"element 0 is {bad}") as caught:
        cpu.launch(module, (1,), [bad])
    assert code(caught) == "TP-E0023"
    cpu.launch(module, (1,), [bad], unchecked=True)


def race(same_place: bool, atomic: bool = False) -> Any:
    index = "%zero" if same_place else "%bx"
    view = "tensor_view<?xi32, strides=[1]>"
    part = f"partition_view<tile=(1), {view}>"
    op = (f"%t = atomic_red_view_tko relaxed device %p[{index}], add, %x : tile<1xi32>, {part}, tile<i32> -> token" if atomic
          else f"%t = store_view_tko weak %x, %p[{index}] : tile<1xi32>, {part}, tile<i32> -> token")  # fmt: skip
    return kernel(
        "%a: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>",
        f"""
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x = constant <i32: 1> : tile<1xi32>
  %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> {view}
  %p = make_partition_view %v : {part}
  {op}""",
    )


def test_races() -> None:
    a = np.zeros(8, np.int32)
    cpu.launch(race(False), (8,), [a])
    assert a.tolist() == [1] * 8
    with pytest.raises(
        cpu.ExecutionError, match=r"writes element \[0\] of argument 0, which another block"
    ) as caught:
        cpu.launch(race(True), (8,), [a])
    assert code(caught) == "TP-E0021"


def test_reads_of_what_nobody_wrote() -> None:
    body = load("x", "%a", "f32", (4,)) + store("%x", "%out", "f32", (4,))
    module = kernel("%a: tile<ptr<f32>>, %out: tile<ptr<f32>>", body)
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    cpu.launch(module, (1,), [x, y], undefined=[1])
    with pytest.raises(
        cpu.ExecutionError, match=r"reads element \[0\] of argument 0, which nobody has written"
    ) as caught:
        cpu.launch(module, (1,), [x, y], undefined=[0])
    assert code(caught) == "TP-E0022"


def test_read_only_arrays() -> None:
    a = np.zeros(8, np.int32)
    a.flags.writeable = False
    with pytest.raises(cpu.ExecutionError, match="read-only") as caught:
        cpu.launch(race(False), (8,), [a])
    assert code(caught) == "TP-E0020"


ATOMICS = [
    ("i32", "and", 12, 10, 8), ("i32", "or", 12, 10, 14), ("i32", "xor", 12, 10, 6), ("i32", "add", 12, 10, 22),
    ("i32", "max", 12, -10, 12), ("i32", "min", 12, -10, -10), ("i32", "umax", 12, -10, -10),
    ("i32", "umin", 12, -10, 12), ("i32", "xchg", 12, 10, 10), ("i64", "add", 1 << 40, 5, (1 << 40) + 5),
    ("f32", "addf", 1.5, 2.25, 3.75), ("f64", "addf", 1.5, 2.25, 3.75), ("f16", "addf", 1.5, 2.25, 3.75),
    ("bf16", "addf", 1.5, 2.25, 3.75),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "mode", "old", "by", "new"), ATOMICS)
def test_atomics(kind: str, mode: str, old: Any, by: Any, new: Any) -> None:
    dtype = DTYPES[kind]
    a, b, c = (np.full(4, value).astype(dtype) for value in (old, by, 0))
    body = load("b", "%pb", kind, (4,)) + f"""
  %i = iota : tile<4xi32>
  %three = constant <i32: 3> : tile<4xi32>
  %mask = cmpi less_than %i, %three, signed : tile<4xi32> -> tile<4xi1>
  %q0 = reshape %pa : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
  %q1 = broadcast %q0 : tile<1xptr<{kind}>> -> tile<4xptr<{kind}>>
  %q = offset %q1, %i : tile<4xptr<{kind}>>, tile<4xi32> -> tile<4xptr<{kind}>>
  %r, %t = atomic_rmw_tko relaxed device %q, {mode}, %b, %mask : tile<4xptr<{kind}>>, tile<4x{kind}>, tile<4xi1> -> tile<4x{kind}>, token
""" + store("%r", "%out", kind, (4,))  # fmt: skip
    names = ("pa", "pb", "out")
    module = kernel(", ".join(f"%{name}: tile<ptr<{kind}>>" for name in names), body)
    cpu.launch(module, (1,), [a, b, c])
    assert a.astype(np.float64).tolist() == [new, new, new, old]
    assert c[:3].astype(np.float64).tolist() == [old] * 3


def test_compare_and_swap() -> None:
    a = np.array([1, 2], np.int32)
    body = """
  %i = iota : tile<2xi32>
  %q0 = reshape %pa : tile<ptr<i32>> -> tile<1xptr<i32>>
  %q1 = broadcast %q0 : tile<1xptr<i32>> -> tile<2xptr<i32>>
  %q = offset %q1, %i : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
  %c = constant <i32: 2> : tile<2xi32>
  %n = constant <i32: 7> : tile<2xi32>
  %r, %t = atomic_cas_tko relaxed device %q, %c, %n : tile<2xptr<i32>>, tile<2xi32> -> tile<2xi32>, token
"""
    cpu.launch(kernel("%pa: tile<ptr<i32>>", body), (1,), [a])
    assert a.tolist() == [1, 7]


def test_sums_of_many_blocks() -> None:
    a = np.zeros(1, np.int32)
    cpu.launch(race(True, atomic=True), (1000,), [a], any_order=True)
    assert a[0] == 1000


def test_loops_and_branches() -> None:
    """Collatz lengths: a loop with break and continue under conditions, in a for that exchanges carried values."""
    body = """
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %start = addi %bx, %one : tile<i32>
  %length = loop iter_values(%x = %start, %n = %zero) : tile<i32>, tile<i32> -> tile<i32> {
    %done = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
    if %done {
      break %n : tile<i32>
    }
    %next = addi %n, %one : tile<i32>
    %rest = remi %x, %two signed : tile<i32>
    %odd = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
    %y = if %odd -> (tile<i32>) {
      %m = muli %x, %three : tile<i32>
      %p = addi %m, %one : tile<i32>
      yield %p : tile<i32>
    } else {
      %h = divi %x, %two signed : tile<i32>
      yield %h : tile<i32>
    }
    continue %y, %next : tile<i32>, tile<i32>
  }
  %ten = constant <i32: 10> : tile<i32>
  %f, %g = for %i in (%zero to %ten, step %one) : tile<i32> iter_values(%a = %zero, %b = %one) -> (tile<i32>, tile<i32>) {
    %s = addi %a, %b : tile<i32>
    continue %b, %s : tile<i32>, tile<i32>
  }
  %sum = addi %length, %f : tile<i32>
  %sum1 = reshape %sum : tile<i32> -> tile<1xi32>
  %v = make_tensor_view %out, shape = [32], strides = [1] : tensor_view<32xi32, strides=[1]>
  %pv = make_partition_view %v : partition_view<tile=(1), tensor_view<32xi32, strides=[1]>>
  %t = store_view_tko weak %sum1, %pv[%bx] : tile<1xi32>, partition_view<tile=(1), tensor_view<32xi32, strides=[1]>>, tile<i32> -> token
"""
    out = np.zeros(32, np.int32)
    cpu.launch(kernel("%out: tile<ptr<i32>>", body), (32,), [out])

    def collatz(x: int) -> int:
        n = 0
        while x != 1:
            x, n = (3 * x + 1, n + 1) if x % 2 else (x // 2, n + 1)
        return n

    assert out.tolist() == [collatz(x + 1) + 55 for x in range(32)]


def test_carried_tiles_change_buffers() -> None:
    """Large carried tiles, swapped with each other and with new ones, in nested loops."""
    body = load("a", "%pa", "i32", (128,)) + """
  %one = constant <i32: 1> : tile<i32>
  %n = constant <i32: 5> : tile<i32>
  %ones = constant <i32: 1> : tile<128xi32>
  %x, %y = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%p = %a, %q = %ones) -> (tile<128xi32>, tile<128xi32>) {
    %s = addi %p, %q : tile<128xi32>
    %z = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%w = %s) -> (tile<128xi32>) {
      %u = addi %w, %q : tile<128xi32>
      continue %u : tile<128xi32>
    }
    continue %q, %z : tile<128xi32>, tile<128xi32>
  }
""" + store("%x", "%po", "i32", (128,)) + store("%y", "%pq", "i32", (128,))  # fmt: skip
    a, x, y = np.arange(128, dtype=np.int32), np.zeros(128, np.int32), np.zeros(128, np.int32)
    module = kernel("%pa: tile<ptr<i32>>, %po: tile<ptr<i32>>, %pq: tile<ptr<i32>>", body)
    for _ in range(2):
        cpu.launch(module, (1,), [a, x, y])
        p, q = a, np.ones(128, np.int32)
        for _ in range(5):
            p, q = q, p + q + 5 * q
        assert (x == p).all() and (y == q).all()


def test_print_and_assert() -> None:
    body = """
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %f = constant <f16: 1.5> : tile<2x2xf16>
  %t = print_tko "block %d: %.2f%%\\0A", %bx, %f : tile<i32>, tile<2x2xf16> -> token
  %one = constant <i32: 1> : tile<i32>
  %c = cmpi less_than %bx, %n, signed : tile<i32> -> tile<i1>
  assert %c, "too many blocks" : tile<i1>
"""
    module = kernel("%n: tile<i32>", body)
    printed = cpu.launch(module, (2,), [2]).printed
    assert printed == "".join(f"block {i}: [[1.50, 1.50], [1.50, 1.50]]%\n" for i in range(2))
    with pytest.raises(cpu.ExecutionError, match="too many blocks") as caught:
        cpu.launch(module, (3,), [2])
    assert code(caught) == "TP-E0030"


def test_gather_and_scatter_views() -> None:
    view = "tensor_view<16x8xf32, strides=[8,1]>"
    part = f"gather_scatter_view<tile=(4x4), padding_value = zero, {view}, sparse_dim=0>"
    body = f"""
  %v = make_tensor_view %a, shape = [16, 8], strides = [8, 1] : {view}
  %g = make_gather_scatter_view %v : {part}
  %i = constant <i32: [3, 15, 99, 0]> : tile<4xi32>
  %c = constant <i32: 5> : tile<i32>
  %x, %t = load_view_tko weak %g[%i, %c] : {part}, tile<4xi32>, tile<i32> -> tile<4x4xf32>, token
""" + store("%x", "%out", "f32", (4, 4))
    a, out = np.arange(128, dtype=np.float32).reshape(16, 8), np.zeros((4, 4), np.float32)
    cpu.launch(kernel("%a: tile<ptr<f32>>, %out: tile<ptr<f32>>", body), (1,), [a, out])
    expected = np.zeros((4, 4), np.float32)
    for row, source in ((0, 3), (1, 15), (3, 0)):
        expected[row, :3] = a[source, 5:]
    assert (out == expected).all()


def test_arrays_of_both_libraries_are_used_in_place() -> None:
    module = race(False)
    tensor = torch.zeros(16, dtype=torch.int32)
    cpu.launch(module, (4,), [tensor[8:12]])
    assert tensor.tolist() == [0] * 8 + [1] * 4 + [0] * 4
    bf16 = torch.ones(4, dtype=torch.bfloat16)
    copied = np.zeros(4, ml_dtypes.bfloat16)
    body = load("x", "%a", "bf16", (4,)) + store("%x", "%out", "bf16", (4,))
    cpu.launch(kernel("%a: tile<ptr<bf16>>, %out: tile<ptr<bf16>>", body), (1,), [bf16, copied])
    assert copied.astype(np.float32).tolist() == [1] * 4
