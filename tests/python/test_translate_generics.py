# SPDX-License-Identifier: Apache-2.0
"""Entries that several specializations share: which do, what their generics are, and what they follow."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tileport import _core, bytecode, diff, text, translate
from tileport.capture.compiling import Compiled
from tileport.stages import generics
from tileport.toolchain.check import Instance, check_kernels
from tileport.translate import Specialization, Translation, Variant
from tileport.wrappers import derivations

TARGET = "sm_90"


def kernel(block: int, number: int, *, element: str = "f16", divisor: int = 1, twice: bool = False) -> Any:
    """output[size + number + 0..block) = 0, as Tile IR."""
    size = "%size"
    promise = ""
    if divisor != 1:
        size, promise = "%known", f"%known = assume div_by<{divisor}>, %size : tile<i32>"
    lanes = f"tile<{block}xi32>"
    pointers = f"tile<{block}xptr<{element}>>"
    again = f"%twice = addi %sum, %lanes : {lanes}" if twice else ""
    return text.parse(f"""
        entry @k(%output: tile<ptr<{element}>>, %size: tile<i32>) {{
          {promise}
          %number = constant <i32: {number}> : tile<i32>
          %start = addi {size}, %number : tile<i32>
          %start1 = reshape %start : tile<i32> -> tile<1xi32>
          %starts = broadcast %start1 : tile<1xi32> -> {lanes}
          %lanes = iota : {lanes}
          %sum = addi %starts, %lanes : {lanes}
          {again}
          %base1 = reshape %output : tile<ptr<{element}>> -> tile<1xptr<{element}>>
          %bases = broadcast %base1 : tile<1xptr<{element}>> -> {pointers}
          %places = offset %bases, {"%twice" if twice else "%sum"} : {pointers}, {lanes} -> {pointers}
          %zero = constant <{element}: 0.000000e+00> : tile<{block}x{element}>
          %token = store_ptr_tko weak %places, %zero : {pointers}, tile<{block}x{element}> -> token
          return
        }}""")


Row = tuple[Any, Mapping[str, int | float]]


def specializations(*rows: Row) -> list[Specialization]:
    return [
        Specialization(f"k__{i:010x}", "k", module, ["output", "size"], list(constants.items()))
        for i, (module, constants) in enumerate(rows)
    ]


def translated(*rows: Row) -> Translation:
    translation = translate.translate(specializations(*rows))
    assert not translation.refusals
    return translation


def only(translation: Translation) -> Variant:
    [variant] = translation.variants
    return variant


def follows(variant: Variant) -> dict[str, str]:
    return {each.name: each.derivation.text if each.derivation else "" for each in variant.generics}


def test_what_differs_in_numbers_shares_an_entry() -> None:
    variant = only(
        translated(
            (kernel(64, 7), {"BLOCK": 64, "offset": 7}),
            (kernel(128, 7), {"BLOCK": 128, "offset": 7}),
            (kernel(128, 9), {"BLOCK": 128, "offset": 9}),
        )
    )
    assert variant.name == "k_f16"
    assert follows(variant) == {"OFFSET": "offset", "BLOCK": "BLOCK"}
    assert [dict(each.generics) for each in variant.instances.values()] == [
        {"OFFSET": 7, "BLOCK": 64},
        {"OFFSET": 7, "BLOCK": 128},
        {"OFFSET": 9, "BLOCK": 128},
    ]


def test_element_types_are_a_generic() -> None:
    translation = translated((kernel(64, 7, element="f16"), {}), (kernel(64, 7, element="bf16"), {}))
    variant = only(translation)
    assert [(each.name, each.is_type) for each in variant.generics] == [("E", True)]
    assert [each.generics["E"] for each in variant.instances.values()] == ["f16", "bf16"]
    assert "pub unsafe fn k_f16<E: ElementType>(output: *mut E, size: i32)" in translation.source


def test_what_is_known_of_arguments_is_no_structure() -> None:
    variant = only(
        translated((kernel(64, 7, divisor=16), {}), (kernel(64, 7), {}), (kernel(64, 7, divisor=8), {}))
    )
    assert follows(variant) == {"SIZE_DIVISOR": ""}
    assert [each.generics["SIZE_DIVISOR"] for each in variant.instances.values()] == [16, 1, 8]


def test_a_divisor_that_all_have_is_written_out() -> None:
    translation = translated((kernel(64, 7, divisor=16), {}), (kernel(64, 7, divisor=16), {}))
    assert only(translation).generics == []
    assert "assume_div_by_raw(size_1, 16, None, None)" in translation.source


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (lambda n, block: -(-n // block), "cdiv(N, BLOCK)"),
        (lambda n, block: n * block, "N * BLOCK"),
        (lambda n, block: 512 * n, "N * 512"),
        (lambda n, block: n - block, "N - BLOCK"),
        (lambda n, block: 1 << (n - 1).bit_length(), "next_power_of_two(N)"),
        (lambda n, block: -(-n // block) * n, "N * cdiv(N, BLOCK)"),
    ],
)
def test_derived_numbers_are_recognized(number: Any, expected: str) -> None:
    pairs = [(100, 64), (257, 32), (1000, 128), (4096, 64), (77, 16)]
    variant = only(translated(*((kernel(b, number(n, b)), {"N": n, "BLOCK": b}) for n, b in pairs)))
    assert expected in follows(variant).values()
    if "*" in expected and "cdiv" in expected:
        assert sorted(follows(variant).values()) == sorted(["BLOCK", expected])


def test_a_number_that_nothing_explains_makes_an_entry_of_its_own() -> None:
    translation = translated(
        (kernel(64, 3), {"BLOCK": 64}),
        (kernel(128, 4), {"BLOCK": 128}),
        (kernel(256, 1000003), {"BLOCK": 256}),
    )
    assert [list(each.instances) for each in translation.variants] == [
        ["k__0000000000"], ["k__0000000001"], ["k__0000000002"],
    ]  # fmt: skip


def test_another_structure_is_another_entry() -> None:
    translation = translated((kernel(64, 7), {"N": 7}), (kernel(64, 9, twice=True), {"N": 9}))
    assert [each.name for each in translation.variants] == ["k_f16", "k_f16_2"]


def test_every_instance_computes_what_its_reference_does(tmp_path: Path) -> None:
    rows: list[Row] = [
        (kernel(64, 7, divisor=16), {"BLOCK": 64, "N": 7}),
        (kernel(128, 9, divisor=2), {"BLOCK": 128, "N": 9}),
        (kernel(32, -5, element="bf16"), {"BLOCK": 32, "N": -5}),
        (kernel(64, 0, element="f8E4M3FN", divisor=4), {"BLOCK": 64, "N": 0}),
    ]
    translation = translated(*rows)
    variant = only(translation)
    (tmp_path / "kernel.rs").write_text(translation.source)
    instances = [Instance(name, variant.name, each.generics) for name, each in variant.instances.items()]
    results = {
        each.name: each for each in check_kernels(tmp_path / "kernel.rs", tmp_path, instances, [TARGET])
    }
    for (module, _), instance in zip(rows, instances, strict=True):
        result = results[instance.name]
        assert result.error is None and result.file is not None
        assert diff.compare(module, bytecode.read_file(str(result.file)), target=TARGET).equality != "differs"
    # The same with values of another specialization, so that the comparison is seen to compare.
    wrong = [Instance("wrong", variant.name, {**instances[0].generics, "N": 8})]
    [result] = check_kernels(tmp_path / "kernel.rs", tmp_path, wrong, [TARGET])
    assert diff.compare(rows[0][0], bytecode.read_file(str(result.file)), target=TARGET).equality == "differs"


# ---- other constants -----------------------------------------------------------------------------------


def index_row(name: str, constants: Mapping[str, int]) -> dict[str, Any]:
    values = [
        {"name": key, "kind": "constant", "type": "int", "value": value} for key, value in constants.items()
    ]
    return {
        "name": name,
        "kernel": "k",
        "signature": [
            {"name": "output", "kind": "array", "rank": 0},
            {"name": "size", "kind": "scalar"},
            *values,
        ],
    }


def recovered(number: Any, *captured: tuple[int, int]) -> generics.Recovered:
    """Captured are (N, BLOCK); ``number`` is what the kernel adds at these."""
    rows = [index_row(f"k__{i:010x}", {"N": n, "BLOCK": b}) for i, (n, b) in enumerate(captured)]

    def compile(row: Mapping[str, Any], signature: Sequence[Mapping[str, Any]]) -> Compiled:
        constants = dict(translate.constants(signature))
        block = int(constants["BLOCK"])
        if block & (block - 1):
            return Compiled(None, "extents of tiles are powers of two")
        module = kernel(block, number(constants["N"], block))
        return Compiled(bytes(bytecode.write(module)))

    given = specializations(*((kernel(b, number(n, b)), {"N": n, "BLOCK": b}) for n, b in captured))
    return generics.recover(rows, given, translate.translate, compile)


def test_a_right_derivation_is_confirmed_at_other_constants() -> None:
    result = recovered(lambda n, block: -(-n // block), (100, 64), (257, 32), (1000, 128))
    variant = only(result.translation)
    assert "cdiv(N, BLOCK)" in follows(variant).values()
    assert len(result.variations) >= generics.WANTED and result.notes == []
    assert set(result.variations) <= set(variant.variations)
    assert list(variant.instances) == ["k__0000000000", "k__0000000001", "k__0000000002"]


def test_a_derivation_that_only_fits_what_was_captured_is_corrected() -> None:
    """N / BLOCK and N / 64 are the same as long as BLOCK is 64."""
    number = lambda n, block: n // block + 3  # noqa: E731
    captured = [(640, 64), (1280, 64), (6400, 64)]
    before = translate.translate(
        specializations(*((kernel(b, number(n, b)), {"N": n, "BLOCK": b}) for n, b in captured))
    )
    result = recovered(number, *captured)
    variant = only(result.translation)
    for name, variation in result.variations.items():
        assert variation.predicted == tuple(sorted(filter(None, follows(variant).values())))
        constants = {"N": 640, "BLOCK": 64, **variation.constants}
        values = variant.variations[name].generics
        assert values[next(iter(follows(variant)))] == number(constants["N"], constants["BLOCK"])
    assert len(result.variations) >= 1
    assert only(before).variations == {}


def test_constants_that_cutile_refuses_are_passed_over() -> None:
    rows = [
        index_row("k__0000000000", {"N": 8, "BLOCK": 64}),
        index_row("k__0000000001", {"N": 9, "BLOCK": 64}),
    ]
    given = specializations((kernel(64, 8), {"N": 8, "BLOCK": 64}), (kernel(64, 9), {"N": 9, "BLOCK": 64}))
    result = generics.recover(rows, given, translate.translate, lambda *_: Compiled(None, "no"))
    assert result.variations == {}
    assert "k_f16 is confirmed at 0 sets of other constants" in result.notes[0]


# ---- derivations ---------------------------------------------------------------------------------------


def test_python_and_the_core_know_the_same_operations() -> None:
    assert sorted(derivations.operations()) == sorted(_core.translate.derivation_operations())


@pytest.mark.parametrize("operation", derivations.operations())
def test_python_evaluates_derivations_as_the_core_does(operation: str) -> None:
    random.seed(operation)
    constant = [{"operation": "constant", "name": name, "number": 0, "of": []} for name in "ab"]
    arity = 2 if operation in derivations._BINARY else 1
    document = {"operation": operation, "name": "", "number": 0, "of": constant[:arity]}
    numbers = [0, 1, -1, 2, 3, 7, 64, 1 << 40, -(1 << 52), (1 << 53) - 1, 1 << 60]
    floats = [0.0, -0.0, 0.5, 1.0, 1e-6, 3e38, 1e300, -2.5, float("inf")]
    values = [*numbers, *floats, *(random.randint(-5000, 5000) for _ in range(200))]
    for a in values:
        for b in random.sample(values, 20):
            constants = [("a", a), ("b", b)]
            expected = _core.translate.evaluate(document, constants)
            assert derivations.evaluate(document, constants) == expected, (operation, a, b)


def test_a_variation_refutes_and_does_not_split() -> None:
    """What no expression explains any more stays one entry, which then knows captured values only."""
    rows = specializations(
        (kernel(64, 8), {"N": 8, "BLOCK": 64}),
        (kernel(64, 9), {"N": 9, "BLOCK": 64}),
        (kernel(64, 1000003), {"N": 10, "BLOCK": 64}),
    )
    rows[2] = Specialization(**{**rows[2].__dict__, "is_variation": True})
    variant = only(translate.translate(rows))
    [generic] = variant.generics
    assert generic.derivation is None and generic.refuted is not None
    assert generic.refuted["operation"] == "constant" and generic.refuted["name"] == "N"
    assert {name: dict(each.generics) for name, each in variant.instances.items()} == {
        "k__0000000000": {"N": 8}, "k__0000000001": {"N": 9},
    }  # fmt: skip
    assert list(variant.variations) == ["k__0000000002"]
