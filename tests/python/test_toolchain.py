# SPDX-License-Identifier: Apache-2.0
"""Running tileiras and tileirdisasm, and the cache of what they made."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path

import pytest

from tileport.errors import InputError, ToolchainError, UsageError
from tileport.toolchain import RecordCache, assemble, cargo_environment, disassemble, find_toolchain

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tileport" / "cubins"


@pytest.fixture
def softmax(data: Path) -> Path:
    return data / "toolchain" / "softmax.tileirbc"


@pytest.fixture
def not_bytecode(tmp_path: Path) -> Path:
    path = tmp_path / "text.tileirbc"
    path.write_text("hello\n")
    return path


def script(path: Path, body: str) -> Path:
    """A stand-in for tileiras that knows the target sm_90 and does `body` when it is to assemble."""
    path.write_text(
        "#!/bin/sh\ncase $1 in\n--version) echo 'release 13.5, V13.5.99' ;;\n"
        "--help) echo '    =sm_90   - SM 90' ;;\n"
        f"*) {body} ;;\nesac\n"
    )
    path.chmod(0o755)
    return path


def test_cubin_is_what_tileiras_itself_writes(softmax: Path, tmp_path: Path) -> None:
    tileiras = find_toolchain().require("tileiras")
    expected = tmp_path / "expected.cubin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}
    subprocess.run(
        [tileiras, "--gpu-name", "sm_90", "-O3", softmax, "-o", expected], check=True, env=environment
    )
    out = tmp_path / "made.cubin"
    first = assemble(softmax, "sm_90", out)
    assert first.cubin == expected.read_bytes() == out.read_bytes()
    assert not first.cached
    assert first.cpu_seconds > 0
    again = assemble(softmax, "sm_90")
    assert again.cached
    assert (again.cubin, again.cpu_seconds) == (first.cubin, first.cpu_seconds)
    assert assemble(softmax, "sm_90", opt_level=0).cubin != first.cubin


def test_cuda_of_the_machine_does_not_matter(softmax: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_HOME", "/nowhere")
    monkeypatch.setenv("CUDA_PATH", "/nowhere")
    assert assemble(softmax, "sm_100").cubin


def test_refusal_is_a_result_and_is_kept(not_bytecode: Path) -> None:
    first, second = assemble(not_bytecode, "sm_90"), assemble(not_bytecode, "sm_90")
    assert first.cubin is None
    assert not first.timed_out
    assert "Tile IR bytecode" in first.stderr
    assert (first.cached, second.cached) == (False, True)
    assert second.stderr == first.stderr


def test_time_out_kills_the_whole_group_and_is_not_kept(
    softmax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    slow = script(tmp_path / "tileiras", f"sleep 600 & echo $! > {child}; wait")
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(slow))
    for _ in range(2):
        result = assemble(softmax, "sm_90", timeout_s=0.5)
        assert (result.cubin, result.timed_out, result.cached) == (None, True, False)
    stat = Path("/proc", child.read_text().strip(), "stat")
    deadline = time.monotonic() + 30
    while stat.exists() and stat.read_text().split()[2] != "Z":
        assert time.monotonic() < deadline, "the child of tileiras is still running"
        time.sleep(0.01)


def test_crash_says_nothing_about_the_file(
    softmax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEPORT_TILEIRAS", str(script(tmp_path / "tileiras", "kill -SEGV $$")))
    with pytest.raises(ToolchainError) as caught:
        assemble(softmax, "sm_90")
    assert caught.value.code == "tileiras-failed"
    assert "signal 11" in caught.value.message


def test_missing_tileiras(softmax: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEPORT_TILEIRAS", "/nowhere/tileiras")
    with pytest.raises(ToolchainError) as caught:
        assemble(softmax, "sm_90")
    assert caught.value.code == "missing-tool"
    assert "TILEPORT_TILEIRAS" in caught.value.message


def test_unknown_target(softmax: Path) -> None:
    with pytest.raises(UsageError) as caught:
        assemble(softmax, "sm_91")
    assert caught.value.code == "unknown-target"
    assert "sm_90, sm_100" in caught.value.help


def test_unreadable_file(tmp_path: Path) -> None:
    for work in (lambda path: assemble(path, "sm_90"), disassemble):
        with pytest.raises(InputError) as caught:
            work(tmp_path / "absent.tileirbc")
        assert caught.value.code == "unreadable-file"
        assert caught.value.where.endswith("absent.tileirbc")


def test_text_is_the_bytes_of_tileirdisasm(softmax: Path) -> None:
    tool = find_toolchain().require("tileirdisasm")
    expected = subprocess.run([tool, softmax], check=True, capture_output=True).stdout
    assert disassemble(softmax).encode() == expected


def test_text_of_something_else(not_bytecode: Path) -> None:
    with pytest.raises(InputError) as caught:
        disassemble(not_bytecode)
    assert caught.value.code == "not-bytecode"


def test_damaged_record_is_only_slower(softmax: Path, own_cache: Path) -> None:
    first = assemble(softmax, "sm_90")
    (record,) = [path for path in own_cache.rglob("*") if path.is_file()]
    record.write_bytes(record.read_bytes()[:-1])
    second = assemble(softmax, "sm_90")
    assert not second.cached
    assert second.cubin == first.cubin
    record.write_bytes(b"not json\n")
    assert assemble(softmax, "sm_90").cubin == first.cubin


def test_unwritable_cache_is_only_slower(softmax: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    assert assemble(softmax, "sm_90").cubin


def test_cache_is_bounded_and_drops_the_oldest(tmp_path: Path) -> None:
    cache = RecordCache(tmp_path / "records", limit_bytes=5000, writes_between_prunes=1)
    keys = [hashlib.sha256(bytes([number])).hexdigest() for number in range(10)]
    for age, key in enumerate(keys):
        cache.put(key, {"number": age}, bytes(1000))
        for path in (tmp_path / "records").rglob(key):
            os.utime(path, (age, age))
    kept = [key for key in keys if cache.get(key)]
    assert kept == keys[-len(kept) :]
    assert 3 <= len(kept) <= 5
    assert (
        sum(path.stat().st_size for path in (tmp_path / "records").rglob("*") if path.is_file())
        <= 5000 + 1200
    )


def test_cargo_environment_finds_headers_and_keeps_what_the_user_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_TOOLKIT_PATH", "LIBCLANG_PATH", "BINDGEN_EXTRA_CLANG_ARGS"):
        monkeypatch.delenv(name, raising=False)
    environment = cargo_environment()
    assert Path(environment["CUDA_TOOLKIT_PATH"], "include", "cuda.h").is_file()
    assert list(Path(environment["LIBCLANG_PATH"]).glob("libclang*.so*"))
    monkeypatch.setenv("LIBCLANG_PATH", "/mine")
    assert cargo_environment()["LIBCLANG_PATH"] == "/mine"
