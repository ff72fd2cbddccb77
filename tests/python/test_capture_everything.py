# SPDX-License-Identifier: Apache-2.0
"""Capturing all of TileGym in one run that can be cut short, and what is said about what it does not get.

The short tests run two drivers and tests of our own; the long ones hold a capture of everything (the folder
in TILEPORT_CAPTURED, else made here) against the corpus and the tools.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tileport import UsageError, bytecode, ir, text, verify
from tileport.capture import capture_all
from tileport.capture.device_models import DEVICE_MODELS
from tileport.capture.engine import Outcome
from tileport.capture.everything import cause_of, not_captured
from tileport.capture.journal import Journal
from tileport.capture.registry import operators
from tileport.capture.sweep import Plan, Sweep, make_plan
from tileport.cli import run
from tileport.cli._captured import show
from tileport.toolchain import find_toolchain

needs_worker = pytest.mark.skipif(
    importlib.util.find_spec("tilegym") is None or find_toolchain().tileirdisasm.path is None,
    reason="needs torch, tilegym and tileirdisasm",
)

needs_writer = pytest.mark.skipif(
    not hasattr(bytecode, "read_document"), reason="this build has no bytecode writer"
)

# ---- the journal ----------------------------------------------------------------------------------------

RECORD = {"event": "specialization", "key": "h200:0", "file": None}


def record(journal: Journal, events: list[dict[str, Any]], items: list[str]) -> Path:
    attempt = journal.start("h200", items)
    for event in events:
        attempt.add(event, json.dumps(event).encode())
    attempt.close()
    return attempt.folder / "events.jsonl"


def launch(test: str) -> dict[str, Any]:
    return {"event": "launch", "key": "h200:0", "test": test, "grid": [1, 1, 1], "facts": {}}


def ended(test: str, launches: int = 1) -> dict[str, Any]:
    return {"event": "outcome", "test": test, "outcome": "passed", "launches": launches}


def counted(test: str, count: int) -> dict[str, Any]:
    return {"event": "counts", "test": test, "counts": {"h200:0": count}}


def test_what_was_recorded_is_read_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "inputs", {"a.py": "1", "b.py": "1"})
    record(journal, [RECORD, launch("a.py::x"), counted("a.py::x", 3), ended("a.py::x", 3)], ["a.py"])
    record(journal, [RECORD, launch("b.py::y"), counted("b.py::y", 2), ended("b.py::y", 2)], ["b.py"])
    state = journal.read()
    assert sorted(state.done("h200")) == ["a.py::x", "b.py::y"] and state.done("b200") == []
    assert [recorded.tests for recorded in state.records] == [["a.py::x"], ["b.py::y"]]
    assert sum(state.launches.values()) == 5
    # Run again, a test counts once.
    record(journal, [RECORD, launch("a.py::x"), counted("a.py::x", 4), ended("a.py::x", 4)], ["a.py"])
    assert sum(journal.read().launches.values()) == 6


def test_a_line_that_was_cut_short_ends_the_attempt(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "inputs", {"a.py": "1"})
    path = record(journal, [RECORD, launch("a.py::x"), ended("a.py::x"), ended("a.py::y")], ["a.py"])
    data = path.read_bytes()
    for size in (len(data) - 2, len(data) - 20):
        path.write_bytes(data[:size])
        assert journal.read().done("h200") == ["a.py::x"]
    path.write_bytes(b"")
    assert journal.read().done("h200") == []


def test_a_changed_file_is_run_again_and_the_others_are_kept(tmp_path: Path) -> None:
    events = [RECORD, launch("a.py::x"), ended("a.py::x"), launch("b.py::y"), ended("b.py::y")]
    record(Journal(tmp_path, "inputs", {"a.py": "1", "b.py": "1"}), events, ["a.py", "b.py"])
    changed = Journal(tmp_path, "inputs", {"a.py": "2", "b.py": "1"}).read()
    assert changed.done("h200") == ["b.py::y"]
    assert [recorded.tests for recorded in changed.records] == [["b.py::y"]]
    # A file that is gone takes what only it launched with it.
    assert Journal(tmp_path, "inputs", {"b.py": "2"}).read().records == []


def test_nothing_counts_when_what_all_depends_on_changed(tmp_path: Path) -> None:
    record(
        Journal(tmp_path, "inputs", {"a.py": "1"}), [RECORD, launch("a.py::x"), ended("a.py::x")], ["a.py"]
    )
    assert Journal(tmp_path, "others", {"a.py": "1"}).read().outcomes == {}
    assert list(tmp_path.iterdir()) == []


# ---- causes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "launches", "error", "cause", "reason"),
    [
        ("passed", 0, None, "launches-nothing", "it passes without a launch"),
        ("skipped", 0, "not for this size", "skips-itself", "not for this size"),
        (
            "failed",
            2,
            "/x/y.py:7: AssertionError: far off\nmore",
            "looks-at-results",
            "AssertionError: far off",
        ),
        (
            "failed",
            0,
            "/x/y.py:7: AssertionError: wrong size",
            "host-code-fails",
            "AssertionError: wrong size",
        ),
        ("failed", 1, "a.py:3: KeyError: 'x'", "host-code-fails", "KeyError: 'x'"),
        ("failed", 1, "a.py:3: cuda.tile._exception.TileTypeError: no", "refused", None),
        ("failed", 0, "not done after 300 s", "limit", "not done after 300 s"),
        ("failed", 0, "the process died: status -11", "process-died", None),
    ],
)
def test_causes(outcome: str, launches: int, error: str | None, cause: str, reason: str | None) -> None:
    found = cause_of(Outcome("tests/a.py::x", "h200", outcome, launches, error))
    assert found is not None and found[0] == cause
    assert reason is None or found[1] == reason


def test_what_passes_with_launches_is_captured_and_the_rest_is_grouped() -> None:
    outcomes = [
        Outcome("tests/a.py::x", "h200", "passed", 1),
        *(
            Outcome(f"tests/a.py::{name}", model, "skipped", 0, "no")
            for name in "yz"
            for model in DEVICE_MODELS
        ),
    ]
    assert not_captured(outcomes) == [
        {
            "item": "tests/a.py",
            "cause": "skips-itself",
            "reason": "no",
            "count": 4,
            "after_launches": 0,
            "tests": ["tests/a.py::y", "tests/a.py::z"],
        }
    ]


# ---- the plan and the command ---------------------------------------------------------------------------


def test_a_plan_without_tests_is_all_drivers() -> None:
    plan = make_plan(None)
    assert {item.kind for item in plan.items} == {"drivers"} and len(plan.items) >= 24
    assert plan.not_run == ()


def test_a_plan_of_tilegyms_tests_leaves_nothing_out_silently(tilegym_tests: Path) -> None:
    root = tilegym_tests if tilegym_tests.joinpath("tests").is_dir() else tilegym_tests.parent
    plan = make_plan(root)
    named = {item.name for item in plan.items} | {left_out.name for left_out in plan.not_run}
    for path in [*root.rglob("tests/**/test_*.py"), *root.rglob("tests/**/bench_*.py")]:
        name = path.relative_to(root).as_posix()
        assert any(name == known or name.startswith(f"{known}/") for known in named), name
    assert all(left_out.reason for left_out in plan.not_run)


@pytest.mark.parametrize("arguments", [["softmax", "--all"], [], ["--all", "--run", "program.py"]])
def test_options_that_do_not_go_together(arguments: list[str], tmp_path: Path) -> None:
    assert run(["capture", *arguments, "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


@needs_worker
def test_wrong_names_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        capture_all(tmp_path / "out", device_models=["h100"])
    assert caught.value.code == "unknown-device-model"
    assert not (tmp_path / "out").exists()


# ---- small runs -----------------------------------------------------------------------------------------

TESTS = """\
import os, pathlib, time
import pytest, tilegym, torch

log = pathlib.Path(__file__).with_name("log.txt")

def softmax(width):
    with log.open("a") as file:
        file.write(f"{width}\\n")
    return tilegym.ops.softmax(torch.rand(4, width, device="cuda"))

@pytest.mark.parametrize("backend", ["cutile", "triton"])
def test_passes(backend):
    softmax(256)

def test_perf():
    softmax(512)

def test_looks():
    assert softmax(300).sum() > 0, "no numbers"

def test_skips():
    pytest.skip("not here")

def test_dies():
    softmax(64)
    os._exit(9)

def test_hangs():
    softmax(32)
    time.sleep(600)

def test_is_last():
    softmax(128)
"""
BENCHMARK = """\
import tilegym, torch, triton
import triton.testing

DEVICE = triton.runtime.driver.active.get_active_torch_device()

@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"], x_vals=[1024, 2048], line_arg="backend", line_vals=["cutile", "torch"],
        line_names=["CuTile", "PyTorch"], plot_name="soft", args={"rows": 4},
    )
)
def bench(N, backend, rows):
    assert backend == "cutile"
    x = torch.rand(rows, N, device=DEVICE)
    return triton.testing.do_bench(lambda: tilegym.ops.softmax(x))

if __name__ == "__main__":
    bench.run(print_data=True)
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    root = tmp_path_factory.mktemp("small")
    files = {"tests/__init__.py": "", "tests/ops/__init__.py": "", "tests/ops/test_soft.py": TESTS}
    for name, content in {**files, "tests/benchmark/bench_soft.py": BENCHMARK}.items():
        root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        root.joinpath(name).write_text(content)
    plan = make_plan(root)
    kept = [item for item in plan.items if item.kind != "drivers" or item.name == "driver/dropout"]
    return Plan(tuple(kept), (), root)


@pytest.fixture(scope="module")
def swept(small: Plan, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    sweep = Sweep(small, tmp_path_factory.mktemp("state"), ["h200"], limit=20.0)
    sweep.run()
    return sweep


@needs_worker
def test_a_run_survives_what_its_tests_do(swept: Sweep) -> None:
    state = swept.journal.read()
    names = {test: outcome for (_, test), outcome in state.outcomes.items()}
    prefix = "tests/ops/test_soft.py::test_"
    assert {test.removeprefix(prefix): names[test].outcome for test in names if test.startswith(prefix)} == {
        "passes[cutile]": "passed",
        "perf": "passed",
        "looks": "failed",
        "skips": "skipped",
        "dies": "failed",
        "hangs": "failed",
        "is_last": "passed",
    }
    assert names[f"{prefix}dies"].error is not None and "process died" in names[f"{prefix}dies"].error
    assert names[f"{prefix}hangs"].error == "not done after 20 s"
    assert names[f"{prefix}skips"].error == "not here"
    assert sum(test.startswith("driver/dropout::") for test in names) == 6
    assert {test for test in names if "bench_soft.py::" in test} == {
        f"tests/benchmark/bench_soft.py::soft[N={n},backend=cutile]" for n in (1024, 2048)
    }
    widths = {
        facts["input"]["shape"][1]
        for recorded in state.records
        if recorded.data["kernel"].startswith("_softmax")
        for facts in recorded.facts
    }
    # Also what a test launched before it died or hung.
    assert widths == {32, 64, 128, 256, 300, 512, 1024, 2048}


@needs_worker
def test_what_was_done_is_not_done_again(small: Plan, swept: Sweep) -> None:
    assert small.root is not None
    log = small.root / "tests" / "ops" / "log.txt"
    before, state = log.read_text(), swept.journal.read()
    assert swept.run().outcomes == state.outcomes
    assert log.read_text() == before
    # A test that had not ended when the run was cut short is run again, and no other.
    header, *events = (swept.journal._folder / "0001" / "events.jsonl").read_text().splitlines()
    cut = [line for line in events if "test_passes" not in line or '"outcome"' not in line]
    (swept.journal._folder / "0001" / "events.jsonl").write_text("\n".join([header, *cut]) + "\n")
    assert set(swept.run().outcomes) == set(state.outcomes)
    assert log.read_text() == before + "256\n"


@needs_worker
def test_the_command_writes_each_operator_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import tileport.capture.everything as everything

    monkeypatch.delenv("TILEGYM_TESTS", raising=False)
    only = ("driver/dropout", "driver/splitk_reduce")
    plan = Plan(tuple(item for item in make_plan(None).items if item.name in only), (), None)
    monkeypatch.setattr(everything, "make_plan", lambda root: plan)
    assert run(["capture", "--all", "-o", str(tmp_path), "--device-model", "h200", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary == json.loads((tmp_path / "capture.json").read_text())
    show(everything.Everything(tmp_path, summary))
    printed = capsys.readouterr().out
    assert "dropout" in printed and "give TileGym's tests with --tests DIR" in printed
    for op in ("dropout", "splitk_reduce"):
        index = json.loads((tmp_path / op / "reference" / "index.json").read_text())
        assert len(index["specializations"]) >= 5 and index["requires"] == []
        for row in index["specializations"]:
            data = (tmp_path / op / "reference" / f"{row['name']}.tileirbc").read_bytes()
            assert hashlib.sha256(data).hexdigest() == row["sha256"]
    table = {row["op"]: row for row in summary["operators"]}
    assert table["dropout"]["launches"] == 6 and table["dropout"]["unreached"] == {}
    assert table["softmax"]["specializations"] == 0 and len(table["softmax"]["unreached"]) == 4
    assert summary["not_captured"] == []


# ---- everything -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("TILEPORT_CAPTURED")
    if named:
        return Path(named)
    tests = request.getfixturevalue("tilegym_tests")
    folder = tmp_path_factory.mktemp("captured")
    capture_all(folder, tests=tests, jobs=len(os.sched_getaffinity(0)))
    return folder


def references(folder: Path) -> Iterator[tuple[str, dict[str, Any], Path]]:
    for path in sorted(folder.glob("*/reference/index.json")):
        index = json.loads(path.read_text())
        for row in index["specializations"]:
            yield index["op"], row, path.parent / f"{row['name']}.tileirbc"


def disassembled(path: Path, *options: str) -> bytes:
    tool = find_toolchain().require("tileirdisasm")
    return subprocess.run([tool, *options, path], capture_output=True, check=True).stdout


@pytest.mark.full
@pytest.mark.timeout(5 * 3600)
@needs_worker
def test_all_of_tilegym_is_captured(everything: Path) -> None:
    counts = Counter(op for op, _, _ in references(everything))
    assert counts.total() >= 1500
    assert {op.partition(".")[0] for op in counts} >= {"liger", "unsloth", "flashinfer", "transformers"}
    summary = json.loads((everything / "capture.json").read_text())
    assert summary["specializations"] == counts.total()
    assert set(summary["device_models"]) == set(DEVICE_MODELS)
    # Every operator with kernels is there; each kernel that is not has its reason.
    with_kernels = {name for name, operator in operators().items() if operator.kernels}
    assert with_kernels <= set(counts) | {row["op"] for row in summary["operators"] if row["unreached"]}
    for row in summary["operators"]:
        assert "no call of it is known" not in row["unreached"].values(), row["op"]


@pytest.mark.full
@pytest.mark.timeout(3600)
@needs_worker
def test_everything_of_the_corpus_is_found_again(everything: Path, repository: Path, tmp_path: Path) -> None:
    """What TileGym's tests launched when the corpus was made, with the same text."""
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.is_file():
        pytest.skip("the corpus of reference bytecode is not here")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    ours = {path.stem for _, _, path in references(everything)}
    missing = []
    expected = 0
    for row in json.loads((tmp_path / "corpus" / "index.json").read_text()):
        if not row["test"].startswith("tests/"):
            continue
        for target in row["ir"].values():
            if target.get("file"):
                expected += 1
                printed = disassembled(tmp_path / "corpus" / f"{target['file']}.tileirbc")
                name = f"{row['kernel']}__{hashlib.sha256(printed).hexdigest()[:10]}"
                if name not in ours:
                    missing.append((row["op"], name, row["test"]))
                break
    assert expected >= 150
    # Rope's tests skip themselves without that package.
    excused = {"rope"} if importlib.util.find_spec("transformers") is None else set()
    assert [found for found in missing if found[0] not in excused] == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@needs_worker
def test_every_text_is_what_the_tool_prints(everything: Path) -> None:
    differing = [
        path.name
        for _, _, path in references(everything)
        if text.print(bytecode.read_file(path)).encode("utf-8", "surrogateescape") != disassembled(path)
    ]
    assert differing == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@needs_worker
def test_the_verifier_finds_nothing_in_what_cutile_writes(everything: Path) -> None:
    findings = [
        (path.name, finding.text)
        for _, _, path in references(everything)
        for finding in verify.verify(bytecode.read_file(path))
    ]
    assert findings == []


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_every_text_is_parsed_to_the_same_program(everything: Path) -> None:
    differing = []
    for _, _, path in references(everything):
        module = bytecode.read_file(path)
        difference = ir.first_difference(module, text.parse(text.print(module)))
        if difference is not None:
            differing.append((path.name, difference))
    assert differing == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@needs_writer
@needs_worker
def test_every_text_with_source_places_is_what_the_tool_prints(everything: Path) -> None:
    differing = [
        path.name
        for _, _, path in references(everything)
        if text.print(bytecode.read_file(path), locations=True).encode("utf-8", "surrogateescape")
        != disassembled(path, "-g")
    ]
    assert differing == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@needs_writer
def test_every_file_is_written_again_byte_for_byte(everything: Path) -> None:
    differing = []
    for _, _, path in references(everything):
        data = path.read_bytes()
        document = bytecode.read_document(data)
        canonical = bytecode.write(document.module)
        if bytecode.write(document) != data or bytecode.write(bytecode.read(canonical)) != canonical:
            differing.append(path.name)
    assert differing == []
