//! The house is tidy: what `ARCHITECTURE` and the house style ask of every file, checked.

use pipeline_tests::{CONDUCTOR, TOOLS, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
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

/// How many source files may stand side by side in a folder below `src`, `lib.rs` and `main.rs` apart.
const SIDE_BY_SIDE: usize = 14;

#[test]
fn every_main_is_one_call() {
    for tool in TOOLS.iter().chain(&[CONDUCTOR]) {
        let text = read(&workspace().join(format!("crates/{tool}/src/main.rs")));
        let module = tool.replace('-', "_");
        let wanted = format!(
            "//! The `{tool}` command.\n\nfn main() -> std::process::ExitCode {{\n    {module}::main()\n}}\n"
        );
        assert_eq!(text, wanted, "{tool}");
    }
}

#[test]
fn cargo_build_makes_every_tool_and_nothing_else() {
    let manifest: Table = read(&workspace().join("Cargo.toml")).parse().unwrap();
    let members = manifest["workspace"]["default-members"].as_array().unwrap();
    let members: BTreeSet<&str> = members.iter().filter_map(toml::Value::as_str).collect();
    let tools: Vec<String> =
        TOOLS.iter().chain(&[CONDUCTOR, "plantools"]).map(|tool| format!("crates/{tool}")).collect();
    assert_eq!(members, tools.iter().map(String::as_str).collect());
}

#[test]
fn every_module_of_the_tests_across_tools_is_found_by_a_tool_and_by_its_topic() {
    let page = read(&workspace().join("tests/README.md"));
    let mut missing = Vec::new();
    for suite in ["conductor", "contracts", "evidence", "house", "parallel", "workflows"] {
        for path in entries(&workspace().join("tests/tests").join(suite)) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_file() && name != "main" && !page.contains(&format!("`{name}`")) {
                missing.push(format!("{suite}/{name}"));
            }
        }
    }
    missing.extend(
        TOOLS.iter().filter(|tool| !page.contains(&format!("\n| `{tool}` |"))).map(|t| (*t).to_owned()),
    );
    assert!(missing.is_empty(), "tests/README.md does not name {missing:?}");
}

#[test]
fn every_tool_has_the_same_files() {
    for tool in TOOLS.iter().chain(&[CONDUCTOR]) {
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
fn no_folder_of_sources_is_a_heap() {
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for path in sources() {
        let below_src =
            path.starts_with("crates") && path.components().nth(2) == Some(Component::Normal("src".as_ref()));
        let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
        if below_src && !is_root {
            *folders.entry(path.parent().unwrap().to_owned()).or_default() += 1;
        }
    }
    folders.retain(|_, files| *files > SIDE_BY_SIDE);
    assert!(folders.is_empty(), "more than {SIDE_BY_SIDE} files side by side: {folders:?}");
}

/// What formats share stands outside of `formats`: in markdown, in checks, or in another folder of dialects.
#[test]
fn no_format_imports_from_another_format() {
    let formats = Path::new("crates/dialects/src/formats");
    let mut wrong = Vec::new();
    for path in sources() {
        let Ok(below) = path.strip_prefix(formats) else { continue };
        // A format is a file or a folder two levels below: `lists/kiro.rs`, `lists/kiro/…`.
        let parts: Vec<_> = below.iter().take(2).map(|part| Path::new(part).with_extension("")).collect();
        let [group, format] = parts.as_slice() else { continue };
        let own = format!("crate::formats::{}::{}", group.display(), format.display());
        let text = read(&workspace().join(&path));
        let is_top = below.components().count() == 2;
        let siblings = text.lines().filter(|line| is_top && line.starts_with("use super::"));
        wrong.extend(siblings.map(|line| format!("{}: {line}", path.display())));
        for (start, _) in text.match_indices("crate::formats::") {
            let rest = &text[start..];
            let end =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let named = rest[..end].trim_end_matches(':');
            if named != own && !named.starts_with(&format!("{own}::")) {
                wrong.push(format!("{}: {named}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["#[ignore", "todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX:"];
    for path in sources().into_iter().filter(|p| *p != Path::new("tests/tests/house/tidy.rs")) {
        let text = read(&workspace().join(&path));
        for word in words {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}

#[test]
fn no_dialect_is_known_by_its_name_outside_of_dialects_and_profiles() {
    let names = dialect_names();
    assert!(names.len() >= 20 && names.iter().any(|name| name == "plan/v1"), "{names:?}");
    let mut wrong = Vec::new();
    for path in sources() {
        let file = path.to_string_lossy().into_owned();
        let is_source = file.starts_with("crates/") && file.contains("/src/");
        // A program may have the name of a dialect.
        let is_program_table = file.starts_with("crates/checks/src/commands/");
        if !is_source || file.starts_with("crates/dialects/") || is_program_table {
            continue;
        }
        let text = read(&workspace().join(&path));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            let found = names.iter().filter(|name| line.contains(&format!("\"{name}\"")));
            let is_tool = |name: &str| {
                let is_file = name == SPEC && file == "crates/orchestrate/src/find/locate/places.rs";
                let is_handoff = name == HANDOFF && HANDOFF_TOOL.iter().any(|own| file == *own);
                !line.contains("dialect") && (is_handoff || is_file)
            };
            wrong.extend(
                found.filter(|name| !is_tool(name)).map(|name| format!("{file}:{}: \"{name}\"", at + 1)),
            );
        }
    }
    let advice =
        "policy belongs in crates/config/profiles, a fact about a format in its row in crates/dialects";
    assert!(wrong.is_empty(), "{advice}:\n{}", wrong.join("\n"));
}

/// A dialect, a tool and a field of an order have this name.
const HANDOFF: &str = "handoff";

/// A dialect has the name of the file that it usually stands in.
const SPEC: &str = "spec.json";

/// Files that name the tool or the field.
const HANDOFF_TOOL: [&str; 9] = [
    "crates/handoff/src/args.rs",
    "crates/handoff/src/lib.rs",
    "crates/orchestrate/src/checks.rs",
    "crates/orchestrate/src/lib.rs",
    "crates/plantools/src/lib.rs",
    "crates/wire/src/stream/line.rs",
    "crates/wire/src/stream/order.rs",
    "crates/xtask/src/tools.rs",
    "crates/orchestrate/src/conductor.rs",
];

/// The names in the rows of the table of dialects.
fn dialect_names() -> Vec<String> {
    let mut files = Vec::new();
    walk(&workspace().join("crates/dialects/src/formats"), &mut files);
    let name = |path: PathBuf| {
        let text = read(&workspace().join(path));
        let (_, row) = text.split_once("const DIALECT: Dialect = Dialect {")?;
        let (_, rest) = row.split_once("name: \"")?;
        rest.split_once('"').map(|(name, _)| name.to_owned())
    };
    files.into_iter().filter_map(name).collect()
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
        // These two show that a plain shell is enough.
        if path.ends_with("loop") || path.ends_with("round") {
            assert_eq!(lines.next(), Some("#!/bin/sh"), "{}", path.display());
            continue;
        }
        assert_eq!(lines.next(), Some("#!/usr/bin/env bash"), "{}", path.display());
        assert!(lines.any(|line| line == "set -euo pipefail"), "{}: set -euo pipefail", path.display());
    }
    scripts.extend(entries(&workspace().join("scripts/demos")));
    let Ok(checked) = Command::new("shellcheck").args(&scripts).output() else { return };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn every_profile_is_short_enough_to_be_read_as_its_workflow() {
    for path in entries(&workspace().join("crates/config/profiles")) {
        let lines = read(&path).lines().count();
        assert!(lines <= 150, "{} has {lines} lines", path.display());
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
fn every_path_of_the_code_map_exists() {
    let map = read(&workspace().join("crates/README.md"));
    let mut missing = Vec::new();
    for word in map.split('`').skip(1).step_by(2) {
        let is_path = word.contains("/src/") || word.contains("/profiles/") || word.contains("/templates/");
        if is_path
            && !word.contains("GROUP")
            && !word.contains("NAME")
            && !workspace().join("crates").join(word).exists()
        {
            missing.push(word);
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
