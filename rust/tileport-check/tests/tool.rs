// SPDX-License-Identifier: Apache-2.0
//! The command line: output lines, files, exit status.

mod support;

use serde_json::Value;
use support::{kernels, scratch, tool};

fn lines(stdout: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

fn path(name: &str) -> String {
    kernels().join(name).to_str().unwrap().to_string()
}

#[test]
fn compiled_entries_are_written_and_reported() {
    let out = scratch("tool-compiled");
    let (kernel, folder) = (path("scale.rs"), out.to_str().unwrap());
    let output = tool(&[
        &kernel, "--entry", "product", "--entry", "sum_up", "--target", "sm_90", "--jobs", "2", "--out",
        folder,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut entries = Vec::new();
    for line in lines(&output.stdout) {
        let entry = line["name"].as_str().unwrap().to_string();
        let file = out.join("sm_90").join(format!("{entry}.tileirbc"));
        assert_eq!(line["file"].as_str(), file.to_str());
        assert_eq!(line["target"], "sm_90");
        assert!(line["seconds"].is_f64() && line["error"].is_null());
        assert!(std::fs::read(&file).unwrap().starts_with(b"\x7fTileIR\0\x0d\x03"));
        entries.push(entry);
    }
    entries.sort();
    assert_eq!(entries, ["product", "sum_up"]);
    let left: Vec<_> = std::fs::read_dir(out.join("sm_90")).unwrap().collect();
    assert_eq!(left.len(), 2, "temporary files are left over");
}

#[test]
fn refused_entries_give_status_1_and_the_others_are_written() {
    let out = scratch("tool-refused");
    let output = tool(&[&path("refused.rs"), "--target", "sm_90", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "panics of the compiler must not be printed");
    let found = lines(&output.stdout);
    assert_eq!(found.len(), 7);
    let refused = found.iter().find(|line| line["name"] == "wrong_type").unwrap();
    assert_eq!(refused["error"]["code"], "refused");
    assert_eq!(
        (refused["error"]["line"].as_u64(), refused["error"]["column"].as_u64()),
        (Some(22), Some(37))
    );
    let written: Vec<_> = std::fs::read_dir(out.join("sm_90")).unwrap().flatten().collect();
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].file_name(), "good.tileirbc");
}

#[test]
fn unusable_files_and_requests_give_status_2_and_one_line() {
    let out = scratch("tool-unusable");
    let folder = out.to_str().unwrap();
    let binary = out.join("binary.rs");
    std::fs::write(&binary, [0x66, 0x6e, 0xff, 0xfe]).unwrap();
    let file = out.join("file");
    std::fs::write(&file, "").unwrap();
    let scale = path("scale.rs");
    let cases: [(Vec<&str>, &str); 6] = [
        (vec!["nowhere/kernel.rs", "--out", folder], "unreadable"),
        (vec![binary.to_str().unwrap(), "--out", folder], "unreadable"),
        (vec![&scale, "--entry", "nothing", "--out", folder], "unknown-entry"),
        (vec![&scale, "--target", "90", "--out", folder], "unknown-target"),
        (vec![&scale, "--bytecode", "12.0", "--out", folder], "unknown-version"),
        (vec![&scale, "--out", file.to_str().unwrap()], "unwritable"),
    ];
    for (arguments, code) in cases {
        let output = tool(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let found = lines(&output.stdout);
        assert_eq!(found.len(), 1, "{arguments:?}");
        assert_eq!(found[0]["error"]["code"], code, "{arguments:?}: {}", found[0]);
        assert!(found[0].get("name").is_none());
    }
}

#[test]
fn wrong_use_gives_status_2_and_the_usage() {
    for arguments in [&[][..], &["kernel.rs"], &["--out", "x"], &["kernel.rs", "--out", "x", "--wrong"]] {
        let output = tool(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("usage: tileport-check"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_generic_entry_is_compiled_with_the_values_that_are_given() {
    let out = scratch("tool-generics");
    let (kernel, folder) = (path("generic.rs"), out.to_str().unwrap());
    let generics = ["--entry", "zeros", "--generics", "E=f16, N=64", "--target", "sm_90", "--out", folder];
    let output = tool(&[&[kernel.as_str()], &generics[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    // Without them it is refused, at its place.
    let output = tool(&[&kernel, "--target", "sm_90", "--out", folder]);
    assert_eq!(output.status.code(), Some(1));
    let found = lines(&output.stdout);
    assert_eq!(
        (found[0]["name"].as_str(), found[0]["error"]["code"].as_str()),
        (Some("zeros"), Some("generics"))
    );
    assert_eq!(found[0]["error"]["line"], 8);
    assert!(found[0]["error"]["message"].as_str().unwrap().contains("a generic `E`"));
}

#[test]
fn instances_are_compiled_under_their_names_and_misfits_are_results() {
    let out = scratch("tool-instances");
    let listing = out.join("instances.json");
    let rows = serde_json::json!([
        { "name": "half", "entry": "zeros", "generics": { "N": 64, "E": "f16" } },
        { "name": "hinted", "entry": "zeros", "generics": { "E": "f32", "N": 8 }, "hints": { "occupancy": 2 } },
        { "name": "odd", "entry": "zeros", "generics": { "E": "f16", "N": 64, "M": 1 } },
        { "name": "less", "entry": "zeros", "generics": { "N": 64 } },
        { "name": "unknown_hint", "entry": "zeros", "generics": { "E": "f16", "N": 8 }, "hints": { "speed": 9 } },
        { "name": "absent", "entry": "ones" },
    ]);
    std::fs::write(&listing, rows.to_string()).unwrap();
    let (kernel, folder) = (path("generic.rs"), out.join("files"));
    let output = tool(&[
        &kernel,
        "--instances",
        listing.to_str().unwrap(),
        "--target",
        "sm_90",
        "--out",
        folder.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let mut found: Vec<(String, String)> = lines(&output.stdout)
        .iter()
        .map(|line| {
            let code = line["error"]["code"].as_str().unwrap_or("compiled");
            (line["name"].as_str().unwrap().to_string(), code.to_string())
        })
        .collect();
    found.sort();
    let expected = [
        ("absent", "unknown-entry"),
        ("half", "compiled"),
        ("hinted", "compiled"),
        ("less", "generics"),
        ("odd", "generics"),
        ("unknown_hint", "generics"),
    ];
    assert_eq!(found, expected.map(|(name, code)| (name.to_string(), code.to_string())));
    let read = |name: &str| std::fs::read(folder.join("sm_90").join(name)).unwrap();
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has(&read("hinted.tileirbc"), "occupancy") && !has(&read("half.tileirbc"), "occupancy"));
    assert_ne!(read("hinted.tileirbc"), read("half.tileirbc"));
}
