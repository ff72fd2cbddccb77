# SPDX-License-Identifier: Apache-2.0
"""Proving: what is believed, what is refused, and what each class of evidence comes to."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import ports
import pytest
from ports import GATHER, VIEWS

import tileport
from tileport import cli, contract
from tileport.errors import InputError, RefusedError, UsageError
from tileport.stages.port import Port
from tileport.stages.runner import make_options
from tileport.toolchain import find_toolchain


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Port:
    return ports.translated(data, tmp_path_factory.mktemp("ports"), (VIEWS,))


@pytest.fixture
def port(made: Port, tmp_path: Path) -> Port:
    """A port of one kernel, to be spoilt."""
    shutil.copytree(made.folder, tmp_path / "softmax")
    return Port(tmp_path / "softmax")


@pytest.fixture
def without_rustc(monkeypatch: pytest.MonkeyPatch) -> None:
    ports.rustc_accepts(monkeypatch)


def stand_in(path: Path, body: str) -> Path:
    """A tileiras that knows sm_90 and sm_100 and does ``body`` when it is to assemble."""
    targets = "printf '    =sm_90   - SM 90\\n    =sm_100  - SM 100\\n'"
    path.write_text(
        f"#!/bin/sh\ncase $1 in\n--version) echo V13.5.99 ;;\n--help) {targets} ;;\n*) {body} ;;\nesac\n"
    )
    path.chmod(0o755)
    return path


def code_classes(conversion: tileport.conversion.Conversion) -> dict[str, str]:
    [row] = conversion.specializations
    return {target: evidence["class"] for target, evidence in row["code"].items()}


def test_a_proof_says_what_was_compared(port: Port) -> None:
    """With all real tools: cutile's compiler, rustc, tileiras."""
    conversion = tileport.prove(port.folder)
    assert conversion.verdict == "proven"
    proof = contract.read(contract.PROOF, port.proof)
    assert proof == conversion.proof
    assert proof["check"] == {"class": "accepted", "diagnostics": []}
    assert proof["gpu"] == "pending" and proof["targets"] == ["sm_90", "sm_100"]
    [row] = proof["specializations"]
    assert row["kernel_sha256"] == hashlib.sha256(port.kernel.read_bytes()).hexdigest()
    assert row["ir"]["class"] == "equal_up_to" and {note["rule"] for note in row["ir"]["notes"]}
    assert [row[part] for part in ("unseen", "cpu", "tests", "timing")] == [None] * 4
    for evidence in row["code"].values():
        assert evidence["class"] == "identical"
        assert evidence["instructions"][0] == evidence["instructions"][1] > 100
        assert evidence["registers"][0] == evidence["registers"][1] > 0
    for target in proof["targets"]:
        assert (port.generated / target / f"{VIEWS}.tileirbc").is_file()
    assert VIEWS in port.report.read_text()
    assert not list(port.folder.glob(".tmp-*"))


def test_what_rustc_refuses_is_unproven(port: Port) -> None:
    """cutile's compiler takes a step of type i32; rustc does not."""
    source = port.kernel.read_text()
    port.kernel.write_text(source.replace("step_by(step as usize)", "step_by(step)"))
    line = source[: source.index("step_by(step as usize)")].count("\n") + 1
    conversion = tileport.prove(port.folder)
    assert code_classes(conversion) == {"sm_90": "identical", "sm_100": "identical"}
    assert (conversion.verdict, conversion.exit_status) == ("unproven", 1)
    check = (conversion.proof or {})["check"]
    assert check["class"] == "refused"
    assert [(item["code"], item["file"], item["line"]) for item in check["diagnostics"]] == [
        ("E0308", "kernel.rs", line)
    ]


@pytest.mark.usefixtures("without_rustc")
def test_a_generated_folder_that_was_copied_is_refused(port: Port) -> None:
    tileport.prove(port.folder)
    for target in ("sm_90", "sm_100"):
        shutil.copy(port.reference / f"{VIEWS}.tileirbc", port.generated / target / f"{VIEWS}.tileirbc")
    with pytest.raises(RefusedError, match=f"a copy of reference/{VIEWS}.tileirbc") as caught:
        tileport.prove(port.folder)
    assert caught.value.code == "copied-reference"
    assert f"generated/sm_100/{VIEWS}.tileirbc" in caught.value.where
    assert not port.proof.exists() and not port.report.exists()


@pytest.mark.usefixtures("without_rustc")
def test_a_copied_file_is_refused_wherever_it_is_and_without_a_ledger(port: Port) -> None:
    (port.generated / "sm_90").mkdir(parents=True)
    shutil.copy(port.reference / f"{VIEWS}.tileirbc", port.generated / "sm_90" / "renamed.tileirbc")
    with pytest.raises(RefusedError) as caught:
        tileport.prove(port.folder)
    assert caught.value.code == "copied-reference"


@pytest.mark.usefixtures("without_rustc")
def test_a_generated_file_that_is_not_from_kernel_rs_is_refused(
    port: Port, capsys: pytest.CaptureFixture[str]
) -> None:
    tileport.prove(port.folder)
    changed = port.generated / "sm_90" / f"{VIEWS}.tileirbc"
    changed.write_bytes(changed.read_bytes().replace(b"occupancy", b"occupansy"))
    assert cli.run(["prove", str(port.folder)]) == 1
    error = capsys.readouterr().err
    assert f"sm_90/{VIEWS}.tileirbc" in error and "[tampered-generated]" in error and "kernel.rs" in error
    shutil.rmtree(port.generated)
    assert tileport.prove(port.folder).verdict == "proven"


@pytest.mark.usefixtures("without_rustc")
def test_bytes_that_say_nothing_about_the_kernel_may_differ(port: Port) -> None:
    """cutile's compiler orders attributes anew in each run; here the name of the source differs."""
    tileport.prove(port.folder)
    for path in port.generated.rglob("*.tileirbc"):
        before = path.read_bytes()
        path.write_bytes(before.replace(b"kernel.rs", b"kernel.rz"))
        assert path.read_bytes() != before
    assert tileport.prove(port.folder).verdict == "proven"


@pytest.mark.usefixtures("without_rustc")
def test_an_edited_kernel_is_compiled_again(port: Port) -> None:
    """An edit makes the old generated files old, not tampered with."""
    tileport.prove(port.folder)
    before = (port.generated / "sm_90" / f"{VIEWS}.tileirbc").read_bytes()
    port.kernel.write_text(port.kernel.read_text().replace("occupancy = 2", "occupancy = 8"))
    conversion = tileport.prove(port.folder)
    assert conversion.verdict == "unproven"
    assert (port.generated / "sm_90" / f"{VIEWS}.tileirbc").read_bytes() != before
    [row] = conversion.specializations
    [finding] = row["ir"]["findings"]
    assert finding["class"] == "hint_value" and finding["targets"] == ["sm_90", "sm_100"]


def test_a_changed_reference_is_refused(port: Port) -> None:
    path = port.reference / f"{VIEWS}.tileirbc"
    path.write_bytes(path.read_bytes().replace(b"/opt/python", b"/opt/pythos"))
    with pytest.raises(RefusedError) as caught:
        tileport.prove(port.folder)
    assert (caught.value.code, caught.value.where) == ("tampered-reference", str(path))


def test_another_kernel_under_a_references_name_is_refused(port: Port, data: Path) -> None:
    """Even if the index was made to fit: the name is the hash of the text."""
    path = port.reference / f"{VIEWS}.tileirbc"
    shutil.copy(data / "prove" / "softmax" / "reference" / f"{GATHER}.tileirbc", path)
    index = json.loads(port.index.read_text())
    index["specializations"][0]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    port.index.write_text(json.dumps(index))
    with pytest.raises(RefusedError) as caught:
        tileport.prove(port.folder)
    assert caught.value.code == "tampered-reference"


@pytest.mark.parametrize(
    "content", [b"", b"TileIR", b"\x7fTileIR\x00\x0d\x03\x00\x00", b"hello, world\n" * 20]
)
def test_a_reference_that_is_no_bytecode_is_bad_input(port: Port, content: bytes) -> None:
    path = port.reference / f"{VIEWS}.tileirbc"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        tileport.prove(port.folder)
    assert caught.value.exit_status == 2 and caught.value.code.startswith("TP-B")
    assert str(path) in caught.value.where


def test_a_missing_reference_is_bad_input(port: Port) -> None:
    (port.reference / f"{VIEWS}.tileirbc").unlink()
    with pytest.raises(InputError, match="cannot be read") as caught:
        tileport.prove(port.folder)
    assert caught.value.code == "unreadable-reference"


@pytest.mark.usefixtures("without_rustc")
@pytest.mark.parametrize("kernel", [None, "", "// nothing here\n"])
def test_a_kernel_without_the_entry_is_unproven(port: Port, kernel: str | None) -> None:
    if kernel is None:
        port.kernel.unlink()
    else:
        port.kernel.write_text(kernel)
    conversion = tileport.prove(port.folder)
    assert (conversion.verdict, conversion.exit_status) == ("unproven", 1)
    [row] = conversion.specializations
    assert row["entry"] is None and row["kernel_sha256"] is None
    assert row["ir"]["findings"][0]["message"] == f"kernel.rs has no entry for {VIEWS}"
    assert code_classes(conversion) == {"sm_90": "differs", "sm_100": "differs"}


def test_a_kernel_that_is_not_rust_is_bad_input(port: Port) -> None:
    port.kernel.write_text("#[cutile::entry] fn (")
    with pytest.raises(InputError) as caught:
        tileport.prove(port.folder)
    assert "kernel.rs:1" in caught.value.where and caught.value.exit_status == 2
    assert not port.generated.exists() and not list(port.folder.glob(".tmp-*"))


@pytest.mark.usefixtures("without_rustc")
@pytest.mark.parametrize(
    "body,expected,note",
    [
        ("sleep 60", "timeout", "the reference took tileiras more than 0.5 s"),
        ("echo error: no >&2; exit 5", "neither", "tileiras refuses both: error: no"),
    ],
)
def test_code_that_does_not_assemble_leaves_equal_kernels_equivalent(
    port: Port, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, expected: str, note: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(stand_in(tmp_path / "tileiras", body)))
    conversion = tileport.prove(port.folder, tileiras_timeout=0.5, jobs=4)
    assert code_classes(conversion) == {"sm_90": expected, "sm_100": expected}
    assert (conversion.verdict, conversion.exit_status) == ("equivalent", 0)
    [row] = conversion.specializations
    assert row["code"]["sm_90"]["notes"][0] == note
    assert row["code"]["sm_90"]["instructions"] == [None, None]


@pytest.mark.usefixtures("without_rustc")
def test_a_port_that_alone_does_not_assemble_differs(
    port: Port, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_toolchain().require("tileiras")
    # A port's entry is called after its element types, the reference's bears the launcher's symbol.
    body = f'grep -q "_softmax_kernel_tma_[a-z0-9]*_entry" "$4" && exit 5; exec {real} "$@"'
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(stand_in(tmp_path / "tileiras", body)))
    conversion = tileport.prove(port.folder, targets="sm_90")
    assert code_classes(conversion) == {"sm_90": "differs"}
    [row] = conversion.specializations
    assert row["code"]["sm_90"]["notes"] == ["tileiras refuses the port only: no reason given"]
    reference, port_number = row["code"]["sm_90"]["instructions"]
    assert reference > 100 and port_number is None
    assert conversion.verdict == "equivalent"


@pytest.mark.usefixtures("without_rustc")
def test_a_false_promise_that_changes_no_code_is_shown(
    port: Port, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict goes by machine code; what else differs is not hidden."""
    source = port.kernel.read_text()
    promise = "assume_div_by_raw(output_size0_3, 16,"
    assert promise in source
    port.kernel.write_text(source.replace(promise, "assume_div_by_raw(output_size0_3, 64,"))
    assert cli.run(["prove", str(port.folder)]) == 0
    out = capsys.readouterr().out
    assert f"proven, but the Tile IR differs: {VIEWS}" in out and "div_by<64>" in out
    assert "but its Tile IR differs" in port.report.read_text()


@pytest.mark.usefixtures("without_rustc")
def test_a_target_that_needs_newer_bytecode_is_compared_as_well(port: Port) -> None:
    """cutile writes 13.4 and later for sm_107; tileiras takes the reference's 13.3."""
    conversion = tileport.prove(port.folder, targets=("sm_90", "sm_107"))
    assert code_classes(conversion) == {"sm_90": "identical", "sm_107": "identical"}
    [row] = conversion.specializations
    assert row["code"]["sm_90"]["notes"] == []
    assert row["code"]["sm_107"]["notes"] == [
        "the port is Tile IR 13.4: cutile writes no older one for sm_107"
    ]
    assert conversion.verdict == "proven"


@pytest.mark.usefixtures("without_rustc")
def test_a_target_that_neither_side_can_be_made_for_is_neither(
    port: Port, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """cutile refuses no kernel here for a target alone, so a check tool that does stands in."""
    real = find_toolchain().require("tileport-check")
    refusal = json.dumps(
        {
            "name": VIEWS,
            "target": "sm_100",
            "error": {"code": "refused", "message": "no", "line": 3, "column": 1},
        }
    )
    checker = tmp_path / "tileport-check"
    # Compiles for sm_90 only, and reports sm_100 as refused.
    checker.write_text(f"#!/bin/sh\n[ $1 = --version ] && exec {real} $1\n"
                       "for instances; do :; done\n"
                       f'{real} $1 --out $3 --target sm_90 --instances "$instances"\n'
                       f"echo '{refusal}'\nexit 1\n")  # fmt: skip
    checker.chmod(0o755)
    monkeypatch.setenv("TILEPORT_CHECK", str(checker))
    tileiras = find_toolchain().require("tileiras")
    body = f'[ $2 = sm_100 ] && exit 5; exec {tileiras} "$@"'
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(stand_in(tmp_path / "tileiras", body)))
    conversion = tileport.prove(port.folder)
    assert code_classes(conversion) == {"sm_90": "identical", "sm_100": "neither"}
    [row] = conversion.specializations
    assert row["code"]["sm_100"]["notes"][1] == "cutile refuses the port: no"
    assert (conversion.verdict, row["ir"]["class"], row["ir"]["findings"]) == ("proven", "equal_up_to", [])


@pytest.mark.usefixtures("without_rustc")
def test_an_entry_that_cutile_refuses_is_named_once_for_all_targets(port: Port) -> None:
    source = port.kernel.read_text().replace("reduce_sum(numerator, 1)", "reduce_sum(numerator, 7)")
    port.kernel.write_text(source)
    conversion = tileport.prove(port.folder)
    assert code_classes(conversion) == {"sm_90": "differs", "sm_100": "differs"}
    [row] = conversion.specializations
    [finding] = row["ir"]["findings"]
    assert finding["targets"] == ["sm_90", "sm_100"] and finding["message"].startswith("kernel.rs:")
    assert finding["port"]["line"] and finding["reference"]["file"] == "softmax.py"
    assert row["code"]["sm_90"]["notes"][0].startswith("cutile refuses the port: ")


@pytest.mark.usefixtures("without_rustc")
def test_a_cubin_that_cannot_be_read_is_no_crash(
    port: Port, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = 'while [ "$1" != -o ]; do shift; done; echo nonsense > "$2"'
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(stand_in(tmp_path / "tileiras", body)))
    conversion = tileport.prove(port.folder, targets="sm_90")
    assert (conversion.verdict, code_classes(conversion)) == ("equivalent", {"sm_90": "differs"})
    [row] = conversion.specializations
    assert row["code"]["sm_90"]["notes"][0].startswith("the cubins cannot be compared: ")


def test_targets_are_what_tileiras_lists() -> None:
    listed = find_toolchain().targets
    assert make_options("all", None, 120, None).targets == listed
    assert {"sm_90", "sm_100", "sm_120"} <= set(listed)
    assert make_options("sm_100, sm_90,sm_100", None, 120, None).targets == ("sm_100", "sm_90")
    assert make_options(["sm_90"], 3, 120, None).jobs == 3


@pytest.mark.parametrize(
    "arguments,code",
    [
        (("sm_1", None, 120, None), "unknown-target"),
        ((",", None, 120, None), "no-target"),
        (("sm_90", 0, 120, None), "bad-jobs"),
        (("sm_90", None, 0, None), "bad-timeout"),
        (("sm_90", None, float("nan"), None), "bad-timeout"),
        (("sm_90", None, 120, "compile"), "unknown-stage"),
    ],
)
def test_wrong_options_are_usage_errors(arguments: Any, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_options(*arguments)
    assert caught.value.code == code


@pytest.mark.usefixtures("without_rustc")
def test_the_command_prints_json(port: Port, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.run(["prove", "softmax", "--out", str(port.folder.parent), "--targets", "sm_90", "--json"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed["verdict"] == "proven"
    assert printed["specializations"] == [
        {"name": VIEWS, "verdict": "proven", "ir": "equal_up_to", "code": {"sm_90": "identical"}}
    ]
    assert [stage["stage"] for stage in printed["stages"]] == ["check", "prove", "report"]


def test_a_port_that_is_not_there_is_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["prove", "softmax", "--out", str(tmp_path)]) == 2
    assert "there is no port of softmax" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
