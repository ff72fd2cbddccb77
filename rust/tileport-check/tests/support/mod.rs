// SPDX-License-Identifier: Apache-2.0
//! What the tests share: the kernel files beside them, the built tool, and tileirdisasm.
#![allow(dead_code)] // each test program uses a part

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

/// The text of a file of kernels, and the 1-based lines marked `// here`.
pub fn marked(name: &str) -> (String, Vec<usize>) {
    let text = std::fs::read_to_string(kernels().join(name)).unwrap();
    let marks = text.lines().enumerate().filter(|(_, line)| line.ends_with("// here"));
    let lines = marks.map(|(index, _)| index + 1).collect();
    (text, lines)
}

/// An empty folder for the outputs of the test called `name`.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn tool(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tileport-check")).args(arguments).output().unwrap()
}

/// `$TILEPORT_TILEIRDISASM`, the checkout's environment, or PATH; `None` (with a note) if it is nowhere.
pub fn disassembler() -> Option<PathBuf> {
    let named = std::env::var_os("TILEPORT_TILEIRDISASM").map(PathBuf::from);
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join(".venv/lib");
    let installed = std::fs::read_dir(checkout)
        .into_iter()
        .flatten()
        .flatten()
        .map(|python| python.path().join("site-packages/nvidia/cu13/bin/tileirdisasm"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("tileirdisasm"));
    let found = named.into_iter().chain(installed).chain(on_path).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: tileirdisasm is not installed");
    }
    found
}

pub fn disassembled(disassembler: &Path, bytecode: &Path) -> String {
    let output = Command::new(disassembler).arg(bytecode).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
