//! An account of every line that looks like a task: what it was read as, or why it was not.
//!
//! The lines are found in the text itself, independently of the dialect, and then compared with the plan. Invariant:
//! each such line has exactly one account, and a line that nothing accounts for is reported as such.

pub(crate) mod guide;
pub(crate) mod look;
pub(crate) mod lost;
pub(crate) mod nearest;
mod places;
mod reason;

use crate::Plan;
use crate::explain::look::Look;
use crate::explain::places::Places;
use crate::fields::labels;
use crate::sections::{Role, Sections};
use markdown::{Extent, Outline, Text};
use wire::plan::Span;

/// The account of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The line number, starting at 1.
    pub line: u64,
    /// The line, without blanks at its ends.
    pub text: String,
    /// What the line was read as.
    pub taken: Taken,
}

/// What a line was read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Part of the plan, in words.
    As(String),
    /// No part of the plan, and why.
    Not(String),
    /// Unaccounted for: a task may be lost here.
    Unknown,
}

/// The accounts of one Markdown text that the plan was read from, in order.
pub fn explain(outline: &Outline, plan: &Plan) -> Vec<Account> {
    let mut places = Places::new(outline, plan);
    let sections = Sections::new(outline);
    let mut label: Option<labels::Name> = None;
    let mut task: Option<usize> = None;
    let mut accounts = Vec::new();
    for line in outline.lines_in(Extent { start: 0, end: outline.bytes.len() }) {
        let text = outline.str(line.at);
        let inside = places.task_at(line.at.start);
        if inside != task {
            (task, label) = (inside, None);
        }
        if line.veil.is_none()
            && let Some((name, after)) = labels::label(text)
        {
            // Dependencies stand on the label's own line or in the list below, never in both.
            let whole = name == labels::Name::Depends
                && text.get(after..).is_some_and(|value| !value.trim().is_empty());
            label = (!whole).then_some(name);
        }
        let Some(look) = look::look(text) else {
            let Some(what) = look::other(text).filter(|_| line.veil.is_none()) else { continue };
            accounts.push(Account {
                line: outline.line(line.at.start),
                text: outline.shown(outline.trimmed(line.at)),
                taken: other(plan, &mut places, &sections, what, line.at, label.as_ref()),
            });
            continue;
        };
        let taken = taken(
            outline,
            plan,
            &mut places,
            &sections,
            &look,
            line.at,
            label.as_ref().filter(|_| task.is_some()),
        );
        accounts.push(Account {
            line: outline.line(line.at.start),
            text: outline.shown(outline.trimmed(line.at)),
            taken,
        });
    }
    accounts
}

/// Whether every line of a text that looks like a task begins a part of the plan, so that no account is left to give. It
/// is a glance: a line that it does not know may still have an account.
pub fn is_accounted_for(path: &str, text: &str, plan: &Plan) -> bool {
    let own = |span: &Span| (span.path == path).then(|| usize::try_from(span.start).unwrap_or(usize::MAX));
    let mut starts: Vec<usize> = Vec::with_capacity(plan.tasks.len() * 2);
    for task in &plan.tasks {
        starts.extend(task.mark.as_ref().and_then(own));
        starts.extend(own(&task.span));
        starts.extend(task.criteria.iter().filter_map(|criterion| own(&criterion.span)));
    }
    starts.extend(plan.gates.iter().filter_map(|gate| own(&gate.span)));
    starts.extend(plan.notes.iter().filter_map(|note| own(&note.span)));
    starts.sort_unstable();
    // If no task is a heading, a heading without a box is no task.
    let begins_heading =
        |task: &wire::Task| own(&task.span).is_some_and(|start| text.as_bytes().get(start) == Some(&b'#'));
    let headings = plan.tasks.iter().any(begins_heading);
    let mut phases = plan.phases.iter().cycle();
    let mut start = 0;
    let mut left = text.split_inclusive('\n').filter_map(|line| {
        let (from, end) = (start, start + line.len());
        start = end;
        let shown = line.trim_end_matches(['\n', '\r']);
        let look = look::look(shown)?;
        let first = starts.partition_point(|at| *at < from);
        if starts.get(first).is_some_and(|at| *at < end) {
            return None;
        }
        if look.kind == look::Kind::Heading && !headings {
            return None;
        }
        // The phases stand in the order of the text.
        let named = phases.by_ref().take(plan.phases.len()).any(|phase| reason::names_phase(shown, phase));
        (!named).then_some((look, Extent { start: from, end: from + shown.len() }))
    });
    let Some(first) = left.next() else { return true };
    // A box in a block of code, or in a sentence.
    let outline = Outline::new(&Text { path, bytes: text.as_bytes() });
    std::iter::once(first).chain(left).all(|(look, line)| {
        outline.veil(line.start + look.at).is_some() || reason::of(&outline, &look, line).is_some()
    })
}

/// The account of a line that has a number, a sign or a command and no box.
fn other(
    plan: &Plan,
    places: &mut Places,
    sections: &Sections,
    what: &str,
    line: Extent,
    label: Option<&labels::Name>,
) -> Taken {
    if let Some(known) = places.known(line) {
        return Taken::As(known);
    }
    if let Some(task) = places.task_at(line.start).and_then(|task| plan.tasks.get(task)) {
        return Taken::As(reason::part(&task.id, label));
    }
    let below = sections.at(line.start).filter(|section| !section.title.is_empty());
    let place = below.map_or_else(
        || "before the first heading".to_owned(),
        |section| format!("below '{}'", section.title),
    );
    Taken::Not(format!(
        "{what} {place}, which holds {}",
        below.map_or(Role::Open, |section| section.role).words()
    ))
}

/// Whether the section of a heading has tasks in it.
fn holds_tasks(sections: &Sections, line: Extent, plan: &Plan) -> bool {
    let own =
        sections.list().iter().find(|section| line.start <= section.at.start && section.at.start < line.end);
    own.is_some_and(|section| {
        plan.tasks.iter().any(|task| {
            let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
            section.at.start < start && start < section.at.end
        })
    })
}

fn taken(
    outline: &Outline,
    plan: &Plan,
    places: &mut Places,
    sections: &Sections,
    look: &Look,
    line: Extent,
    label: Option<&labels::Name>,
) -> Taken {
    if let Some(known) = places.known(line) {
        return Taken::As(known);
    }
    if let Some(said) = places.said(outline.line(line.start)) {
        return Taken::Not(said);
    }
    let at = line.start + look.at;
    if let Some(why) = outline.veil(at).map(reason::veil).or_else(|| reason::of(outline, look, line)) {
        return Taken::Not(why.to_owned());
    }
    let is_heading = outline.headings_in(line).iter().any(|heading| heading.mark.is_some());
    if let Some(phase) = plan.phases.iter().find(|phase| reason::names_phase(outline.str(line), phase)) {
        return Taken::As(format!("phase '{}'", phase.id));
    }
    if let Some(task) = places.task_at(line.start).and_then(|task| plan.tasks.get(task)) {
        // If the tasks have boxes, a heading without one is plain text.
        let is_box = look.kind == look::Kind::Box || look.kind == look::Kind::Heading && places.bare_headings;
        if is_box && places.names_lost(outline.str(line), task.id.as_str()) {
            return Taken::Unknown;
        }
        return Taken::As(reason::part(&task.id, label));
    }
    let legend = places.is_legend(line);
    if legend {
        return Taken::Not("it explains a mark".to_owned());
    }
    match look.kind {
        look::Kind::Heading if !places.bare_headings => {
            Taken::Not("a heading without a box; the tasks of this plan have one".to_owned())
        }
        look::Kind::Heading
            if !plan.title.is_empty() && outline.str(line).trim_start_matches(['#', ' ']) == plan.title =>
        {
            Taken::Not("the title of the plan".to_owned())
        }
        look::Kind::Heading if holds_tasks(sections, line, plan) => Taken::As("a group of tasks".to_owned()),
        look::Kind::Heading if places.repeats(outline.str(line), plan) => {
            Taken::Not("it repeats the name of a task".to_owned())
        }
        look::Kind::Box if is_heading && !places.boxed_headings => {
            Taken::Not("a box in a heading; the tasks of this plan are items".to_owned())
        }
        _ => Taken::Unknown,
    }
}
