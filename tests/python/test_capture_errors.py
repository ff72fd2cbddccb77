# SPDX-License-Identifier: Apache-2.0
"""Bad input to capture: what the message says, the exit status, and that nothing is left behind."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tileport import Error, InputError, RefusedError, ToolchainError, UsageError
from tileport.capture import capture, engine
from tileport.capture.protocol import Request
from tileport.capture.registry import user_operator
from tileport.cli import run
from tileport.toolchain import find_toolchain

needs_worker = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or find_toolchain().tileirdisasm.path is None,
    reason="needs torch and tileirdisasm",
)
needs_tilegym = pytest.mark.skipif(importlib.util.find_spec("tilegym") is None, reason="needs tilegym")

KERNEL = """\
import cuda.tile as ct
import torch

@ct.kernel
def scale(x):
    ct.store(x, index=(0,), tile=ct.load(x, index=(0,), shape=(16,)) * 2)
"""
LAUNCH = "ct.launch(torch.cuda.current_stream(), (1,), scale, (torch.zeros(16, device='cuda'),))\n"


@pytest.fixture
def kernel_file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


@needs_tilegym
@needs_worker
def test_unknown_operator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["capture", "sofmax", "-o", str(out)]) == 2
    printed = capsys.readouterr().err
    assert "there is no operator 'sofmax' [unknown-op]" in printed
    assert "did you mean softmax" in printed
    assert not out.exists()


def test_unknown_device_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no device model 'h100'") as caught:
        capture("softmax", tmp_path, device_models=["h100"])
    assert (caught.value.code, caught.value.help) == ("unknown-device-model", "choose from b200, h200")
    with pytest.raises(UsageError, match="no device model given"):
        capture("softmax", tmp_path, device_models=[])


@needs_worker
def test_unwritable_folder(kernel_file: Path, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(UsageError, match="cannot write there: Not a directory") as caught:
        capture(str(kernel_file), blocker / "a" / "b")
    assert (caught.value.code, caught.value.where) == ("unwritable-folder", str(blocker / "a" / "b"))


@needs_worker
def test_folders_made_for_nothing_are_removed(kernel_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        capture(str(kernel_file), tmp_path / "a" / "b", run=tmp_path / "absent.py")
    assert (caught.value.code, caught.value.where) == ("unreadable-script", str(tmp_path / "absent.py"))
    assert not (tmp_path / "a").exists()


def test_file_without_kernels(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    assert run(["capture", str(path), "-o", str(tmp_path / "out"), "--json"]) == 2


@needs_worker
def test_options_that_do_not_go_together(kernel_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        capture(str(kernel_file), tmp_path / "out", tests=tmp_path)
    assert caught.value.code == "tests-of-user-kernel"


@needs_tilegym
@needs_worker
def test_options_of_operators(tmp_path: Path, kernel_file: Path) -> None:
    with pytest.raises(UsageError) as usage:
        capture("softmax", tmp_path / "out", run=kernel_file)
    assert usage.value.code == "script-for-operator"
    with pytest.raises(InputError) as caught:
        capture("softmax", tmp_path / "out", tests=tmp_path)
    assert (caught.value.code, caught.value.where) == ("no-tilegym-tests", str(tmp_path))


@needs_tilegym
@needs_worker
def test_operator_that_nothing_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILEGYM_TESTS", raising=False)
    monkeypatch.setattr(engine, "driver_file", lambda op: None)
    with pytest.raises(UsageError, match="no calls of its own for 'softmax'") as caught:
        capture("softmax", tmp_path / "out")
    assert caught.value.code == "nothing-launches-op"
    assert "--tests DIR" in caught.value.help


@pytest.mark.parametrize("package", ["torch", "cuda.tile"])
def test_missing_package(
    package: str, kernel_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == package else find(name)
    )
    if package != "torch" and find("torch") is None:
        pytest.skip("needs torch")
    with pytest.raises(ToolchainError) as caught:
        capture(str(kernel_file), tmp_path / "out")
    assert caught.value.code == "package-missing"
    assert caught.value.help == "install it: pip install 'tileport[capture,tilegym]'"
    assert caught.value.exit_status == 3


@needs_worker
def test_missing_disassembler(kernel_file: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TILEPORT_TILEIRDISASM": str(tmp_path / "absent")}
    finished = subprocess.run(
        [sys.executable, "-m", "tileport", "capture", str(kernel_file), "-o", str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 3, finished.stderr
    assert "tileirdisasm" in finished.stderr and "Traceback" not in finished.stderr


@needs_worker
def test_program_that_raises(kernel_file: Path, tmp_path: Path) -> None:
    """The user sees the exception and their own line, not the library's; earlier results stay."""
    script = tmp_path / "program.py"
    script.write_text(f"from kernels import *\n{LAUNCH}\nimport json\n\njson.loads('{{')\n")
    reference = tmp_path / "out" / "reference"
    reference.mkdir(parents=True)
    (reference / "index.json").write_text("kept")
    with pytest.raises(
        Error, match="the program failed under h200: JSONDecodeError: Expecting property"
    ) as caught:
        capture(f"{kernel_file}:scale", tmp_path / "out", run=script, device_models=["h200"])
    assert (caught.value.code, caught.value.where) == ("script-failed", f"{script}:6")
    assert caught.value.exit_status == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["reference"]
    assert (reference / "index.json").read_text() == "kept"


# Kernels that are launched, not launched, and refused; one worker serves the tests of all of them.
KERNELS = (
    KERNEL
    + """
@ct.kernel
def other(x):
    pass

@ct.kernel
def narrow(x, y):
    tile = ct.load(x, index=(0,), shape=(16,)).astype(ct.float4_e2m1fn)
    ct.store(y, index=(0,), tile=tile.astype(ct.float32))

@ct.kernel
def wrong(x):
    ct.store(x, index=(0,), tile=ct.load(x, index=(0,), shape=(16,)) + "text")

x = torch.zeros(16, device="cuda")
for kernel, arguments in ((narrow, (x, x)), (wrong, (x,)), (scale, (x,))):
    try:
        ct.launch(torch.cuda.current_stream(), (1,), kernel, arguments)
    except ct.TileError:
        pass
"""
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, engine.Follower]:
    folder = tmp_path_factory.mktemp("recorded")
    path = folder / "kernels.py"
    path.write_text(KERNELS)
    request = Request(folder=str(folder), device_models=("h200",), autotune=False, script=str(path))
    return path, engine.Follower(request, lambda _: None).run()


@needs_worker
def test_kernel_that_is_not_launched(recorded: tuple[Path, engine.Follower], tmp_path: Path) -> None:
    path, followed = recorded
    with pytest.raises(UsageError, match="no kernel of this operator was launched") as caught:
        engine.write_capture(user_operator(path, "other"), tmp_path, followed)
    assert (caught.value.code, caught.value.help) == ("nothing-launched", "launched were scale (kernels.py)")
    assert list(tmp_path.iterdir()) == []


@needs_worker
def test_kernels_that_are_refused(recorded: tuple[Path, engine.Follower], tmp_path: Path) -> None:
    """Written under `rejected` with cuTile's reason; what works is captured all the same."""
    path, followed = recorded
    result = engine.write_capture(user_operator(path), tmp_path, followed)
    assert [row["kernel"] for row in result.specializations] == ["scale"]
    index = json.loads((tmp_path / "reference" / "index.json").read_text())
    assert index["rejected"] == result.rejected
    lines = KERNELS.splitlines()
    reasons = {}
    for row in result.rejected:
        assert (row["target"], row["tests"]) == ("sm_90", ["script/kernels.py"])
        assert lines[row["line"] - 1].startswith(f"def {row['kernel']}(")
        reasons[row["kernel"]] = row["reason"]
    assert set(reasons) == {"narrow", "wrong"}
    assert reasons["narrow"].startswith("UnsupportedFeatureError: float4_e2m1fn is not supported on sm_90")
    assert reasons["wrong"].startswith("TypeCheckingError: ")


@needs_worker
def test_operator_whose_every_kernel_is_refused(
    recorded: tuple[Path, engine.Follower], tmp_path: Path
) -> None:
    path, followed = recorded
    with pytest.raises(
        RefusedError, match="cuTile refuses every kernel: wrong for sm_90: TypeChecking"
    ) as caught:
        engine.write_capture(user_operator(path, "wrong"), tmp_path, followed)
    assert (caught.value.code, caught.value.exit_status) == ("kernels-refused", 1)
    assert list(tmp_path.iterdir()) == []


@needs_worker
def test_a_worker_that_dies(kernel_file: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import os\nprint('so far so good')\nos.kill(os.getpid(), 9)\n")
    with pytest.raises(Error, match="running host code for b200 failed") as caught:
        capture(str(kernel_file), tmp_path / "out", run=script, device_models=["b200"])
    assert caught.value.code == "capture-broke"
    assert not (tmp_path / "out").exists()
