// SPDX-License-Identifier: Apache-2.0
//! The C side of a kernel library; `include/tileport/native/abi.h` declares the same for C and C++.

use std::mem::{offset_of, size_of};

/// Version of everything in this file. It changes when any layout or meaning does.
pub const ABI_VERSION: u32 = 1;

/// Highest rank a descriptor can hold.
pub const MAXIMUM_RANK: usize = 8;

/// Bit of [`TensorDescriptor::flags`]: the launch writes to the tensor. Informative.
pub const FLAG_OUTPUT: u32 = 1;
/// Bit of [`TensorDescriptor::flags`]: different indices may reach the same element.
pub const FLAG_MAY_ALIAS: u32 = 2;

/// A tensor in device memory that the caller owns (descriptor version 1).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TensorDescriptor {
    /// [`ABI_VERSION`].
    pub abi_version: u32,
    /// Size of this structure in bytes.
    pub struct_size: u32,
    /// Device address of the element with all indices 0; may be 0 only if the tensor is empty.
    pub data: u64,
    /// Number of dimensions, 0 to [`MAXIMUM_RANK`].
    pub ndim: i32,
    /// DLPack type code of the elements.
    pub dtype_code: u8,
    /// Bits of one lane of an element.
    pub dtype_bits: u8,
    /// Lanes of an element; kernels take 1 only.
    pub dtype_lanes: u16,
    /// Ordinal of the device, as the CUDA driver counts in this process.
    pub device_id: i32,
    /// `FLAG_…` bits; others must be 0.
    pub flags: u32,
    /// Extents; those from `ndim` on are ignored.
    pub shape: [i64; MAXIMUM_RANK],
    /// Strides in elements; those from `ndim` on are ignored.
    pub strides: [i64; MAXIMUM_RANK],
    /// Bytes from `data` to the end of the last element that indices reach. Informative.
    pub reachable_bytes: u64,
}

/// A number passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// [`Scalar::INT32`] or [`Scalar::FLOAT32`].
    pub kind: u32,
    /// The bits of the value.
    pub bits: u32,
}

impl Scalar {
    pub const INT32: u32 = 0;
    pub const FLOAT32: u32 = 1;
}

/// What a loader compares before it calls anything else.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbiInfo {
    pub abi_version: u32,
    /// Size of this structure in bytes.
    pub struct_size: u32,
    pub tensor_bytes: u32,
    pub scalar_bytes: u32,
    pub maximum_rank: u32,
}

/// The description of this build.
pub static ABI: AbiInfo = AbiInfo {
    abi_version: ABI_VERSION,
    struct_size: size_of::<AbiInfo>() as u32,
    tensor_bytes: size_of::<TensorDescriptor>() as u32,
    scalar_bytes: size_of::<Scalar>() as u32,
    maximum_rank: MAXIMUM_RANK as u32,
};

/// Result of an exported function. The text that goes with a failure is kept per thread.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    /// An element type that the entry was not made for.
    UnsupportedDtype = -2,
    /// Compiling, loading or launching failed.
    LaunchFailed = -3,
    /// No driver, or no such device.
    NoDevice = -4,
    /// A pointer that must not be null is.
    NullPointer = -5,
    /// An argument that does not fit the entry.
    InvalidArgument = -6,
    /// A descriptor of another version or size.
    AbiMismatch = -7,
    /// A bug: code of the library panicked.
    Panic = -8,
    /// The first launch of an entry compiles it, which a stream cannot capture.
    StreamCapture = -9,
    /// A tensor lies on another device than the launch.
    DeviceMismatch = -10,
}

const _: () = {
    assert!(size_of::<TensorDescriptor>() == 168 && size_of::<Scalar>() == 8);
    assert!(offset_of!(TensorDescriptor, data) == 8 && offset_of!(TensorDescriptor, shape) == 32);
};
