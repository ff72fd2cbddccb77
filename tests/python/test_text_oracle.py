# SPDX-License-Identifier: Apache-2.0
"""Text and verdicts against tileirdisasm itself, run on the same bytes."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tileport import bytecode, text

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"


@dataclass
class Verdict:
    """What tileirdisasm makes of a file: its text, or the stage that refused it."""

    stage: str
    """accept, read (malformed) or verify (well-formed, but not valid)."""
    text: bytes


@pytest.fixture(scope="module")
def disassemble(tool: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], Verdict]:
    file = tmp_path_factory.mktemp("disassemble") / "module.tileirbc"

    def run(data: bytes) -> Verdict:
        file.write_bytes(data)
        done = subprocess.run([tool, str(file)], capture_output=True, timeout=60)
        if done.returncode == 0:
            return Verdict("accept", done.stdout)
        return Verdict("verify" if b"verification failed" in done.stderr else "read", b"")

    return run


def ours(data: bytes) -> bytes:
    return text.print(bytecode.read(data)).encode("utf-8", "surrogateescape")


def test_golden_texts_are_what_the_tool_prints(disassemble: Callable[[bytes], Verdict]) -> None:
    files = sorted(GOLDEN.glob("*.tileirbc"))
    assert len(files) >= 40
    for file in files:
        verdict = disassemble(file.read_bytes())
        assert verdict.text == file.with_suffix(".txt").read_bytes(), file.name
        assert verdict.text == ours(file.read_bytes()), file.name


def test_probes_written_now(disassemble: Callable[[bytes], Verdict]) -> None:
    """The encoder that is installed writes what we read."""
    pytest.importorskip("cuda.tile")
    import tile_ir_probes  # noqa: F401
    import tile_ir_text_probes  # noqa: F401
    from tile_ir_kernel import PROBES

    assert len(PROBES) >= 24
    for name, build in PROBES.items():
        data = build()
        verdict = disassemble(data)
        assert verdict.stage == "accept", name
        assert ours(data) == verdict.text, name
        assert data == (GOLDEN / f"probe_{name}.tileirbc").read_bytes(), f"{name}: run make_goldens.py"


def test_random_floats(disassemble: Callable[[bytes], Verdict]) -> None:
    pytest.importorskip("cuda.tile")
    from tile_ir_kernel import PROBES, Kernel, S, probe

    rng = random.Random(11)

    def body(k: Kernel) -> None:
        for _ in range(400):
            decimal = (
                rng.choice((-1, 1)) * rng.randrange(10 ** rng.randrange(1, 17)) / 10 ** rng.randrange(14)
            )
            k.constant(S.F32, struct.pack("<f", decimal))
            k.constant(S.F64, struct.pack("<d", decimal))
            k.constant(S.F32, rng.randbytes(4))
            k.constant(S.F64, rng.randbytes(8))
            k.constant(S.F16, rng.randbytes(2))
            k.constant(S.BF16, rng.randbytes(2))
            k.constant(S.TF32, struct.pack("<I", rng.getrandbits(19))[:3])

    probe(name="random_floats")(body)
    data = PROBES.pop("random_floats")()
    mine, theirs = ours(data).splitlines(), disassemble(data).text.splitlines()
    assert len(theirs) == 2803
    assert [pair for pair in zip(mine, theirs, strict=True) if pair[0] != pair[1]] == []


def test_the_whole_corpus(repository: Path, disassemble: Callable[[bytes], Verdict]) -> None:
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.exists():
        pytest.skip(f"no corpus of captured kernels at {archive}")
    different, seen = [], 0
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".tileirbc") else None
            if content is None:
                continue
            data = content.read()
            seen += 1
            if ours(data) != disassemble(data).text:
                different.append(member.name)
    assert seen == 238
    assert different == []


def test_hostile_files(data: Path, disassemble: Callable[[bytes], Verdict]) -> None:
    """Our verdicts are the tool's; what only its verifier refuses, we read."""
    expected = json.loads((data / "tileir" / "bad" / "expected.json").read_text())
    stages = {"accept": "accept", "verify": "verify", "reject": "read"}
    for name, row in expected.items():
        content = (data / "tileir" / "bad" / name).read_bytes()
        verdict = disassemble(content)
        assert verdict.stage == stages[row["tool"]], name
        assert bool(row["code"]) == (verdict.stage == "read"), name
        if verdict.stage == "accept":
            assert ours(content) == verdict.text, name


@pytest.mark.parametrize("seed", range(2))
def test_damaged_files(seed: int, disassemble: Callable[[bytes], Verdict]) -> None:
    """A byte that is changed: what the tool accepts we print alike, what its reader refuses so do we."""
    rng = random.Random(seed)
    files = [file.read_bytes() for file in sorted(GOLDEN.glob("*.tileirbc")) if file.stat().st_size < 6000]
    wrong = []
    for _ in range(400):
        damaged = bytearray(rng.choice(files))
        place = rng.randrange(12, len(damaged))
        damaged[place] = rng.choice([damaged[place] ^ 1 << rng.randrange(8), rng.randrange(256)])
        verdict = disassemble(bytes(damaged))
        try:
            mine: bytes | None = ours(bytes(damaged))
        except bytecode.BytecodeError:
            mine = None
        if verdict.stage == "accept":
            good = mine == verdict.text
        else:
            # Some of what the tool's verifier refuses, our reader refuses already.
            good = verdict.stage == "verify" or mine is None
        if not good:
            wrong.append((place, verdict.stage, bytes(damaged).hex()))
    assert wrong == []
