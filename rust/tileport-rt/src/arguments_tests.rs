// SPDX-License-Identifier: Apache-2.0

use super::*;
use crate::entry::fact::{any, equal_to, multiple_of};
use crate::entry::{Array, dtype};
use cutile::cutile_compiler::ast::Module;

fn no_module() -> Module {
    unreachable!("checking arguments compiles nothing")
}

const MATRIX: Array = Array {
    name: "x",
    dtype: dtype::F32,
    address: multiple_of(16),
    extents: &[any(), multiple_of(16)],
    strides: &[multiple_of(4), equal_to(1)],
    may_alias: false,
};

static ENTRY: Entry = Entry {
    name: "k__0",
    function: "k__0",
    generics: &[],
    hints: &[],
    module: "k",
    module_ast: no_module,
    parameters: &[Parameter::Array(MATRIX), Parameter::Int32("n"), Parameter::Float32("eps")],
};

fn matrix() -> TensorDescriptor {
    let mut shape = [0; MAXIMUM_RANK];
    let mut strides = [0; MAXIMUM_RANK];
    shape[..2].copy_from_slice(&[3, 64]);
    strides[..2].copy_from_slice(&[68, 1]);
    TensorDescriptor {
        abi_version: ABI_VERSION,
        struct_size: size_of::<TensorDescriptor>() as u32,
        data: 0x7f00_0000_0010,
        ndim: 2,
        dtype_code: 2,
        dtype_bits: 32,
        dtype_lanes: 1,
        device_id: 1,
        flags: 0,
        shape,
        strides,
        reachable_bytes: 800,
    }
}

fn scalars() -> [Scalar; 2] {
    [
        Scalar { kind: Scalar::INT32, bits: (-7_i32) as u32 },
        Scalar { kind: Scalar::FLOAT32, bits: 1.5_f32.to_bits() },
    ]
}

fn refusal(change: impl FnOnce(&mut TensorDescriptor)) -> (Status, String) {
    let mut tensor = matrix();
    change(&mut tensor);
    let error = words(&ENTRY, &[tensor], &scalars(), 1).expect_err("the change must be refused");
    (error.status, error.message)
}

#[test]
fn words_are_address_extents_strides_and_scalars() {
    let words = words(&ENTRY, &[matrix()], &scalars(), 1).unwrap();
    assert_eq!(words, [0x7f00_0000_0010, 3, 64, 68, 1, 0xffff_fff9, u64::from(1.5_f32.to_bits())]);
}

#[test]
fn each_broken_promise_is_refused_and_named() {
    use Status::*;
    let cases: Vec<((Status, String), Status, &str)> = vec![
        (refusal(|t| t.abi_version = 2), AbiMismatch, "version 2 and 168 bytes"),
        (refusal(|t| t.struct_size = 104), AbiMismatch, "version 1 and 104 bytes"),
        (refusal(|t| t.ndim = 3), InvalidArgument, "expected 2 dimensions, got 3"),
        (refusal(|t| t.ndim = 9), InvalidArgument, "9 dimensions"),
        (refusal(|t| t.ndim = -1), InvalidArgument, "-1 dimensions"),
        (refusal(|t| t.dtype_bits = 64), UnsupportedDtype, "expected elements of f32, got f64"),
        (refusal(|t| t.dtype_code = 4), UnsupportedDtype, "an unknown element type (code 4, 32 bits)"),
        (refusal(|t| t.dtype_lanes = 2), UnsupportedDtype, "2 lanes"),
        (refusal(|t| t.device_id = 0), DeviceMismatch, "on device 0, the launch on device 1"),
        (refusal(|t| t.flags = 4), InvalidArgument, "unknown flags 0x4"),
        (refusal(|t| t.flags = FLAG_MAY_ALIAS), InvalidArgument, "reaches elements twice"),
        (refusal(|t| t.strides[0] = 0), InvalidArgument, "reaches elements twice"),
        (refusal(|t| t.strides[0] = 32), InvalidArgument, "reaches elements twice"),
        (refusal(|t| t.data = 0), NullPointer, "no address"),
        (refusal(|t| t.data += 8), InvalidArgument, "0x7f0000000018 is not a multiple of 16"),
        (refusal(|t| t.shape[1] = 60), InvalidArgument, "extent 60 of axis 1 is not a multiple of 16"),
        (refusal(|t| t.shape[0] = 1 << 32), InvalidArgument, "extent 4294967296 of axis 0"),
        (refusal(|t| t.shape[0] = 1 << 31), InvalidArgument, "extent 2147483648 of axis 0"),
        (refusal(|t| t.shape[0] = -1), InvalidArgument, "extent -1 of axis 0"),
        (refusal(|t| t.strides[0] = 70), InvalidArgument, "stride 70 of axis 0 is not a multiple of 4"),
        (
            refusal(|t| (t.strides[0], t.strides[1]) = (128, 2)),
            InvalidArgument,
            "stride 2 of axis 1 is not 1",
        ),
    ];
    for ((status, message), expected, part) in cases {
        assert_eq!(status, expected, "{message}");
        assert!(message.starts_with("argument `x`: ") && message.contains(part), "{message}");
    }
}

#[test]
fn an_empty_tensor_needs_no_address() {
    let mut tensor = matrix();
    (tensor.data, tensor.shape[0]) = (0, 0);
    assert_eq!(words(&ENTRY, &[tensor], &scalars(), 1).unwrap()[..3], [0, 0, 64]);
}

#[test]
fn counts_and_kinds_of_arguments_are_compared() {
    let error = words(&ENTRY, &[], &scalars(), 1).unwrap_err();
    assert_eq!(error.message, "k__0 takes 1 tensors and 2 scalars, not 0 and 2");
    let [n, eps] = scalars();
    let error = words(&ENTRY, &[matrix()], &[eps, n], 1).unwrap_err();
    assert_eq!(error.message, "argument `n`: expected int32 (kind 0), got kind 1");
    assert_eq!(error.status, Status::InvalidArgument);
}

#[test]
fn arrays_that_alias_are_taken_where_the_entry_allows_it() {
    static ALIASING: Entry = Entry {
        name: "k__1",
        function: "k__1",
        generics: &[],
        hints: &[],
        module: "k",
        module_ast: no_module,
        parameters: &[Parameter::Array(Array { may_alias: true, ..MATRIX })],
    };
    let mut tensor = matrix();
    (tensor.strides[0], tensor.flags) = (0, FLAG_MAY_ALIAS);
    assert_eq!(words(&ALIASING, &[tensor], &[], 1).unwrap()[3..], [0, 1]);
}

#[test]
fn grids_are_limited_as_the_launcher_and_the_driver_limit_them() {
    for grid in [[(1 << 24) - 1, 65_535, 65_535], [0, 1, 1]] {
        check_grid(grid).unwrap();
    }
    for (grid, axis) in [([1 << 24, 1, 1], 0), ([1, 65_536, 1], 1), ([1, 1, u32::MAX], 2)] {
        let error = check_grid(grid).unwrap_err();
        assert!(error.message.contains(&format!("axis {axis}")), "{error}");
        assert_eq!(error.status, Status::InvalidArgument);
    }
}

/// Cases of cuTile's rule (a sorted walk over stride and extent), the exotic ones included.
#[test]
fn disjointness_follows_the_launchers_rule() {
    let cases: &[(&[i64], &[i64], bool)] = &[
        (&[], &[], true),
        (&[4, 8], &[8, 1], true),
        (&[8, 4], &[1, 8], true),
        (&[4, 8], &[7, 1], false),
        (&[4, 8], &[0, 1], false),
        (&[1, 8], &[1, 1], true),
        (&[8, 1], &[1, 1], true),
        (&[2, 3, 4], &[100, 4, 1], true),
    ];
    for &(shape, strides, expected) in cases {
        assert_eq!(elements_are_disjoint(shape, strides), expected, "{shape:?} {strides:?}");
    }
}
