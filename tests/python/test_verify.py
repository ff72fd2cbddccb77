# SPDX-License-Identifier: Apache-2.0
"""tileport.verify, the command ``verify``, and verdicts against tileirdisasm."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import tile_ir_edit as edit
import verify_mutants

import tileport
from tileport import bytecode, verify
from tileport.cli import run

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"


def refuses(tool: str, file: Path) -> bool:
    return subprocess.run([tool, str(file)], capture_output=True, timeout=60).returncode != 0


def changed(name: str, change: Callable[[edit.File], None]) -> bytes:
    """A golden file with one thing changed."""
    file = edit.parse((GOLDEN / f"{name}.tileirbc").read_bytes())
    change(file)
    return file.build()


def odd_function_section(data: bytes, tail: bytes) -> bytes:
    """The file with bytes behind the last function."""
    file = edit.parse(data)
    built = edit.parse(file.build())
    file.sections = [
        (number, alignment, payload + tail if number == edit.FUNCTION else payload)
        for number, alignment, payload in built.sections
    ]
    return file.build(rebuild=False)


def long_varint(data: bytes) -> bytes:
    """The file with its number of functions in two bytes."""
    file = edit.parse(data)
    file.sections = [
        (number, alignment, b"\x81\x00" + payload[1:] if number == edit.FUNCTION else payload)
        for number, alignment, payload in edit.parse(file.build()).sections
    ]
    return file.build(rebuild=False)


def ops(file: edit.File, name: str) -> list[edit.Op]:
    return [op for _, op in file.functions[0].walk() if op.row["name"] == name]


def test_files_that_the_tool_takes_have_no_errors() -> None:
    for file in sorted(GOLDEN.glob("*.tileirbc")):
        findings = verify.verify(bytecode.read_file(file))
        assert [f.text for f in findings if f.severity == "error"] == [], file.name


def test_the_corpus_is_valid(repository: Path) -> None:
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.exists():
        pytest.skip(f"no corpus of captured kernels at {archive}")
    seen = 0
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".tileirbc") else None
            if content:
                document = bytecode.read_document(content.read())
                assert verify.verify(document, strict=True) == [], member.name
                seen += 1
    assert seen == 238


def test_hostile_files(data: Path, tool: str) -> None:
    folder = data / "tileir" / "bad"
    files = sorted(folder.glob("*.tileirbc"))
    assert len(files) >= 20
    for file in files:
        assert bool(verify_mutants.our_verdict(file.read_bytes())) == refuses(tool, file), file.name


def test_parsing_and_building_keeps_the_text(tool: str, tmp_path: Path) -> None:
    """The editor of mutants is right: its files have the text of the originals."""
    again = tmp_path / "again.tileirbc"
    for file in sorted(GOLDEN.glob("*.tileirbc")):
        again.write_bytes(edit.parse(file.read_bytes()).build())
        done = subprocess.run([tool, str(again)], capture_output=True, timeout=60, check=True)
        assert done.stdout == file.with_suffix(".txt").read_bytes(), file.name


def test_a_finding_says_what_and_where(tmp_path: Path) -> None:
    def iota_of_rank_2(file: edit.File) -> None:
        op = ops(file, "iota")[0]
        op.results[0] = file.type_id(edit.Type("tile", file.type_id(edit.Type("i32")), [4, 4]))

    path = tmp_path / "wrong.tileirbc"
    path.write_bytes(changed("probe_shapes_and_matrices", iota_of_rank_2))
    (finding,) = verify.verify(bytecode.read_file(path))
    assert (finding.code, finding.severity) == ("TP-V0410", "error")
    assert finding.path == "@shapes_and_matrices/iota#0"
    assert finding.message == "iota makes a tile of rank 1, got tile<4x4xi32>"
    assert finding.file == str(path) and finding.offset is not None
    assert path.read_bytes()[finding.offset] == ops(edit.parse(path.read_bytes()), "iota")[0].row["opcode"]
    assert finding.text.startswith(f"{path}:{finding.offset:#x}: @shapes_and_matrices/iota#0: error: ")


def test_places_in_the_source(data: Path) -> None:
    file = edit.parse(next((data / "tileir" / "golden").glob("_matmul_kernel__*.tileirbc")).read_bytes())
    op = ops(file, "mmaf")[0]
    op.operands[0] = op.operands[1]
    finding = verify.verify(bytecode.read(file.build()))[0]
    assert ".py:" in finding.source and " in _" in finding.source


def test_rules_have_sources() -> None:
    rules = verify.rules()
    assert len(rules) >= 90
    assert len({rule.code for rule in rules}) == len(rules)
    assert all(rule.holds and rule.source for rule in rules)


def test_targets() -> None:
    module = bytecode.read_file(GOLDEN / "probe_multimem.tileirbc")
    assert verify.verify(module, target="sm_100") == []
    assert {finding.code for finding in verify.verify(module, target="sm_90")} == {"TP-V1102"}


# ---- the command ------------------------------------------------------------------------------------------


def test_a_valid_file(capsys: pytest.CaptureFixture[str]) -> None:
    file = GOLDEN / "probe_views.tileirbc"
    assert run(["verify", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"{file}: valid (bytecode 13.5, 1 kernel(s), ")


def test_everything_wrong_inside_a_file_is_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.tileirbc"

    def two_faults(file: edit.File) -> None:
        float_tile = file.type_id(edit.Type("tile", file.type_id(edit.Type("f32"))))
        ops(file, "absi")[0].results[0] = float_tile
        ops(file, "mulhii")[0].results[0] = float_tile

    wrong.write_bytes(changed("probe_integer_arithmetic", two_faults))
    assert run(["verify", str(wrong)]) == 1
    output = capsys.readouterr().out
    assert output.count("[TP-V0020]") == 2 and "/absi#0: error: " in output and "/mulhii#0: error: " in output
    assert output.endswith(f"{wrong}: not valid: 2 errors\n")
    assert run(["verify", str(wrong), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["valid"] is False
    assert [row["code"] for row in document["diagnostics"]] == ["TP-V0020", "TP-V0020"]

    wrong.write_bytes(b"not \0 bytecode")
    assert run(["verify", str(wrong), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (row["code"], row["severity"], row["offset"]) == ("TP-B0002", "error", 0)


def test_an_unopenable_file_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(tmp_path / "missing")]) == 2
    assert "[TP-B0001]" in capsys.readouterr().err


def test_a_target_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(GOLDEN / "probe_views.tileirbc"), "--target", "sm_75"]) == 1
    assert "[TP-V1103]" in capsys.readouterr().out


def test_the_text_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(GOLDEN / "probe_control_flow.txt")]) == 0
    assert capsys.readouterr().out.endswith(": valid (bytecode 13.3, 1 kernel(s), 38 ops)\n")
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("entry @k(%a: tile<i32>) {\n  %0 = addf %a, %a : tile<i32>\n  return\n}\n")
    assert run(["verify", str(wrong), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["diagnostics"]
    assert {(row["code"], row["line"], row["path"]) for row in rows} == {("TP-V0020", 2, "@k/addf#0")}
    wrong.write_text("entry @k(\n")
    assert run(["verify", str(wrong)]) == 1
    assert "[TP-X" in capsys.readouterr().out


def test_what_readers_pass_over_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that tileirdisasm takes, too."""
    good = (GOLDEN / "probe_views.tileirbc").read_bytes()

    def found(data: bytes, *options: str) -> tuple[int, list[tuple[str, str]]]:
        path = tmp_path / "odd.tileirbc"
        path.write_bytes(data)
        status = run(["verify", str(path), "--json", *options])
        rows = json.loads(capsys.readouterr().out)["diagnostics"]
        return status, [(row["code"], row["severity"]) for row in rows]

    assert found(good, "--strict") == (0, [])

    def repeated(file: edit.File) -> None:
        file.sections.append(file.sections[0])

    again = changed("probe_views", repeated)
    assert found(again) == (0, [("TP-V1201", "warning")])
    assert found(again, "--strict") == (1, [("TP-V1201", "error")])
    assert found(odd_function_section(good, b"garbage!"))[1] == [("TP-V1202", "warning")]
    assert found(odd_function_section(good, b"\xcb\xcb"))[1] == []
    assert found(long_varint(good))[1] == [("TP-V1203", "warning")]


# ---- the defect of cuda-tile 1.7.0 ------------------------------------------------------------------------


def test_a_lost_sign_is_a_warning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(GOLDEN / "probe_reductions.tileirbc")
    assert run(["verify", file]) == 0
    output = capsys.readouterr().out
    assert "cuda-tile 1.7.0" in output and "[TP-V0715]" in output
    assert run(["verify", file, "--strict"]) == 1
    assert "error: identity 0 of reduce lost its sign" in capsys.readouterr().out

    def with_its_sign(source: edit.File) -> None:
        for op in ops(source, "reduce"):
            for identity in op.attributes[1].content:
                raw = edit.Reader(identity.content[1]).varint()
                if raw >> 64:
                    pattern = raw >> 1
                    identity.content[1] = edit.zigzag(pattern - (pattern >> 63 << 64))

    right = tmp_path / "right.tileirbc"
    right.write_bytes(changed("probe_reductions", with_its_sign))
    assert run(["verify", str(right), "--strict"]) == 0


def test_a_conversion_does_not_carry_a_lost_sign_on(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = data / "capture" / "float64_maximum.py"
    conversion = tileport.convert(f"{program}:largest", out=tmp_path, run=program)
    assert conversion.verdict == "unproven"
    (row,) = conversion.specializations
    found = json.dumps(conversion.proof)
    assert "cuda-tile 1.7.0 lost the sign" in found
    reference = conversion.directory / "reference" / f"{row['name']}.tileirbc"
    assert [f.code for f in verify.verify(bytecode.read_file(reference))] == ["TP-V0715"]
