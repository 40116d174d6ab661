//! `SECURITY.md` promises nothing without a test: each threat of the kit names a case or a test, and each name leads to one.

#![expect(clippy::unwrap_used, reason = "a file of this checkout that cannot be read is a failed test")]

use pipeline_tests::workspace;
use std::fs;
use std::process::Command;
use toml::Table;

#[test]
fn every_threat_names_a_test_that_exists() {
    let text = fs::read_to_string(workspace().join("tests/conformance/threats.toml")).unwrap();
    let model = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let table: Table = text.parse().unwrap();
    let threats = table["threats"].as_array().unwrap();
    assert!(threats.len() > 60, "only {} threats are there", threats.len());
    let sources = sources();
    for threat in threats {
        let by = threat["by"].as_str().unwrap();
        assert!(model.contains(&format!("| **{by}**")), "no row of SECURITY.md is about '{by}'");
        let shown = threat["shown"].as_array().unwrap();
        assert!(!shown.is_empty(), "no test is named: {threat:?}");
        for name in shown.iter().filter_map(|name| name.as_str()) {
            assert!(is_there(name, &sources), "'{name}' is no test: {threat:?}");
        }
    }
}

#[test]
fn the_page_of_cases_is_what_the_kit_lists() {
    let runner = workspace().join("tests/conformance/run.py");
    let Ok(listed) = Command::new("python3").arg(runner).arg("--list").output() else {
        eprintln!("python3 is not there: the page is not compared");
        return;
    };
    let page = fs::read_to_string(workspace().join("tests/conformance/CASES.md")).unwrap();
    assert_eq!(listed.status.code(), Some(0), "{}", String::from_utf8_lossy(&listed.stderr));
    let is_same = String::from_utf8_lossy(&listed.stdout) == page;
    assert!(is_same, "run: scripts/conformance --list > tests/conformance/CASES.md");
}

/// A case of the kit (`workers/x`; a star stands for anything), a script with its options, the file of a test
/// with the test's name, or either alone.
fn is_there(name: &str, (files, text): &(Vec<String>, String)) -> bool {
    let is_test =
        |name: &str| text.contains(&format!("\nfn {name}(")) || text.contains(&format!("\n    fn {name}("));
    let is_file = |name: &str| files.iter().any(|file| file == name);
    let kit = workspace().join("tests/conformance");
    let (first, second) = name.split_once(' ').unwrap_or((name, ""));
    if first.starts_with("scripts/") {
        return workspace().join(first).is_file();
    }
    if let Some((folder, start)) = name.strip_suffix('*').and_then(|name| name.rsplit_once('/')) {
        let entries = fs::read_dir(kit.join(folder)).unwrap();
        return entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(start));
    }
    if second.is_empty() {
        return kit.join(name).is_file() || is_test(name) || is_file(name);
    }
    is_file(first) && is_test(second)
}

/// Every Rust source with a test in it: the names of the files, and their text, one behind the other.
fn sources() -> (Vec<String>, String) {
    let (mut names, mut all) = (Vec::new(), String::new());
    let mut left = vec![workspace().join("crates"), workspace().join("tests")];
    while let Some(folder) = left.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                if text.contains("#[test]") {
                    names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
                    all.push_str(&text);
                }
            }
        }
    }
    (names, all)
}
