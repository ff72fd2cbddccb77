# SPDX-License-Identifier: Apache-2.0
"""Names of source variables at the locations that cuTile writes into bytecode."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from tileport import InputError
from tileport.capture import find_operator, source_names

KERNEL = """\
@ct.kernel
def scale(x, y: int, *, TILE: ct.Constant[int] = 4):
    tile = ct.load(x, index=(0,), shape=(TILE,)).astype(ct.float32)
    total: ct.Tile = ct.sum(tile)
    total += tile * 2
    a, (b, c) = ct.bid(0), (ct.bid(1), ct.bid(2))
    for i in range(a, b):
        picked = tile if y else (total)
        first = second = ct.exp(
            total - (step := ct.max(tile)))
    d, e = helper(tile)
    x[0] = ct.load(x)
    "é"; after = ct.log(tile)
"""

# Looked for, not imported: that would load PyTorch.
needs_tilegym = pytest.mark.skipif(importlib.util.find_spec("tilegym") is None, reason="needs tilegym")


@pytest.fixture
def names(tmp_path: Path) -> dict[tuple[int, int], str]:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL, encoding="utf-8")
    return source_names(path)


def test_names_at_locations(names: dict[tuple[int, int], str]) -> None:
    assert names == {
        (2, 10): "x",
        (2, 13): "y",
        (2, 24): "TILE",
        (3, 11): "tile",
        (4, 21): "total",
        (5, 4): "total",
        (6, 16): "a",
        (6, 28): "b",
        (6, 39): "c",
        (7, 4): "i",
        (8, 17): "picked",
        (8, 33): "picked",
        (9, 25): "first",
        (10, 29): "step",
        (13, 18): "after",  # in bytes, as é has two
    }


def test_malformed_sources(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    with pytest.raises(InputError) as caught:
        source_names(path)
    assert caught.value.code == "unreadable-source"
    path.write_text("def f():\n  x = = 1\n")
    with pytest.raises(InputError) as caught:
        source_names(path)
    assert (caught.value.code, caught.value.where) == ("malformed-source", f"{path}:2")


@needs_tilegym
@pytest.mark.parametrize("op", ["softmax", "rms_norm", "silu_and_mul", "swiglu", "matmul"])
def test_every_named_call_of_an_operator_has_its_name(op: str) -> None:
    """Checked against the text itself: what stands left of ` = ct.` is the name of what stands right."""
    source = find_operator(op).source
    names = source_names(source)
    lines = source.read_text().splitlines()
    checked = 0
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.FunctionDef) and node.name in find_operator(op).kernels:
            for number in range(node.lineno, (node.end_lineno or 0) + 1):
                left, sign, _ = lines[number - 1].partition(" = ct.")
                if sign and left.strip().isidentifier():
                    assert names[number, len(left) + len(" = ")] == left.strip(), f"{source}:{number}"
                    checked += 1
    assert checked >= 5
