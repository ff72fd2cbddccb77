# SPDX-License-Identifier: Apache-2.0
"""tileport.cubin on stored cubins, and on what tileiras makes of real kernels."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import pytest

from tileport import cubin
from tileport.errors import InputError, ToolchainError
from tileport.toolchain import assemble, find_toolchain


@pytest.fixture
def cubins(data: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (data / "cubin").glob("*.cubin")}


@pytest.fixture(scope="module")
def tileiras() -> None:
    try:
        find_toolchain().require("tileiras")
    except ToolchainError as error:
        pytest.skip(error.message)


def test_summary(cubins: dict[str, bytes]) -> None:
    assert cubin.summarize(cubins["scale_port_sm_90"]) == [
        cubin.KernelSummary("scale__0123456789_entry", instructions=86, registers=20, shared_bytes=0)
    ]


def test_a_port_is_identical_and_a_changed_instruction_is_named(cubins: dict[str, bytes]) -> None:
    reference, port = cubins["scale_sm_90"], cubins["scale_port_sm_90"]
    comparison = cubin.compare(reference, port)
    assert comparison.identical and comparison.differences == ()
    assert comparison.reference.name == "scale_Kt1_A1f32_1t1_p16_A1f32_1t1_p16"

    exit_instruction = struct.pack("<QQ", 0x794D, 0x000FEA0003800000)
    changed = port.replace(exit_instruction, struct.pack("<QQ", 0x7918, 0x000FC00000000000))
    assert changed != port
    comparison = cubin.compare(reference, changed)
    assert not comparison.identical
    (difference,) = comparison.differences
    assert difference.what == ".text"
    assert "instruction 85 (offset 0x550) is 0x000fea0003800000000000000000794d" in difference.reference
    assert "instruction 85 (offset 0x550) is 0x000fc000000000000000000000007918" in difference.port
    assert comparison.to_dict()["differences"][0]["what"] == ".text"


def test_errors_say_what_and_where(cubins: dict[str, bytes]) -> None:
    with pytest.raises(cubin.CubinError) as caught:
        cubin.summarize(b"\x7fTileIR\0" + bytes(100))
    assert caught.value.code == "TP-C0001" and isinstance(caught.value, InputError)
    with pytest.raises(cubin.CubinError) as caught:
        cubin.compare(cubins["scale_sm_90"], cubins["scale_sm_90"][:3000])
    assert caught.value.code == "TP-C0002" and caught.value.message.startswith("port: ")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.code, copy.where) == (caught.value.code, caught.value.where)


@pytest.mark.parametrize("target", ["sm_90", "sm_100"])
def test_the_same_bytecode_assembles_to_identical_code(
    tileiras: None, data: Path, tmp_path: Path, target: str
) -> None:
    file = data / "diff" / "_dropout_kernel__41a94c8552.tileirbc"
    kernels = [assemble(file, target, use_cache=False).cubin for _ in range(2)]
    assert kernels[0] and kernels[1]
    assert cubin.compare(kernels[0], kernels[1]).identical

    # The entry's name at another length, in place: strings are stored one behind the other by offsets.
    other = tmp_path / "renamed.tileirbc"
    content = file.read_bytes()
    assert content.count(b"_dropout_kernel_Kt1") == 1
    other.write_bytes(content.replace(b"_dropout_kernel_Kt1", b"_dropped_kernel_Kt1"))
    renamed = assemble(other, target, use_cache=False).cubin
    assert renamed and renamed != kernels[0]
    comparison = cubin.compare(kernels[0], renamed)
    assert comparison.identical, comparison.differences
    assert comparison.port.name.startswith("_dropped_kernel")
    assert comparison.port.instructions > 50


def test_code_of_other_kernels_differs(tileiras: None, data: Path) -> None:
    names = ("_silu_and_mul_kernel_row_wise__16f7c86808", "_dropout_kernel__41a94c8552")
    made = [assemble(data / "diff" / f"{name}.tileirbc", "sm_90").cubin for name in names]
    assert made[0] and made[1]
    differences = {difference.what for difference in cubin.compare(made[0], made[1]).differences}
    assert ".text" in differences and "registers" in differences
