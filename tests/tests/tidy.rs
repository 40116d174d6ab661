//! The house is tidy: what `ARCHITECTURE` and the house style ask of every file, checked.

use pipeline_tests::{TOOLS, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::Table;

/// Names that may stand at the top; whatever begins with a dot is configuration.
const TOP: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "CHANGELOG.md",
    "justfile",
    "crates",
    "man",
    "scripts",
    "tests",
];

/// Names that may stand there too, each for its reason.
const TOP_BESIDES: [(&str, &str); 4] = [
    ("CONTRIBUTING.md", "where people look before they change something"),
    ("target", "the build"),
    ("LICENSE", "where people and package sites look for it"),
    ("SECURITY.md", "says what is not detected"),
];

/// A file is two nouns when it grows past this.
const LONGEST: usize = 400;

/// Files that are longer, each with its reason.
const LONG: [(&str, &str); 5] = [
    ("crates/dialects/tests/plan_md.rs", "the cases of one dialect, each with its text beside it"),
    ("crates/dialects/tests/runbook.rs", "one test a trait of the dialect, each with its own text"),
    ("crates/dialects/tests/workflow.rs", "one test a trait of the dialect, each with its own session"),
    ("crates/wire/src/plan.rs", "one document, every field with its sentence"),
    ("crates/wire/src/order.rs", "one document, every field with its sentence"),
];

#[test]
fn every_main_is_one_call() {
    for tool in TOOLS {
        let text = read(&workspace().join(format!("crates/{tool}/src/main.rs")));
        let module = tool.replace('-', "_");
        let wanted = format!(
            "//! The `{tool}` command.\n\nfn main() -> std::process::ExitCode {{\n    {module}::main()\n}}\n"
        );
        assert_eq!(text, wanted, "{tool}");
    }
}

#[test]
fn every_tool_has_the_same_files() {
    for tool in TOOLS {
        for file in ["Cargo.toml", "src/main.rs", "src/lib.rs", "src/args.rs", "tests/cli.rs", "tests/cmd"] {
            assert!(workspace().join("crates").join(tool).join(file).exists(), "{tool} has no {file}");
        }
    }
}

#[test]
fn every_package_inherits_the_lints_and_the_version() {
    for (path, manifest) in manifests() {
        let lints = manifest.get("lints").and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "{path}: [lints] workspace = true");
        for field in ["version", "edition", "rust-version", "license"] {
            let value = manifest["package"].get(field).and_then(|value| value.get("workspace"));
            assert!(value.is_some(), "{path}: {field}.workspace = true");
        }
    }
}

#[test]
fn tools_never_depend_on_tools() {
    for (path, manifest) in manifests() {
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        if ["xtask", "plantools", "pipeline-tests"].contains(&name.as_str()) {
            continue;
        }
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(table) = manifest.get(kind).and_then(|t| t.as_table()) else { continue };
            let tools: Vec<_> = table.keys().filter(|key| TOOLS.contains(&key.as_str())).collect();
            assert!(tools.is_empty(), "{path}: {kind} has {tools:?}");
        }
    }
}

#[test]
fn wire_does_no_io() {
    for path in sources().into_iter().filter(|p| p.starts_with("crates/wire/src")) {
        let text = read(&workspace().join(&path));
        for word in ["std::fs", "std::io", "std::env", "std::process", "std::net"] {
            assert!(!text.contains(word), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn every_source_file_begins_with_what_it_is_for() {
    for path in sources() {
        let text = read(&workspace().join(&path));
        let text = text
            .strip_prefix("#!")
            .map_or(text.as_str(), |t| t.split_once('\n').map_or("", |(_, rest)| rest));
        assert!(text.starts_with("//! "), "{} does not begin with //!", path.display());
    }
}

#[test]
fn no_file_is_long_without_a_reason() {
    for path in sources() {
        let lines = read(&workspace().join(&path)).lines().count();
        let excused = LONG.iter().any(|(file, _)| path == Path::new(file));
        assert!(lines <= LONGEST || excused, "{} has {lines} lines", path.display());
    }
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["#[ignore", "todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX:"];
    for path in sources().into_iter().filter(|p| *p != Path::new("tests/tests/tidy.rs")) {
        let text = read(&workspace().join(&path));
        for word in words {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}

#[test]
fn no_module_is_a_drawer() {
    for path in sources() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            !["utils.rs", "helpers.rs", "common.rs", "misc.rs"].contains(&name.as_str()),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_top_folder_holds_only_what_belongs_there() {
    for path in entries(workspace()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let known = TOP.contains(&name.as_str()) || TOP_BESIDES.iter().any(|(other, _)| *other == name);
        assert!(name.starts_with('.') || known, "what is {name}?");
    }
}

#[test]
fn every_script_is_bash_that_stops_at_errors_and_shellcheck_likes() {
    let mut scripts = entries(&workspace().join("scripts"));
    scripts.retain(|path| path.is_file());
    for path in &scripts {
        let text = read(path);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("#!/usr/bin/env bash"), "{}", path.display());
        assert!(lines.any(|line| line == "set -euo pipefail"), "{}: set -euo pipefail", path.display());
    }
    for folder in ["lib", "profiles"] {
        scripts.extend(entries(&workspace().join("scripts").join(folder)));
    }
    let Ok(checked) = Command::new("shellcheck").args(&scripts).output() else { return };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn every_profile_is_short_enough_to_be_read_as_its_workflow() {
    for path in entries(&workspace().join("scripts/profiles")) {
        let lines = read(&path).lines().count();
        assert!(lines <= 110, "{} has {lines} lines", path.display());
    }
}

/// Every manifest of the workspace, by its path.
fn manifests() -> Vec<(String, Table)> {
    let crates = entries(&workspace().join("crates"));
    let folders = crates.into_iter().filter(|path| path.is_dir()).chain([workspace().join("tests")]);
    let parse = |folder: PathBuf| {
        let path = folder.join("Cargo.toml");
        let text = read(&path);
        (path.display().to_string(), text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    };
    folders.map(parse).collect()
}

/// Every source file, as seen from the top.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for top in ["crates", "tests"] {
        walk(&workspace().join(top), &mut found);
    }
    assert!(found.len() > 100, "only {} files were found", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path.strip_prefix(workspace()).unwrap_or(&path).to_path_buf());
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    listed.flatten().map(|entry| entry.path()).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_row_of_the_workflow_tables_names_tests_that_exist() {
    let mut wrong = Vec::new();
    for (page, module) in TABLES {
        let page = format!("tests/workflows/{page}");
        let text = read(&workspace().join(&page));
        let mut inside = false;
        for line in text.lines() {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            inside = cells.get(3) == Some(&"shown by") || inside && line.starts_with('|');
            let [_, said, does, shown, _] = cells[..] else {
                if inside {
                    wrong.push(format!("{page}: no three cells: {line}"));
                }
                continue;
            };
            let is_title = said.starts_with("**") && does.is_empty() || said.starts_with("---");
            if !inside || is_title || shown == "shown by" {
                continue;
            }
            let named = names(shown);
            if named.is_empty() && !does.starts_with("left out: ") {
                wrong.push(format!("{page}: nothing shows it, and no reason: {said}"));
            }
            wrong.extend(
                named.iter().filter(|name| !is_there(name, module)).map(|name| format!("{page}: {name}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables, each with the module of the tests that it names without one.
const TABLES: [(&str, &str); 5] = [
    ("README.md", ""),
    ("execute/README.md", "execute"),
    ("execute-task/README.md", "execute_task"),
    ("orchestrate-runbook/README.md", "runbook"),
    ("workflow-execute/README.md", "workflow_execute"),
];

/// What stands in backticks, without remarks in parentheses.
fn names(cell: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let plain = cell.chars().filter(|c| {
        depth = if *c == '(' { depth + 1 } else { depth };
        let kept = depth == 0;
        depth = if *c == ')' { depth.saturating_sub(1) } else { depth };
        kept
    });
    plain.collect::<String>().split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether exactly one test has this name: in the module's file, in one beside it, or in the file that stands before it.
fn is_there(name: &str, module: &str) -> bool {
    if let Some((file, name)) = name.split_once(' ') {
        return matching(&workspace().join(file), name) == 1;
    }
    if name.contains('/') {
        return workspace().join(name).is_file();
    }
    let (module, name) = name.split_once("::").unwrap_or((module, name));
    let files =
        ["workflows", "examples"].map(|suite| workspace().join(format!("tests/tests/{suite}/{module}.rs")));
    files.iter().filter(|file| file.is_file()).map(|file| matching(file, name)).sum::<usize>() == 1
}

/// How many tests of a file have this name; `…` stands for its rest.
fn matching(file: &Path, name: &str) -> usize {
    let text = fs::read_to_string(file).unwrap_or_default();
    let tests = text.split("#[test]").skip(1).filter_map(|part| part.split_once("fn ")?.1.split_once('('));
    match name.strip_suffix('…') {
        Some(start) => tests.filter(|(test, _)| test.starts_with(start)).count(),
        None => tests.filter(|(test, _)| *test == name).count(),
    }
}
