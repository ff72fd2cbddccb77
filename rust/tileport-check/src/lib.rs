// SPDX-License-Identifier: Apache-2.0
//! Compiles cuTile Rust kernel source (`kernel.rs`) to Tile IR bytecode, in process and without rustc.
//!
//! cutile's own just-in-time compiler does the work, fed from text instead of from the output of its
//! procedural macro, so what comes out is what a launch of the same source would hand to `tileiras`.
//! It is laxer than rustc in places; `cargo check` of the crate that holds the file is the second gate.
//!
//! ```no_run
//! use tileport_check::{Checker, Request};
//! let checker = Checker::open("kernel.rs".as_ref())?;
//! let request = Request::all(&checker, &["sm_90", "sm_100"])?;
//! checker.compile(&request, |outcome| match &outcome.result {
//!     Ok(bytecode) => println!("{} {}: {} bytes", outcome.name, outcome.target, bytecode.len()),
//!     Err(problem) => println!("{} {}: {problem}", outcome.name, outcome.target),
//! });
//! # Ok::<(), tileport_check::Diagnostic>(())
//! ```

mod checker;
mod compile;
mod diagnostic;
mod instance;
mod locate;
mod source;

pub use checker::{Checker, Outcome, Request, parse_version};
pub use cutile_ir::bytecode::BytecodeVersion;
pub use diagnostic::{Code, Diagnostic, Place};
pub use instance::Instance;
pub use source::Entry;
