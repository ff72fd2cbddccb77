// SPDX-License-Identifier: Apache-2.0
//! What is reported about a kernel source file: a coded message with a place in that file.

use std::fmt;

/// The kind of a [`Diagnostic`]. The spelling of [`Code::as_str`] is part of the tool's output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The file could not be read, or is not UTF-8.
    Unreadable,
    /// The file is not Rust.
    Syntax,
    /// The file has no `#[cutile::module]` with a body.
    NoModule,
    /// No module of the file has a `#[cutile::entry]` function.
    NoEntry,
    /// Two entries of the file bear one name, so their outputs would collide.
    DuplicateEntry,
    /// The caller asked for an entry that the file does not have.
    UnknownEntry,
    /// The values for an entry's generics, or its hints, do not fit it.
    Generics,
    /// The caller asked for a target name that is not of the form `sm_NN`, `sm_NNa` or `sm_NNf`.
    UnknownTarget,
    /// The caller asked for a bytecode version that the compiler cannot write.
    UnknownVersion,
    /// The output folder or file could not be written.
    Unwritable,
    /// The compiler refuses the kernel.
    Refused,
    /// The compiler builds Tile IR from the kernel, but the IR cannot be written as bytecode.
    Bytecode,
    /// The compiler panicked on the kernel.
    Panic,
}

impl Code {
    /// The stable spelling used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Unreadable => "unreadable",
            Code::Syntax => "syntax",
            Code::NoModule => "no-module",
            Code::NoEntry => "no-entry",
            Code::DuplicateEntry => "duplicate-entry",
            Code::UnknownEntry => "unknown-entry",
            Code::Generics => "generics",
            Code::UnknownTarget => "unknown-target",
            Code::UnknownVersion => "unknown-version",
            Code::Unwritable => "unwritable",
            Code::Refused => "refused",
            Code::Bytecode => "bytecode",
            Code::Panic => "panic",
        }
    }
}

/// A place in the kernel source file; lines and columns count from 1, as rustc's do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// One problem, with its place where one is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub message: String,
    pub place: Option<Place>,
}

impl Diagnostic {
    /// A problem of the file as a whole or of the request.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: None }
    }

    /// A problem at `place`.
    pub fn at(code: Code, message: impl Into<String>, place: Place) -> Self {
        Self { code, message: message.into(), place: Some(place) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Diagnostic {}
