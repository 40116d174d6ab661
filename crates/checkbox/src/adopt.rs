//! `checkbox adopt`: write tried suggestions below their tasks, in the form of the plan's dialect.
//!
//! A check is written only if the plan, read again with it, has exactly this check more and everything else as it was. Every
//! adoption is on record with its bytes, so that `--undo` puts the plan back byte for byte, the last adoption first.

mod ask;
mod read_back;
mod undo;

pub(crate) use crate::adopt::undo::undo;

use crate::adopt::ask::{Answer, Terminal};
use crate::plan_file::PlanFile;
use dialects::PlanSnapshot;
use dialects::write::{self, Edit, NewCheck};
use ledger::pins::{ADOPT, PLAN_AFTER, PLAN_BEFORE};
use ledger::{Entry, Ledger};
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toolkit::cli::clock::RunArgs;
use toolkit::cli::env;
use toolkit::cli::tool::note;
use toolkit::files::root::{Home, inside};
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::stream::suggestions::{Item, Suggestions};
use toolkit::{Exit, Fail};
use wire::plan::clause;
use wire::plan::suggestion::{Kind, Origin, Suggestion};
use wire::punch::{SourceKind, Trust, Type};
use wire::{End, Fingerprint, Task};

/// Which suggestions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Adopt {
    /// Those that a person takes, one by one.
    Ask,
    /// Every one that is fit.
    All,
    /// Every fit one that was derived without an agent.
    Suggested,
    /// None; they are only listed.
    None,
}

/// What became of the suggestions.
#[derive(Debug, Default)]
struct Tally {
    adopted: usize,
    tasks: usize,
    declined: usize,
    edited: usize,
    refused: Vec<String>,
}

/// Adopts the suggestions of a stream; the suggestions of one task go into the plan together.
pub(crate) fn run(file: Option<&Path>, adopt: Adopt, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    refuse_inside_attempt()?;
    let mut terminal = if adopt == Adopt::Ask { Some(Terminal::open()?) } else { None };
    let (groups, end) = read(file)?;
    let mut tally = Tally::default();
    let mut moved: HashMap<String, String> = HashMap::new();
    for mut group in groups {
        for one in &mut group {
            // A check that was adopted a moment ago may have changed the text of this task too, as a new column does.
            while let Some(new) = moved.get(&one.fingerprint.0) {
                one.fingerprint.0.clone_from(new);
            }
        }
        let mut taken = Vec::new();
        for (index, one) in group.iter_mut().enumerate() {
            match decide(one, adopt, terminal.as_mut())? {
                Choice::Take => taken.push(index),
                Choice::Leave => {
                    one.adopted = Some(false);
                    tally.declined += 1;
                }
                Choice::TryAgain => tally.edited += 1,
                Choice::Refuse(why) => {
                    one.adopted = Some(false);
                    tally.refused.push(format!("{} {}: {why}", one.task, one.check));
                }
            }
        }
        if !taken.is_empty() {
            let chosen: Vec<&Suggestion> = taken.iter().filter_map(|index| group.get(*index)).collect();
            let written = write_checks(&chosen, run);
            let is_written = match written {
                Ok(changed) => {
                    moved.extend(changed.into_iter().map(|(old, new)| (old.0, new.0)));
                    true
                }
                Err(fail) if fail.exit == Exit::Data || fail.exit == Exit::No => {
                    tally.refused.push(format!("{}: {} ({})", chosen[0].task, fail.message, fail.code));
                    false
                }
                Err(fail) => return Err(fail),
            };
            if is_written {
                tally.adopted += taken.len();
                tally.tasks += 1;
            }
            for index in &taken {
                if let Some(one) = group.get_mut(*index) {
                    one.adopted = Some(is_written);
                }
            }
        }
        for one in &mut group {
            // An edited check comes back once it is tried: it belongs to the task as it is now.
            if one.adopted.is_none()
                && let Some(new) = moved.get(&one.fingerprint.0)
            {
                one.fingerprint.0.clone_from(new);
            }
            out.document(one, false)?;
        }
    }
    if let Some(end) = end {
        out.document(&end, false)?;
    }
    tell(&tally);
    Ok(if terminal.is_some_and(|terminal| terminal.is_stopped) { Exit::No } else { Exit::Ok })
}

pub(crate) fn refuse_inside_attempt() -> Result<(), Fail> {
    if env::is_inside_attempt() {
        let message = "is for a person; a worker or a check does not decide by hand";
        return Err(Fail::new(Exit::No, "inside-attempt", message));
    }
    Ok(())
}

/// The suggestions, those of one task together, in the order of the stream.
fn read(file: Option<&Path>) -> Result<(Vec<Vec<Suggestion>>, Option<End>), Fail> {
    let mut stream = Suggestions::new(Input::open(file)?);
    let (mut groups, mut last): (Vec<Vec<Suggestion>>, Option<End>) = (Vec::new(), None);
    while let Some(item) = stream.read()? {
        match item {
            Item::Suggestion(one) => {
                let same = |group: &&mut Vec<Suggestion>| {
                    group.first().is_some_and(|known| {
                        known.task == one.task
                            && known.plan.path == one.plan.path
                            && known.plan.root == one.plan.root
                    })
                };
                match groups.iter_mut().find(same) {
                    Some(group) => group.push(*one),
                    None => groups.push(vec![*one]),
                }
            }
            Item::Order(_) => {
                let message = "an order is no suggestion: pipe it through 'gate-run try'";
                return Err(Fail::data("wrong-schema", message));
            }
            Item::End(end) => {
                last = Some(end);
                break;
            }
        }
    }
    Ok((groups, last))
}

enum Choice {
    Take,
    Leave,
    /// A person wrote another check, which was not tried.
    TryAgain,
    Refuse(String),
}

/// Whether a suggestion is written; an answer may change its check.
fn decide(one: &mut Suggestion, adopt: Adopt, terminal: Option<&mut Terminal>) -> Result<Choice, Fail> {
    let Some(trial) = &one.trial else {
        return Ok(Choice::Refuse("not tried: pipe it through 'gate-run try'".to_owned()));
    };
    if !trial.fit {
        return Ok(Choice::Refuse(format!("{} ({})", trial.message, trial.code)));
    }
    let take = match (adopt, terminal) {
        (Adopt::Ask, Some(terminal)) => match terminal.ask(one)? {
            Answer::Yes => true,
            Answer::No => false,
            Answer::Edited(check) => {
                one.check = check;
                let Some((command, clauses)) = read_back::read_check(&one.check) else {
                    return Ok(Choice::Refuse("the edited check is not legal".to_owned()));
                };
                (one.command, one.clauses, one.trial) = (command, clauses, None);
                return Ok(Choice::TryAgain);
            }
        },
        (Adopt::All, _) => true,
        (Adopt::Suggested, _) => one.origin == Origin::Suggested,
        (Adopt::None | Adopt::Ask, _) => false,
    };
    Ok(if take { Choice::Take } else { Choice::Leave })
}

/// Writes checks of one task into its plan, with a record; the fingerprints that this changes, before and after.
fn write_checks(chosen: &[&Suggestion], run: &RunArgs) -> Result<Vec<(Fingerprint, Fingerprint)>, Fail> {
    let Some(first) = chosen.first() else { return Ok(Vec::new()) };
    let root = PathBuf::from(&first.plan.root);
    let home = Home::of(&root)?;
    let path = inside(&root, &first.plan.path)?;
    let mut file = PlanFile::lock(&home, &path, Some(&first.plan.dialect))?;
    if file.field.plan.tasks.iter().any(|task| task.detail.is_some()) {
        file.field = PlanSnapshot::with_task(&first.plan, &first.task)?;
    }
    let task = task_of(&file, first)?;
    let texts: Vec<(String, &Suggestion)> = chosen.iter().map(|one| (expected(one), *one)).collect();
    let ways = ways(&file, &task, &texts)?;
    let before = file.field.blanked();
    let written = read_back::first_that_holds(&mut file, &task, chosen, ways)?;
    let Some((edits, after)) = written else {
        let message = format!(
            "no form of the dialect '{}' for checks is read back as this check of task '{}': write it below the task by hand",
            file.field.plan.source.dialect, task.id
        );
        return Err(Fail::data("cannot-adopt", message));
    };
    let checks: Vec<_> = chosen
        .iter()
        .map(|one| {
            json!({ "check": one.check, "command": one.command, "clauses": one.clauses, "origin": one.origin,
                "kind": one.kind, "reason": one.reason, "trial": one.trial })
        })
        .collect();
    let clock = run.clock()?;
    let entry = Entry {
        plan: file.field.plan.source.path.clone(),
        task: Some(task.id.clone()),
        fingerprint: Some(after.fingerprint.clone()),
        source: SourceKind::Human,
        trust: Trust::Typed,
        data: json!({ "checks": checks, "edits": edits, PLAN_BEFORE: before, PLAN_AFTER: after.blanked }),
        ..Entry::new(run.run_id(&clock)?, Type::Override, ADOPT.to_owned(), clock.now())
    };
    Ledger::new(home).append(entry)?;
    Ok(after.moved)
}

/// The task of a suggestion, if it has not changed since.
fn task_of(file: &PlanFile, one: &Suggestion) -> Result<Task, Fail> {
    let found = file.field.plan.tasks.iter().find(|task| task.id == one.task);
    let Some(task) = found else {
        return Err(Fail::data("no-such-task", format!("the plan has no task '{}'", one.task)));
    };
    let is_same =
        one.fingerprint.0.is_empty() || task.fingerprint == one.fingerprint || task.detail.is_some();
    if !is_same {
        let message = format!("task '{}' changed after the check was suggested: suggest again", one.task);
        return Err(Fail::data("task-changed", message));
    }
    Ok(task.clone())
}

/// The clauses of a check as a text; empty where they are exit 0.
fn expected(one: &Suggestion) -> String {
    if one.clauses.is_empty() { String::new() } else { clause::text(&one.clauses) }
}

/// The edits to try, the usual form first. The legal form of an unclear check takes the place of its bytes.
fn ways(file: &PlanFile, task: &Task, texts: &[(String, &Suggestion)]) -> Result<Vec<Vec<Edit>>, Fail> {
    let rewrite = |one: &Suggestion| {
        let unclear = task.criteria.iter().filter_map(|criterion| criterion.unclear.as_ref());
        let mut same = unclear.filter(|unclear| unclear.rewrite.as_deref() == Some(&one.check));
        let span = &same.next()?.span;
        let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        Some(Edit {
            path: span.path.to_string(),
            start: offset(span.start),
            end: offset(span.end),
            text: one.check.clone(),
        })
    };
    let replaced: Vec<Edit> = texts
        .iter()
        .filter(|(_, one)| one.kind == Kind::Rewrite)
        .filter_map(|(_, one)| rewrite(one))
        .collect();
    let added: Vec<NewCheck<'_>> = texts
        .iter()
        .filter(|(_, one)| one.kind != Kind::Rewrite)
        .map(|(expected, one)| NewCheck { text: &one.check, command: &one.command, expected })
        .collect();
    if added.is_empty() {
        return Ok(vec![replaced]);
    }
    let mut ways = write::new_checks(&file.field, task, &added)?;
    for way in &mut ways {
        way.extend(replaced.iter().cloned());
    }
    Ok(ways)
}

fn tell(tally: &Tally) {
    for refused in &tally.refused {
        note(&format!("checkbox: not adopted: {refused}"));
    }
    let count = |number: usize, what: &str| {
        if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
    };
    let left = if tally.declined > 0 { format!(", {} not taken", tally.declined) } else { String::new() };
    let refused =
        if tally.refused.is_empty() { String::new() } else { format!(", {} refused", tally.refused.len()) };
    let edited =
        if tally.edited > 0 { format!(", {} edited and to be tried", tally.edited) } else { String::new() };
    note(&format!(
        "checkbox: adopted {} for {}{left}{edited}{refused}",
        count(tally.adopted, "check"),
        count(tally.tasks, "task")
    ));
}
