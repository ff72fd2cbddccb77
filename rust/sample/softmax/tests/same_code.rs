// SPDX-License-Identifier: Apache-2.0
//! What a launch compiles is what tileport-check compiles, and so what a proof compares: the former starts
//! from the text that cutile's macro kept, the latter from the file.

use cutile::cutile_compiler::compile_api::KernelCompiler;
use sample_softmax::kernel::softmax_rows;
use std::path::Path;
use tileport_check::{BytecodeVersion, Checker, Request};

const ENTRY: &str = "softmax_rows__1024";

fn launched(target: &str) -> Vec<u8> {
    let compiler = KernelCompiler::new(softmax_rows::__module_ast_self, "softmax_rows", ENTRY);
    let compiler = compiler.target(target).bytecode_version(BytecodeVersion::V13_3);
    let artifacts = compiler.compile().unwrap();
    artifacts.bytecode().unwrap()
}

/// The text of kernel.rs, under the name by which the macro knows it: locations in the bytecode hold it.
fn checked(target: &str) -> Vec<u8> {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernel.rs");
    let name = softmax_rows::__module_ast_self().span_base().file.clone();
    let checker = Checker::from_text(&name, std::fs::read_to_string(kernel).unwrap()).unwrap();
    let request = Request::all(&checker, &[target]).unwrap();
    let mut bytecode = Vec::new();
    checker.compile(&request, |outcome| bytecode = outcome.result.unwrap());
    bytecode
}

#[test]
fn a_launch_compiles_what_the_proof_compiled() {
    for target in ["sm_90", "sm_100"] {
        assert!(launched(target) == checked(target), "the bytes differ for {target}");
    }
}
