# SPDX-License-Identifier: Apache-2.0
"""Gaps of cutile 0.5.0 that the translator goes around or refuses, each shown with cutile's compiler itself.

A test that fails here means that a later cutile closed a gap: the rewrite or refusal in src/translate and its
line in docs/limits.md can then go.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tileport import bytecode, text
from tileport.toolchain.check import CheckResult, cargo_check, check_kernels
from tileport.wrappers import write_check_crate

_MODULE = "#[cutile::module]\npub mod m {{\n    use cutile::core::*;\n{}}}\n"

_SCALARS = """
        let i: Tile<i32, {{ [] }}> = scalar_to_tile(n);
        let u: Tile<u32, {{ [] }}> = bitcast(i);
        let p: PointerTile<*mut i32, {{ [] }}> = pointer_to_tile(address);
        let x: Tile<i32, {{ [2, 8] }}> = constant(3, shape![2, 8]);
        let f: Tile<f32, {{ [] }}> = constant(2.0, shape![]);
        let line: Tile<i32, {{ [8] }}> = constant(3, shape![8]);
        {}
"""


def module_of(*statements: str, name: str = "e") -> str:
    body = _SCALARS.format("\n        ".join(statements))
    return f"    #[cutile::entry()]\n    pub unsafe fn {name}(address: *mut i32, n: i32) {{{body}    }}\n"


def compiled(folder: Path, *statements: str, version: str = "13.5") -> CheckResult:
    kernel = folder / "kernel.rs"
    kernel.write_text(_MODULE.format(module_of(*statements)))
    [result] = check_kernels(kernel, folder, None, ["sm_100"], bytecode_version=version)
    return result


def printed(folder: Path, *statements: str) -> str:
    result = compiled(folder, *statements)
    assert result.file is not None, result.error
    return str(text.print(bytecode.read_file(str(result.file))))


SILENTLY_WRONG = {
    "constant(false) is true": (
        "let a: Tile<bool, { [8] }> = constant(false, shape![8]);",
        "constant <i1: true> : tile<8xi1>",
    ),
    "large unsigned literals are 0": (
        "let a: Tile<u32, { [8] }> = constant(4294967295, shape![8]);",
        "constant <i32: 0> : tile<8xi32>",
    ),
    "named constants of bf16 are bits of f16": (
        "let a: Tile<bf16, { [8] }> = constant(bf16::ONE, shape![8]);",
        "constant <bf16: 1.875000e+00> : tile<8xbf16>",
    ),
    "a scan ignores its axis": (
        "let a: Tile<i32, { [2, 8] }> = scan_sum(x, 1, reverse::Forward, 0);",
        "dim=0 reverse=false",
    ),
    "a scan ignores its identity": (
        "let a: Tile<i32, { [8] }> = scan(line, 0, reverse::Forward, 1, |l, r| l * r);",
        "identities=[0 : i32]",
    ),
    "a general reduction ignores its identity": (
        "let a = reduce(line, 0, 1, |l, r| l * r);",
        "identities=[0 : i32]",
    ),
    "relabelling as unsigned leaves ops signed": (
        "let a: Tile<u32, { [] }> = scalar_to_tile(n); let b: Tile<u32, { [] }> = shri(a, a);",
        "signed",
    ),
}


@pytest.mark.parametrize("gap", SILENTLY_WRONG)
def test_what_cutile_gets_wrong(gap: str, tmp_path: Path) -> None:
    statement, wrong = SILENTLY_WRONG[gap]
    assert wrong in printed(tmp_path, statement), "cutile closed this gap"


REFUSED = {
    "trunci that wraps": (
        "let a: Tile<i8, { [] }> = trunci(i, overflow::None);",
        "missing attribute 'overflow'",
    ),
    "addi that wraps, as a call": (
        "let a: Tile<i32, { [] }> = addi(i, i, overflow::None);",
        "missing attribute 'overflow'",
    ),
    "divf with rounding full": (
        "let a: Tile<f32, { [] }> = divf(f, f, rounding::Full, ftz::Disabled);",
        "missing attribute 'rounding_mode'",
    ),
    "an atomic of rank 0": (
        "let a: (Tile<i32, { [] }>, Token) = atomic_rmw_tko(p, i, atomic::Add, ordering::Relaxed, "
        "scope::Device, None, None);",
        "panicked",
    ),
    "an early return": (
        "if n == 3 { return; } let a: Tile<i32, { [] }> = i + i;",
        "`return` is only supported at the top level",
    ),
    "NaN": ("let a: Tile<f32, { [] }> = constant(f32::NAN, shape![]);", "Constant not supported"),
    "a shape inside of a call": (
        "let t: Token = new_token_unordered(); let s: Array<{ [1] }> = Array::<{ [1] }> { dims: &[] }; "
        "let v: Tensor<i32, { [-1] }> = make_tensor_view(p, Shape::<{ [-1] }> { dims: &[n] }, s, t);",
        "panicked",
    ),
    "a for over i64 with a computed step": (
        "let w: Tile<i64, { [] }> = exti(i); let e: i64 = tile_to_scalar(w); let z: i64 = tile_to_scalar(w); "
        "for k in (z..e).step_by(e as usize) { let q: Tile<i64, { [] }> = scalar_to_tile(k); }",
        "unsupported cast from `i64` to `usize`",
    ),
    "print_tko of two tiles behind a token": (
        'let t: Token = new_token_unordered(); let a: Token = print_tko("%d %d", i, i, Some(t));',
        "panicked",
    ),
}


@pytest.mark.parametrize("gap", REFUSED)
def test_what_cutile_refuses(gap: str, tmp_path: Path) -> None:
    statement, message = REFUSED[gap]
    result = compiled(tmp_path, statement)
    assert result.error is not None, "cutile closed this gap"
    assert message in result.error.message


def crate(folder: Path, source: str) -> list[str]:
    (folder / "kernel.rs").write_text(_MODULE.format(source))
    write_check_crate(folder)
    return [str(problem) for problem in cargo_check(folder).diagnostics]


def test_a_padding_that_is_a_tile_is_ill_typed(tmp_path: Path) -> None:
    (tmp_path / "padding").mkdir()
    problems = crate(
        tmp_path / "padding",
        module_of(
            "let many: PointerTile<*mut i32, { [8] }> = broadcast_ptr(reshape_ptr(p, shape![1]), shape![8]);",
            "let mask: Tile<bool, { [8] }> = constant(true, shape![8]);",
            "let a: (Tile<i32, { [8] }>, Token) = load_ptr_tko(many, ordering::Weak, "
            "None::<scope::TileBlock>, Some(mask), Some(line), None, Latency::<0>);",
        ),
    )
    assert any("Tile" in problem for problem in problems), "cutile closed this gap"


def test_the_address_of_a_pointer_is_ill_typed(tmp_path: Path) -> None:
    (tmp_path / "address").mkdir()
    problems = crate(tmp_path / "address", module_of("let a: Tile<i64, { [] }> = ptr_to_int(p);"))
    assert any("mismatched types" in problem for problem in problems), "cutile closed this gap"


def test_a_launcher_takes_64_arguments(tmp_path: Path) -> None:
    (tmp_path / "launcher").mkdir()
    names = [f"a{number}" for number in range(65)]

    def entry(count: int, name: str) -> str:
        parameters = ", ".join(f"{each}: i32" for each in names[:count])
        return f"    #[cutile::entry()]\n    pub unsafe fn {name}({parameters}) {{}}\n"

    problems = crate(tmp_path / "launcher", entry(64, "fits") + entry(65, "is_too_long"))
    assert problems, "cutile closed this gap"
    assert all("KernelArgs" in problem or "trait bound" in problem for problem in problems)
