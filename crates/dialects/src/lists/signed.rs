//! Lists whose items begin with a sign of their state: `- ✅ Dig`, `- ⬜ Build`.
//!
//! They count only if nothing else in the plan states the work, and if at least one sign means open work: a list of
//! ticks alone is praise.

use crate::Plan;
use crate::criteria::locate::{self, Purpose};
use crate::deps::named;
use crate::lists::items;
use crate::read::fingerprint;
use crate::states::status_cell;
use markdown::{Extent, Item, Outline};
use wire::plan::Severity;
use wire::{State, Task, TaskId, ids};

/// An item with its sign.
struct Signed<'o> {
    item: &'o Item,
    mark: Extent,
    line: Extent,
}

/// Whether the items of a plan without boxes are its tasks.
pub(crate) fn are_tasks(outline: &Outline) -> bool {
    let boxed = outline.items.iter().any(|item| item.mark.is_some() && !item.quoted);
    let open = |signed: &Signed| outline.str(signed.mark).starts_with(OPEN);
    let signed = if boxed { Vec::new() } else { find(outline) };
    signed.len() > 1 && signed.iter().any(open)
}

/// Signs that people put only before open work.
const OPEN: &[char] = &['⬜', '☐', '🔲', '◻', '🔄', '🚧', '⏳'];

/// Reads the tasks.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let found = find(outline);
    let marks: Vec<Extent> = found.iter().map(|signed| signed.mark).collect();
    let own: Vec<Option<&str>> =
        found.iter().map(|signed| items::named_id(outline.str(signed.line))).collect();
    for (signed, id) in found.iter().zip(named::ids(&own)) {
        let at = outline.trimmed(signed.item.at);
        let said = outline.shown(signed.mark);
        let mut task = Task {
            key: ids::key_of(&id),
            title: items::without_id(&outline.shown(signed.line), &id),
            id: TaskId(id),
            state_from: Some(outline.place(signed.mark.start)),
            span: outline.span(at),
            mark: Some(outline.span(signed.mark)),
            ..Task::default()
        };
        task.state = status_cell::state(&said).unwrap_or_else(|| {
            let message = format!("unknown status '{said}' is taken as not done");
            let mut warning =
                outline.diagnostic(Severity::Warning, "unknown-status", message, signed.mark.start);
            warning.task = Some(task.id.clone());
            plan.diagnostics.push(warning);
            State::Pending
        });
        let below = Extent { start: signed.line.end, end: signed.item.at.end.max(signed.line.end) };
        let tasks: Vec<Extent> = found
            .iter()
            .map(|other| other.item.at)
            .filter(|other| below.start <= other.start && other.start < below.end)
            .collect();
        locate::add(&mut task, "verify", locate::find(outline, below, Purpose::Work, &tasks));
        let inside: Vec<Extent> =
            marks.iter().copied().filter(|mark| at.start <= mark.start && mark.end <= at.end).collect();
        let none = Extent { start: at.end, end: at.end };
        task.fingerprint = fingerprint::with_boxes(outline, at, &inside, none, &[]);
        plan.tasks.push(task);
    }
}

fn find<'o>(outline: &'o Outline) -> Vec<Signed<'o>> {
    let items = outline.items.iter().filter(|item| item.mark.is_none() && !item.quoted);
    items
        .filter_map(|item| {
            let line = items::line_of(outline, item);
            let text = outline.str(line);
            let sign = text.chars().next().filter(|c| status_cell::is_sign(*c))?;
            let rest = text.get(sign.len_utf8()..)?;
            let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest);
            let end = line.end - rest.len();
            let title = rest.trim_start();
            (title.len() < rest.len() && !title.is_empty()).then(|| Signed {
                item,
                mark: Extent { start: line.start, end },
                line: Extent { start: line.end - title.len(), end: line.end },
            })
        })
        .collect()
}
