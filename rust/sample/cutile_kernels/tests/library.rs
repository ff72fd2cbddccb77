// SPDX-License-Identifier: Apache-2.0
//! The built library, loaded as Python loads it. Without a GPU it must say so; with one it must compute.

use cutile::cuda_core::{Context, DeviceBuffer};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char};
use std::path::PathBuf;
use tileport_rt::abi::{self, AbiInfo, MAXIMUM_RANK};
use tileport_rt::{Scalar, Status, TensorDescriptor};

const COLUMNS: usize = 1000;
const ROWS: usize = 37;

type Launch = unsafe extern "C" fn(
    *const c_char,
    *const TensorDescriptor,
    u32,
    *const Scalar,
    u32,
    *const u32,
    i32,
    u64,
) -> i32;

/// Cargo builds the library beside the folder of the test program.
fn library() -> Library {
    let program = std::env::current_exe().unwrap();
    let mut path: PathBuf = program.ancestors().nth(2).unwrap().join("libsample_cutile_kernels.so");
    if !path.is_file() {
        path = program.with_file_name("libsample_cutile_kernels.so");
    }
    // SAFETY: our own library; it runs nothing when loaded.
    unsafe { Library::new(&path) }.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn last_error(library: &Library) -> String {
    let mut buffer = [0 as c_char; 4096];
    // SAFETY: the declared type, and a buffer of the length that is passed.
    unsafe {
        let get: Symbol<unsafe extern "C" fn(*mut c_char, u64) -> i32> =
            library.get(b"tp_last_error").unwrap();
        assert!(get(buffer.as_mut_ptr(), buffer.len() as u64) >= 0);
        CStr::from_ptr(buffer.as_ptr()).to_string_lossy().into_owned()
    }
}

fn launch_count(library: &Library, entry: &str) -> u64 {
    let entry = CString::new(entry).unwrap();
    // SAFETY: the declared type, and a string with its zero.
    unsafe {
        let get: Symbol<unsafe extern "C" fn(*const c_char) -> u64> =
            library.get(b"tp_launch_count").unwrap();
        get(entry.as_ptr())
    }
}

fn matrix(address: u64, rows: usize) -> TensorDescriptor {
    let mut shape = [0; MAXIMUM_RANK];
    let mut strides = [0; MAXIMUM_RANK];
    shape[..2].copy_from_slice(&[rows as i64, COLUMNS as i64]);
    strides[..2].copy_from_slice(&[COLUMNS as i64, 1]);
    TensorDescriptor {
        abi_version: abi::ABI_VERSION,
        struct_size: size_of::<TensorDescriptor>() as u32,
        data: address,
        ndim: 2,
        dtype_code: 2,
        dtype_bits: 32,
        dtype_lanes: 1,
        device_id: 0,
        flags: 0,
        shape,
        strides,
        reachable_bytes: 4 * (rows * COLUMNS) as u64,
    }
}

fn launch(library: &Library, entry: &str, tensors: &[TensorDescriptor], grid: [u32; 3]) -> i32 {
    let entry = CString::new(entry).unwrap();
    // SAFETY: the declared type; the tensors of the tests are device memory or are refused before use.
    unsafe {
        let function: Symbol<Launch> = library.get(b"cutile_sample_softmax").unwrap();
        let count = tensors.len() as u32;
        function(entry.as_ptr(), tensors.as_ptr(), count, std::ptr::null(), 0, grid.as_ptr(), 0, 0)
    }
}

#[test]
fn the_library_describes_its_abi() {
    let library = library();
    // SAFETY: the declared type.
    let found = unsafe {
        let get: Symbol<unsafe extern "C" fn() -> *const AbiInfo> = library.get(b"tp_abi").unwrap();
        *get()
    };
    assert_eq!(found, abi::ABI);
}

#[test]
fn unknown_entries_and_bad_arguments_are_refused_with_a_text() {
    let library = library();
    let tensors = [matrix(16, ROWS), matrix(16, ROWS)];
    assert_eq!(launch(&library, "nothing", &tensors, [1, 1, 1]), Status::InvalidArgument as i32);
    assert_eq!(last_error(&library), "the library has no entry `nothing`");
    let entry = "softmax_rows__1024";
    assert_eq!(launch(&library, entry, &tensors[..1], [1, 1, 1]), Status::InvalidArgument as i32);
    assert_eq!(last_error(&library), "softmax_rows__1024 takes 2 tensors and 0 scalars, not 1 and 0");
    let misaligned = [matrix(16, ROWS), matrix(20, ROWS)];
    assert_eq!(launch(&library, entry, &misaligned, [1, 1, 1]), Status::InvalidArgument as i32);
    assert_eq!(last_error(&library), "argument `input`: the address 0x14 is not a multiple of 16");
    assert_eq!(launch(&library, entry, &tensors, [1, 70_000, 1]), Status::InvalidArgument as i32);
}

#[test]
fn an_empty_grid_launches_nothing_and_needs_no_device() {
    let library = library();
    let before = launch_count(&library, "softmax_rows__1024");
    let tensors = [matrix(0, 0), matrix(0, 0)];
    assert_eq!(launch(&library, "softmax_rows__1024", &tensors, [0, 1, 1]), Status::Ok as i32);
    assert_eq!(launch_count(&library, "softmax_rows__1024"), before);
}

/// Softmax in double precision, and the values that both sides use.
fn expected() -> (Vec<f32>, Vec<f64>) {
    let input: Vec<f32> = (0..ROWS * COLUMNS).map(|i| ((i * 7919) % 2003) as f32 / 97.0 - 10.0).collect();
    let output = input.chunks(COLUMNS).flat_map(|row| {
        let maximum = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f64> = row.iter().map(|&x| f64::from(x - maximum).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(move |power| power / sum)
    });
    let output = output.collect();
    (input, output)
}

#[test]
fn softmax_is_computed_or_the_missing_device_is_reported() {
    let library = library();
    let entry = "softmax_rows__1024";
    let context = std::panic::catch_unwind(|| Context::new(0));
    let Ok(Ok(context)) = context else {
        let tensors = [matrix(16, ROWS), matrix(16, ROWS)];
        assert_eq!(launch(&library, entry, &tensors, [ROWS as u32, 1, 1]), Status::NoDevice as i32);
        assert!(!last_error(&library).is_empty());
        eprintln!("no CUDA device: the launch itself was not tried ({})", last_error(&library));
        return;
    };
    let (input, expected) = expected();
    let stream = context.new_stream().unwrap();
    let source = DeviceBuffer::from_host(&stream, &input).unwrap();
    let target = DeviceBuffer::<f32>::zeroed(&stream, input.len()).unwrap();
    stream.synchronize().unwrap();
    let tensors = [matrix(target.cu_deviceptr(), ROWS), matrix(source.cu_deviceptr(), ROWS)];
    for round in 1..=2 {
        let status = launch(&library, entry, &tensors, [ROWS as u32, 1, 1]);
        assert_eq!(status, Status::Ok as i32, "{}", last_error(&library));
        assert_eq!(launch_count(&library, entry), round);
    }
    context.synchronize().unwrap();
    let output = target.to_host_vec(&stream).unwrap();
    for (index, (&found, &wanted)) in output.iter().zip(&expected).enumerate() {
        assert!((f64::from(found) - wanted).abs() <= 1e-6 + 1e-5 * wanted, "{index}: {found} {wanted}");
    }
}
