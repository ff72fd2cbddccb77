// SPDX-License-Identifier: Apache-2.0
//! `tileport-check`: the command-line form of the library. Output is one JSON object a line.

use lexopt::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tileport_check::{Checker, Code, Diagnostic, Outcome, Request, parse_version};

const USAGE: &str = "\
usage: tileport-check KERNEL.rs [--entry E]... [--target sm_90]... [--bytecode 13.3] [--jobs N] --out DIR

Compiles the named entries (default: all) of a cuTile Rust kernel file for each target (default: sm_90
and sm_100) and writes DIR/TARGET/ENTRY.tileirbc. Prints one JSON object per entry and target.
Exit status: 0 all compiled, 1 some refused, 2 bad use or unusable file.";

struct Arguments {
    kernel: PathBuf,
    entries: Vec<String>,
    targets: Vec<String>,
    version: String,
    jobs: Option<usize>,
    out: PathBuf,
}

/// `None` when help was asked for and given.
fn parse_arguments() -> Result<Option<Arguments>, lexopt::Error> {
    let (mut kernel, mut out, mut jobs) = (None, None, None);
    let (mut entries, mut targets, mut version) = (Vec::new(), Vec::new(), String::from("13.3"));
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => {
                println!("{USAGE}");
                return Ok(None);
            }
            Short('V') | Long("version") => {
                println!("tileport-check {}", env!("CARGO_PKG_VERSION"));
                return Ok(None);
            }
            Long("entry") => entries.push(parser.value()?.string()?),
            Long("target") => targets.push(parser.value()?.string()?),
            Long("bytecode") => version = parser.value()?.string()?,
            Long("jobs") => jobs = Some(parser.value()?.parse()?),
            Long("out") => out = Some(PathBuf::from(parser.value()?)),
            Value(path) if kernel.is_none() => kernel = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    if targets.is_empty() {
        targets = vec!["sm_90".to_string(), "sm_100".to_string()];
    }
    Ok(Some(Arguments {
        kernel: kernel.ok_or("the kernel file is missing")?,
        out: out.ok_or("--out DIR is missing")?,
        entries,
        targets,
        version,
        jobs,
    }))
}

fn main() -> ExitCode {
    let arguments = match parse_arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tileport-check: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    // Panics of the compiler are reported as diagnostics of their entry, not on standard error.
    std::panic::set_hook(Box::new(|_| {}));
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            print_line(&json!({ "error": error_of(&problem) }));
            ExitCode::from(2)
        }
    }
}

/// Compiles everything asked for; whether nothing was refused.
fn run(arguments: &Arguments) -> Result<bool, Diagnostic> {
    let checker = Checker::open(&arguments.kernel)?;
    let mut request = Request::all(&checker, &arguments.targets)?
        .entries(&checker, &arguments.entries)?
        .version(parse_version(&arguments.version)?);
    if let Some(jobs) = arguments.jobs {
        request = request.jobs(jobs);
    }
    for target in &arguments.targets {
        let folder = arguments.out.join(target);
        std::fs::create_dir_all(&folder).map_err(|e| unwritable(&folder, &e))?;
    }
    let mut all_compiled = true;
    checker.compile(&request, |outcome| {
        let line = report(&arguments.out, &outcome);
        all_compiled &= line.get("error").is_none();
        print_line(&line);
    });
    Ok(all_compiled)
}

/// Writes the bytecode of `outcome`, and returns its line of the output.
fn report(out: &Path, outcome: &Outcome) -> Value {
    let file = out.join(&outcome.target).join(format!("{}.tileirbc", outcome.entry));
    let written = outcome
        .result
        .as_ref()
        .map_err(Diagnostic::clone)
        .and_then(|bytecode| write_whole(&file, bytecode).map_err(|e| unwritable(&file, &e)));
    let seconds = (outcome.elapsed.as_secs_f64() * 1e4).round() / 1e4;
    let (entry, target) = (&outcome.entry, &outcome.target);
    match written {
        Ok(()) => json!({
            "entry": entry, "target": target, "file": file.to_string_lossy(), "seconds": seconds,
        }),
        Err(problem) => json!({ "entry": entry, "target": target, "error": error_of(&problem) }),
    }
}

/// Writes beside `file` and renames, so that a reader never sees half a file.
fn write_whole(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let partial = file.with_extension(format!("tileirbc.{}", std::process::id()));
    std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, file)).inspect_err(|_| {
        let _ = std::fs::remove_file(&partial);
    })
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Code::Unwritable, format!("{}: {error}", path.display()))
}

fn error_of(problem: &Diagnostic) -> Value {
    json!({
        "code": problem.code.as_str(),
        "message": problem.message,
        "line": problem.place.map(|place| place.line),
        "column": problem.place.map(|place| place.column),
    })
}

/// Prints one line at once: whoever reads it shows progress.
fn print_line(line: &Value) {
    let mut stdout = std::io::stdout().lock();
    // A reader that has gone away is no reason to stop writing files.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}
