# SPDX-License-Identifier: Apache-2.0
"""tileport.text.parse: round trips of what prints, errors, pairs of texts, NVIDIA's own test texts."""

from __future__ import annotations

import os
import pickle
import re
import tarfile
from pathlib import Path

import pytest

from tileport import bytecode, ir, text
from tileport.errors import InputError

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tileir" / "golden"
TEXTS = Path(__file__).resolve().parents[1] / "data" / "text"


def round_trip(data: bytes) -> str | None:
    module = bytecode.read(data)
    printed = text.print(module)
    again = text.parse(printed)
    assert text.print(again) == printed
    return ir.first_difference(module, again)


def test_an_error_says_what_and_where() -> None:
    source = "entry @k(%n: tile<i32>) {\n  %0 = addq %n, %n : tile<i32>\n  %1 = addi %n : tile<i32>\n}\n"
    with pytest.raises(InputError) as caught:
        text.parse(source, "k.mlir")
    error = caught.value
    assert isinstance(error, text.TextError)
    assert error.code == "TP-X0005"
    assert error.where == "k.mlir:2:8"
    assert error.exit_status == 2
    assert [d["code"] for d in error.diagnostics] == ["TP-X0005", "TP-X0004"]
    assert error.diagnostics[1]["line"] == 3
    assert error.diagnostics[0]["text"] == (
        "k.mlir:2:8: error: 'addq' is no op of Tile IR [TP-X0005]\n  Is addf meant?"
    )
    assert pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        text.parse_file(tmp_path / "missing.mlir")
    assert caught.value.code == "TP-X0001"
    with pytest.raises(InputError) as caught:
        text.parse_file(tmp_path)
    assert caught.value.code == "TP-X0001"


def test_bytes_that_are_no_utf8_survive() -> None:
    module = text.parse(b'entry @"\xff\xc3\xa9"() {\n  print_tko "\xfe" -> token\n}\n')
    assert module.functions[0].name == "\udcffé"
    assert text.print(module).splitlines()[0] == 'entry @"\\FF\\C3\\A9"() {'


def test_errors_about_bytes_that_are_no_utf8() -> None:
    with pytest.raises(text.TextError) as caught:
        text.parse(b'entry @"a"() {\n  "\xff\xc3"() : () -> ()\n}\n')
    assert caught.value.message == "'\\xff\\xc3' is no op of Tile IR"
    assert caught.value.where == "line 2:3"


def test_the_whole_corpus(repository: Path) -> None:
    archive = repository.parent / "shared" / "corpus" / "tilegym24.tar.xz"
    if not archive.exists():
        pytest.skip(f"no corpus of captured kernels at {archive}")
    seen, wrong = 0, []
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".tileirbc") else None
            if content is not None:
                seen += 1
                difference = round_trip(content.read())
                if difference:
                    wrong.append((member.name, difference))
    assert seen == 238
    assert wrong == []


def test_every_op_attribute_and_version() -> None:
    pytest.importorskip("cuda.tile")
    import tile_ir_probes  # noqa: F401
    import tile_ir_text_probes  # noqa: F401
    from tile_ir_kernel import PROBES

    assert len(PROBES) >= 24
    for name, build in PROBES.items():
        assert round_trip(build()) is None, name


def test_older_versions_lack_nothing_of_their_own_text() -> None:
    for file in sorted(GOLDEN.glob("probe_version_*.tileirbc")):
        module = bytecode.read_file(file)
        again = text.parse(text.print(module), version=module.version)
        assert again.version == module.version
        assert ir.first_difference(module, again) is None


def test_pairs_of_texts(repository: Path) -> None:
    """Texts that mean the same are equal, texts that differ are not."""
    folder = repository.parent / "shared" / "cases" / "tileir" / "pairs"
    if not folder.exists():
        pytest.skip(f"no pairs of texts at {folder}")
    verdicts = {}
    for left in sorted(folder.glob("*.a.txt")):
        name = left.name.removesuffix(".a.txt")
        right = folder / f"{name}.b.txt"
        try:
            verdicts[name] = ir.first_difference(text.parse_file(left), text.parse_file(right))
        except text.TextError as error:
            verdicts[name] = error.code
    assert len(verdicts) == 16
    for name in ("s02_rename_dash_name", "s05_module_wrapper", "s07_crlf"):
        assert verdicts.pop(name) is None, name
    # A type's extent is static while the op gives a value for it; NVIDIA's parser refuses that, too.
    assert verdicts.pop("d21_static_shape") == "TP-X0010"
    for name, verdict in verdicts.items():
        assert verdict and not verdict.startswith("TP-"), name


def test_hostile_texts(repository: Path) -> None:
    """Refused with a place, or one of those that are legal: tests/data/text/accepted says why."""
    folder = repository.parent / "shared" / "cases" / "tileir" / "bad_text"
    if not folder.exists():
        pytest.skip(f"no hostile texts at {folder}")
    accepted = set()
    for file in sorted(folder.glob("*.txt")):
        try:
            text.parse_file(file)
            accepted.add(file.stem)
        except text.TextError as error:
            assert error.diagnostics[0]["line"] > 0, file.name
            assert error.diagnostics[0]["column"] > 0, file.name
    assert accepted == {
        "01_empty",
        "13_hex_float_short",
        "25_long_line",
        "27_break_outside_loop",
        "29_generic_form",
    }


# Parts of NVIDIA's test files that are Tile IR only with ops of another dialect or of its test build, by the
# words that give them away.
_FOREIGN = re.compile(
    r"testing\$bytecode_test|\"some\.op\"|materialize_tensor|use_type|\"cond\"|global_op|test\.op_from|tensor<"
)


def test_nvidias_own_texts() -> None:
    """Every part that is not meant to be wrong is read, and prints as what reads back the same."""
    folder = os.environ.get("TILEPORT_CUDA_TILE_TESTS")
    if not folder:
        pytest.skip("set TILEPORT_CUDA_TILE_TESTS to the folder test/ of the cuda-tile repository")
    read, refused, wrong = 0, 0, []
    for file in sorted(Path(folder).rglob("*.mlir")):
        if "invalid" in file.parts:
            continue  # Descriptions of files, not texts.
        for number, part in enumerate(file.read_text().split("// -----")):
            try:
                modules = text.parse_modules(part, str(file))
            except text.TextError as error:
                refused += 1
                meant = re.search(r"expected-error|CHECK(-[A-Z-]+)?: .*error", part) or _FOREIGN.search(part)
                if not meant and "_invalid" not in file.name and "_fail" not in file.name:
                    wrong.append((file.name, number, error.diagnostics[0]["text"]))
                continue
            read += 1
            for module in modules:
                again = text.parse(text.print(module))
                assert ir.first_difference(module, again) is None, (file.name, number)
    print(f"{read} parts read, {refused} refused")
    assert wrong == []
    assert read >= 500
