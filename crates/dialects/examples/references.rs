//! Resolves every `${todo-N.outputs.field}` in the plans below a folder and counts the results.
//!
//! `cargo run --release -p dialects --example references -- FOLDER [--each]`
//!
//! A plan is resolved with the `outputs.json` in its context folder or, if files of many projects lie side by side,
//! with the one whose name differs only in `PLAN.md`. A row holds the number of references, the number with a value,
//! and the reasons why the others have none. `--each` lists every reference. The program exits with 1 if a reference
//! has neither a value nor a reason.

use dialects::{Plan, references, value};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(top) = std::env::args_os().nth(1).map(PathBuf::from) else { return ExitCode::from(2) };
    let each = std::env::args().any(|word| word == "--each");
    let mut all = Count::default();
    let mut saved = Count::default();
    for path in files(&top) {
        let root = path.parent().unwrap_or(Path::new("."));
        let Ok(plan) = dialects::open(&path, root, None) else { continue };
        let outputs = outputs_of(&path);
        let count = count(&plan, &path, outputs.as_ref(), each);
        if outputs.is_some() {
            saved.add(&count);
        }
        all.add(&count);
    }
    let mut out = std::io::stdout().lock();
    let done =
        writeln!(out, "plans with saved outputs: {saved}").and_then(|()| writeln!(out, "all plans: {all}"));
    match done {
        Err(_) => ExitCode::from(74),
        Ok(()) => ExitCode::from(u8::from(all.silent > 0)),
    }
}

#[derive(Default)]
struct Count {
    plans: usize,
    references: usize,
    resolved: usize,
    silent: usize,
    reasons: BTreeMap<&'static str, usize>,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.plans += usize::from(other.references > 0);
        self.references += other.references;
        self.resolved += other.resolved;
        self.silent += other.silent;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} plans, {} references, {} resolved", self.plans, self.references, self.resolved)?;
        for (reason, count) in &self.reasons {
            write!(f, ", {count} {reason}")?;
        }
        Ok(())
    }
}

/// Counts each reference of each task once.
fn count(plan: &Plan, path: &Path, outputs: Option<&Value>, each: bool) -> Count {
    let bytes = std::fs::read(path).unwrap_or_default();
    let mut count = Count::default();
    for task in &plan.tasks {
        let section = String::from_utf8_lossy(dialects::body(&bytes, &task.span)).into_owned();
        let mut seen = BTreeSet::new();
        for reference in references(&section) {
            if !seen.insert(reference.whole.clone()) {
                continue;
            }
            count.references += 1;
            match value(&reference, outputs.unwrap_or(&Value::Null), plan) {
                Ok(_) => count.resolved += 1,
                Err(reason) => {
                    count.silent += usize::from(reason.is_empty());
                    *count.reasons.entry(kind(&reason)).or_default() += 1;
                    if each {
                        let _ = writeln!(
                            std::io::stdout(),
                            "{}: task {}: {}: {reason}",
                            path.display(),
                            task.id,
                            reference.whole
                        );
                    }
                }
            }
        }
    }
    count
}

/// The category of a reason, for counting.
fn kind(reason: &str) -> &'static str {
    const KINDS: [(&str, &str); 6] = [
        ("there is no task", "name no task"),
        ("is done and saved no outputs", "whose producer is done and saved nothing"),
        ("has saved no outputs yet", "whose producer is not done"),
        ("was left out", "whose producer was left out"),
        ("without a value", "saved without a value"),
        ("saved no '", "saved under no such name"),
    ];
    KINDS.iter().find(|(part, _)| reason.contains(part)).map_or("for another reason", |(_, kind)| kind)
}

/// The outputs that belong to a plan: in its context folder, or beside it under the same name.
fn outputs_of(plan: &Path) -> Option<Value> {
    let folder = plan.parent()?;
    let name = plan.file_name()?.to_str()?;
    let read = |path: PathBuf| serde_json::from_slice(&std::fs::read(path).ok()?).ok();
    if let Some(found) = read(folder.join("context/outputs.json")) {
        return Some(found);
    }
    let stem = name.strip_suffix("PLAN.md")?;
    let wanted = format!("{stem}context__outputs.json");
    if let Some(found) = read(folder.join(&wanted)) {
        return Some(found);
    }
    // `project__commit__path`: accept the same path of the same project at another commit.
    let parts = |name: &str| -> Option<(String, String)> {
        let mut parts = name.splitn(3, "__");
        let project = parts.next()?.to_owned();
        parts.next()?;
        Some((project, parts.next()?.to_owned()))
    };
    let wanted = parts(&wanted)?;
    let names =
        std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| parts(name).as_ref() == Some(&wanted)).collect();
    names.sort_unstable();
    names.last().and_then(|name| read(folder.join(name)))
}

/// Every file below a folder, sorted.
fn files(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![top.to_path_buf()];
    while let Some(path) = left.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => left.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => found.push(path),
        }
    }
    found.sort();
    found
}
