//! The task and plan of a worker, if known: from the attempt that the hook runs in, otherwise from `--plan` and the
//! worker's instructions. The worker's own words decide nothing here.

use crate::args::Args;
use crate::hook::envelope::{Envelope, Event, Sent};
use dialects::PlanSnapshot;
use ledger::Ledger;
use repo::tree::Tree;
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::lock::{self, Lock};
use toolkit::files::root::{Home, inside};
use wire::Task;
use wire::punch::{Punch, Type};

/// The worker of an attempt whose work is done in a session.
const SESSION: &str = "orchestrate";

/// The task, as in the current plan.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) task: Task,
    pub(crate) within: Within,
    /// Whether the tree is another than before the attempt.
    pub(crate) changed: bool,
}

/// Where the hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// In an attempt of `worker-run`, which guards the ledger meanwhile.
    Attempt,
    /// Anywhere else.
    Session,
}

/// The task of a worker; `None` if no plan is known. The end of a whole session belongs to no single task, unless the
/// session is an attempt.
pub(crate) fn of(args: &Args, envelope: &Envelope, home: &Home) -> Result<Option<Subject>, Fail> {
    if let Some(begun) = attempt(args, home)? {
        let dialect = begun.data.get("dialect").and_then(|name| name.as_str());
        let field = PlanSnapshot::at(&inside(home.root(), &begun.plan)?, home.root(), dialect)?;
        let task = begun.task.as_ref().zip(begun.fingerprint.as_ref());
        let task = task.and_then(|(id, fingerprint)| field.task(id, fingerprint));
        let changed = || Fail::data("plan-changed", "the task is no longer in the plan as it was handed out");
        let task = task.cloned().ok_or_else(changed)?;
        let now = Tree::now(home, &field.ground)?.map(|tree| tree.hash);
        let changed = now.is_some() && now != begun.tree;
        return Ok(Some(Subject { task, within: Within::Attempt, changed }));
    }
    let plan = args.plan.as_ref().filter(|_| !matches!(envelope.event, Event::Stop | Event::TeammateIdle));
    let Some(path) = plan else { return Ok(None) };
    let tasks = dialects::open(path, home.root(), None)?.tasks;
    let task = named(&tasks, &envelope.sent).cloned();
    if task.is_none() && envelope.event == Event::TaskCompleted {
        return Ok(None);
    }
    let task = task.ok_or_else(|| unclear(path))?;
    Ok(Some(Subject { task, within: Within::Session, changed: false }))
}

/// The record that begins the attempt that we run in, or that a session has taken. A mark without a record belongs to
/// another ledger.
fn attempt(args: &Args, home: &Home) -> Result<Option<Punch>, Fail> {
    let mark = env::get(env::ATTEMPT);
    if mark.is_none() && !args.taken {
        return Ok(None);
    }
    let records = Ledger::new(home.clone()).read()?;
    let Some(mark) = mark else { return taken(&records, home) };
    let is_ours = |record: &Punch| {
        let key = record.task.as_ref().map(|task| wire::ids::key_of(task.as_str())).unwrap_or_default();
        record.kind == Type::AttemptBegin
            && mark == format!("{}/{key}/{}", record.run, record.attempt.unwrap_or_default())
    };
    Ok(records.iter().rev().find(|record| is_ours(record)).cloned())
}

/// The attempt of a session: its worker is the relay of `orchestrate mcp`, it has not ended, and its run is alive.
fn taken(records: &[Punch], home: &Home) -> Result<Option<Punch>, Fail> {
    let begun = records.iter().rposition(|record| record.kind == Type::AttemptBegin && record.key == SESSION);
    let Some((begun, after)) = begun.and_then(|at| records.get(at..)?.split_first()) else { return Ok(None) };
    let ends = |record: &Punch| {
        record.kind == Type::AttemptEnd && record.run == begun.run && record.task == begun.task
    };
    let plan = inside(home.root(), &begun.plan)?;
    let is_alive = || Ok::<_, Fail>(Lock::take_if_free(&lock::of_run(home, &plan)?, "gate-run")?.is_none());
    Ok((!after.iter().any(ends) && is_alive()?).then(|| begun.clone()))
}

/// The only named task: by its number or title in the short description, otherwise in the prompt, which may mention
/// other tasks too.
fn named<'a>(tasks: &'a [Task], sent: &Sent) -> Option<&'a Task> {
    let by_id = |text: &str| only(tasks, |task| says_id(text, task.id.as_str()));
    let by_title = |text: &str| only(tasks, |task| text.contains(task.title.trim()));
    let (short, long) = (&sent.description, &sent.prompt);
    by_id(short).or_else(|| by_title(short)).or_else(|| by_title(long)).or_else(|| by_id(long))
}

fn only(tasks: &[Task], is: impl Fn(&Task) -> bool) -> Option<&Task> {
    let mut found = tasks.iter().filter(|task| is(task));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Whether a text contains `TODO 2`, `Task 2` or, as in the source workflow's task list, `2.1:Worker`.
fn says_id(text: &str, id: &str) -> bool {
    let forms = [format!("TODO {id}"), format!("Task {id}"), format!("{id}.1:Worker")];
    forms
        .iter()
        .any(|form| text.match_indices(form.as_str()).any(|(at, _)| stands_alone(text, at, form.len())))
}

/// Whether the match is a whole word: `TODO 1` is not in `TODO 10` or `TODO 1.a`.
fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut rest = text[at + length..].chars();
    let goes_on = match rest.next() {
        Some('.') => rest.next().is_some_and(part),
        Some(next) => part(next),
        None => false,
    };
    let before = text[..at].chars().next_back();
    !goes_on && !before.is_some_and(|c| part(c) || c == '.')
}

fn unclear(path: &Path) -> Fail {
    let message = "which of its tasks the worker was given cannot be told from how it was sent";
    Fail::data("unknown-task", message).in_file(path)
}

#[cfg(test)]
mod tests {
    use super::{named, says_id};
    use crate::hook::envelope::Sent;
    use wire::Task;

    #[test]
    fn a_number_is_a_name_of_its_own() {
        assert!(says_id("Implement: 1.1:Worker — Config setup", "1"));
        assert!(says_id("TODO 1: make it", "1") && says_id("for Task 2a.", "2a"));
        for text in ["TODO 10", "TODO 1.a", "11.1:Worker", "2.1.1:Worker", "MYTODO 1", "Task 1-b"] {
            assert!(!says_id(text, "1"), "{text}");
        }
    }

    #[test]
    fn the_short_description_comes_before_the_prompt_and_two_names_are_none() {
        let task = |id: &str, title: &str| Task { id: id.into(), title: title.into(), ..Task::default() };
        let tasks = [task("1", "Config setup"), task("2", "API")];
        let found = |description: &str, prompt: &str| {
            let sent = Sent { description: description.into(), prompt: prompt.into() };
            named(&tasks, &sent).map(|task| task.id.to_string())
        };
        assert_eq!(found("Implement: 2.1:Worker — API", "TODO 1 is done"), Some("2".to_owned()));
        assert_eq!(found("do it", "## TASK\nConfig setup\nafter that comes TODO 2"), Some("1".to_owned()));
        assert_eq!(found("do it", "TODO 1 and TODO 2"), None);
        assert_eq!(found("", ""), None);
    }
}
