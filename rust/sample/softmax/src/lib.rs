// SPDX-License-Identifier: Apache-2.0
//! Softmax over rows of 1024 numbers, laid out as a converted operator is.

#[path = "../ffi.rs"]
pub mod ffi;
// Entry names end in a hash, and kernels take arguments that they need not use.
#[allow(non_snake_case, unused_variables)]
#[path = "../kernel.rs"]
pub mod kernel;
