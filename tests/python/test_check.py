# SPDX-License-Identifier: Apache-2.0
"""The two gates of a kernel.rs from Python, and ``tileport check``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tileport import cli
from tileport.errors import InputError, ToolchainError, UsageError
from tileport.toolchain import disassemble, find_toolchain
from tileport.toolchain.check import CheckResult, cargo_check, check_kernels

_KERNELS = Path(__file__).resolve().parents[2] / "rust" / "tileport-check" / "tests" / "kernels"
_BYTECODE_MAGIC = b"\x7fTileIR\0"


@pytest.fixture(scope="module", autouse=True)
def _tool() -> None:
    if find_toolchain().tileport_check.problem is not None:
        pytest.skip("tileport-check is not built")


def marked_lines(kernel: Path) -> list[int]:
    lines = kernel.read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("// here")]


# ---- cutile's compiler ---------------------------------------------------------------------------------


def test_entries_are_compiled_for_each_target_and_reported_as_they_come(tmp_path: Path) -> None:
    seen: list[CheckResult] = []
    results = check_kernels(_KERNELS / "scale.rs", tmp_path, ["product", "sum_up"], on_result=seen.append)
    assert seen == results
    assert {(result.name, result.target) for result in results} == {
        (entry, target) for entry in ("product", "sum_up") for target in ("sm_90", "sm_100")
    }
    for result in results:
        assert result.error is None
        assert result.file == tmp_path / result.target / f"{result.name}.tileirbc"
        assert result.file.read_bytes().startswith(_BYTECODE_MAGIC + bytes([13, 3]))
        assert disassemble(result.file) == (_KERNELS / f"{result.name}.mlir").read_text()


def test_a_refused_entry_is_a_result_with_its_place(tmp_path: Path) -> None:
    kernel = _KERNELS / "refused.rs"
    results = check_kernels(kernel, tmp_path, targets=["sm_90"])
    errors = {result.name: result.error for result in results if result.error is not None}
    assert {result.name for result in results if result.file is not None} == {"good"}
    assert sorted(error.line or 0 for error in errors.values()) == marked_lines(kernel)
    writer = errors["only_the_writer_notices"]
    assert (writer.code, writer.column) == ("bytecode", 9)
    assert "missing attribute 'overflow'" in writer.message


def test_nothing_asked_for_gives_nothing(tmp_path: Path) -> None:
    assert check_kernels(_KERNELS / "scale.rs", tmp_path, []) == []
    assert check_kernels(_KERNELS / "scale.rs", tmp_path, targets=[]) == []


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("fn main() {}\n", "no-module", ""),
        ("#[cutile::module]\npub mod m { let }\n", "syntax", ":2:13"),
        ("#[cutile::module]\npub mod m { use cutile::core::*; }\n", "no-entry", ""),
    ],
)
def test_a_file_without_kernels_is_bad_input(tmp_path: Path, text: str, code: str, place: str) -> None:
    kernel = tmp_path / "kernel.rs"
    kernel.write_text(text)
    with pytest.raises(InputError) as caught:
        check_kernels(kernel, tmp_path / "out")
    assert (caught.value.code, caught.value.where) == (code, f"{kernel}{place}")


def test_unknown_entries_targets_and_folders_are_wrong_use(tmp_path: Path) -> None:
    kernel = _KERNELS / "scale.rs"
    with pytest.raises(UsageError, match="scale_f32, sum_up, product") as caught:
        check_kernels(kernel, tmp_path, ["scale_f16"])
    assert caught.value.code == "unknown-entry"
    with pytest.raises(UsageError) as caught:
        check_kernels(kernel, tmp_path, targets=["hopper"])
    assert caught.value.code == "unknown-target"
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        check_kernels(kernel, tmp_path / "file")
    assert caught.value.code == "unwritable"


@pytest.mark.parametrize(
    "script", ["exit 3", "echo gibberish", 'echo \'{"entry": "e"}\'', "kill -SEGV $$", "exit 0"]
)
def test_a_tool_that_misbehaves_is_a_broken_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    tool = tmp_path / "tileport-check"
    tool.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "tileport-check 0.1.0" && exit\n{script}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("TILEPORT_CHECK", str(tool))
    with pytest.raises(ToolchainError) as caught:
        check_kernels(_KERNELS / "scale.rs", tmp_path)
    assert caught.value.code == "check-failed"


# ---- rustc ---------------------------------------------------------------------------------------------


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    """A crate like a converted op's, in a workspace, without its kernel.rs."""
    if find_toolchain().cargo.problem is not None:
        pytest.skip("cargo is not installed")
    folder = tmp_path / "op"
    (folder / "src").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text('[workspace]\nresolver = "3"\nmembers = ["op"]\n')
    lock = _KERNELS.parents[2] / "Cargo.lock"
    (tmp_path / "Cargo.lock").write_bytes(lock.read_bytes())
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "op_kernels"\nversion = "0.1.0"\nedition = "2024"\n'
        '[dependencies]\ncutile = "=0.5.0"\n'
    )
    (folder / "src" / "lib.rs").write_text('#[path = "../kernel.rs"]\npub mod kernel;\n')
    return folder


def test_rustc_accepts_what_is_well_typed(crate: Path) -> None:
    (crate / "kernel.rs").write_bytes((_KERNELS / "scale.rs").read_bytes())
    checked = cargo_check(crate)
    assert (checked.accepted, checked.diagnostics) == (True, [])


def test_rustc_refuses_what_only_cutile_accepts_and_says_where(crate: Path, tmp_path: Path) -> None:
    kernel = _KERNELS / "ill_typed.rs"
    assert all(result.error is None for result in check_kernels(kernel, tmp_path / "out", targets=["sm_90"]))
    (crate / "kernel.rs").write_bytes(kernel.read_bytes())
    checked = cargo_check(crate)
    assert not checked.accepted
    places = [(error.file, error.line, error.code) for error in checked.diagnostics]
    assert places == [("kernel.rs", line, "E0308") for line in marked_lines(kernel)]
    assert all("mismatched types" in error.message for error in checked.diagnostics)


def test_a_folder_without_a_crate_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        cargo_check(tmp_path)
    assert caught.value.code == "no-crate"


def test_a_crate_that_cargo_cannot_read_is_told_apart_from_a_refused_one(crate: Path) -> None:
    (crate / "kernel.rs").write_text("")
    (crate / "Cargo.toml").write_text("[package\n")
    with pytest.raises(ToolchainError) as caught:
        cargo_check(crate)
    assert caught.value.code == "cargo-failed"
    assert "Cargo.toml" in caught.value.message


# ---- the command ---------------------------------------------------------------------------------------


def test_check_writes_the_bytecode_of_one_entry(tmp_path: Path) -> None:
    out = tmp_path / "made" / "sum_up.tileirbc"
    assert cli.run(["check", str(_KERNELS / "scale.rs"), "--entry", "sum_up", "-o", str(out)]) == 0
    assert disassemble(out) == (_KERNELS / "sum_up.mlir").read_text()


def test_check_needs_an_entry_where_there_are_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.tileirbc"
    assert cli.run(["check", str(_KERNELS / "scale.rs"), "-o", str(out)]) == 2
    assert "--entry" in capsys.readouterr().err
    assert not out.exists()


def test_check_prints_refusals_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = _KERNELS / "refused.rs"
    assert cli.run(["check", str(kernel), "--entry", "wrong_type"]) == 1
    line = marked_lines(kernel)[1]
    assert f"{kernel}:{line}:37: " in capsys.readouterr().err
    assert cli.run(["check", str(kernel), "--entry", "wrong_type", "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["error"]["code"], result["error"]["line"], result["file"]) == ("refused", line, None)


def test_check_of_an_unusable_file_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", str(tmp_path / "nothing.rs")]) == 2
    assert "nothing.rs" in capsys.readouterr().err
