# SPDX-License-Identifier: Apache-2.0
"""tileport.diff and the command `tileport diff`."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from tileport import bytecode, cli, diff

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

    text = tmp_path / "text.mlir"
    text.write_text("entry @k() {}\n")
    assert cli.run(["diff", reference, str(text)]) == 2
    assert "TP-B" in capsys.readouterr().err
    assert cli.run(["diff", reference, str(tmp_path / "none.tileirbc")]) == 2
    assert "none.tileirbc" in capsys.readouterr().err
