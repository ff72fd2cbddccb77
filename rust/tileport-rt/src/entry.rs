// SPDX-License-Identifier: Apache-2.0
//! What a generated launcher states about an entry: its parameters, and what it was compiled to rely on.

use cutile::cutile_compiler::ast::Module;

/// One specialization of a kernel: an entry of `kernel.rs` with values for its generics.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name of the specialization.
    pub name: &'static str,
    /// Name of the entry function.
    pub function: &'static str,
    /// Values of its generics, in their order, as Rust writes them.
    pub generics: &'static [&'static str],
    /// Compiler hints beside those that the entry states.
    pub hints: &'static [(&'static str, i32)],
    /// Name of the `#[cutile::module]` that holds it.
    pub module: &'static str,
    /// The module's `__module_ast_self`.
    pub module_ast: fn() -> Module,
    /// Parameters in order, without those that are constants of the specialization.
    pub parameters: &'static [Parameter],
}

impl Entry {
    /// The same entry with other generics; it lives as long as the process.
    pub(crate) fn with_generics(&'static self, name: &str, values: &[&str]) -> &'static Entry {
        let leak = |text: &str| -> &'static str { Box::leak(text.to_string().into_boxed_str()) };
        let generics: Vec<&'static str> = values.iter().map(|value| leak(value)).collect();
        Box::leak(Box::new(Entry { name: leak(name), generics: Box::leak(generics.into()), ..*self }))
    }
}

/// One parameter of an entry, with the name it has in the original kernel.
#[derive(Debug)]
pub enum Parameter {
    Array(Array),
    Int32(&'static str),
    Float32(&'static str),
}

/// An array parameter and the promises it was compiled under. A launch that breaks one is refused: the
/// code would be wrong, not slow.
#[derive(Debug)]
pub struct Array {
    pub name: &'static str,
    pub dtype: Dtype,
    /// What is promised about the device address in bytes.
    pub address: Fact,
    /// What is promised about each extent; as many as the array has dimensions.
    pub extents: &'static [Fact],
    /// What is promised about each stride, in elements.
    pub strides: &'static [Fact],
    /// Whether different indices may reach the same element.
    pub may_alias: bool,
}

/// A promise about a non-negative integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Any,
    EqualTo(i32),
    MultipleOf(u32),
}

impl Fact {
    /// Whether `value` keeps the promise.
    pub fn holds(self, value: u64) -> bool {
        match self {
            Fact::Any => true,
            Fact::EqualTo(known) => i64::from(known) == value as i64,
            Fact::MultipleOf(divisor) => divisor != 0 && value.is_multiple_of(u64::from(divisor)),
        }
    }
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fact::Any => write!(f, "any number"),
            Fact::EqualTo(known) => write!(f, "{known}"),
            Fact::MultipleOf(divisor) => write!(f, "a multiple of {divisor}"),
        }
    }
}

/// Short forms of [`Fact`] for generated code.
pub mod fact {
    use super::Fact;

    pub const fn any() -> Fact {
        Fact::Any
    }

    pub const fn equal_to(value: i32) -> Fact {
        Fact::EqualTo(value)
    }

    /// `divisor` must not be 0; no number is a multiple of it.
    pub const fn multiple_of(divisor: u32) -> Fact {
        Fact::MultipleOf(divisor)
    }
}

/// An element type as DLPack names it: a type code and the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    pub code: u8,
    pub bits: u8,
}

/// The element types that arrays of kernels have. Codes: DLPack 1.1, `DLDataTypeCode`.
pub mod dtype {
    use super::Dtype;

    macro_rules! dtypes {
        ($($name:ident = $code:literal, $bits:literal;)*) => {
            $(pub const $name: Dtype = Dtype { code: $code, bits: $bits };)*
            pub(super) const NAMES: &[(Dtype, &str)] = &[$(($name, stringify!($name)),)*];
        };
    }

    dtypes! {
        I8 = 0, 8;
        I16 = 0, 16;
        I32 = 0, 32;
        I64 = 0, 64;
        U8 = 1, 8;
        U16 = 1, 16;
        U32 = 1, 32;
        U64 = 1, 64;
        F16 = 2, 16;
        F32 = 2, 32;
        F64 = 2, 64;
        BF16 = 4, 16;
        BOOL = 6, 8;
        F8E4M3FN = 10, 8;
        F8E5M2 = 12, 8;
        F8E8M0FNU = 14, 8;
        F4E2M1FN = 17, 4;
    }
}

impl std::fmt::Display for Dtype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match dtype::NAMES.iter().find(|(known, _)| known == self) {
            Some((_, name)) => write!(f, "{}", name.to_ascii_lowercase()),
            None => write!(f, "an unknown element type (code {}, {} bits)", self.code, self.bits),
        }
    }
}
