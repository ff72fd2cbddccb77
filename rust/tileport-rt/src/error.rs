// SPDX-License-Identifier: Apache-2.0
//! Failures of a launch, and the text of the last one of each thread.

use crate::abi::Status;
use std::cell::RefCell;
use std::ffi::c_char;

/// Why a launch was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    pub status: Status,
    pub message: String,
}

impl LaunchError {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LaunchError {}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the text of `error` for [`copy_last`], and gives its status.
pub(crate) fn record(error: LaunchError) -> i32 {
    LAST.with(|last| *last.borrow_mut() = error.message);
    error.status as i32
}

/// Copies the text of this thread's last failure, cut to `length` bytes with its terminating zero, and
/// gives the length of the whole text without the zero.
///
/// # Safety
/// `buffer` is null or has room for `length` bytes.
pub unsafe fn copy_last(buffer: *mut c_char, length: u64) -> i32 {
    LAST.with(|last| {
        let text = last.borrow();
        if !buffer.is_null() && length > 0 {
            let room = usize::try_from(length - 1).unwrap_or(usize::MAX);
            let fits = |&end: &usize| text.is_char_boundary(end);
            let copied = (0..=text.len().min(room)).rev().find(fits).unwrap_or(0);
            // SAFETY: `copied` bytes and the zero fit into the `length` bytes the caller vouches for.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr().cast::<c_char>(), buffer, copied);
                buffer.add(copied).write(0);
            }
        }
        i32::try_from(text.len()).unwrap_or(i32::MAX)
    })
}
