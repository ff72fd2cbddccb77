# SPDX-License-Identifier: Apache-2.0
"""The generated crates: files, promises in ffi.rs, stability, refusals; and that they compile and export."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tileport.errors import InputError, RefusedError
from tileport.toolchain.check import Instance
from tileport.wrappers import build_library, write_check_crate, write_crate
from tileport.wrappers.crate import runtime_crate
from tileport.wrappers.facts import ELEMENT_TYPES, describe_array, describe_constant, describe_scalar
from tileport.wrappers.library import KernelLibrary

pytest.importorskip("tilegym", reason="TileGym is not installed")

NAME = "_softmax_kernel__0123456789"
OTHER = "_softmax_kernel_tma__0123456789"
#: Entries of the right parameters that do nothing; what they compute is not what is tested here.
KERNEL = f"""// SPDX-License-Identifier: Apache-2.0
#[cutile::module]
pub mod _softmax_kernel {{
    use cutile::core::*;
    #[cutile::entry()]
    pub unsafe fn {NAME}(a0: *mut f32, a1: i32, a2: i32, a3: i32, a4: i32, a5: f32) {{
        let v: Tile<i32, {{ [] }}> = scalar_to_tile(a1);
    }}
}}
#[cutile::module]
pub mod _softmax_kernel_tma {{
    use cutile::core::*;
    #[cutile::entry()]
    pub unsafe fn {OTHER}(a0: *mut f32, a1: i32, a2: i32, a3: i32, a4: i32, a5: f32) {{
        let v: Tile<i32, {{ [] }}> = scalar_to_tile(a1);
    }}
}}
"""


def row(name: str, **changes: Any) -> dict[str, Any]:
    signature = [
        {"name": "output", **describe_array(ELEMENT_TYPES["float32"], 16, (1, 96), (97, 1))},
        {"name": "scale", **describe_scalar(1.0)},
        {"name": "TILE", **describe_constant(128)},
    ]
    kernel = name.rpartition("__")[0]
    base = {"name": name, "op": "softmax", "kernel": kernel, "source": "tilegym/ops/cutile/softmax.py"}
    return {**base, "signature": signature, "hints": {}, **changes}


def index(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "tileport/index/1", "op": "softmax", "specializations": list(rows)}


def op_folder(tmp_path: Path, kernel: str = KERNEL) -> Path:
    folder = tmp_path / "softmax"
    folder.mkdir(exist_ok=True)
    (folder / "kernel.rs").write_text(kernel)
    return folder


def test_files_of_an_op_and_of_the_workspace(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    other = Instance(OTHER, "_softmax_kernel_f16", {"E": "f16", "N": 64}, {"occupancy": 2})
    written = write_crate(folder, index(row(NAME), row(OTHER)), [NAME, other])
    launchers = (folder / "ffi.rs").read_text()
    assert 'function: "_softmax_kernel_f16",\n        generics: &["f16", "64"],' in launchers
    assert 'hints: &[("occupancy", 2)],' in launchers
    assert {path.relative_to(tmp_path).as_posix() for path in written} == {
        *("Cargo.toml", "Cargo.lock", "cutile_kernels/Cargo.toml", "cutile_kernels/src/lib.rs"),
        *("softmax/Cargo.toml", "softmax/src/lib.rs", "softmax/ffi.rs", "softmax/softmax.py"),
        *("softmax/support/utils.py", "tileport-rt/Cargo.toml"),
        *(f"tileport-rt/src/{path.name}" for path in (runtime_crate() / "src").iterdir()),
    }
    assert all(path.is_file() for path in written)
    manifest = (folder / "Cargo.toml").read_text()
    assert 'name = "softmax_kernels"' in manifest and 'cutile = "=0.5.0"' in manifest
    assert 'members = ["softmax", "cutile_kernels", "tileport-rt"]' in (tmp_path / "Cargo.toml").read_text()
    library = (tmp_path / "cutile_kernels" / "Cargo.toml").read_text()
    assert 'softmax_kernels = { path = "../softmax", features = ["ffi"] }' in library
    assert (
        "extern crate softmax_kernels as _;" in (tmp_path / "cutile_kernels" / "src" / "lib.rs").read_text()
    )


def test_promises_are_the_facts_of_the_row(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    write_crate(folder, index(row(NAME), row(OTHER)), [NAME])
    text = (folder / "ffi.rs").read_text()
    assert (
        'Parameter::Array(Array { name: "output", dtype: dtype::F32, address: multiple_of(16), '
        "extents: &[equal_to(1), multiple_of(16)], strides: &[any(), equal_to(1)], may_alias: false })"
        in text
    )
    assert 'Parameter::Float32("scale")' in text and "TILE" not in text
    # The index has two kernels, so the symbol bears the kernel's name though only one has an entry.
    assert re.findall(r"export_kernel!\((\w+),", text) == ["cutile_softmax___softmax_kernel"]
    assert re.findall(r'name: "(\w+__\w{10})"', text) == [NAME]


def test_writing_again_touches_nothing(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    first = write_crate(folder, index(row(NAME)), [NAME])
    stamps = {path: path.stat().st_mtime_ns for path in first}
    assert write_crate(folder, index(row(NAME)), [NAME]) == first[:0] + [
        p for p in first if p.name != "Cargo.lock"
    ]
    assert {path: path.stat().st_mtime_ns for path in first} == stamps


def test_check_crate_is_the_same_crate_without_launchers(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    write_check_crate(folder)
    before = {name: (folder / name).read_bytes() for name in ("Cargo.toml", "src/lib.rs")}
    assert not (folder / "ffi.rs").exists()
    assert "softmax_kernels" not in (tmp_path / "cutile_kernels" / "Cargo.toml").read_text()
    write_crate(folder, index(row(NAME)), [NAME])
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_refusals_leave_nothing_behind(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    untouched = ["kernel.rs"]
    with pytest.raises(InputError) as caught:
        write_crate(folder, index(row(NAME)), ["_softmax_kernel__ffffffffff"])
    assert caught.value.code == "unknown-entry" and "_softmax_kernel__ffffffffff" in caught.value.message
    with pytest.raises(RefusedError) as refused:
        write_crate(folder, index(row(NAME)), [])
    assert refused.value.code == "no-entries"
    listed = [{"name": "tensors", "kind": "list"}]
    with pytest.raises(RefusedError) as refused:
        write_crate(folder, index(row(NAME, signature=listed)), [NAME])
    assert refused.value.code == "argument-kind" and refused.value.where == "tensors"
    with pytest.raises(InputError) as caught:
        write_crate(folder, index(row(NAME), row(OTHER, source="tilegym/ops/cutile/rope.py")), [NAME])
    assert caught.value.code == "bad-index"
    with pytest.raises(InputError) as caught:
        write_check_crate(tmp_path / "empty")
    assert caught.value.code == "kernel-missing"
    assert sorted(path.name for path in folder.iterdir()) == untouched
    assert sorted(path.name for path in tmp_path.iterdir()) == ["softmax"]


@pytest.mark.full
def test_library_compiles_loads_and_exports(tmp_path: Path) -> None:
    folder = op_folder(tmp_path)
    write_crate(folder, index(row(NAME), row(OTHER)), [NAME, OTHER])
    path = build_library(tmp_path)
    assert path == tmp_path / "libcutile_kernels.so"
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True
    )
    symbols = {line.split()[-1] for line in exported.stdout.splitlines()}
    assert {name for name in symbols if name.startswith("cutile_")} == {
        "cutile_softmax___softmax_kernel",
        "cutile_softmax___softmax_kernel_tma",
    }
    # Loading compares the ABI that the library reports with that of the Python side.
    library = KernelLibrary(path)
    assert library.has("cutile_softmax___softmax_kernel") and not library.has("cutile_rope")
    # Nothing in the folder says where it was, or where tileport is.
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for part in ("Cargo.toml", "Cargo.lock", "cutile_kernels", "softmax", "tileport-rt"):
        (tmp_path / part).rename(moved / part)
    named = [str(tmp_path), str(runtime_crate().parent)]
    texts = [part.read_text() for part in moved.rglob("*") if part.suffix in (".toml", ".rs")]
    assert not [name for name in named if any(name in text for text in texts)]
    assert KernelLibrary(build_library(moved)).has("cutile_softmax___softmax_kernel")
