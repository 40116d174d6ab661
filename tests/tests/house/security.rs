//! `SECURITY.md` promises nothing without a test: each threat names one, and each name leads to one.

#![expect(clippy::unwrap_used, reason = "a file of this checkout that cannot be read is a failed test")]

use pipeline_tests::workspace;
use std::fs;

#[test]
fn every_threat_names_a_test_that_exists() {
    let text = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let (_, threats) = text.split_once("\n## Threats\n").expect("a chapter about threats");
    let rows: Vec<&str> = threats.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 30, "only {} threats are there", rows.len());
    let sources = sources();
    for row in rows {
        let shown = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let mut names = shown.split('`').skip(1).step_by(2).peekable();
        assert!(names.peek().is_some(), "no test is named: {row}");
        for name in names {
            assert!(is_there(name, &sources), "'{name}' is no test: {row}");
        }
    }
}

/// A case of the kit (`workers/x`, or `x` alone; a star stands for anything), a script with its options, the file of a test
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
        let is_case = kit.join(name).exists() || kit.join("workers").join(name).exists();
        return is_case || is_test(name) || is_file(name);
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
