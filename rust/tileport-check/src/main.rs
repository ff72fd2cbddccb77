// SPDX-License-Identifier: Apache-2.0
//! `tileport-check`: the command-line form of the library. Output is one JSON object a line.

use lexopt::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tileport_check::{Checker, Code, Diagnostic, Instance, Outcome, Request, parse_version};

const USAGE: &str = "\
usage: tileport-check KERNEL.rs [--entry E]... [--generics N=64,...] [--target sm_90]... [--bytecode 13.3]
                      [--jobs N] --out DIR
       tileport-check KERNEL.rs --instances FILE.json [--target sm_90]... --out DIR

Compiles the named entries (default: all) of a cuTile Rust kernel file for each target (default: sm_90
and sm_100) and writes DIR/TARGET/ENTRY.tileirbc. Prints one JSON object per entry and target.
--generics gives the values of a generic entry. FILE.json lists instances of generic entries,
[{\"name\": ..., \"entry\": ..., \"generics\": {\"N\": 64}, \"hints\": {\"occupancy\": 2}}, ...], which become
DIR/TARGET/NAME.tileirbc.
Exit status: 0 all compiled, 1 some refused, 2 bad use or unusable file.";

struct Arguments {
    kernel: PathBuf,
    entries: Vec<String>,
    generics: BTreeMap<String, String>,
    instances: Option<PathBuf>,
    targets: Vec<String>,
    version: String,
    jobs: Option<usize>,
    out: PathBuf,
}

/// `None` when help was asked for and given.
fn parse_arguments() -> Result<Option<Arguments>, lexopt::Error> {
    let (mut kernel, mut out, mut jobs, mut instances) = (None, None, None, None);
    let mut generics = BTreeMap::new();
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
            Long("generics") => generics.extend(parse_generics(&parser.value()?.string()?)?),
            Long("instances") => instances = Some(PathBuf::from(parser.value()?)),
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
        generics,
        instances,
        targets,
        version,
        jobs,
    }))
}

/// "N=64,E=f16" by name.
fn parse_generics(text: &str) -> Result<BTreeMap<String, String>, String> {
    let parse = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or(format!("`{pair}` is not NAME=VALUE"))?;
        Ok((name.trim().to_string(), value.trim().to_string()))
    };
    text.split(',').map(parse).collect()
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
    let mut instances = Vec::new();
    let mut misfits = Vec::new();
    for (name, instance) in instances_of(&checker, arguments)? {
        match instance {
            Ok(instance) => instances.push(instance),
            Err(problem) => misfits.push((name, problem)),
        }
    }
    let mut request =
        Request::new(instances, &arguments.targets)?.version(parse_version(&arguments.version)?);
    if let Some(jobs) = arguments.jobs {
        request = request.jobs(jobs);
    }
    for target in &arguments.targets {
        let folder = arguments.out.join(target);
        std::fs::create_dir_all(&folder).map_err(|e| unwritable(&folder, &e))?;
    }
    for (name, problem) in &misfits {
        for target in &arguments.targets {
            print_line(&json!({ "name": name, "target": target, "error": error_of(problem) }));
        }
    }
    let mut all_compiled = misfits.is_empty();
    checker.compile(&request, |outcome| {
        let line = report(&arguments.out, &outcome);
        all_compiled &= line.get("error").is_none();
        print_line(&line);
    });
    Ok(all_compiled)
}

/// An instance by its name, or why there is none.
type Named = (String, Result<Instance, Diagnostic>);

/// What to compile, by name: what --instances lists, else the named entries, else all. An instance that does
/// not fit the file is a result like any other; a name on the command line that is none is bad use.
fn instances_of(checker: &Checker, arguments: &Arguments) -> Result<Vec<Named>, Diagnostic> {
    if let Some(file) = &arguments.instances {
        let unusable =
            |what: String| Diagnostic::new(Code::Unreadable, format!("{}: {what}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|e| unusable(e.to_string()))?;
        let rows: Vec<Value> = serde_json::from_str(&text).map_err(|e| unusable(e.to_string()))?;
        return rows.iter().map(|row| instance_of(checker, row, unusable)).collect();
    }
    let all = checker.entries().iter().map(|entry| entry.name.clone()).collect();
    let names = if arguments.entries.is_empty() { &all } else { &arguments.entries };
    let generics = || arguments.generics.clone();
    let instance = |name: &String| {
        let instance = Instance::new(name, checker.entry(name)?, generics(), BTreeMap::new());
        Ok((name.clone(), instance))
    };
    names.iter().map(instance).collect()
}

/// One row of --instances. Fails if it is none; the instance in it may still fit no entry.
fn instance_of(
    checker: &Checker,
    row: &Value,
    unusable: impl Fn(String) -> Diagnostic,
) -> Result<Named, Diagnostic> {
    let string = |key: &str| {
        row[key].as_str().ok_or_else(|| unusable(format!("an instance has no string \"{key}\": {row}")))
    };
    let object = |key: &str| row[key].as_object().into_iter().flatten();
    let written = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let generics = object("generics").map(|(name, value)| (name.clone(), written(value))).collect();
    let hint = |(name, value): (&String, &Value)| {
        let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
        let number = number.ok_or_else(|| unusable(format!("hint {name} is no i32: {value}")))?;
        Ok((name.clone(), number))
    };
    let hints = object("hints").map(hint).collect::<Result<_, Diagnostic>>()?;
    let (name, entry) = (string("name")?, string("entry")?);
    let instance = checker.entry(entry).and_then(|entry| Instance::new(name, entry, generics, hints));
    Ok((name.to_string(), instance))
}

/// Writes the bytecode of `outcome`, and returns its line of the output.
fn report(out: &Path, outcome: &Outcome) -> Value {
    let file = out.join(&outcome.target).join(format!("{}.tileirbc", outcome.name));
    let written = outcome
        .result
        .as_ref()
        .map_err(Diagnostic::clone)
        .and_then(|bytecode| write_whole(&file, bytecode).map_err(|e| unwritable(&file, &e)));
    let seconds = (outcome.elapsed.as_secs_f64() * 1e4).round() / 1e4;
    let (name, target) = (&outcome.name, &outcome.target);
    match written {
        Ok(()) => json!({
            "name": name, "target": target, "file": file.to_string_lossy(), "seconds": seconds,
        }),
        Err(problem) => json!({ "name": name, "target": target, "error": error_of(&problem) }),
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
