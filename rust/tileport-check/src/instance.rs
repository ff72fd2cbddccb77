// SPDX-License-Identifier: Apache-2.0
//! What is compiled: an entry with values for its generics, and with compiler hints.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Entry;
use cutile::cutile_compiler::hints::CompileOptions;
use std::collections::BTreeMap;

/// An entry made concrete. Entries without generics have one instance, called like them.
#[derive(Clone, Debug)]
pub struct Instance {
    /// What results are called by.
    pub name: String,
    pub entry: Entry,
    /// A value for each of the entry's generics, in their order.
    pub(crate) generics: Vec<String>,
    /// Hints by name, beside those that the entry states itself.
    pub(crate) hints: BTreeMap<String, i32>,
}

const HINTS: [&str; 4] = ["min_ctas_per_sm", "num_cta_in_cga", "num_worker_warps_per_cta", "occupancy"];

impl Instance {
    /// `values`: each generic's value, as Rust writes it ("64", "f16"). `hints`: see [`CompileOptions`].
    pub fn new(
        name: impl Into<String>,
        entry: &Entry,
        mut values: BTreeMap<String, String>,
        hints: BTreeMap<String, i32>,
    ) -> Result<Self, Diagnostic> {
        let name = name.into();
        let mut generics = Vec::new();
        for generic in &entry.generics {
            let value = values.remove(generic).ok_or_else(|| {
                let message = format!(
                    "{name}: entry `{}` has a generic `{generic}`, for which there is no value",
                    entry.name
                );
                Diagnostic::at(Code::Generics, message, entry.place)
            })?;
            generics.push(value);
        }
        if let Some(unknown) = values.keys().next() {
            let message = format!(
                "{name}: entry `{}` has no generic `{unknown}`; it has [{}]",
                entry.name,
                entry.generics.join(", ")
            );
            return Err(Diagnostic::at(Code::Generics, message, entry.place));
        }
        if let Some(unknown) = hints.keys().find(|hint| !HINTS.contains(&hint.as_str())) {
            let message = format!("{name}: cutile has no hint `{unknown}`; it has {}", HINTS.join(", "));
            return Err(Diagnostic::at(Code::Generics, message, entry.place));
        }
        Ok(Self { name, entry: entry.clone(), generics, hints })
    }

    /// `options` with the hints of this instance.
    pub(crate) fn options(&self, options: CompileOptions) -> CompileOptions {
        self.hints.iter().fold(options, |options, (hint, value)| match hint.as_str() {
            "min_ctas_per_sm" => options.min_ctas_per_sm(*value),
            "num_cta_in_cga" => options.num_cta_in_cga(*value),
            "num_worker_warps_per_cta" => options.num_worker_warps_per_cta(*value),
            "occupancy" => options.occupancy(*value),
            unknown => unreachable!("{unknown} was refused"),
        })
    }
}
