//! The statements of the source workflows and the tests that show them belong together: none without the other.

use pipeline_tests::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// How many statements of all sources may deliberately not be followed.
const RULINGS: usize = 10;

/// Tables of what holds beside the sources: a test shows each of them, and no line of a source.
const NO_SOURCE: [&str; 2] = ["ours", "found"];

/// One statement.
struct Statement {
    /// The file, the table and the number, for people.
    place: String,
    table: String,
    fields: Table,
}

impl Statement {
    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(Value::as_integer)
    }

    fn tests(&self) -> Vec<&str> {
        let list = self.fields.get("shown_by").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// The lists: one for each workflow, and one for all.
fn lists() -> Vec<PathBuf> {
    let folder = workspace().join("tests/workflows");
    let mut found: Vec<PathBuf> =
        entries(&folder).into_iter().map(|path| path.join("statements.toml")).collect();
    found.push(folder.join("statements.toml"));
    found.retain(|path| path.is_file());
    found.sort();
    found
}

fn statements() -> Vec<Statement> {
    let mut out = Vec::new();
    for path in lists() {
        let shown = path.strip_prefix(workspace()).unwrap_or(&path).display().to_string();
        let tables: Table = read(&path).parse().unwrap_or_else(|e| panic!("{shown}: {e}"));
        for (table, content) in &tables {
            for fields in content["statements"].as_array().into_iter().flatten() {
                let fields = fields.as_table().cloned().unwrap_or_default();
                let id = fields.get("id").and_then(Value::as_integer).unwrap_or_default();
                out.push(Statement { place: format!("{shown} {table} {id}"), table: table.clone(), fields });
            }
        }
    }
    out
}

#[test]
fn every_statement_has_a_test_or_a_reason() {
    let mut wrong = Vec::new();
    let known = ["id", "line", "section", "says", "shown_by", "reason", "ruling"];
    for statement in statements() {
        let mut say = |words: &str| wrong.push(format!("{}: {words}", statement.place));
        let whys = ["reason", "ruling"].iter().filter(|name| statement.text(name).is_some()).count();
        if whys + usize::from(!statement.tests().is_empty()) != 1 {
            say("has not exactly one of shown_by, reason and ruling");
        }
        if statement.text("says").is_none() {
            say("says nothing");
        }
        let of_source = !NO_SOURCE.contains(&statement.table.as_str());
        if of_source != statement.number("line").is_some_and(|line| line > 0) {
            say("has a line where it has no source, or none where it has one");
        }
        if !of_source && whys > 0 {
            say("is ours, and no test shows it");
        }
        if let Some(name) = statement.fields.keys().find(|name| !known.contains(&name.as_str())) {
            say(&format!("has the unknown field '{name}'"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn statements_are_numbered_in_the_order_of_their_source() {
    let mut last: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut said = BTreeSet::new();
    for statement in statements() {
        let table = statement.place.rsplit_once(' ').map_or("", |(table, _)| table).to_owned();
        let (id, line) = last.get(&table).copied().unwrap_or_default();
        let (own, at) =
            (statement.number("id").unwrap_or_default(), statement.number("line").unwrap_or_default());
        if own != id + 1 || at < line {
            wrong.push(format!("{} (line {at}) comes after {id} (line {line})", statement.place));
        }
        let place = format!("{at} {}", statement.text("section").unwrap_or_default());
        if !said.insert((table.clone(), place, statement.text("says").map(str::to_owned))) {
            wrong.push(format!("{} is there twice", statement.place));
        }
        last.insert(table, (own, at));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let sources = [
        "orchestrate-execute-task",
        "process-orchestrate",
        "workflow-execute",
        "orchestrate-runbook",
        "execute",
    ];
    for source in sources {
        assert!(
            last.keys().any(|table| table.ends_with(&format!(" {source}"))),
            "no list for {source}: {last:?}"
        );
    }
}

#[test]
fn every_test_that_shows_a_statement_exists() {
    let tests = tests();
    let mut wrong = Vec::new();
    for statement in statements() {
        for name in statement.tests() {
            if !tests.contains(name) {
                wrong.push(format!("{}: there is no test {name}", statement.place));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn few_statements_are_not_followed() {
    let count = |name: &str| -> Vec<String> {
        statements().iter().filter(|s| s.text(name).is_some()).map(|s| s.place.clone()).collect()
    };
    let ruled = count("ruling");
    assert!(ruled.len() <= RULINGS, "{}", ruled.join("\n"));
}

#[test]
fn every_template_of_a_source_is_held_against_something() {
    let text = read(&workspace().join("tests/tests/workflows/templates.rs"));
    let mut unused = Vec::new();
    for folder in entries(&workspace().join("tests/workflows")).into_iter().map(|path| path.join("templates"))
    {
        for path in if folder.is_dir() { entries(&folder) } else { Vec::new() } {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !text.contains(&format!("\"{name}\"")) {
                unused.push(path);
            }
        }
    }
    assert!(unused.is_empty(), "{unused:?}");
}

/// All tests, as `SUITE::FILE::TEST` below `tests/tests` and `CRATE::FILE::TEST` below `crates`.
fn tests() -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut take = |group: &str, folder: &Path| {
        for path in below(folder) {
            let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&path);
            let tests =
                text.split("#[test]").skip(1).filter_map(|part| part.split_once("fn ")?.1.split_once('('));
            out.extend(tests.map(|(test, _)| format!("{group}::{file}::{test}")));
        }
    };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for suite in entries(&workspace().join("tests/tests")).into_iter().filter(|path| path.is_dir()) {
        take(&name(&suite), &suite);
    }
    for package in entries(&workspace().join("crates")).into_iter().filter(|path| path.is_dir()) {
        take(&name(&package), &package.join("tests"));
        take(&name(&package), &package.join("src"));
    }
    out
}

/// All Rust files below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let listed = if folder.is_dir() { entries(&folder) } else { Vec::new() };
        for path in listed {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                out.push(path);
            }
        }
    }
    out
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    listed.flatten().map(|entry| entry.path()).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
