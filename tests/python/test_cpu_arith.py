# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on the CPU against NumPy, ml_dtypes and exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cpu_kernels import DTYPES, run, same

from tileport import cpu

N = 4096
INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")


def integers(kind: str, seed: int) -> Any:
    info = np.iinfo(DTYPES[kind])
    random = np.random.default_rng(seed)
    values = random.integers(info.min, info.max, N, DTYPES[kind], endpoint=True)
    values[:8] = [info.min, info.max, 0, 1, -1, 2, -2, info.max // 2]
    values[8:16] = values[:8][::-1]
    return values


def floats(kind: str, seed: int) -> Any:
    """Random bit patterns, so that every exponent, infinities, NaN and subnormal numbers occur."""
    dtype = np.dtype(DTYPES[kind])
    bits = np.random.default_rng(seed).integers(0, 256, (N, dtype.itemsize), np.uint8)
    values = bits.view(dtype)[:, 0].copy()
    near = np.random.default_rng(seed + 100).standard_normal(N // 2).astype(dtype)
    values[: N // 2] = near
    return values


def binary(op: str, kind: str, modes: str = "", **options: Any) -> tuple[Any, Any, Any]:
    make = integers if kind in INTEGERS else floats
    a, b = make(kind, 1), make(kind, 2)
    if op in ("divi", "remi"):
        b = np.where((b == 0) | (b == -1), 3, b).astype(b.dtype)
    return (
        a,
        b,
        run(f"{op} %a, %b {modes} : tile<{N}x{kind}>", [(kind, a), (kind, b)], (kind, (N,)), **options),
    )


@pytest.mark.parametrize("kind", INTEGERS)
def test_wrapping(kind: str) -> None:
    with np.errstate(over="ignore"):
        for op, expected in (("addi", np.add), ("subi", np.subtract), ("muli", np.multiply),
                             ("andi", np.bitwise_and), ("ori", np.bitwise_or), ("xori", np.bitwise_xor)):  # fmt: skip
            a, b, got = binary(op, kind)
            same(got, expected(a, b))


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_by_sign(kind: str, sign: str) -> None:
    seen = (lambda x: x) if sign == "signed" else (lambda x: x.view(f"u{x.dtype.itemsize}"))
    a, b, got = binary("maxi", kind, sign)
    same(seen(got), np.maximum(seen(a), seen(b)))
    a, b, got = binary("mini", kind, sign)
    same(seen(got), np.minimum(seen(a), seen(b)))
    a, b, got = binary("remi", kind, sign)
    same(seen(got), np.fmod(seen(a), seen(b)))
    bits = 8 * a.dtype.itemsize
    by = (np.arange(N) % bits).astype(a.dtype)
    same(
        seen(run(f"shri %a, %b {sign} : tile<{N}x{kind}>", [(kind, a), (kind, by)], (kind, (N,)))),
        seen(a) >> seen(by),
    )
    same(run(f"shli %a, %b : tile<{N}x{kind}>", [(kind, a), (kind, by)], (kind, (N,))), a << by)
    for name, compare in (("equal", np.equal), ("not_equal", np.not_equal), ("less_than", np.less),
                          ("less_than_or_equal", np.less_equal), ("greater_than", np.greater),
                          ("greater_than_or_equal", np.greater_equal)):  # fmt: skip
        op = f"cmpi {name} %a, %b, {sign} : tile<{N}x{kind}> -> tile<{N}xi1>"
        same(run(op, [(kind, a), (kind, b)], ("i1", (N,))), compare(seen(a), seen(b)))


@pytest.mark.parametrize("kind", INTEGERS)
def test_divisions(kind: str) -> None:
    for sign in ("signed", "unsigned"):
        for mode in ("zero", "positive_inf", "negative_inf")[: 3 if sign == "signed" else 2]:
            a, b, got = binary("divi", kind, f"{sign} rounding<{mode}>")
            view = (lambda x: x) if sign == "signed" else (lambda x: x.view(f"u{x.dtype.itemsize}"))
            pairs = zip(view(a).tolist(), view(b).tolist(), strict=True)
            exact = {
                "zero": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
                "positive_inf": lambda x, y: -(-x // y),
                "negative_inf": lambda x, y: x // y,
            }[mode]
            assert view(got).tolist() == [exact(x, y) for x, y in pairs]


@pytest.mark.parametrize("kind", INTEGERS)
def test_one_operand(kind: str) -> None:
    a = integers(kind, 3)
    with np.errstate(over="ignore"):
        same(run(f"negi %a : tile<{N}x{kind}>", [(kind, a)], (kind, (N,))), -a)
        same(run(f"absi %a : tile<{N}x{kind}>", [(kind, a)], (kind, (N,))), np.abs(a))
    b = integers(kind, 4)
    unsigned = [x.view(f"u{x.dtype.itemsize}").tolist() for x in (a, b)]
    bits = 8 * a.dtype.itemsize
    high = [(x * y) >> bits for x, y in zip(*unsigned, strict=True)]
    got = run(f"mulhii %a, %b : tile<{N}x{kind}>", [(kind, a), (kind, b)], (kind, (N,)))
    assert got.view(f"u{a.dtype.itemsize}").tolist() == high


def test_bits() -> None:
    a = np.array([0, 0, 1, 1] * 4, np.bool_)
    b = np.array([0, 1, 0, 1] * 4, np.bool_)
    i1 = [("i1", a), ("i1", b)]
    for op, expected in (("addi", a ^ b), ("subi", a ^ b), ("muli", a & b), ("xori", a ^ b), ("ori", a | b)):
        same(run(f"{op} %a, %b : tile<16xi1>", i1, ("i1", (16,))), expected)
    # One bit is 0 or -1 if it is signed.
    same(run("cmpi less_than %a, %b, signed : tile<16xi1> -> tile<16xi1>", i1, ("i1", (16,))), a & ~b)
    same(run("maxi %a, %b signed : tile<16xi1>", i1, ("i1", (16,))), a & b)
    same(run("exti %a signed : tile<16xi1> -> tile<16xi32>", i1[:1], ("i32", (16,))), -a.astype(np.int32))
    same(run("exti %a unsigned : tile<16xi1> -> tile<16xi32>", i1[:1], ("i32", (16,))), a.astype(np.int32))


@pytest.mark.parametrize("kind", FLOATS)
def test_nearest(kind: str) -> None:
    with np.errstate(all="ignore"):
        for op, expected in (
            ("addf", np.add),
            ("subf", np.subtract),
            ("mulf", np.multiply),
            ("divf", np.divide),
        ):
            a, b, got = binary(op, kind)
            same(got, expected(a, b))
        a, b, got = binary("remf", kind)
        same(got, np.fmod(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype))


def exact(value: Any) -> Fraction | None:
    return Fraction(float(value)) if np.isfinite(np.float64(value)) else None


def neighbours(value: Any) -> tuple[Any, Any]:
    dtype = value.dtype
    return tuple(np.nextafter(value, np.array(end, dtype)) for end in (-np.inf, np.inf))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("mode", ["zero", "negative_inf", "positive_inf"])
def test_directed(kind: str, mode: str) -> None:
    """The result is on the right side of the exact value, and its neighbour towards it is not."""
    for op in ("addf", "mulf", "divf"):
        a, b, got = binary(op, kind, f"rounding<{mode}>")
        checked = 0
        for x, y, r in list(zip(a, b, got, strict=True))[: N // 4]:
            p, q = exact(x), exact(y)
            if p is None or q is None or (op == "divf" and q == 0) or exact(r) is None:
                continue
            value = {"addf": lambda p, q: p + q, "mulf": lambda p, q: p * q, "divf": lambda p, q: p / q}[op](
                p, q
            )
            result = exact(r)
            low, high = (exact(n) for n in neighbours(r))
            up = mode == "positive_inf" or (mode == "zero" and value < 0)
            assert result is not None
            if up:
                assert result >= value and (low is None or low < value or result == value)
            else:
                assert result <= value and (high is None or high > value or result == value)
            checked += 1
        assert checked > N // 8


@pytest.mark.parametrize("kind", FLOATS)
def test_fma(kind: str) -> None:
    """One rounding: the result is the nearest number to the exact value."""
    a, b, c = floats(kind, 1), floats(kind, 2), floats(kind, 3)
    # Where the product is half-way between two numbers and a tiny addend decides.
    dtype = a.dtype
    one = np.array(1, dtype)
    above = np.nextafter(one, np.array(2, dtype))
    a[:2], b[:2] = above, np.array(1.5, dtype)
    tiny = np.array(2.0**-20 if kind == "f16" else 2.0**-60, dtype)
    c[:2] = [tiny, -tiny]
    operands = [(kind, a), (kind, b), (kind, c)]
    got = run(f"fma %a, %b, %c : tile<{N}x{kind}>", operands, (kind, (N,)))
    checked = 0
    for x, y, z, r in list(zip(a, b, c, got, strict=True))[:1500]:
        p, q, s, result = exact(x), exact(y), exact(z), exact(r)
        if None in (p, q, s, result):
            continue
        value = p * q + s
        error = abs(result - value)
        for neighbour in neighbours(r):
            other = exact(neighbour)
            assert other is None or abs(other - value) >= error
        checked += 1
    assert checked > 700


@pytest.mark.parametrize("kind", FLOATS)
def test_extrema_and_comparisons(kind: str) -> None:
    a, b = floats(kind, 1), floats(kind, 2)
    zero, inf, nan = 0.0, np.inf, np.nan
    special = np.array([zero, -zero, inf, -inf, nan, 1.0], a.dtype)
    a[:36], b[:36] = np.repeat(special, 6), np.tile(special, 6)
    operands = [(kind, a), (kind, b)]
    wide, other = a.astype(np.float64), b.astype(np.float64)
    for op, propagating, number in (("maxf", np.maximum, np.fmax), ("minf", np.minimum, np.fmin)):
        for flag, expected in (("", number), (" propagate_nan", propagating)):
            got = run(f"{op} %a, %b{flag} : tile<{N}x{kind}>", operands, (kind, (N,)))
            with np.errstate(all="ignore"):
                value = expected(wide, other)
            # NumPy leaves open which zero it gives; the dialect takes +0 for the larger one.
            zeros = (wide == 0) & (other == 0)
            signs = (
                np.signbit(wide) & np.signbit(other) if op == "maxf" else np.signbit(wide) | np.signbit(other)
            )
            value = np.where(zeros, np.where(signs, -0.0, 0.0), value)
            same(got, value.astype(a.dtype))
    unordered = np.isnan(wide) | np.isnan(other)
    for name, compare in (("equal", np.equal), ("not_equal", np.not_equal), ("less_than", np.less),
                          ("less_than_or_equal", np.less_equal), ("greater_than", np.greater),
                          ("greater_than_or_equal", np.greater_equal)):  # fmt: skip
        plain = compare(wide, other)
        for ordering, expected in (("ordered", plain & ~unordered), ("unordered", plain | unordered)):
            op = f"cmpf {name} {ordering} %a, %b : tile<{N}x{kind}> -> tile<{N}xi1>"
            same(run(op, operands, ("i1", (N,))), expected)


@pytest.mark.parametrize("kind", FLOATS)
def test_sign_bit(kind: str) -> None:
    a = floats(kind, 5)
    bits = f"u{a.dtype.itemsize}"
    sign = np.array(1 << (8 * a.dtype.itemsize - 1), bits)
    got = run(f"negf %a : tile<{N}x{kind}>", [(kind, a)], (kind, (N,)))
    assert (got.view(bits) == a.view(bits) ^ sign).all()  # NaN's payload too
    got = run(f"absf %a : tile<{N}x{kind}>", [(kind, a)], (kind, (N,)))
    assert (got.view(bits) == a.view(bits) & ~sign).all()


def test_flush_to_zero() -> None:
    a, b = floats("f32", 1), floats("f32", 2)
    tiny = np.finfo(np.float32).tiny
    a[:512] = np.random.default_rng(5).uniform(-1, 1, 512).astype(np.float32) * tiny
    flush = lambda x: np.where(np.abs(x) < tiny, np.copysign(np.float32(0), x), x)  # noqa: E731
    with np.errstate(all="ignore"):
        for op, expected in (("addf", np.add), ("mulf", np.multiply), ("divf", np.divide)):
            got = run(f"{op} %a, %b flush_to_zero : tile<{N}xf32>", [("f32", a), ("f32", b)], ("f32", (N,)))
            same(got, flush(expected(flush(a), flush(b))))


def test_select() -> None:
    for kind in (*INTEGERS, *FLOATS, "f8E4M3FN", "f8E5M2"):
        dtype = np.dtype(DTYPES[kind])
        random = np.random.default_rng(6)
        a, b = (
            random.integers(0, 256, (N, dtype.itemsize), np.uint8).view(dtype)[:, 0].copy() for _ in range(2)
        )
        c = random.integers(0, 2, N).astype(np.bool_)
        op = f"select %a, %b, %c : tile<{N}xi1>, tile<{N}x{kind}>"
        got = run(op, [("i1", c), (kind, a), (kind, b)], (kind, (N,)))
        bits = f"u{dtype.itemsize}"
        assert (got.view(bits) == np.where(c, a.view(bits), b.view(bits))).all()


@pytest.mark.parametrize(
    ("op", "a", "b", "words"),
    [
        ("divi %a, %b signed", 5, 0, "divided by zero"),
        ("divi %a, %b signed", -(2**31), -1, "does not fit"),
        ("remi %a, %b unsigned", 5, 0, "divided by zero"),
        ("shli %a, %b", 5, 32, "shifted by 32"),
        ("shri %a, %b signed", 5, 40, "shifted by 40"),
        ("addi %a, %b overflow<no_signed_wrap>", 2**31 - 1, 1, "overflows, as signed"),
        ("muli %a, %b overflow<no_unsigned_wrap>", -1, 2, "overflows, as unsigned"),
    ],
)
def test_undefined(op: str, a: int, b: int, words: str) -> None:
    """What some operands leave undefined is reported with its place; unchecked it is some number."""
    arrays = [("i32", np.full(4, value, np.int32)) for value in (a, b)]
    arrays[0][1][:3] = 1
    arrays[1][1][:3] = 1
    with pytest.raises(cpu.ExecutionError, match=words) as caught:
        run(f"{op} : tile<4xi32>", arrays, ("i32", (4,)))
    first = caught.value.diagnostics[0]
    assert first["code"] == "TP-E0026" and "element 3" in first["message"]
    assert first["path"] == f"@k/{op.split()[0]}#0"
    run(f"{op} : tile<4xi32>", arrays, ("i32", (4,)), unchecked=True)
