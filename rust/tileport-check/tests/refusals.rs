// SPDX-License-Identifier: Apache-2.0
//! Everything that cannot be compiled is refused with a code, a message and the place of the statement.

mod support;

use std::collections::HashMap;
use support::{kernels, marked};
use tileport_check::{Checker, Code, Diagnostic, Place, Request};

fn outcomes(name: &str, target: &str) -> HashMap<String, Result<Vec<u8>, Diagnostic>> {
    let checker = Checker::open(&kernels().join(name)).unwrap();
    let request = Request::all(&checker, &[target]).unwrap().jobs(2);
    let mut found = HashMap::new();
    checker.compile(&request, |outcome| {
        found.insert(outcome.name, outcome.result);
    });
    found
}

#[test]
fn refused_entries_name_the_statement_and_leave_the_others_alone() {
    let mut found = outcomes("refused.rs", "sm_90");
    assert!(found.remove("good").unwrap().is_ok());
    let (_, lines) = marked("refused.rs");
    let cases = [
        ("unknown_function", Code::Refused, 36, "`no_such_operation` is not supported"),
        ("wrong_type", Code::Refused, 37, "requires operands of the same type"),
        ("inline_shape", Code::Panic, 9, "cutile's compiler panicked: Unexpected unary expression"),
        ("nested_panic", Code::Panic, 17, "get_cuda_tile_element_type_primitive failed"),
        ("only_the_writer_notices", Code::Bytecode, 9, "missing attribute 'overflow' on op MulI"),
        ("needs_a_newer_version", Code::Refused, 37, "cuda_tile.insert requires Tile IR 13.4"),
    ];
    assert_eq!(found.len(), cases.len());
    assert_eq!(lines.len(), cases.len());
    for ((entry, code, column, part), line) in cases.into_iter().zip(lines) {
        let problem = found.remove(entry).unwrap().expect_err(entry);
        assert_eq!((problem.code, problem.place), (code, Some(Place { line, column })), "{entry}: {problem}");
        assert!(problem.message.contains(part), "{entry}: {problem}");
        assert!(problem.message.len() < 500 && !problem.message.contains("# [__cutile_node_id"), "{problem}");
    }
}

/// If a later cutile refuses these, the second gate has less to do; nothing else depends on it.
#[test]
fn text_is_typed_less_strictly_than_rustc_types_it() {
    for (entry, result) in outcomes("ill_typed.rs", "sm_90") {
        assert!(result.is_ok(), "{entry} is refused now: {:?}", result.err());
    }
}

#[test]
fn a_target_that_lacks_a_feature_or_is_too_old_is_refused() {
    for result in outcomes("scale.rs", "sm_75").into_values() {
        let problem = result.unwrap_err();
        assert_eq!(problem.code, Code::Refused);
        assert!(problem.message.contains("sm_80 or newer"), "{problem}");
    }
}

#[test]
fn files_without_a_kernel_are_refused_as_a_whole() {
    let module = "#[cutile::module]\npub mod m {\n    use cutile::core::*;\n";
    let entry = "    #[cutile::entry()]\n    unsafe fn e(n: i32) {}\n";
    let cases = [
        (String::from("fn main() {}\n"), Code::NoModule, None),
        (String::from("#[cutile::module]\npub mod m;\n"), Code::NoModule, Some((2, 9))),
        (format!("{module}}}\n"), Code::NoEntry, None),
        (format!("{module}{entry}{entry}}}\n"), Code::DuplicateEntry, Some((7, 15))),
        (format!("{module}    let\n}}\n"), Code::Syntax, Some((4, 5))),
        (format!("{module}{entry}"), Code::Syntax, None),
    ];
    for (text, code, place) in cases {
        let problem = Checker::from_text("kernel.rs", text.clone()).expect_err(&text);
        assert_eq!(problem.code, code, "{text}: {problem}");
        if let Some((line, column)) = place {
            assert_eq!(problem.place, Some(Place { line, column }), "{text}: {problem}");
        }
    }
}

#[test]
fn unusable_requests_are_refused() {
    let checker = Checker::open(&kernels().join("scale.rs")).unwrap();
    for target in ["", "90", "sm_", "sm_x", "gfx90"] {
        assert_eq!(Request::all(&checker, &[target]).unwrap_err().code, Code::UnknownTarget, "{target}");
    }
    let request = Request::all(&checker, &["sm_90"]).unwrap();
    let problem = request.only(&checker, &["scale_f16"]).unwrap_err();
    assert_eq!(problem.code, Code::UnknownEntry);
    assert_eq!(
        problem.message,
        "scale.rs has no entry `scale_f16`; its entries are scale_f32, sum_up, product"
    );
    for version in ["13.1", "13", "", "latest"] {
        assert_eq!(tileport_check::parse_version(version).unwrap_err().code, Code::UnknownVersion);
    }
}
