#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bytecode of the kernels that cutile's own tests compile, as test data for all that reads.

    python tests/cutile/write_test_kernels.py OUT [TEST...]

The sources of cutile and its compiler are copied from cargo's registry, where building `rust/` puts them, and
one statement is put into the copy's bytecode writer, so that it leaves what it writes in OUT, once each, by
hash. Then the tests that need no GPU are compiled and run; which of them fail is of no interest. Nothing of
cutile is kept in this repository. Takes about ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tileport.toolchain import cargo_environment, find_toolchain

CRATES = ("cutile", "cutile-compiler", "cutile-ir", "cutile-macro")
#: By crate, the tests that compile kernels or build modules and need no GPU.
TESTS = {
    "cutile-ir": ("bytecode_13_3", "bytecode_13_4", "bytecode_13_5", "bytecode_version", "per_op_roundtrip",
                  "debug_section_roundtrip", "bytecode_compat", "dominance", "bytecode_determinism"),
    "cutile": ("binary_math_ops", "unary_math_ops", "bitwise_and_bitcast_ops", "integer_ops", "arange",
               "dtype_float_ops",
               "type_conversion_ops", "reduce_scan_ops", "control_flow_ops", "memory_and_atomic_ops",
               "tensor_and_matrix_ops", "tensor_views", "token_ordering", "token_threading", "debug_info",
               "optimization_hints", "global_memory", "load_like", "flash_attention_compile", "tile_ir_13_5",
               "tile_ir_13_5_comms", "tile_ir_13_5_multicast", "checked_store_corpus"),
}  # fmt: skip

_KEEP = """
pub fn write_bytecode_version(module: &Module, version: BytecodeVersion) -> Result<Vec<u8>> {
    let bytes = write_module(module, version)?;
    if let Some(folder) = std::env::var_os("KERNELS_OUT") {
        use std::hash::{Hash, Hasher};
        let mut hasher = std::hash::DefaultHasher::new();
        bytes.hash(&mut hasher);
        let path = std::path::Path::new(&folder).join(format!("{:016x}.tileirbc", hasher.finish()));
        std::fs::write(path, &bytes).expect("the kernel can be written");
    }
    Ok(bytes)
}

fn write_module("""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("tests", nargs="*", help="only these")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tileport-cutile-") as name:
        workspace = Path(name)
        for crate in CRATES:
            shutil.copytree(registry_source(crate), workspace / crate)
        change(workspace)
        for crate, tests in TESTS.items():
            chosen = [test for test in tests if not arguments.tests or test in arguments.tests]
            run_tests(workspace, crate, chosen, arguments.out.resolve())
    print(f"{len(list(arguments.out.glob('*.tileirbc')))} files in {arguments.out}")
    return 0


def registry_source(crate: str) -> Path:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = sorted((home / "registry" / "src").glob(f"*/{crate}-0.5.0"))
    if not found:
        sys.exit(f"the source of {crate} 0.5.0 is not in cargo's registry; run `make setup` first")
    return found[0]


def change(workspace: Path) -> None:
    """Lets the writer keep what it writes, and everything that prints a module write it too."""
    replace(
        workspace / "cutile-ir/src/bytecode/writer.rs",
        r"\npub fn write_bytecode_version\(",
        _KEEP,
    )
    replace(
        workspace / "cutile-ir/src/ir/fmt.rs",
        r"(pub fn to_mlir_text\(&self\) -> String \{)",
        r"\1\n        let newest = crate::bytecode::BytecodeVersion::V13_5;\n"
        r"        let _ = crate::bytecode::write_bytecode_version(self, newest);",
    )
    members = ", ".join(f'"{crate}"' for crate in CRATES)
    patches = "\n".join(f'{crate} = {{ path = "{crate}" }}' for crate in CRATES)
    text = f'[workspace]\nresolver = "2"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n'
    (workspace / "Cargo.toml").write_text(text)


def replace(path: Path, pattern: str, replacement: str) -> None:
    text, count = re.subn(pattern, replacement, path.read_text())
    if count != 1:
        sys.exit(f"{path.name} of cutile-ir is not as this program knows it: {pattern}")
    path.write_text(text)


def run_tests(workspace: Path, crate: str, tests: list[str], out: Path) -> None:
    if not tests:
        return
    named = [part for test in tests for part in ("--test", test)]
    command = [find_toolchain().require("cargo"), "test", "--no-fail-fast", "--package", crate, *named]
    environment = {**cargo_environment(), "KERNELS_OUT": str(out), "CARGO_PROFILE_DEV_DEBUG": "0"}
    target = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tileport" / "cutile-tests"
    environment["CARGO_TARGET_DIR"] = str(target)
    done = subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True)
    if "test result:" not in done.stdout:
        sys.exit(f"cargo could not build the tests of {crate}:\n{done.stderr[-4000:]}")


if __name__ == "__main__":
    sys.exit(main())
