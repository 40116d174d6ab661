//! `checkbox fix`: make unclear checks clear, group by group, and change nothing but their bytes.
//!
//! A rewrite is made only if the plan, read again with it, has one unclear check less and the same tasks. A guess is made
//! only on a person's yes; without one, only what the table of synonyms makes equal.

mod synonym_row;

use crate::args::PlanArgs;
use crate::plan_file::PlanFile;
use dialects::write::Edit;
use std::io::{BufRead, IsTerminal};
use toolkit::cli::env;
use toolkit::cli::tool::note;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Plan;
use wire::plan::Unclear;

/// How the offers are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taking {
    /// A person is asked, group by group.
    Ask,
    /// Those that the table makes equal.
    Equal,
    /// None: all offers are printed as a patch.
    Print,
    /// None: those that the table makes equal are printed as a patch.
    PrintEqual,
}

/// Unclear checks that need the same answer.
struct Group {
    name: String,
    members: Vec<Unclear>,
}

/// Makes unclear checks clear; exit 5 if some are left.
pub(crate) fn run(args: &PlanArgs, taking: Taking, out: &mut Output) -> Result<Exit, Fail> {
    if env::is_inside_attempt() {
        let message = "is for a person; a worker or a check does not decide by hand";
        return Err(Fail::new(Exit::No, "inside-attempt", message));
    }
    if taking == Taking::Ask && !std::io::stdin().is_terminal() {
        return Err(Fail::usage("no terminal to ask on: name '--all' or '--print'"));
    }
    let path = args.path()?;
    let home = Home::of(&root::find(path)?)?;
    let mut file = PlanFile::lock(&home, path, args.dialect.as_deref())?;
    let groups = groups(&file.field.plan);
    let mut stdin = std::io::stdin().lock();
    let mut edits: Vec<Edit> = Vec::new();
    for group in &groups {
        let offered: Vec<Edit> = offers(&file, group, taking)?;
        if offered.is_empty() {
            continue;
        }
        let taken = match taking {
            Taking::Ask => ask(&home, &file, group, &offered, &mut stdin)?,
            Taking::Equal | Taking::Print | Taking::PrintEqual => Answer::Yes,
        };
        match taken {
            Answer::Yes => edits.extend(offered),
            Answer::Clauses(own) => edits.extend(own),
            Answer::No => {}
            Answer::Quit => break,
        }
    }
    if matches!(taking, Taking::Print | Taking::PrintEqual) {
        let diff = file.preview(&edits)?;
        if std::io::stdout().is_terminal() {
            out.shown(&String::from_utf8_lossy(&diff))?;
        } else {
            out.bytes(&diff)?;
        }
        return Ok(Exit::Ok);
    }
    file.set(&edits)?;
    let all = groups.iter().map(|group| group.members.len()).sum::<usize>();
    let left = all.saturating_sub(edits.len());
    if all == 0 {
        return Ok(Exit::Ok);
    }
    note(&format!("checkbox: {} of {all} unclear checks rewritten, {left} left", edits.len()));
    Ok(if left == 0 { Exit::Ok } else { Exit::Stuck })
}

/// The unclear checks of a plan by the answer that they need, in the order of the document.
fn groups(plan: &Plan) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for found in dialects::unclear(plan) {
        let unclear = found.unclear.clone();
        match groups.iter_mut().find(|group| group.name == unclear.group) {
            Some(group) => group.members.push(unclear),
            None => groups.push(Group { name: unclear.group.clone(), members: vec![unclear] }),
        }
    }
    groups
}

/// The edits of a group that are offered and that make their check clear.
fn offers(file: &PlanFile, group: &Group, taking: Taking) -> Result<Vec<Edit>, Fail> {
    let equal = matches!(taking, Taking::Equal | Taking::PrintEqual);
    let mut edits = Vec::new();
    for member in group.members.iter().filter(|member| member.equal || !equal) {
        let Some(rewrite) = &member.rewrite else { continue };
        let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let edit = Edit {
            path: member.span.path.to_string(),
            start: offset(member.span.start),
            end: offset(member.span.end),
            text: written(&member.span.path, rewrite),
        };
        if makes_clear(file, &edit)? {
            edits.push(edit);
        }
    }
    Ok(edits)
}

/// A text as the file has it: JSON escapes what it must.
fn written(path: &str, text: &str) -> String {
    let is_json = [".json", ".jsonl"].iter().any(|end| path.to_lowercase().ends_with(end));
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    if is_json { quoted.trim_matches('"').to_owned() } else { text.to_owned() }
}

/// Whether the plan with this edit has one unclear check less and the same tasks.
fn makes_clear(file: &PlanFile, edit: &Edit) -> Result<bool, Fail> {
    let before = &file.field.plan;
    let Some((after, _)) = file.after(std::slice::from_ref(edit))? else {
        // A plan of several files is read as a whole only from its folder.
        return Ok(true);
    };
    let names = |plan: &Plan| -> Vec<String> { plan.tasks.iter().map(|task| task.id.to_string()).collect() };
    let fewer = dialects::unclear(&after).len() < dialects::unclear(before).len();
    Ok(fewer && names(before) == names(&after))
}

/// An answer of a person.
enum Answer {
    Yes,
    No,
    /// These clauses, for each check of the group.
    Clauses(Vec<Edit>),
    Quit,
}

/// Shows a group and asks whether its rewrites are meant.
fn ask(
    home: &Home,
    file: &PlanFile,
    group: &Group,
    edits: &[Edit],
    answers: &mut impl BufRead,
) -> Result<Answer, Fail> {
    let count = if edits.len() == 1 { "1 check".to_owned() } else { format!("{} checks", edits.len()) };
    note(&format!("{count}: {}", group.name));
    for member in group.members.iter().filter(|member| member.rewrite.is_some()).take(SHOWN) {
        note(&format!("  line {}: {}", member.span.line, member.message));
        note(&format!("    write: {}", member.rewrite.as_deref().unwrap_or_default()));
    }
    let row = synonym_row::of(&group.name);
    let with_row = if row.is_some() { ", s: add to [checks.synonyms]" } else { "" };
    loop {
        note(&format!("take it? y: yes, n: no, c CLAUSES: write these instead{with_row}, q: stop"));
        let mut line = String::new();
        let read = answers.read_line(&mut line).map_err(|e| Fail::io(std::path::Path::new("-"), &e))?;
        match (line.trim(), &row) {
            _ if read == 0 => return Ok(Answer::Quit),
            ("y" | "yes", _) => return Ok(Answer::Yes),
            ("n" | "no", _) => return Ok(Answer::No),
            ("q" | "quit", _) => return Ok(Answer::Quit),
            (line, _) if line.starts_with("c ") => {
                let own = stated(file, edits, line.trim_start_matches("c ").trim())?;
                if own.len() == edits.len() {
                    return Ok(Answer::Clauses(own));
                }
                note("these are no clauses of plantools-checks(7) for all checks of the group");
            }
            ("s", Some(row)) => {
                synonym_row::add(home, row)?;
                return Ok(Answer::No);
            }
            _ => {}
        }
    }
}

/// The edits with these clauses behind the arrow instead of those that are offered, as far as they make a check clear.
fn stated(file: &PlanFile, edits: &[Edit], clauses: &str) -> Result<Vec<Edit>, Fail> {
    let mut own = Vec::new();
    for edit in edits {
        let Some((before, _)) = edit.text.rsplit_once(" → ").or_else(|| edit.text.split_once(": ")) else {
            continue;
        };
        let joint = if before.ends_with("Expected") { ": " } else { " → " };
        let edit = Edit { text: format!("{before}{joint}{clauses}"), ..edit.clone() };
        if makes_clear(file, &edit)? {
            own.push(edit);
        }
    }
    Ok(own)
}

/// How many checks of a group are shown.
const SHOWN: usize = 3;
