# SPDX-License-Identifier: Apache-2.0
"""``tileport run``, limits, bad arguments and hostile modules."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_kernels import kernel
from test_cpu_memory import race, view_kernel

from tileport import bytecode, cpu, ir, text

SOFTMAX = "_softmax_kernel__"


def tileport(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tileport", "run", *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def softmax(data: Path) -> Path:
    for path in sorted((data / "tileir" / "golden").glob("_softmax_kernel__*.tileirbc")):
        if "I1009" in bytecode.read_file(path).functions[0].name:
            return path
    raise AssertionError("no softmax among the golden files")


def test_softmax_of_a_file(softmax: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((256, 1009)).astype(np.float16)
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "y.npy"
    done = tileport(str(softmax), "--grid", "64", "--arg", "f16[256,1009]:empty", "--arg", str(tmp_path / "x.npy"),
                    "--save", f"0={out}", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)["arrays"][0]
    assert row["nan"] == 0 and row["shape"] == [256, 1009] and json.loads(done.stdout)["blocks"] == 64
    exact = np.exp(x.astype(np.float64))
    exact /= exact.sum(1, keepdims=True)
    assert np.abs(np.load(out).astype(np.float64) - exact).max() < 2e-5


def test_text_of_the_command(softmax: Path) -> None:
    done = tileport(str(softmax), "--grid", "64", "--arg", "f16[256,1009]", "--arg", "f16[256,1009]:randn")
    assert done.returncode == 0, done.stderr
    assert "argument 0: float16[256, 1009]: min" in done.stdout and "64 blocks on" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--grid", "4", "--arg", "f16[256,1009]"], 2, "TP-E0003"),
        (["--grid", "4", "--arg", "f32[256,1009]", "--arg", "f16[256,1009]"], 2, "TP-E0004"),
        (["--grid", "4", "--arg", "f16[1009]", "--arg", "f16[256,1009]"], 2, "rank"),
        (["--grid", "x"], 2, "bad-grid"),
        (["--grid", "-1", "--arg", "f16[256,1009]", "--arg", "f16[256,1009]"], 2, "TP-E0005"),
        (["--grid", "1", "--arg", "q[3]"], 2, "bad-argument"),
        (["--grid", "1", "--arg", "f16[3]:pi"], 2, "bad-argument"),
        (["--grid", "1", "--arg", "nothing.npy"], 2, "unreadable-array"),
        (["--grid", "1", "--arg", "1", "--save", "0=x.npy"], 2, "bad-target"),
        (
            ["--grid", "64", "--arg", "f16[100,1009]", "--arg", "f16[100,1009]", "--kernel", "no"],
            2,
            "TP-E0002",
        ),
        (
            ["--grid", "64", "--arg", "f16[256,1009]", "--arg", "f16[256,1009]", "--steps", "10"],
            1,
            "TP-E0012",
        ),
    ],
)
def test_wrong_use(softmax: Path, arguments: list[str], status: int, words: str) -> None:
    done = tileport(str(softmax), *arguments)
    assert done.returncode == status and words in done.stderr, done.stderr


def code(caught: Any) -> str:
    return str(caught.value.diagnostics[0]["code"])


FOREVER = "  loop {\n    continue\n  }"


def test_infinite_loop() -> None:
    module = kernel("", FOREVER)
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (1,), [], limits=cpu.Limits(steps=10_000))
    assert code(caught) == "TP-E0012"
    began = time.monotonic()
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (64,), [], limits=cpu.Limits(seconds=0.2))
    assert code(caught) == "TP-E0011" and time.monotonic() - began < 5


def test_enormous_grid() -> None:
    module = kernel("", "")
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (2**31 - 1, 2**31 - 1, 2**31 - 1), [])
    assert code(caught) == "TP-E0013"
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (2**31 - 1, 2, 1), [], limits=cpu.Limits(seconds=0.2))
    assert code(caught) == "TP-E0011"
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (2**31, 1, 1), [])
    assert code(caught) == "TP-E0005"
    assert cpu.launch(module, (0, 1, 1), []).blocks == 0


def test_huge_tiles() -> None:
    tiles = "\n".join(
        f"  %x{i} = exp %f{i} : tile<4096x4096xf64>" for i in range(8)
    )  # fmt: skip
    loads = "\n".join(
        f"  %i{i} = itof %b{i} signed : tile<4096x4096xi32> -> tile<4096x4096xf64>\n"
        f"  %f{i} = addf %i{i}, %i{i} : tile<4096x4096xf64>"
        for i in range(8)
    )
    blocks = "\n".join(
        f"  %c{i} = reshape %bx : tile<i32> -> tile<1x1xi32>\n  %d{i} = iota : tile<4096xi32>\n  %e{i} = reshape %d{i} : tile<4096xi32> -> tile<1x4096xi32>\n"
        f"  %b{i} = broadcast %e{i} : tile<1x4096xi32> -> tile<4096x4096xi32>"
        for i in range(8)
    )  # fmt: skip
    module = kernel("", f"  %bx, %by, %bz = get_tile_block_id : tile<i32>\n{blocks}\n{loads}\n{tiles}")
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (1,), [], limits=cpu.Limits(bytes=1 << 28))
    assert code(caught) == "TP-E0010"


def test_work() -> None:
    module = race(False)
    a = np.zeros(64, np.int32)
    done = cpu.launch(module, (64,), [a])
    assert done.work > 0 and done.work == cpu.launch(module, (64,), [a], threads=1).work
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (64,), [a], limits=cpu.Limits(work=done.work // 2))
    assert code(caught) == "TP-E0014"


@pytest.mark.parametrize(
    ("stride", "shape"), [(2**62, 4), (-(2**62), 4), (2**63 - 1, 2**63 - 1), (-1, 8), (1, 2**62)]
)
def test_hostile_strides(stride: int, shape: int) -> None:
    view = "tensor_view<?xi32, strides=[?]>"
    part = f"partition_view<tile=(8), {view}>"
    module = kernel(
        "%a: tile<ptr<i32>>, %n: tile<i64>, %s: tile<i64>",
        f"""
  %v = make_tensor_view %a, shape = [%n], strides = [%s] : tile<i64> -> {view}
  %p = make_partition_view %v : {part}
  %x, %t = load_view_tko weak %p[%zero] : {part}, tile<i32> -> tile<8xi32>, token""",
    )
    a = np.zeros(4, np.int32)
    with pytest.raises(cpu.ExecutionError) as caught:
        cpu.launch(module, (1,), [int(a.ctypes.data), shape, stride], more=[a])
    assert code(caught) == "TP-E0020"


def test_null_and_wild_pointers() -> None:
    for address, words in ((0, "the null pointer"), (2**63 - 8, "which is in no argument")):
        module = race(False)
        with pytest.raises(cpu.ExecutionError, match=words) as caught:
            cpu.launch(module, (4,), [address, 4, 1])
        assert code(caught) == "TP-E0020"


def test_overlapping_arguments() -> None:
    """Views of one array are one storage; what two blocks write through either is a race."""
    a = np.zeros(64, np.int32)
    module = view_kernel("i32", "padding_value = zero, ")
    base = np.zeros((40, 64), np.int32)
    cpu.launch(module, (2, 2, 1), [base, 8, 16, 64, 1, base[8:]])
    assert a.sum() == 0


def test_step_that_is_not_positive() -> None:
    body = """
  for %i in (%zero to %n, step %s) : tile<i32> {
    continue
  }"""
    module = kernel("%n: tile<i32>, %s: tile<i32>", body)
    for step in (0, -1):
        with pytest.raises(cpu.ExecutionError) as caught:
            cpu.launch(module, (1,), [4, step])
        assert code(caught) == "TP-E0031"
    assert cpu.launch(module, (1,), [2**31 - 1, 2**31 - 2]).blocks == 1


def test_arguments_of_other_kinds() -> None:
    from tileport.errors import UsageError

    module = kernel("%n: tile<i32>, %f: tile<f32>", "")
    cpu.launch(module, (1,), [1, 2.5])
    for arguments, expected in (([1.5, 2.5], "TP-E0003"), ([2**32, 1.0], "TP-E0003"), ([1], "TP-E0003"),
                                ([1, np.zeros(1, np.float32)], "TP-E0003")):  # fmt: skip
        with pytest.raises(cpu.ExecutionError) as caught:
            cpu.launch(module, (1,), arguments)
        assert code(caught) == expected
    with pytest.raises(UsageError, match="no number and no array"):
        cpu.launch(module, (1,), ["x", 1.0])
    with pytest.raises(UsageError, match="one to three"):
        cpu.launch(module, (1, 1, 1, 1), [1, 1.0])


def test_refusals_say_why() -> None:
    source = "entry @k() {\n  %t = make_token : token\n  %u = gdc_wait_tko token = %t -> token\n  return\n}\n"
    with pytest.raises(cpu.ExecutionError, match="programmatic launches order kernels") as caught:
        cpu.compile(text.parse(source, version=(13, 4)))
    assert code(caught) == "TP-E0001" and caught.value.diagnostics[0]["path"] == "@k/gdc_wait_tko#0"


def test_every_op_is_executed_or_refused() -> None:
    """The op table is the list: whatever is added to it is missing here until it has a function or a reason."""
    frames = {"module", "entry", "global"}
    missing = [
        row["mnemonic"]
        for row in ir.op_table()
        if row["mnemonic"] not in frames
        and not cpu.executes(row["mnemonic"])
        and row["mnemonic"] not in cpu.refusals()
    ]
    assert missing == []
    assert not [mnemonic for mnemonic in cpu.refusals() if cpu.executes(mnemonic)]
