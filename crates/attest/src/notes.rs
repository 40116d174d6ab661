//! Statements as git notes: one line of JSON each in the note of a commit, below `refs/notes/plantools`.
//!
//! A clone gets them with `git fetch origin 'refs/notes/plantools:refs/notes/plantools'`.

use crate::state::Stated;
use repo::git::{Call, Git};
use std::collections::{BTreeMap, HashSet};
use toolkit::Fail;
use wire::attestation::{PREDICATE, STATEMENT, Statement};

/// The reference of the notes.
pub const REF: &str = "refs/notes/plantools";
const ARG: &str = "--ref=refs/notes/plantools";

/// Adds statements to the notes of their commits; an earlier one about the same task is replaced.
pub fn add(git: &Git, stated: &[Stated]) -> Result<(), Fail> {
    let mut by_commit: BTreeMap<&str, Vec<&Statement>> = BTreeMap::new();
    for one in stated {
        by_commit.entry(&one.commit).or_default().push(&one.statement);
    }
    for (commit, new) in by_commit {
        let shown = git.ask(&Call::of(&["notes", ARG, "show", commit]))?;
        let before = if shown.status.success() {
            String::from_utf8_lossy(&shown.out).into_owned()
        } else {
            String::new()
        };
        let is_replaced = |line: &str| {
            read(line).is_some_and(|old| {
                let about = |one: &Statement| (one.predicate.plan.clone(), one.predicate.task.clone());
                new.iter().any(|one| about(one) == about(&old))
            })
        };
        let mut lines: Vec<String> =
            before.lines().filter(|line| !is_replaced(line)).map(str::to_owned).collect();
        lines.extend(new.iter().map(|one| serde_json::to_string(one).unwrap_or_default()));
        let text = lines.join("\n") + "\n";
        git.run(&Call::of(&["notes", ARG, "add", "--force", "--file=-", commit]).input(text.as_bytes()))?;
    }
    Ok(())
}

/// Every statement in the notes of commits that the checked out one contains, about this plan.
pub fn all(git: &Git, plan: &str) -> Result<Vec<Statement>, Fail> {
    let listed = git.ask(&Call::of(&["notes", ARG, "list"]))?;
    let text = String::from_utf8_lossy(&listed.out).into_owned();
    let notes: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    if !listed.status.success() || notes.is_empty() {
        return Ok(Vec::new());
    }
    let history = git.run(&Call::of(&["rev-list", "HEAD"]))?;
    let history = String::from_utf8_lossy(&history.out).into_owned();
    let history: HashSet<&str> = history.lines().collect();
    let mut out = Vec::new();
    for (note, _) in notes.into_iter().filter(|(_, commit)| history.contains(commit)) {
        let blob = git.run(&Call::of(&["cat-file", "blob", note]))?;
        let text = String::from_utf8_lossy(&blob.out).into_owned();
        out.extend(text.lines().filter_map(read).filter(|one| one.predicate.plan == plan));
    }
    Ok(out)
}

/// A statement of ours; `None` for anything else that stands in a note.
fn read(line: &str) -> Option<Statement> {
    let statement: Statement = serde_json::from_str(line).ok()?;
    (statement.kind == STATEMENT && statement.predicate_type == PREDICATE).then_some(statement)
}
