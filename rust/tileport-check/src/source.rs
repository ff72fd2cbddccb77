// SPDX-License-Identifier: Apache-2.0
//! A kernel source file as text, and the modules and entries that it declares.

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::instance::Instance;
use cutile::cutile_compiler::ast::syn;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use syn::spanned::Spanned;

pub(crate) use syn::ItemMod;

/// A `#[cutile::entry]` function of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the function; the symbol in the compiled module is `<name>_entry`.
    pub name: String,
    /// Name of the `#[cutile::module]` that holds it.
    pub module: String,
    /// Where the name of the function stands.
    pub place: Place,
    /// Names of its generics, in order.
    pub generics: Vec<String>,
    /// The bytes of the function in the file, attributes included.
    pub(crate) bytes: Range<usize>,
}

/// A kernel source file, checked to be Rust with at least one entry.
///
/// Syntax trees are bound to the thread that parsed them, so this keeps the text; what a thread compiles it
/// parses again.
#[derive(Clone, Debug)]
pub struct KernelSource {
    /// Last component of the path: it becomes the file name of the locations inside the Tile IR, so
    /// that the bytecode does not depend on the folder.
    pub file_name: String,
    pub text: String,
    pub entries: Vec<Entry>,
}

impl KernelSource {
    /// Reads and indexes the file at `path`.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let unreadable =
            |what: String| Diagnostic::new(Code::Unreadable, format!("{}: {what}", path.display()));
        let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|e| unreadable(format!("not UTF-8 text (byte {})", e.utf8_error().valid_up_to())))?;
        let file_name = path.file_name().unwrap_or(path.as_os_str());
        Self::from_text(&file_name.to_string_lossy(), text)
    }

    /// Indexes `text`, which stands for a file called `file_name`.
    pub fn from_text(file_name: &str, text: impl Into<String>) -> Result<Self, Diagnostic> {
        let text = text.into();
        let mut entries = Vec::new();
        for module in parse(&text)? {
            entries.extend(entries_of(&module));
        }
        if entries.is_empty() {
            return Err(Diagnostic::new(Code::NoEntry, "no function is marked #[cutile::entry]"));
        }
        let mut seen: HashMap<&str, Place> = HashMap::new();
        for entry in &entries {
            if let Some(first) = seen.insert(&entry.name, entry.place) {
                let message = format!("entry `{}` is already declared in line {}", entry.name, first.line);
                return Err(Diagnostic::at(Code::DuplicateEntry, message, entry.place));
            }
        }
        Ok(Self { file_name: file_name.to_string(), text, entries })
    }

    /// The module that holds `group`, entries of one module, without its other entries.
    ///
    /// Syntax trees take kilobytes for each statement. So the other entries are made blank before parsing;
    /// what remains keeps its places.
    pub(crate) fn module_of(&self, group: &[Instance]) -> Result<ItemMod, Diagnostic> {
        let mut text = String::with_capacity(self.text.len());
        let mut kept_up_to = 0;
        let is_wanted = |entry: &Entry| group.iter().any(|instance| instance.entry == *entry);
        for entry in self.entries.iter().filter(|entry| !is_wanted(entry)) {
            text.push_str(&self.text[kept_up_to..entry.bytes.start]);
            let removed = self.text[entry.bytes.clone()].chars();
            text.extend(removed.map(|c| if c == '\n' { c } else { ' ' }));
            kept_up_to = entry.bytes.end;
        }
        text.push_str(&self.text[kept_up_to..]);
        let module = parse(&text)?.into_iter().find(|module| module.ident == group[0].entry.module);
        Ok(module.expect("the text was indexed with this module"))
    }

    /// The entry called `name`.
    pub fn entry(&self, name: &str) -> Result<&Entry, Diagnostic> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
            let message =
                format!("{} has no entry `{name}`; its entries are {}", self.file_name, known.join(", "));
            Diagnostic::new(Code::UnknownEntry, message)
        })
    }
}

/// Parses `text` and returns its `#[cutile::module]` modules in file order.
pub(crate) fn parse(text: &str) -> Result<Vec<syn::ItemMod>, Diagnostic> {
    let file = syn::parse_file(text)
        .map_err(|e| Diagnostic::at(Code::Syntax, e.to_string(), place_of(&e.span())))?;
    let modules: Vec<syn::ItemMod> = file
        .items
        .into_iter()
        .filter_map(|item| match item {
            syn::Item::Mod(module) if has_attribute(&module.attrs, "module") => Some(module),
            _ => None,
        })
        .collect();
    if modules.is_empty() {
        return Err(Diagnostic::new(Code::NoModule, "no module is marked #[cutile::module]"));
    }
    if let Some(module) = modules.iter().find(|module| module.content.is_none()) {
        let message = format!("module `{}` has no body in this file", module.ident);
        return Err(Diagnostic::at(Code::NoModule, message, place_of(&module.ident.span())));
    }
    Ok(modules)
}

fn entries_of(module: &syn::ItemMod) -> Vec<Entry> {
    let items = module.content.iter().flat_map(|(_, items)| items);
    items
        .filter_map(|item| match item {
            syn::Item::Fn(function) if has_attribute(&function.attrs, "entry") => Some(Entry {
                name: function.sig.ident.to_string(),
                module: module.ident.to_string(),
                place: place_of(&function.sig.ident.span()),
                generics: function.sig.generics.params.iter().filter_map(generic_name).collect(),
                bytes: function.span().byte_range(),
            }),
            _ => None,
        })
        .collect()
}

fn generic_name(parameter: &syn::GenericParam) -> Option<String> {
    match parameter {
        syn::GenericParam::Type(it) => Some(it.ident.to_string()),
        syn::GenericParam::Const(it) => Some(it.ident.to_string()),
        syn::GenericParam::Lifetime(_) => None,
    }
}

/// A copy of `module` with those of its entries only whose names `keep` accepts, and all its other items.
pub(crate) fn with_entries(module: &ItemMod, keep: impl Fn(&syn::Ident) -> bool) -> ItemMod {
    let is_kept = |item: &&syn::Item| match item {
        syn::Item::Fn(function) if has_attribute(&function.attrs, "entry") => keep(&function.sig.ident),
        _ => true,
    };
    let content = module.content.as_ref();
    ItemMod {
        attrs: module.attrs.clone(),
        vis: module.vis.clone(),
        unsafety: module.unsafety,
        mod_token: module.mod_token,
        ident: module.ident.clone(),
        content: content.map(|(brace, items)| (*brace, items.iter().filter(is_kept).cloned().collect())),
        semi: module.semi,
    }
}

/// Whether an attribute is called `name`, with or without a path before it (`#[cutile::entry]`).
fn has_attribute(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().segments.last().is_some_and(|segment| segment.ident == name))
}

/// The start of `spanned` in the text that was parsed.
pub(crate) fn place_of(spanned: &impl Spanned) -> Place {
    let start = spanned.span().start();
    Place { line: start.line, column: start.column + 1 }
}
