// SPDX-License-Identifier: Apache-2.0
//! Many entries for many targets, spread over threads.

use crate::compile::PreparedModule;
use crate::diagnostic::{Code, Diagnostic};
use crate::instance::Instance;
use crate::source::{Entry, KernelSource};
use cutile_ir::bytecode::BytecodeVersion;
use cutile_ir::capabilities::TargetCapabilities;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The compiler recurses over expressions and inlined calls; its frames are large in unoptimised builds.
const STACK_BYTES: usize = 256 << 20;

/// What to compile: every instance for every target.
#[derive(Clone, Debug)]
pub struct Request {
    instances: Vec<Instance>,
    targets: Vec<String>,
    version: BytecodeVersion,
    jobs: usize,
}

impl Request {
    /// These instances, bytecode 13.3, as many threads as the machine has cores.
    pub fn new(instances: Vec<Instance>, targets: &[impl AsRef<str>]) -> Result<Self, Diagnostic> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let targets =
            targets.iter().map(|target| checked_target(target.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { instances, targets, version: BytecodeVersion::V13_3, jobs })
    }

    /// All entries of a file that has no generic ones.
    pub fn all(checker: &Checker, targets: &[impl AsRef<str>]) -> Result<Self, Diagnostic> {
        let instances = checker
            .entries()
            .iter()
            .map(|entry| Instance::new(entry.name.clone(), entry, BTreeMap::new(), BTreeMap::new()));
        Self::new(instances.collect::<Result<_, _>>()?, targets)
    }

    /// Restricts the request to the instances called `names`; an empty list leaves it as it is.
    pub fn only(mut self, checker: &Checker, names: &[impl AsRef<str>]) -> Result<Self, Diagnostic> {
        for name in names.iter().map(AsRef::as_ref) {
            if !self.instances.iter().any(|instance| instance.name == name) {
                checker.entry(name)?;
            }
        }
        if !names.is_empty() {
            self.instances.retain(|instance| names.iter().any(|name| name.as_ref() == instance.name));
        }
        Ok(self)
    }

    /// Sets the version of the bytecode to write.
    pub fn version(mut self, version: BytecodeVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets the number of threads (at least one).
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }
}

/// The result for one instance and target.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The instance's name.
    pub name: String,
    pub target: String,
    /// The bytes of the bytecode file, or why there are none.
    pub result: Result<Vec<u8>, Diagnostic>,
    /// Time spent on this instance and target, without what the instances of a module share.
    pub elapsed: Duration,
}

/// A kernel source file that can be compiled any number of times.
#[derive(Clone, Debug)]
pub struct Checker {
    source: KernelSource,
}

impl Checker {
    /// Reads the file at `path`; fails if it is unreadable, not Rust, or has no entry.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        KernelSource::open(path).map(|source| Self { source })
    }

    /// The same for a text that stands for a file called `file_name`.
    pub fn from_text(file_name: &str, text: impl Into<String>) -> Result<Self, Diagnostic> {
        KernelSource::from_text(file_name, text).map(|source| Self { source })
    }

    /// The entry called `name`.
    pub fn entry(&self, name: &str) -> Result<&Entry, Diagnostic> {
        self.source.entry(name)
    }

    /// The entries of the file, in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.source.entries
    }

    /// Compiles what `request` names and calls `on_outcome` on this thread for each instance and target, in
    /// the order in which they finish.
    pub fn compile(&self, request: &Request, mut on_outcome: impl FnMut(Outcome)) {
        let groups = grouped(&request.instances, request.jobs);
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..request.jobs.min(groups.len()) {
                let (sender, next, groups) = (sender.clone(), &next, &groups);
                std::thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || self.work(request, groups, next, &sender))
                    .expect("the system refuses a thread");
            }
            drop(sender);
            receiver.iter().for_each(&mut on_outcome);
        });
    }

    /// Takes groups until none is left.
    fn work(
        &self,
        request: &Request,
        groups: &[&[Instance]],
        next: &AtomicUsize,
        sender: &mpsc::Sender<Outcome>,
    ) {
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let module = self.source.module_of(group);
            let prepared = module.and_then(|module| PreparedModule::new(&self.source.file_name, module));
            for instance in *group {
                for target in &request.targets {
                    let start = Instant::now();
                    let result = match &prepared {
                        Ok(module) => module.compile(instance, target, request.version),
                        Err(problem) => Err(problem.clone()),
                    };
                    let result = result.map_err(|problem| Diagnostic {
                        place: problem.place.or(Some(instance.entry.place)),
                        ..problem
                    });
                    let (name, target) = (instance.name.clone(), target.clone());
                    if sender.send(Outcome { name, target, result, elapsed: start.elapsed() }).is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// Splits instances into groups of one module each. What the compiler keeps of a module takes memory by the
/// megabyte for each entry, so groups are small; preparing one costs as much as a few dozen statements, so
/// they are not single instances unless the threads would run out of work.
fn grouped(instances: &[Instance], jobs: usize) -> Vec<&[Instance]> {
    const LARGEST: usize = 8;
    let size = instances.len().div_ceil(4 * jobs).clamp(1, LARGEST);
    let modules = instances.chunk_by(|a, b| a.entry.module == b.entry.module);
    modules.flat_map(|module| module.chunks(size)).collect()
}

/// Bytecode version from its usual spelling, such as `13.3`.
pub fn parse_version(text: &str) -> Result<BytecodeVersion, Diagnostic> {
    let supported = BytecodeVersion::SUPPORTED;
    supported.into_iter().find(|version| version.to_string() == text).ok_or_else(|| {
        let known: Vec<String> = supported.iter().map(ToString::to_string).collect();
        let message = format!("bytecode version `{text}` is not one of {}", known.join(", "));
        Diagnostic::new(Code::UnknownVersion, message)
    })
}

fn checked_target(name: &str) -> Result<String, Diagnostic> {
    match TargetCapabilities::new(BytecodeVersion::V13_3, name).sm() {
        Some(_) => Ok(name.to_string()),
        None => {
            let message = format!("target `{name}` is not of the form sm_NN (such as sm_90 or sm_100)");
            Err(Diagnostic::new(Code::UnknownTarget, message))
        }
    }
}
