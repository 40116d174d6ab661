//! Tasks that are headings with boxes below them: shared by `superpowers` and `ralphex`.
//!
//! The heading has no box of its own: a task is completed when all boxes below it are ticked, and in progress when
//! one is. Each box is a criterion, so ticking the task ticks all of them. Boxes elsewhere are notes. A task without
//! boxes may have a line `**Status**: pending`; if it has both, the boxes decide and a difference is reported. If it
//! has neither, a sign after its name gives the state.

use crate::Plan;
use crate::criteria::{acceptance, locate, steps};
use crate::deps::named::Named;
use crate::deps::requires;
use crate::deps::{phases, strategy};
use crate::fields::labels;
use crate::lists::{items, numbered};
use crate::read::fingerprint;
use crate::states::status_cell;
use crate::states::{boxes, decoration, signs};
use checks::Role;
use markdown::marks;
use markdown::{Extent, Heading, Outline};
use wire::plan::{Criterion, FileUse, Kind, Model, Severity};
use wire::{State, Task, TaskId, ids};

/// A heading that is a task.
#[derive(Debug, Clone)]
pub(crate) struct Chapter {
    /// The heading.
    pub(crate) head: Extent,
    /// The section, up to the first task inside it.
    pub(crate) at: Extent,
    pub(crate) id: String,
    pub(crate) title: String,
    /// The id of the task around it.
    pub(crate) parent: Option<String>,
    /// Whether other tasks are inside it.
    pub(crate) holds: bool,
}

/// What decides the state of a task that has both boxes and a sign or a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decides {
    /// The boxes: they are its steps.
    Boxes,
    /// The sign or the status of the heading: the boxes are its criteria.
    Heading,
}

/// The headings that `named` recognises as tasks, with id and title.
pub(crate) fn cut(
    outline: &Outline,
    named: impl Fn(&Heading, &str) -> Option<(String, String)>,
) -> Vec<Chapter> {
    let heads: Vec<&Heading> = outline.headings.iter().filter(|head| head.atx && !head.inner).collect();
    let mut chapters: Vec<Chapter> = Vec::new();
    // The level and the place of each task that the heading is inside of.
    let mut open: Vec<(u8, usize)> = Vec::new();
    for head in heads {
        while open.last().is_some_and(|(level, _)| head.level <= *level) {
            let (_, ended) = open.pop().unwrap_or_default();
            if let Some(chapter) = chapters.get_mut(ended).filter(|chapter| !chapter.holds) {
                chapter.at.end = head.at.start;
            }
        }
        let Some((id, title)) = named(head, marks::without_signs(phases::text(outline, head))) else {
            continue;
        };
        // A heading below a task is part of it, whatever its name; only `Task 10a` below `Task 10` is a task too.
        let around = open.last().map(|(_, index)| *index);
        let outer = around.and_then(|index| chapters.get(index)).map(|chapter| chapter.id.clone());
        let is_part = |outer: &String| {
            let rest = id.strip_prefix(outer.as_str());
            rest.is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '-'))
            })
        };
        if outer.as_ref().is_some_and(|outer| !is_part(outer)) {
            continue;
        }
        if let Some(chapter) =
            around.and_then(|index| chapters.get_mut(index)).filter(|chapter| !chapter.holds)
        {
            chapter.at.end = head.at.start;
            chapter.holds = true;
        }
        let title = decoration::without(&title).into_owned();
        open.push((head.level, chapters.len()));
        let at = Extent { start: head.at.start, end: outline.bytes.len() };
        chapters.push(Chapter { head: head.at, at, id, title, parent: outer, holds: false });
    }
    chapters
}

/// Whether a task heading has boxes below it.
pub(crate) fn has_boxes(outline: &Outline, chapters: &[Chapter]) -> bool {
    chapters.iter().any(|chapter| outline.items_in(chapter.at).iter().any(|item| item.mark.is_some()))
}

/// Whether a heading has a status below it.
pub(crate) fn has_own_status(outline: &Outline, head: Extent, at: Extent) -> bool {
    own_status(outline, head, at).is_some()
}

/// Whether most task headings have a status below them.
pub(crate) fn has_status(outline: &Outline, chapters: &[Chapter]) -> bool {
    let told = chapters.iter().filter(|chapter| status_of(outline, chapter).is_some()).count();
    told > 0 && told * 2 >= chapters.len()
}

fn status_of(outline: &Outline, chapter: &Chapter) -> Option<Extent> {
    own_status(outline, chapter.head, chapter.at)
}

/// The word in `**Status**: pending`, before any further heading. A single character would be indistinguishable from
/// a box.
pub(crate) fn own_status(outline: &Outline, head: Extent, at: Extent) -> Option<Extent> {
    let body = Extent { start: head.end, end: at.end };
    let lines = outline.lines_in(body).filter(|line| line.veil.is_none());
    let mut lines = lines.take_while(|line| !outline.str(line.at).starts_with('#'));
    lines.find_map(|line| {
        let text = outline.str(line.at);
        let (name, value) = text.split_once(':')?;
        let name = name.trim_matches([' ', '\t', '-', '*', '_', '>']).to_lowercase();
        let value = value.trim_matches(['*', '`', '_', ' ', '\t']);
        let start = line.at.end - text.get(text.find(':')?..)?.len();
        let known =
            matches!(name.as_str(), "status" | "state" | "상태" | "状态" | "状態" | "estado" | "статус");
        let at = start + outline.str(Extent { start, end: line.at.end }).find(value)?;
        // A date or a remark behind the state is no part of it.
        let ends = [" — ", " – ", " - ", " (", "; ", ". ", ", ", " · ", " | "];
        let cut = ends.iter().filter_map(|sign| value.find(sign)).min().and_then(|end| value.get(..end));
        let value = cut.filter(|head| status_cell::state(head).is_some()).unwrap_or(value);
        (known && value.chars().count() > 1).then_some(Extent { start: at, end: at + value.len() })
    })
}

/// The plan of the chapters, where boxes are steps.
pub(crate) fn read(outline: &Outline, chapters: &[Chapter]) -> Plan {
    read_with(outline, chapters, Decides::Boxes)
}

/// The plan of the chapters.
pub(crate) fn read_with(outline: &Outline, chapters: &[Chapter], decides: Decides) -> Plan {
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    for chapter in chapters {
        let task = task(outline, chapter, decides, &mut plan);
        plan.tasks.push(task);
    }
    let known = Named::new(&plan.tasks);
    for (task, chapter) in plan.tasks.iter_mut().zip(chapters) {
        depends(outline, chapter, task, &known);
        let at = outline.trimmed(chapter.at);
        let items = outline.items_in(at).iter().filter_map(|item| item.mark);
        let heads = outline.headings_in(at).iter().filter_map(|heading| heading.mark);
        let own = task.mark.as_ref().map(|mark| boxes::extent(mark, outline.bytes.len()));
        let mut marks: Vec<Extent> = items.chain(heads).chain(own).collect();
        marks.sort_unstable_by_key(|at| at.start);
        task.fingerprint = fingerprint::with_boxes(outline, at, &marks, chapter.head, &task.depends_on);
    }
    notes(outline, chapters, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    plan
}

fn task(outline: &Outline, chapter: &Chapter, decides: Decides, plan: &mut Plan) -> Task {
    let mut task = Task {
        id: TaskId(chapter.id.clone()),
        key: ids::key_of(&chapter.id),
        title: chapter.title.clone(),
        kind: if chapter.holds { Kind::Container } else { Kind::Work },
        parent: chapter.parent.as_deref().map(TaskId::from),
        state_from: Some(outline.place(chapter.head.start)),
        span: outline.span(outline.trimmed(chapter.at)),
        ..Task::default()
    };
    let items = outline.items_in(chapter.at);
    let first = items.iter().find(|item| item.mark.is_some() && !item.quoted);
    steps(outline, chapter, first.map_or(chapter.at.end, |item| item.at.start), &mut task);
    let mut states = Vec::new();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.quoted) {
        let line = items::line_of(outline, item);
        let Some(mark) = item.mark else {
            task.files.extend(file(outline.str(line)));
            continue;
        };
        states.push(items::state(outline, mark, line, &mut plan.diagnostics));
        let after = items.get(index + 1..).unwrap_or_default();
        let next = after.iter().find(|next| next.mark.is_some()).map_or(chapter.at.end, |next| next.at.start);
        task.steps.push(outline.shown(line));
        let at = Extent { start: item.text, end: next };
        if locate::is_below_label(outline, Extent { start: chapter.head.end, end: item.at.start }) {
            locate::add(&mut task, "acceptance", locate::boxed(outline, item, at.end, Role::Criterion));
        } else {
            steps::boxed(outline, &mut task, item, at);
        }
    }
    task.state = state(&states);
    let alone = states.is_empty() || decides == Decides::Heading;
    let ticked = task.state;
    if let Some(at) = status_of(outline, chapter) {
        said(outline, at, alone, &mut task, plan);
    } else if alone {
        signed(outline, chapter, decides, &mut task, plan);
        // Without a sign, all criteria ticked means done.
        let unsigned = task.mark.as_ref().is_some_and(|mark| mark.start == mark.end);
        if unsigned && ticked == State::Completed {
            task.state = ticked;
        }
    }
    if states.is_empty() {
        checks(outline, chapter, &mut task);
    }
    task
}

/// Sets the state from the sign after the name.
fn signed(outline: &Outline, chapter: &Chapter, decides: Decides, task: &mut Task, plan: &mut Plan) {
    let sign = signs::find(outline, chapter.head);
    task.mark = Some(outline.span(sign.at));
    task.state = sign.state.unwrap_or_default();
    let message = match sign.state {
        None => format!("unknown status '{}' is taken as not done", outline.shown(sign.at).trim()),
        Some(_) if decides == Decides::Boxes && has_others(outline) => {
            format!("task '{}' has no box below it, as others have", task.id)
        }
        Some(_) => return,
    };
    let code = if sign.state.is_none() { "unknown-status" } else { "task-without-boxes" };
    let mut found = outline.diagnostic(Severity::Warning, code, message, chapter.head.start);
    found.task = Some(task.id.clone());
    plan.diagnostics.push(found);
}

/// Whether the plan has any box.
fn has_others(outline: &Outline) -> bool {
    outline.items.iter().any(|item| item.mark.is_some() && !item.quoted)
}

/// Whether a task without boxes is described step by step: `**Step 1: …**` or `Run:`.
pub(crate) fn has_steps(outline: &Outline, chapters: &[Chapter]) -> bool {
    let is_step = |text: &str| step_name(text).is_some() || text.trim_start_matches('*').starts_with("Run:");
    chapters.iter().any(|chapter| {
        let mut lines = outline.lines_in(chapter.at).filter(|line| line.veil.is_none());
        lines.any(|line| is_step(outline.str(line.at).trim_start()))
    })
}

/// Reads the steps without boxes before `end`, and their commands.
fn steps(outline: &Outline, chapter: &Chapter, end: usize, task: &mut Task) {
    let at = Extent { start: chapter.head.end, end: end.max(chapter.head.end) };
    let lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    let named: Vec<(Extent, &str)> =
        lines.filter_map(|line| Some((line.at, step_name(outline.str(line.at))?))).collect();
    let first = named.first().map_or(at.end, |(line, _)| line.start);
    steps::unboxed(outline, task, &chapter.title, None, Extent { start: chapter.head.end, end: first });
    let ends = named.iter().skip(1).map(|(line, _)| line.start).chain([at.end]);
    for ((line, name), end) in named.iter().zip(ends) {
        task.steps.push((*name).to_owned());
        steps::unboxed(outline, task, name, Some(*line), Extent { start: line.end, end });
    }
}

/// The name of the step in `**Step 1: Dig**` or `#### Step 1: Dig`.
pub(crate) fn step_name(line: &str) -> Option<&str> {
    let text = line.trim_matches(['#', '*', ' ', '\t']);
    let emphasised = line.trim_start().starts_with(['#', '*']);
    let (_, title) = phases::after_word(text, &["step"]).filter(|_| emphasised)?;
    text.get(text.len() - title.len()..)
}

/// In a task without boxes, the text below a label such as `Acceptance Criteria` gives the criteria.
fn checks(outline: &Outline, chapter: &Chapter, task: &mut Task) {
    let (_, fields) = labels::fields(outline, Extent { start: chapter.head.end, end: chapter.at.end });
    let asks =
        |field: &&labels::LabelledField| matches!(field.name, labels::Name::Criteria | labels::Name::Verify);
    let mut told = Vec::new();
    for field in fields.iter().filter(asks) {
        acceptance::read(outline, &task.id.0, "", field, &mut told);
    }
    // Skip what a step has already added.
    let known = |c: &Criterion| {
        let mut known = task.criteria.iter();
        known.any(|k| k.span == c.span || k.command == c.command && (c.command.is_some() || k.text == c.text))
    };
    told.retain(|criterion| !known(criterion));
    for criterion in told {
        let id = format!("{}:{}", task.id, task.criteria.len() + 1);
        task.criteria.push(Criterion { id, ..criterion });
    }
}

/// Sets the state from the status; if there are boxes too, they decide.
pub(crate) fn said(outline: &Outline, at: Extent, alone: bool, task: &mut Task, plan: &mut Plan) {
    task.mark = Some(outline.span(at));
    let text = outline.shown(at);
    let mut warn = |code, message| {
        let mut found = outline.diagnostic(Severity::Warning, code, message, at.start);
        found.task = Some(task.id.clone());
        plan.diagnostics.push(found);
    };
    let state = status_cell::state(&text);
    if state.is_none() {
        warn("unknown-status", format!("unknown status '{text}' is taken as not done"));
    }
    let state = state.unwrap_or_default();
    if alone {
        task.state = state;
        task.state_from = Some(outline.place(at.start));
    } else if state != task.state {
        let boxes = task.state.word();
        warn(
            "status-conflict",
            format!("the status says '{text}' and the boxes say '{boxes}': the boxes decide"),
        );
    }
}

fn state(states: &[State]) -> State {
    if states.is_empty() || states.iter().all(|state| *state == State::Pending) {
        State::Pending
    } else if states.iter().all(|state| state.is_settled()) {
        State::Completed
    } else if states.contains(&State::Blocked) {
        State::Blocked
    } else {
        State::InProgress
    }
}

/// A file and what happens to it, after words such as `Create:` and `Modify:`; without line numbers.
fn file(text: &str) -> Option<FileUse> {
    let (word, rest) = text.trim_matches('*').split_once(':')?;
    let action = match word.trim().trim_matches('*').to_ascii_lowercase().as_str() {
        "create" | "new" | "add" => "create",
        "modify" | "update" | "edit" | "change" => "modify",
        "delete" | "remove" => "delete",
        "test" | "tests" => "write",
        "read" | "reference" => "read",
        _ => return None,
    };
    let path = rest.split('`').nth(1)?;
    let (name, lines) = path.rsplit_once(':').unwrap_or((path, ""));
    let numbered = !lines.is_empty() && lines.bytes().all(|b| b.is_ascii_digit() || b"-,".contains(&b));
    let path = if numbered { name } else { path };
    Some(FileUse { path: path.to_owned(), action: action.to_owned() })
}

/// `**Depends on:** Task 1`.
fn depends(outline: &Outline, chapter: &Chapter, task: &mut Task, known: &Named) {
    for line in outline.lines_in(chapter.at).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at).trim().trim_start_matches(['-', '*', ' ']);
        let lower = text.to_ascii_lowercase();
        let label =
            ["depends on", "dependencies", "requires"].iter().find(|label| lower.starts_with(**label));
        let Some(rest) = label.and_then(|label| text.get(label.len()..)) else { continue };
        let rest = rest.trim_start_matches('*');
        if let Some(said) = rest.strip_prefix(':') {
            let mut found = Vec::new();
            known.add(&after_tasks(said), |_| false, &mut found);
            numbered::depend(task, found);
        }
    }
}

/// The words after each `Task`: other numbers in the sentence mean something else.
fn after_tasks(text: &str) -> String {
    let mut said = String::new();
    let mut naming = false;
    let text = requires::pieces(text).join(" , ");
    for word in text.split([' ', '\t', '*', '`']).filter(|word| !word.is_empty()) {
        // `T3` is short for `Task 3`.
        if let Some(number) = word.strip_prefix('T').filter(|number| numbered::is_number(number)) {
            said.push_str(number);
            said.push(' ');
            continue;
        }
        let lower = word.to_ascii_lowercase();
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        let joins = matches!(lower.as_str(), "and" | "&" | ",");
        naming = matches!(lower.as_str(), "task" | "tasks") || naming && (number || joins);
        if naming && number {
            said.push_str(word);
            said.push(' ');
        }
    }
    said
}

fn notes(outline: &Outline, chapters: &[Chapter], plan: &mut Plan) {
    let mut section = String::new();
    let mut headings = outline.headings.iter().filter(|head| head.atx && !head.inner).peekable();
    let mut chapters = chapters.iter().peekable();
    for item in outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted) {
        while let Some(head) = headings.next_if(|head| head.at.start < item.at.start) {
            phases::text(outline, head).clone_into(&mut section);
        }
        while chapters.next_if(|chapter| chapter.at.end <= item.at.start).is_some() {}
        if chapters.peek().is_none_or(|chapter| item.at.start < chapter.at.start) {
            plan.notes.extend(numbered::note(outline, item, &section));
        }
    }
}
