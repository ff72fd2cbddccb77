# SPDX-License-Identifier: Apache-2.0
"""The ledger, the folder of a port with its lock, and the queue of assemblies."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tileport.errors import UsageError
from tileport.stages import assembly
from tileport.stages.assembly import AssemblyQueue
from tileport.stages.ledger import ABSENT, Ledger, content_hash, file_hash, folder_hash
from tileport.stages.port import BusyError, Port
from tileport.toolchain import Assembled


def test_a_stage_is_current_only_with_the_same_inputs_and_untouched_outputs(tmp_path: Path) -> None:
    (tmp_path / "kernel.rs").write_text("one")
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "a").write_text("a")
    ledger = Ledger(tmp_path)
    assert ledger.current("translate", {"in": "1"}) is None
    ledger.append("translate", {"in": "1"}, ["kernel.rs", "generated", "missing"], 1.0, 0.5, {"entries": 3})
    current = ledger.current("translate", {"in": "1"})
    assert current is not None and current.facts == {"entries": 3} and current.outputs["missing"] == ABSENT
    assert ledger.current("translate", {"in": "2"}) is None
    assert ledger.current("check", {"in": "1"}) is None
    (tmp_path / "generated" / "b").write_text("b")
    assert ledger.current("translate", {"in": "1"}) is None
    (tmp_path / "generated" / "b").unlink()
    assert ledger.current("translate", {"in": "1"}) is not None
    (tmp_path / "missing").write_text("")
    assert ledger.current("translate", {"in": "1"}) is None


def test_only_the_last_record_of_a_stage_counts(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append("check", {"in": "1"}, [], 0, 0)
    ledger.append("check", {"in": "2"}, [], 0, 0)
    assert ledger.current("check", {"in": "1"}) is None
    assert ledger.current("check", {"in": "2"}) is not None


def test_a_line_that_was_cut_off_is_no_record_and_spoils_none(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append("capture", {}, [], 0, 0)
    whole = ledger.path.read_bytes()
    for cut in range(1, len(whole)):
        ledger.path.write_bytes(whole + whole[:cut])
        # Without its newline a complete line may count; a shorter one must not.
        expected = ["capture"] if cut < len(whole) - 1 else ["capture", "capture"]
        assert [record.stage for record in ledger.records()] == expected
    ledger.path.write_bytes(whole + whole[:20])
    ledger.append("translate", {}, [], 0, 0)
    assert [record.stage for record in ledger.records()] == ["capture", "translate"]
    assert json.loads(ledger.path.read_text().splitlines()[-1])["stage"] == "translate"


def test_a_folder_hashes_by_names_and_contents(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "a").write_text("x")
        (folder / "__pycache__").mkdir()
    (two / "__pycache__" / "a.pyc").write_text("whatever")
    assert folder_hash(one) == folder_hash(two) == content_hash(one)
    (two / "sub" / "a").rename(two / "sub" / "b")
    assert folder_hash(one) != folder_hash(two)
    assert folder_hash(tmp_path / "none") == file_hash(tmp_path / "none") == ABSENT


def _hold(folder: Path, held: Any, release: Any) -> None:
    with Port(folder).locked():
        held.set()
        release.wait(30)


def test_two_processes_do_not_work_on_one_port(tmp_path: Path) -> None:
    port = Port(tmp_path / "softmax")
    port.create()
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(port.folder, held, release))
    process.start()
    try:
        assert held.wait(60)
        with pytest.raises(BusyError, match=rf"process {process.pid}") as caught, port.locked():
            pass
        assert caught.value.exit_status == 3
    finally:
        release.set()
        process.join()
    with port.locked():
        pass


def test_the_lock_sweeps_what_a_killed_run_left_and_keeps_the_rest(tmp_path: Path) -> None:
    port = Port(tmp_path / "softmax")
    port.create()
    (port.folder / ".tmp-generated-x" / "generated").mkdir(parents=True)
    (port.folder / ".reference-x").mkdir()
    (port.folder / ".kernel.rs.x").write_text("half")
    (port.folder / "kernel.rs").write_text("mine")
    (port.folder / ".git").mkdir()
    with port.locked():
        assert sorted(path.name for path in port.folder.iterdir()) == [".git", ".lock", "kernel.rs"]


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    port = Port(tmp_path / "softmax")
    port.create()
    for content in ("first", "second"):
        with port.scratch("generated") as scratch:
            new = scratch / "generated"
            new.mkdir()
            (new / content).write_text(content)
            port.replace_folder(new, port.generated)
        assert [path.name for path in port.generated.iterdir()] == [content]
    assert sorted(path.name for path in port.folder.iterdir()) == ["generated"]


@pytest.mark.parametrize("place", ["file/softmax", "/proc/softmax"])
def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written") as caught:
        Port(tmp_path / place).create()
    assert caught.value.code == "unwritable-folder"


def test_the_heaviest_file_is_assembled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    gate = threading.Event()

    def assemble(path: Path, target: str, timeout_s: float) -> Assembled:
        gate.wait(30)
        order.append(path.name)
        return Assembled(b"", 0.25, False, "", cached=path.name == "cached")

    monkeypatch.setattr(assembly, "assemble", assemble)
    with AssemblyQueue(1, 60) as queue:
        queue.submit(Path("first"), "sm_90", 0)
        time.sleep(0.1)  # the worker takes it, and waits
        for name, weight in (("light", 1), ("heavy", 9), ("cached", 5)):
            queue.submit(Path(name), "sm_90", weight)
        gate.set()
    assert order == ["first", "heavy", "cached", "light"]
    assert (queue.finished, queue.cached, queue.cpu_seconds) == (4, 1, 0.75)


def test_an_error_of_one_assembly_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def assemble(path: Path, target: str, timeout_s: float) -> Assembled:
        if path.name == "bad":
            raise UsageError("unknown-target", "no such target")
        return Assembled(b"x", 0.0, False, "")

    monkeypatch.setattr(assembly, "assemble", assemble)
    with AssemblyQueue(2, 60) as queue:
        bad, good = queue.submit(Path("bad"), "sm_1", 0), queue.submit(Path("good"), "sm_90", 0)
        assert good.result(30).cubin == b"x"
        with pytest.raises(UsageError):
            bad.result(30)


def test_leaving_by_an_exception_drops_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    started, gate = threading.Event(), threading.Event()

    def assemble(path: Path, target: str, timeout_s: float) -> Assembled:
        started.set()
        gate.wait(30)
        return Assembled(None, 0.0, False, "")

    monkeypatch.setattr(assembly, "assemble", assemble)
    monkeypatch.setattr(assembly.assembler, "stop_running", gate.set)
    with pytest.raises(KeyboardInterrupt), AssemblyQueue(1, 60) as queue:
        queue.submit(Path("running"), "sm_90", 0)
        assert started.wait(30)
        waiting = queue.submit(Path("waiting"), "sm_90", 0)
        raise KeyboardInterrupt
    assert waiting.cancelled()
