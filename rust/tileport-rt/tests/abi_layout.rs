// SPDX-License-Identifier: Apache-2.0
//! The Rust structures have the layout, and the constants the values, that a C compiler finds in `abi.h`.

use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;
use tileport_rt::abi::{self, AbiInfo};
use tileport_rt::{Scalar, Status, TensorDescriptor};

macro_rules! offsets {
    ($table:ident, $c_type:literal, $type:ty, [$($field:ident),* $(,)?]) => {
        $table.push((format!("sizeof({})", $c_type), size_of::<$type>() as i64));
        $($table.push((
            format!("offsetof({}, {})", $c_type, stringify!($field)),
            offset_of!($type, $field) as i64,
        ));)*
    };
}

/// C expressions and the values that the Rust side has for them.
fn expected() -> Vec<(String, i64)> {
    let mut table = Vec::new();
    offsets!(
        table,
        "tp_tensor",
        TensorDescriptor,
        [
            abi_version,
            struct_size,
            data,
            ndim,
            dtype_code,
            dtype_bits,
            dtype_lanes,
            device_id,
            flags,
            shape,
            strides,
            reachable_bytes,
        ]
    );
    offsets!(table, "tp_scalar", Scalar, [kind, bits]);
    offsets!(
        table,
        "tp_abi_info",
        AbiInfo,
        [abi_version, struct_size, tensor_bytes, scalar_bytes, maximum_rank]
    );
    let constants = [
        ("TP_ABI_VERSION", abi::ABI_VERSION.into()),
        ("TP_MAXIMUM_RANK", abi::MAXIMUM_RANK as i64),
        ("TP_FLAG_OUTPUT", abi::FLAG_OUTPUT.into()),
        ("TP_FLAG_MAY_ALIAS", abi::FLAG_MAY_ALIAS.into()),
        ("TP_SCALAR_INT32", Scalar::INT32.into()),
        ("TP_SCALAR_FLOAT32", Scalar::FLOAT32.into()),
        ("TP_OK", Status::Ok as i64),
        ("TP_UNSUPPORTED_DTYPE", Status::UnsupportedDtype as i64),
        ("TP_LAUNCH_FAILED", Status::LaunchFailed as i64),
        ("TP_NO_DEVICE", Status::NoDevice as i64),
        ("TP_NULL_POINTER", Status::NullPointer as i64),
        ("TP_INVALID_ARGUMENT", Status::InvalidArgument as i64),
        ("TP_ABI_MISMATCH", Status::AbiMismatch as i64),
        ("TP_PANIC", Status::Panic as i64),
        ("TP_STREAM_CAPTURE", Status::StreamCapture as i64),
        ("TP_DEVICE_MISMATCH", Status::DeviceMismatch as i64),
    ];
    table.extend(constants.map(|(name, value)| (name.to_string(), value)));
    table
}

fn printed_by(compiler: &str, arguments: &[&str], extension: &str) -> Vec<i64> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join(format!("abi_layout.{extension}"));
    let program = folder.join(format!("abi_layout_{extension}"));
    let prints: String = expected()
        .iter()
        .map(|(expression, _)| format!("  printf(\"%lld\\n\", (long long)({expression}));\n"))
        .collect();
    let text = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include \"tileport/native/abi.h\"\nint main(void) {{\n{prints}}}\n"
    );
    std::fs::write(&source, text).unwrap();
    let compiled = Command::new(compiler)
        .args(arguments)
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(root.join("include"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|e| panic!("{compiler} does not run: {e}"));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

fn assert_same(found: &[i64]) {
    let expected = expected();
    assert_eq!(found.len(), expected.len());
    for ((expression, value), found) in expected.iter().zip(found) {
        assert_eq!(value, found, "{expression}");
    }
}

#[test]
fn c_and_rust_agree_on_the_abi() {
    assert_same(&printed_by("cc", &["-std=c99"], "c"));
}

#[test]
fn cpp_and_rust_agree_on_the_abi() {
    assert_same(&printed_by("c++", &["-std=c++20"], "cpp"));
}

#[test]
fn the_description_of_the_build_is_that_of_the_structures() {
    assert_eq!(abi::ABI.tensor_bytes as usize, size_of::<TensorDescriptor>());
    assert_eq!(abi::ABI.scalar_bytes as usize, size_of::<Scalar>());
    assert_eq!(abi::ABI.struct_size as usize, size_of::<AbiInfo>());
    assert_eq!(abi::ABI.maximum_rank as usize, abi::MAXIMUM_RANK);
}
