// SPDX-License-Identifier: Apache-2.0
//! What is compiled is what the source says, as tileirdisasm reads it, for each target and with any number
//! of threads.

mod support;

use std::collections::BTreeMap;
use support::{disassembled, disassembler, kernels, scratch};
use tileport_check::{Checker, Request};

const TARGETS: [&str; 2] = ["sm_90", "sm_100"];

/// Entry and target to the bytes of the bytecode.
fn compiled(jobs: usize) -> BTreeMap<(String, String), Vec<u8>> {
    let checker = Checker::open(&kernels().join("scale.rs")).unwrap();
    let request = Request::all(&checker, &TARGETS).unwrap().jobs(jobs);
    let mut files = BTreeMap::new();
    checker.compile(&request, |outcome| {
        let bytes = outcome.result.unwrap_or_else(|e| panic!("{} {}: {e}", outcome.name, outcome.target));
        assert!(files.insert((outcome.name, outcome.target), bytes).is_none());
    });
    files
}

#[test]
fn entries_are_found_in_file_order_with_their_places() {
    let checker = Checker::open(&kernels().join("scale.rs")).unwrap();
    let found: Vec<_> = checker.entries().iter().map(|e| (&*e.module, &*e.name, e.place.column)).collect();
    assert_eq!(found, [("scale", "scale_f32", 15), ("sums", "sum_up", 15), ("sums", "product", 15)]);
    assert_eq!(checker.entries()[0].place.line, 8);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let alone = compiled(1);
    assert_eq!(alone.len(), 3 * TARGETS.len());
    assert_eq!(alone, compiled(2));
    assert_eq!(alone, compiled(16));
}

/// Each entry alone must come out as it does among the others, wherever they stand in the text.
#[test]
fn entries_do_not_depend_on_their_neighbours() {
    let text = std::fs::read_to_string(kernels().join("scale.rs")).unwrap();
    let crowded = text.replace("use cutile::core::*;", "use cutile::core::*; // \u{b5}, \u{5d0}, \u{1f980}");
    let all = compiled(1);
    let checker = Checker::from_text("scale.rs", crowded).unwrap();
    for name in ["scale_f32", "sum_up", "product"] {
        let request = Request::all(&checker, &["sm_90"]).unwrap().only(&checker, &[name]).unwrap();
        checker.compile(&request, |outcome| {
            let expected = &all[&(name.to_string(), "sm_90".to_string())];
            assert!(outcome.result.unwrap() == *expected, "{name} differs");
        });
    }
}

#[test]
fn the_bytecode_has_the_version_that_was_asked_for() {
    let checker = Checker::open(&kernels().join("scale.rs")).unwrap();
    for (text, minor) in [("13.3", 3), ("13.4", 4), ("13.5", 5)] {
        let version = tileport_check::parse_version(text).unwrap();
        let request = Request::all(&checker, &["sm_90"]).unwrap().version(version);
        let request = request.only(&checker, &["product"]).unwrap();
        checker.compile(&request, |outcome| {
            // Magic, then major, minor and two bytes of tag.
            let bytes = outcome.result.unwrap();
            assert_eq!(bytes[..10], [0x7f, b'T', b'i', b'l', b'e', b'I', b'R', 0, 13, minor]);
        });
    }
}

#[test]
fn the_disassembly_is_what_the_source_says() {
    let Some(disassembler) = disassembler() else { return };
    let folder = scratch("disassembly");
    for ((entry, target), bytes) in compiled(2) {
        let file = folder.join(format!("{entry}.{target}.tileirbc"));
        std::fs::write(&file, bytes).unwrap();
        let expected = std::fs::read_to_string(kernels().join(format!("{entry}.mlir"))).unwrap();
        // Hints of single accesses are written under the name of the target.
        assert_eq!(
            disassembled(&disassembler, &file),
            expected.replace("TARGET", &target),
            "{entry} {target}"
        );
    }
}
