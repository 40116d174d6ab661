//! Reads every file and folder below a folder as a plan and prints counts, one row for each dialect.
//!
//! `cargo run --release -p dialects --example corpus -- FOLDER [--lost] [--checks]`
//!
//! A row holds the folder, the dialect (or the error), and the number of files, tasks, edges, criteria (runnable,
//! left to a person, unclear), unaccounted lines that look like tasks, panics, and diagnostics by code. `--lost`
//! prints the unaccounted lines, `--checks` each criterion with a command and how it is read. Below the rows follow the totals of the criteria and a comparison of consecutive
//! versions of the same plan. The program exits with 1 on a panic, on an unaccounted line, on a command that still
//! contains a comparison, or if two versions that differ only in boxes give plans that differ in anything but those
//! states.

mod clarity;
mod series;

use clarity::Clarity;
use dialects::{Taken, explain, unchecked};
use markdown::{Outline, Text};
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wire::Plan;

fn main() -> ExitCode {
    let Some(top) = std::env::args_os().nth(1).map(PathBuf::from) else { return ExitCode::from(2) };
    let name_lost = std::env::args().any(|word| word == "--lost");
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut clarity = Clarity::default();
    std::panic::set_hook(Box::new(|_| {}));
    let plans = plans(&top);
    for path in &plans {
        let seen = path.strip_prefix(&top).unwrap_or(path);
        let folder = seen.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let (taken_as, row) = catch_unwind(AssertUnwindSafe(|| one(path, name_lost, &mut clarity)))
            .unwrap_or_else(|_| ("panic".to_owned(), Row { panics: 1, ..Row::default() }));
        rows.entry((folder, taken_as)).or_default().add(row);
    }
    let series = series::compare(&plans);
    let sum = |of: fn(&Row) -> usize| rows.values().map(of).sum::<usize>();
    let wrong = sum(|row| row.lost) + sum(|row| row.panics) + sum(|row| row.uncut) + series.wrong.len();
    let told = print(&rows).and_then(|()| {
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "criteria: {} runnable, {} prose, {} unclear; commands with a comparison left in them: {}",
            sum(|row| row.runnable),
            sum(|row| row.prose),
            sum(|row| row.unclear),
            sum(|row| row.uncut)
        )?;
        writeln!(
            out,
            "versions: {} pairs differ in {} boxes and in {} states; wrong: {}",
            series.pairs,
            series.boxes,
            series.states,
            series.wrong.len()
        )?;
        series.wrong.iter().try_for_each(|pair| writeln!(out, "  {pair}"))?;
        clarity.print(&mut out)
    });
    match told {
        Err(_) => ExitCode::from(74),
        Ok(()) => ExitCode::from(u8::from(wrong > 0)),
    }
}

#[derive(Default)]
struct Row {
    files: usize,
    tasks: usize,
    edges: usize,
    runnable: usize,
    prose: usize,
    unclear: usize,
    uncut: usize,
    lost: usize,
    panics: usize,
    codes: BTreeMap<String, usize>,
}

impl Row {
    fn add(&mut self, other: Row) {
        self.files += 1;
        self.tasks += other.tasks;
        self.edges += other.edges;
        self.runnable += other.runnable;
        self.prose += other.prose;
        self.unclear += other.unclear;
        self.uncut += other.uncut;
        self.lost += other.lost;
        self.panics += other.panics;
        for (code, count) in other.codes {
            *self.codes.entry(code).or_default() += count;
        }
    }
}

/// Reads one file or folder: its dialect or error, and its counts.
fn one(path: &Path, name_lost: bool, clarity: &mut Clarity) -> (String, Row) {
    let root = path.parent().unwrap_or(Path::new("."));
    match dialects::open(path, root, None) {
        Ok(plan) => {
            clarity.add(&path.to_string_lossy(), &plan, std::env::args().any(|word| word == "--checks"));
            (plan.source.dialect.clone(), count(&plan, root, name_lost))
        }
        Err(fail) => {
            let mut row = Row::default();
            // A plan without a task still has an account for each line.
            if let (Some(name), Ok(bytes)) = (path.file_name(), std::fs::read(path))
                && let Ok(plan) = unchecked(&Text { path: &name.to_string_lossy(), bytes: &bytes }, None)
            {
                row.lost = lost(&plan, root, name_lost);
            }
            (format!("({})", fail.code), row)
        }
    }
}

fn count(plan: &Plan, root: &Path, name_lost: bool) -> Row {
    let criteria = || plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates);
    let mut row = Row { tasks: plan.tasks.len(), lost: lost(plan, root, name_lost), ..Row::default() };
    row.edges = plan.tasks.iter().map(|task| task.depends_on.len()).sum();
    row.runnable = criteria().filter(|c| c.runnable).count();
    row.unclear = criteria().filter(|c| c.unclear.is_some()).count();
    row.uncut = criteria().filter(|c| c.command.as_deref().is_some_and(compares)).count();
    row.prose = criteria().count() - row.runnable - row.unclear;
    for found in &plan.diagnostics {
        *row.codes.entry(found.code.clone()).or_default() += 1;
    }
    row
}

/// Whether a command ends in a comparison or has an arrow; both belong to its expectation.
fn compares(command: &str) -> bool {
    let mut words = command.split_whitespace().rev();
    let number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let compared = number && words.next().is_some_and(|word| SIGNS.contains(&word));
    compared || ["→", "⇒", "➜"].iter().any(|arrow| command.contains(arrow))
}

const SIGNS: &[&str] = &[">=", "<=", "==", "!=", "≥", "≤", "≠", ">", "<"];

/// The number of lines that look like tasks and that nothing accounts for.
fn lost(plan: &Plan, root: &Path, name: bool) -> usize {
    let markdown =
        plan.source.files.iter().filter(|file| {
            Path::new(&file.path).extension().is_some_and(|own| own.eq_ignore_ascii_case("md"))
        });
    let accounts = markdown.flat_map(|file| {
        let bytes = std::fs::read(root.join(&file.path)).unwrap_or_default();
        let accounts = explain(&Outline::new(&Text { path: &file.path, bytes: &bytes }), plan);
        let lost = accounts.into_iter().filter(|account| account.taken == Taken::Unknown);
        let lost: Vec<_> =
            lost.map(|account| format!("{}:{}: {}", file.path, account.line, account.text)).collect();
        lost
    });
    let lost: Vec<_> = accounts.collect();
    for line in lost.iter().filter(|_| name) {
        let _ = writeln!(std::io::stdout(), "{line}");
    }
    lost.len()
}

fn print(rows: &BTreeMap<(String, String), Row>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:<14}{:<22}{:>6}{:>7}{:>7}{:>9}{:>7}{:>8}{:>6}{:>7}  diagnostics",
        "corpus", "read as", "files", "tasks", "edges", "runnable", "prose", "unclear", "lost", "panics"
    )?;
    for ((folder, taken_as), row) in rows {
        let codes: Vec<_> = row.codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        writeln!(
            out,
            "{folder:<14}{taken_as:<22}{:>6}{:>7}{:>7}{:>9}{:>7}{:>8}{:>6}{:>7}  {}",
            row.files,
            row.tasks,
            row.edges,
            row.runnable,
            row.prose,
            row.unclear,
            row.lost,
            row.panics,
            codes.join(", ")
        )?;
    }
    Ok(())
}

/// Every file below a folder, and every folder that is a plan itself, sorted.
fn plans(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![top.to_path_buf()];
    while let Some(path) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&path) else {
            found.push(path);
            continue;
        };
        left.extend(entries.flatten().map(|entry| entry.path()));
        let root = path.parent().unwrap_or(Path::new("."));
        if path != top && dialects::open(&path, root, None).is_ok() {
            found.push(path);
        }
    }
    found.sort();
    found
}
