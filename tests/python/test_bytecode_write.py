# SPDX-License-Identifier: Apache-2.0
"""The writers against the real tools: tileirdisasm reads what is written, tileiras makes the same of it."""

from __future__ import annotations

import random
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tileport import bytecode, text
from tileport.toolchain import find_toolchain
from tileport.toolchain.assembler import assemble

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"

Disassemble = Callable[..., bytes | None]


@pytest.fixture(scope="module")
def disassemble(tool: str, tmp_path_factory: pytest.TempPathFactory) -> Disassemble:
    file = tmp_path_factory.mktemp("written") / "module.tileirbc"

    def run(data: bytes, *options: str) -> bytes | None:
        file.write_bytes(data)
        done = subprocess.run([tool, *options, str(file)], capture_output=True, timeout=60)
        return done.stdout if done.returncode == 0 else None

    return run


def corpus(repository: Path) -> Iterator[tuple[str, bytes]]:
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.exists():
        pytest.skip(f"no corpus of captured kernels at {archive}")
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".tileirbc") else None
            if content is not None:
                yield member.name, content.read()


def goldens() -> list[Path]:
    return sorted(GOLDEN.glob("*.tileirbc"))


def printed(module: bytecode.Module, locations: bool = False) -> bytes:
    return text.print(module, locations=locations).encode("utf-8", "surrogateescape")


def check(name: str, data: bytes, disassemble: Disassemble) -> None:
    """What holds of every file: round trip, text with places, canonical form."""
    document = bytecode.read_document(data, name)
    assert bytecode.write(document) == data, name
    with_places = disassemble(data, "-g")
    assert printed(document.module, locations=True) == with_places, name
    canonical = bytecode.write(document.module)
    assert bytecode.write(bytecode.read(canonical)) == canonical, name
    assert disassemble(canonical, "-g") == with_places, name
    stripped = bytecode.write(document.module, debug_info=False)
    assert disassemble(stripped) == disassemble(data), name


def test_goldens(disassemble: Disassemble) -> None:
    for file in goldens():
        check(file.name, file.read_bytes(), disassemble)


def test_the_whole_corpus(repository: Path, disassemble: Disassemble) -> None:
    seen = 0
    for name, data in corpus(repository):
        check(name, data, disassemble)
        seen += 1
    assert seen == 238


def test_other_versions(disassemble: Disassemble) -> None:
    """The tool reads what is written in another version, with the same text but for the producer's line."""
    written = 0
    for file in goldens():
        data = file.read_bytes()
        module = bytecode.read(data)
        original = disassemble(data)
        assert original is not None
        for minor in range(1, 6):
            try:
                other = bytecode.write(module, version=(13, minor))
            except bytecode.BytecodeError as error:
                assert error.diagnostics[0]["code"] == "TP-B0027", file.name
                assert minor < module.version[1], file.name
                continue
            said = disassemble(other)
            without_producer = original.split(b"\n", 1)[1] if original.startswith(b"// Prod") else original
            assert said == (original if minor >= 3 else without_producer), (file.name, minor)
            written += 1
    assert written > 100


def test_options() -> None:
    module = bytecode.read((GOLDEN / "probe_views.tileirbc").read_bytes())
    with pytest.raises(ValueError, match="canonical=True"):
        bytecode.write(module, canonical=False, version=(13, 1))
    with pytest.raises(bytecode.BytecodeError, match="TP-B0027"):
        bytecode.write(module, version=(13, 1))
    with pytest.raises(bytecode.BytecodeError, match="TP-B0003"):
        bytecode.write(module, version=(13, 6))
    plain = bytecode.write(module, canonical=False)
    assert printed(bytecode.read(plain)) == printed(module)
    document = bytecode.read_document(plain)
    assert bytecode.write(replace(document), canonical=True) == bytecode.write(module)


MOST_ASSEMBLIES = 8
"""Of one file: tileiras 13.5 makes one of two cubins, by chance, of some files."""


def makes_the_same(folder: Path, target: str) -> tuple[bool, bool, bool]:
    """Whether one of the cubins that tileiras makes of the original is made of the canonical form too,
    whether there are several, and whether there are any. What tileiras refuses it must refuse in both
    forms."""
    made: dict[str, set[bytes | None]] = {"original": set(), "canonical": set()}
    for attempt in range(MOST_ASSEMBLIES):
        for form, cubins in made.items():
            file = folder / f"{form}.tileirbc"
            cubins.add(assemble(file, target, use_cache=attempt == 0).cubin)
        common = made["original"] & made["canonical"]
        if common:
            break
    several = any(len(cubins) > 1 for cubins in made.values())
    return bool(common), several, common != {None}


def same_machine_code(files: list[tuple[str, bytes]], targets: tuple[str, ...], folder: Path) -> list[str]:
    """Assembles each file and its canonical form; the names of those whose cubins differ, or of which only
    one assembles. At least nine of ten files must assemble, so that something is compared, and no more than
    one of fifty may have several cubins."""
    if find_toolchain().tileiras.path is None:
        pytest.skip("tileiras is not installed")
    different, assembled, varying = [], 0, 0
    for name, data in files:
        (folder / "original.tileirbc").write_bytes(data)
        # Messages of assert name file and line, so that debug information reaches machine code.
        module = bytecode.read(data)
        asserts = any(op.mnemonic == "assert" for op in module.walk())
        (folder / "canonical.tileirbc").write_bytes(bytecode.write(module, debug_info=asserts))
        for target in targets:
            same, several, any_made = makes_the_same(folder, target)
            if not same:
                different.append(f"{name} for {target}")
            varying += several
            assembled += any_made
    assert assembled >= 0.9 * len(files) * len(targets)
    assert varying <= 0.02 * len(files) * len(targets)
    return different


def test_machine_code_of_a_sample(tmp_path: Path) -> None:
    names = ("_softmax_kernel__23cd726708", "_rope_kernel__cd52d02d23", "_swiglu_forward_kernel__1fb877c8bb")
    files = [(name, (GOLDEN / f"{name}.tileirbc").read_bytes()) for name in names]
    assert same_machine_code(files, ("sm_90",), tmp_path) == []


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_machine_code_of_the_corpus(repository: Path, tmp_path: Path) -> None:
    files = list(corpus(repository))
    random.Random(4).shuffle(files)
    sample = files[:230]
    assert same_machine_code(sample, ("sm_90", "sm_100"), tmp_path) == []
