//! The prompt for the agent that proposes checks for a task: what the repository shows, the grammar, and the form of the answer.

use crate::case::Case;
use crate::prompt::block::{Block, Keep};
use crate::prompt::quote::{code, line};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use checks::examples::CLAUSES;
use repo::git::{Call, Git};
use std::collections::BTreeMap;
use toolkit::Fail;
use toolkit::files::root::{Home, has_git};

/// The most files that are listed by name; more are counted by folder.
const LISTED: usize = 150;

/// Files that say how a project is built and tested.
#[rustfmt::skip]
const MANIFESTS: &[&str] = &[
    "package.json", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "Cargo.toml", "go.mod", "Makefile", "justfile",
    "pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "mix.exs", "pubspec.yaml", "Package.swift",
];

/// Adds what the request for checks needs.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    slots.block(Block::parts("repository", rank::LISTS, repository(case)?).in_file(case.packet_path()));
    let grammar = CLAUSES
        .iter()
        .map(|clause| format!("- {}: {}. Example: {}", code(clause.form), clause.meaning, clause.check));
    slots.block(Block::parts("grammar", rank::NEEDED, grammar.collect()).in_file(case.packet_path()));
    let example = serde_json::json!({
        "status": "SUCCESS",
        "summary": "one sentence",
        "outputs": {
            "checks": [
                { "check": "`python3 -m pytest -q tests/test_cart.py` → tests pass", "reason": "the task writes these tests" },
                { "check": "`python3 -m shop.cart --total 2 3` → `5`", "reason": "the task makes this command" },
            ],
            "none": "",
        },
    });
    let example = serde_json::to_string_pretty(&example).unwrap_or_default();
    slots.block(Block::fence("check_answer", rank::NEEDED, "json", &example, Keep::Head));
    Ok(())
}

/// What the repository shows: its manifests, its gates, and its files.
fn repository(case: &Case<'_>) -> Result<Vec<String>, Fail> {
    let mut rows = Vec::new();
    let there: Vec<String> =
        MANIFESTS.iter().filter(|name| case.is_there(name)).map(|name| code(name)).collect();
    if !there.is_empty() {
        rows.push(format!("- built and tested as these say: {}", there.join(", ")));
    }
    for gate in &case.config.gates {
        rows.push(format!("- gate {}: {}", code(&gate.id), code(&line(&gate.invocation))));
    }
    if !has_git(case.root) {
        return Ok(rows);
    }
    let git = Git::new(Home::of(case.root)?);
    let listed = git.run(&Call::of(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?.out;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let files: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    if files.is_empty() {
        rows.push("- it has no files yet".to_owned());
    } else if files.len() <= LISTED {
        rows.extend(files.iter().map(|path| format!("- {}", code(path))));
    } else {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for path in &files {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            *folders.entry(folder).or_default() += 1;
        }
        let row = |(folder, count): (&str, usize)| {
            let name =
                if folder.is_empty() { "the top folder".to_owned() } else { code(&format!("{folder}/")) };
            format!("- {name}: {count} files")
        };
        rows.extend(folders.into_iter().take(LISTED).map(row));
    }
    Ok(rows)
}
