// SPDX-License-Identifier: Apache-2.0
//! What the generated launchers (`ffi.rs`) of translated kernels use.
//!
//! A kernel library is a `cdylib` built from op crates. Each op crate states its entries and exports one C
//! function per kernel; the library crate exports what belongs to the whole:
//!
//! ```ignore
//! // ffi.rs of the op crate `softmax`
//! use crate::kernel::softmax_kernel;
//! use tileport_rt::fact::{any, equal_to, multiple_of};
//! use tileport_rt::{Array, Entry, Parameter, dtype};
//!
//! static SOFTMAX_KERNEL: &[Entry] = &[Entry {
//!     name: "softmax_kernel__0123456789",
//!     function: "softmax_kernel__0123456789",
//!     generics: &[],
//!     hints: &[],
//!     module: "softmax_kernel",
//!     module_ast: softmax_kernel::__module_ast_self,
//!     parameters: &[Parameter::Array(Array {
//!         name: "output",
//!         dtype: dtype::F32,
//!         address: multiple_of(16),
//!         extents: &[any(), multiple_of(16)],
//!         strides: &[multiple_of(4), equal_to(1)],
//!         may_alias: false,
//!     })],
//! }];
//! tileport_rt::export_kernel!(cutile_softmax, SOFTMAX_KERNEL);
//!
//! // lib.rs of the library crate; naming the op crates keeps their functions in the library
//! extern crate softmax as _;
//! tileport_rt::export_library!();
//! ```
//!
//! The C functions are declared in `include/tileport/native/abi.h`. A launch checks its arguments against
//! the entry, compiles the entry the first time it is launched on a device ([`cutile`]'s compiler, bytecode
//! 13.3, `tileiras -O3`, no argument facts beyond those the source states), and submits to the caller's
//! stream without waiting. Nothing is copied and no memory is owned.

pub mod abi;
pub mod arguments;
mod driver;
mod entry;
mod error;
mod kernel;

pub use abi::{AbiInfo, Scalar, Status, TensorDescriptor};
pub use entry::{Array, Dtype, Entry, Fact, Parameter, dtype, fact};
pub use error::{LaunchError, copy_last};
pub use kernel::{Kernel, RawLaunch, launch_count};

/// Exports the C function `$symbol`, which launches the entries `$entries: &'static [Entry]` of a kernel.
#[macro_export]
macro_rules! export_kernel {
    ($symbol:ident, $entries:expr) => {
        /// # Safety
        /// As `tp_launch_function` in `abi.h` demands.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            entry: *const ::core::ffi::c_char,
            tensors: *const $crate::TensorDescriptor,
            tensor_count: u32,
            scalars: *const $crate::Scalar,
            scalar_count: u32,
            grid: *const u32,
            device_id: i32,
            raw_stream: u64,
        ) -> i32 {
            static KERNEL: $crate::Kernel = $crate::Kernel::new($entries);
            let launch = $crate::RawLaunch {
                entry,
                tensors,
                tensor_count,
                scalars,
                scalar_count,
                grid,
                device_id,
                raw_stream,
            };
            // SAFETY: the caller keeps the contract of the C declaration.
            unsafe { KERNEL.launch_raw(&launch) }
        }
    };
}

/// Exports what a kernel library has once: `tp_abi`, `tp_last_error` and `tp_launch_count`.
#[macro_export]
macro_rules! export_library {
    () => {
        #[unsafe(no_mangle)]
        pub extern "C" fn tp_abi() -> *const $crate::AbiInfo {
            &$crate::abi::ABI
        }

        /// # Safety
        /// `buffer` is null or has room for `length` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn tp_last_error(buffer: *mut ::core::ffi::c_char, length: u64) -> i32 {
            // SAFETY: the same condition.
            unsafe { $crate::copy_last(buffer, length) }
        }

        /// # Safety
        /// `entry` is null or a string with a terminating zero.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn tp_launch_count(entry: *const ::core::ffi::c_char) -> u64 {
            if entry.is_null() {
                return 0;
            }
            // SAFETY: the caller vouches for a string that is not null.
            $crate::launch_count(unsafe { ::core::ffi::CStr::from_ptr(entry) }.to_bytes())
        }
    };
}
