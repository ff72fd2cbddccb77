# SPDX-License-Identifier: Apache-2.0
"""Conversions from capture to report: what a run makes, and what the next one finds still valid.

The capture is replaced by captured kernels of tests/data/prove (it has tests of its own); all other tools
are real.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import ports
import pytest
from ports import GATHER, VIEWS

import tileport
from tileport import cli, contract
from tileport.stages import capture, prove
from tileport.stages.port import Port
from tileport.stages.progress import STAGES, Progress


@pytest.fixture
def captures(monkeypatch: pytest.MonkeyPatch, data: Path) -> list[str]:
    return ports.capture_from_data(monkeypatch, data)


@pytest.fixture
def without_rustc(monkeypatch: pytest.MonkeyPatch) -> None:
    ports.rustc_accepts(monkeypatch)


def ran(conversion: tileport.conversion.Conversion) -> list[str]:
    """The stages that were not up to date."""
    return [stage.stage for stage in conversion.run.stages if not stage.up_to_date]


class Told(Progress):
    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []
        self.counts: list[tuple[str, int, int]] = []
        self.notes: list[str] = []

    def begin(self, op: str, stage: str) -> None:
        self.events.append(("begin", stage))

    def advance(self, op: str, stage: str, done: int, total: int, what: str = "") -> None:
        self.counts.append((stage, done, total))

    def end(self, op: str, stage: str, seconds: float, summary: str, up_to_date: bool = False) -> None:
        self.events.append(("up to date" if up_to_date else "end", stage))

    def note(self, op: str, text: str) -> None:
        self.notes.append(text)


def test_a_conversion_leaves_a_proven_port_and_a_repeat_does_nothing(
    tmp_path: Path, captures: list[str]
) -> None:
    told = Told()
    conversion = tileport.convert("softmax", out=tmp_path, progress=told)
    folder = tmp_path / "softmax"
    assert (conversion.op, conversion.directory, conversion.verdict) == ("softmax", folder, "proven")
    assert [row["name"] for row in conversion.specializations] == [GATHER, VIEWS]
    assert conversion.report == folder / "report.html" and GATHER in conversion.report.read_text()
    assert conversion.proof == contract.read(contract.PROOF, folder / "proof.json")
    assert ran(conversion) == list(STAGES)
    assert told.events == [(event, stage) for stage in STAGES for event in ("begin", "end")]
    assert ("check", 4, 4) in told.counts and ("prove", 8, 8) in told.counts
    made = {"Cargo.toml", "src", "kernel.rs", "ffi.rs", "softmax.py", "reference", "generated", "proof.json",
            "report.html", "ledger.jsonl"}  # fmt: skip
    assert made <= {path.name for path in folder.iterdir()}
    assert not list(folder.glob(".tmp-*"))
    before = {
        path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"
    }

    told = Told()
    again = tileport.convert("softmax", out=tmp_path, progress=told)
    assert ran(again) == [] and again.verdict == "proven" and again.proof == conversion.proof
    assert told.events == [("up to date", stage) for stage in STAGES]
    assert again.run.tileiras_runs == again.run.tileiras_remembered == 0
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert captures == ["softmax"]


@pytest.mark.usefixtures("without_rustc")
def test_a_conversion_stops_where_it_is_told_and_goes_on_from_there(
    tmp_path: Path, captures: list[str]
) -> None:
    folder = tmp_path / "softmax"
    for stage, last in (("capture", "reference"), ("translate", "kernel.rs"), ("check", "generated")):
        conversion = tileport.convert("softmax", out=tmp_path, stop_after=stage)
        assert ran(conversion) == [stage]
        assert (conversion.verdict, conversion.exit_status, conversion.proof) == (None, 0, None)
        assert (folder / last).exists() and not (folder / "proof.json").exists()
    assert ran(tileport.convert("softmax", out=tmp_path)) == ["prove", "host", "report"]
    assert captures == ["softmax"]


@pytest.mark.usefixtures("without_rustc")
def test_only_what_depends_on_a_change_is_made_again(
    tmp_path: Path, captures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "softmax"

    def convert(**options: Any) -> list[str]:
        conversion = tileport.convert("softmax", out=tmp_path, **options)
        assert conversion.verdict == "proven"
        return ran(conversion)

    assert convert() == list(STAGES)
    proof = (folder / "proof.json").read_bytes()
    assert convert(targets="sm_90") == ["check", "prove", "report"]
    assert convert() == ["check", "prove", "report"]
    assert (folder / "proof.json").read_bytes() == proof

    (folder / "proof.json").write_text("{}")
    assert convert() == ["prove", "report"]
    assert (folder / "proof.json").read_bytes() == proof
    (folder / "report.html").unlink()
    assert convert() == ["report"]
    shutil.rmtree(folder / "generated")
    assert convert() == ["check", "prove", "report"]
    (folder / "softmax.py").unlink()
    assert convert() == ["host"]
    (folder / "reference" / f"{VIEWS}.tileirbc").unlink()
    assert convert() == ["capture", "prove", "report"]
    assert captures == ["softmax", "softmax"]

    tests = tmp_path / "tests"
    (tests / "ops").mkdir(parents=True)
    (tests / "ops" / "test_softmax.py").write_text("1\n")
    assert convert(tests=tests) == ["capture", "prove", "report"]
    (tests / "ops" / "test_softmax.py").write_text("2\n")
    assert convert(tests=tests) == ["capture", "prove", "report"]
    assert convert(tests=tests) == []
    monkeypatch.setenv("TILEGYM_TESTS", str(tests))
    assert convert() == []


@pytest.mark.usefixtures("without_rustc")
def test_fresh_forgets_everything(tmp_path: Path, captures: list[str]) -> None:
    tileport.convert("softmax", out=tmp_path, stop_after="translate")
    (tmp_path / "softmax" / "stray").write_text("")
    conversion = tileport.convert("softmax", out=tmp_path, stop_after="translate", fresh=True)
    assert ran(conversion) == ["capture", "translate"]
    assert captures == ["softmax", "softmax"]
    assert not (tmp_path / "softmax" / "stray").exists()


@pytest.mark.usefixtures("without_rustc", "captures")
def test_an_edited_kernel_is_kept_aside(tmp_path: Path) -> None:
    kernel = tmp_path / "softmax" / "kernel.rs"
    tileport.convert("softmax", out=tmp_path, stop_after="translate")
    made = kernel.read_text()
    kernel.write_text(made + "// mine\n")
    told = Told()
    conversion = tileport.convert("softmax", out=tmp_path, stop_after="translate", progress=told)
    assert ran(conversion) == ["translate"]
    assert kernel.read_text() == made
    assert kernel.with_name("kernel.edited.rs").read_text() == made + "// mine\n"
    assert (
        told.notes
        == conversion.run.notes
        == ["kernel.rs had been edited; the edited file is kept as kernel.edited.rs"]
    )


@pytest.mark.usefixtures("without_rustc")
def test_an_interrupted_conversion_is_resumed(
    tmp_path: Path, captures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "softmax"

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(prove, "run", interrupt)
        with pytest.raises(KeyboardInterrupt):
            tileport.convert("softmax", out=tmp_path, targets=("sm_90",), tileiras_timeout=60)
    assert not (folder / "proof.json").exists() and not list(folder.glob(".tmp-*"))
    conversion = tileport.resume(folder)
    assert ran(conversion) == ["prove", "host", "report"]
    assert conversion.verdict == "proven" and (conversion.proof or {})["targets"] == ["sm_90"]
    assert captures == ["softmax"]


@pytest.mark.usefixtures("without_rustc", "captures")
def test_a_generated_folder_that_was_copied_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tileport.convert("softmax", out=tmp_path)
    port = Port(tmp_path / "softmax")
    for target in ("sm_90", "sm_100"):
        for path in port.reference.glob("*.tileirbc"):
            shutil.copy(path, port.generated / target / path.name)
    assert cli.run(["convert", "softmax", "--out", str(tmp_path)]) == 1
    assert "[copied-reference]" in capsys.readouterr().err
    assert not port.proof.exists()


@pytest.mark.usefixtures("without_rustc", "captures")
def test_the_command_ends_with_a_table_the_verdict_and_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["convert", "softmax", "--out", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    lines = [line.split() for line in captured.out.splitlines()]
    assert ["_softmax_kernel", "1", "1", "equal", "up", "to", "sm_90", "1", "identical", "410", "38"] in lines
    assert "softmax: proven, GPU gate pending" in captured.out
    assert f"report: {tmp_path}/softmax/report.html" in captured.out
    assert "softmax: translate: 2 entries" in captured.err
    assert cli.run(["convert", "softmax", "--out", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (
        printed["verdict"] == "proven" and [stage["up_to_date"] for stage in printed["stages"]] == [True] * 6
    )


@pytest.mark.usefixtures("without_rustc", "captures")
def test_of_several_operators_the_highest_exit_status_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["convert", "softmaks", "softmax", "--out", str(tmp_path), "--stop-after", "translate"]
    assert cli.run(command) == 2
    assert "did you mean softmax" in capsys.readouterr().err
    assert (tmp_path / "softmax" / "kernel.rs").is_file()
    assert cli.run([*command, "--json"]) == 2
    wrong, right = json.loads(capsys.readouterr().out)
    assert wrong["error"]["code"] == "unknown-op" and right["op"] == "softmax"


def test_launches_of_other_operators_are_merged_into_a_capture(
    tmp_path: Path, data: Path, captures: list[str]
) -> None:
    """What another operator's conversion launched of this one's kernels is added to what its own launches
    gave."""
    port = Port(tmp_path / "softmax")
    port.create()
    other = tmp_path / "other" / "reference" / "required" / "softmax"
    shutil.copytree(data / "prove" / "softmax" / "reference", other)
    index = contract.read(contract.INDEX, other / "index.json")
    known, new = index["specializations"]
    known["tests"], known["grid"] = ["tests/other.py::test"], [[7, 1, 1]]
    new["name"] = "_softmax_kernel_tma__0123456789"
    (other / f"{VIEWS}.tileirbc").rename(other / f"{new['name']}.tileirbc")
    contract.write(contract.INDEX, index, other / "index.json")
    source = capture.find_source("softmax")
    before = capture.inputs(source, port)
    capture.run(source, port, lambda *_: None)
    rows = {row["name"]: row for row in contract.read(contract.INDEX, port.index)["specializations"]}
    assert list(rows) == [GATHER, "_softmax_kernel_tma__0123456789", VIEWS]
    assert rows[GATHER]["tests"][1:] == ["tests/other.py::test"] and [7, 1, 1] in rows[GATHER]["grid"]
    assert (port.reference / "_softmax_kernel_tma__0123456789.tileirbc").is_file()
    (other / "index.json").write_text((other / "index.json").read_text() + "\n")
    assert capture.inputs(source, port)["required"] != before["required"]
    assert captures == ["softmax"]


@pytest.mark.usefixtures("without_rustc")
def test_operators_that_the_tests_launch_too_are_converted(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once, also if they require each other; the exit status is that of the worst."""
    captured = tmp_path / "captured"
    for op, other in (("softmax", "swiglu"), ("swiglu", "softmax")):
        reference = captured / "prove" / op / "reference"
        shutil.copytree(data / "prove" / "softmax" / "reference", reference)
        index = contract.read(contract.INDEX, reference / "index.json")
        index["op"], index["requires"] = op, [other]
        for row in index["specializations"]:
            row["op"] = op
        contract.write(contract.INDEX, index, reference / "index.json")
    calls = ports.capture_from_data(monkeypatch, captured)
    conversion = tileport.convert("softmax", out=tmp_path, targets="sm_90")
    assert calls == ["softmax", "swiglu"]
    assert list(conversion.required) == ["swiglu"] and conversion.required["swiglu"].required == {}
    assert (conversion.verdict, conversion.required["swiglu"].verdict) == ("proven", "proven")
    assert (conversion.proof or {})["requires"] == ["swiglu"]
    conversion.required["swiglu"].verdict = "unproven"
    assert conversion.exit_status == 1


@pytest.mark.usefixtures("without_rustc")
def test_a_required_operator_that_fails_takes_nothing_from_this_one(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    captured = tmp_path / "captured"
    shutil.copytree(data / "prove", captured / "prove")
    path = captured / "prove" / "softmax" / "reference" / "index.json"
    contract.write(contract.INDEX, {**contract.read(contract.INDEX, path), "requires": ["no.such.op"]}, path)
    ports.capture_from_data(monkeypatch, captured)
    assert cli.run(["convert", "softmax", "--out", str(tmp_path), "--targets", "sm_90", "--json"]) == 2
    printed = json.loads(capsys.readouterr().out)
    assert printed["verdict"] == "proven"
    assert printed["required_errors"]["no.such.op"]["code"] == "unknown-op"
    assert cli.run(["convert", "softmax", "--out", str(tmp_path), "--targets", "sm_90"]) == 2
    assert "no.such.op, which it requires, is not converted" in capsys.readouterr().out


@pytest.mark.full
def test_softmax_from_its_own_host_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way, capture included."""
    monkeypatch.delenv("TILEGYM_TESTS", raising=False)
    conversion = tileport.convert("softmax", out=tmp_path)
    assert conversion.verdict == "proven" and len(conversion.specializations) >= 10
    assert ran(tileport.convert("softmax", out=tmp_path)) == []
