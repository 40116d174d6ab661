//! `TODO_LIST.md`: the tasks, their marks, and the boxes that are not tasks.
//!
//! A list without any ids is read as a plain checklist, with a warning.

pub(crate) mod chain;
pub(crate) mod depends;
pub(crate) mod entry;
pub(crate) mod field;
pub(crate) mod id;
pub(crate) mod notes;
pub(crate) mod repeated_ids;

use crate::formats::workflows::workflow::list::entry::{Entry, Form};
use crate::formats::workflows::workflow::list::field::{LabelledLine, Name};
use crate::states::legend::Legend;

use crate::Plan;
use crate::criteria::locate::{self, Purpose};
use crate::lists::boxed;
use crate::states::decoration;
use markdown::{Extent, Outline, Veil, links};
use std::collections::HashSet;
use wire::plan::{Diagnostic, FileUse, Kind, Phase, Severity};
use wire::{State, Task, TaskId, ids};

/// A list as read: one entry with its fields for each task of the plan.
pub(crate) struct List {
    pub(crate) entries: Vec<Entry>,
    pub(crate) fields: Vec<Vec<LabelledLine>>,
}

/// Reads the list into the plan. Dependencies and fingerprints come later.
pub(crate) fn read(outline: &Outline, prefixes: &[String], plan: &mut Plan) -> List {
    plan.title = title(outline);
    let (entries, again) = repeated_ids::sort(outline, entry::find(outline, prefixes), plan);
    hidden(outline, prefixes, plan);
    if entries.is_empty() {
        without_ids(outline, plan);
        return List { entries, fields: Vec::new() };
    }
    let legend = Legend::new(outline);
    let fields: Vec<_> = entries.iter().enumerate().map(|(n, _)| fields(outline, &entries, n)).collect();
    let mut seen = HashSet::new();
    for (number, (entry, fields)) in entries.iter().zip(&fields).enumerate() {
        let mut task = task(outline, &legend, entry, fields, &entries, &mut seen, plan);
        checks(outline, Extent { start: entry.line.end, end: own(&entries, number).end }, &mut task);
        plan.tasks.push(task);
    }
    notes::read(outline, &entries, &again, plan);
    settle(outline, &entries, plan);
    List { entries, fields }
}

/// The text of an entry itself, up to the first entry inside it.
pub(crate) fn own(entries: &[Entry], number: usize) -> Extent {
    let Some(entry) = entries.get(number) else { return Extent::default() };
    let next = entries.get(number + 1).filter(|next| next.at.start < entry.at.end);
    Extent { start: entry.at.start, end: next.map_or(entry.at.end, |next| next.at.start) }
}

fn title(outline: &Outline) -> String {
    let title = markdown::outline::title(outline);
    match title.split_once([':', '：']) {
        Some((head, rest))
            if matches!(head.trim(), "Tasks" | "Task Progress List" | "TODO List" | "任务") =>
        {
            rest.trim().to_owned()
        }
        _ => title,
    }
}

fn hidden(outline: &Outline, prefixes: &[String], plan: &mut Plan) {
    for (at, veil) in entry::hidden(outline, prefixes) {
        let (code, what) = match veil {
            Veil::Fence | Veil::Indented => ("task-in-code", "code"),
            Veil::Html => ("task-in-comment", "a comment"),
            Veil::Quote => ("task-in-quote", "a block quote"),
        };
        let message = format!("a box with an id in {what} is not a task");
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, code, message, at.start));
    }
}

fn without_ids(outline: &Outline, plan: &mut Plan) {
    let read = boxed::read(outline);
    if let Some(first) = read.tasks.first() {
        let message = "no box has a task id: each is known by its place in the list".to_owned();
        let offset = usize::try_from(first.span.start).unwrap_or_default();
        plan.diagnostics.push(outline.diagnostic(Severity::Warning, "list-without-ids", message, offset));
    }
    plan.tasks = read.tasks;
    plan.diagnostics.extend(read.diagnostics);
}

fn fields(outline: &Outline, entries: &[Entry], number: usize) -> Vec<LabelledLine> {
    let own = own(entries, number);
    let start = entries.get(number).map_or(own.end, |entry| entry.line.end.min(own.end));
    field::fields(outline, Extent { start, end: own.end })
}

fn task(
    outline: &Outline,
    legend: &Legend,
    entry: &Entry,
    fields: &[LabelledLine],
    entries: &[Entry],
    seen: &mut HashSet<String>,
    plan: &mut Plan,
) -> Task {
    let place = entry.mark.map_or(entry.line.start, |mark| mark.start);
    let mut task = Task {
        id: TaskId(entry.id.clone()),
        key: ids::key_of(&entry.id),
        title: name(outline, entry),
        state_from: Some(outline.place(place)),
        parent: entry.parent.and_then(|at| entries.get(at)).map(|outer| TaskId(outer.id.clone())),
        phase: phase(outline, entry, seen, &mut plan.phases),
        span: outline.span(outline.trimmed(entry.at)),
        mark: entry.mark.map(|mark| outline.span(mark)),
        ..Task::default()
    };
    if let Some(mark) = entry.mark {
        task.state = state(outline, legend, mark, &mut plan.diagnostics);
    }
    for field in fields {
        take(outline, *field, &mut task);
    }
    for found in outline.str(entry.line).split_whitespace().filter(|word| word.starts_with('@')) {
        task.agent.get_or_insert_with(|| found.trim_end_matches([',', '.', ')']).to_owned());
    }
    task
}

/// The checks in the text of an entry; its boxes are notes.
fn checks(outline: &Outline, at: Extent, task: &mut Task) {
    let at = Extent { start: at.start.min(at.end), end: at.end };
    let boxes = locate::boxes_in(outline, at);
    locate::add(task, "acceptance", locate::find(outline, at, Purpose::Work, &boxes));
}

/// The name without links, completion notes and inline dependencies.
fn name(outline: &Outline, entry: &Entry) -> String {
    let shown = outline.shown(entry.name);
    let mut bare = shown.trim();
    while let Some((rest, _)) = bare.rsplit_once(' ').filter(|(_, last)| last.starts_with('@')) {
        bare = rest.trim_end();
    }
    let mut name = decoration::without(bare).into_owned();
    for sign in
        ["（depends_on", "(depends_on", "[depends_on", "(depends:", "[depends:", "(depends on", "[depends on"]
    {
        if let Some(at) = name.find(sign) {
            name.truncate(at);
        }
    }
    name.trim().to_owned()
}

fn state(outline: &Outline, legend: &Legend, mark: Extent, diagnostics: &mut Vec<Diagnostic>) -> State {
    legend.state(outline.str(mark)).unwrap_or_else(|| {
        let message = format!("unknown mark '{}' is taken as not done", outline.shown(mark));
        diagnostics.push(outline.diagnostic(Severity::Warning, "unknown-mark", message, mark.start));
        State::Pending
    })
}

/// The heading above a task is its phase; a heading that is itself a task is its parent instead.
fn phase(
    outline: &Outline,
    entry: &Entry,
    seen: &mut HashSet<String>,
    phases: &mut Vec<Phase>,
) -> Option<String> {
    let heading = outline.headings.get(entry.phase?).filter(|heading| heading.level > 1)?;
    let title = outline.shown(heading.at).trim_matches(['#', ' ', '\t']).to_owned();
    let title = decoration::without(&title).into_owned();
    let id = title.split(['(', '（']).next().unwrap_or_default().trim().to_owned();
    let id = if id.is_empty() { title.clone() } else { id };
    if seen.insert(id.clone()) {
        let lower = title.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let strategy = match (says(&["parallel", "并行"]), says(&["sequential", "串行"])) {
            (true, false) => Some("parallel".to_owned()),
            (false, true) => Some("sequential".to_owned()),
            _ => None,
        };
        phases.push(Phase { id: id.clone(), title, strategy, ..Phase::default() });
    }
    Some(id)
}

fn take(outline: &Outline, field: LabelledLine, task: &mut Task) {
    let value = outline.shown(field.value);
    match field.name {
        // The checks are read together, with everything that belongs to them.
        Name::Depends | Name::Link | Name::Check => {}
        Name::Agent => task.agent = value.split_whitespace().next().map(str::to_owned),
        Name::Group => task.group = Some(value.trim_matches('`').to_owned()),
        Name::Status => {
            task.extra.insert("status".to_owned(), value.into());
        }
        Name::Files => {
            // `src/a.rs` (new): drop the note.
            let paths = value.split([',', '，', '、']).map(|path| path.split(" (").next().unwrap_or(path));
            let paths = paths.map(|path| path.trim().trim_matches('`'));
            let plain = paths.filter(|path| !path.is_empty() && !path.contains(' '));
            let action = "write".to_owned();
            task.files.extend(plain.map(|path| FileUse { path: path.to_owned(), action: action.clone() }));
        }
        Name::Other(key) => {
            task.extra.insert(key.to_owned(), value.into());
        }
    }
}

/// Computes the states that the boxes below decide, and reports words that contradict the box.
fn settle(outline: &Outline, entries: &[Entry], plan: &mut Plan) {
    let mut below: Vec<Vec<State>> = vec![Vec::new(); entries.len()];
    // Children come after their parents, so the reverse order settles each child first.
    for (number, entry) in entries.iter().enumerate().rev() {
        let children = below.get_mut(number).map(std::mem::take).unwrap_or_default();
        let Some(task) = plan.tasks.get_mut(number) else { continue };
        if entry.holds {
            task.kind = Kind::Container;
        }
        if entry.mark.is_none() && (entry.form == Form::Container || entry.holds) {
            task.kind = Kind::Container;
            task.state = together(&children);
        }
        if let Some(outer) = entry.parent.and_then(|parent| below.get_mut(parent)) {
            outer.push(task.state);
        }
        words(outline, entry, task, &mut plan.diagnostics);
    }
}

fn together(states: &[State]) -> State {
    if !states.is_empty() && states.iter().all(|state| state.is_settled()) {
        State::Completed
    } else if states.iter().all(|state| *state == State::Pending) {
        State::Pending
    } else {
        State::InProgress
    }
}

/// Compares the words on and below the line with the box, which decides.
fn words(outline: &Outline, entry: &Entry, task: &Task, diagnostics: &mut Vec<Diagnostic>) {
    let line = outline.str(entry.line);
    let status = task.extra.get("status").and_then(|status| status.as_str());
    let summary = links::links(line)
        .iter()
        .any(|link| links::is_summary(line.get(link.target.start..link.target.end).unwrap_or_default()));
    let said = status.and_then(field::is_done).or_else(|| summary.then_some(true));
    let is_done = task.state.is_settled();
    if said.is_some_and(|said| said != is_done) {
        let what = status.map_or_else(|| "a summary is linked".to_owned(), |status| format!("'{status}'"));
        let message = format!("task '{}' says {what}, but its box decides: {}", task.id, task.state.word());
        let mut found = outline.diagnostic(Severity::Warning, "status-conflict", message, entry.line.start);
        found.task = Some(task.id.clone());
        diagnostics.push(found);
    } else if status.is_some_and(|status| status.starts_with("failed")) {
        let message = format!("task '{}' failed before and is not ticked: taken as pending", task.id);
        let mut found = outline.diagnostic(Severity::Warning, "failed-before", message, entry.line.start);
        found.task = Some(task.id.clone());
        diagnostics.push(found);
    }
}
