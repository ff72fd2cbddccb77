// SPDX-License-Identifier: Apache-2.0
//! Compiling one entry with cutile's own compiler, used as a library.

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::instance::Instance;
use crate::locate;
use cutile::cutile_compiler::ast::{Module, SourceLocation, SpanBase, syn};
use cutile::cutile_compiler::compiler::{CUDATileFunctionCompiler, CUDATileModules};
use cutile::cutile_compiler::cuda_tile_runtime_utils::serialize_tile_ir_bytecode_for_version;
use cutile::cutile_compiler::error::JITError;
use cutile::cutile_compiler::hints::{CompileOptions, DebugInfoLevel};
use cutile_ir::bytecode::BytecodeVersion;
use cutile_ir::capabilities::TargetCapabilities;
use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// The highest optimisation level, without debug information: what the numbers of a kernel's machine
/// code are measured at. Fixed here because cutile's default follows the profile of *this* build.
fn compile_options() -> CompileOptions {
    CompileOptions::new().debug_info(DebugInfoLevel::None).opt_level(3)
}

/// A kernel module resolved against cutile's own modules: what all entries of the module share.
pub(crate) struct PreparedModule {
    name: &'static str,
    file_name: String,
    item: syn::ItemMod,
    modules: CUDATileModules,
}

impl PreparedModule {
    /// Resolves `module`, whose spans are those of a file called `file_name`.
    pub(crate) fn new(file_name: &str, module: syn::ItemMod) -> Result<Self, Diagnostic> {
        let name = interned(&module.ident.to_string());
        let fallback = crate::source::place_of(&module.ident.span());
        let item = module.clone();
        let build = || {
            let mut kernel = Module::with_span_base(name, module, SpanBase::new(file_name.to_string(), 1, 0));
            kernel.set_absolute_path(format!("kernel::{name}"));
            CUDATileModules::from_kernel(kernel).map_err(|e| diagnostic_of(Code::Refused, e, file_name))
        };
        let modules = guarded(build).map_err(|d| Diagnostic { place: d.place.or(Some(fallback)), ..d })?;
        Ok(Self { name, file_name: file_name.to_string(), item, modules })
    }

    /// Compiles `instance` for `target` to the bytes of a Tile IR bytecode file. If the
    /// compiler does not tell where a failure lies, that is found by compiling parts of the entry.
    pub(crate) fn compile(
        &self,
        instance: &Instance,
        target: &str,
        version: BytecodeVersion,
    ) -> Result<Vec<u8>, Diagnostic> {
        self.compile_whole(instance, target, version).map_err(|problem| {
            let place = problem.place.or_else(|| {
                locate::statement_at_fault(&self.item, &instance.entry.name, |part| {
                    let compiled = Self::new(&self.file_name, part)
                        .and_then(|part| part.compile_whole(instance, target, version));
                    compiled.is_err_and(|d| (d.code, &d.message) == (problem.code, &problem.message))
                })
            });
            Diagnostic { place, ..problem }
        })
    }

    /// No argument facts are passed, so that signature and assumptions are those the source states. The
    /// bytecode is always written, because the compiler notices some errors only there.
    fn compile_whole(
        &self,
        instance: &Instance,
        target: &str,
        version: BytecodeVersion,
    ) -> Result<Vec<u8>, Diagnostic> {
        guarded(|| {
            let refused = |e| diagnostic_of(Code::Refused, e, &self.file_name);
            let options = instance.options(compile_options());
            let module = CUDATileFunctionCompiler::new(
                &self.modules,
                self.name,
                &instance.entry.name,
                &instance.generics,
                &[],
                &[],
                &[],
                None,
                target.to_string(),
                &options,
            )
            .map_err(refused)?
            .with_target_capabilities(TargetCapabilities::new(version, target))
            .map_err(refused)?
            .compile()
            .map_err(refused)?;
            serialize_tile_ir_bytecode_for_version(&module, version)
                .map(|(bytes, _)| bytes)
                .map_err(|e| diagnostic_of(Code::Bytecode, e, &self.file_name))
        })
    }
}

/// The compiler keeps module names for the life of the process; each distinct one is leaked once.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match names.get(name) {
        Some(known) => known,
        None => {
            let leaked: &'static str = Box::leak(name.to_string().into_boxed_str());
            names.insert(leaked);
            leaked
        }
    }
}

/// Runs `f`; a panic of the compiler (several of its refusals are panics) becomes a diagnostic.
fn guarded<T>(f: impl FnOnce() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| {
        let message = format!(
            "cutile's compiler panicked: {}",
            one_line(&without_node_ids(panic_message(payload.as_ref())))
        );
        Err(Diagnostic::new(Code::Panic, message))
    })
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

/// Panic messages hold whole syntax trees; their beginning tells what is wrong. Spans are left out: they
/// count bytes of everything that the thread has parsed, so no two runs agree on them.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let words = text.split_whitespace().filter(|word| *word != "span:" && !word.starts_with("bytes("));
    let words = words.collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &words[..end]),
        None => words,
    }
}

fn diagnostic_of(code: Code, error: JITError, file_name: &str) -> Diagnostic {
    let (message, place) = match error {
        JITError::Located(message, location) => (message, place_in(&location, file_name)),
        JITError::Generic(message) => (message, None),
        JITError::Anyhow(error) => (format!("{error:#}"), None),
    };
    Diagnostic { code, message: without_node_ids(&message), place }
}

/// The compiler numbers expressions by attributes, which it shows where it prints an expression.
fn without_node_ids(message: &str) -> String {
    let mut pieces = message.split("# [__cutile_node_id = ");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| text + piece.split_once("] ").map_or(piece, |(_, rest)| rest))
}

/// `location` as a place of the kernel source. A node that the compiler made itself has the location
/// 1:0, a place where no statement can stand; it counts as unknown.
fn place_in(location: &SourceLocation, file_name: &str) -> Option<Place> {
    let known = location.is_known() && location.file == file_name;
    (known && (location.line, location.column) != (1, 0))
        .then_some(Place { line: location.line, column: location.column + 1 })
}
