# SPDX-License-Identifier: Apache-2.0
"""Functions, shapes, products, reductions and control flow on the CPU against mpmath, NumPy and ml_dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest
from cpu_kernels import DTYPES, kernel, load, run, same, store, tile
from test_cpu_arith import N

from tileport import cpu

F = np.float32

FUNCTIONS: dict[str, tuple[str, Any, float, float]] = {
    "exp": ("exp %a", mpmath.exp, -80, 80), "exp approx": ("exp %a rounding<approx>", mpmath.exp, -80, 80),
    "exp2": ("exp2 %a", lambda x: mpmath.power(2, x), -120, 120), "log": ("log %a", mpmath.log, 1e-30, 1e30),
    "log2": ("log2 %a", lambda x: mpmath.log(x, 2), 1e-30, 1e30), "sin": ("sin %a", mpmath.sin, -50, 50),
    "cos": ("cos %a", mpmath.cos, -50, 50), "tan": ("tan %a", mpmath.tan, -1.5, 1.5),
    "sinh": ("sinh %a", mpmath.sinh, -40, 40), "cosh": ("cosh %a", mpmath.cosh, -40, 40),
    "tanh": ("tanh %a", mpmath.tanh, -9, 9), "tanh approx": ("tanh %a rounding<approx>", mpmath.tanh, -9, 9),
    "sqrt": ("sqrt %a", mpmath.sqrt, 0, 1e30), "rsqrt": ("rsqrt %a", lambda x: 1 / mpmath.sqrt(x), 1e-30, 1e30),
    "ceil": ("ceil %a", mpmath.ceil, -1e6, 1e6), "floor": ("floor %a", mpmath.floor, -1e6, 1e6),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_f32(name: str) -> None:
    """The nearest float, or the next one where the exact value is half-way within 2^-26 ulp."""
    op, exact, low, high = FUNCTIONS[name]
    a = np.random.default_rng(1).uniform(low, high, 512).astype(F)
    a[:64] = np.clip(np.random.default_rng(2).standard_normal(64), low, high).astype(F)
    got = run(f"{op} : tile<512xf32>", [("f32", a)], ("f32", (512,)))
    mpmath.mp.prec = 100
    for x, r in zip(a.tolist(), got, strict=True):
        value = exact(mpmath.mpf(x))
        ulp = mpmath.mpf(float(np.spacing(np.abs(r))))
        assert abs(mpmath.mpf(float(r)) - value) <= ulp * (mpmath.mpf(0.5) + mpmath.mpf(2) ** -25), (x, r)


@pytest.mark.parametrize("kind", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sqrt", "rsqrt", "sin"])
def test_functions_of_others(name: str, kind: str) -> None:
    op, exact, low, high = FUNCTIONS[name]
    low, high = max(low, -8), min(high, 8)
    a = np.random.default_rng(3).uniform(low, high, 256).astype(DTYPES[kind])
    got = run(f"{op} : tile<256x{kind}>", [(kind, a)], (kind, (256,)))
    mpmath.mp.prec = 150
    most = 2.5 if kind == "f64" else 0.5 + 2**-10  # f64 is glibc's, to 2 ulp
    for x, r in zip(a.astype(np.float64).tolist(), got, strict=True):
        near = np.nextafter(r, np.array(np.inf, r.dtype))
        ulp = abs(float(near) - float(r))
        assert abs(mpmath.mpf(float(r)) - exact(mpmath.mpf(x))) <= ulp * most, (x, r)


def test_two_operands() -> None:
    random = np.random.default_rng(4)
    a, b = random.uniform(0.1, 9, N).astype(F), random.uniform(-9, 9, N).astype(F)
    wide, other = a.astype(np.float64), b.astype(np.float64)
    f32 = [("f32", a), ("f32", b)]
    same(run(f"fpowf %a, %b : tile<{N}xf32>", f32, ("f32", (N,))), np.power(wide, other).astype(F))
    # The angle of the point (y, x): which operand is which is the spec's atan2(x, y) of its operands in order.
    same(run(f"atan2 %a, %b : tile<{N}xf32>", f32, ("f32", (N,))), np.arctan2(wide, other).astype(F))
    n = random.integers(-5, 6, N).astype(np.int32)
    op = f"fpowi %a, %b : tile<{N}xf32>, tile<{N}xi32>"
    same(run(op, [("f32", a), ("i32", n)], ("f32", (N,))), np.power(wide, n).astype(F))


@pytest.mark.parametrize("kind", ["i8", "f16", "f32", "f64"])
def test_shapes(kind: str) -> None:
    dtype = DTYPES[kind]
    a = np.arange(4 * 8 * 2).reshape(4, 8, 2).astype(dtype)
    k = [(kind, a)]
    got = run(f"permute %a [2, 0, 1] : tile<4x8x2x{kind}> -> tile<2x4x8x{kind}>", k, (kind, (2, 4, 8)))
    same(got, a.transpose(2, 0, 1))
    got = run(f"permute %a [1, 0, 2] : tile<4x8x2x{kind}> -> tile<8x4x2x{kind}>", k, (kind, (8, 4, 2)))
    same(got, a.transpose(1, 0, 2))
    got = run(f"reshape %a : tile<4x8x2x{kind}> -> tile<16x4x{kind}>", k, (kind, (16, 4)))
    same(got, a.reshape(16, 4))
    b = a[:, :1, :]
    got = run(f"broadcast %a : tile<4x1x2x{kind}> -> tile<4x16x2x{kind}>", [(kind, b)], (kind, (4, 16, 2)))
    same(got, np.broadcast_to(b, (4, 16, 2)).copy())
    op = f"cat %a, %b dim = 1 : tile<4x8x2x{kind}>, tile<4x8x2x{kind}> -> tile<4x16x2x{kind}>"
    same(run(op, [(kind, a), (kind, a + a)], (kind, (4, 16, 2))), np.concatenate([a, a + a], 1))
    op = f"constant <i32: 1> : tile<i32>\n  %r = extract %a[%one, %zero, %one] : tile<4x8x2x{kind}> -> tile<2x8x1x{kind}>"
    same(run(op, k, (kind, (2, 8, 1)), first="%one"), a[2:4, :, 1:2])
    op = (f"constant <i32: 1> : tile<i32>\n  %r = insert %a, %b[%one, %zero, %one] : "
          f"tile<2x8x1x{kind}>, tile<4x8x2x{kind}>")  # fmt: skip
    part = a[:2, :, :1] + a[:2, :, :1]
    expected = a.copy()
    expected[2:4, :, 1:2] = part
    same(run(op, [(kind, part), (kind, a)], (kind, (4, 8, 2)), first="%one"), expected)


def test_transposed_matrices() -> None:
    a = np.arange(64 * 128, dtype=np.int32).reshape(64, 128)
    op = "permute %a [1, 0] : tile<64x128xi32> -> tile<128x64xi32>"
    same(run(op, [("i32", a)], ("i32", (128, 64))), a.T.copy())


PRODUCTS = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("f32", "f32"), ("f64", "f64"),
            ("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("f8E4M3FN", "f16")]  # fmt: skip


@pytest.mark.parametrize(("factor", "total"), PRODUCTS)
@pytest.mark.parametrize("shape", [(16, 8, 32), (1, 4, 2), (64, 64, 256), (8, 2, 16), (32, 128, 8)])
def test_products(factor: str, total: str, shape: tuple[int, int, int]) -> None:
    """Within the bound of a chain of fused multiply-adds; exactly where all sums are small integers."""
    m, n, k = shape
    random = np.random.default_rng(5)
    op = f"mmaf %a, %b, %c : tile<{m}x{k}x{factor}>, tile<{k}x{n}x{factor}>, tile<{m}x{n}x{total}>"
    for integers in (True, False):
        make = (lambda *s: random.integers(-2, 3, s)) if integers else (lambda *s: random.standard_normal(s))
        a, b = make(m, k).astype(DTYPES[factor]), make(k, n).astype(DTYPES[factor])
        c = make(m, n).astype(DTYPES[total])
        got = run(op, [(factor, a), (factor, b), (total, c)], (total, (m, n))).astype(np.float64)
        wide = [x.astype(np.float64) for x in (a, b, c)]
        exact = wide[2] + wide[0] @ wide[1]
        if integers:
            assert (got == exact).all()
            continue
        reach = np.abs(wide[2]) + np.abs(wide[0]) @ np.abs(wide[1])
        unit = {"f16": 2.0**-23 * (k + 1) + 2.0**-10, "f32": 2.0**-23 * (k + 1), "f64": 2.0**-52 * (k + 1)}[
            total
        ]
        assert (np.abs(got - exact) <= unit * reach).all()


def test_product_is_one_chain() -> None:
    """acc first, then k in order, each step fused: bit for bit, whatever the blocking."""
    random = np.random.default_rng(6)
    a, b, c = (random.standard_normal(s).astype(F) for s in ((8, 512), (512, 32), (8, 32)))
    op = "mmaf %a, %b, %c : tile<8x512xf32>, tile<512x32xf32>, tile<8x32xf32>"
    got = run(op, [("f32", a), ("f32", b), ("f32", c)], ("f32", (8, 32)))
    for i, j in ((0, 0), (7, 31), (3, 17), (6, 16)):
        total = c[i, j]
        for p in range(512):
            # One rounding: longdouble holds the product and the sum exactly enough to round once to f32.
            total = F(np.longdouble(a[i, p]) * np.longdouble(b[p, j]) + np.longdouble(total))
        assert got[i, j] == total


def test_integer_products() -> None:
    random = np.random.default_rng(7)
    a, b = (
        random.integers(-128, 128, (2, 16, 32)).astype(np.int8),
        random.integers(-128, 128, (2, 32, 16)).astype(np.int8),
    )
    c = random.integers(-(2**31), 2**31, (2, 16, 16)).astype(np.int32)
    for left in ("signed", "unsigned"):
        for right in ("signed", "unsigned"):
            op = f"mmai %a, %b, %c {left} {right} : tile<2x16x32xi8>, tile<2x32x16xi8>, tile<2x16x16xi32>"
            x = a.astype(np.int64) if left == "signed" else a.view(np.uint8).astype(np.int64)
            y = b.astype(np.int64) if right == "signed" else b.view(np.uint8).astype(np.int64)
            got = run(op, [("i8", a), ("i8", b), ("i32", c)], ("i32", (2, 16, 16)))
            same(got, (c + x @ y).astype(np.int32))


def test_scaled_products() -> None:
    m, n, k = 16, 32, 64
    random = np.random.default_rng(8)
    a, b = (
        random.standard_normal((m, k)).astype(ml_dtypes.float8_e4m3fn),
        random.standard_normal((k, n)).astype(ml_dtypes.float8_e4m3fn),
    )
    c = random.standard_normal((m, n)).astype(F)
    x, y = (
        random.integers(120, 134, s).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
        for s in ((m, k // 32), (k // 32, n))
    )
    op = ("mmaf_scaled %a, %b, %c, %d, %e : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, "
          "tile<16x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>")  # fmt: skip
    kinds = [("f8E4M3FN", a), ("f8E4M3FN", b), ("f32", c), ("f8E8M0FNU", x), ("f8E8M0FNU", y)]
    got = run(op, kinds, ("f32", (m, n)))
    left = a.astype(np.float64) * np.repeat(x.astype(np.float64), 32, 1)
    right = b.astype(np.float64) * np.repeat(y.astype(np.float64), 32, 0)
    bound = (np.abs(c) + np.abs(left) @ np.abs(right)) * 2.0**-23 * 65
    assert (np.abs(got - (c + left @ right)) <= bound).all()


REDUCE = """reduce %a dim={dim} identities=[{identity}] : {source} -> {target}
  (%x: tile<{kind}>, %y: tile<{kind}>) {{
    %s = {op} %x, %y : tile<{kind}>
    yield %s : tile<{kind}>
  }}"""


@pytest.mark.parametrize("order", ["halves", "neighbours", "sequential"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reductions(dim: int, order: Any) -> None:
    shape = (4, 16, 8)
    left = tuple(extent for d, extent in enumerate(shape) if d != dim)
    random = np.random.default_rng(9)
    a = random.integers(-1000, 1000, shape).astype(np.int32)
    f = random.standard_normal(shape).astype(F)
    text = {"dim": dim, "kind": "i32", "source": tile("i32", shape), "target": tile("i32", left)}
    for op, identity, expected in (
        ("addi", 0, np.add),
        ("maxi", -(2**31), np.maximum),
        ("xori", 0, np.bitwise_xor),
    ):
        body = REDUCE.format(op=op, identity=f"{identity} : i32", **text)
        if op == "maxi":
            body = body.replace("%x, %y :", "%x, %y signed :", 1)
        same(
            run(body, [("i32", a)], ("i32", left), reduction_order=order),
            expected.reduce(a, axis=dim, dtype=np.int32),
        )
    text |= {"kind": "f32", "source": tile("f32", shape), "target": tile("f32", left)}
    body = REDUCE.format(op="maxf", identity="0xFF800000 : f32", **text)
    same(run(body, [("f32", f)], ("f32", left), reduction_order=order), f.max(dim))
    body = REDUCE.format(op="addf", identity="0.000000e+00 : f32", **text)
    total = f[:]
    rows = np.moveaxis(total, dim, 0)
    if order == "sequential":
        expected = rows[0]
        for row in rows[1:]:
            expected = expected + row
    else:
        while len(rows) > 1:
            half = len(rows) // 2
            rows = rows[::2] + rows[1::2] if order == "neighbours" else rows[:half] + rows[half:]
        expected = rows[0]
    same(run(body, [("f32", f)], ("f32", left), reduction_order=order), np.ascontiguousarray(expected))


def test_identity_takes_part() -> None:
    body = REDUCE.format(
        op="addi", identity="7 : i32", dim=1, kind="i32", source="tile<2x4xi32>", target="tile<2xi32>"
    )
    assert run(body, [("i32", np.arange(8, dtype=np.int32).reshape(2, 4))], ("i32", (2,))).tolist() == [
        13,
        29,
    ]


def test_argmax() -> None:
    """Two operands, and a body of several ops."""
    a = np.random.default_rng(10).permutation(32 * 64).reshape(32, 64).astype(F)
    body = """
  %i = iota : tile<64xi32>
  %i1 = reshape %i : tile<64xi32> -> tile<1x64xi32>
  %ib = broadcast %i1 : tile<1x64xi32> -> tile<32x64xi32>
  %m, %r = reduce %a, %ib dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<32x64xf32>, tile<32x64xi32> -> tile<32xf32>, tile<32xi32>
  (%x: tile<f32>, %y: tile<f32>, %xi: tile<i32>, %yi: tile<i32>) {
    %c = cmpf greater_than ordered %x, %y : tile<f32> -> tile<i1>
    %s = select %c, %x, %y : tile<i1>, tile<f32>
    %si = select %c, %xi, %yi : tile<i1>, tile<i32>
    yield %s, %si : tile<f32>, tile<i32>
  }"""
    out = np.zeros(32, np.int32)
    text = load("a", "%pa", "f32", (32, 64)) + body + store("%r", "%out", "i32", (32,))
    cpu.launch(kernel("%pa: tile<ptr<f32>>, %out: tile<ptr<i32>>", text), (1,), [a, out])
    same(out, a.argmax(1).astype(np.int32))


@pytest.mark.parametrize("reverse", ["false", "true"])
def test_scans(reverse: str) -> None:
    a = np.random.default_rng(11).integers(-100, 100, (4, 16, 2)).astype(np.int32)
    body = f"""scan %a dim=1 reverse={reverse} identities=[0 : i32] : tile<4x16x2xi32> -> tile<4x16x2xi32>
  (%x: tile<i32>, %y: tile<i32>) {{
    %s = addi %x, %y : tile<i32>
    yield %s : tile<i32>
  }}"""
    expected = np.cumsum(a, 1) if reverse == "false" else np.cumsum(a[:, ::-1], 1)[:, ::-1]
    same(run(body, [("i32", a)], ("i32", (4, 16, 2))), np.ascontiguousarray(expected.astype(np.int32)))
