# SPDX-License-Identifier: Apache-2.0
"""tileport.diff and the command `tileport diff`."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from tileport import bytecode, cli, diff, ir, text

TMA = "_softmax_kernel_tma__5fec1e9b62"
CHUNKED = "_softmax_kernel_chunked__28a6b90687"


@pytest.fixture
def pairs(data: Path) -> Path:
    return data / "diff"


def test_a_kernel_equals_itself(pairs: Path) -> None:
    module = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    assert diff.compare(module, module, target="sm_100") == diff.Comparison("equal", (), ())


def test_reference_and_port_are_equal_up_to_named_rules(pairs: Path) -> None:
    reference = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    port = bytecode.read_file(pairs / f"{TMA}.port.sm_90.tileirbc")
    comparison = diff.compare(reference, port, target="sm_90")
    assert comparison.equality == "equal_up_to", comparison.findings
    counts = {note.rule: note.count for note in comparison.notes}
    assert counts["entry_name"] == 1
    assert counts["bounded_block_id"] == 6
    assert set(counts) <= set(diff.rules())
    assert all(note.message for note in comparison.notes)


def test_findings_have_both_sources(pairs: Path) -> None:
    reference = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    port = bytecode.read_file(pairs / f"{CHUNKED}.port.sm_90.tileirbc")
    comparison = diff.compare(reference, port)
    assert comparison.equality == "differs" and comparison.findings
    document = comparison.to_dict()
    json.dumps(document)
    first = document["findings"][0]
    assert first["severity"] == "critical" and first["class"] in ("mistranslation", "specialization_loss")
    places = [finding.reference for finding in comparison.findings if finding.reference.line]
    assert any(place.file.endswith("softmax.py") for place in places)
    assert any(finding.port.file.endswith(".rs") and finding.port.line for finding in comparison.findings)


def test_modules_without_a_kernel_are_refused(pairs: Path) -> None:
    # A file whose function table and string table are empty.
    header = b"\x7fTileIR\0" + bytes([13, 3, 0, 0])
    functions = bytes([0x82, 1, 8, 0xCB, 0])
    strings = bytes([0x81, 1, 4, 0])
    empty = bytecode.read(header + functions + strings + b"\0", "port.tileirbc")
    with pytest.raises(diff.DiffError) as caught:
        diff.compare(bytecode.read_file(pairs / f"{TMA}.tileirbc"), empty)
    assert caught.value.code == "TP-D0001" and caught.value.where == "port.tileirbc"
    assert caught.value.message == "port: the module has no kernel"
    assert pickle.loads(pickle.dumps(caught.value)).code == "TP-D0001"


def test_command(pairs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    reference, port = str(pairs / f"{TMA}.tileirbc"), str(pairs / f"{TMA}.port.sm_90.tileirbc")
    other = str(pairs / f"{CHUNKED}.tileirbc")
    assert cli.run(["diff", reference, reference]) == 0
    assert capsys.readouterr().out == "equal\n"
    assert cli.run(["diff", reference, port, "--target", "sm_90"]) == 0
    out = capsys.readouterr().out
    assert "note: bounded_block_id x 6: " in out and out.endswith("equal up to the notes above\n")
    assert cli.run(["diff", reference, other]) == 1
    out = capsys.readouterr().out
    assert "critical: " in out and "softmax.py:" in out and out.endswith("they differ\n")
    assert cli.run(["diff", reference, port, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["equality"] == "equal_up_to"

    broken = tmp_path / "broken.tileirbc"
    broken.write_bytes(b"\x7fTileIR\0")
    assert cli.run(["diff", reference, str(broken)]) == 2
    assert "TP-B" in capsys.readouterr().err
    assert cli.run(["diff", reference, str(tmp_path / "none.tileirbc")]) == 2
    assert "none.tileirbc" in capsys.readouterr().err


def test_command_on_text(pairs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    module = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    text_file = tmp_path / "reference.mlir"
    text_file.write_text(text.print(module))
    assert cli.run(["diff", str(text_file), str(pairs / f"{TMA}.tileirbc")]) == 0
    assert "debug_locations" in capsys.readouterr().out
    text_file.write_text("entry @k( {}\n")
    assert cli.run(["diff", str(text_file), str(text_file)]) == 2
    assert "reference.mlir:1:" in capsys.readouterr().err


def test_json_has_all_that_findings_say(pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faulty = [str(pairs / f"_softmax_kernel__1a724f7854{end}.tileirbc") for end in ("", ".port.faulty")]
    assert cli.run(["diff", *faulty, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["equality"]) == ("tileport/diff/1", "differs")
    [entry] = document["entries"]
    [finding] = entry["findings"]
    assert (finding["class"], finding["group"], finding["severity"]) == (
        "mistranslation",
        "arithmetic",
        "critical",
    )
    assert (finding["owner"], finding["effect"], finding["side"]) == ("kernel", "value", "both")
    assert finding["reference"]["path"].endswith("/constant#3") and finding["port"]["line"] == 78
    assert "NEG_INFINITY" in finding["fix"]
    value = [edit for edit in entry["script"]["edits"] if edit["layer"] == "value"]
    assert ("change", finding["port"]["path"]) in [(edit["kind"], edit["port"]["path"]) for edit in value]


def entries_text(names: dict[str, str]) -> str:
    """A module with an entry for each name, which stores what an op makes of a parameter."""
    return "".join(
        f"entry @{name}(%p: tile<ptr<f32>>, %x: tile<f32>) {{\n  %y = {op} %x : tile<f32>\n"
        "  %t = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token\n  return\n}\n"
        for name, op in names.items()
    )


def test_several_entries(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = tmp_path / "a.mlir", tmp_path / "b.mlir"
    a.write_text(entries_text({"one": "sin", "two": "cos"}))
    b.write_text(entries_text({"first": "cos", "second": "sin"}))
    pairs_file = tmp_path / "pairs.json"
    assert cli.run(["diff", str(a), str(b), "--write-pairs", str(pairs_file)]) == 0
    assert "a.mlir:one and b.mlir:second" in capsys.readouterr().out
    proposed = diff.read_pairs(pairs_file)
    assert [(pair.ref_entry, pair.gen_entry) for pair in proposed] == [("one", "second"), ("two", "first")]
    assert cli.run(["diff", str(a), str(b), "--pairs", str(pairs_file)]) == 0

    # What the file says is done, even if something else is more similar.
    diff.write_pairs(pairs_file, [diff.Pair("one", "first"), diff.Pair("two", "second", variant="b")])
    capsys.readouterr()
    assert cli.run(["diff", str(a), str(b), "--pairs", str(pairs_file), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [entry["equality"] for entry in document["entries"]] == ["differs", "differs"]
    assert document["pairs_proposed"] is False and document["entries"][1]["variant"] == "b"

    # An entry that no pair names has no counterpart.
    diff.write_pairs(pairs_file, [diff.Pair("one", "second")])
    assert cli.run(["diff", str(a), str(b), "--pairs", str(pairs_file)]) == 1
    out = capsys.readouterr().out
    assert "critical: entry 'a.mlir:two' of the reference has no counterpart in the port" in out
    assert "critical: entry 'b.mlir:first' of the port has no counterpart in the reference" in out


def test_ambiguous_pairs_are_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = tmp_path / "a.mlir", tmp_path / "b.mlir"
    a.write_text(entries_text({"one": "sin", "two": "sin"}))
    b.write_text(entries_text({"first": "sin", "second": "sin"}))
    assert cli.run(["diff", str(a), str(b)]) == 2
    error = capsys.readouterr().err
    assert "TP-D0005" in error and "'b.mlir:first', 'b.mlir:second' are as similar" in error


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        ("{", "TP-D0006", "no JSON"),
        ("{}", "TP-D0006", '"schema"'),
        ('{"schema": "tileport/pairs/1", "pairs": 3}', "TP-D0006", "no list"),
        ('{"schema": "tileport/pairs/1", "pairs": [1]}', "TP-D0006", "pair 0 is no object"),
        ('{"schema": "tileport/pairs/1", "pairs": [{"ref_entry": "one"}]}', "TP-D0006", 'lacks "gen_entry"'),
        (
            '{"schema": "tileport/pairs/1", "pairs": [{"ref_entry": 1, "gen_entry": "x"}]}',
            "TP-D0006",
            "no string",
        ),
        (
            '{"schema": "tileport/pairs/1", "pairs": [{"ref_entry": "one", "gen_entry": "none"}]}',
            "TP-D0007",
            "'none' of the port, which is not there",
        ),
        (
            '{"schema": "tileport/pairs/1", "pairs": [{"ref_entry": "one", "gen_entry": "first"},'
            ' {"ref_entry": "one", "gen_entry": "second"}]}',
            "TP-D0007",
            "two pairs name the entry 'a.mlir:one'",
        ),
    ],
)
def test_bad_pairs_files(
    content: str, code: str, says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a, b, pairs_file = tmp_path / "a.mlir", tmp_path / "b.mlir", tmp_path / "pairs.json"
    a.write_text(entries_text({"one": "sin", "two": "cos"}))
    b.write_text(entries_text({"first": "sin", "second": "cos"}))
    pairs_file.write_text(content)
    assert cli.run(["diff", str(a), str(b), "--pairs", str(pairs_file)]) == 2
    error = capsys.readouterr().err
    assert code in error and says in error, error


def test_folders(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.mkdir()
    b.mkdir()
    (a / "x.mlir").write_text(entries_text({"k": "sin"}))
    (a / "y.txt").write_text(entries_text({"k": "cos"}))
    (b / "z.mlir").write_text(entries_text({"k": "cos"}))
    (b / "w.mlir").write_text(entries_text({"k": "sin"}))
    assert cli.run(["diff", str(a), str(b)]) == 0
    assert "x.mlir:k and w.mlir:k" in capsys.readouterr().out
    assert cli.run(["diff", str(a), str(tmp_path / "a" / "x.mlir")]) == 1
    (tmp_path / "empty").mkdir()
    assert cli.run(["diff", str(a), str(tmp_path / "empty")]) == 2
    assert "TP-D0009" in capsys.readouterr().err


def test_edit_scripts_apply(pairs: Path) -> None:
    reference = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    port = bytecode.read_file(pairs / f"{CHUNKED}.port.sm_90.tileirbc")
    script = diff.edit_script(reference, port)
    assert script and script.count("value") > 0
    assert ir.first_difference(script.apply(reference), port) is None
    json.dumps(script.to_dict())
    with pytest.raises(diff.DiffError) as caught:
        script.apply(port)
    assert caught.value.code == "TP-D0008"
    assert not diff.edit_script(reference, reference)


def test_assert_same(pairs: Path) -> None:
    reference = bytecode.read_file(pairs / f"{TMA}.tileirbc")
    port = bytecode.read_file(pairs / f"{TMA}.port.sm_90.tileirbc")
    comparison = diff.assert_same(port, reference)
    assert comparison.equality == "equal_up_to"
    with pytest.raises(AssertionError, match="bounded_block_id"):
        diff.assert_same(port, reference, notes=False)
    faulty = bytecode.read_file(pairs / "_softmax_kernel__1a724f7854.port.faulty.tileirbc")
    with pytest.raises(AssertionError) as failure:
        diff.assert_same(faulty, bytecode.read_file(pairs / "_softmax_kernel__1a724f7854.tileirbc"))
    lines = str(failure.value).splitlines()
    assert lines[0] == "the kernels are not the same"
    assert lines[1].startswith("critical: the constant is <bf16: 0xFF80> in the reference, <bf16: 0xFFF0>")
    assert any("kernel.rs:78" in line for line in lines)
